package render

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"qd1.example/qd1/internal/certificate"
	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/proof"
)

// SignedCertificate is a certificate with who signed it.
type SignedCertificate struct {
	*certificate.Certificate
	Signature *certificate.Signature
}

// Certificate writes a certificate as text, the result first.
func Certificate(w io.Writer, c SignedCertificate, style Style) error {
	p := &page{style: style.english()}
	p.banner(c.Record.Simulated)
	id := c.Record.Identity
	p.heading(piece{proofRole(c.Result), string(c.Result)}, piece{Strong, "erase of " + orUnknown(p.lang(), id.Model)}, piece{Plain, "serial " + orUnknown(p.lang(), id.Serial)})
	p.note(c.Statement)
	for _, s := range c.sections() {
		p.title(s.Title)
		p.table(s.pairs())
	}
	p.title("Limits")
	for _, text := range append(c.Limits, c.Standards...) {
		p.note(text)
	}
	return p.writeTo(w)
}

//go:embed certificate.html.tmpl
var certificateFiles embed.FS

// CertificateHTML writes a certificate as one HTML page that needs nothing
// else, to be read and printed.
func CertificateHTML(w io.Writer, c SignedCertificate) error {
	t, err := template.ParseFS(certificateFiles, "certificate.html.tmpl")
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		SignedCertificate
		Class    string
		Sections []certificateSection
	}{c, strings.ToLower(string(c.Result)), c.sections()})
}

// certificateSection is a part of a certificate as names and values.
type certificateSection struct {
	Title string
	Rows  []certificateRow
}

type certificateRow struct{ Name, Value string }

func (s certificateSection) pairs() []pair {
	var list []pair
	for _, r := range s.Rows {
		list = append(list, pair{r.Name, r.Value})
	}
	return list
}

// certificatePart leaves out the rows without a value.
func certificatePart(title string, rows ...certificateRow) certificateSection {
	s := certificateSection{Title: title}
	for _, r := range rows {
		if r.Value != "" {
			s.Rows = append(s.Rows, certificateRow{r.Name, strings.ReplaceAll(r.Value, nbsp, " ")})
		}
	}
	return s
}

func (c SignedCertificate) sections() []certificateSection {
	return []certificateSection{c.mediaSection(), c.methodSection(), c.resultSection(), c.verificationSection(), c.peopleSection(), c.integritySection()}
}

func (c SignedCertificate) mediaSection() certificateSection {
	id, m := c.Record.Identity, c.Media
	rows := []certificateRow{
		{"manufacturer", m.Manufacturer}, {"model", id.Model}, {"marketing name", m.MarketingName}, {"type", m.Type},
		{"serial number", id.Serial}, {"firmware", id.Firmware}, {"size", exactBytes(id.Bytes)},
		{"PCI address", id.PCI}, {"transport", m.Transport}, {"subsystem NQN", id.SubsystemNQN},
	}
	for i := range c.Record.Radius {
		rows = append(rows, certificateRow{"namespace", memberText(&c.Record.Radius[i])})
		for _, s := range c.Record.Radius[i].Signatures {
			rows = append(rows, certificateRow{"lay on it", s.Text})
		}
	}
	if before := c.Record.Before; before != nil && before.Health != nil {
		rows = append(rows, certificateRow{"health before", healthText(before.Health)})
	}
	return certificatePart("Medium", append(rows, certificateRow{"property number", m.PropertyNumber}, certificateRow{"source", m.Source},
		certificateRow{"categorization", m.Categorization}, certificateRow{"backup", m.Backup})...)
}

