package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// booted makes a folder like the root of a host that systemd runs.
func booted(t *testing.T, kmsg string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{
		"proc/stat":                      "cpu  1 2 3 4\nbtime 1700000000\nprocesses 12\n",
		"proc/sys/kernel/random/boot_id": "01234567-89ab-4def-8123-456789abcdef\n",
		"run/systemd/system/x":           "",
	}
	if kmsg != "" {
		files["dev/kmsg"] = kmsg
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// answers are programs and what they print; an absent one fails.
type answers map[string]string

func (a answers) run(_ context.Context, name string, _ ...string) ([]byte, error) {
	if text, ok := a[name]; ok {
		return []byte(text), nil
	}
	return nil, errors.New("not found")
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestReadBoot(t *testing.T) {
	a := answers{"systemctl": fixture(t, "show-uefi.txt"), "systemd-analyze": fixture(t, "analyze-uefi.txt")}
	got, err := ReadBoot(t.Context(), Sources{Root: booted(t, fixture(t, "kmsg.txt")), Command: a.run}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if got.Kind != BootKind || got.Time != "2026-01-02T12:00:00Z" || got.BootedAt != "2023-11-14T22:13:20Z" ||
		got.BootID != "01234567-89ab-4def-8123-456789abcdef" {
		t.Errorf("identity = %q, %q, %q, %q", got.Kind, got.Time, got.BootedAt, got.BootID)
	}
	if got.Source != fromShow || got.Total == nil || *got.Total != 19.03575 || got.Target == nil || got.Target.Name != "graphical.target" {
		t.Errorf("phases = %+v, target %+v", got.Phases, got.Target)
	}
	if k := got.KernelLog; k == nil || !k.Complete || k.Source != "/dev/kmsg" || len(k.Controllers) != 2 || len(k.Mounts) != 3 {
		t.Errorf("kernel log = %+v, %s", got.KernelLog, got.KernelLogError)
	}
}

// TestBootSources: each source stands in for the one before it.
func TestBootSources(t *testing.T) {
	overwritten := strings.SplitAfterN(fixture(t, "kmsg.txt"), "\n", 3)[2]
	tests := []struct {
		name        string
		kmsg        string
		answers     answers
		phases, log string
		complete    bool
	}{
		{"no systemctl", fixture(t, "kmsg.txt"), answers{"systemd-analyze": fixture(t, "analyze-bios.txt")}, fromAnalyze, "/dev/kmsg", true},
		{"systemctl without answer", fixture(t, "kmsg.txt"),
			answers{"systemctl": "\n", "systemd-analyze": fixture(t, "analyze-bios.txt")}, fromAnalyze, "/dev/kmsg", true},
		{"only systemctl", "", answers{"systemctl": fixture(t, "show-bios.txt")}, fromShow, "", false},
		{"journal for an overwritten log", overwritten,
			answers{"systemctl": fixture(t, "show-bios.txt"), "journalctl": fixture(t, "journal.txt")}, fromShow, "journalctl", true},
		{"overwritten log without a journal", overwritten, answers{"systemctl": fixture(t, "show-bios.txt")}, fromShow, "/dev/kmsg", false},
		{"empty journal", "", answers{"systemctl": fixture(t, "show-bios.txt"), "journalctl": "", "dmesg": fixture(t, "dmesg.txt")}, fromShow, "dmesg", false},
	}
	for _, tt := range tests {
		got, err := ReadBoot(t.Context(), Sources{Root: booted(t, tt.kmsg), Command: tt.answers.run}, time.Time{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got.Source != tt.phases || got.Time != "" {
			t.Errorf("%s: phases from %q, want %q", tt.name, got.Source, tt.phases)
		}
		if tt.log == "" {
			if got.KernelLog != nil || got.KernelLogError == "" {
				t.Errorf("%s: kernel log %+v, want none with a reason", tt.name, got.KernelLog)
			}
			continue
		}
		if got.KernelLog == nil || got.KernelLog.Source != tt.log || got.KernelLog.Complete != tt.complete {
			t.Errorf("%s: kernel log %+v (%s), want from %q, complete %v", tt.name, got.KernelLog, got.KernelLogError, tt.log, tt.complete)
		}
	}
}

func TestReadBootErrors(t *testing.T) {
	root := booted(t, "")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name    string
		ctx     context.Context
		root    string
		answers answers
		want    error
	}{
		{"no systemd", t.Context(), t.TempDir(), nil, ErrNoSystemd},
		{"unfinished", t.Context(), root, answers{"systemctl": fixture(t, "show-unfinished.txt")}, ErrBootUnfinished},
		{"no answer", t.Context(), root, nil, ErrBootUnknown},
		{"nonsense", t.Context(), root, answers{"systemctl": "x", "systemd-analyze": "y"}, ErrBootUnknown},
		{"context", ended, root, answers{"systemctl": fixture(t, "show-bios.txt")}, context.Canceled},
	}
	for _, tt := range tests {
		got, err := ReadBoot(tt.ctx, Sources{Root: tt.root, Command: tt.answers.run}, noon)
		if !errors.Is(err, tt.want) || got != nil {
			t.Errorf("%s: %+v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

// TestThisHost reads the boot of the host, which has systemd or says that it
// has none.
func TestThisHost(t *testing.T) {
	got, err := ReadBoot(t.Context(), Sources{}, noon)
	switch {
	case err == nil && got.Userspace == nil:
		t.Errorf("boot without a userspace: %+v", got)
	case err != nil && !errors.Is(err, ErrNoSystemd) && !errors.Is(err, ErrBootUnfinished) && !errors.Is(err, ErrBootUnknown):
		t.Errorf("unexpected error: %v", err)
	}
}

func TestRunCommand(t *testing.T) {
	got, err := runCommand(t.Context(), "sh", "-c", "echo $LC_ALL; echo noise >&2")
	if err != nil || string(got) != "C\n" {
		t.Errorf("runCommand = %q, %v, want C", got, err)
	}
	if _, err := runCommand(t.Context(), "sh", "-c", "echo why >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "exit status 3: why") {
		t.Errorf("a failure: %v, want its status and complaint", err)
	}
	if _, err := runCommand(t.Context(), "no-such-program-here"); err == nil {
		t.Error("a program that is not there has run")
	}
}
