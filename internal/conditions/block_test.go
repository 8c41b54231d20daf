package conditions

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"qd1.example/qd1/internal/sysfs"
)

func mustBlock(t *testing.T, m fstest.MapFS, device string) *Block {
	t.Helper()
	b := ReadBlock(m, device)
	if b == nil {
		t.Fatalf("there is no %s", device)
	}
	return b
}

// desktopDrive is the drive of the desktop.
func desktopDrive() *NVMe {
	return &NVMe{
		Controller: "nvme0", Controllers: []string{"nvme0"}, NSID: 1,
		Model: new("EXAMPLE DESKTOP 1TB"), Serial: new("DESKTOP000001"), Firmware: new("1.0"),
		Transport: new("pcie"), Address: new("0000:02:00.0"),
		Queues: new(9), PollQueues: new(2), Multipath: new(true),
		MaxLatencyUS: new(100000), LatencyTolerance: new("100000"),
		Link: &sysfs.Link{
			SpeedGTs: new(16.0), MaxSpeedGTs: new(16.0), Width: new(4), MaxWidth: new(4),
			Path: []sysfs.Port{
				{Address: "0000:00:01.1", SpeedGTs: new(8.0), MaxSpeedGTs: new(16.0), Width: new(2), MaxWidth: new(8), Class: "0x060400"},
				{Address: "0000:01:00.0", SpeedGTs: new(16.0), Width: new(4), Class: "0x060400"},
				{Address: "0000:02:00.0", SpeedGTs: new(16.0), MaxSpeedGTs: new(16.0), Width: new(4), MaxWidth: new(4), Class: "0x010802", ASPM: []string{"L1"}},
			},
		},
		ASPM:  ASPM{Policy: new("powersave"), States: []string{"clkpm", "l1_aspm"}},
		IOMMU: new("DMA-FQ"),
		Interrupts: []Interrupt{
			{"nvme0q0", 51, new("0-1,3")}, {"nvme0q1", 52, new("0")}, {"nvme0q2", 50, new("1")},
		},
	}
}

func TestBlockDesktop(t *testing.T) {
	m := load(t, "desktop")
	want := &Block{
		Device: "nvme0n1p2", Number: new("259:2"), Disk: "nvme0n1", Partition: new(2), Kind: "nvme",
		Queue: Queue{
			Scheduler: new("none"), Requests: new(1023), HardwareQueues: new(2), WriteCache: new("write back"),
			Rotational: new(false), IOPoll: new(true), MaxSectorsKB: new(128), MaxSegments: new(33), ChunkSectors: new(256),
			LogicalBytes: new(512), PhysicalBytes: new(512), IOStats: new(true),
		},
		NUMANode: new(0),
		NVMe:     desktopDrive(),
	}
	for _, device := range []string{"nvme0n1p2", "/dev/nvme0n1p2", "259:2"} {
		equal(t, device, want, ReadBlock(m, device))
	}
	want.Device, want.Number, want.Partition = "nvme0n1", new("259:0"), nil
	equal(t, "nvme0n1", want, ReadBlock(m, "nvme0n1"))
}

func TestBlockVM(t *testing.T) {
	m := load(t, "vm")
	equal(t, "vda", &Block{
		Device: "vda", Number: new("254:0"), Disk: "vda", Kind: "virtio",
		Queue: Queue{
			Scheduler: new("mq-deadline"), Requests: new(256), HardwareQueues: new(1), WriteCache: new("write back"),
			Rotational: new(true), NoMerges: new(0), WritebackUS: new(75000), IOPoll: new(false), IOPollDelayUS: new(-1),
			MaxSectorsKB: new(4096), MaxSegments: new(254), ChunkSectors: new(0),
			LogicalBytes: new(512), PhysicalBytes: new(4096), DAX: new(false), IOStats: new(true), IOStatsPassthrough: new(false),
		},
	}, ReadBlock(m, "254:0"))
	loop := mustBlock(t, m, "loop0")
	equal(t, "loop", &Loop{new("/dev/shm/disk image"), new(false)}, loop.Loop)
	if loop.Kind != "loop" || *loop.Scheduler != "none" || loop.NVMe != nil {
		t.Errorf("loop0 = %+v", loop)
	}
}

// TestBlockCrypt follows dm-crypt to the partition and the drive below it.
func TestBlockCrypt(t *testing.T) {
	m := load(t, "laptop")
	for _, device := range []string{"dm-0", "/dev/mapper/root"} {
		b := mustBlock(t, m, device)
		if b.Device != "dm-0" || b.Kind != "dm" || *b.Level != "crypt" || b.Scheduler != nil || b.NVMe != nil || len(b.Members) != 1 {
			t.Fatalf("%s = %+v", device, b)
		}
		part := b.Members[0]
		if part.Device != "nvme0n1p3" || part.Disk != "nvme0n1" || *part.Partition != 3 || *part.Scheduler != "kyber" {
			t.Errorf("below dm-crypt is %+v", part)
		}
		if n := part.NVMe; n == nil || *n.Serial != "LAPTOP000001" || *n.LatencyTolerance != "any" || *n.MaxLatencyUS != 0 || n.Interrupts != nil || n.ASPM.States != nil {
			t.Errorf("drive below dm-crypt is %+v", n)
		}
	}
}

