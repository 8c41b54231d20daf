package erase

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

var update = flag.Bool("update", false, "rewrite testdata/choose.golden")

// captured are drives whose Identify pages are in testdata. Those without a
// page of a namespace get one of the size that the model has.
var captured = []struct {
	name      string
	namespace string
	bytes     int64
	sanitize  string
}{
	{name: "optane-905P-SSDPE21D960GA-fresh-1h", namespace: "optane-905P-SSDPE21D960GA-fresh-1h"},
	{name: "optane-905P-SSDPE21D015TA-1.5TB", namespace: "optane-905P-SSDPE21D015TA-1.5TB"},
	{name: "optane-P4800X-SSDPED1K375GA", namespace: "optane-P4800X-SSDPED1K375GA"},
	{name: "samsung-970EVOPlus-500GB", namespace: "samsung-970EVOPlus-500GB"},
	{name: "samsung-PM1733", namespace: "samsung-7.68TB"},
	{name: "toshiba-KBG30ZMV256G-59C", namespace: "toshiba-KBG30ZMV256G-59C"},
	{name: "crucial-P3", bytes: 4_000_787_030_016, sanitize: "crucial.sanitize.bin"},
	{name: "wdc-SN730-256GB", bytes: 256_060_514_304},
	{name: "intel-P3700-NVMe1.0", bytes: 400_088_457_216},
	{name: "apple-AP0512Z", bytes: 500_277_790_720},
}

func page(t *testing.T, into interface{ UnmarshalBinary([]byte) error }, parts ...string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	if err := into.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
}

// space returns a namespace of that size with blocks of 512 bytes.
func space(nsid nvme.NSID, bytes int64) Namespace {
	n := &nvme.IdentifyNamespace{NSZE: uint64(bytes / 512), NCAP: uint64(bytes / 512)}
	n.LBAF[0].LBADS = 9
	return Namespace{nsid, n}
}

func describe(m *Method) string {
	var b strings.Builder
	fmt.Fprintf(&b, "technique %s\n", m.Technique)
	for _, r := range m.Reasons {
		fmt.Fprintf(&b, "  because %s\n", r)
	}
	for _, n := range m.Notes {
		fmt.Fprintf(&b, "  note %s\n", n)
	}
	for _, c := range m.Commands {
		fmt.Fprintf(&b, "  command %s opcode %02x nsid %x cdw10 %x\n", c.Queue, c.Opcode, c.NSID, c.CDW10)
	}
	fmt.Fprintf(&b, "  time-out %v: %s\n", m.Timeout, m.TimeoutSource)
	fmt.Fprintf(&b, "  estimate %v to %v: %s\n", m.Estimate.Low, m.Estimate.High, m.Estimate.Source)
	fmt.Fprintf(&b, "  category %s\n  progress %t\n", m.Category, m.Progress)
	return b.String()
}

// TestChooseCaptured holds what real drives are offered.
func TestChooseCaptured(t *testing.T) {
	var got strings.Builder
	for _, drive := range captured {
		f := Facts{Controller: new(nvme.IdentifyController), Namespaces: []Namespace{space(1, drive.bytes)}}
		page(t, f.Controller, "idctrl", drive.name+".bin")
		if drive.namespace != "" {
			n := new(nvme.IdentifyNamespace)
			page(t, n, "idns", drive.namespace+".bin")
			f.Namespaces[0].Identify = n
		}
		if drive.sanitize != "" {
			f.Sanitize = new(nvme.SanitizeLog)
			page(t, f.Sanitize, drive.sanitize)
		}
		f.Model = drivedb.Lookup(f.Controller.ModelNumber.String())
		m, err := Choose(f, Request{})
		if err != nil {
			t.Errorf("%s: %v", drive.name, err)
			continue
		}
		fmt.Fprintf(&got, "# %s\n%s\n", drive.name, describe(m))
	}
	const golden = "testdata/choose.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("what is chosen (-want +got):\n%s", diff)
	}
}
