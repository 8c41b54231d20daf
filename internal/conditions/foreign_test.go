package conditions

import (
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

const kib = 1 << 10

// reads is what the kernel counts for so many requests of a size.
func reads(n, bytes uint64) Counters {
	return Counters{Reads: n, ReadSectors: n * bytes / sectorBytes}
}

// random is a run of 10000 reads of 4 KiB.
func random() Ours { return Ours{Reads: 10000, ReadBytes: 10000 * 4096, BlockBytes: 4096} }

func kept(c Counters) Stats { return Stats{Counters: c, Kept: true} }

func queueOf(maxKB, segments, chunk int) *Block {
	return &Block{Queue: Queue{MaxSectorsKB: &maxKB, MaxSegments: &segments, ChunkSectors: &chunk}}
}

func TestForeign(t *testing.T) {
	direct := func(o OtherIO) OtherIO { o.Known, o.Cached, o.CachedPercent = true, new(false), new(0.0); return o }
	large := Ours{Reads: 1000, ReadBytes: 1000 * 128 * kib, BlockBytes: 128 * kib}
	tests := []struct {
		name  string
		block *Block
		delta Stats
		ours  Ours
		want  OtherIO
	}{
		{"nothing else", nil, kept(reads(10000, 4096)), random(), direct(OtherIO{})},
		{"another reader, little", nil, kept(reads(10099, 4096)), random(), direct(OtherIO{Reads: 99, ReadBytes: 99 * 4096})},
		{"another reader, 1 in 100 exactly", nil, kept(reads(10100, 4096)), random(), direct(OtherIO{Reads: 100, ReadBytes: 100 * 4096})},
		{"another reader", nil, kept(reads(10101, 4096)), random(), direct(OtherIO{Reads: 101, ReadBytes: 101 * 4096, Disturbed: true})},
		{"a short run and a commit of a log", nil, kept(Counters{Reads: 100, ReadSectors: 800, Writes: 14, WriteSectors: 112, Flushes: 1}),
			Ours{Reads: 100, ReadBytes: 100 * 4096, BlockBytes: 4096}, direct(OtherIO{Writes: 14, WriteBytes: 14 * 4096, Flushes: 1})},
		{"a short run and one more write", nil, kept(Counters{Reads: 100, ReadSectors: 800, Writes: 14, WriteSectors: 112, Flushes: 2}),
			Ours{Reads: 100, ReadBytes: 100 * 4096, BlockBytes: 4096}, direct(OtherIO{Writes: 14, WriteBytes: 14 * 4096, Flushes: 2, Disturbed: true})},
		{"few large requests of others", nil, kept(Counters{Reads: 10002, ReadSectors: 80000 + 4096}), random(),
			direct(OtherIO{Reads: 2, ReadBytes: 2 << 20, Disturbed: true})},
		{"discards", nil, kept(Counters{Reads: 10000, ReadSectors: 80000, Discards: 200}), random(), direct(OtherIO{Discards: 200, Disturbed: true})},
		{"128 KiB in requests of 64 KiB", queueOf(64, 128, 0), kept(reads(2000, 64*kib)), large, direct(OtherIO{})},
		{"the same with another reader", queueOf(64, 128, 0), kept(Counters{Reads: 2100, ReadSectors: 256000 + 800}), large,
			direct(OtherIO{Reads: 100, ReadBytes: 100 * 4096, Disturbed: true})},
		{"128 KiB in pages that lie apart", queueOf(1024, 8, 0), kept(reads(4000, 32*kib)), large, direct(OtherIO{})},
		{"across borders of 128 KiB", queueOf(1024, 128, 256), kept(Counters{Reads: 2000, ReadSectors: 256000}), large, direct(OtherIO{})},
		{"merged, a scheduler counts less requests", queueOf(1280, 128, 0), kept(Counters{Reads: 2500, ReadMerges: 7500, ReadSectors: 80000}), random(), direct(OtherIO{})},
		{"merged with those of others", queueOf(1280, 128, 0), kept(Counters{Reads: 2500, ReadMerges: 8000, ReadSectors: 84000}), random(),
			direct(OtherIO{Reads: 500, ReadBytes: 500 * 4096, Disturbed: true})},
		{"file in pieces", queueOf(1280, 128, 0), kept(Counters{Reads: 3000, ReadSectors: 256000}), func() Ours { o := large; o.File = true; return o }(),
			direct(OtherIO{})},
		{"failed reads are counted without their bytes", nil, kept(Counters{Reads: 10300, ReadSectors: 80000}),
			func() Ours { o := random(); o.Failed = 300; return o }(), direct(OtherIO{})},
		{"failed writes", nil, kept(Counters{Writes: 130, WriteSectors: 800}),
			Ours{Writes: 100, WriteBytes: 100 * 4096, Failed: 10, BlockBytes: 4096}, direct(OtherIO{Writes: 20, Disturbed: true})},
		{"flushes of ours", nil, kept(Counters{Writes: 100, WriteSectors: 800, Flushes: 50}),
			Ours{Writes: 100, WriteBytes: 100 * 4096, Flushes: 50, BlockBytes: 4096}, direct(OtherIO{})},
	}
	for _, tt := range tests {
		got := Foreign(tt.block, tt.delta, tt.ours)
		equal(t, tt.name, tt.want, got)
	}
}

func TestForeignCached(t *testing.T) {
	tests := []struct {
		name    string
		delta   Counters
		ours    Ours
		cached  bool
		percent float64
	}{
		{"none reached the device", Counters{Writes: 1}, random(), true, 100},
		{"a quarter did not", reads(7500, 4096), random(), true, 25},
		{"1 in 100 did not", reads(9900, 4096), random(), false, 1},
		{"more than 1 in 100", reads(9899, 4096), random(), true, 1.01},
		{"writes that wait in memory", Counters{Reads: 50, ReadSectors: 400, Writes: 1, WriteSectors: 8},
			Ours{Reads: 50, ReadBytes: 50 * 4096, Writes: 50, WriteBytes: 50 * 4096, BlockBytes: 4096}, true, 49},
		{"reads of others do not stand in for writes", reads(1000, 4096), Ours{Writes: 50, WriteBytes: 50 * 4096, BlockBytes: 4096}, true, 100},
	}
	for _, tt := range tests {
		o := Foreign(nil, kept(tt.delta), tt.ours)
		if o.Cached == nil || *o.Cached != tt.cached || *o.CachedPercent != tt.percent || (o.Reason != "") != tt.cached {
			t.Errorf("%s: %+v, cached %v %v", tt.name, o, *o.Cached, *o.CachedPercent)
		}
	}
	if o := Foreign(nil, kept(Counters{}), Ours{}); o.Cached != nil || o.CachedPercent != nil || !o.Known {
		t.Errorf("a run of nothing: %+v, want cached not known", o)
	}
}

// TestForeignPartition holds that the partition tells what was cached, and the
// disk what others did.
func TestForeignPartition(t *testing.T) {
	disk := reads(15000, 4096)
	o := Foreign(nil, Stats{Counters: reads(10000, 4096), Disk: &disk, Kept: true}, random())
	if *o.Cached || o.Reads != 5000 || !o.Disturbed {
		t.Errorf("another partition is read: %+v", o)
	}
	o = Foreign(nil, Stats{Counters: reads(0, 4096), Disk: &disk, Kept: true}, random())
	if !*o.Cached || *o.CachedPercent != 100 {
		t.Errorf("only another partition is read: %+v", o)
	}
}

func TestForeignNotKnown(t *testing.T) {
	passthrough := &Block{Queue: Queue{IOStatsPassthrough: new(true)}}
	dax := &Block{Queue: Queue{DAX: new(true)}}
	uncounted := random()
	uncounted.Uncounted = true
	tests := []struct {
		name  string
		block *Block
		delta Stats
		ours  Ours
		words string
	}{
		{"not counted", nil, Stats{}, random(), "keeps no statistics"},
		{"not counted, passed through", nil, Stats{}, uncounted, "keeps no statistics"},
		{"passed through and counted", passthrough, kept(reads(10000, 4096)), uncounted, "passed-through"},
		{"memory", dax, kept(reads(5, 4096)), random(), "DAX"},
	}
	for _, tt := range tests {
		o := Foreign(tt.block, tt.delta, tt.ours)
		if o.Known || o.Cached != nil || o.Reads != 0 || o.Disturbed || !strings.Contains(o.Reason, tt.words) {
			t.Errorf("%s: %+v, want not known because of %q", tt.name, o, tt.words)
		}
	}
	if o := Foreign(passthrough, kept(reads(10000, 4096)), random()); !o.Known || *o.Cached {
		t.Errorf("a counted engine on a device that counts passed-through commands: %+v", o)
	}
}

// TestForeignPassthrough holds that commands past the block layer are in no
// statistics, so that all that is counted is of others.
func TestForeignPassthrough(t *testing.T) {
	ours := random()
	ours.Uncounted = true
	o := Foreign(nil, kept(Counters{}), ours)
	if !o.Known || o.Cached != nil || o.Reads != 0 || o.Disturbed {
		t.Errorf("alone: %+v", o)
	}
	o = Foreign(nil, kept(reads(500, 4096)), ours)
	if o.Reads != 500 || o.ReadBytes != 500*4096 || !o.Disturbed || o.Cached != nil {
		t.Errorf("with a reader: %+v", o)
	}
}

func TestForeignOverflow(t *testing.T) {
	o := Foreign(nil, kept(Counters{Reads: math.MaxUint64, ReadSectors: math.MaxUint64 / sectorBytes}), random())
	if o.Reads < 0 || o.ReadBytes < 0 || !o.Disturbed {
		t.Errorf("the largest counters: %+v", o)
	}
}

func TestPieces(t *testing.T) {
	tests := []struct {
		name  string
		block *Block
		ours  Ours
		want  int64
	}{
		{"4 KiB", queueOf(64, 33, 0), Ours{BlockBytes: 4096}, 1},
		{"512 bytes", queueOf(64, 33, 0), Ours{BlockBytes: 512}, 1},
		{"max_sectors_kb", queueOf(64, 128, 0), Ours{BlockBytes: 128 * kib}, 2},
		{"not a multiple", queueOf(96, 128, 0), Ours{BlockBytes: 128 * kib}, 2},
		{"max_segments", queueOf(1024, 16, 0), Ours{BlockBytes: 128 * kib}, 2},
		{"a bio", queueOf(4096, 1024, 0), Ours{BlockBytes: 2048 * kib}, 2},
		{"chunks", queueOf(1024, 256, 64), Ours{BlockBytes: 128 * kib}, 1 + 4},
		{"file", queueOf(1024, 256, 0), Ours{BlockBytes: 128 * kib, File: true}, 32},
		{"nothing known", nil, Ours{BlockBytes: 128 * kib}, 32},
		{"limits not known", &Block{}, Ours{BlockBytes: 128 * kib}, 1},
		{"limits of 0", queueOf(0, 0, 0), Ours{BlockBytes: 4096}, 1},
		{"no block size", nil, Ours{}, 1},
	}
	for _, tt := range tests {
		if got := piecesOf(tt.block, tt.ours); got != tt.want {
			t.Errorf("%s: %d pieces, want %d", tt.name, got, tt.want)
		}
	}
}

func TestReadFileSystem(t *testing.T) {
	vm, laptop := load(t, "vm"), load(t, "laptop")
	tests := []struct {
		root fstest.MapFS
		path string
		want *FileSystem
	}{
		{vm, "/home/x", &FileSystem{"ext4", "/", "/dev/vda", "vda"}},
		{vm, "/", &FileSystem{"ext4", "/", "/dev/vda", "vda"}},
		{vm, "/dev/shm/f", &FileSystem{"tmpfs", "/dev/shm", "tmpfs", ""}},
		{vm, "/dev/shmf", &FileSystem{"ext4", "/", "/dev/vda", "vda"}},
		{vm, "/mnt/with space/f", &FileSystem{"ext4", "/mnt/with space", "/dev/loop0", "loop0"}},
		{vm, "/data/f", &FileSystem{"btrfs", "/data", "/dev/vda", "vda"}},
		{vm, "/net/f", &FileSystem{"virtiofs", "/net", "share", ""}},
		{vm, "/rooted/f", &FileSystem{"ext4", "/rooted", "/dev/root", "vda"}},
		{laptop, "/etc/f", &FileSystem{"ext4", "/", "/dev/mapper/root", "dm-0"}},
		{laptop, "/home/f", &FileSystem{"btrfs", "/home", "/dev/mapper/root", "dm-0"}},
		{fstest.MapFS{}, "/f", nil},
	}
	for _, tt := range tests {
		equal(t, tt.path, tt.want, ReadFileSystem(tt.root, tt.path))
	}
}

func TestWithoutDevice(t *testing.T) {
	for _, name := range []string{"tmpfs", "ramfs", "hugetlbfs", "devtmpfs"} {
		o := WithoutDevice(&FileSystem{Type: name})
		if o.Known || o.Cached == nil || !*o.Cached || *o.CachedPercent != 100 || !strings.Contains(o.Reason, name) {
			t.Errorf("%s: %+v, want cached", name, o)
		}
	}
	for _, name := range []string{"fuse.sshfs", "overlay", "nfs4", "9p", "btrfs"} {
		o := WithoutDevice(&FileSystem{Type: name})
		if o.Known || o.Cached != nil || !strings.Contains(o.Reason, name) {
			t.Errorf("%s: %+v, want not known", name, o)
		}
	}
	if o := WithoutDevice(nil); o.Known || o.Cached != nil || o.Reason == "" {
		t.Errorf("no file system: %+v", o)
	}
}

// FuzzMount reads junk as a line of mountinfo.
func FuzzMount(f *testing.F) {
	f.Add("31 27 7:0 / /mnt/with\\040space rw - ext4 /dev/loop0 rw", "/mnt/with space/f")
	f.Add("a b c d e - f g", "/")
	f.Add(" - ", "")
	f.Fuzz(func(t *testing.T, line, path string) {
		_, mount := parseMount(line)
		if mount != nil && (mount.MountPoint == "" || mount.Source == "") {
			t.Errorf("%q: %+v", line, mount)
		}
		got := ReadFileSystem(fstest.MapFS{"proc/self/mountinfo": {Data: []byte(line)}}, path)
		if got != nil && got.Device != "" {
			t.Errorf("%q is on %q, and there is no device", line, got.Device)
		}
	})
}

// TestForeignHere reads a file of this host in pieces that the kernel has to
// fetch and compares with its own statistics. It needs direct I/O.
func TestForeignHere(t *testing.T) {
	root := os.DirFS("/")
	dir := t.TempDir()
	f := ReadFileSystem(root, dir)
	if f == nil || f.Device == "" {
		t.Skipf("%s is on no block device", dir)
	}
	before, err := ReadStats(root, f.Device)
	if err != nil {
		t.Fatal(err)
	}
	const block, count = 64 * kib, 64
	ours := readDirect(t, dir+"/f", block, count)
	after, err := ReadStats(root, f.Device)
	if err != nil {
		t.Fatal(err)
	}
	o := Foreign(ReadBlock(root, f.Device), after.Sub(before), ours)
	if o.Known && o.Cached != nil && *o.Cached {
		t.Errorf("direct reads count as cached: %+v, %s", o, o.Reason)
	}
}
