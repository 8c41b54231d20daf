#!/bin/bash
# Compares the qd1 measuring loop with fio on the same targets: random reads of
# 4 KiB, one at a time, psync against psync, pinned to the same CPU, with
# /dev/cpu_dma_latency held at 0 around both, in interleaved rounds of random
# order. Nothing is installed and nothing but scratch files is written.
#
#   bench/compare-fio.sh [TARGET...]
#
# TARGET is a block device or a file filled with data; it is only read. Without
# one, two scratch targets are made and removed again: a loop device over a
# file in memory (needs root), where the software is most of the latency, and a
# file on disk.
#
# Environment: QD1 (program, default bin/qd1, ./qd1 or qd1 in PATH), ROUNDS (5),
# RUN_SECONDS (3), WARMUP (1), SIZE_MIB of the scratch files (512), SCRATCH
# (directory on a disk, default TMPDIR or /var/tmp).
set -euo pipefail

rounds=${ROUNDS:-5}
seconds=${RUN_SECONDS:-3}
warmup=${WARMUP:-1}
size_mib=${SIZE_MIB:-512}
scratch_root=${SCRATCH:-${TMPDIR:-/var/tmp}}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
	printf 'compare-fio: error: %s\n' "$1" >&2
	[ $# -lt 2 ] || printf 'compare-fio: hint: %s\n' "$2" >&2
	exit 1
}

note() { printf 'compare-fio: %s\n' "$*" >&2; }

need() { command -v "$1" >/dev/null || fail "$1 is not installed" "$2"; }

find_qd1() {
	local candidate
	if [ -n "${QD1:-}" ]; then
		command -v "$QD1" || fail "QD1=$QD1 is not a program"
		return
	fi
	for candidate in "$root/bin/qd1" "$root/qd1" qd1; do
		if command -v "$candidate"; then
			return
		fi
	done
	fail "no qd1 program" "build it, or name it in QD1"
}

need fio "install the package fio"
need python3 "it reads the JSON of both programs; install the package python3"
qd1=$(find_qd1)

work=$(mktemp -d)
loop=
memory=
disk=
cleanup() {
	[ -z "$loop" ] || losetup --detach "$loop" || true
	rm -rf "$work" ${memory:+"$memory"} ${disk:+"$disk"}
}
trap cleanup EXIT
trap 'exit 130' INT TERM

fill() { dd if=/dev/urandom of="$1" bs=1M count="$size_mib" conv=fsync status=none; }

make_loop() {
	if [ "$(id -u)" -ne 0 ]; then
		note "not root: no loop device, only the file on disk"
		return
	fi
	memory=$(mktemp /dev/shm/qd1-compare.XXXXXX)
	fill "$memory"
	loop=$(losetup --find --show --read-only --direct-io=off "$memory")
	targets+=("$loop")
}

make_file() {
	local kind
	kind=$(stat --file-system --format=%T "$scratch_root")
	case $kind in
	tmpfs | ramfs | overlayfs)
		note "$scratch_root is on $kind: no file on disk; name a directory in SCRATCH"
		return
		;;
	esac
	disk=$(mktemp "$scratch_root/qd1-compare.XXXXXX")
	fill "$disk"
	targets+=("$disk")
}

# Both print "TOOL IOPS p50 p99", the latencies in µs.
read_fio='
import json, sys
r = json.load(sys.stdin)["jobs"][0]["read"]
p = r["clat_ns"]["percentile"]
print("fio", r["iops"], p["50.000000"] / 1000, p["99.000000"] / 1000)
'
read_qd1='
import json, sys
r = json.load(sys.stdin)["results"][0]
if r["cpu"] != int(sys.argv[1]):
    sys.exit("qd1 ran on CPU %s, fio on %s" % (r["cpu"], sys.argv[1]))
if r["partial"] or r["errors"] or r["blank_percent"] > 1:
    sys.exit("unusable run: %s, %s errors, %s %% blank" % (r["ended"], r["errors"], r["blank_percent"]))
if r["latency_us"]["p99"] is None:
    sys.exit("unusable run: only %s operations; the machine is busy" % r["operations"])
print("qd1", r["iops"], r["latency_us"]["p50"], r["latency_us"]["p99"])
'

run_fio() {
	fio --name=compare --filename="$1" --readonly --ioengine=psync --direct=1 --rw=randread \
		--norandommap --randrepeat=0 --bs=4k --iodepth=1 --numjobs=1 --cpus_allowed="$cpu" \
		--time_based --runtime="$seconds" --ramp_time="$warmup" --output-format=json \
		--output="$work/fio.json"
	python3 -c "$read_fio" <"$work/fio.json"
}

run_qd1() {
	"$qd1" bench "$1" --format json --op read --pattern random --bs 4KiB --qd 1 \
		--seconds "$seconds" --warmup "$warmup" >"$work/qd1.json"
	python3 -c "$read_qd1" "$cpu" <"$work/qd1.json"
}

summary='
import statistics, sys
rows = [l.split() for l in open(sys.argv[1])]
get = lambda tool, i: [float(r[i]) for r in rows if r[0] == tool]
print("%-10s %10s %10s   %-9s %s" % ("", "fio", "qd1", "advantage", "per round"))
for name, i, up in (("IOPS", 1, True), ("p50 µs", 2, False), ("p99 µs", 3, False)):
    f, q = get("fio", i), get("qd1", i)
    ratio = (lambda a, b: b / a) if up else (lambda a, b: a / b)
    each = sorted(ratio(a, b) for a, b in zip(f, q))
    mf, mq = statistics.median(f), statistics.median(q)
    print("%-10s %10.1f %10.1f   %-9.3f %.3f to %.3f" % (name, mf, mq, ratio(mf, mq), each[0], each[-1]))
'

compare() {
	local target=$1 round
	: >"$work/rows"
	for ((round = 1; round <= rounds; round++)); do
		note "$target: round $round of $rounds"
		if ((RANDOM % 2)); then
			run_fio "$target" >>"$work/rows"
			run_qd1 "$target" >>"$work/rows"
		else
			run_qd1 "$target" >>"$work/rows"
			run_fio "$target" >>"$work/rows"
		fi
	done
	printf '\n%s\n' "$target"
	python3 -c "$summary" "$work/rows"
}

targets=("$@")
if [ $# -eq 0 ]; then
	make_loop
	make_file
fi
[ ${#targets[@]} -gt 0 ] || fail "no target" "name a block device or a file filled with data"

cpu=$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')
held="not held (no permission on /dev/cpu_dma_latency)"
if { exec {latency}>/dev/cpu_dma_latency; } 2>/dev/null; then
	printf '\0\0\0\0' >&"$latency"
	held="held at 0 µs"
fi

printf '%s, kernel %s, %s, CPU %s, wake-up latency %s\n' "$(fio --version)" "$(uname -r)" \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$cpu" "$held"
printf 'random read, 4 KiB, queue depth 1, psync, direct; medians of %s rounds of %s s after %s s\n' "$rounds" "$seconds" "$warmup"
printf 'advantage: above 1 qd1 is faster\n'
for target in "${targets[@]}"; do
	compare "$target"
done
