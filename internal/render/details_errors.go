package render

import (
	"fmt"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func (p *page) errors(s *report.Section[report.Errors]) {
	if !section(p, "Error log", s, noSection) {
		return
	}
	p.triage(s.Data)
	if len(s.Data.Entries) == 0 {
		p.note("no entries (many drives lose them when power goes; the counter in the SMART log stays)")
		return
	}
	var groups, entries []pair
	for _, g := range s.Data.Groups {
		groups = append(groups, pair{counted(p.lang(), g.Entries, "entry", "entries"), groupText(p.lang(), &g)})
	}
	for i := range s.Data.Entries {
		entries = append(entries, pair{fmt.Sprintf("#%d", s.Data.Entries[i].ErrorCount), entryText(p.lang(), &s.Data.Entries[i])})
	}
	p.table(groups)
	p.line("")
	p.table(entries)
}

func groupText(t lang.Tag, g *smart.ErrorGroup) string {
	namespace, blocks := "", ""
	if g.NSID != 0 && g.NSID != nvme.BroadcastNSID {
		namespace = t.Textf("namespace %d", g.NSID)
	}
	if g.LBAMin != nil && g.LBAMax != nil {
		blocks = t.Textf("LBA %s to %s", count(*g.LBAMin), count(*g.LBAMax))
	}
	return commas(t, fmt.Sprintf("%s (0x%03x)", g.Status, uint16(g.StatusCode)), categoryText(t, g.Category), namespace, blocks)
}

func categoryText(t lang.Tag, c smart.Category) string {
	switch c {
	case smart.CategoryMedia:
		return t.Text("media error")
	case smart.CategoryCommand:
		return t.Text("command error: harmless")
	}
	return t.Text(string(c) + " error")
}

func entryText(t lang.Tag, e *report.ErrorEntry) string {
	return commas(t,
		t.Textf("%s (status 0x%04x, phase %d)", e.StatusText, e.Status, e.StatusInfo.Phase()),
		queueText(t, e), t.Textf("namespace %s", nsidText(t, e.NSID)), "LBA "+count(e.LBA),
		parameterText(t, e.ParameterErrorLocation),
		nonZero("opcode 0x%02x", uint64(e.Opcode)), nonZero("command set %d", uint64(e.CSI)),
		nonZero("vendor log 0x%02x", uint64(e.VSIA)), nonZero("transport type %d", uint64(e.TRTYPE)),
		nonZero("command specific 0x%x", e.CommandSpecific), nonZero("transport specific 0x%x", uint64(e.TTSI)),
		nonZero("log page version %d", uint64(e.LPVER)))
}

// none16 is what a field of an entry has that is tied to nothing.
const none16 = 0xFFFF

func queueText(t lang.Tag, e *report.ErrorEntry) string {
	queue, command := t.Textf("queue %d", e.SQID), t.Textf("command %d", e.CID)
	if e.SQID == none16 {
		queue = t.Text("no queue")
	}
	if e.CID == none16 {
		command = t.Text("no command")
	}
	return queue + " " + command
}

func nsidText(t lang.Tag, n nvme.NSID) string {
	switch n {
	case 0:
		return t.Text("none")
	case nvme.BroadcastNSID:
		return t.Text("all")
	}
	return fmt.Sprint(uint32(n))
}

func parameterText(t lang.Tag, location uint16) string {
	if location == none16 {
		return t.Text("no parameter")
	}
	return t.Textf("parameter at byte %d bit %d", location&0xFF, location>>8)
}

func nonZero(format string, v uint64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}
