package page

import (
	"fmt"
	"strings"

	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
)

// conditionFacts are what figures depend on beside the drive.
func conditionFacts(b *report.BenchReport) []fact {
	c := &b.Conditions
	prepared := ""
	if p := b.Precondition; p != nil {
		prepared = join(", ", string(p.Mode), size(float64(p.BytesWritten))+" written")
	}
	return facts(
		fact{"target", targetText(b)},
		fact{"workload", workloadText(b)},
		fact{"engine", enginesText(b)},
		fact{"qd1's own share", or(b.SelfUS, func(us float64) string { return micros(us) + " of each operation" })},
		fact{"prepared", prepared},
		fact{"transferred", transferredText(b)},
		fact{"temperature", temperatureText(c)},
		fact{"meanwhile", strings.Join(changesOf(c), "; ")},
		fact{"link", linkOfBlock(c.Block)},
		fact{"block device", blockText(c.Block)},
		fact{"file system", fileSystemText(c.Filesystem)},
		fact{"processor", processorText(&c.Host)},
		fact{"CPU wake-up", wakeUpText(c)},
		fact{"supply", supplyText(c.OnMains)},
		fact{"kernel", kernelText(&c.Host)},
		fact{"time", momentOf(b.Time)},
	)
}

func targetText(b *report.BenchReport) string {
	x, bytes, blocks := &b.Target, "", ""
	if x.Bytes > 0 {
		bytes = size(float64(x.Bytes))
	}
	if x.BlockBytes > 0 {
		blocks = "blocks of " + blockSize(x.BlockBytes)
	}
	return join(", ", x.Path, bytes, blocks)
}

// workloadText is what was asked for where there is one row, which a table of
// rows tells otherwise.
func workloadText(b *report.BenchReport) string {
	if len(b.Rows) != 1 {
		return ""
	}
	j := &b.Rows[0].Job
	return join(", ", fmt.Sprintf("%s %s of %s", j.Pattern, j.Op, blockSize(j.BlockBytes)), fmt.Sprintf("queue depth %d", j.QueueDepth), counted(max(j.Workers, 1), "worker", "workers"))
}

func enginesText(b *report.BenchReport) string {
	var list []string
	for i := range b.Results {
		r := &b.Results[i].Result
		list = once(list, join(", ", append([]string{r.Engine}, r.EngineFlags...)...))
	}
	return strings.Join(list, "; ")
}

// once appends s unless the list has it.
func once(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

func transferredText(b *report.BenchReport) string {
	read, written := int64(0), int64(0)
	for i := range b.Results {
		read, written = read+b.Results[i].BytesRead, written+b.Results[i].BytesWritten
	}
	parts := ""
	if read > 0 {
		parts = size(float64(read)) + " read"
	}
	if written > 0 {
		parts = join(", ", parts, size(float64(written))+" written")
	}
	return parts
}

// temperatureText is that of the start, of the end, and the highest between.
func temperatureText(c *report.Conditions) string {
	at := func(d *conditions.DriveState, when string) string {
		if d == nil || d.Health == nil || d.Health.Celsius == nil {
			return ""
		}
		return fmt.Sprintf("%d"+nbsp+"°C %s", *d.Health.Celsius, when)
	}
	highest := ""
	top, seen := 0, false
	for _, x := range c.Temperatures {
		if v := x.Value.Celsius; v != nil && (!seen || *v > top) {
			top, seen = *v, true
		}
	}
	if seen {
		highest = fmt.Sprintf("highest reading %d"+nbsp+"°C", top)
	}
	throttled := ""
	if c.Changes != nil && c.Changes.Throttled != nil {
		throttled = map[bool]string{true: "THROTTLED by heat", false: "not throttled"}[*c.Changes.Throttled]
	}
	return join(", ", at(c.Before, "at the start"), at(c.After, "at the end"), highest, throttled)
}

func changesOf(c *report.Conditions) []string {
	if c.Changes == nil {
		return nil
	}
	return c.Changes.Facts
}

func linkOfBlock(b *conditions.Block) string {
	if b == nil || b.NVMe == nil || b.NVMe.Link == nil {
		return ""
	}
	return linkText(b.NVMe.Link)
}

// linkText is the speed and the width of a link, with what it could have.
func linkText(l *sysfs.Link) string { return pcieText(l.SpeedGTs, l.Width, l.MaxSpeedGTs, l.MaxWidth) }

func pcieText(speed *float64, width *int, maxSpeed *float64, maxWidth *int) string {
	if speed == nil || width == nil {
		return ""
	}
	text := fmt.Sprintf("PCIe %s x%d", chart.With(*speed, "GT/s"), *width)
	if maxSpeed != nil && maxWidth != nil && (*maxSpeed != *speed || *maxWidth != *width) {
		text += fmt.Sprintf(", the drive can %s x%d", chart.With(*maxSpeed, "GT/s"), *maxWidth)
	}
	return text
}

func blockText(b *conditions.Block) string {
	if b == nil {
		return ""
	}
	scheduler := "no scheduler"
	if b.Scheduler != nil {
		scheduler = "scheduler " + *b.Scheduler
	}
	return join(", ", b.Device, b.Kind, deref(b.Level), scheduler, prefixed("write cache ", deref(b.WriteCache)))
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func fileSystemText(f *conditions.FileSystem) string {
	if f == nil {
		return ""
	}
	return join(", ", f.Type, f.Source)
}

func processorText(h *conditions.Host) string {
	cpus, virtual := "", ""
	if h.CPUs != nil {
		cpus = counted(*h.CPUs, "CPU", "CPUs")
	}
	if h.Virtualised != nil && *h.Virtualised {
		virtual = "virtual machine"
	}
	return join(", ", deref(h.CPUModel), cpus, prefixed("governor ", deref(h.Governor)), virtual)
}

func wakeUpText(c *report.Conditions) string {
	if c.CPULatencyHeld {
		return "kept fast: /dev/cpu_dma_latency held at 0 µs"
	}
	return "as found: idle states add to the latency"
}

func supplyText(mains *bool) string {
	switch {
	case mains == nil:
		return ""
	case *mains:
		return "mains"
	}
	return "BATTERY, which may slow the computer down"
}

func kernelText(h *conditions.Host) string {
	return join(", ", deref(h.Kernel), h.Arch, prefixed("mitigations ", deref(h.Mitigations)), strings.Join(h.KernelParameters, " "))
}
