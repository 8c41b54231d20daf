package render

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

func (p *page) namespaces(s *report.Section[[]report.Namespace]) {
	if s.Problem != nil || s.Data == nil {
		section(p, "Namespaces", s, noSection)
		return
	}
	for i := range *s.Data {
		n := &(*s.Data)[i]
		p.title(fmt.Sprintf("Namespace %d", n.NSID))
		if n.Problem != nil {
			p.problem(n.Problem)
			continue
		}
		p.table(namespacePairs(n))
		p.columns(fields(n.Fields, append(n.Inexact("identify"), "nguid", "eui64")...))
	}
}

func namespacePairs(n *report.Namespace) []pair {
	return []pair{
		{"size", told(n, "size_bytes", sizeBoth(n.SizeBytes))},
		{"capacity", told(n, "capacity_bytes", sizeBoth(n.CapacityBytes))},
		{"in use", told(n, "utilization_bytes", sizeBoth(n.UtilizationBytes)+" by the drive's count")},
		{"block format", blockFormat(n)},
		{"formats", told(n, "lba_formats", formatList(n.LBAFormats))},
		{"devices", join(", ", deref(n.Block, ""), deref(n.Generic, ""), strings.Join(n.Partitions, ", "))},
		{"EUI-64", n.EUI64.String()},
		{"NGUID", n.NGUID.String()},
		{"UUID", n.UUID.String()},
	}
}

// blockFormat is the format in use. Where its table is missing, only the size
// of a block is known.
func blockFormat(n *report.Namespace) string {
	switch {
	case n.Has("lba_formats") && n.Has("lba_format_index"):
		return fmt.Sprintf("%d: %s", n.LBAFormatIndex, formatText(n.LBAFormat))
	case n.LBAFormat.DataBytes == 0:
		return ""
	}
	return with(n.LBAFormat.DataBytes, "bytes") + " of data"
}

func formatText(f report.LBAFormat) string {
	return fmt.Sprintf("%s of data, %d of metadata, performance %d (0 is best)", with(f.DataBytes, "bytes"), f.MetadataBytes, f.RelativePerformance)
}

func formatList(list []report.LBAFormat) string {
	var parts []string
	for i, f := range list {
		parts = append(parts, formatShort(i, f))
	}
	return strings.Join(parts, ", ")
}

func formatShort(i int, f report.LBAFormat) string {
	if f.DataBytes == 0 {
		return fmt.Sprintf("%d: not available", i)
	}
	return fmt.Sprintf("%d: %d+%d bytes (performance %d)", i, f.DataBytes, f.MetadataBytes, f.RelativePerformance)
}

func (p *page) controller(s *report.Section[report.IdentifyController]) {
	if !section(p, "Identify Controller", s, noSection) {
		return
	}
	p.columns(fields(s.Data.IdentifyController, append(s.Data.Inexact(""), "sn", "mn", "fr", "subnqn", "fguid")...))
	p.table(append([]pair{{"subnqn", s.Data.SUBNQN.String()}, {"fguid", s.Data.FGUID.String()}}, powerPairs(s.Data.PowerStates)...))
}

func powerPairs(list []nvme.PowerState) []pair {
	var pairs []pair
	for i := range list {
		s := &list[i]
		if s.MaxPower == 0 && s.EntryLatency == 0 && s.ExitLatency == 0 && s.IdlePower == 0 && s.ActivePower == 0 {
			continue
		}
		operational := "operational"
		if s.NonOperational() {
			operational = "non-operational"
		}
		pairs = append(pairs, pair{fmt.Sprintf("power state %d", i), join(", ",
			fmt.Sprintf("%s"+nbsp+"W at most", strconv.FormatFloat(s.MaxMilliwatts()/1000, 'f', -1, 64)), operational,
			fmt.Sprintf("entry %s, exit %s", with(s.EntryLatency, "µs"), with(s.ExitLatency, "µs")),
			fmt.Sprintf("relative rrt %d rrl %d rwt %d rwl %d", s.RRT, s.RRL, s.RWT, s.RWL),
			nonZero("idle power %d", uint64(s.IdlePower)), nonZero("scale 0x%02x", uint64(s.IdleScale)),
			nonZero("active power %d", uint64(s.ActivePower)), nonZero("scale 0x%02x", uint64(s.ActiveScale)))})
	}
	return pairs
}

// fields lists the fields of a structure by their JSON names, in the order of
// the structure, without those that are shown elsewhere.
func fields(v any, except ...string) []pair {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(b, &values) != nil {
		return nil
	}
	for _, name := range except {
		delete(values, name)
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	text := string(b)
	sort.Slice(names, func(i, j int) bool {
		return strings.Index(text, `"`+names[i]+`":`) < strings.Index(text, `"`+names[j]+`":`)
	})
	pairs := make([]pair, len(names))
	for i, name := range names {
		pairs[i] = pair{name, fieldText(name, string(values[name]))}
	}
	return pairs
}

// bitFields are the fields of Identify that are sets of bits or identifiers.
const bitFields = " vid ssvid cmic ver oaes ctratt rrls nvmsr vwci mec oacs frmw lpa avscc apsta rpmbs dsto hctma sanicap anacap " +
	"sqes cqes oncs fuses fna vwc icsvscc nwpc ocfs sgls fcatt ofcs cntlid nsfeat flbas mc dpc dps nmic rescap fpi dlfeat nsattr "

func fieldText(name, value string) string {
	if n, err := strconv.ParseUint(value, 10, 64); err == nil && strings.Contains(bitFields, " "+name+" ") {
		return fmt.Sprintf("0x%x", n)
	}
	return strings.Trim(value, `"`)
}
