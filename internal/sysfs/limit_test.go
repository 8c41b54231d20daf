package sysfs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLimitChangesNothing(t *testing.T) {
	for name, tr := range hostTrees(t) {
		limited := Limit(tr.fs(), time.Minute)
		for _, c := range children(limited, classNVMe) {
			if diff := cmp.Diff(mustRead(t, tr.fs(), c), mustRead(t, limited, c)); diff != "" {
				t.Errorf("%s: %s (-bare +limited):\n%s", name, c, diff)
			}
		}
	}
	limited := Limit(crossed().fs(), time.Minute)
	if info, err := fs.Lstat(limited, "class/nvme/nvme0"); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("Lstat = %v, %v, want a link", info, err)
	}
	if _, err := limited.Open("class/nvme/nvme9"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open = %v, want fs.ErrNotExist", err)
	}
}

// TestLimitHangingDrive reads a drive whose link attributes never come, in
// virtual time.
func TestLimitHangingDrive(t *testing.T) { synctest.Test(t, hangingDrive) }

func hangingDrive(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	hanging := failing{linked().fs(), func(name string) error {
		if strings.HasSuffix(name, "_link_speed") {
			<-release
		}
		return nil
	}}
	limited := Limit(hanging, time.Second)
	if _, err := fs.ReadFile(limited, "class/nvme/nvme0/device/max_link_speed"); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a hanging read = %v, want os.ErrDeadlineExceeded", err)
	}
	want := mustRead(t, linked().fs(), "nvme0")
	for _, p := range append([]Port{}, want.Link.Path...) {
		p.SpeedGTs, p.MaxSpeedGTs = nil, nil
		want.Link.Path = append(want.Link.Path[1:], p)
	}
	want.Link.SpeedGTs, want.Link.MaxSpeedGTs = nil, nil
	if diff := cmp.Diff(want, mustRead(t, limited, "nvme0")); diff != "" {
		t.Errorf("drive with hanging attributes (-want +got):\n%s", diff)
	}
}
