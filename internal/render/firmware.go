package render

import (
	"fmt"
	"io"
	"strings"

	fw "qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/guard"
)

// FirmwarePlan writes what an update would do: the drive, slot, action, chunks
// and reset with their reasons, then every check.
func FirmwarePlan(w io.Writer, r *fw.Record, style Style) error {
	p := &page{style: style.english()}
	p.banner(r.Simulated)
	word := piece{Good, "PLAN"}
	if r.Result == fw.Refused {
		word = piece{Bad, "REFUSED"}
	}
	p.heading(word, piece{Strong, firmwareTitle(r.Plan)}, piece{Plain, "nothing was sent to the drive"})
	p.checks(Bad, "REFUSED", r.Checks, func(c *guard.Check) bool { return c.Result == guard.Refuse })
	p.firmwareDrive(r)
	p.firmwarePlan(r.Plan)
	p.list(Warn, "earlier", r.Earlier)
	p.list(Dim, "used by", r.Users)
	p.checks(Warn, "warning", r.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && c.Warning })
	p.list(Plain, "note", r.Notes)
	if r.Result != fw.Refused {
		p.labelled(Strong, "consent", consentText(r.Phrase, &r.Identity, nil))
	}
	p.checks(Good, "checked", r.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && !c.Warning })
	p.labelled(Strong, "next", r.Next)
	return p.writeTo(w)
}

// FirmwareResult writes what came of an update: the result, what the drive
// answered, what it says now, and the next step.
func FirmwareResult(w io.Writer, r *fw.Record, style Style) error {
	p := &page{style: style.english()}
	p.banner(r.Simulated)
	p.heading(firmwarePiece(r.Result), piece{Strong, r.Identity.Model}, piece{Plain, "serial " + r.Identity.Serial}, piece{Plain, firmwareTitle(r.Plan)})
	p.labelled(Strong, "result", r.Text)
	p.labelled(Bad, "error", r.Error)
	if i := r.Plan.Image; i != nil {
		p.labelled(Dim, "image", imageText(i))
		p.labelled(Dim, "transfer", transferredText(r))
	}
	for _, x := range r.Replies {
		p.labelled(Plain, "answer", fmt.Sprintf("%s: %s, %s", x.Command, x.Status, x.Text))
	}
	p.labelled(Plain, "reset", firmwareResetText(r))
	p.labelled(Dim, "before", firmwareState(r.Before))
	p.labelled(Dim, "after", firmwareState(r.After))
	p.labelled(Plain, "drive", r.Lineage)
	p.list(Plain, "note", r.Notes)
	p.labelled(Strong, "next", r.Next)
	if r.Benchmark != "" {
		p.labelled(Plain, "records", benchRecords(r.BenchBefore, r.BenchAfter))
		p.labelled(Strong, "speed", r.Benchmark)
	}
	return p.writeTo(w)
}

// benchRecords names the records of the benchmarks, and how they are compared.
func benchRecords(before, after string) string {
	if before == "" || after == "" {
		return prefixed("before ", before)
	}
	return fmt.Sprintf("before %s, after %s: qd1 compare %s %s --changed firmware", before, after, before, after)
}

func firmwareTitle(p *fw.Plan) string {
	if p.Image == nil {
		return fmt.Sprintf("activate the firmware of slot %d (%s)", p.Slot, p.SlotHolds)
	}
	return fmt.Sprintf("new firmware into slot %d", p.Slot)
}

func firmwarePiece(c fw.Class) piece {
	switch c {
	case fw.Changed:
		return piece{Good, "UPDATED"}
	case fw.Pending:
		return piece{Warn, "RESET NEEDED"}
	case fw.Unchanged:
		return piece{Bad, "UNCHANGED"}
	case fw.Cancelled:
		return piece{Warn, "STOPPED"}
	case fw.Interrupted:
		return piece{Bad, "NOT KNOWN"}
	case fw.Rejected:
		return piece{Bad, "REFUSED BY THE DRIVE"}
	}
	return piece{Bad, "FAILED"}
}

func (p *page) firmwareDrive(r *fw.Record) {
	id := &r.Identity
	p.labelled(Dim, "drive", join(" · ", id.Model, "serial "+id.Serial, exactBytes(id.Bytes),
		prefixed("firmware ", id.Firmware), prefixed("PCI ", id.PCI), "now "+id.Controller))
	p.labelled(Warn, "", r.Lineage)
}

// firmwarePlan writes the choices with their reasons.
func (p *page) firmwarePlan(f *fw.Plan) {
	p.labelled(Dim, "runs", fmt.Sprintf("%s from slot %d of %d", f.Revision, f.ActiveSlot, f.Slots))
	holds := "empty"
	if f.SlotHolds != "" {
		holds = "has " + f.SlotHolds
	}
	p.labelled(Strong, "slot", fmt.Sprintf("%d (%s): %s", f.Slot, holds, f.SlotWhy))
	if f.Image != nil {
		p.labelled(Strong, "image", imageText(f.Image))
		p.labelled(Plain, "chunks", join(" · ", fmt.Sprintf("%d of %d bytes", f.Chunks, f.ChunkBytes), fmt.Sprintf("the last one %d", f.LastBytes), paddingText(f.Padding)))
	}
	p.labelled(Plain, "action", fmt.Sprintf("Firmware Commit, action %d: %s", f.Action, f.ActionWhy))
	p.labelled(Plain, "reset", fmt.Sprintf("%s: %s", f.Reset.Words(), f.ResetWhy))
	p.list(Warn, "warning", f.Warnings)
	p.list(Plain, "note", f.Notes)
}

func imageText(i *fw.Image) string {
	return join(" · ", i.Name, exactBytes(int64(i.Bytes)), "sha256 "+i.SHA256)
}

func paddingText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes of FFh added", n)
}

func transferredText(r *fw.Record) string {
	text := fmt.Sprintf("%d of %d chunks", r.ChunksSent, r.Plan.Chunks)
	if r.Retries > 0 {
		text += fmt.Sprintf(", %d sent again", r.Retries)
	}
	return text
}

// firmwareResetText says which reset was done, or why none was.
func firmwareResetText(r *fw.Record) string {
	if r.ResetDone != fw.NoReset {
		return join("; ", string(r.ResetDone)+" reset done", r.ResetText)
	}
	return r.ResetText
}

// firmwareState writes what a drive says of its firmware.
func firmwareState(f *fw.Firmware) string {
	if f == nil {
		return ""
	}
	var slots []string
	for i, revision := range f.Slots {
		if revision == "" {
			revision = "empty"
		}
		slots = append(slots, fmt.Sprintf("slot %d %s", i+1, revision))
	}
	next := ""
	if f.NextSlot != 0 {
		next = fmt.Sprintf("next reset: slot %d", f.NextSlot)
	}
	return join(" · ", f.Revision, fmt.Sprintf("active slot %d", f.ActiveSlot), next, strings.Join(slots, ", "), prefixed("kernel says ", f.Kernel))
}
