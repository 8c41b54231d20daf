package erase

import (
	"fmt"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// NewPlan returns the record of an erase before anything was sent: what is
// known from the case, the method and, if there is one, the agreement.
func NewPlan(d *Deps) *Record {
	r := &Record{
		Schema: Schema, Tool: d.Tool, Time: d.now().UTC(),
		Reasons: []string{}, Notes: []string{}, Commands: []Command{}, Radius: []guard.Member{}, Checks: []guard.Check{},
		Outcomes: []Outcome{}, Interruptions: []Interruption{}, Events: []Event{}, Warnings: []string{}, Advice: []Advice{},
		Verification: planned(d.Method), Verdict: proof.Skipped, Result: Planned,
	}
	r.addCase(d.Case, d.Agreement)
	r.addMethod(d.Method)
	r.Next = r.planNext()
	return r
}

func (r *Record) addCase(c *guard.Case, a *guard.Agreement) {
	if c == nil {
		return
	}
	r.Identity, r.Survey, r.Simulated = c.Identity, c.Survey, c.Identity.Simulated
	r.Radius = append(r.Radius, c.Radius...)
	r.Checks = append(r.Checks, c.Judge(a)...)
	r.Phrase, r.Fingerprint = c.Phrase(), c.Fingerprint()
	r.Consent = consentOf(a)
	for _, check := range r.Checks {
		if check.Result == guard.Refuse {
			r.Result = Refused
		}
	}
}

// consentOf is how the user agreed, without what he typed.
func consentOf(a *guard.Agreement) *Consent {
	if a == nil {
		return nil
	}
	c := &Consent{By: "phrase", Destroy: append([]signature.Kind{}, a.Destroy...)}
	if a.Yes {
		c.By = "flags"
	}
	return c
}

func (r *Record) addMethod(m *Method) {
	r.Technique, r.Claim, r.Category, r.TimeoutSource = m.Technique, m.Claim, m.Category, m.TimeoutSource
	r.Targets = append([]nvme.NSID{}, m.Targets...)
	r.Reasons = append(r.Reasons, m.Reasons...)
	r.Notes = append(r.Notes, m.Notes...)
	for i := range m.Commands {
		r.Commands = append(r.Commands, commandOf(&m.Commands[i], m.Timeout))
	}
	r.Estimate = EstimatedTime{Source: m.Estimate.Source}
	if m.Estimate.High > 0 {
		low, high := m.Estimate.Low.Seconds(), m.Estimate.High.Seconds()
		r.Estimate.Low, r.Estimate.High = &low, &high
	}
}

// commandOf shows a command with the time-out that the kernel will get.
func commandOf(c *nvme.Command, timeout time.Duration) Command {
	return Command{
		Name: commandName(c), Queue: c.Queue.String(), Op: c.Opcode, NSID: c.NSID,
		CDW10: c.CDW10, CDW11: c.CDW11, CDW12: c.CDW12, CDW13: c.CDW13, CDW14: c.CDW14, CDW15: c.CDW15,
		TimeoutMS: int64((timeout + time.Millisecond - 1) / time.Millisecond),
	}
}

// commandName is a command in the specification's words with its fields.
func commandName(c *nvme.Command) string {
	name := nvme.OpcodeName(c.Queue, c.Opcode)
	switch {
	case c.Queue == nvme.IOQueue:
		return fmt.Sprintf("%s of zeroes to all of namespace %d", name, c.NSID)
	case c.Opcode == nvme.AdminFormatNVM:
		f := nvme.ParseFormatNVM(c)
		text := fmt.Sprintf("%s, SES %d, LBAF %d", name, f.SES, f.LBAF)
		if f.PI != 0 {
			text += fmt.Sprintf(", PI %d", f.PI)
		}
		if f.NSID == nvme.BroadcastNSID {
			return text + ", all namespaces"
		}
		return text + fmt.Sprintf(", namespace %d", f.NSID)
	case c.Opcode == nvme.AdminSanitize:
		return fmt.Sprintf("%s, %v", name, nvme.ParseSanitize(c).Action)
	}
	return name
}

// planNext says what to do with a plan.
func (r *Record) planNext() string {
	if r.Result == Refused {
		return "nothing was sent; the hints say what to do, then plan again"
	}
	switch r.Technique {
	case ExitFailure:
		return "qd1 sanitize " + r.Identity.Serial + " with the same options does it, after it has asked"
	case Format:
		return "qd1 format " + r.Identity.Serial + " with the same options does it, after it has asked"
	}
	return "qd1 erase run " + r.Identity.Serial + " with the same options does it, after it has asked"
}

// planned says what the verification will be about.
func planned(m *Method) Verification {
	if !m.Technique.Erases() {
		return skipped(notAnErase)
	}
	v := skipped("")
	v.Command.Text = "the answers of the drive, its resets and logs"
	v.Comparison.Text = "samples of the data before are compared with the same places afterwards"
	v.Canaries.Text = "blocks are planted before, which overwrites data there, and looked for afterwards"
	v.FullRead.Text = "the whole medium is read only with --full"
	if m.Technique == Overwrite {
		v.FullRead.Text = "everything is read back"
	}
	return v
}

// notAnErase is why nothing is verified.
const notAnErase = "this is not an erase"

// skipped is a verification that did not take place.
func skipped(why string) Verification {
	tier := proof.Tier{Verdict: proof.Skipped, Text: why}
	return Verification{Command: tier, Comparison: tier, Canaries: tier, FullRead: tier, Limits: []string{}}
}
