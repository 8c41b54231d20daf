package conditions

import (
	"io/fs"
	"path"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
)

const blockDir = "sys/class/block"

// Block is a block device as far as latency depends on what the kernel does
// above the drive. Of a partition, the queue is that of its disk.
type Block struct {
	// Device is the kernel's name, such as "nvme0n1p2", and Number its
	// "major:minor".
	Device string  `json:"device"`
	Number *string `json:"major_minor"`
	// Disk is the device without the partition, Partition the number of that;
	// nil for a whole device.
	Disk      string `json:"disk"`
	Partition *int   `json:"partition"`
	// Kind is what the disk is: "nvme", "md", "dm", "loop", "virtio", "scsi",
	// "mmc", "zram", "ram", "nbd" or "other". Level says more of md and dm, such
	// as "raid1" or "crypt".
	Kind  string  `json:"kind"`
	Level *string `json:"level"`
	Queue
	NUMANode *int `json:"numa_node"`
	// Loop is nil unless the disk is a loop device.
	Loop *Loop `json:"loop"`
	// NVMe is nil unless the disk is a namespace of an NVMe drive.
	NVMe *NVMe `json:"nvme"`
	// Members are the devices below an md or dm device, which have their own
	// queues and drives.
	Members []Block `json:"members,omitempty"`
}

// Queue is the request queue of a disk. The names are the kernel's.
//
// Source: Linux kernel, Documentation/ABI/stable/sysfs-block.
type Queue struct {
	// Scheduler is the one in use; nil for a device that has none.
	Scheduler *string `json:"scheduler"`
	Requests  *int    `json:"nr_requests"`
	// HardwareQueues is how many queues the device has.
	HardwareQueues *int `json:"hardware_queues"`
	// WriteCache is "write back" or "write through".
	WriteCache *string `json:"write_cache"`
	Rotational *bool   `json:"rotational"`
	// NoMerges is 0 if requests are merged with neighbours, 1 if only with the
	// last one, 2 if never.
	NoMerges *int `json:"nomerges"`
	// WritebackUS is the latency in µs that writeback is throttled for, 0 if it
	// is not.
	WritebackUS *int `json:"wbt_lat_us"`
	// IOPoll tells whether completions can be polled for. IOPollDelayUS is how
	// long the kernel sleeps before it polls, -1 not at all, 0 as it sees fit.
	IOPoll        *bool `json:"io_poll"`
	IOPollDelayUS *int  `json:"io_poll_delay_us"`
	// MaxSectorsKB is the largest request in KiB, MaxSegments the most pieces of
	// memory in one, ChunkSectors the number of 512-byte sectors between borders
	// that no request crosses, 0 for none.
	MaxSectorsKB *int `json:"max_sectors_kb"`
	MaxSegments  *int `json:"max_segments"`
	ChunkSectors *int `json:"chunk_sectors"`
	// LogicalBytes and PhysicalBytes are the sizes of a block.
	LogicalBytes  *int `json:"logical_block_bytes"`
	PhysicalBytes *int `json:"physical_block_bytes"`
	// DAX tells whether files can be mapped without the block layer.
	DAX *bool `json:"dax"`
	// IOStats tells whether the kernel counts requests, IOStatsPassthrough
	// whether commands past the block layer too.
	IOStats            *bool `json:"iostats"`
	IOStatsPassthrough *bool `json:"iostats_passthrough"`
}

// Loop is what a loop device lies on.
type Loop struct {
	BackingFile *string `json:"backing_file"`
	// Direct tells whether the file is read past the page cache. If not, reads
	// of the device may be answered from memory.
	Direct *bool `json:"direct_io"`
}

// maxDepth bounds how far devices are followed to what they are made of.
const maxDepth = 8

// ReadBlock reads the block device below root, which is given by its name, with
// or without "/dev/", or as "major:minor". It is nil if there is no such device.
// Links such as those in /dev/mapper are not followed.
func ReadBlock(root fs.FS, device string) *Block {
	t := tree{root}
	name := t.node(device)
	if name == "" {
		return nil
	}
	return t.block(name, maxDepth)
}

func (t tree) block(name string, depth int) *Block {
	disk := t.diskOf(name)
	dir := path.Join(blockDir, disk)
	b := &Block{
		Device:    name,
		Number:    t.text(blockDir, name, "dev"),
		Disk:      disk,
		Partition: t.number(blockDir, name, "partition"),
		Kind:      kindOf(disk),
		Level:     t.level(dir),
		Queue:     t.queue(dir),
		NUMANode:  t.numaNode(dir),
		NVMe:      t.nvme(disk),
	}
	if t.exists(dir, "loop") {
		b.Loop = &Loop{t.text(dir, "loop/backing_file"), t.flag(dir, "loop/dio")}
	}
	if b.NVMe != nil {
		b.NUMANode = b.NVMe.numaNode
	}
	for _, member := range t.names(dir, "slaves") {
		if depth > 0 && t.exists(blockDir, member) {
			b.Members = append(b.Members, *t.block(member, depth-1))
		}
	}
	return b
}

