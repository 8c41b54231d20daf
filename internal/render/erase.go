package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/proof"
)

// ErasePlan writes what an erase would do: the drive, what will be lost, how
// long it takes and how to stop it, then every check.
func ErasePlan(w io.Writer, r *erase.Record, style Style) error {
	p := &page{style: style.english()}
	p.banner(r.Simulated)
	p.planHeading(r)
	p.checks(Bad, "REFUSED", r.Checks, func(c *guard.Check) bool { return c.Result == guard.Refuse })
	p.subject(&r.Identity, r.Radius)
	p.eraseMethod(r)
	p.checks(Warn, "CONSENT", r.Checks, func(c *guard.Check) bool { return c.Result == guard.Consent })
	p.checks(Warn, "warning", r.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && c.Warning })
	if r.Class() != erase.Refused {
		p.labelled(Strong, "consent", consentText(r.Phrase, &r.Identity, r.Checks))
	}
	p.checks(Good, "checked", r.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && !c.Warning })
	p.labelled(Strong, "next", r.Next)
	return p.writeTo(w)
}

// EraseResult writes what came of an erase: the verdict, what it rests on, and
// the next step.
func EraseResult(w io.Writer, r *erase.Record, style Style) error {
	p := &page{style: style.english()}
	p.banner(r.Simulated)
	p.heading(resultPiece(r.Class(), r.Technique.Erases()), piece{Strong, orUnknown(p.lang(), r.Identity.Model)}, piece{Plain, "serial " + orUnknown(p.lang(), r.Identity.Serial)})
	p.labelled(Bad, "error", r.Error)
	p.eraseHistory(r)
	p.verification(r)
	p.eraseDelta(r)
	p.eraseAdvice(r)
	p.labelled(Strong, "next", r.Next)
	return p.writeTo(w)
}

func (p *page) planHeading(r *erase.Record) {
	word := piece{Good, "PLAN"}
	if r.Class() == erase.Refused {
		word = piece{Bad, "REFUSED"}
	}
	p.heading(word, piece{Strong, techniqueText(r.Technique)}, piece{Plain, "nothing was sent to the drive"})
}

// techniqueText is a technique in the specification's words.
func techniqueText(t erase.Technique) string {
	switch t {
	case erase.FormatUserData:
		return "Format NVM, user data erase (SES 1)"
	case erase.FormatCrypto:
		return "Format NVM, cryptographic erase (SES 2)"
	case erase.Format:
		return "Format NVM without secure erase (SES 0): not an erase"
	case erase.SanitizeBlock:
		return "Sanitize, block erase"
	case erase.SanitizeCrypto:
		return "Sanitize, cryptographic erase"
	case erase.SanitizeOverwrite:
		return "Sanitize, overwrite"
	case erase.Overwrite:
		return "overwrite by the host"
	case erase.ExitFailure:
		return "Sanitize, exit failure mode: not an erase"
	}
	return string(t)
}

// subject says which drive it is and what will be lost.
func (p *page) subject(id *guard.Identity, radius []guard.Member) {
	p.labelled(Dim, "drive", join(" · ", orUnknown(p.lang(), id.Model), "serial "+orUnknown(p.lang(), id.Serial), exactBytes(id.Bytes),
		prefixed("firmware ", id.Firmware), prefixed("PCI ", id.PCI), "now "+id.Controller, prefixed("NQN ", id.SubsystemNQN)))
	for i, m := range radius {
		label := ""
		if i == 0 {
			label = "lost"
		}
		p.labelled(Strong, label, memberText(&m))
		for _, s := range m.Signatures {
			p.labelled(Plain, "", "with "+s.Text)
		}
		if len(m.Signatures) == 0 {
			p.labelled(Dim, "", "with no known signature on it")
		}
	}
}

func exactBytes(n int64) string { return fmt.Sprintf("%s (%s bytes)", size(uint64(n)), count(n)) }

func memberText(m *guard.Member) string {
	devices := "no block device"
	if m.Block != "" {
		devices = "/dev/" + m.Block
	}
	if len(m.Partitions) > 0 {
		devices += " with " + strings.Join(m.Partitions, ", ")
	}
	format := fmt.Sprintf("LBA format %d: %d", m.LBAF, m.LBABytes) + nbsp + "B"
	if m.MetadataBytes > 0 {
		format += fmt.Sprintf(" + %d", m.MetadataBytes) + nbsp + "B metadata"
	}
	return join(" · ", fmt.Sprintf("ALL DATA of namespace %d", m.NSID), exactBytes(m.Bytes), devices, format,
		prefixed("EUI-64 ", m.EUI64), prefixed("NGUID ", m.NGUID), "through "+strings.Join(m.Controllers, ", "), "because: "+m.Why)
}

