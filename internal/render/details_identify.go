package render

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lang"
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
		p.title(p.lang().Textf("Namespace %d", n.NSID))
		if n.Problem != nil {
			p.problem(n.Problem)
			continue
		}
		p.table(namespacePairs(p.lang(), n))
		p.columns(fields(n.Fields, append(n.Inexact("identify"), "nguid", "eui64")...))
	}
}

func namespacePairs(t lang.Tag, n *report.Namespace) []pair {
	return []pair{
		{"size", told(t, n, "size_bytes", sizeInAll(t, n.SizeBytes))},
		{"capacity", told(t, n, "capacity_bytes", sizeBoth(t, n.CapacityBytes))},
		{"in use", told(t, n, "utilization_bytes", t.Textf("%s by the drive's count", sizeBoth(t, n.UtilizationBytes)))},
		{"block format", blockFormat(t, n)},
		{"formats", told(t, n, "lba_formats", formatList(t, n.LBAFormats))},
		{"note", metadataInBlocks(t, n)},
		{"devices", commas(t, deref(n.Block, ""), deref(n.Generic, ""), commas(t, n.Partitions...))},
		{"EUI-64", n.EUI64.String()},
		{"NGUID", n.NGUID.String()},
		{"UUID", n.UUID.String()},
	}
}

// blockFormat is the format in use. Where its table is missing, only the size
// of a block is known.
func blockFormat(t lang.Tag, n *report.Namespace) string {
	switch {
	case n.Has("lba_formats") && n.Has("lba_format_index") && n.LBAFormat.DataBytes == 0 && n.LBAFormatIndex >= len(n.LBAFormats):
		return t.Textf("%d: the drive lists only %s: the page is damaged", n.LBAFormatIndex, counted(t, len(n.LBAFormats), "format", "formats"))
	case n.Has("lba_formats") && n.Has("lba_format_index"):
		return fmt.Sprintf("%d: %s", n.LBAFormatIndex, formatText(t, n.LBAFormat))
	case n.LBAFormat.DataBytes == 0:
		return ""
	}
	return t.Textf("%s of data", exactly(t, n.LBAFormat.DataBytes))
}

// metadataInBlocks says what follows from metadata at the end of each block: a
// host transfers blocks without. Only protection information of its whole length
// is taken out by the drive itself.
func metadataInBlocks(t lang.Tag, n *report.Namespace) string {
	const atEnd, protectionBytes = 0x10, 8
	m := n.LBAFormat.MetadataBytes
	if n.Fields == nil || m == 0 || n.Fields.FLBAS&atEnd == 0 || n.Fields.DPS != 0 && m == protectionBytes {
		return ""
	}
	text := t.Textf("%d bytes of metadata stand in each block: Linux shows no block device of use, and it cannot be measured", m)
	for i, f := range n.LBAFormats {
		if f.MetadataBytes == 0 && f.DataBytes == n.LBAFormat.DataBytes {
			return join(semicolon(t), text, t.Textf("format %d has %d bytes without metadata", i, f.DataBytes))
		}
	}
	return text
}

func formatText(t lang.Tag, f report.LBAFormat) string {
	return t.Textf("%s of data, %d of metadata, performance %d (0 is best)", exactly(t, f.DataBytes), f.MetadataBytes, f.RelativePerformance)
}

func formatList(t lang.Tag, list []report.LBAFormat) string {
	var parts []string
	for i, f := range list {
		parts = append(parts, formatShort(t, i, f))
	}
	return commas(t, parts...)
}

func formatShort(t lang.Tag, i int, f report.LBAFormat) string {
	if f.DataBytes == 0 {
		return t.Textf("%d: not available", i)
	}
	return t.Textf("%d: %d+%d bytes (performance %d)", i, f.DataBytes, f.MetadataBytes, f.RelativePerformance)
}

func (p *page) controller(s *report.Section[report.IdentifyController]) {
	if !section(p, "Identify Controller", s, noSection) {
		return
	}
	p.columns(fields(s.Data.IdentifyController, append(s.Data.Inexact(""), "sn", "mn", "fr", "subnqn", "fguid")...))
	p.table(append([]pair{{"subnqn", s.Data.SUBNQN.String()}, {"fguid", s.Data.FGUID.String()}}, powerPairs(p.lang(), s.Data.PowerStates)...))
}

func powerPairs(t lang.Tag, list []nvme.PowerState) []pair {
	var pairs []pair
	for i := range list {
		s := &list[i]
		if s.MaxPower == 0 && s.EntryLatency == 0 && s.ExitLatency == 0 && s.IdlePower == 0 && s.ActivePower == 0 {
			continue
		}
		operational := t.Text("operational")
		if s.NonOperational() {
			operational = t.Text("non-operational")
		}
		pairs = append(pairs, pair{t.Textf("power state %d", i), commas(t,
			t.Textf("%s"+nbsp+"W at most", strconv.FormatFloat(s.MaxMilliwatts()/1000, 'f', -1, 64)), operational,
			t.Textf("entry %s, exit %s", with(s.EntryLatency, "µs"), with(s.ExitLatency, "µs")),
			t.Textf("relative rrt %d rrl %d rwt %d rwl %d", s.RRT, s.RRL, s.RWT, s.RWL),
			nonZero("idle power %d", uint64(s.IdlePower)), nonZero("scale 0x%02x", uint64(s.IdleScale)),
			nonZero("active power %d", uint64(s.ActivePower)), nonZero("scale 0x%02x", uint64(s.ActiveScale)))})
	}
	return pairs
}

// fields lists the fields of a structure by their JSON names, in the order of
// the structure, without those that are shown elsewhere. v points to it, or is nil.
func fields(v any, except ...string) []pair {
	structure := reflect.ValueOf(v).Elem()
	if !structure.IsValid() {
		return nil
	}
	var pairs []pair
	for i := range structure.NumField() {
		name := structure.Type().Field(i).Tag.Get("json")
		if name == "" || name == "-" || slices.Contains(except, name) {
			continue
		}
		value, err := json.Marshal(structure.Field(i).Interface())
		if err != nil {
			return nil
		}
		pairs = append(pairs, pair{name, fieldText(name, string(value))})
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
