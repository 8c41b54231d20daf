package scratch

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// mixed makes a file of 1 MiB data, 2 MiB that are only allocated and a hole of
// 1 MiB, and returns its path. A file for which fallocate is missing skips.
func mixed(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "mixed")
	data := make([]byte, mib)
	content(data, 1, 0)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(path) })
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fallocate(int(f.Fd()), 0, mib, 2*mib); err != nil {
		t.Skipf("SKIPPED: no fallocate here: %v", err)
	}
	if err := f.Truncate(4 * mib); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCheckReadable(t *testing.T) {
	path := mixed(t, diskDir(t))
	tests := []struct {
		start, length            int64
		written, unwritten, hole int64
		percent                  float64
	}{
		{0, 0, mib, 2 * mib, mib, 75},
		{0, mib, mib, 0, 0, 0},
		{mib, 0, 0, 2 * mib, mib, 100},
		{mib / 2, mib, mib / 2, mib / 2, 0, 50},
		{3*mib + 4096, 8192, 0, 0, 8192, 100},
	}
	for _, tt := range tests {
		e, err := CheckReadable(path, tt.start, tt.length)
		if err != nil {
			t.Fatal(err)
		}
		if e.Method != MethodFiemap {
			t.Skipf("SKIPPED: method is %s here", e.Method)
		}
		if e.Written != tt.written || e.Unwritten != tt.unwritten || e.Hole != tt.hole || math.Abs(*e.UntouchedPercent-tt.percent) > 0.01 {
			t.Errorf("%d from %d: %+v, want %d written, %d unwritten, %d hole", tt.length, tt.start, e, tt.written, tt.unwritten, tt.hole)
		}
	}
}

func TestCheckReadableRefuses(t *testing.T) {
	dir := diskDir(t)
	path := mixed(t, dir)
	for _, part := range [][2]int64{{-1, 1}, {0, 4*mib + 1}, {5 * mib, 0}, {4 * mib, 1}, {0, -1}} {
		if _, err := CheckReadable(path, part[0], part[1]); err == nil {
			t.Errorf("%d bytes from %d are there", part[1], part[0])
		}
	}
	_, err := CheckReadable(dir, 0, 0)
	wantError(t, err, nil, "is not a regular file")
	if _, err := CheckReadable(filepath.Join(dir, "no"), 0, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestCheckReadableInMemory uses a filesystem that has SEEK_HOLE but no FIEMAP.
func TestCheckReadableInMemory(t *testing.T) {
	f, err := os.CreateTemp("/dev/shm", "qd1-test-")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, mib), mib); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(4 * mib); err != nil {
		t.Fatal(err)
	}
	e, err := CheckReadable(f.Name(), 0, 0)
	want := Extents{Method: MethodSeek, Span: 4 * mib, Written: mib, Hole: 3 * mib, UntouchedPercent: new(75.0)}
	if diff := cmp.Diff(want, e); diff != "" || err != nil {
		t.Errorf("%v, differs (-want +got):\n%s", err, diff)
	}
}

