package report

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/sata"
	"qd1.example/qd1/smart"
)

// disk is the report on a healthy disk.
func disk(t *testing.T) *sata.Report {
	t.Helper()
	b, err := os.ReadFile("../sata/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	r := new(sata.Report)
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func diskReport(t *testing.T, s *sata.Report) *Report {
	t.Helper()
	job := bench.QD1Read(1)
	o := fakeOptions()
	o.Bench, o.Runner = &job, fakeRunner(&bench.Result{Operations: 9})
	return Collect(t.Context(), &Drive{
		Selector: "/dev/sda", Target: &bench.Target{Path: "/dev/sda"},
		SATA: func(_ context.Context, timeout time.Duration) *sata.Report {
			if timeout != o.Timeout {
				t.Errorf("time-out %v", timeout)
			}
			return s
		},
	}, o)
}

func TestSATAReport(t *testing.T) {
	s := disk(t)
	r := diskReport(t, s)
	id := r.Drive
	if id.Serial != s.Identity.Serial || id.Model != s.Identity.Model || id.Firmware != s.Identity.Firmware || id.Controller != "sda" || id.Transport != "ata" {
		t.Errorf("drive %+v", id)
	}
	if r.Verdict.Level != smart.Keep || len(r.Verdict.Findings) != len(s.Verdict.Findings) || r.Verdict.Findings[0].Evidence != s.Verdict.Findings[0].Evidence {
		t.Errorf("verdict %+v", r.Verdict)
	}
	if r.Bench.Data == nil || r.Footprint.Commands != s.Footprint.Commands || !r.Readable() || len(r.Problems()) != 0 {
		t.Errorf("bench %+v, footprint %+v, problems %+v", r.Bench, r.Footprint, r.Problems())
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("identify_controller namespaces smart endurance plausibility population vendor_logs errors firmware link source") {
		if string(keys[key]) != "null" {
			t.Errorf("%s = %s, want null", key, keys[key])
		}
	}
}

// A box that passes no command on still has what the host says of it.
func TestSATABridge(t *testing.T) {
	s := &sata.Report{
		Host:     &sata.Host{Disk: "sdb", Partition: "sdb1", Transport: sata.TransportUSB, Vendor: "Realtek", Model: "RTL9210", Revision: "1.00"},
		Advice:   &sata.Advice{Text: "An NVMe drive in a USB box."},
		Problems: []sata.Problem{{Section: sata.SectionIdentity, Kind: sata.KindNotATA, Text: "no ATA drive to talk to", Hint: "take it out"}},
		Verdict:  sata.Assessment{Level: sata.Unknown},
	}
	r := diskReport(t, s)
	if r.Drive.Model != "Realtek RTL9210" || r.Drive.Serial != "" || !strings.Contains(r.Drive.Note, "sdb1") || r.Verdict.Level != smart.Unknown {
		t.Errorf("drive %+v, verdict %+v", r.Drive, r.Verdict)
	}
	want := []NamedProblem{{sata.SectionIdentity, &Problem{Kind: "not-ata", Text: "no ATA drive to talk to", Hint: "take it out"}}}
	if diff := cmp.Diff(want, r.Problems()); diff != "" || !r.Readable() {
		t.Errorf("readable %v, problems (-want +got):\n%s", r.Readable(), diff)
	}
	s.Advice = nil
	if diskReport(t, s).Readable() {
		t.Error("a disk of which nothing is known is readable")
	}
}
