package sysfs

import (
	"io/fs"
	"path"
	"strings"
)

// Kernel is how the kernel drives a controller. nil and "" mean that it does not
// say.
type Kernel struct {
	// Queues is the number of I/O queues that it has made.
	Queues *int `json:"queues"`
	// HMB is whether the drive was given memory of the host.
	HMB *bool `json:"hmb"`
	// LatencyTolerance is the latency in µs that waking the drive from a power
	// state may take, as text: a number, "auto" or "any". Power states that take
	// longer are not used.
	LatencyTolerance string `json:"latency_tolerance_us"`
	// Scheduler and WriteCache are of the first namespace that has a block device:
	// "none", "mq-deadline" and so on, and "write back" or "write through".
	Scheduler  string `json:"scheduler"`
	WriteCache string `json:"write_cache"`
	// ASPMPolicy is that of the host for all links.
	ASPMPolicy string `json:"aspm_policy"`
}

// kernelOf reads how the kernel drives the controller in dir.
//
// Source: Linux kernel, drivers/nvme/host/sysfs.c; Documentation/ABI/stable,
// sysfs-block; Documentation/power/pm_qos_interface.rst.
func kernelOf(fsys fs.FS, dir string, namespaces []Namespace) Kernel {
	k := Kernel{
		LatencyTolerance: attribute(fsys, dir, "power/pm_qos_latency_tolerance_us"),
		ASPMPolicy:       chosen(attribute(fsys, "module/pcie_aspm/parameters/policy")),
	}
	if n, ok := unsigned(fsys, 16, dir, "queue_count"); ok && n > 0 {
		k.Queues = new(int(n) - 1) // One is the admin queue.
	}
	if n, ok := unsigned(fsys, 1, dir, "hmb"); ok {
		k.HMB = new(n == 1)
	}
	for _, n := range namespaces {
		if n.Block == "" {
			continue
		}
		queue := path.Join("block", n.Block, "queue")
		k.Scheduler, k.WriteCache = chosen(attribute(fsys, queue, "scheduler")), attribute(fsys, queue, "write_cache")
		break
	}
	return k
}

// chosen returns the word in brackets of a list as the kernel writes it, such as
// "[none] mq-deadline", or the whole text where none is in brackets.
func chosen(text string) string {
	if _, rest, ok := strings.Cut(text, "["); ok {
		word, _, _ := strings.Cut(rest, "]")
		return word
	}
	return text
}