func TestCheckReadableInline(t *testing.T) {
	dir := mounted(t, "ext4", 32, []string{"-O", "inline_data", "-I", "256"}, "")
	path := filepath.Join(dir, "small")
	if err := os.WriteFile(path, []byte("a few bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	e, err := CheckReadable(path, 0, 0)
	if err != nil || e.Inline != 11 || *e.UntouchedPercent != 100 {
		t.Errorf("%+v, %v, want 11 bytes inline", e, err)
	}
}

func TestCheckReadableCompressed(t *testing.T) {
	dir := mounted(t, "btrfs", 128, nil, ",compress-force=zlib")
	path := filepath.Join(dir, "text")
	if err := os.WriteFile(path, []byte(strings.Repeat("compressible ", 40000)), 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	e, err := CheckReadable(path, 0, 0)
	if err != nil || e.Encoded < e.Span/2 {
		t.Errorf("%+v, %v, want it compressed", e, err)
	}
	if w := joined(e.Warnings()); !strings.Contains(w, "compresses or encrypts") {
		t.Errorf("warnings are %q", w)
	}
}

func TestCheckReadableShared(t *testing.T) {
	dir := mounted(t, "xfs", 320, []string{"-m", "reflink=1"}, "")
	from, to := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	data := make([]byte, mib)
	content(data, 1, 0)
	if err := os.WriteFile(from, data, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(from)
	defer os.Remove(to)
	command(t, "cp", "--reflink=always", from, to)
	e, err := CheckReadable(to, 0, 0)
	if err != nil || e.Shared != mib || e.Written != mib || *e.UntouchedPercent != 0 {
		t.Errorf("%+v, %v, want 1 MiB written and shared", e, err)
	}
	if w := joined(e.Warnings()); !strings.Contains(w, "1 MiB of the file are shared") {
		t.Errorf("warnings are %q", w)
	}
}

// fakeMap is a filesystem that answers from a list, a few extents at a time.
type fakeMap struct {
	list     []rawio.FiemapExtent
	atOnce   int
	err      error
	seekErr  error
	holes    []int64 // where data begin and end, in turn
	stuck    bool
	requests int
}

func (m *fakeMap) extents(start, length uint64, into []rawio.FiemapExtent) (int, error) {
	m.requests++
	n := 0
	for _, x := range m.list {
		if m.err == nil && x.Logical+x.Length > start && x.Logical < start+length && n < min(m.atOnce, len(into)) {
			into[n] = x
			n++
		}
	}
	return n, m.err
}

func (m *fakeMap) seek(offset int64, whence int) (int64, error) {
	if m.seekErr != nil {
		return 0, m.seekErr
	}
	if m.stuck {
		return offset, nil
	}
	for i := 0; i+1 < len(m.holes); i += 2 {
		from, to := m.holes[i], m.holes[i+1]
		if offset < to {
			if whence == unix.SEEK_DATA {
				return max(offset, from), nil
			}
			return to, nil
		}
	}
	return 0, unix.ENXIO
}

func extent(logical, physical, length uint64, flags uint32) rawio.FiemapExtent {
	return rawio.FiemapExtent{Logical: logical, Physical: physical, Length: length, Flags: flags}
}

func TestSurvey(t *testing.T) {
	all := []rawio.FiemapExtent{
		extent(0, 1000, 100, 0),
		extent(100, 1100, 50, rawio.FiemapUnwritten),
		extent(200, 1150, 100, rawio.FiemapShared),
		extent(300, 5000, 10, rawio.FiemapNotAligned|rawio.FiemapInline),
		extent(310, 0, 20, rawio.FiemapDelalloc|rawio.FiemapUnknown),
		extent(330, 6000, 30, rawio.FiemapEncoded|rawio.FiemapShared),
		extent(360, 6100, 40, rawio.FiemapTail|rawio.FiemapNotAligned),
		extent(400, 7000, 500, rawio.FiemapUnwritten|rawio.FiemapLast),
	}
	tests := []struct {
		name       string
		m          fakeMap
		start, end int64
		want       Extents
	}{
		{"all kinds", fakeMap{list: all, atOnce: 100}, 0, 500, Extents{
			Method: MethodFiemap, Span: 500, Count: 8, Fragments: 7, Written: 200, Unwritten: 150, Hole: 50,
			Inline: 50, Delalloc: 20, Encoded: 30, Shared: 130, UntouchedPercent: new(54.0),
		}},
		{"one at a time", fakeMap{list: all, atOnce: 1}, 0, 500, Extents{
			Method: MethodFiemap, Span: 500, Count: 8, Fragments: 7, Written: 200, Unwritten: 150, Hole: 50,
			Inline: 50, Delalloc: 20, Encoded: 30, Shared: 130, UntouchedPercent: new(54.0),
		}},
		{"a part", fakeMap{list: all, atOnce: 2}, 90, 210, Extents{
			Method: MethodFiemap, Span: 120, Count: 3, Fragments: 2, Written: 20, Unwritten: 50, Hole: 50, Shared: 10, UntouchedPercent: new(100 * 100 / 120.0),
		}},
		{"hole at the end", fakeMap{list: all[:1], atOnce: 9}, 0, 400, Extents{
			Method: MethodFiemap, Span: 400, Count: 1, Fragments: 1, Written: 100, Hole: 300, UntouchedPercent: new(75.0),
		}},
		{"nothing", fakeMap{}, 0, 400, Extents{Method: MethodFiemap, Span: 400, Hole: 400, UntouchedPercent: new(100.0)}},
		{"empty", fakeMap{}, 0, 0, Extents{Method: MethodFiemap}},
		{"seek", fakeMap{err: unix.EOPNOTSUPP, holes: []int64{100, 200, 300, 900}}, 50, 400, Extents{
			Method: MethodSeek, Span: 350, Written: 200, Hole: 150, UntouchedPercent: new(100 * 150 / 350.0),
		}},
		{"seek, no data", fakeMap{err: unix.ENOTTY}, 0, 400, Extents{Method: MethodSeek, Span: 400, Hole: 400, UntouchedPercent: new(100.0)}},
		{"not known", fakeMap{err: unix.EBADR, seekErr: unix.EINVAL}, 0, 400, Extents{Method: MethodNone, Span: 400}},
	}
	for _, tt := range tests {
		got, err := survey(&tt.m, tt.start, tt.end)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, differs (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

func TestSurveyErrors(t *testing.T) {
	for _, tt := range []struct {
		m    fakeMap
		want error
	}{
		{fakeMap{err: unix.EIO}, unix.EIO},
		{fakeMap{err: unix.EOPNOTSUPP, seekErr: unix.EIO}, unix.EIO},
		{fakeMap{err: unix.EOPNOTSUPP, stuck: true}, io.ErrNoProgress},
	} {
		if e, err := survey(&tt.m, 0, 100); !errors.Is(err, tt.want) || e != (Extents{}) {
			t.Errorf("got %+v, %v, want %v", e, err, tt.want)
		}
	}
	// A filesystem that repeats itself must not be asked for ever.
	m := &fakeMap{list: []rawio.FiemapExtent{extent(0, 0, 0, 0), extent(0, 0, 10, 0)}, atOnce: 2}
	if _, err := survey(m, 0, 100); err != nil || m.requests > 3 {
		t.Errorf("%d requests, %v", m.requests, err)
	}
}

func FuzzSurvey(f *testing.F) {
	f.Add(uint64(0), uint64(10), uint32(0), uint64(20), uint64(30), uint32(0x800), int64(5), int64(40))
	f.Fuzz(func(t *testing.T, l1, n1 uint64, f1 uint32, l2, n2 uint64, f2 uint32, start, end int64) {
		if start < 0 || end < start {
			t.Skip()
		}
		e, err := survey(&fakeMap{list: []rawio.FiemapExtent{extent(l1, 0, n1, f1), extent(l2, 9, n2, f2)}, atOnce: 2}, start, end)
		total := e.Written + e.Unwritten + e.Hole + e.Inline + e.Delalloc + e.Encoded
		if err != nil || total != end-start {
			t.Errorf("%d of %d bytes are told of, %v: %+v", total, end-start, err, e)
		}
	})
}

func TestExtentWarnings(t *testing.T) {
	tests := []struct {
		name string
		e    Extents
		want []string
	}{
		{"sound", Extents{Method: MethodFiemap, Span: 1 << 30, Fragments: 8, UntouchedPercent: new(0.0)}, nil},
		{"at the limit", Extents{Method: MethodFiemap, Span: 1 << 30, UntouchedPercent: new(1.0)}, nil},
		{"holes", Extents{Method: MethodSeek, Span: 4 * mib, Hole: 3 * mib, UntouchedPercent: new(75.0)}, []string{"75.0 % of the file are not read from the medium", "3 MiB holes"}},
		{"not known", Extents{Method: MethodNone, Span: 4 * mib}, []string{"not known"}},
		{"fragments", Extents{Method: MethodFiemap, Span: 64 * mib, Fragments: 128}, []string{"128 pieces of 512 KiB"}},
		{"one small piece", Extents{Method: MethodFiemap, Span: 4096, Fragments: 1}, nil},
	}
	for _, tt := range tests {
		got := joined(tt.e.Warnings())
		if (got == "") != (tt.want == nil) {
			t.Errorf("%s: warnings %q, want %q", tt.name, got, tt.want)
		}
		for _, part := range tt.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: warnings %q do not contain %q", tt.name, got, part)
			}
		}
	}
}
