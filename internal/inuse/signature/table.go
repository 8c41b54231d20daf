package signature

import (
	"errors"
	"fmt"
	"strings"
)

// partitionLimit is how many partitions are looked at: as many as the Linux
// kernel makes of one disk.
const partitionLimit = 256

var errPartitions = errors.New("there are more than 256 partitions, the others were not looked at")

// partition is an entry of a partition table, in bytes of the region.
type partition struct {
	number      int
	start, size int64
}

// table is a partition table with its partitions.
type table struct {
	found
	partitions []partition
}

// tables finds the partition tables of a region, and the partitions as regions.
// A region that two tables have is that of the first.
func tables(g region) ([]found, []region) {
	all := gpt(g)
	if m, ok := mbr(g, len(all) > 0); ok {
		all = append(all, m)
	}
	var list []found
	for _, t := range all {
		list = append(list, t.found)
	}
	return list, regions(g, all)
}

func regions(g region, all []table) []region {
	var parts []region
	seen := map[int64]bool{}
	for _, t := range all {
		for _, p := range t.partitions {
			if seen[p.start] || !g.within(p) {
				continue
			}
			if len(parts) == partitionLimit {
				g.r.skipped = errPartitions
				return parts
			}
			seen[p.start] = true
			where := fmt.Sprintf("partition %d", p.number)
			if len(all) > 1 {
				where += " of the " + strings.ToUpper(string(t.kind))
			}
			parts = append(parts, region{r: g.r, start: g.start + p.start, size: p.size, partition: p.number, where: where})
		}
	}
	return parts
}

// within reports whether a partition starts in the region behind its start; it
// may be longer than the region.
func (g region) within(p partition) bool {
	return p.start > 0 && p.start < g.size && p.size > 0
}

// count says how many partitions there are.
func count(n int) string {
	switch n {
	case 0:
		return "without partitions"
	case 1:
		return "with 1 partition"
	}
	return fmt.Sprintf("with %d partitions", n)
}