// eraseMethod says what is sent, how long it takes and how it is stopped.
func (p *page) eraseMethod(r *erase.Record) {
	p.labelled(Dim, "method", join(" · ", techniqueText(r.Technique), r.Category))
	p.list(Dim, "why", r.Reasons)
	p.list(Warn, "note", r.Notes)
	p.labelled(Strong, "time", eraseTime(r))
	p.labelled(Strong, "to stop", stopText(r.Technique))
	p.labelled(Dim, "proof", proofPlan(r))
	var commands []string
	for i := range r.Commands {
		commands = append(commands, commandText(&r.Commands[i]))
	}
	p.list(Dim, "sends", commands)
}

// list writes texts below each other, the label before the first.
func (p *page) list(role Role, label string, texts []string) {
	for i, text := range texts {
		if i > 0 {
			label = ""
		}
		p.labelled(role, label, text)
	}
}

// consentText says what has to be typed, and what a script gives in its place.
func consentText(phrase string, id *guard.Identity, checks []guard.Check) string {
	if phrase == "" {
		return ""
	}
	flags := fmt.Sprintf("--yes --expect-model '%s' --expect-bytes %d", id.Model, id.Bytes)
	var kinds []string
	for _, c := range checks {
		if c.Result != guard.Consent {
			continue
		}
		for _, k := range c.Kinds {
			kinds = append(kinds, string(k))
		}
	}
	if len(kinds) > 0 {
		flags += " --destroy-signature=" + strings.Join(kinds, ",")
	}
	return fmt.Sprintf("on a terminal you will type: %s · a script gives: %s", phrase, flags)
}

func eraseTime(r *erase.Record) string {
	estimate := "not known: " + r.Estimate.Source
	if r.Estimate.Low != nil && r.Estimate.High != nil {
		estimate = fmt.Sprintf("about %s (%s)", span(*r.Estimate.Low, *r.Estimate.High), r.Estimate.Source)
	}
	if len(r.Commands) == 0 {
		return estimate
	}
	limit := lasting(float64(r.Commands[0].TimeoutMS) / 1000)
	if r.Technique.Erases() {
		estimate += ", and the reading of samples before and after"
	}
	return join(" · ", estimate, fmt.Sprintf("time-out of the command %s (%s)", limit, r.TimeoutSource))
}

// span is a range of seconds for people.
func span(low, high float64) string {
	if lasting(low) == lasting(high) {
		return lasting(low)
	}
	return lasting(low) + " to " + lasting(high)
}

// lasting is a duration for people: seconds below two minutes, then minutes,
// then hours.
func lasting(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case seconds < 10:
		return decimal(seconds) + nbsp + "s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f", seconds) + nbsp + "s"
	case d < 3*time.Hour:
		return fmt.Sprintf("%.0f", d.Minutes()) + nbsp + "min"
	}
	return decimal(seconds/3600) + nbsp + "h"
}

func stopText(t erase.Technique) string {
	switch {
	case t.Sanitizes():
		return "until the phrase is typed: Ctrl-C. Once sent a sanitize cannot be stopped, also not by a reset or by switching off; it goes on when the power is back"
	case t == erase.ExitFailure:
		return "until the phrase is typed: Ctrl-C"
	case t == erase.Overwrite:
		return "Ctrl-C at any time; what was overwritten until then is lost"
	}
	return "until the phrase is typed: Ctrl-C. Then, while samples are taken, Ctrl-C still stops it, but planted blocks may have overwritten data. Once sent the drive cannot be stopped: do not switch off, reset or unplug it, that can ruin the drive"
}

func commandText(c *erase.Command) string {
	fields := fmt.Sprintf("%s opcode %02Xh nsid %Xh", c.Queue, c.Op, uint32(c.NSID))
	for i, v := range []uint32{c.CDW10, c.CDW11, c.CDW12, c.CDW13, c.CDW14, c.CDW15} {
		fields += fmt.Sprintf(" cdw%d=%08Xh", 10+i, v)
	}
	return fmt.Sprintf("%s: %s timeout_ms=%d", c.Name, fields, c.TimeoutMS)
}

func proofPlan(r *erase.Record) string {
	if !r.Technique.Erases() {
		return "none: there is nothing to prove"
	}
	v := r.Verification
	return join(" · ", v.Command.Text, v.Comparison.Text, v.Canaries.Text, v.FullRead.Text)
}

// checks writes the checks of one kind.
func (p *page) checks(role Role, label string, checks []guard.Check, fits func(*guard.Check) bool) {
	for i := range checks {
		if c := &checks[i]; fits(c) {
			p.labelled(role, label, fmt.Sprintf("%s: %s", c.Check, c.Text))
			p.labelled(Dim, "", prefixed("hint: ", c.Hint))
		}
	}
}

