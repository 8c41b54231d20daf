package signature

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// disk is a sparse disk in memory that counts what is read of it.
type disk struct {
	size  int64
	fill  byte
	pages map[int64][]byte
	// bad are blocks of 512 bytes that cannot be read, by offset.
	bad  map[int64]error
	read int64
	// calls counts reads; align, if not 0, is what they have to be aligned to.
	calls int
	align int64
	t     testing.TB
}

const diskPage = 4096

func newDisk(t testing.TB, size int64) *disk {
	return &disk{size: size, pages: map[int64][]byte{}, bad: map[int64]error{}, t: t}
}

// put writes data at an offset; what lies beyond the end is dropped.
func (d *disk) put(off int64, data []byte) *disk {
	for len(data) > 0 && off < d.size {
		first := off - off%diskPage
		p := d.pages[first]
		if p == nil {
			p = make([]byte, diskPage)
			for i := range p {
				p[i] = d.fill
			}
			d.pages[first] = p
		}
		n := copy(p[off-first:], data)
		off, data = off+int64(n), data[n:]
	}
	return d
}

// get returns n bytes at an offset.
func (d *disk) get(off int64, n int) []byte {
	out := make([]byte, n)
	for done := 0; done < n; {
		first := off - off%diskPage
		k := min(n-done, int(first+diskPage-off))
		if p := d.pages[first]; p != nil {
			copy(out[done:done+k], p[off-first:])
		} else if d.fill != 0 {
			copy(out[done:done+k], bytes.Repeat([]byte{d.fill}, k))
		}
		done, off = done+k, off+int64(k)
	}
	return out
}

func (d *disk) ReadAt(b []byte, off int64) (int, error) {
	d.calls++
	if d.align != 0 && (off%d.align != 0 || int64(len(b))%d.align != 0) {
		d.t.Errorf("read of %d bytes at %d is not aligned to %d", len(b), off, d.align)
	}
	if off < 0 || off >= d.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), d.size-off))
	for at := off - off%512; at < off+int64(n); at += 512 {
		if err := d.bad[at]; err != nil {
			return 0, err
		}
	}
	copy(b, d.get(off, n))
	d.read += int64(n)
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// save writes the disk to a sparse file.
func (d *disk) save(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "disk.img")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(d.size); err != nil {
		t.Fatal(err)
	}
	for off, p := range d.pages {
		if _, err := f.WriteAt(p[:min(diskPage, d.size-off)], off); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// scanDisk scans a disk without an error.
func scanDisk(t *testing.T, d io.ReaderAt, size int64, block int) []Signature {
	t.Helper()
	got, err := Scan(t.Context(), d, size, block)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// only returns the one signature that there is.
func only(t *testing.T, list []Signature) Signature {
	t.Helper()
	if len(list) != 1 {
		t.Fatalf("found %d signatures, want 1: %+v", len(list), list)
	}
	return list[0]
}
