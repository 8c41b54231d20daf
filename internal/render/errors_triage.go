package render

import (
	"fmt"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// triage writes what an error log comes to, in sentences.
func (p *page) triage(e *report.Errors) {
	t, of := p.lang(), e.Triage
	if of == nil {
		return
	}
	for _, line := range []string{mediaText(t, of), refusedText(t, of), faultsText(t, of), opcodesText(t, of), addedText(t, e.EntriesAdded)} {
		if line != "" {
			p.paragraph("  ", "    ", line)
		}
	}
	p.line("")
}

// mediaText tells of the media errors: how many, and where on the medium the
// latest ones are.
func mediaText(t lang.Tag, e *smart.Triage) string {
	counted := plural(t, count(e.Media), "media error in the log", "media errors in the log")
	if e.MediaErrors != nil {
		counted = plural(t, count128(*e.MediaErrors), "media error", "media errors")
	}
	switch {
	case len(e.Spots) == 0 && (e.MediaErrors == nil || e.MediaErrors.IsZero()):
		return t.Text("no media error")
	case len(e.Spots) == 0:
		return t.Textf("%s, of which the log shows none", counted)
	case len(e.Spots) == 1:
		return t.Textf("%s: one spot, %s", counted, spotText(t, &e.Spots[0]))
	}
	return t.Textf("%s: %d spots, the one with most entries: %s", counted, len(e.Spots), spotText(t, &e.Spots[0]))
}

// spotText is how many blocks a spot has, and where it is.
func spotText(t lang.Tag, s *smart.Spot) string {
	place := t.Textf("LBA %s to %s", count(s.LBAMin), count(s.LBAMax))
	if s.LBAs == 1 {
		place = "LBA " + count(s.LBAMin)
	}
	if s.AtEnd() {
		place = t.Textf("in the last %s of the disk", blockSize(t, int(*s.FromEndBytes))) + " (" + place + ")"
	}
	namespace := ""
	if s.NSID > 1 && s.NSID != nvme.BroadcastNSID {
		namespace = t.Textf("namespace %d", s.NSID)
	}
	return commas(t, counted(t, s.LBAs, "LBA", "LBAs"), place, namespace, counted(t, s.Entries, "entry", "entries"))
}

// refusedText tells of the commands that the drive refused.
func refusedText(t lang.Tag, e *smart.Triage) string {
	if e.Command == 0 {
		return ""
	}
	return t.Textf("%s: harmless, systems and tools try what a drive may not have", counted(t, e.Command, "refused command", "refused commands"))
}

func faultsText(t lang.Tag, e *smart.Triage) string {
	path, other := "", ""
	if e.Path > 0 {
		path = counted(t, e.Path, "error of the path to the drive", "errors of the path to the drive")
	}
	if e.Other > 0 {
		other = counted(t, e.Other, "internal or vendor specific error", "internal or vendor specific errors")
	}
	return commas(t, other, path)
}

// opcodesText lists the commands of the entries, where the drive notes them.
func opcodesText(t lang.Tag, e *smart.Triage) string {
	list := ""
	for _, o := range e.Opcodes {
		list = commas(t, list, fmt.Sprintf("%s (%02Xh) %s", o.Name, o.Opcode, count(o.Entries)))
	}
	if list == "" {
		return ""
	}
	return t.Textf("by command: %s", list)
}

// addedText says what qd1 itself did to the log.
func addedText(t lang.Tag, added *int64) string {
	if added == nil {
		return ""
	}
	return t.Textf("caused by qd1 itself: %s", counted(t, *added, "entry", "entries"))
}
