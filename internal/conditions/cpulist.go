package conditions

import (
	"slices"
	"strconv"
	"strings"
)

// maxCPUs bounds the CPU numbers that are believed; the kernel can be built
// for 8192.
const maxCPUs = 1 << 16

// parseCPUs reads a list of CPUs or nodes such as "0-3,8", in ascending order
// without repetition. ok is false for anything else; an empty list is one.
//
// Source: Linux kernel, Documentation/admin-guide/kernel-parameters.rst, cpu
// lists.
func parseCPUs(s string) (cpus []int, ok bool) {
	if s == "" {
		return nil, true
	}
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 10, 16)
		to, err2 := strconv.ParseUint(last, 10, 16)
		if err1 != nil || err2 != nil || from > to || len(cpus) > maxCPUs {
			return nil, false
		}
		for n := from; n <= to; n++ {
			cpus = append(cpus, int(n))
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), true
}

// formatCPUs writes ascending CPU numbers as the kernel does, "0-3,8".
func formatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		end := i + 1
		for end < len(cpus) && cpus[end] == cpus[end-1]+1 {
			end++
		}
		part := strconv.Itoa(cpus[i])
		if end > i+1 {
			part += "-" + strconv.Itoa(cpus[end-1])
		}
		parts = append(parts, part)
		i = end
	}
	return strings.Join(parts, ",")
}

// cpuList returns an attribute that is a list of CPUs or nodes, nil where there
// is none.
func (t tree) cpuList(name ...string) []int {
	s := t.text(name...)
	if s == nil {
		return nil
	}
	cpus, _ := parseCPUs(*s)
	return cpus
}
