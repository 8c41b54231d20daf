package sim

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// FuzzLayers does any sequence of writes, erases that leave something, honest
// ones and losses of power with a store, and compares it with plain bytes.
func FuzzLayers(f *testing.F) {
	f.Add([]byte{0, 1, 9, 1, 0x55, 0, 2, 3, 2, 1, 0xFF, 0, 7, 1, 1, 0})
	f.Add([]byte{1, 0xF0, 0, 5, 60, 1, 0x0F, 3, 0, 5, 2, 1, 0xAA, 0, 0, 64})
	f.Fuzz(func(t *testing.T, ops []byte) {
		const pages, size = 8, 8 * pageBytes
		r := newRoom()
		s := newStoreIn(size, newGenerator(1), r)
		want := make([]byte, size)
		s.readAt(want, 0)
		for seed := uint64(2); len(ops) >= 3; ops = ops[3:] {
			off := int(ops[1]) * unitBytes % size
			switch ops[0] % 4 {
			case 0: // A write.
				p := bytes.Repeat([]byte{ops[2]}, min(int(ops[2])*unitBytes/8+1, size-off))
				if err := s.writeAt(p, int64(off)); err != nil {
					t.Fatal(err)
				}
				copy(want[off:], p)
			case 1, 2: // An erase that leaves the pages of a mask; without any it is honest.
				mask := ops[1]
				next := newStoreIn(size, newGenerator(seed), r)
				if mask != 0 {
					next.over(s, func(page int64) bool { return mask>>page&1 != 0 })
				}
				next.leave(s)
				for page := range pages {
					if mask>>page&1 == 0 {
						next.generate(want[page*pageBytes:][:pageBytes], int64(page)*pageBytes)
					}
				}
				s, seed = next, seed+1
			case 3:
				first := int64(ops[1] % pages)
				s.mu.Lock()
				s.clearPages(first, first+1)
				s.mu.Unlock()
				clear(want[first*pageBytes:][:pageBytes])
			}
			got := make([]byte, size-off)
			s.readAt(got, int64(off))
			if !bytes.Equal(got, want[off:]) {
				t.Fatalf("after operation % x the store differs", ops[:3])
			}
		}
		s.release()
		if got := r.left.Load(); got != MaxWrittenBytes/pageBytes {
			t.Errorf("room for %d pages in the end", got)
		}
	})
}

// TestLiesAtOnce lets readers and writers run against a drive that lies, loses
// its power and is reset meanwhile.
func TestLiesAtOnce(t *testing.T) {
	d, _ := liar(t, nandModern(), `{"do":"power-loss","percent":10,"times":5,"when":{"after_count":7}}
		{"do":"leave-unread","times":10}
		{"do":"leave-recent","times":10,"when":{"opcode":128}}
		{"do":"leave-scattered","ppm":500000,"times":10}
		{"when":{"queue":"io","opcode":2,"after_count":20},"do":"old-data","times":100}
		{"do":"reset","percent":99,"times":5}`, func(p *personality) { p.override.namespaces = 2 })
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	var wg sync.WaitGroup
	for _, do := range []func(i uint64){
		func(i uint64) { d.Submit(ctx, ioCmd(nvme.IORead, 1, i%200*8, 8, 4096)) },
		func(i uint64) { d.Submit(ctx, ioCmd(nvme.IOWrite, 1, i%200*8, 8, 4096)) },
		func(i uint64) { d.ReadAt(make([]byte, 8192), int64(i%200)*512) },
		func(i uint64) { d.WriteAt(make([]byte, 8192), int64(i%200)*512) },
		func(i uint64) { d.Submit(ctx, formatCmd(1, 0, uint32(1+i%2))) },
		func(i uint64) { d.Submit(ctx, sanitizeCmd(actionBlock)); time.Sleep(time.Millisecond) },
		func(uint64) { d.Reset(); d.PowerCycle(); time.Sleep(time.Millisecond) },
		func(uint64) { d.Sysfs(); d.Size(); events(d); time.Sleep(time.Millisecond) },
	} {
		wg.Go(func() {
			for i := uint64(0); ctx.Err() == nil; i++ {
				do(i)
			}
		})
	}
	wg.Wait()
	d.faults = nil
	for range 2 {
		if s := submit(t, d, formatCmd(1, 0, eraseUser)).Status; !s.OK() && s.Code() != nvme.StatusSanitizeInProgress {
			t.Errorf("an honest format in the end: %v", s)
		}
	}
}

// TestFormatThenDelete deletes a namespace on a drive on which every command
// waits for a format of it: nothing of its room is lost.
func TestFormatThenDelete(t *testing.T) {
	d, now := instantOf(t, nandModern(), func(p *personality) {
		p.work.formatErase, p.formatAnswers = 100*time.Second, false
	})
	room := d.controller.room.left.Load()
	accept(t, d, writeCmd(0, 8, 1))
	d.controller.begin(formatCmd(1, 0, eraseUser))
	d.controller.begin(writeCmd(8, 8, 1))
	d.controller.begin(deleteCmd(1))
	*now = now.Add(100 * time.Second)
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	if got := d.controller.room.left.Load(); got != room {
		t.Errorf("room for %d pages, want %d", got, room)
	}
}

// TestLiesOfCaptured has a captured drive with another identity, two namespaces
// and a lie, which then is a ghost.
func TestLiesOfCaptured(t *testing.T) {
	d, err := FromPages(samsung(t), "serial=COPY&namespaces=2&size=4194304&speed=1000000")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if id := identityOf(t, d); id.SerialNumber.String() != "COPY" || id.NN < 2 {
		t.Errorf("serial %q, NN %d", id.SerialNumber, id.NN)
	}
	a, b := namespaceOf(t, d, 1), namespaceOf(t, d, 2)
	if a.NSZE*512 != 2<<20 || b.NSZE != a.NSZE || a.EUI64 == b.EUI64 && !a.EUI64.IsZero() {
		t.Errorf("%d and %d blocks, %v and %v", a.NSZE, b.NSZE, a.EUI64, b.EUI64)
	}
	d.WithFaults(NewFaults(Fault{Do: DoAllNamespaces, Times: 1}, Fault{Do: DoGhost, Times: 1, When: When{Opcode: number[uint8](nvme.AdminFormatNVM)}}))
	before := sibling(t, d)
	accept(t, d, formatCmd(1, 0, eraseUser))
	if bytes.Equal(sibling(t, d), before) {
		t.Error("the other namespace is as it was")
	}
	if _, err := d.Submit(t.Context(), formatCmd(1, 0, eraseUser)); err == nil {
		t.Error("no loss of power")
	}
	checkGhost(t, d, identityOf(t, d).SerialNumber)
}
