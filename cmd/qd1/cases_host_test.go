package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// TestCase62PermissionDenied holds that without permission the list and the errors
// have what the host knows, and say who may do it.
func TestCase62PermissionDenied(t *testing.T) {
	host := &sysfs.Controller{Name: "nvme0", State: "live", Serial: "SERIAL0001", Model: "MODEL", Firmware: "FW1",
		Namespaces: []sysfs.Namespace{{NSID: 1, Block: "nvme0n1", Bytes: 1 << 40, LBABytes: 512}}}
	for step, err := range map[string]error{
		"open":  permissionHint("/dev/nvme0", &fs.PathError{Op: "open", Path: "/dev/nvme0", Err: syscall.EACCES}),
		"ioctl": nil,
	} {
		open := func(string) (*report.Drive, error) {
			d := &report.Drive{Host: host, Close: func() error { return nil }}
			if err != nil {
				return d, err
			}
			d.Passthru = nvme.PassthruFunc(func(context.Context, *nvme.Command) (nvme.Completion, error) {
				return nvme.Completion{}, &fs.PathError{Op: "admin command 06h", Path: "/dev/nvme0", Err: syscall.EACCES}
			})
			return d, nil
		}
		row := readRows(t.Context(), []string{"nvme0"}, open, time.Second)[0]
		p := row.Problem
		if p == nil || p.Kind != report.KindPermission || !strings.Contains(p.Text, map[string]string{"open": "open", "ioctl": "admin command"}[step]) ||
			!strings.Contains(p.Hint, "root") || !strings.Contains(p.Hint, "CAP_SYS_ADMIN") {
			t.Errorf("%s: %+v", step, p)
		}
		if row.Serial != "SERIAL0001" || row.Model != "MODEL" || row.Firmware != "FW1" || row.State != "live" || row.SizeBytes == nil || *row.SizeBytes != 1<<40 {
			t.Errorf("%s: the row has lost what the host knows: %+v", step, row.Row)
		}
		if row.unknown != nil {
			t.Errorf("%s: %v: a drive without permission is called unknown", step, row.unknown)
		}
	}
}

// TestCase64OneSickDriveCostsItsRow lists a drive that answers, one that hangs for
// two minutes, one that is gone, one that the host gave up on, and one that cannot
// even be opened: the list takes one time-out, in which all are read at once.
func TestCase64OneSickDriveCostsItsRow(t *testing.T) {
	synctest.Test(t, sickDrives)
}

func sickDrives(t *testing.T) {
	healthy := newCaseDrive(t, nil)
	answer := func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		for _, a := range healthy {
			if a.Opcode == cmd.Opcode && a.CDW10&0xFF == cmd.CDW10&0xFF && (a.Opcode != nvme.AdminIdentify || a.NSID == cmd.NSID) {
				copy(cmd.Data, a.Data)
				return nvme.Completion{}, nil
			}
		}
		return nvme.Completion{Status: nvme.StatusInvalidField}, nil
	}
	hang := func(ctx context.Context, _ *nvme.Command) (nvme.Completion, error) {
		select {
		case <-ctx.Done():
			return nvme.Completion{}, ctx.Err()
		case <-time.After(2 * time.Minute):
			return nvme.Completion{}, nil
		}
	}
	gone := func(context.Context, *nvme.Command) (nvme.Completion, error) {
		return nvme.Completion{}, syscall.ENODEV
	}
	drives := map[string]func(context.Context, *nvme.Command) (nvme.Completion, error){"nvme0": answer, "nvme1": hang, "nvme2": gone, "nvme3": nil, "nvme5": answer, "nvme6": hang}
	open := func(name string) (*report.Drive, error) {
		submit, there := drives[name]
		if !there {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		d := drive("live")
		d.Host.Name, d.Host.Serial, d.Close = name, "SERIAL-"+name, func() error { return nil }
		if submit == nil {
			d.Host.State = "dead"
			return d, openNode(d)
		}
		d.Passthru = nvme.PassthruFunc(submit)
		return d, nil
	}
	start := time.Now()
	rows := readRows(t.Context(), []string{"nvme0", "nvme1", "nvme2", "nvme3", "nvme4", "nvme5", "nvme6"}, open, 5*time.Second)
	if took := time.Since(start); took != 5*time.Second {
		t.Errorf("the list took %v, want one time-out of 5 s", took)
	}
	for i, want := range []string{"", "did not answer", "no such device", "given up", "not exist", "", "did not answer"} {
		r := rows[i]
		text := ""
		if r.Problem != nil {
			text = r.Problem.Text
		}
		if r.Controller != fmt.Sprint("nvme", i) || (text == "") != (want == "") || !strings.Contains(text, want) {
			t.Errorf("row %d: %s with %q, want %q", i, r.Controller, text, want)
		}
		if want != "" && i != 4 && r.Serial != "SERIAL-"+r.Controller {
			t.Errorf("row %d has lost the serial number that the host knows: %q", i, r.Serial)
		}
		if want == "" && (r.SizeBytes == nil || *r.SizeBytes != 960197124096 || r.CompositeTemperatureCelsius == nil) {
			t.Errorf("row %d: %+v", i, r.Row)
		}
	}
}

// TestListUses enters what uses the drives of this computer, and leaves it open
// where looking does not come back or fails.
func TestListUses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := func() []row {
			h := &sysfs.Controller{Name: "nvme0", Namespaces: []sysfs.Namespace{{NSID: 1, Block: "nvme0n1", Partitions: []string{"nvme0n1p1"}}}}
			return []row{{Row: report.Row{Controller: "nvme0"}, host: h}, {Row: report.Row{Controller: "sim"}}}
		}
		mounted := inuse.Use{Kind: inuse.Mount, Device: "nvme0n1p1", Name: "/srv"}
		for name, look := range map[string]surveyor{
			"answers": func(context.Context, []string) (*inuse.Survey, error) {
				return &inuse.Survey{Uses: []inuse.Use{mounted}, Unchecked: []string{}}, nil
			},
			"longer than": func(context.Context, []string) (*inuse.Survey, error) { time.Sleep(time.Hour); return nil, nil },
			"no such":     func(context.Context, []string) (*inuse.Survey, error) { return nil, syscall.ENOENT },
		} {
			list, start := rows(), time.Now()
			unchecked := lookForUses(t.Context(), list, look, 5*time.Second)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s: took %v", name, took)
			}
			if found := name == "answers"; (len(unchecked) == 0) != found || !found && !strings.Contains(unchecked[0], name) {
				t.Errorf("%s: unchecked %q", name, unchecked)
			}
			if uses := list[0].InUse; name == "answers" && (len(uses) != 1 || uses[0].Device != "nvme0n1p1") || name != "answers" && uses != nil {
				t.Errorf("%s: uses %+v", name, uses)
			}
			if list[1].InUse != nil {
				t.Errorf("%s: a simulated drive is in use: %+v", name, list[1].InUse)
			}
		}
		time.Sleep(2 * time.Hour) // What hangs comes back at last.
	})
}

// TestCase65PartialResultIsShown holds that the command that measures a file which
// is cut off under it ends with an error and no figure of nothing.
func TestCase65PartialResultIsShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, msg := run(t.Context(), "bench", "--seconds", "1", "-o", "json", file)
	if status == exitDone || strings.Contains(out+msg, "NaN") || msg == "" {
		t.Errorf("status %d, stdout %q, stderr %q", status, out, msg)
	}
}
