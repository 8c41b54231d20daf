package main

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/report"
)

// version is set when a release is built.
var version = "0.1.0-dev"

func tool() report.Tool {
	t := report.Tool{Name: "qd1", Version: version}
	if info, ok := debug.ReadBuildInfo(); ok && version == "0.1.0-dev" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		t.Version = info.Main.Version
	}
	return t
}

// hostFacts reads what a report says about this computer.
func hostFacts() report.HostFacts {
	h := report.HostFacts{Arch: runtime.GOARCH}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		h.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	return h
}

// conditions reads what a measurement on the block device depends on. node is
// "" for a target that is not a block device.
func conditions(node string) report.Conditions {
	c := report.Conditions{HostFacts: hostFacts(), CPUs: runtime.NumCPU(), CPUModel: cpuModel()}
	c.Governor = readText("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	if node != "" {
		c.Scheduler = scheduler("/sys", node)
	}
	return c
}

// scheduler is the block layer's scheduler of a device; a partition has that
// of its disk.
func scheduler(sys, node string) *string {
	dir, err := filepath.EvalSymlinks(filepath.Join(sys, "class/block", filepath.Base(realName(node))))
	if err != nil {
		return nil
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if s := readText(filepath.Join(d, "queue/scheduler")); s != nil {
			return chosen(*s)
		}
	}
	return nil
}

// chosen is the word in brackets of a list such as "mq-deadline [none]".
func chosen(list string) *string {
	_, after, _ := strings.Cut(list, "[")
	word, _, ok := strings.Cut(after, "]")
	if !ok {
		return &list
	}
	return &word
}

func readText(path string) *string {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	s := strings.TrimSpace(string(b))
	return &s
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
