package conditions

import (
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const cpuDir = "sys/devices/system/cpu"

// Host is the computer as far as latency depends on it.
type Host struct {
	// Kernel is the release, Arch the Go name of the architecture.
	Kernel *string `json:"kernel"`
	Arch   string  `json:"arch"`
	// CPUModel and Microcode are of the first CPU.
	CPUModel  *string `json:"cpu_model"`
	Microcode *string `json:"microcode"`
	// CPUs is the number of CPUs that are online, IsolatedCPUs the list of those
	// that the scheduler leaves alone.
	CPUs         *int    `json:"cpus"`
	IsolatedCPUs *string `json:"isolated_cpus"`
	SMT          *bool   `json:"smt"`
	Frequency
	Idle
	// Virtualised tells whether a hypervisor is below.
	Virtualised *bool `json:"virtualised"`
	Security
	// KernelParameters are the words of the kernel's command line that change
	// latency, such as "idle=poll".
	KernelParameters []string `json:"kernel_parameters"`
	// LoadAverage is the number of tasks that ran or waited, over 1, 5 and 15
	// minutes.
	LoadAverage []float64 `json:"load_average"`
	NUMANodes   *int      `json:"numa_nodes"`
	// ClockSource is what the kernel reads the time from. Other than "tsc" each
	// reading may cost a microsecond.
	ClockSource *string `json:"clock_source"`
}

// ReadHost reads the computer below root.
func ReadHost(root fs.FS) Host {
	t := tree{root}
	online := t.cpuList(cpuDir, "online")
	words := t.commandLine()
	h := Host{
		Kernel:           t.text("proc/sys/kernel/osrelease"),
		Arch:             runtime.GOARCH,
		CPUs:             count(online),
		IsolatedCPUs:     t.text(cpuDir, "isolated"),
		SMT:              t.flag(cpuDir, "smt/active"),
		Frequency:        t.frequency(online),
		Idle:             t.idle(online),
		Security:         t.security(words),
		KernelParameters: slices.DeleteFunc(slices.Clone(words), unrelated),
		LoadAverage:      parseLoad(orEmpty(t.text("proc/loadavg"))),
		NUMANodes:        count(t.cpuList("sys/devices/system/node/online")),
		ClockSource:      t.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
	}
	h.processor(t)
	return h
}

// commandLine returns the words that the kernel was started with, nil if it does
// not say.
func (t tree) commandLine() []string {
	s := t.text("proc/cmdline")
	if s == nil {
		return nil
	}
	return strings.Fields(*s)
}

// processor reads what /proc/cpuinfo says of the first CPU. Only x86 has a line
// of flags that tells of a hypervisor; elsewhere the absence of a sign means
// nothing.
func (h *Host) processor(t tree) {
	info := cpuInfo(t)
	h.CPUModel, h.Microcode = info["model name"], info["microcode"]
	if flags := info["flags"]; flags != nil {
		h.Virtualised = new(slices.Contains(strings.Fields(*flags), "hypervisor"))
	} else if t.exists("sys/hypervisor/type") {
		h.Virtualised = new(true)
	}
}

// cpuInfo returns the lines of the first CPU in /proc/cpuinfo.
func cpuInfo(t tree) map[string]*string {
	b, _ := fs.ReadFile(t.FS, "proc/cpuinfo")
	lines := map[string]*string{}
	for line := range strings.Lines(string(b)) {
		if strings.TrimSpace(line) == "" {
			break
		}
		if name, value, ok := strings.Cut(line, ":"); ok {
			lines[strings.TrimSpace(name)] = notEmpty(clean(value))
		}
	}
	return lines
}

// parameters are the beginnings of words of the command line that change the
// latency of a drive.
func parameters() []string {
	return []string{
		"amd_iommu=", "amd_pstate=", "cpuidle", "idle=", "intel_idle.", "intel_iommu=", "intel_pstate=", "iommu",
		"irqaffinity=", "isolcpus=", "mitigations=", "nohz", "nosmt", "nvme.", "nvme_core.", "pci=", "pcie_", "preempt=",
		"processor.max_cstate=", "rcu_nocbs", "threadirqs", "tsc=",
	}
}

func unrelated(word string) bool {
	return !slices.ContainsFunc(parameters(), func(p string) bool { return strings.HasPrefix(word, p) })
}

// parseLoad reads the three averages of /proc/loadavg, nil for anything else.
func parseLoad(s string) []float64 {
	fields := strings.Fields(s)
	if len(fields) < 3 {
		return nil
	}
	load := make([]float64, 3)
	for i := range load {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil || !(v >= 0 && v < 1e9) {
			return nil
		}
		load[i] = v
	}
	return load
}

// count returns the length of a list, nil for none.
func count(list []int) *int {
	if len(list) == 0 {
		return nil
	}
	return new(len(list))
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func notEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
