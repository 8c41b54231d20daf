package prometheus

import (
	"maps"
	"slices"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart"
)

// sizes are those of the namespaces, which the label nsid tells apart.
func (s *section) sizes(r *report.Report) {
	if r.Namespaces.Data == nil {
		return
	}
	for _, n := range *r.Namespaces.Data {
		if n.Problem != nil {
			continue
		}
		nsid := integer(uint64(n.NSID))
		s.add(gauge, "nvme_physical_size_bytes", "The size of a namespace.", integer(n.SizeBytes), "nsid", nsid)
		s.add(gauge, "nvme_used_bytes", "What a namespace has allocated by its own account.", integer(n.UtilizationBytes), "nsid", nsid)
		s.add(gauge, "nvme_sector_size_bytes", "The size of a logical block of a namespace.", integer(n.LBAFormat.DataBytes), "nsid", nsid)
	}
}

// verdict enters which verdict holds, and the rules that speak against the
// drive.
func (s *section) verdict(r *report.Report) {
	for _, level := range []smart.Level{smart.Keep, smart.Note, smart.Return, smart.Unknown} {
		s.add(gauge, "qd1_verdict", "1 for the verdict of qd1 report that holds, without a benchmark.", boolean(r.Verdict.Level == level), "verdict", string(level))
	}
	seen := map[string]bool{}
	for _, f := range r.Verdict.Findings {
		if f.Severity != smart.SeverityNote && f.Severity != smart.SeverityReturn || seen[f.Rule] {
			continue
		}
		seen[f.Rule] = true
		s.add(gauge, "qd1_finding", "A rule of the verdict that speaks against the drive; always 1. qd1 rules explains it.", "1", "rule", f.Rule, "severity", string(f.Severity))
	}
}

const secondsPerYear = 8766 * 3600

func (s *section) endurance(e *smart.Endurance) {
	if e == nil {
		return
	}
	if e.RatedBytes != nil {
		s.add(gauge, "qd1_endurance_rated_bytes", "What the maker rates the drive for.", integer(*e.RatedBytes), "indicative", boolean(e.RatedIndicative))
	}
	if e.WrittenPercent != nil {
		s.add(gauge, "qd1_endurance_written_ratio", "What was written, of the rating.", float(*e.WrittenPercent/100))
	}
	if e.BytesToRated != nil {
		s.add(gauge, "qd1_endurance_remaining_bytes", "What may be written until the rating.", integer(*e.BytesToRated))
	}
	if e.YearsLeftAtObservedRate != nil {
		s.add(gauge, "qd1_endurance_remaining_seconds", "Time until the rating at the mean rate so far.", float(*e.YearsLeftAtObservedRate*secondsPerYear))
	}
}

// errorLog enters what is in the error log now, by category. Old entries fall
// out of the log, so this is no counter.
func (s *section) errorLog(r *report.Report) {
	if r.Errors.Data == nil {
		return
	}
	byCategory := map[smart.Category]int{smart.CategoryMedia: 0, smart.CategoryCommand: 0, smart.CategoryPath: 0, smart.CategoryOther: 0}
	for _, g := range r.Errors.Data.Groups {
		byCategory[g.Category] += g.Entries
		s.add(gauge, "qd1_error_log_group_entries", "Entries that are in the error log now, by status and namespace.", integer(g.Entries),
			"category", string(g.Category), "status", g.Status, "status_code", hex(uint16(g.StatusCode)), "nsid", integer(uint64(g.NSID)))
	}
	for _, c := range slices.Sorted(maps.Keys(byCategory)) {
		s.add(gauge, "qd1_error_log_entries", "Entries that are in the error log now, by category; \"command\" says nothing about the drive's health.", integer(byCategory[c]), "category", string(c))
	}
}

// hex writes a status as qd1 errors does.
func hex(code uint16) string {
	const digits = "0123456789abcdef"
	b := []byte("0x000")
	for i := range 3 {
		b[4-i] = digits[code>>(4*i)&0xf]
	}
	return string(b)
}

// link enters the link under names like those of node_exporter's own for PCI
// functions.
func (s *section) link(l *report.Link) {
	if l == nil {
		return
	}
	for _, speed := range []struct {
		name string
		gts  *float64
	}{{"current", l.SpeedGTs}, {"max", l.MaxSpeedGTs}} {
		if speed.gts != nil {
			s.add(gauge, "qd1_link_"+speed.name+"_transfers_per_second", "Speed of each lane of the PCI Express link ("+speed.name+").", float(*speed.gts*1e9))
		}
	}
	for _, width := range []struct {
		name  string
		lanes *int
	}{{"current", l.Width}, {"max", l.MaxWidth}} {
		if width.lanes != nil {
			s.add(gauge, "qd1_link_"+width.name+"_width", "Lanes of the PCI Express link ("+width.name+").", integer(*width.lanes))
		}
	}
	if l.AER == nil {
		return
	}
	for _, e := range []struct {
		severity string
		total    *uint64
	}{{"correctable", l.AER.Correctable}, {"nonfatal", l.AER.NonFatal}, {"fatal", l.AER.Fatal}} {
		if e.total != nil {
			s.add(counter, "qd1_link_errors_total", "Errors of the link that the host has counted since the device was found.", integer(*e.total), "severity", e.severity)
		}
	}
}

// presentName is the family that a later scrape reads again.
const presentName = "qd1_drive_present"

// ReadKnown returns the drives that a former scrape knew, present or absent.
// Lines that are not of that kind are passed over.
func ReadKnown(text string) []Known {
	var list []Known
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, presentName+`{serial="`)
		if !ok {
			continue
		}
		serial, rest, ok := quoted(rest)
		if rest, found := strings.CutPrefix(rest, `,model="`); ok && found {
			if model, _, ok := quoted(rest); ok && serial != "" {
				list = append(list, Known{serial, model})
			}
		}
	}
	return list
}

// quoted returns the value up to its closing quote, and what follows.
func quoted(s string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
			if s[i] == 'n' {
				b.WriteByte('\n')
				continue
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}
