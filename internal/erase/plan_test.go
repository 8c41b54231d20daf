package erase

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

func TestNewPlan(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	d.Agreement = nil
	rec := NewPlan(d)
	if rec.Class() != Planned || rec.Verdict != proof.Skipped || !rec.Simulated || rec.Consent != nil {
		t.Errorf("plan %+v", rec)
	}
	want := []Command{{Name: "Format NVM, SES 1, LBAF 0, namespace 1", Queue: "admin", Op: 0x80, NSID: 1, CDW10: 0x200, TimeoutMS: 1_800_000}}
	if diff := cmp.Diff(want, rec.Commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if len(rec.Checks) == 0 || len(rec.Radius) != 1 || rec.Phrase == "" || rec.Fingerprint == "" || rec.Identity.Serial == "" {
		t.Errorf("plan %+v", rec)
	}
	if want := "qd1 erase run " + rec.Identity.Serial; !strings.HasPrefix(rec.Next, want) {
		t.Errorf("next %q, want %q", rec.Next, want)
	}
	if len(r.commands()) != 0 {
		t.Errorf("a plan has sent %v", r.commands())
	}
}

// TestPlanKeys holds the keys that programs rely on.
func TestPlanKeys(t *testing.T) {
	r := newRig(t, small)
	b, err := json.Marshal(NewPlan(r.deps(Request{})))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema   string
		Identity map[string]any
		Radius   []map[string]any
		Checks   []struct{ Check, Result, Text string }
		Commands []map[string]any
		Verify   map[string]struct{ Verdict, Text any } `json:"-"`
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "qd1.erase/1" || len(got.Radius) != 1 || len(got.Checks) == 0 || got.Checks[0].Text == "" {
		t.Errorf("plan %s", b)
	}
	for _, key := range []string{"opcode", "nsid", "cdw10", "cdw11", "cdw12", "cdw13", "cdw14", "cdw15", "timeout_ms"} {
		if _, ok := got.Commands[0][key]; !ok {
			t.Errorf("a command has no key %s: %v", key, got.Commands[0])
		}
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"identity", "radius", "checks", "technique", "commands", "verification", "verdict", "reasons", "estimate", "state", "advice", "next"} {
		if all[key] == nil {
			t.Errorf("no key %s", key)
		}
	}
	for name, tier := range all["verification"].(map[string]any) {
		if m, ok := tier.(map[string]any); ok && m["verdict"] != "SKIPPED" {
			t.Errorf("tier %s: %v", name, m)
		}
	}
}

// TestPlanTellsOfTheVerification holds that a plan says what will be verified,
// and claims none of it.
func TestPlanTellsOfTheVerification(t *testing.T) {
	for technique, want := range map[Technique][]string{
		FormatUserData: {"the answers", "samples of the data before", "blocks are planted", "only with --full"},
		Overwrite:      {"the answers", "samples", "blocks are planted", "everything is read back"},
		Format:         {notAnErase, notAnErase, notAnErase, notAnErase},
	} {
		v := NewPlan(&Deps{Method: &Method{Technique: technique}}).Verification
		for i, tier := range []proof.Tier{v.Command, v.Comparison, v.Canaries, v.FullRead} {
			if !strings.HasPrefix(tier.Text, want[i]) && !strings.HasSuffix(tier.Text, want[i]) || tier.Verdict != proof.Skipped {
				t.Errorf("%s, tier %d: %+v, want %q", technique, i, tier, want[i])
			}
		}
	}
}

func TestPlanRefused(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	d.Agreement = &guard.Agreement{Serial: "nvme0", Yes: true}
	rec := NewPlan(d)
	if rec.Class() != Refused || !strings.HasPrefix(rec.Next, "nothing was sent") || rec.Consent.By != "flags" {
		t.Errorf("result %s, next %q, consent %+v", rec.Result, rec.Next, rec.Consent)
	}
}

func TestCommandNames(t *testing.T) {
	tests := []struct {
		cmd  nvme.Command
		want string
	}{
		{*nvme.FormatNVM{NSID: 1, LBAF: 2, SES: 1, PI: 1}.Command(), "Format NVM, SES 1, LBAF 2, PI 1, namespace 1"},
		{*nvme.FormatNVM{NSID: nvme.BroadcastNSID, SES: 2}.Command(), "Format NVM, SES 2, LBAF 0, all namespaces"},
		{*nvme.Sanitize{Action: nvme.SanitizeCryptoErase}.Command(), "Sanitize, Crypto Erase"},
		{nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IOWrite, NSID: 3}, "Write of zeroes to all of namespace 3"},
		{nvme.Command{Opcode: nvme.AdminIdentify}, "Identify"},
	}
	for _, tt := range tests {
		if got := commandName(&tt.cmd); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
