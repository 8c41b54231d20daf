package sata

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestForms sends every command in both forms of the pass-through command and
// with both formats of sense data.
func TestForms(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		for _, no16 := range []bool{false, true} {
			f := healthyDrive(t)
			f.fixed, f.no16 = fixed, no16
			d := f.open(nil)
			id, err := d.Identify(t.Context())
			if err != nil || id.Serial != "SERIAL-0001" {
				t.Fatalf("fixed %t, no16 %t: identity %+v, %v", fixed, no16, id, err)
			}
			if s, err := d.Status(t.Context()); err != nil || s != StatusPassed {
				t.Errorf("fixed %t, no16 %t: status %q, %v", fixed, no16, s, err)
			}
			// One command in vain finds out that the longer form is not known.
			want := Footprint{Commands: 2}
			if no16 {
				want = Footprint{Commands: 3, Refused: 1}
			}
			if diff := cmp.Diff(want, d.Footprint()); diff != "" {
				t.Errorf("fixed %t, no16 %t: footprint (-want +got):\n%s", fixed, no16, diff)
			}
		}
	}
}

func TestNeitherForm(t *testing.T) {
	f := healthyDrive(t)
	f.no16, f.no12 = true, true
	d := f.open(nil)
	_, err := d.Identify(t.Context())
	if !errors.Is(err, ErrNotTranslated) || !strings.Contains(err.Error(), "invalid command operation code") {
		t.Errorf("got %v, want ErrNotTranslated and the reason", err)
	}
	if d.only12.Load() {
		t.Error("a form that did not work is remembered")
	}
}

func TestUnitAttention(t *testing.T) {
	f := healthyDrive(t)
	f.attention = 1
	d := f.open(nil)
	if _, err := d.Identify(t.Context()); err != nil {
		t.Errorf("one unit attention: %v", err)
	}
	if got := d.Footprint(); got != (Footprint{Commands: 2}) {
		t.Errorf("footprint: %+v", got)
	}
	f.attention = 2
	if _, err := d.Identify(t.Context()); !errors.Is(err, ErrNotReady) {
		t.Errorf("two unit attentions: got %v, want ErrNotReady", err)
	}
}

// TestFailures gives an answer of each kind and checks the name of the error.
func TestFailures(t *testing.T) {
	sense := func(k, asc, ascq byte, r *Registers) func(*reply) {
		return func(to *reply) {
			*to = reply{status: statusCheck, driver: 8, sense: descriptorSense(k, asc, ascq, r)}
		}
	}
	tests := []struct {
		name string
		set  func(*reply)
		want error
		text string
	}{
		{"aborted with registers", sense(0xB, 0, 0, &Registers{Status: 0x51, Error: 0x04}), ErrAborted, "aborted command, additional sense 00h/00h, status 51h, error 04h"},
		{"aborted without registers", sense(0xB, 0, 0, nil), ErrAborted, "aborted command"},
		{"error told as success", sense(0x1, 0, 0x1D, &Registers{Status: 0x51, Error: 0x04}), ErrAborted, "ATA pass-through information available"},
		{"device fault", sense(0x1, 0, 0x1D, &Registers{Status: 0x71, Error: 0x04}), ErrIO, "status 71h"},
		{"uncorrectable", sense(0x3, 0x11, 0, &Registers{Status: 0x51, Error: 0x40}), ErrIO, "medium error"},
		{"hardware error", sense(0x4, 0x44, 0, nil), ErrIO, "hardware error"},
		{"invalid field", sense(0x5, 0x24, 0, nil), ErrNotTranslated, "invalid field"},
		{"not ready", sense(0x2, 0x04, 0x02, nil), ErrNotReady, "needs to be started"},
		{"no medium", sense(0x2, 0x3A, 0, nil), ErrNotReady, "medium not present"},
		{"reserved key", sense(0xC, 0, 0, nil), ErrIO, "reserved"},
		{"time-out of the host", func(r *reply) { *r = reply{host: 3} }, ErrTimeout, "time-out"},
		{"time-out of the driver", func(r *reply) { *r = reply{driver: 6} }, ErrTimeout, ""},
		{"no connection", func(r *reply) { *r = reply{host: 1} }, ErrGone, "no connection"},
		{"bad target", func(r *reply) { *r = reply{host: 4} }, ErrGone, "bad target"},
		{"adapter error", func(r *reply) { *r = reply{host: 7} }, ErrIO, "adapter error"},
		{"unknown host code", func(r *reply) { *r = reply{host: 77} }, ErrIO, "code 77"},
		{"busy", func(r *reply) { *r = reply{status: 8} }, ErrNotReady, "busy"},
		{"reservation", func(r *reply) { *r = reply{status: 0x18} }, ErrIO, "reservation conflict"},
		{"check without sense", func(r *reply) { *r = reply{status: 2} }, ErrIO, "check condition"},
		{"unknown sense", func(r *reply) { *r = reply{status: 2, sense: []byte{0x7F, 0, 0, 0}} }, ErrIO, "unknown response code"},
		{"nothing came", func(r *reply) { r.data = nil }, ErrShort, "0 bytes of 512"},
		{"half came", func(r *reply) { r.data = r.data[:256] }, ErrShort, "256 bytes of 512"},
		{"zeros came", func(r *reply) { r.data = make([]byte, 512) }, ErrEmptyPage, ""},
	}
	for _, tt := range tests {
		f := healthyDrive(t)
		f.override = tt.set
		_, err := f.open(nil).Identify(t.Context())
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v, want %v with %q", tt.name, err, tt.want, tt.text)
		}
	}
}