func (t tree) queue(dir string) Queue {
	dir = path.Join(dir, "queue")
	q := Queue{
		Scheduler:     t.chosen(dir, "scheduler"),
		Requests:      t.number(dir, "nr_requests"),
		WriteCache:    t.text(dir, "write_cache"),
		Rotational:    t.flag(dir, "rotational"),
		NoMerges:      t.number(dir, "nomerges"),
		WritebackUS:   t.number(dir, "wbt_lat_usec"),
		IOPoll:        t.flag(dir, "io_poll"),
		IOPollDelayUS: t.number(dir, "io_poll_delay"),
		MaxSectorsKB:  t.number(dir, "max_sectors_kb"),
		MaxSegments:   t.number(dir, "max_segments"),
		ChunkSectors:  t.number(dir, "chunk_sectors"),
		LogicalBytes:  t.number(dir, "logical_block_size"),
		PhysicalBytes: t.number(dir, "physical_block_size"),
		DAX:           t.flag(dir, "dax"),
		IOStats:       t.flag(dir, "iostats"),

		IOStatsPassthrough: t.flag(dir, "iostats_passthrough"),
	}
	if queues := t.names(path.Dir(dir), "mq"); len(queues) > 0 {
		q.HardwareQueues = new(len(queues))
	}
	return q
}

// numaNode returns the node of the device that the disk is on; the kernel
// writes -1 for none.
func (t tree) numaNode(dir string) *int {
	for _, name := range []string{"device/numa_node", "device/device/numa_node"} {
		if n := t.number(dir, name); n != nil && *n >= 0 {
			return n
		}
	}
	return nil
}

var numbered = lazyregexp.New(`^[0-9]{1,4}:[0-9]{1,7}$`)

// node returns the kernel's name of a device, "" if there is no such device.
func (t tree) node(device string) string {
	name := strings.TrimPrefix(device, "/dev/")
	if mapped, ok := strings.CutPrefix(name, "mapper/"); ok {
		name = t.mapped(mapped)
	} else if numbered.MatchString(name) {
		name = t.named(name)
	}
	name = strings.ReplaceAll(name, "/", "!") // As sysfs does.
	if name == "" || !fs.ValidPath(name) || name == "." || !t.exists(blockDir, name) {
		return ""
	}
	return name
}

// named returns the name of the device with this number.
func (t tree) named(number string) string {
	b, _ := fs.ReadFile(t.FS, path.Join("sys/dev/block", number, "uevent"))
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "DEVNAME="); ok {
			return name
		}
	}
	return ""
}

// mapped returns the dm device with this name, which /dev/mapper has.
func (t tree) mapped(name string) string {
	for _, disk := range t.names("sys/block") {
		if have := t.text("sys/block", disk, "dm/name"); have != nil && *have == name {
			return disk
		}
	}
	return ""
}

// diskOf returns the disk of a partition, which lies in the directory of the
// disk, and any other name as it is.
func (t tree) diskOf(name string) string {
	if !t.exists(blockDir, name, "partition") {
		return name
	}
	for _, disk := range t.names("sys/block") {
		if t.exists("sys/block", disk, name, "partition") {
			return disk
		}
	}
	return name
}

// kindOf tells the kind of a disk by its name, as the kernel's drivers name them.
func kindOf(disk string) string {
	for _, k := range []struct{ prefix, kind string }{
		{"nvme", "nvme"},
		{"md", "md"},
		{"dm-", "dm"},
		{"loop", "loop"},
		{"vd", "virtio"},
		{"sd", "scsi"},
		{"mmcblk", "mmc"},
		{"zram", "zram"},
		{"ram", "ram"},
		{"nbd", "nbd"},
	} {
		if strings.HasPrefix(disk, k.prefix) {
			return k.kind
		}
	}
	return "other"
}

// level returns the level of an md device or the kind of a dm device, which is
// how its UUID begins: "CRYPT-LUKS2-…", "LVM-…".
func (t tree) level(dir string) *string {
	if level := t.text(dir, "md/level"); level != nil {
		return level
	}
	kind, _, ok := strings.Cut(orEmpty(t.text(dir, "dm/uuid")), "-")
	if !ok {
		return nil
	}
	return notEmpty(strings.ToLower(kind))
}
