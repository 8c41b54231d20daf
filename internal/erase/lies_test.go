package erase

import (
	"context"
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/internal/sim"
)

// realProver is the verification that users get.
type realProver struct{ options proof.Options }

func (p *realProver) media(all []Medium) []proof.Medium {
	var list []proof.Medium
	for _, m := range all {
		list = append(list, proof.Medium{
			Name: m.Name, Engine: bench.NewReaderAt("test", m.ReaderAt), Bytes: m.Bytes, BlockBytes: m.LBABytes, Writer: m.WriterAt,
		})
	}
	return list
}

func (p *realProver) Before(ctx context.Context, media []Medium, _ func(done, total int64)) ([]byte, error) {
	kept, err := proof.Prepare(ctx, p.media(media), p.options)
	if err != nil {
		return nil, err
	}
	return kept.MarshalBinary()
}

func (p *realProver) After(ctx context.Context, media []Medium, kept []byte, command proof.Tier, _ func(done, total int64)) (*Verification, error) {
	var before *proof.Kept
	if kept != nil {
		before = new(proof.Kept)
		if err := before.UnmarshalBinary(kept); err != nil {
			return nil, err
		}
	}
	return proof.Verify(ctx, p.media(media), before, command, p.options)
}

// TestLies holds that no lie of a drive is taken for an erase, neither by the
// run nor by the one that carries on with it, and that honest drives pass.
func TestLies(t *testing.T) {
	const nand = "nand-modern?size=8388608&speed=100000"
	const slow = "optane-905p?size=8388608&speed=1000"
	tests := []struct {
		name, profile, faults string
		request               Request
		want                  Class
		// resumed is the class after a resume, "" for a job that has ended.
		resumed Class
	}{
		{"honest format", small, "", Request{}, Done, ""},
		{"honest crypto", nand, "", Request{Technique: FormatCrypto}, Done, ""},
		{"honest sanitize", nand, "", Request{}, Done, ""},
		{"honest overwrite", small, "", Request{Technique: Overwrite}, Done, ""},
		{"erases nothing", small, `{"do":"leave-all"}`, Request{}, NotErased, ""},
		{"says that it did", small, `{"when":{"opcode":128,"queue":"admin"},"do":"status","status":0}`, Request{}, NotErased, ""},
		{"crypto does nothing", nand, `{"when":{"ses":2},"do":"leave-all"}`, Request{Technique: FormatCrypto}, NotErased, ""},
		{"sanitize does nothing", nand, `{"do":"leave-all"}`, Request{}, NotErased, ""},
		{"erases a part", small, `{"do":"leave-rest","percent":75}`, Request{}, NotErased, ""},
		{"leaves a region", small, `{"do":"leave-region","lba_from":8000,"lba_to":8007}`, Request{}, NotErased, ""},
		{"leaves the newest", small, `{"do":"leave-recent","count":64}`, Request{}, NotErased, ""},
		{"fails in the middle", slow, `{"do":"fail","percent":50,"status":6}`, Request{}, Failed, ""},
		{"reset in the middle", slow, `{"do":"reset","percent":50,"times":1}`, Request{}, Interrupted, Interrupted},
		{"power loss in the middle", slow, `{"do":"power-loss","percent":50,"times":1}`, Request{}, Interrupted, Interrupted},
		{"ghost", slow, `{"do":"ghost","percent":50,"times":1}`, Request{}, Interrupted, Interrupted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.profile)
			d := r.deps(tt.request)
			d.Prover = &realProver{}
			if tt.faults != "" {
				f, err := sim.ParseFaults(strings.NewReader(tt.faults))
				if err != nil {
					t.Fatal(err)
				}
				r.drive.WithFaults(f)
			}
			rec, err := Run(t.Context(), d)
			if rec.Class() != tt.want {
				t.Errorf("result %s, want %s; error %v, verification %+v, warnings %q", rec.Result, tt.want, err, texts(&rec.Verification), rec.Warnings)
			}
			if failed := tt.want == Failed || tt.want == NotErased; failed != (rec.Verdict == proof.Fail) {
				t.Errorf("verdict %s, verification %q", rec.Verdict, texts(&rec.Verification))
			}
			if j := r.record(); j.Ended() != (tt.resumed == "") {
				t.Errorf("the job has ended: %t", j.Ended())
			}
			if tt.resumed == "" {
				return
			}
			again := r.again()
			again.Prover = &realProver{}
			rec, err = Resume(t.Context(), again, r.record().ID)
			if rec.Class() != tt.resumed || err == nil {
				t.Errorf("resumed: result %s, want %s; error %v, verification %+v", rec.Result, tt.resumed, err, texts(&rec.Verification))
			}
			noClaim(t, rec)
		})
	}
}

func texts(v *Verification) []string {
	var all []string
	for _, tier := range []proof.Tier{v.Command, v.Comparison, v.Canaries, v.FullRead} {
		all = append(all, string(tier.Verdict)+" "+tier.Text)
	}
	return all
}

// TestSanitizeStalls holds that a sanitize operation that stands still is waited
// for, and that this is told.
func TestSanitizeStalls(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&speed=100000")
	d := r.deps(Request{})
	f, err := sim.ParseFaults(strings.NewReader(`{"when":{"opcode":132},"do":"stall","percent":1,"ms":300}`))
	if err != nil {
		t.Fatal(err)
	}
	r.drive.WithFaults(f)
	rec, err := Run(t.Context(), d)
	if err != nil || rec.Class() != Done || !strings.Contains(strings.Join(rec.Warnings, "\n"), "has stood at 1.0 %") {
		t.Errorf("result %s, error %v, warnings %q", rec.Result, err, rec.Warnings)
	}
}
