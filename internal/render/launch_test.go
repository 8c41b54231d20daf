package render

import (
	"bytes"
	"testing"

	"qd1.example/qd1/bench/stats"
	"qd1.example/qd1/internal/launch"
	"qd1.example/qd1/internal/report"
)

// launchReport has a result with everything in it.
func launchReport() *report.LaunchReport {
	set := func(ms ...float64) *launch.Set {
		return &launch.Set{WallMS: *stats.Summarize(ms), UserMS: 20, SystemMS: 5.25, ReadBytes: 12_500_000}
	}
	return &report.LaunchReport{
		Schema: report.LaunchSchema, Label: new("before"),
		Launch: &launch.Result{
			Kind: launch.Kind, Program: []string{"editor", "--version"}, Executable: "/usr/bin/editor", Partial: true, Ended: "interrupted",
			Cold: set(151, 150, 155, 160, 149, 152), Warm: set(98, 99, 97), ColdMinusWarm: &launch.Difference{MS: 53.5, CI95: &stats.Interval{Low: 50, High: 62}},
			Caches: &launch.Caches{Method: launch.MethodAdvise, Reason: "not root", Files: 50, Bytes: 32_500_000, ResidentBytes: new(int64(5_690_000))},
		},
	}
}

// bootReport is of a boot with everything in it.
func bootReport() *report.LaunchReport {
	return &report.LaunchReport{
		Schema: report.LaunchSchema,
		Boot: &launch.Boot{
			Kind: launch.BootKind, BootID: "11112222", BootedAt: "2026-01-02T03:04:05Z",
			Phases: launch.Phases{Firmware: new(6.123), Loader: new(0.5), Kernel: new(1.25), Initrd: new(2.0), Userspace: new(4.75), Total: new(14.623), Source: "systemctl show"},
			Target: &launch.Target{Name: "graphical.target", Seconds: 4.5},
			KernelLog: &launch.KernelLog{
				Source: "/dev/kmsg", Complete: true,
				Controllers: []launch.Controller{{Name: "nvme0", Address: "0000:01:00.0", Found: new(0.75), Ready: new(0.875), Queues: "8/0/0 default/read/poll"}},
				Disks:       []launch.Disk{{Name: "nvme0n1", Partitions: []string{"p1", "p2"}, Seconds: 0.9}},
				Mounts:      []launch.Mount{{Device: "nvme0n1p2", FileSystem: "ext4", Seconds: 1.5}},
			},
		},
	}
}

func TestLaunch(t *testing.T) {
	for name, l := range map[string]*report.LaunchReport{"launch.txt": launchReport(), "boot.txt": bootReport()} {
		golden(t, name, text(t, func(w *bytes.Buffer) error { return Launch(w, l, Style{}) }))
	}
}

// TestBootWithoutLog checks that a log which cannot be read is named.
func TestBootWithoutLog(t *testing.T) {
	l := bootReport()
	l.Boot.KernelLog, l.Boot.KernelLogError = nil, "permission denied"
	got := text(t, func(w *bytes.Buffer) error { return Launch(w, l, Style{}) })
	if want := "the kernel log: permission denied"; !bytes.Contains([]byte(got), []byte(want)) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}