// healthText is the SMART log of before in one line.
func healthText(h *erase.Health) string {
	number := func(n *uint64, one, many string) string {
		if n == nil {
			return ""
		}
		return counted(lang.English, *n, one, many)
	}
	written := ""
	if h.DataUnitsWritten != nil {
		written = si(float64(*h.DataUnitsWritten)*512000) + " written"
	}
	return join(" · ", number(h.PowerOnHours, "hour powered on", "hours powered on"), number(h.PowerCycles, "power cycle", "power cycles"), written,
		with(int(h.PercentageUsed), "% used"), number(h.MediaErrors, "media error", "media errors"),
		fmt.Sprintf("critical warning 0x%02x", uint8(h.CriticalWarning)))
}

func (c SignedCertificate) methodSection() certificateSection {
	r := c.Record
	rows := []certificateRow{{"technique", techniqueText(r.Technique)}, {"category", c.Record.Category}}
	for i := range r.Commands {
		rows = append(rows, certificateRow{"command", commandText(&r.Commands[i])})
	}
	return certificatePart("Method", append(rows,
		certificateRow{"started", moment(r.Started)}, certificateRow{"ended", moment(r.Ended)},
		certificateRow{"program", join(" · ", c.Tool.Name+" "+c.Tool.Version, prefixed("revision ", c.Tool.Revision), prefixed("SHA-256 ", c.Tool.BinarySHA256))},
		certificateRow{"computer", join(" · ", c.Host.Name, prefixed("machine ", c.Host.MachineID), c.Host.Kernel, c.Host.Arch)})...)
}

func moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func (c SignedCertificate) resultSection() certificateSection {
	r := c.Record
	var rows []certificateRow
	for i := range r.Outcomes {
		rows = append(rows, certificateRow{"answer", outcomeText(r, &r.Outcomes[i])})
	}
	for _, x := range r.Interruptions {
		rows = append(rows, certificateRow{"interruption", x.Text})
	}
	if r.Delta != nil {
		for _, text := range append(r.Delta.Changes, r.Delta.Errors...) {
			rows = append(rows, certificateRow{"changed", text})
		}
		rows = append(rows, certificateRow{"counters", deltaText(r.Delta)})
	}
	for _, text := range r.Warnings {
		rows = append(rows, certificateRow{"warning", text})
	}
	return certificatePart("Result", append(rows, certificateRow{"error", r.Error})...)
}

func (c SignedCertificate) verificationSection() certificateSection {
	v := c.Record.Verification
	tier := func(name string, t *proof.Tier) certificateRow {
		if t.Verdict == "" {
			return certificateRow{}
		}
		return certificateRow{name, join(": ", string(t.Verdict), t.Text)}
	}
	return certificatePart("Verification", tier("command evidence", &v.Command), tier("comparison with before", &v.Comparison),
		tier("canaries", &v.Canaries), tier("full read", &v.FullRead), certificateRow{"verdict", string(c.Record.Verdict)})
}

func (c SignedCertificate) peopleSection() certificateSection {
	person := func(p certificate.Person) string { return join(" · ", p.Name, p.Position, p.Contact) }
	return certificatePart("People", certificateRow{"operator", blankLine(person(c.People.Operator))}, certificateRow{"place", c.People.Place},
		certificateRow{"validator", blankLine(person(c.People.Validator))}, certificateRow{"accepted or rejected", blankLine("")}, certificateRow{"date", blankLine("")}, certificateRow{"signature", blankLine("")})
}

// blankLine is a line to write on where nothing is given.
func blankLine(s string) string {
	if s == "" {
		return "________________________"
	}
	return s
}

func (c SignedCertificate) integritySection() certificateSection {
	rows := []certificateRow{{"certificate", c.ID}, {"issued", moment(&c.Issued)}, {"job", c.Record.Job}, {"journal SHA-256", c.JournalSHA256}}
	if s := c.Signature; s != nil {
		rows = append(rows, certificateRow{"signature", s.Algorithm + " by key " + s.KeyID}, certificateRow{"public key", s.PublicKey})
	}
	return certificatePart("Integrity", append(rows, certificateRow{"check", "this page is a rendering; the signed JSON file counts: qd1 erase cert verify FILE"})...)
}
