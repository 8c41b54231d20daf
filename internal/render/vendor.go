package render

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/vendor"
)

// amplification is what the medium was written for what the host wrote, "" if
// the drive does not count it.
func amplification(v *report.VendorLogs) string {
	if v == nil || v.WriteAmplification == nil {
		return ""
	}
	a := v.WriteAmplification
	return fmt.Sprintf("%s written to the medium for %s of the host: write amplification %s (log %s)",
		sizeBig(a.MediaBytes.Big()), sizeBig(a.HostBytes.Big()), decimal(a.Factor), lidText(a.LID))
}

// bytesBoth writes bytes exactly and in decimal units.
func bytesBoth(u nvme.Uint128) string {
	return count128(u) + nbsp + "bytes (" + sizeBig(u.Big()) + ")"
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
			{"written", fmt.Sprintf("%s to the medium for %s of the host, by log %s", bytesBoth(a.MediaBytes), bytesBoth(a.HostBytes), lidText(a.LID))}})
	}
	for i := range s.Data.Pages {
		p.vendorLog(&s.Data.Pages[i])
	}
}

func (p *page) vendorLog(r *vendor.Reading) {
	name := fmt.Sprintf("%s, log %s: %s", r.Name, lidText(r.LID), r.Outcome)
	for _, l := range wrap(name, p.style.width()-2) {
		p.line("  " + p.paint(Strong, l))
	}
	pairs := []pair{{"because", r.Why}, {"note", join(" · ", r.Problem, refusal(r), changes(r))}}
	for _, row := range r.Rows {
		pairs = append(pairs, pair{row.Name, rowText(row)})
	}
	if r.Outcome == vendor.Unrecognized {
		pairs = append(pairs, pair{"bytes", strings.TrimRight(hex.EncodeToString(r.Raw), "0")})
	}
	p.table(pairs)
}

// refusal says what a page cost that the drive refused.
func refusal(r *vendor.Reading) string {
	status := ""
	if r.Status != nil {
		status = fmt.Sprintf("status 0x%04x", uint16(*r.Status))
	}
	added := ""
	if r.Refusals > 0 {
		added = counted(r.Refusals, "refusal", "refusals") + ", each an entry in its error log"
	}
	return join(", ", status, added)
}

// changes says what reading the page did to the drive.
func changes(r *vendor.Reading) string {
	if r.Changes == "" || r.Outcome == vendor.Skipped {
		return ""
	}
	return r.Changes
}

// rowText is a value with its unit.
func rowText(r vendor.Row) string {
	var value string
	switch v := r.Value.(type) {
	case uint64:
		if r.Unit == "bytes" {
			return sizeBoth(v)
		}
		value = count(v)
	case int64:
		value = count(v)
	case nvme.Uint128:
		if r.Unit == "bytes" {
			return bytesBoth(v)
		}
		value = count128(v)
	case bool:
		value = "no"
		if v {
			value = "yes"
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
