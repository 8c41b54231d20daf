#!/bin/bash
# Compares what looking at a drive costs: qd1's one report against the commands
# of nvme-cli and smartctl that show the same, in turn, on the same drive. It
# prints medians of wall time and of processor time, and ratios. Nothing is
# installed, and the drive is only read. What is measured is what users run: the
# program of "make build", without coverage counters.
#
#   bench/compare-inspect.sh /dev/nvme0
#
# Environment: QD1 (program, default bin/qd1, ./qd1 or qd1 in PATH), ROUNDS (9).
set -euo pipefail

fail() {
	printf 'compare-inspect: error: %s\n' "$1" >&2
	exit 1
}

[ $# -eq 1 ] || fail "usage: compare-inspect.sh DRIVE"
drive=$1
rounds=${ROUNDS:-9}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for candidate in ${QD1:+"$QD1"} "$root/bin/qd1" "$root/qd1" qd1; do
	if qd1=$(command -v "$candidate"); then
		break
	fi
done
[ -n "${qd1:-}" ] || fail "no qd1 program: build it, or name it in QD1"
for program in nvme smartctl; do
	command -v "$program" >/dev/null || fail "$program is not installed"
done

export LC_ALL=C
TIMEFORMAT='%R %U %S'

ours() { "$qd1" report --bench=off "$drive"; }

theirs() {
	nvme id-ctrl "$drive"
	nvme id-ns "$drive" -n 1
	nvme smart-log "$drive"
	nvme error-log "$drive"
	nvme fw-log "$drive"
	smartctl -a "$drive" || true # Its exit status tells of the drive's health.
}

# measure NAME appends wall time and processor time, in ms, to the variables
# NAME_wall and NAME_cpu.
measure() {
	local t wall user system
	t=$({ time "$1" >/dev/null 2>&1; } 2>&1)
	read -r wall user system <<<"$t"
	printf -v "$1_wall" '%s%d\n' "${!2}" "$(ms "$wall")"
	printf -v "$1_cpu" '%s%d\n' "${!3}" "$(($(ms "$user") + $(ms "$system")))"
}

# ms turns seconds with three decimals into milliseconds.
ms() { echo "$((10#${1/./}))"; }

median() { sort -n <<<"${1%$'\n'}" | sed -n "$(((rounds + 1) / 2))p"; }

ratio() { printf '%d.%02d' $(($1 * 100 / $2 / 100)) $(($1 * 100 / $2 % 100)); }

ours_wall='' ours_cpu='' theirs_wall='' theirs_cpu=''
ours >/dev/null && theirs >/dev/null 2>&1 # Once for the page cache.
for ((i = 0; i < rounds; i++)); do
	measure ours ours_wall ours_cpu
	measure theirs theirs_wall theirs_cpu
done

printf '%s, %s, %s; medians of %d rounds\n' "$("$qd1" version | head -n 1)" "$(nvme version | head -n 1)" "$(smartctl --version | head -n 1)" "$rounds"
printf '%-10s %12s %12s %8s\n' measure 'qd1 ms' 'others ms' ratio
for what in wall cpu; do
	our="ours_$what" their="theirs_$what"
	a=$(median "${!our}") b=$(median "${!their}")
	printf '%-10s %12d %12d %8s\n' "$what" "$a" "$b" "$(ratio "$a" "$b")"
done
