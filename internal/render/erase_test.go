package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/proof"
)

// erasePlan is the plan for a drive with data.
func erasePlan() *erase.Record {
	return &erase.Record{
		Schema: erase.Schema, Tool: erase.Tool{Name: "qd1", Version: "1.2.3"},
		Identity: guard.Identity{Serial: "PHM2913000TK960CGN", Model: "INTEL SSDPE21D960GA", Firmware: "E2010480", PCI: "0000:41:00.0", Controller: "nvme2", Bytes: 960197124096},
		Radius: []guard.Member{{
			NSID: 1, Bytes: 960197124096, LBABytes: 512, EUI64: "5cd2e4000001", Block: "nvme3n1", Partitions: []string{"nvme3n1p1", "nvme3n1p2"},
			Controllers: []string{"nvme2"}, Why: "named",
			Signatures: []signature.Signature{
				{Kind: signature.GPT, Text: "GPT partition table with 2 partitions"},
				{Kind: signature.Ext, Partition: 2, Label: "backup", Text: `ext4 "backup" in partition 2`},
			},
		}},
		Checks: []guard.Check{
			{Check: "identity", Result: guard.Pass, Text: "the drive says that it is INTEL SSDPE21D960GA with serial PHM2913000TK960CGN"},
			{Check: "pollers", Result: guard.Pass, Warning: true, Text: "smartd (pid 812) reads the drive now and then", Hint: "systemctl stop smartd"},
			{Check: "signatures", Result: guard.Consent, Text: `gpt and ext ("backup") lie on the drive`, Hint: "--destroy-signature=gpt,ext", Kinds: []signature.Kind{signature.GPT, signature.Ext}},
		},
		Technique: erase.FormatUserData, Claim: erase.Clear, Category: "clear, as your policy names it",
		Reasons: []string{"the drive has no sanitize: SANICAP is 0", "it cannot erase by key: FNA bit 2 is 0"}, Notes: []string{"blocks that the drive has retired are the maker's trust"},
		Commands:      []erase.Command{{Name: "Format NVM", Queue: "admin", Op: 0x80, NSID: 1, CDW10: 0x200, TimeoutMS: 1800000}},
		TimeoutSource: "at least 30 min", Estimate: erase.EstimatedTime{Low: new(436.0), High: new(900.0), Source: "size by the rated write speed"},
		Verification: erase.Verification{
			Command: proof.Tier{Verdict: proof.Skipped, Text: "the answer of the drive"}, Comparison: proof.Tier{Verdict: proof.Skipped, Text: "460 515 samples compared with before"},
			Canaries: proof.Tier{Verdict: proof.Skipped, Text: "256 canaries"},
		},
		Phrase: "ERASE INTEL SSDPE21D960GA 960CGN", Verdict: proof.Skipped, Next: "qd1 erase run PHM2913000TK960CGN", Result: erase.Planned,
	}
}

func refusedPlan() *erase.Record {
	r := erasePlan()
	r.Simulated, r.Result = true, erase.Refused
	r.Estimate = erase.EstimatedTime{Source: "the drive reports no time"}
	r.Radius = append(r.Radius, guard.Member{NSID: 2, Bytes: 1 << 30, LBAF: 1, LBABytes: 4096, MetadataBytes: 8, Controllers: []string{"nvme2", "nvme4"}, Why: "the drive formats all namespaces at once (FNA bit 0)"})
	r.Checks = append(r.Checks, guard.Check{Check: "in use", Result: guard.Refuse, Text: "nvme3n1p2 is mounted on /srv", Hint: "umount /srv"})
	r.Technique, r.Next = erase.SanitizeBlock, "umount /srv, then plan again"
	return r
}

