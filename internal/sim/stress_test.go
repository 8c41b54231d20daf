package sim

import (
	"context"
	"sync"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// TestEverythingAtOnce lets readers and writers run against a drive that is
// formatted, sanitized, reset and rebuilt meanwhile. Every command must be
// answered, with one of the statuses that this can cause.
func TestEverythingAtOnce(t *testing.T) {
	d, _ := instantOf(t, nandModern(), nil)
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	allowed := map[nvme.Status]bool{
		nvme.StatusSuccess: true, nvme.StatusSanitizeInProgress: true, nvme.StatusFormatInProgress: true,
		nvme.StatusInvalidField: true, nvme.StatusLBAOutOfRange: true, nvme.StatusDataSGLLengthInvalid: true,
		nvme.StatusNamespaceNotAttached: true, nvme.StatusNamespaceAlreadyAttached: true, nvme.StatusSelfTestInProgress: true,
		nvme.StatusCommandSequenceError: true,
	}
	var wg sync.WaitGroup
	repeat := func(do func(i int)) {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				do(i)
			}
		})
	}
	try := func(cmd *nvme.Command) {
		c, err := d.Submit(ctx, cmd)
		if err == nil && !allowed[c.Status.Code()] {
			t.Errorf("%s: %v", nvme.OpcodeName(cmd.Queue, cmd.Opcode), c.Status)
		}
	}
	repeat(func(i int) { try(ioCmd(nvme.IORead, 1, uint64(i%64)*8, 1, 4096)) })
	repeat(func(i int) { try(ioCmd(nvme.IOWrite, 1, uint64(i%64)*8, 1, 4096)) })
	repeat(func(i int) { try(ioCmd(nvme.IORead, 2, uint64(i%64)*8, 1, 4096)) })
	repeat(func(i int) { try(dsmCmd(attributeDeallocate, [2]uint64{uint64(i % 64), 100})) })
	repeat(func(i int) { d.ReadAt(make([]byte, 8192), int64(i%64)*512) })
	repeat(func(i int) { d.WriteAt(make([]byte, 8192), int64(i%64)*512) })
	repeat(func(i int) { try(formatCmd(1, uint32(i%2), uint32(i%3))) })
	repeat(func(int) {
		try(createCmd(1024, 1024, 0))
		try(attachCmd(2, 0, 1, 0))
		try(attachCmd(2, 1, 1, 0))
		try(deleteCmd(2))
	})
	repeat(func(i int) { try(sanitizeCmd(actionBlock + uint32(i%3))); time.Sleep(time.Millisecond) })
	repeat(func(int) { d.Reset(); d.PowerCycle(); d.Shutdown(); d.SubsystemReset(); time.Sleep(time.Millisecond) })
	repeat(func(int) { try(testCmd(0, testExtended)); try(logCmd(nvme.LIDSMART, all, 512)); d.Sysfs() })
	repeat(func(int) { events(d); d.Size(); d.BlockBytes(); time.Sleep(time.Millisecond) })
	wg.Wait()
	if got := d.controller.room.left.Load(); got > MaxWrittenBytes/pageBytes {
		t.Errorf("more room than there was: %d pages", got)
	}
}

// TestRoomComesBack checks that erases and deletions lose no room for written
// data, in the long run.
func TestRoomComesBack(t *testing.T) {
	d := modern(t, nil)
	for i := range 50 {
		accept(t, d, writeCmd(uint64(i)*8, 8, 1))
		accept(t, d, createCmd(1024, 1024, 0))
		accept(t, d, attachCmd(2, 0, 1, 0))
		accept(t, d, with(writeCmd(0, 8, 1), func(c *nvme.Command) { c.NSID = 2 }))
		accept(t, d, deleteCmd(2))
		switch i % 3 {
		case 0:
			accept(t, d, formatCmd(1, 0, eraseUser))
		case 1:
			accept(t, d, sanitizeCmd(actionCrypto))
			accept(t, d, identifyCmd(nvme.CNSController, 0))
		case 2:
			accept(t, d, dsmCmd(attributeDeallocate, [2]uint64{0, 4096}))
		}
	}
	if got := d.controller.room.left.Load() * pageBytes; got < MaxWrittenBytes-2*pageBytes {
		t.Errorf("room for %d bytes, want about %d", got, MaxWrittenBytes)
	}
}
