package signature

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

var errMedium = errors.New("medium error")

// TestBlank finds nothing on disks without anything.
func TestBlank(t *testing.T) {
	random := newDisk(t, 32<<20)
	source := rand.NewChaCha8([32]byte{1})
	for off := int64(0); off < random.size; off += diskPage {
		b := make([]byte, diskPage)
		_, _ = source.Read(b)
		random.put(off, b)
	}
	ones := newDisk(t, 2<<40)
	ones.fill = 0xff
	disks := map[string]*disk{"zeros": newDisk(t, 2<<40), "ones": ones, "random": random}
	for _, size := range []int64{0, 511, 512, 1024, 4096, 8192, 65536, 1 << 20} {
		disks["small "+strings.Repeat("#", int(size%97))] = newDisk(t, size)
	}
	for name, d := range disks {
		for _, block := range []int{512, 4096, 65536} {
			d.read = 0
			if got := scanDisk(t, d, d.size, block); got != nil {
				t.Errorf("%s: found %+v", name, got)
			}
			if d.read >= 2<<20 {
				t.Errorf("%s in blocks of %d: read %d bytes", name, block, d.read)
			}
		}
	}
}

// TestReads counts what is read of disks with something, and sees that all of
// it is aligned to blocks.
func TestReads(t *testing.T) {
	disks := map[string]*disk{}
	for name := range recordedWant() {
		disks[name] = recorded(t, name)
	}
	for _, f := range fixtures() {
		d := newDisk(t, 64<<20)
		f.put(d)
		disks[f.name] = d
	}
	parts := newDisk(t, 256<<20)
	putGPT(parts, 512, gptPart{2048, 206847}, gptPart{206848, 411647}, gptPart{411648, 520000})
	disks["partitions"] = parts
	for name, d := range disks {
		for _, block := range []int{512, 4096} {
			d.read, d.align = 0, int64(block)
			scanDisk(t, d, d.size, block)
			if d.read >= 2<<20 {
				t.Errorf("%s: read %d bytes", name, d.read)
			}
		}
	}
}

// TestOddSize scans a disk whose size is no multiple of a page.
func TestOddSize(t *testing.T) {
	d := newDisk(t, 64<<20-1536)
	d.align = 512
	putGPT(d, 512, gptPart{2048, 4095})
	if got := only(t, scanDisk(t, d, d.size, 512)); got.Text != "GPT with 1 partition" {
		t.Errorf("%q", got.Text)
	}
}

// TestBadBlocks finds everything beside blocks that cannot be read, and names
// them.
func TestBadBlocks(t *testing.T) {
	d := newDisk(t, 64<<20)
	putGPT(d, 512, gptPart{2048, 4095}, gptPart{4096, 8191})
	putExt(d, 2048*512, "one")
	putExt(d, 4096*512, "two")
	for _, off := range []int64{512, 2048*512 + 1024, 2048*512 + 1536} {
		d.bad[off] = errMedium
	}
	got, err := Scan(t.Context(), d, d.size, 512)
	if !errors.Is(err, errMedium) {
		t.Fatalf("error %v, want %v", err, errMedium)
	}
	for _, want := range []string{"cannot read 512 bytes at 512: medium error", "cannot read 1024 bytes at 1049600: medium error"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q is without %q", err, want)
		}
	}
	want := `GPT with 2 partitions; the primary is missing, the backup is good|ext4 "two" in partition 2`
	if s := strings.Join(texts(got), "|"); s != want {
		t.Errorf("got %q, want %q", s, want)
	}
}

// dead answers no read.
type dead struct{ calls int }

func (d *dead) ReadAt([]byte, int64) (int, error) {
	d.calls++
	return 0, errMedium
}

// TestDeadDisk gives up on a disk of which nothing can be read.
func TestDeadDisk(t *testing.T) {
	d := &dead{}
	got, err := Scan(t.Context(), d, 1<<40, 512)
	if got != nil || !errors.Is(err, errMedium) || !errors.Is(err, errFailures) {
		t.Errorf("got %v, error %v", got, err)
	}
	if d.calls > 2*failureLimit {
		t.Errorf("%d reads", d.calls)
	}
}

// TestTooLong is told a larger size than the disk has.
func TestTooLong(t *testing.T) {
	d := newDisk(t, 64<<20)
	putAPFS(d)
	got, err := Scan(t.Context(), d, 128<<20, 512)
	if err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("error %v, want that of a short read", err)
	}
	if only(t, got).Kind != APFS {
		t.Errorf("found %+v", got)
	}
}

// canceller cancels a context at a read.
type canceller struct {
	*disk
	at     int
	cancel context.CancelFunc
}

func (c *canceller) ReadAt(b []byte, off int64) (int, error) {
	if c.calls+1 == c.at {
		c.cancel()
	}
	return c.disk.ReadAt(b, off)
}

func TestContext(t *testing.T) {
	for _, at := range []int{1, 5, 20} {
		ctx, cancel := context.WithCancel(t.Context())
		d := &canceller{disk: newDisk(t, 1<<30), at: at, cancel: cancel}
		if _, err := Scan(ctx, d, d.size, 512); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at read %d: error %v", at, err)
		}
		if d.calls != at {
			t.Errorf("cancelled at read %d: %d reads", at, d.calls)
		}
	}
}

func TestBlockSize(t *testing.T) {
	for _, block := range []int{-512, 0, 256, 513, 1 << 17} {
		if _, err := Scan(t.Context(), newDisk(t, 1<<20), 1<<20, block); err == nil {
			t.Errorf("blocks of %d bytes are no error", block)
		}
	}
}

func TestReader(t *testing.T) {
	d := newDisk(t, 64<<10)
	for i := range int64(64 << 10) {
		d.put(i, []byte{byte(i / 512 * 7)})
	}
	d.bad[512*9] = errMedium
	r := newReader(t.Context(), d, d.size, 512)
	tests := []struct {
		off  int64
		n    int
		read bool
	}{
		{0, 1, true}, {500, 100, true}, {0, 4608, true}, {0, 4609, false}, {512 * 9, 512, false},
		{512*10 - 1, 2, false}, {512 * 10, 10000, true}, {64<<10 - 1, 1, true}, {64<<10 - 1, 2, false},
		{-1, 1, false}, {0, 0, false}, {0, -1, false}, {0, longestRead + 1, false}, {1 << 62, 1 << 20, false},
	}
	for _, tt := range tests {
		got := r.bytes(tt.off, tt.n)
		if (got != nil) != tt.read || got != nil && !bytes.Equal(got, d.get(tt.off, tt.n)) {
			t.Errorf("%d bytes at %d: read %t, want %t", tt.n, tt.off, got != nil, tt.read)
		}
	}
	if calls := d.calls; r.bytes(0, 4608) == nil || d.calls != calls {
		t.Errorf("what is in the cache was read again")
	}
}

// TestReaderCache reads more than the cache holds, and more than a scan may.
func TestReaderCache(t *testing.T) {
	d := newDisk(t, 1<<30)
	r := newReader(t.Context(), d, d.size, 512)
	for off := int64(0); off < readLimit; off += longestRead {
		if r.bytes(off, longestRead) == nil {
			t.Fatalf("stopped at %d: %v", off, r.err())
		}
		if n := int64(len(r.pages)) * r.page; n > cacheBytes+2*longestRead {
			t.Fatalf("the cache has %d bytes", n)
		}
	}
	if r.bytes(readLimit, 1) != nil || !errors.Is(r.err(), errAmount) {
		t.Errorf("error %v, want %v", r.err(), errAmount)
	}
}
