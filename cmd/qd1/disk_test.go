package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"qd1.example/qd1/internal/sata"
)

// What is no disk of the SCSI layer goes the way of NVMe drives, which say what
// is wrong with it.
func TestDiskPath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sda")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, selector := range []string{"", "-", "sim:optane-905p", "nvme0", "/dev/null", "/dev/nvme0n1", "/dev/missing", "sdzzz", file, "."} {
		if got := diskPath(selector); got != "" {
			t.Errorf("%q: %q", selector, got)
		}
	}
	for name, want := range map[string]bool{"sda": true, "sdaa1": true, "sd": false, "nvme0": false, "asda": false, "sda1p": false} {
		if got := diskName.MatchString(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOpenDiskFails(t *testing.T) {
	if _, err := openDisk("x", "/dev/null"); !errors.Is(err, sata.ErrNotDisk) {
		t.Errorf("got %v", err)
	}
}
