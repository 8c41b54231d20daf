package bench

import (
	"bytes"
	"testing"
)

func TestRAM(t *testing.T) {
	e, err := Open(Spec{Job: Job{Engine: EngineRAM}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	mem := alloc(t, 4*ramBytes)
	do := func(offset int64, data []byte, write bool) {
		t.Helper()
		if n, err := e.Submit([]Request{{Offset: offset, Data: data, Buffer: 7, Write: write}}); n != 1 || err != nil {
			t.Fatalf("submit: %d, %v", n, err)
		}
		if v := reapAll(t, e, 1)[0]; v != (Event{Buffer: 7, Bytes: len(data)}) {
			t.Errorf("got %+v", v)
		}
	}
	first, second := mem[:8192], mem[8192:16384]
	do(4096, first, false)
	if isBlank(first[:512]) || isBlank(first[4096:]) {
		t.Error("the memory is blank")
	}
	do(ramBytes+4096, second, false)
	if !bytes.Equal(first, second) {
		t.Error("an offset beyond the area is not its remainder")
	}
	for i := range first {
		first[i] = byte(i * 7)
	}
	do(3*ramBytes-4096, first, true) // Around the end.
	do(ramBytes-4096, second, false)
	if !bytes.Equal(first, second) {
		t.Error("other data than were written")
	}
	do(0, second[:4096], false)
	if !bytes.Equal(first[4096:], second[:4096]) {
		t.Error("the second half is not at the start of the area")
	}
	whole := mem[ramBytes:]
	do(512, whole, false) // Longer than the area.
	if !bytes.Equal(whole[:ramBytes], whole[ramBytes:2*ramBytes]) {
		t.Error("a long read does not go around")
	}
	if n, err := e.Reap(make([]Event, 1), 0); n != 0 || err != nil {
		t.Errorf("nothing in flight: %d, %v", n, err)
	}
}

// TestMemoryEngines runs both engines that do no I/O with several workers.
func TestMemoryEngines(t *testing.T) {
	for _, engine := range []string{EngineNull, EngineRAM} {
		e, err := Open(Spec{Job: Job{Engine: engine}})
		if err != nil {
			t.Fatal(err)
		}
		j := plain(0)
		j.Engine, j.Operations, j.QueueDepth, j.Workers = engine, 1000, 8, 2
		r, err := Run(t.Context(), e, smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Operations != 1000 || r.Errors != 0 || *r.BlankPercent != 0 {
			t.Errorf("%s: %+v", engine, r)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNullWrites: data that are to be written stay as they are.
func TestNullWrites(t *testing.T) {
	e, mem := NewNull(), alloc(t, 512)
	if _, err := e.Submit([]Request{{Data: mem, Write: true}}); err != nil {
		t.Fatal(err)
	}
	if reapAll(t, e, 1); !isBlank(mem) {
		t.Error("the data have changed")
	}
}
