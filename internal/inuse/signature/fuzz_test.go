package signature

import (
	"slices"
	"testing"
	"unicode"
)

// FuzzScan puts two pieces of data onto a disk, anywhere.
func FuzzScan(f *testing.F) {
	add := func(d *disk) {
		var offsets []int64
		for off := range d.pages {
			offsets = append(offsets, off)
		}
		slices.Sort(offsets)
		for i, off := range offsets {
			other := offsets[(i+1)%len(offsets)]
			f.Add(d.get(off, diskPage), uint32(off/512), d.get(other, diskPage), uint32(other/512), uint32(d.size/512), false)
			if i == 2 {
				break
			}
		}
	}
	for name := range recordedWant() {
		add(recorded(f, name))
	}
	for _, fix := range fixtures() {
		d := newDisk(f, 64<<20)
		fix.put(d)
		add(d)
	}
	table := newDisk(f, 64<<20)
	putGPT(table, 512, gptPart{2048, 4095})
	add(table)
	f.Fuzz(func(t *testing.T, one []byte, at uint32, two []byte, also uint32, sectors uint32, large bool) {
		d := newDisk(t, int64(sectors%(1<<24))*512)
		if d.size == 0 {
			return
		}
		block := 512
		if large {
			block, d.size = 4096, (d.size+4095)&^4095
		}
		d.align = int64(block)
		d.put(int64(at)*512%d.size, one).put(int64(also)*512%d.size, two)
		list, err := Scan(t.Context(), d, d.size, block)
		if err != nil && d.read < readLimit-longestRead {
			t.Fatalf("error %v after %d bytes", err, d.read)
		}
		if d.read > readLimit {
			t.Fatalf("read %d bytes", d.read)
		}
		for _, s := range list {
			checkSane(t, s, d.size)
		}
	})
}

// checkSane checks what holds for every signature.
func checkSane(t *testing.T, s Signature, size int64) {
	if !slices.Contains(Kinds(), s.Kind) || s.Offset < 0 || s.Offset >= size || s.Partition < 0 || s.Text == "" {
		t.Fatalf("%+v", s)
	}
	for _, text := range []string{s.Label, s.UUID, s.Version, s.Name, s.Host, s.Text} {
		for _, r := range text {
			if !unicode.IsPrint(r) && r != unicode.ReplacementChar {
				t.Fatalf("%q is not printable", text)
			}
		}
	}
}
