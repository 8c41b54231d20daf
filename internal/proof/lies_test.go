package proof_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

const format = `{"when":{"queue":"admin","opcode":128},`

// lying opens a simulated drive of 960 GB, full of data, with a fault script.
func lying(t *testing.T, script string) *sim.Drive {
	t.Helper()
	path := filepath.Join(t.TempDir(), "faults.jsonl")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	profile := "optane-905p?read_latency=1us&write_latency=1us&speed=1000000"
	if script != "" {
		profile += "&faults=" + path
	}
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// erase formats the first namespace with a user data erase. The drive says that
// it did.
func erase(t *testing.T, d *sim.Drive) {
	t.Helper()
	cpl, err := d.Submit(t.Context(), &nvme.Command{Opcode: nvme.AdminFormatNVM, NSID: 1, CDW10: 1 << 9})
	if err != nil || !cpl.Status.OK() {
		t.Fatalf("format: %v, %v", cpl.Status, err)
	}
}

func mediumOf(d *sim.Drive) proof.Medium {
	return proof.Medium{Name: "namespace 1", Engine: bench.NewReaderAt("sim", d), Bytes: d.Size(), BlockBytes: d.BlockBytes(), Writer: d}
}

// TestLies checks that no drive that says that it erased, and did not, passes,
// and which tier finds it.
func TestLies(t *testing.T) {
	for _, tt := range []struct {
		name, script       string
		blank              bool // erased once before
		comparison, canary proof.Verdict
		want               proof.Verdict
	}{
		{"honest", ``, false, proof.Pass, proof.Pass, proof.Pass},
		{"honest, blank before", ``, true, proof.Inconclusive, proof.Pass, proof.Pass},
		{"does nothing and says success", format + `"do":"status","status":0}`, false, proof.Fail, proof.Fail, proof.Fail},
		{"does nothing in its time", format + `"do":"leave-all"}`, false, proof.Fail, proof.Fail, proof.Fail},
		{"does nothing on a blank drive", `{"when":{"queue":"admin","opcode":128,"after_count":1},"do":"leave-all"}`, true, proof.Inconclusive, proof.Fail, proof.Fail},
		{"erases 99 parts of 100", format + `"do":"leave-rest","percent":99}`, false, proof.Fail, proof.Fail, proof.Fail},
		{"leaves one page of 200", format + `"do":"leave-scattered","ppm":5000,"seed":4}`, false, proof.Fail, "", proof.Fail},
		{"leaves the partition table", format + `"do":"leave-region","lba_from":0,"lba_to":33}`, false, proof.Fail, proof.Pass, proof.Fail},
		{"leaves the end", format + `"do":"leave-region","lba_from":1875384000,"lba_to":1875385007}`, false, proof.Fail, proof.Pass, proof.Fail},
		{"leaves 1 GB", format + `"do":"leave-region","lba_from":1000000000,"lba_to":1002000000}`, false, proof.Fail, "", proof.Fail},
		{"leaves what was written last", format + `"do":"leave-recent"}`, false, proof.Pass, proof.Fail, proof.Fail},
		{"erases only what was read", format + `"do":"leave-unread"}`, false, proof.Pass, proof.Fail, proof.Fail},
		{"answers from an old cache", `{"when":{"queue":"io","opcode":2},"do":"old-data"}`, false, proof.Fail, proof.Fail, proof.Fail},
		{"bad blocks afterwards", `{"when":{"queue":"io","opcode":2,"lba_from":0,"lba_to":1000,"after_count":200},"do":"status","status":641}`, false, proof.Inconclusive, proof.Pass, proof.Pass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := lying(t, tt.script)
			if tt.blank {
				erase(t, d)
			}
			o := proof.Options{Samples: 4000, Seed: 11}
			k, err := proof.Prepare(t.Context(), []proof.Medium{mediumOf(d)}, o)
			if err != nil {
				t.Fatal(err)
			}
			erase(t, d)
			v, err := proof.Verify(t.Context(), []proof.Medium{mediumOf(d)}, k, proof.Tier{Verdict: proof.Pass}, o)
			if err != nil {
				t.Fatal(err)
			}
			if v.Comparison.Verdict != tt.comparison || tt.canary != "" && v.Canaries.Verdict != tt.canary || v.Decide() != tt.want {
				t.Errorf("comparison %s: %s\ncanaries %s: %s\nall %s, want %s, %s and %s", v.Comparison.Verdict, v.Comparison.Text,
					v.Canaries.Verdict, v.Canaries.Text, v.Decide(), tt.comparison, tt.canary, tt.want)
			}
			if c := v.Comparison.Comparisons[0]; tt.blank != (c.Power == proof.PowerNone) || c.Medium != "namespace 1" || !strings.Contains(strings.Join(v.Limits, " "), "1 MiB") {
				t.Errorf("%+v, limits %q", c, v.Limits)
			}
		})
	}
}