func TestBlockRAID(t *testing.T) {
	b := mustBlock(t, load(t, "raid"), "md0")
	if b.Kind != "md" || *b.Level != "raid1" || len(b.Members) != 2 {
		t.Fatalf("md0 = %+v", b)
	}
	var got []string
	for _, m := range b.Members {
		got = append(got, m.Device, *m.NVMe.Serial, strings.Join(m.NVMe.Controllers, "+"), strconv.Itoa(*m.NUMANode))
	}
	want := []string{"nvme0n1", "MIRROR000001", "nvme0", "0", "nvme1n1", "MIRROR000002", "nvme1+nvme2", "1"}
	equal(t, "members", want, got)
}

func TestBlockMissing(t *testing.T) {
	m := load(t, "desktop")
	for _, device := range []string{"", "/dev/", "nvme9n1", "259:9", "mapper/none", "..", ".", "../block", "a/../nvme0n1", "\x00"} {
		if b := ReadBlock(m, device); b != nil {
			t.Errorf("ReadBlock(%q) = %+v, want nil", device, b)
		}
	}
}

// TestBlockRing follows devices that are made of each other, which ends.
func TestBlockRing(t *testing.T) {
	m := fstest.MapFS{
		"sys/class/block/dm-0/dev":         {Data: []byte("253:0\n")},
		"sys/class/block/dm-0/slaves/dm-1": {},
		"sys/class/block/dm-1/slaves/dm-0": {},
	}
	b, depth := ReadBlock(m, "dm-0"), 0
	for b != nil && len(b.Members) > 0 {
		b, depth = &b.Members[0], depth+1
	}
	if depth != maxDepth {
		t.Errorf("a ring is %d devices deep, want %d", depth, maxDepth)
	}
}

func TestKindOf(t *testing.T) {
	for disk, want := range map[string]string{
		"nvme0n1": "nvme", "md127": "md", "dm-3": "dm", "loop7": "loop", "vda": "virtio", "sdb": "scsi",
		"mmcblk0": "mmc", "zram0": "zram", "ram0": "ram", "nbd1": "nbd", "xvda": "other", "cciss!c0d0": "other",
	} {
		if got := kindOf(disk); got != want {
			t.Errorf("kind of %s = %s, want %s", disk, got, want)
		}
	}
}

// TestBlockWithSlash finds a device whose name has a slash, as sysfs spells it.
func TestBlockWithSlash(t *testing.T) {
	m := fstest.MapFS{"sys/class/block/cciss!c0d0/dev": {Data: []byte("104:0\n")}}
	if b := mustBlock(t, m, "/dev/cciss/c0d0"); b.Device != "cciss!c0d0" {
		t.Errorf("device = %s", b.Device)
	}
}

// TestManyInterrupts bounds the list of a drive with very many queues.
func TestManyInterrupts(t *testing.T) {
	m := fstest.MapFS{}
	for i := range maxInterrupts + 10 {
		n := strconv.Itoa(1000 + i)
		m["sys/dir/msi_irqs/"+n] = &fstest.MapFile{}
		m["sys/kernel/irq/"+n+"/actions"] = &fstest.MapFile{Data: []byte("nvme0q" + strconv.Itoa(i))}
	}
	if got := len(tree{m}.interrupts("sys/dir/msi_irqs")); got != maxInterrupts {
		t.Errorf("%d interrupts, want %d", got, maxInterrupts)
	}
}

// TestASPM reads the states of a link, of which some may be missing.
func TestASPM(t *testing.T) {
	const policy = "sys/module/pcie_aspm/parameters/policy"
	tests := []struct {
		name  string
		texts map[string]string
		want  ASPM
	}{
		{"nothing", nil, ASPM{}},
		{"only the policy", map[string]string{policy: "[default] performance powersave powersupersave"}, ASPM{Policy: new("default")}},
		{"all off", map[string]string{"d/link/l1_aspm": "0", "d/link/clkpm": "0"}, ASPM{States: []string{}}},
		{"some on", map[string]string{"d/link/l1_aspm": "1", "d/link/l0s_aspm": "1", "d/link/clkpm": "0"}, ASPM{States: []string{"l0s_aspm", "l1_aspm"}}},
		{"junk", map[string]string{"d/link/l1_aspm": "maybe"}, ASPM{}},
	}
	for _, tt := range tests {
		equal(t, tt.name, tt.want, tree{with(fstest.MapFS{}, tt.texts)}.aspm("d/link"))
	}
}

