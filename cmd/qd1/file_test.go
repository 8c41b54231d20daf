package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputIsNoDevice checks that no result can be written to a drive: not by
// its node, not through a link.
func TestOutputIsNoDevice(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: a loop device is needed")
	}
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("losetup", "--find", "--show", image).CombinedOutput()
	if err != nil {
		t.Skipf("no loop device here: %v: %s", err, out)
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() { exec.Command("losetup", "--detach", device).Run() })
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(device, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{device, link} {
		for what, err := range map[string]error{"output": checkOutput(name, nil), "capture": checkCapture(name, "")} {
			var refused *exitError
			if !errors.As(err, &refused) || refused.status != exitRefused {
				t.Errorf("%s to %s: %v, want a refusal", what, name, err)
			}
		}
	}
}

func TestHarmlessDevices(t *testing.T) {
	for _, name := range []string{"/dev/null", "/dev/full", "/dev/zero"} {
		if err := checkOutput(name, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := os.Stat("/dev/cpu_dma_latency"); err == nil && harmless(info, "/dev/cpu_dma_latency") {
		t.Error("/dev/cpu_dma_latency takes text")
	}
}
