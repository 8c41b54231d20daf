package render

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/vendor"
)

// amplification is what the medium was written for what the host wrote, "" if
// the drive does not count it.
func amplification(t lang.Tag, v *report.VendorLogs) string {
	if v == nil || v.WriteAmplification == nil {
		return ""
	}
	a := v.WriteAmplification
	return t.Textf("%s written to the medium for %s of the host: write amplification %s (log %s)",
		sizeBig(a.MediaBytes.Big()), sizeBig(a.HostBytes.Big()), decimal(a.Factor), lidText(a.LID))
}

// bytesBoth writes bytes exactly and in decimal units.
func bytesBoth(t lang.Tag, u nvme.Uint128) string {
	return t.Textf("%s"+nbsp+"bytes", count128(u)) + " (" + sizeBig(u.Big()) + ")"
}

func lidText(l nvme.LID) string { return fmt.Sprintf("%02Xh", uint8(l)) }

func (p *page) vendorLogs(s *report.Section[report.VendorLogs]) {
	if s.Data == nil && s.Problem == nil {
		return // Few drives have such logs.
	}
	if !section(p, "Logs of the vendor", s, noSection) {
		return
	}
	if a := s.Data.WriteAmplification; a != nil {
		p.table([]pair{{"write amplification", strconv.FormatFloat(a.Factor, 'f', 3, 64)},
			{"written", p.lang().Textf("%s to the medium for %s of the host, by log %s", bytesBoth(p.lang(), a.MediaBytes), bytesBoth(p.lang(), a.HostBytes), lidText(a.LID))}})
	}
	for i := range s.Data.Pages {
		p.vendorLog(&s.Data.Pages[i])
	}
}

func (p *page) vendorLog(r *vendor.Reading) {
	name := p.lang().Textf("%s, log %s: %s", r.Name, lidText(r.LID), p.lang().Text(string(r.Outcome)))
	for _, l := range wrap(name, p.style.width()-2) {
		p.line("  " + p.paint(Strong, l))
	}
	pairs := []pair{{"because", p.lang().Sentence(r.Why)}, {"note", join(" · ", p.lang().Sentence(r.Problem), refusal(p.lang(), r), changes(p.lang(), r))}}
	for _, row := range r.Rows {
		pairs = append(pairs, pair{row.Name, rowText(p.lang(), row)})
	}
	if r.Outcome == vendor.Unrecognized {
		pairs = append(pairs, pair{"bytes", strings.TrimRight(hex.EncodeToString(r.Raw), "0")})
	}
	p.table(pairs)
}

// refusal says what a page cost that the drive refused.
func refusal(t lang.Tag, r *vendor.Reading) string {
	status := ""
	if r.Status != nil {
		status = t.Textf("status 0x%04x", uint16(*r.Status))
	}
	added := ""
	if r.Refusals > 0 {
		added = t.Textf("%s, each an entry in its error log", counted(t, r.Refusals, "refusal", "refusals"))
	}
	return commas(t, status, added)
}

// changes says what reading the page did to the drive.
func changes(t lang.Tag, r *vendor.Reading) string {
	if r.Changes == "" || r.Outcome == vendor.Skipped {
		return ""
	}
	return t.Sentence(r.Changes)
}

// rowText is a value with its unit.
func rowText(t lang.Tag, r vendor.Row) string {
	var value string
	switch v := r.Value.(type) {
	case uint64:
		if r.Unit == "bytes" {
			return sizeBoth(t, v)
		}
		value = count(v)
	case int64:
		value = count(v)
	case nvme.Uint128:
		if r.Unit == "bytes" {
			return bytesBoth(t, v)
		}
		value = count128(v)
	case bool:
		value = t.Text("no")
		if v {
			value = t.Text("yes")
		}
	default:
		value = fmt.Sprint(v)
	}
	if r.Unit == "" || r.Unit == "count" {
		return value
	}
	return value + nbsp + unitText(r.Unit)
}

// unitText is the sign of a unit that has one.
func unitText(unit string) string {
	if sign, ok := map[string]string{"percent": "%", "celsius": "°C", "us": "µs", "minutes": "min", "hours": "h", "seconds": "s"}[unit]; ok {
		return sign
	}
	return unit
}
