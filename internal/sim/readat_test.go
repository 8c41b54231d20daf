package sim

import (
	"errors"
	"io"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// TestReadAtErrors checks what a reader sees of what the drive refuses, and
// that the error log has it too.
func TestReadAtErrors(t *testing.T) {
	d, now := instantOf(t, nandModern(), func(p *personality) { p.work.blockErase = 10 * time.Second })
	buf := make([]byte, 4096)
	accept(t, d, ioCmd(nvme.IOWriteUncorrectable, 1, 5, 1, 0))
	_, err := d.ReadAt(buf, 0)
	var refused *nvme.CommandError
	if !errors.As(err, &refused) || refused.Command != "Read" || refused.NSID != 1 || refused.Status.Code() != nvme.StatusUnrecoveredReadError || !refused.Status.DNR() {
		t.Errorf("a block that cannot be read: %v", err)
	}
	if log := errorLogOf(t, d); len(log) != 1 || log[0].LBA != 5 || log[0].NSID != 1 || log[0].SQID != 1 {
		t.Errorf("error log %+v", log)
	}
	accept(t, d, sanitizeCmd(actionBlock))
	for name, access := range map[string]func([]byte, int64) (int, error){"ReadAt": d.ReadAt, "WriteAt": d.WriteAt} {
		if n, err := access(buf, 8192); n != 0 || !errors.Is(err, nvme.StatusSanitizeInProgress) {
			t.Errorf("%s during a sanitize: %d, %v", name, n, err)
		}
	}
	*now = now.Add(10 * time.Second)
	if _, err := d.ReadAt(buf, 0); err != nil {
		t.Errorf("after the sanitize: %v", err)
	}
	accept(t, d, attachCmd(1, 1, 1, 0))
	if n, err := d.ReadAt(buf, 0); n != 0 || err != io.EOF {
		t.Errorf("without a namespace: %d, %v, want 0, EOF", n, err)
	}
}

// TestFirstNamespace checks which namespace readers and writers get.
func TestFirstNamespace(t *testing.T) {
	d := twoNamespaces(t, nil)
	if d.Size() != modernFirst {
		t.Errorf("size %d, want that of namespace 1", d.Size())
	}
	accept(t, d, attachCmd(1, 1, 1, 0))
	if d.Size() != 1<<20 {
		t.Errorf("size %d, want that of namespace 2", d.Size())
	}
	buf := make([]byte, 1)
	if _, err := d.ReadAt(buf, 0); err != nil || buf[0] != 3 {
		t.Errorf("byte %d, %v, want that of namespace 2", buf[0], err)
	}
}

// TestHeldAccess checks that a reader waits for a drive that answers nothing
// while it formats.
func TestHeldAccess(t *testing.T) {
	d := open(t, "optane-905p?speed=4000") // User data erase takes about 109 ms.
	begin := time.Now()
	if c, _ := d.Begin(formatCmd(1, 0, eraseUser)); c.Status != 0 {
		t.Fatal(c.Status)
	}
	buf := make([]byte, 512)
	if _, err := d.ReadAt(buf, 0); err != nil {
		t.Fatal(err)
	}
	if got := time.Since(begin); got < 100*time.Millisecond {
		t.Errorf("a read came back %v after the format began, want after 109 ms", got)
	}
	if zero, _ := nvme.IsBlankPage(buf); !zero {
		t.Error("a read that waited for a format has old data")
	}
}

// TestEndWithoutCommand checks that the end of a format is reported though
// nobody asks.
func TestEndWithoutCommand(t *testing.T) {
	d := open(t, "nand-modern?speed=1000") // User data erase takes 20 ms.
	accept(t, d, setCmd(nvme.FIDAsynchronousEvents, reportNamespaceChanged))
	if c, _ := d.Begin(formatCmd(1, 0, eraseUser)); c.Status != 0 {
		t.Fatal(c.Status)
	}
	select {
	case e := <-d.Events():
		if e.LID != nvme.LIDChangedNamespaces {
			t.Errorf("event %+v, want that a namespace changed", e)
		}
	case <-time.After(5 * time.Second):
		t.Error("no event")
	}
}
