package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// TestReadErrors finds the damaged spot of a drive, and adds nothing.
func TestReadErrors(t *testing.T) {
	r := openLogs(t, "optane-905p-media-errors")
	e, err := r.ReadErrors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := &smart.Triage{
		MediaErrors: new(nvme.U128(2_481_614)), Media: 64, Opcodes: []smart.OpcodeCount{},
		Spots: []smart.Spot{{NSID: 1, Entries: 64, LBAs: 2, LBAMin: 1875384832, LBAMax: 1875384968, FromEndBytes: new(uint64(88 << 10))}},
	}
	if diff := cmp.Diff(want, e.Triage); diff != "" {
		t.Errorf("triage (-want +got):\n%s", diff)
	}
	if e.EntriesAdded == nil || *e.EntriesAdded != 0 {
		t.Errorf("entries added: %v", e.EntriesAdded)
	}
}

// TestReadErrorsOfTheCorpus reads the error log of a drive made of each real
// Identify page: no drive counts an error of it.
func TestReadErrorsOfTheCorpus(t *testing.T) {
	files, err := filepath.Glob("../../nvme/testdata/idctrl/*.bin")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := sim.FromPages(corpusPages{b}, "")
		if err != nil {
			t.Fatal(err)
		}
		e, err := logsOf(t, d).ReadErrors(t.Context())
		if err != nil || e.EntriesAdded == nil || *e.EntriesAdded != 0 {
			t.Errorf("%s: %v, %+v", filepath.Base(file), err, e)
		}
	}
}

func TestBlocksOf(t *testing.T) {
	one := []Namespace{{NSID: 3, SizeBytes: 8192, LBAFormat: LBAFormat{DataBytes: 4096}}}
	want := map[nvme.NSID]smart.Blocks{0: {Count: 2, Bytes: 4096}, 3: {Count: 2, Bytes: 4096}, nvme.BroadcastNSID: {Count: 2, Bytes: 4096}}
	if diff := cmp.Diff(want, blocksOf(one)); diff != "" {
		t.Errorf("one namespace (-want +got):\n%s", diff)
	}
	if got := blocksOf(append(one, Namespace{NSID: 4})); len(got) != 1 || got[3].Count != 2 {
		t.Errorf("two namespaces, one of which could not be read: %v", got)
	}
}
