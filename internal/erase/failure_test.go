package erase

import (
	"context"
	"errors"
	"testing"

	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// A drive whose sanitize failed refuses to read until it is told to leave the
// failure mode, which is no erase and claims none.
func TestExitFailure(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&speed=1000000&sanitize=fails")
	if _, err := Choose(r.facts(), Request{Technique: ExitFailure}); !isRequestError(err) {
		t.Fatalf("without a failure: %v, want a request error", err)
	}
	if rec, err := Run(t.Context(), r.deps(Request{Technique: SanitizeBlock})); rec.Class() != NotErased {
		t.Fatalf("the sanitize: %s, %v, want %s", rec.Class(), err, NotErased)
	}
	if s := readStatus(t, r); s == nvme.StatusSuccess {
		t.Fatal("the drive reads in its failure mode")
	}
	before := len(r.commands())
	d := r.deps(Request{Technique: ExitFailure})
	rec, err := Run(t.Context(), d)
	if err != nil || rec.Class() != Done || rec.Verdict != proof.Skipped || rec.Category != "none: this is not an erase" {
		t.Fatalf("class %s, verdict %s, category %q, error %v", rec.Class(), rec.Verdict, rec.Category, err)
	}
	sent := r.commands()[before:]
	if len(sent) != 1 || sent[0].Opcode != nvme.AdminSanitize || sent[0].CDW10 != uint32(nvme.SanitizeExitFailureMode) {
		t.Errorf("sent %+v, want one Sanitize that leaves the failure mode", sent)
	}
	if s := readStatus(t, r); s != nvme.StatusSuccess {
		t.Errorf("a read afterwards: %v", s)
	}
	if d.Case.Phrase() == "" || d.Case.Phrase()[:9] != "SANITIZE " {
		t.Errorf("phrase %q", d.Case.Phrase())
	}
}

func isRequestError(err error) bool {
	_, ok := errors.AsType[*RequestError](err)
	return ok
}

// readStatus reads the first block by a command.
func readStatus(t *testing.T, r *rig) nvme.Status {
	t.Helper()
	c, err := r.drive.Submit(context.Background(), &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: 1, Data: make([]byte, 512)})
	if err != nil {
		t.Fatal(err)
	}
	return c.Status.Code()
}
