package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sata"
)

// summarySATA is the part of the summary about a disk of the SCSI layer.
func summarySATA(s *report.SATA) []entry {
	if s == nil {
		return nil
	}
	what := ""
	if s.Advice != nil {
		what = join(" · ", s.Advice.Text, s.Advice.Hint)
	}
	list := []entry{{Warn, "what", what, 0}}
	if h := s.Health; h != nil {
		list = append(list, entry{Plain, "life", lifeSATA(h), 0}, entry{Plain, "wear", wearSATA(s), 0},
			entry{Plain, "errors", errorsSATA(s), 0}, entry{Plain, "heat", heatSATA(s), 0})
	}
	return append(list, entry{Plain, "capacity", capacitySATA(s), 0}, entry{Plain, "link", linkSATA(s.Identity), 0})
}

// number writes a counter that may not be reported.
func number(n *uint64, one, many string) string {
	if n == nil {
		return ""
	}
	return counted(*n, one, many)
}

func lifeSATA(h *sata.Health) string {
	return join(" · ", number(h.PowerOnHours, "h powered on", "h powered on"),
		number(h.PowerCycles, "power cycle", "power cycles"), number(h.UnsafeShutdowns, "unsafe shutdown", "unsafe shutdowns"))
}

func wearSATA(s *report.SATA) string {
	written, used, left := "", "", ""
	if s.Health.BytesWritten != nil {
		written = size(*s.Health.BytesWritten) + " written"
	}
	if e := s.Endurance; e != nil {
		if e.FullDriveWrites != nil {
			written += fmt.Sprintf(" = %s times the drive", decimal(*e.FullDriveWrites))
		}
		if e.YearsLeftAtObservedRate != nil {
			left = years(*e.YearsLeftAtObservedRate) + " left at the rate so far"
		}
	}
	if p := s.Health.PercentageUsed; p != nil {
		used = "the drive says " + with(*p, "%") + " used"
	}
	return join(" · ", written, used, left)
}

func errorsSATA(s *report.SATA) string {
	h, status := s.Health, ""
	if s.Status != nil {
		status = "SMART status " + string(*s.Status)
	}
	return join(" · ", status, number(h.ReallocatedSectors, "block replaced", "blocks replaced"), number(h.PendingSectors, "block waits", "blocks wait"),
		number(h.UncorrectableErrors, "uncorrectable error", "uncorrectable errors"), number(h.CRCErrors, "damaged transfer", "damaged transfers"))
}

func heatSATA(s *report.SATA) string {
	now, highest := "temperature "+notReported, ""
	if s.Health.TemperatureCelsius != nil {
		now = celsius(s.Health.TemperatureCelsius) + " now"
	}
	if s.Statistics != nil && s.Statistics.HighestCelsius != nil {
		highest = "highest ever " + celsius(s.Statistics.HighestCelsius)
	}
	return join(" · ", now, highest)
}

func capacitySATA(s *report.SATA) string {
	switch {
	case s.Identity != nil:
		return fmt.Sprintf("%s, %s-byte sectors (%s physical)", size(s.Identity.CapacityBytes), count(s.Identity.LogicalSectorBytes), count(s.Identity.PhysicalSectorBytes))
	case s.Host != nil && s.Host.SizeBytes > 0:
		return size(uint64(s.Host.SizeBytes)) + " by the host"
	}
	return ""
}

func linkSATA(id *sata.Identity) string {
	if id == nil {
		return ""
	}
	now := ""
	if id.SpeedCurrentGbps != nil {
		now = "at " + decimal(*id.SpeedCurrentGbps) + nbsp + "Gbit/s"
	}
	if id.SpeedMaxGbps != nil {
		now = join(" ", now, "of at most", decimal(*id.SpeedMaxGbps)+nbsp+"Gbit/s")
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
		p.labelled(Warn, "not read", fmt.Sprintf("%s: %s (%s)", x.Section, x.Text, x.Kind))
		p.labelled(Dim, "hint", x.Hint)
	}
}

func (p *page) attributes(a *sata.Attributes) {
	if a == nil {
		return
	}
	p.title("SMART attributes")
	sum := "the pages add up"
	if !a.ChecksumOK {
		sum = "the pages do not add up"
	}
	p.note(join(" · ", fmt.Sprintf("revision %d", a.Version), prefixed("names of ", a.Family), sum))
	var rows []pair
	for i := range a.Table {
		x := &a.Table[i]
		limit, kind := "no threshold", "age"
		if x.Threshold != nil {
			limit = fmt.Sprintf("threshold %d", *x.Threshold)
		}
		if x.Prefailure {
			kind = "failure"
		}
		rows = append(rows, pair{fmt.Sprintf("%d %s", x.ID, x.Name), join(" · ",
			fmt.Sprintf("value %d, worst %d, %s", x.Value, x.Worst, limit), "raw "+x.RawText, fmt.Sprintf("(0x%x, counter %d)", x.Raw, x.Count),
			fmt.Sprintf("%s, flags 0x%02x", kind, x.Flags), prefixed("FAILED ", x.WhenFailed))})
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