// resultPiece is the word for an outcome of a technique that erases, or not.
func resultPiece(c erase.Class, erases bool) piece {
	switch c {
	case erase.Done:
		if erases {
			return piece{Good, "ERASED"}
		}
		return piece{Good, "DONE, NOT AN ERASE"}
	case erase.NotErased:
		return piece{Bad, "NOT ERASED"}
	case erase.Unproven:
		return piece{Warn, "NOT PROVEN"}
	case erase.Interrupted:
		return piece{Warn, "INTERRUPTED"}
	case erase.Refused:
		return piece{Bad, "REFUSED"}
	case erase.Planned:
		return piece{Plain, "PLANNED"}
	case erase.Cancelled:
		return piece{Warn, "CANCELLED"}
	}
	return piece{Bad, "FAILED"}
}

// eraseHistory says what was sent and what the drive answered.
func (p *page) eraseHistory(r *erase.Record) {
	p.labelled(Dim, "method", join(" · ", techniqueText(r.Technique), r.Category))
	for _, x := range r.Interruptions {
		p.labelled(Warn, "before", x.Text)
	}
	for i := range r.Outcomes {
		p.labelled(Dim, "answer", outcomeText(r, &r.Outcomes[i]))
	}
	p.labelled(Dim, "state", join(" · ", string(r.State), prefixed("job ", r.Job)))
	for _, text := range r.Warnings {
		p.labelled(Warn, "warning", text)
	}
}

func outcomeText(r *erase.Record, o *erase.Outcome) string {
	name := "command"
	if o.Command < len(r.Commands) {
		name = r.Commands[o.Command].Name
	}
	return fmt.Sprintf("%s: %s after %s", name, o.Text, lasting(o.Seconds))
}

func (p *page) verification(r *erase.Record) {
	v := r.Verification
	for _, t := range []struct {
		name string
		tier *proof.Tier
	}{{"command", &v.Command}, {"samples", &v.Comparison}, {"canaries", &v.Canaries}, {"all read", &v.FullRead}} {
		if t.tier.Verdict == "" || t.tier.Verdict == proof.Skipped && t.tier.Text == "" {
			continue
		}
		p.labelled(proofRole(t.tier.Verdict), t.name, fmt.Sprintf("%s: %s", t.tier.Verdict, t.tier.Text))
	}
	if r.Verdict != "" && r.Verdict != proof.Skipped {
		p.labelled(proofRole(r.Verdict), "verdict", string(r.Verdict))
	}
	p.list(Dim, "limits", v.Limits)
}

func proofRole(v proof.Verdict) Role {
	switch v {
	case proof.Pass:
		return Good
	case proof.Fail:
		return Bad
	case proof.Inconclusive:
		return Warn
	}
	return Dim
}

// eraseDelta says what changed besides the data.
func (p *page) eraseDelta(r *erase.Record) {
	if r.Delta == nil {
		return
	}
	for _, text := range append(r.Delta.Changes, r.Delta.Errors...) {
		p.labelled(Warn, "changed", text)
	}
	p.labelled(Dim, "counters", deltaText(r.Delta))
}

// deltaText is how far the counters went.
func deltaText(d *erase.Delta) string {
	return join(" · ",
		changeText("power cycles", d.PowerCycles), changeText("unsafe shutdowns", d.UnsafeShutdowns),
		changeText("media errors", d.MediaErrors), changeText("error log entries", d.ErrorLogEntries))
}

func changeText(name string, n *int64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf("%s %+d", name, *n)
}

func (p *page) eraseAdvice(r *erase.Record) {
	for _, a := range r.Advice {
		p.labelled(Warn, "cause", join(": ", a.Saw, a.Cause))
		for _, step := range a.Do {
			p.labelled(Dim, "step", step)
		}
	}
}

// EraseBatch writes what came of many erases, one row a drive.
func EraseBatch(w io.Writer, b *erase.Batch, style Style) error {
	p := &page{style: style.english()}
	for i := range b.Drives {
		r := &b.Drives[i]
		p.heading(resultPiece(r.Result, true), piece{Strong, orUnknown(p.lang(), r.Serial)}, piece{Plain, orUnknown(p.lang(), r.Model)})
		p.labelled(Warn, "why", r.Text)
		p.labelled(Dim, "proof", join(" · ", string(r.Verdict), prefixed("certificate ", r.Certificate), prefixed("job ", r.Job)))
	}
	p.line(fmt.Sprintf("%s: %s", counted(p.lang(), len(b.Drives), "drive", "drives"), batchCounts(b)))
	return p.writeTo(w)
}

// batchCounts says how many drives came to which end.
func batchCounts(b *erase.Batch) string {
	count := map[string]int{}
	var order []string
	for i := range b.Drives {
		word := strings.ToLower(resultPiece(b.Drives[i].Result, true).text)
		if count[word] == 0 {
			order = append(order, word)
		}
		count[word]++
	}
	var parts []string
	for _, word := range order {
		parts = append(parts, fmt.Sprintf("%d %s", count[word], word))
	}
	return strings.Join(parts, ", ")
}
