package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sata"
)

// summarySATA is the part of the summary about a disk of the SCSI layer.
func summarySATA(t lang.Tag, s *report.SATA) []entry {
	if s == nil {
		return nil
	}
	what := ""
	if s.Advice != nil {
		what = join(" · ", t.Sentence(s.Advice.Text), t.Sentence(s.Advice.Hint))
	}
	list := []entry{{Warn, "what", what, 0}}
	if h := s.Health; h != nil {
		list = append(list, entry{Plain, "life", lifeSATA(t, h), 0}, entry{Plain, "wear", wearSATA(t, s), 0},
			entry{Plain, "errors", errorsSATA(t, s), 0}, entry{Plain, "heat", heatSATA(t, s), 0})
	}
	return append(list, entry{Plain, "capacity", capacitySATA(t, s), 0}, entry{Plain, "link", linkSATA(t, s.Identity), 0})
}

// number writes a counter that may not be reported.
func number(t lang.Tag, n *uint64, one, many string) string {
	if n == nil {
		return ""
	}
	return counted(t, *n, one, many)
}

func lifeSATA(t lang.Tag, h *sata.Health) string {
	return join(" · ", number(t, h.PowerOnHours, "h powered on", "h powered on"),
		number(t, h.PowerCycles, "power cycle", "power cycles"), number(t, h.UnsafeShutdowns, "unsafe shutdown", "unsafe shutdowns"))
}

func wearSATA(t lang.Tag, s *report.SATA) string {
	written, used, left := "", "", ""
	if s.Health.BytesWritten != nil {
		written = t.Textf("%s written", size(*s.Health.BytesWritten))
	}
	if e := s.Endurance; e != nil {
		if e.FullDriveWrites != nil {
			written += t.Textf(" = %s times the drive", decimal(*e.FullDriveWrites))
		}
		if e.YearsLeftAtObservedRate != nil {
			left = t.Textf("%s left at the rate so far", years(t, *e.YearsLeftAtObservedRate))
		}
	}
	if p := s.Health.PercentageUsed; p != nil {
		used = t.Textf("the drive says %s used", with(*p, "%"))
	}
	return join(" · ", written, used, left)
}

func errorsSATA(t lang.Tag, s *report.SATA) string {
	h, status := s.Health, ""
	if s.Status != nil {
		status = t.Textf("SMART status %s", *s.Status)
	}
	return join(" · ", status, number(t, h.ReallocatedSectors, "block replaced", "blocks replaced"), number(t, h.PendingSectors, "block waits", "blocks wait"),
		number(t, h.UncorrectableErrors, "uncorrectable error", "uncorrectable errors"), number(t, h.CRCErrors, "damaged transfer", "damaged transfers"))
}

func heatSATA(t lang.Tag, s *report.SATA) string {
	now, highest := t.Text("temperature "+notReported), ""
	if s.Health.TemperatureCelsius != nil {
		now = t.Textf("%s now", celsius(t, s.Health.TemperatureCelsius))
	}
	if s.Statistics != nil && s.Statistics.HighestCelsius != nil {
		highest = t.Textf("highest ever %s", celsius(t, s.Statistics.HighestCelsius))
	}
	return join(" · ", now, highest)
}

func capacitySATA(t lang.Tag, s *report.SATA) string {
	switch {
	case s.Identity != nil:
		return t.Textf("%s, %s-byte sectors (%s physical)", size(s.Identity.CapacityBytes), count(s.Identity.LogicalSectorBytes), count(s.Identity.PhysicalSectorBytes))
	case s.Host != nil && s.Host.SizeBytes > 0:
		return t.Textf("%s by the host", size(uint64(s.Host.SizeBytes)))
	}
	return ""
}

func linkSATA(t lang.Tag, id *sata.Identity) string {
	if id == nil {
		return ""
	}
	now := ""
	if id.SpeedCurrentGbps != nil {
		now = t.Textf("at %s", decimal(*id.SpeedCurrentGbps)+nbsp+"Gbit/s")
	}
	if id.SpeedMaxGbps != nil {
		now = join(" ", now, t.Textf("of at most %s", decimal(*id.SpeedMaxGbps)+nbsp+"Gbit/s"))
	}
	return join(" ", id.Interface, now)
}

// sata writes every detail of a disk of the SCSI layer.
func (p *page) sata(s *report.SATA) {
	if s == nil {
		return
	}
	p.title("Disk")
	p.table(flat("", s.Host))
	p.table(flat("advice", s.Advice))
	if s.Identity != nil {
		p.title("IDENTIFY DEVICE")
		p.table(flat("", s.Identity))
	}
	if s.Health != nil {
		p.title("What the drive counts")
		p.table(flat("", s.Health))
		p.table(flat("endurance", s.Endurance))
		p.table(flat("", map[string]any{"smart_status": s.Status}))
	}
	p.attributes(s.Attributes)
	if s.Statistics != nil {
		p.title("Device statistics")
		p.table(flat("", s.Statistics))
	}
	if s.ErrorLog != nil || s.SelfTestLog != nil {
		p.title("Logs of the drive")
		p.table(flat("error log", s.ErrorLog))
		p.table(flat("self-test log", s.SelfTestLog))
	}
	for _, x := range s.Problems {
		p.labelled(Warn, "not read", fmt.Sprintf("%s: %s (%s)", x.Section, p.lang().Sentence(x.Text), x.Kind))
		p.labelled(Dim, "hint", p.lang().Sentence(x.Hint))
	}
}

func (p *page) attributes(a *sata.Attributes) {
	if a == nil {
		return
	}
	p.title("SMART attributes")
	t := p.lang()
	sum := t.Text("the pages add up")
	if !a.ChecksumOK {
		sum = t.Text("the pages do not add up")
	}
	p.note(join(" · ", t.Textf("revision %d", a.Version), prefixed(t.Text("names of "), a.Family), sum))
	var rows []pair
	for i := range a.Table {
		x := &a.Table[i]
		limit, kind := t.Text("no threshold"), t.Text("age")
		if x.Threshold != nil {
			limit = t.Textf("threshold %d", *x.Threshold)
		}
		if x.Prefailure {
			kind = t.Text("failure")
		}
		rows = append(rows, pair{fmt.Sprintf("%d %s", x.ID, x.Name), join(" · ",
			t.Textf("value %d, worst %d, %s", x.Value, x.Worst, limit), t.Textf("raw %s", x.RawText), t.Textf("(0x%x, counter %d)", x.Raw, x.Count),
			t.Textf("%s, flags 0x%02x", kind, x.Flags), prefixed(t.Text("FAILED "), x.WhenFailed))})
	}
	p.table(rows)
}

// flat lists the leaves of a structure by their JSON names, in the order of
// the structure, without those that are null or empty.
func flat(name string, v any) []pair {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return leavesOf(d, name)
}

// leavesOf reads one value.
func leavesOf(d *json.Decoder, name string) []pair {
	t, err := d.Token()
	if err != nil {
		return nil
	}
	var pairs []pair
	switch x := t.(type) {
	case json.Delim:
		for i := 1; d.More(); i++ {
			under := fmt.Sprintf("%s %d", name, i)
			if x == '{' {
				key, _ := d.Token()
				under = strings.TrimSpace(name + " " + strings.ReplaceAll(fmt.Sprint(key), "_", " "))
			}
			pairs = append(pairs, leavesOf(d, under)...)
		}
		_, _ = d.Token() // The end.
	case nil:
	case bool:
		pairs = []pair{{name, map[bool]string{true: "yes", false: "no"}[x]}}
	default:
		pairs = []pair{{name, fmt.Sprint(x)}}
	}
	return pairs
}
