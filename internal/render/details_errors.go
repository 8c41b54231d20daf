package render

import (
	"fmt"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func (p *page) errors(s *report.Section[report.Errors]) {
	if !section(p, "Error log", s, noSection) {
		return
	}
	if len(s.Data.Entries) == 0 {
		p.note("no entries (many drives lose them when power goes; the counter in the SMART log stays)")
		return
	}
	var groups, entries []pair
	for _, g := range s.Data.Groups {
		groups = append(groups, pair{counted(g.Entries, "entry", "entries"), groupText(&g)})
	}
	for i := range s.Data.Entries {
		entries = append(entries, pair{fmt.Sprintf("#%d", s.Data.Entries[i].ErrorCount), entryText(&s.Data.Entries[i])})
	}
	p.table(groups)
	p.line("")
	p.table(entries)
}

func groupText(g *smart.ErrorGroup) string {
	namespace, blocks := "", ""
	if g.NSID != 0 && g.NSID != nvme.BroadcastNSID {
		namespace = fmt.Sprintf("namespace %d", g.NSID)
	}
	if g.LBAMin != nil && g.LBAMax != nil {
		blocks = fmt.Sprintf("LBA %s to %s", count(*g.LBAMin), count(*g.LBAMax))
	}
	return join(", ", fmt.Sprintf("%s (0x%03x)", g.Status, uint16(g.StatusCode)), categoryText(g.Category), namespace, blocks)
}

func categoryText(c smart.Category) string {
	switch c {
	case smart.CategoryMedia:
		return "media error"
	case smart.CategoryCommand:
		return "command error: harmless"
	}
	return string(c) + " error"
}

func entryText(e *report.ErrorEntry) string {
	return join(", ",
		fmt.Sprintf("%s (status 0x%04x, phase %d)", e.StatusText, e.Status, e.StatusInfo.Phase()),
		queueText(e), fmt.Sprintf("namespace %s", nsidText(e.NSID)), "LBA "+count(e.LBA),
		parameterText(e.ParameterErrorLocation),
		nonZero("opcode 0x%02x", uint64(e.Opcode)), nonZero("command set %d", uint64(e.CSI)),
		nonZero("vendor log 0x%02x", uint64(e.VSIA)), nonZero("transport type %d", uint64(e.TRTYPE)),
		nonZero("command specific 0x%x", e.CommandSpecific), nonZero("transport specific 0x%x", uint64(e.TTSI)),
		nonZero("log page version %d", uint64(e.LPVER)))
}

// none16 is what a field of an entry has that is tied to nothing.
const none16 = 0xFFFF

func queueText(e *report.ErrorEntry) string {
	queue, command := fmt.Sprintf("queue %d", e.SQID), fmt.Sprintf("command %d", e.CID)
	if e.SQID == none16 {
		queue = "no queue"
	}
	if e.CID == none16 {
		command = "no command"
	}
	return queue + " " + command
}

func nsidText(n nvme.NSID) string {
	switch n {
	case 0:
		return "none"
	case nvme.BroadcastNSID:
		return "all"
	}
	return fmt.Sprint(uint32(n))
}

func parameterText(location uint16) string {
	if location == none16 {
		return "no parameter"
	}
	return fmt.Sprintf("parameter at byte %d bit %d", location&0xFF, location>>8)
}

func nonZero(format string, v uint64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}
