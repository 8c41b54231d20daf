package sim

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestOldData has a drive that gives old data after an erase: to the first
// reads, for a time, to reads of one length, and always.
func TestOldData(t *testing.T) {
	d, _ := liar(t, nandModern(), `{"do":"old-data","times":2}`, nil)
	before := blocks(t, d, 16, 8)
	accept(t, d, formatCmd(1, 0, eraseUser))
	for i, old := range []bool{true, true, false, false} {
		if got := bytes.Equal(blocks(t, d, 16, 8), before); got != old {
			t.Errorf("read %d gives old data: %v, want %v", i, got, old)
		}
	}
	d, now := liar(t, nandModern(), `{"do":"old-data","ms":5000}`, nil)
	accept(t, d, formatCmd(1, 0, eraseUser))
	for i, old := range []bool{true, true, false} {
		if got := bytes.Equal(blocks(t, d, 16, 8), before); got != old {
			t.Errorf("after %d s: old data: %v, want %v", 5*i, got, old)
		}
		*now = now.Add(5 * time.Second)
	}
	d, _ = liar(t, nandModern(), `{"when":{"blocks":8},"do":"old-data"}`, nil)
	accept(t, d, sanitizeCmd(actionCrypto))
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	p := make([]byte, 8192)
	if _, err := d.ReadAt(p, 8192); err != nil || bytes.Equal(p[:4096], before) {
		t.Errorf("a read of 16 blocks gives old data, %v", err)
	}
	for range 3 {
		if !bytes.Equal(blocks(t, d, 16, 8), before) {
			t.Error("a read of 8 blocks gives new data")
		}
		if _, err := d.ReadAt(p[:4096], 8192); err != nil || !bytes.Equal(p[:4096], before) {
			t.Errorf("ReadAt of 8 blocks gives new data, %v", err)
		}
	}
}

// TestOldDataOfWritten checks that blocks that were written since the erase are
// new ones, also if they are zeroes, and that each erase has its own old data.
func TestOldDataOfWritten(t *testing.T) {
	d, _ := liar(t, optane905P(), `{"do":"old-data"}`, nil)
	room := d.controller.room.left.Load()
	accept(t, d, writeCmd(0, 8, 1))
	if got := blocks(t, d, 0, 1); got[0] != 1 {
		t.Errorf("before an erase: %d", got[0])
	}
	accept(t, d, formatCmd(1, 0, eraseUser))
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	if got := blocks(t, d, 0, 1); got[0] != 1 {
		t.Errorf("after an erase: %d, want the old data", got[0])
	}
	accept(t, d, writeCmd(0, 8, 2))
	accept(t, d, writeCmd(8, 8, 0))
	if got := blocks(t, d, 0, 16); got[0] != 2 || got[4096] != 0 {
		t.Errorf("after a write: %d and %d", got[0], got[4096])
	}
	accept(t, d, formatCmd(1, 0, eraseUser))
	if got := blocks(t, d, 0, 1); got[0] != 2 {
		t.Errorf("after another erase: %d, want what it erased", got[0])
	}
	for range 2 {
		accept(t, d, formatCmd(1, 0, eraseUser))
		accept(t, d, identifyCmd(nvme.CNSController, 0))
	}
	if got := d.controller.room.left.Load(); got != room {
		t.Errorf("room for %d pages, want %d: only one erase is kept", got, room)
	}
	// What is refused has no old data.
	cmd := ioCmd(nvme.IORead, 1, smallPages*8-1, 8, 4096)
	reject(t, d, cmd, nvme.StatusLBAOutOfRange)
	if !allZero(cmd.Data) {
		t.Error("a read that was refused has data")
	}
}

// TestTraceOfDrive checks that each command is told of, those of ReadAt and
// WriteAt too.
func TestTraceOfDrive(t *testing.T) {
	for _, script := range []string{``, `{"when":{"opcode":6},"do":"status","status":6}`} {
		d, _ := liar(t, optane905P(), script, nil)
		var told []nvme.Command
		d.WithTrace(func(cmd *nvme.Command) {
			c := *cmd
			c.Data = nil
			told = append(told, c)
		})
		submit(t, d, identifyCmd(nvme.CNSController, 0))
		reject(t, d, formatCmd(1, 9, eraseUser), nvme.StatusInvalidFormat)
		d.Begin(writeCmd(8, 8, 1))
		if _, err := d.ReadAt(make([]byte, 100), 1000); err != nil {
			t.Fatal(err)
		}
		if _, err := d.WriteAt(make([]byte, 4096), 4096); err != nil {
			t.Fatal(err)
		}
		want := []nvme.Command{
			{Opcode: nvme.AdminIdentify, CDW10: uint32(nvme.CNSController)},
			{Opcode: nvme.AdminFormatNVM, NSID: 1, CDW10: 9 | eraseUser<<9},
			{Queue: nvme.IOQueue, Opcode: nvme.IOWrite, NSID: 1, CDW10: 8, CDW12: 7},
			{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: 1, CDW10: 1, CDW12: 1},
			{Queue: nvme.IOQueue, Opcode: nvme.IOWrite, NSID: 1, CDW10: 8, CDW12: 7},
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("commands (-want +got):\n%s", diff)
		}
	}
}
