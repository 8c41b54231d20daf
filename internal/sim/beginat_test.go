package sim

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// TestBeginAt checks that accesses that are under way at once end together, and
// that they move what ReadAt and WriteAt move.
func TestBeginAt(t *testing.T) {
	d := open(t, "optane-905p?read_latency=50ms&write_latency=50ms")
	want := bytes.Repeat([]byte{0xA5}, 4096)
	start := time.Now()
	n, written, err := d.BeginAt(true, want, 8192)
	if n != 4096 || err != nil {
		t.Fatalf("write: %d, %v", n, err)
	}
	got := make([]byte, 4096)
	n, read, err := d.BeginAt(false, got, 8192)
	if n != 4096 || err != nil || !bytes.Equal(got, want) {
		t.Fatalf("read: %d, %v, data equal: %t", n, err, bytes.Equal(got, want))
	}
	for name, end := range map[string]time.Time{"write": written, "read": read} {
		// The latency of one access varies around its median.
		if took := end.Sub(start); took < 20*time.Millisecond {
			t.Errorf("%s ends after %v, want about 50 ms", name, took)
		}
	}
	if _, _, err := d.BeginAt(false, got, d.Size()); err != io.EOF {
		t.Errorf("behind the end: %v, want %v", err, io.EOF)
	}
	if _, _, err := d.BeginAt(true, got, -4096); err != io.EOF {
		t.Errorf("before the start: %v, want %v", err, io.EOF)
	}
}

func TestBeginAtErrors(t *testing.T) {
	worn := open(t, "nand-worn?write_latency=1us")
	var refused *nvme.CommandError
	if n, _, err := worn.BeginAt(true, make([]byte, 4096), 0); n != 0 || !errors.As(err, &refused) || refused.Command != "Write" {
		t.Errorf("write to a drive that is read-only: %d, %v, want an error of the command", n, err)
	}
	dead := open(t, "dead")
	page := make([]byte, 512)
	_, _, beginErr := dead.BeginAt(false, page, 0)
	_, readErr := dead.ReadAt(page, 0)
	if beginErr == nil || readErr == nil || beginErr.Error() != readErr.Error() {
		t.Errorf("of a dead drive: %v, ReadAt says %v", beginErr, readErr)
	}
	closed, err := Open("optane-905p")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	if _, _, err := closed.BeginAt(false, page, 0); !errors.Is(err, errClosed) {
		t.Errorf("of a closed drive: %v, want %v", err, errClosed)
	}
}

// TestBeginAtWithFaults checks that a fault script is obeyed.
func TestBeginAtWithFaults(t *testing.T) {
	d := open(t, "optane-905p?read_latency=1us")
	d.trace = func(*nvme.Command) {}
	got := make([]byte, 4096)
	n, end, err := d.BeginAt(false, got, 0)
	if n != len(got) || err != nil || time.Until(end) > 0 {
		t.Errorf("%d, ends in %v, %v", n, time.Until(end), err)
	}
	n, end, err = d.BeginAt(true, got, 0)
	if n != len(got) || err != nil || time.Until(end) > 0 {
		t.Errorf("write: %d, ends in %v, %v", n, time.Until(end), err)
	}
}
