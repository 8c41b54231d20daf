package dump

import (
	"fmt"
	"math"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// notes says what in the parts of a drive gives reason to doubt.
func (g *group) notes(d *Drive) {
	for i := range g.parts {
		switch p := &g.parts[i]; {
		case p.alone && g.identified():
			d.note(fmt.Sprintf("nothing in the file says that the %s and the identity are of one drive", p.page()))
		case p.alone:
			d.note(fmt.Sprintf("nothing in the file says that the %s and the other pages are of one drive", p.page()))
		}
	}
	readings := g.readings()
	if n := len(readings); n > 1 {
		d.note(fmt.Sprintf("the file has %d readings of this drive: the one that stands last, on line %d, is used", n, readings[n-1].drive.smart.line))
	}
	for i := 1; i < len(readings); i++ {
		d.compare(readings[i-1].drive.smart, readings[i].drive.smart)
	}
	d.contradiction()
}

// page names what a part without identity is.
func (p *part) page() string {
	switch d := p.drive; {
	case d.smart != nil:
		return "SMART log"
	case d.errors != nil:
		return "error log"
	case d.firmware != nil:
		return "firmware slot log"
	case d.namespaces != nil:
		return "page of the namespace"
	}
	return "page"
}

// compare looks for counters that are lower in the later of two readings,
// although they can only grow.
func (d *Drive) compare(earlier, later *page) {
	fell, grew := 0, 0
	for _, c := range growing() {
		a, b, ok := bothOf(earlier, later, c.key)
		switch {
		case !ok || a.Uint128 == b.Uint128:
		case falls(a, b):
			fell++
			d.note(fmt.Sprintf("%s fell from %v to %v between two readings in this file: one of them is not of this drive, or was altered", c.name, a.Uint128, b.Uint128))
		default:
			grew++
		}
	}
	if fell > 1 && grew == 0 {
		d.note("every counter that differs is lower in the reading that stands later: the newer one may stand first")
	}
}

// growing lists the counters of the SMART log that can only grow.
func growing() []struct{ key, name string } {
	return []struct{ key, name string }{
		{"power_on_hours", "power-on hours"}, {"power_cycles", "power cycles"}, {"unsafe_shutdowns", "unsafe shutdowns"},
		{"data_units_read", "data units read"}, {"data_units_written", "data units written"},
		{"host_read_commands", "host reads"}, {"host_write_commands", "host writes"},
		{"media_errors", "media errors"}, {"error_log_entries", "error log entries"},
	}
}

// bracketed is a number with its size as people read it in brackets.
var bracketed = lazyregexp.New(`^([^\[(]*[0-9])\s*[\[(]\s*([0-9][0-9.,]* ?[kKMGTPE]?i?B)\s*[\])]`)

// misfit returns a sentence if the size in brackets after a counter is not
// that of the counter, in units of so many bytes; "" if it is, or if there is
// none.
func misfit(label, value string, unit float64) string {
	m := bracketed.FindStringSubmatch(value)
	if m == nil {
		return ""
	}
	n, err := parseNumber(m[1])
	size, ok := parseSize(m[2])
	const least = 1000 // Bytes below which the tools round too much.
	if err != nil || !ok || size < least {
		return ""
	}
	if bytes := n.Float64() * unit; math.Abs(bytes-size) <= roundingError*max(bytes, size) {
		return ""
	}
	return fmt.Sprintf("the dump contradicts itself: %s is %s, and in brackets %s", strings.ToLower(printable(label)), printable(m[1]), printable(m[2]))
}

// bothOf returns a counter of two readings, if both have it.
func bothOf(earlier, later *page, key string) (a, b number, ok bool) {
	if !earlier.knows(key) || !later.knows(key) {
		return a, b, false
	}
	return earlier.number(key), later.number(key), true
}

// falls reports whether b is lower than a by more than rounding explains.
func falls(a, b number) bool {
	if a.how == exact && b.how == exact {
		return b.Big().Cmp(a.Big()) < 0
	}
	return b.Float64() < a.Float64()*(1-roundingError)
}

// roundingError is how far a rounded value may be from the exact one.
const roundingError = 0.02

// contradiction looks for an opinion of smartctl, which it forms from Critical
// Warning alone, that does not fit Critical Warning.
func (d *Drive) contradiction() {
	if d.smart == nil || !d.smart.knows("critical_warning") {
		return
	}
	const unfit = 1<<0 | 1<<2 | 1<<3 // Spare, reliability, read only.
	bits := d.smart.number("critical_warning").Lo
	switch v := d.Host.Verdict; {
	case strings.HasPrefix(v, "FAILED") && bits == 0:
		d.note("the dump contradicts itself: the overall verdict is FAILED, but no bit of Critical Warning is set")
	case strings.HasPrefix(v, "PASSED") && bits&unfit != 0:
		d.note(fmt.Sprintf("the dump contradicts itself: the overall verdict is PASSED, but Critical Warning is 0x%02x", bits))
	}
}

// checkSize notes a size in brackets that does not fit.
func (r *smartReader) checkSize(key, label, value string) {
	if key == "data_units_read" || key == "data_units_written" {
		if text := misfit(label, value, nvme.DataUnit); text != "" {
			r.misfits = append(r.misfits, text)
		}
	}
}
