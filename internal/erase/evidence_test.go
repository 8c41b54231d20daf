package erase

import (
	"strings"
	"testing"

	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// good is the record of an erase that nothing speaks against.
func good(t Technique) *Record {
	ok := uint16(0)
	zero := int64(0)
	s := func() *Snapshot {
		return &Snapshot{Model: "M", Serial: "S", Namespaces: []NamespaceState{{NSID: 1, Bytes: gb}}}
	}
	r := &Record{
		Technique: t, Commands: []Command{{CDW10: 0xA}}, Outcomes: []Outcome{{Status: &ok}}, Before: s(), After: s(),
		Delta: &Delta{PowerCycles: &zero, MediaErrors: &zero},
	}
	if t.Sanitizes() {
		r.Sanitize = &nvme.SanitizeLog{Status: 0x101, CDW10: 0xA}
	}
	return r
}

func TestEvidence(t *testing.T) {
	refused, one := uint16(nvme.StatusInvalidFormat), int64(1)
	fewer := int64(-2)
	tests := []struct {
		name      string
		technique Technique
		change    func(*Record)
		want      proof.Verdict
		text      string
	}{
		{"good format", FormatUserData, func(*Record) {}, proof.Pass, "1 of 1 commands succeeded, no reset was seen, and"},
		{"good sanitize", SanitizeBlock, func(*Record) {}, proof.Pass, "SSTAT 0x0101"},
		{"completed, deallocated", SanitizeBlock, func(r *Record) { r.Sanitize.Status = 4 }, proof.Pass, "SSTAT"},
		{"good overwrite", Overwrite, func(*Record) {}, proof.Pass, "written to the end"},
		{"status", FormatUserData, func(r *Record) { r.Outcomes[0].Status = &refused; r.Outcomes[0].Text = "no" }, proof.Fail, "answered: no"},
		{"sanitize failed", SanitizeBlock, func(r *Record) { r.Sanitize.Status = 3 }, proof.Fail, "failed"},
		{"sanitize never", SanitizeBlock, func(r *Record) { r.Sanitize.Status = 0 }, proof.Fail, "never was"},
		{"ghost", FormatUserData, func(r *Record) { r.After.Model = "SM2270" }, proof.Fail, "its model was M and is SM2270"},
		{"smaller", FormatUserData, func(r *Record) { r.After.Namespaces[0].Bytes = 1 << 20 }, proof.Fail, "its size"},
		{"other sanitize", SanitizeBlock, func(r *Record) { r.Sanitize.CDW10 = 0xC }, proof.Inconclusive, "another operation"},
		{"no log", SanitizeBlock, func(r *Record) { r.Sanitize = nil }, proof.Inconclusive, "could not be read"},
		{"lost", FormatUserData, func(r *Record) { r.Lost, r.Outcomes = true, nil }, proof.Inconclusive, "did not come"},
		{"lost, and attested", SanitizeBlock, func(r *Record) { r.Outcomes = nil }, proof.Pass, "the drive says that it did it"},
		{"lost sanitize", SanitizeBlock, func(r *Record) { r.Lost, r.Outcomes = true, nil }, proof.Inconclusive, "did not come"},
		{"one of two", FormatUserData, func(r *Record) { r.Commands = append(r.Commands, Command{}) }, proof.Inconclusive, "1 of 2 commands"},
		{"host", FormatUserData, func(r *Record) { r.Outcomes[0] = Outcome{Host: true, Text: "EIO"} }, proof.Inconclusive, "EIO"},
		{"reset", FormatUserData, func(r *Record) { r.Resets = 2 }, proof.Inconclusive, "reset 2 times"},
		{"not seen", FormatUserData, func(r *Record) { r.After = nil }, proof.Inconclusive, "looked at afterwards"},
		{"power", FormatUserData, func(r *Record) { r.Delta.PowerCycles = &one }, proof.Inconclusive, "switched off and on 1 times"},
		{"reset of a sanitize", SanitizeBlock, func(r *Record) { r.Resets = 2 }, proof.Pass, "was reset 2 times meanwhile and went on, and the drive is the same"},
		{"power of a sanitize", SanitizeBlock, func(r *Record) { r.Delta.PowerCycles = &one }, proof.Pass, "lost its power 1 times meanwhile and went on"},
		{"counters go back", FormatUserData, func(r *Record) { r.Delta.PowerCycles = &fewer }, proof.Inconclusive, "fewer power cycles"},
		{"power of an interruption", SanitizeBlock, func(r *Record) { r.Delta.PowerCycles = &one; r.Interruptions = []Interruption{{}} }, proof.Pass, ""},
		{"media errors", FormatUserData, func(r *Record) { r.Delta.MediaErrors = &one }, proof.Inconclusive, "1 media errors"},
		{"media errors in the log", FormatUserData, func(r *Record) { r.Delta.mediaError = true }, proof.Inconclusive, "error log"},
		{"no logs", FormatUserData, func(r *Record) { r.Delta = nil }, proof.Pass, ""},
		{"changed as asked", Format, func(r *Record) { r.Delta.Changes = []string{"LBA format"} }, proof.Pass, "but for LBA format"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := good(tt.technique)
			tt.change(r)
			got := r.evidence()
			if got.Verdict != tt.want || !strings.Contains(got.Text, tt.text) {
				t.Errorf("got %s %q, want %s %q", got.Verdict, got.Text, tt.want, tt.text)
			}
		})
	}
}