func TestErrno(t *testing.T) {
	for _, tt := range []struct {
		errno unix.Errno
		want  error
	}{
		{unix.ENOTTY, ErrNotDisk}, {unix.EINVAL, ErrNotDisk}, {unix.ENODEV, ErrGone}, {unix.ENXIO, ErrGone},
		{unix.ETIMEDOUT, ErrTimeout}, {unix.EIO, ErrIO}, {unix.EPERM, fs.ErrPermission}, {unix.EACCES, fs.ErrPermission},
	} {
		f := healthyDrive(t)
		f.errno = tt.errno
		d := f.open(nil)
		_, err := d.Identify(t.Context())
		if !errors.Is(err, tt.want) || !errors.Is(err, tt.errno) {
			t.Errorf("%v: got %v, want %v", tt.errno, err, tt.want)
		}
	}
}

// TestNotATA checks that disks that cannot take ATA commands get none.
func TestNotATA(t *testing.T) {
	f := healthyDrive(t)
	for _, h := range []*Host{
		{Disk: "sda", Transport: TransportUSB, USB: &USB{Behind: BehindNVMe}},
		{Disk: "sda", Transport: TransportSAS, Vendor: "SEAGATE"},
		{Disk: "sda", Transport: TransportVirtio, Vendor: "QEMU"},
	} {
		d := f.open(h)
		if _, err := d.Identify(t.Context()); !errors.Is(err, ErrNotATA) {
			t.Errorf("%s: got %v, want ErrNotATA", h.Transport, err)
		}
		if got := d.Footprint(); got.Commands != 0 {
			t.Errorf("%s: %d commands sent", h.Transport, got.Commands)
		}
	}
	if len(f.commands) != 0 {
		t.Errorf("the drive got %q", f.commands)
	}
}

func TestContext(t *testing.T) {
	d := healthyDrive(t).open(nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Identify(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := d.Identify(past); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("past deadline: %v", err)
	}
	if got := d.Footprint(); got != (Footprint{}) {
		t.Errorf("footprint: %+v", got)
	}
}

func TestTimeout(t *testing.T) {
	if ms, err := timeoutMS(t.Context()); err != nil || ms != uint32(DefaultTimeout/time.Millisecond) {
		t.Errorf("no deadline: %d ms, %v", ms, err)
	}
	near, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if ms, err := timeoutMS(near); err != nil || ms < 3_599_000 || ms > 3_600_000 {
		t.Errorf("an hour: %d ms, %v", ms, err)
	}
	far, cancel := context.WithTimeout(t.Context(), 1<<62)
	defer cancel()
	if ms, err := timeoutMS(far); err != nil || ms != 1<<31-1 {
		t.Errorf("centuries: %d ms, %v", ms, err)
	}
}

func TestClosed(t *testing.T) {
	d := healthyDrive(t).open(nil)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Identify(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want os.ErrClosed", err)
	}
}

// TestOpenRefuses gives Open what is no disk.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		want error
	}{
		{file, ErrNotDisk}, {dir, ErrNotDisk}, {os.DevNull, ErrNotDisk}, {filepath.Join(dir, "absent"), fs.ErrNotExist},
	} {
		d, err := Open(tt.path)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.path, err, tt.want)
		}
		if err == nil {
			d.Close()
		}
	}
}

func TestOpenDiskChecksNode(t *testing.T) {
	if _, err := openDisk(os.DevNull, &Host{number: "8:0"}); !errors.Is(err, ErrNotDisk) {
		t.Errorf("a character device in the place of the disk: %v", err)
	}
	if err := openFailure(&fs.PathError{Op: "open", Path: "/dev/sda", Err: unix.ENXIO}); !errors.Is(err, ErrGone) {
		t.Errorf("ENXIO: %v", err)
	}
	if err := openFailure(fs.ErrPermission); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("permission: %v", err)
	}
}

func TestStatus(t *testing.T) {
	tests := []struct {
		name      string
		mid, high uint8
		want      Status
		err       error
	}{
		{"good", 0x4F, 0xC2, StatusPassed, nil},
		{"exceeded", 0xF4, 0x2C, StatusFailed, nil},
		{"zeros of a bridge", 0, 0, "", ErrUnknownStatus},
		{"half", 0x4F, 0x2C, "", ErrUnknownStatus},
	}
	for _, tt := range tests {
		f := healthyDrive(t)
		f.status = Registers{Status: 0x50, LBAMid: tt.mid, LBAHigh: tt.high}
		got, err := f.open(nil).Status(t.Context())
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
	f := healthyDrive(t)
	f.override = func(r *reply) { *r = reply{} }
	if _, err := f.open(nil).Status(t.Context()); !errors.Is(err, ErrNoRegisters) {
		t.Errorf("no registers: %v", err)
	}
}

func TestStatisticsNeedTheDirectory(t *testing.T) {
	d := healthyDrive(t).open(nil)
	if _, err := d.Statistics(t.Context(), &Directory{}); !errors.Is(err, ErrAborted) {
		t.Errorf("no such log: %v", err)
	}
	if d.Footprint().Commands != 0 {
		t.Error("a command was sent for a log that does not exist")
	}
	dir, err := d.Directory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Statistics(t.Context(), dir)
	if err != nil || s.PercentageUsed == nil || *s.PercentageUsed != 7 {
		t.Errorf("statistics: %+v, %v", s, err)
	}
	if d.Path() != "/dev/sda" {
		t.Errorf("path: %q", d.Path())
	}
}