// TestInterruptOrder sorts by queue, and those that belong to none first.
func TestInterruptOrder(t *testing.T) {
	m := fstest.MapFS{"d/x": {}}
	for irq, queue := range map[string]string{"9": "nvme0q10", "10": "nvme0q2", "11": "shared", "12": "nvme0q0"} {
		m["d/"+irq] = &fstest.MapFile{}
		m["sys/kernel/irq/"+irq+"/actions"] = &fstest.MapFile{Data: []byte(queue + "\n")}
	}
	want := []Interrupt{{"shared", 11, nil}, {"nvme0q0", 12, nil}, {"nvme0q2", 10, nil}, {"nvme0q10", 9, nil}}
	equal(t, "interrupts", want, tree{m}.interrupts("d"))
}

// TestBlockBehindALimit reads through a limit, which must still show links.
func TestBlockBehindALimit(t *testing.T) {
	m := load(t, "desktop")
	equal(t, "with a limit", ReadBlock(m, "nvme0n1p2"), ReadBlock(sysfs.Limit(m, time.Minute), "nvme0n1p2"))
}

// TestDeadDrive reads a drive whose attributes are gone or refuse.
func TestDeadDrive(t *testing.T) {
	m := load(t, "desktop")
	for name := range m {
		if strings.Contains(name, "0000:02:00.0/nvme/nvme0/") && !strings.Contains(name, "nvme0n1") && !strings.HasSuffix(name, "/device") {
			delete(m, name)
		}
	}
	n := mustBlock(t, m, "nvme0n1").NVMe
	if n == nil || n.Controller != "nvme0" || n.Serial != nil || n.Queues != nil || n.LatencyTolerance != nil || n.Link == nil {
		t.Errorf("drive without attributes = %+v", n)
	}
	delete(m, "sys/class/nvme/nvme0")
	if b := mustBlock(t, m, "nvme0n1"); b.NVMe != nil || b.Scheduler == nil {
		t.Errorf("namespace without a controller = %+v", b)
	}
}

// TestLostPartition is a partition whose disk is not listed: it stands for
// itself, and has no queue.
func TestLostPartition(t *testing.T) {
	m := fstest.MapFS{"sys/class/block/sdz1/partition": {Data: []byte("1\n")}, "sys/class/block/sdz1/dev": {Data: []byte("8:1\n")}}
	b := mustBlock(t, m, "sdz1")
	if b.Disk != "sdz1" || *b.Partition != 1 || b.Scheduler != nil {
		t.Errorf("lost partition = %+v", b)
	}
}

func TestNUMANode(t *testing.T) {
	tests := []struct {
		name, file, text string
		want             *int
	}{
		{"own", "d/device/numa_node", "1\n", new(1)},
		{"that of the bus", "d/device/device/numa_node", "0\n", new(0)},
		{"none", "d/device/numa_node", "-1\n", nil},
		{"not shown", "d/x", "1\n", nil},
	}
	for _, tt := range tests {
		m := fstest.MapFS{tt.file: {Data: []byte(tt.text)}}
		equal(t, tt.name, tt.want, tree{m}.numaNode("d"))
	}
}

// TestBlockJSON holds the keys of the block object.
func TestBlockJSON(t *testing.T) {
	b, err := json.Marshal(mustBlock(t, load(t, "desktop"), "nvme0n1"))
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`chunk_sectors dax device disk hardware_queues io_poll io_poll_delay_us iostats iostats_passthrough kind level
		logical_block_bytes loop major_minor max_sectors_kb max_segments nomerges nr_requests numa_node nvme partition physical_block_bytes
		rotational scheduler wbt_lat_us write_cache`)
	equal(t, "keys", want, slices.Sorted(maps.Keys(keys)))
}

func FuzzScheduler(f *testing.F) {
	for _, seed := range []string{"[none] mq-deadline", "none", "[", "]x[", "[]", "a [b", "[[x]]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := tree{fstest.MapFS{"s": {Data: []byte(s)}}}.chosen("s")
		if got != nil && (*got == "" || len(*got) > 3*len(s)) {
			t.Errorf("chosen of %q = %q", s, *got)
		}
	})
}

// FuzzBlock looks for junk in a real tree.
func FuzzBlock(f *testing.F) {
	for _, seed := range []string{"nvme0n1", "/dev/nvme0n1p2", "259:2", "mapper/x", "../x", "", "1:2:3", "/", "!"} {
		f.Add(seed)
	}
	m := load(f, "desktop")
	f.Fuzz(func(t *testing.T, device string) {
		if b := ReadBlock(m, device); b != nil && (b.Device == "" || b.Disk == "" || b.Kind == "") {
			t.Errorf("ReadBlock(%q) = %+v", device, b)
		}
	})
}