// eraseResult is an erase that was done, with all that can be told.
func eraseResult() *erase.Record {
	r := erasePlan()
	status, one := uint16(0), int64(1)
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r.Result, r.State, r.Job, r.Verdict, r.Started = erase.Done, "DONE", "20260102T030405Z-PHM2913000TK960CGN", proof.Pass, &started
	r.Outcomes = []erase.Outcome{{Command: 0, Seconds: 512.25, Status: &status, Text: "Successful Completion"}, {Command: 7, Text: "no answer", Host: true}}
	r.Interruptions = []erase.Interruption{{State: "SENT", Text: "an earlier run ended while the drive was formatting"}}
	r.Delta = &erase.Delta{Changes: []string{"namespace 1 has another EUI-64"}, MediaErrors: new(int64), UnsafeShutdowns: &one, Errors: []string{"Invalid Field in Command"}}
	r.Warnings = []string{"the partition table could not be read again"}
	r.Verification.Command = proof.Tier{Verdict: proof.Pass, Text: "the drive reported success"}
	r.Verification.Comparison = proof.Tier{Verdict: proof.Inconclusive, Text: "only 12 of 460 515 samples had data before"}
	r.Verification.Canaries = proof.Tier{Verdict: proof.Pass, Text: "none of 256 is left"}
	r.Verification.Limits = []string{"one intact file of 1 MiB is found with a probability of 40 %"}
	r.Before = &erase.Snapshot{Health: &erase.Health{PercentageUsed: 1, PowerOnHours: new(uint64(4125)), PowerCycles: new(uint64(132)), DataUnitsWritten: new(uint64(17148437)), MediaErrors: new(uint64(0))}}
	r.Advice = []erase.Advice{{Saw: "Invalid Opcode", Cause: "the firmware of the computer has frozen the drive", Do: []string{"suspend and wake the computer once"}}}
	r.Error, r.Next = "an error", "nothing"
	return r
}

// eraseParts are the texts of erases.
func eraseParts() map[string]func(b *bytes.Buffer, s Style) error {
	plan := func(r *erase.Record) func(b *bytes.Buffer, s Style) error {
		return func(b *bytes.Buffer, s Style) error { return ErasePlan(b, r, s) }
	}
	bare := erasePlan()
	bare.Technique, bare.Commands, bare.Radius[0].Signatures = erase.Format, nil, nil
	return map[string]func(b *bytes.Buffer, s Style) error{
		"erase-plan": plan(erasePlan()), "erase-plan-refused": plan(refusedPlan()), "erase-plan-bare": plan(bare),
		"erase-result": func(b *bytes.Buffer, s Style) error { return EraseResult(b, eraseResult(), s) },
	}
}

// The first word of a result is its class, and only a finished erase says
// ERASED.
func TestEraseResultWord(t *testing.T) {
	for _, tt := range []struct {
		class     erase.Class
		technique erase.Technique
		want      string
	}{
		{erase.Done, erase.FormatUserData, "ERASED"},
		{erase.Done, erase.Format, "DONE, NOT AN ERASE"},
		{erase.NotErased, erase.FormatUserData, "NOT ERASED"},
		{erase.Unproven, erase.SanitizeBlock, "NOT PROVEN"},
		{erase.Interrupted, erase.SanitizeBlock, "INTERRUPTED"},
		{erase.Refused, erase.FormatCrypto, "REFUSED"},
		{erase.Failed, erase.Overwrite, "FAILED"},
		{erase.Planned, erase.Overwrite, "PLANNED"},
		{erase.Cancelled, erase.FormatUserData, "CANCELLED"},
		{"", erase.FormatUserData, "FAILED"},
	} {
		r := eraseResult()
		r.Result, r.Technique = tt.class, tt.technique
		got := text(t, func(b *bytes.Buffer) error { return EraseResult(b, r, Style{}) })
		if !strings.HasPrefix(got, tt.want+"  ") {
			t.Errorf("%s by %s: %q, want %q first", tt.class, tt.technique, strings.SplitN(got, "\n", 2)[0], tt.want)
		}
	}
}

func TestLasting(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0 s", 0.25: "0.25 s", 9.5: "9.5 s", 61: "61 s", 119.9: "120 s", 120: "2 min", 1800: "30 min", 10799: "180 min", 12600: "3.5 h", 86400: "24 h"} {
		if got := strings.ReplaceAll(lasting(seconds), nbsp, " "); got != want {
			t.Errorf("lasting(%v) = %q, want %q", seconds, got, want)
		}
	}
}
