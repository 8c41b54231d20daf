package conditions

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
)

// sectorBytes is the size of a sector in the kernel's statistics, whatever the
// size of a logical block.
const sectorBytes = 512

// Counters are the statistics of a block device since it was found, or what was
// added between two moments. Requests are counted when they complete, after
// large ones were split and neighbours merged.
//
// Source: Linux kernel, Documentation/admin-guide/iostats.rst.
type Counters struct {
	// Reads and Writes are completed requests, Merges those that were added to
	// another one before they were sent, Sectors units of 512 bytes, MS the time
	// of all of them together.
	Reads        uint64 `json:"reads"`
	ReadMerges   uint64 `json:"read_merges"`
	ReadSectors  uint64 `json:"read_sectors"`
	ReadMS       uint64 `json:"read_ms"`
	Writes       uint64 `json:"writes"`
	WriteMerges  uint64 `json:"write_merges"`
	WriteSectors uint64 `json:"write_sectors"`
	WriteMS      uint64 `json:"write_ms"`
	// InFlight is the number of requests under way, not a counter.
	InFlight uint64 `json:"in_flight"`
	// BusyMS is the time with any request under way, WeightedMS the sum of the
	// times of all.
	BusyMS     uint64 `json:"busy_ms"`
	WeightedMS uint64 `json:"weighted_ms"`
	// Discards and what follows are 0 before kernel 4.18, Flushes 0 before 5.5
	// and of partitions.
	Discards       uint64 `json:"discards"`
	DiscardMerges  uint64 `json:"discard_merges"`
	DiscardSectors uint64 `json:"discard_sectors"`
	DiscardMS      uint64 `json:"discard_ms"`
	Flushes        uint64 `json:"flushes"`
	FlushMS        uint64 `json:"flush_ms"`
}

// Stats are the statistics of a device at one moment, or between two.
type Stats struct {
	Counters
	// Disk are those of the whole disk if the device is a partition, else nil.
	Disk *Counters `json:"disk"`
	// Kept is false where the kernel does not count on this device, so that the
	// numbers mean nothing.
	Kept bool `json:"kept"`
}

// fields returns the counters in the order of the kernel.
func (c *Counters) fields() []*uint64 {
	return []*uint64{
		&c.Reads, &c.ReadMerges, &c.ReadSectors, &c.ReadMS,
		&c.Writes, &c.WriteMerges, &c.WriteSectors, &c.WriteMS,
		&c.InFlight, &c.BusyMS, &c.WeightedMS,
		&c.Discards, &c.DiscardMerges, &c.DiscardSectors, &c.DiscardMS,
		&c.Flushes, &c.FlushMS,
	}
}

// fewestFields is how many fields the oldest kernels have, which know no
// discards and flushes.
const fewestFields = 11

// parseStats reads a line of statistics without the name of the device. Fields
// that this package does not know are left out.
func parseStats(line string) (Counters, error) {
	var c Counters
	words := strings.Fields(line)
	if len(words) < fewestFields {
		return c, fmt.Errorf("%d fields of statistics, at least %d expected", len(words), fewestFields)
	}
	for i, field := range c.fields() {
		if i == len(words) {
			break
		}
		n, err := strconv.ParseUint(words[i], 10, 64)
		if err != nil {
			return Counters{}, fmt.Errorf("field %d of statistics: %w", i+1, err)
		}
		*field = n
	}
	return c, nil
}

// ReadStats reads the statistics of a device below root, which is given as for
// [ReadBlock].
func ReadStats(root fs.FS, device string) (Stats, error) {
	t := tree{root}
	name := t.node(device)
	if name == "" {
		return Stats{}, fmt.Errorf("statistics of %s: %w", device, fs.ErrNotExist)
	}
	own, err := t.counters(path.Join(blockDir, name))
	if err != nil {
		return Stats{}, err
	}
	s := Stats{Counters: own, Kept: true}
	disk := t.diskOf(name)
	if disk != name {
		whole, err := t.counters(path.Join(blockDir, disk))
		if err != nil {
			return Stats{}, err
		}
		s.Disk = &whole
	} else if own == (Counters{}) {
		s.Counters = t.paths(disk)
	}
	if on := t.flag(blockDir, disk, "queue/iostats"); on != nil {
		s.Kept = *on
	}
	return s, nil
}

func (t tree) counters(dir string) (Counters, error) {
	b, err := fs.ReadFile(t.FS, path.Join(dir, "stat"))
	if err != nil {
		return Counters{}, err
	}
	c, err := parseStats(string(b))
	if err != nil {
		return c, fmt.Errorf("%s: %w", path.Base(dir), err)
	}
	return c, nil
}

var headName = lazyregexp.New(`^(nvme[0-9]+)(n[0-9]+)$`)

// paths returns the sum of the ways to an NVMe namespace with several
// controllers. Kernels before 6.4 count on those alone. They have no node, and
// a c and the number of the controller in the name.
func (t tree) paths(disk string) Counters {
	var sum Counters
	name := headName.FindStringSubmatch(disk)
	if name == nil {
		return sum
	}
	way := regexp.MustCompile(`^` + name[1] + `c[0-9]+` + name[2] + `$`)
	for _, controller := range t.names("sys/class/nvme") {
		dir := path.Join("sys/class/nvme", controller)
		for _, entry := range t.names(dir) {
			if !way.MatchString(entry) {
				continue
			}
			c, _ := t.counters(path.Join(dir, entry))
			for i, field := range sum.fields() {
				*field += *c.fields()[i]
			}
		}
	}
	return sum
}

// Sub returns what was added since before. Kept is false if the kernel counts
// nothing on the device, or if the counters began anew in between.
func (s Stats) Sub(before Stats) Stats {
	d := Stats{Kept: s.Kept && before.Kept && !s.empty()}
	var ok bool
	d.Counters, ok = s.since(&before.Counters)
	d.Kept = d.Kept && ok
	if s.Disk != nil && before.Disk != nil {
		disk, ok := s.Disk.since(before.Disk)
		d.Disk, d.Kept = &disk, d.Kept && ok
	}
	return d
}

// empty reports whether nothing was ever counted.
func (s Stats) empty() bool {
	return s.Counters == (Counters{}) && (s.Disk == nil || *s.Disk == (Counters{}))
}

// since subtracts before. ok is false if a counter began anew.
func (c Counters) since(before *Counters) (d Counters, ok bool) {
	ok = true
	to, was := d.fields(), before.fields()
	for i, now := range c.fields() {
		var fits bool
		*to[i], fits = added(*was[i], *now)
		ok = ok && (fits || now == &c.InFlight)
	}
	d.InFlight = c.InFlight
	return d, ok
}

// added returns by how much a counter grew. Times, and on 32-bit computers all,
// are of 32 bits and start over at 0.
func added(before, now uint64) (n uint64, ok bool) {
	switch {
	case now >= before:
		return now - before, true
	case before < 1<<32 && before > 1<<31 && now < 1<<31:
		return now + 1<<32 - before, true
	}
	return 0, false
}
