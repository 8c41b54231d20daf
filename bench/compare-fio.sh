#!/bin/bash
# Compares qd1 with fio on the same targets: the same pattern, block size, queue
# depth and workers, pinned to the same CPUs, with /dev/cpu_dma_latency held at 0
# around both, in interleaved rounds of random order. It prints ratios of medians
# with what is required of them. Nothing is installed and nothing but scratch
# files is written.
#
#   bench/compare-fio.sh [TARGET...]
#
# TARGET is a block device or a file filled with data, which is only read, or a
# directory, in which both programs write to files of their own. Without one,
# scratch targets are made and removed again: a loop device over a file in memory
# (needs root), where the software is most of the latency, a file on disk, and a
# directory on each of them. qd1 writes to a raw device only with the consent of
# a person, so that the writes go to a file system (ext4) on the loop device.
#
# Environment: QD1 (program, default bin/qd1, ./qd1 or qd1 in PATH), ROUNDS (5),
# RUN_SECONDS (3), WARMUP (1), SIZE_MIB of the scratch files (512), SCRATCH
# (directory on a disk, default TMPDIR or /var/tmp), ROWS (names separated by
# commas, default all: see bench/compare_fio.py), SERIES (a file for the figures
# of every run as CSV).
set -euo pipefail

size_mib=${SIZE_MIB:-512}
scratch_root=${SCRATCH:-${TMPDIR:-/var/tmp}}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")

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
need python3 "it runs the rounds and counts; install the package python3"
qd1=$(find_qd1)

work=$(mktemp -d)
loops=()
memory=
disk=
cleanup() {
	local loop
	if mountpoint --quiet "$work/ext4"; then
		umount "$work/ext4" || true
	fi
	for loop in "${loops[@]}"; do
		losetup --detach "$loop" || true
	done
	rm -rf "$work" ${memory:+"$memory"} ${disk:+"$disk"}
}
trap cleanup EXIT
trap 'exit 130' INT TERM

fill() { dd if=/dev/urandom of="$1" bs=1M count="$size_mib" conv=fsync status=none; }

# attach FILE OPTIONS... makes a loop device and sets loop.
attach() {
	loop=$(losetup --find --show --direct-io=off "${@:2}" "$1")
	loops+=("$loop")
}

make_memory() {
	if [ "$(id -u)" -ne 0 ]; then
		note "not root: no loop device, only the disk"
		return
	fi
	memory=$(mktemp -d /dev/shm/qd1-compare.XXXXXX)
	fill "$memory/read"
	attach "$memory/read" --read-only
	targets+=("$loop")
	if ! command -v mkfs.ext4 >/dev/null; then
		note "no mkfs.ext4: no writes in memory"
		return
	fi
	truncate --size="$((size_mib * 2 + 1024))M" "$memory/write" # qd1 leaves room on a file system.
	attach "$memory/write"
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$loop"
	mkdir "$work/ext4"
	mount "$loop" "$work/ext4"
	targets+=("$work/ext4")
}

make_disk() {
	local kind
	kind=$(stat --file-system --format=%T "$scratch_root")
	case $kind in
	tmpfs | ramfs | overlayfs)
		note "$scratch_root is on $kind: no file on disk; name a directory in SCRATCH"
		return
		;;
	esac
	disk=$(mktemp -d "$scratch_root/qd1-compare.XXXXXX")
	fill "$disk/read"
	mkdir "$disk/write"
	targets+=("$disk/read" "$disk/write")
}

targets=("$@")
if [ $# -eq 0 ]; then
	make_memory
	make_disk
fi
[ ${#targets[@]} -gt 0 ] || fail "no target" "name a block device, a file filled with data, or a directory"

held="not held (no permission on /dev/cpu_dma_latency)"
if { exec {latency}>/dev/cpu_dma_latency; } 2>/dev/null; then
	printf '\0\0\0\0' >&"$latency"
	held="held at 0 µs for both"
fi

printf '%s, kernel %s, %s, wake-up latency %s, load %s\n' "$(fio --version)" "$(uname -r)" \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$held" "$(cut -d' ' -f1 /proc/loadavg)"
export QD1="$qd1" SIZE_MIB="$size_mib"
python3 "$here/compare_fio.py" "${targets[@]}"
