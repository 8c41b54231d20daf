package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// pages has the pages of one real drive, as far as they are known.
type pages struct{ controller, namespace, smart []byte }

func (d pages) Identify(cns nvme.CNS, nsid nvme.NSID) []byte {
	switch {
	case cns == nvme.CNSController:
		return d.controller
	case cns == nvme.CNSNamespace && nsid == 1:
		return d.namespace
	case cns == nvme.CNSNamespaceDescriptors && nsid == 1:
		return append([]byte{1, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, make([]byte, 4084)...)
	}
	return nil
}

// Log has the pages that every drive has, empty where the dump has none.
func (d pages) Log(lid nvme.LID) []byte {
	switch lid {
	case nvme.LIDSMART:
		return d.smart
	case nvme.LIDError:
		const elpe = 262
		return make([]byte, (int(d.controller[elpe])+1)*64)
	case nvme.LIDFirmwareSlot:
		return append([]byte{1}, make([]byte, 511)...)
	case nvme.LIDSelfTest:
		const oacs, selfTest = 256, 0x10
		if d.controller[oacs]&selfTest != 0 {
			return make([]byte, 564)
		}
	}
	return nil
}

func (pages) Feature(nvme.FID) (uint32, bool) { return 0, false }

// TestPlans plans the erase of a drive made of each Identify page of the corpus
// that has an Identify Namespace page too: the technique and the times are in a
// golden file, and looking at the drive adds nothing to its error log.
func TestPlans(t *testing.T) {
	data := filepath.Join("..", "..", "nvme", "testdata")
	names, err := filepath.Glob(filepath.Join(data, "idctrl", "*.bin"))
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	var lines strings.Builder
	for _, name := range names {
		base := filepath.Base(name)
		d := pages{readPage(t, name), readPage(t, filepath.Join(data, "idns", base)), readPage(t, filepath.Join(data, "smart", base))}
		if d.namespace == nil {
			fmt.Fprintf(&lines, "%-56s not in this capture\n", strings.TrimSuffix(base, ".bin"))
			continue
		}
		if d.smart == nil {
			d.smart = readPage(t, filepath.Join(data, "smart", "samsung-970EVOPlus-500GB.bin"))
		}
		fmt.Fprintf(&lines, "%-56s %s\n", strings.TrimSuffix(base, ".bin"), planOf(t, d))
	}
	golden := filepath.Join("testdata", "plans.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), lines.String()); diff != "" {
		t.Errorf("plans (-want +got; -update writes them):\n%s", diff)
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

// planOf is what the plan for a drive comes to.
func planOf(t *testing.T, d pages) string {
	t.Helper()
	s, err := sim.FromPages(d, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := errorEntries(t, s)
	root := sysfs.Map(s.Sysfs())
	host, err := sysfs.Read(root, "nvme0")
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{Drive: &report.Drive{Passthru: s, Host: host, Close: s.Close}, host: simHost{root: root, host: host, drive: s}, inProcess: true}
	p, err := prepare(t.Context(), g, erase.Request{})
	if err != nil {
		return err.Error()
	}
	if after := errorEntries(t, s); after != before {
		t.Errorf("%s: the plan added %d entries to the error log", host.Model, after-before)
	}
	m := p.method
	return fmt.Sprintf("%-18s %v to %v, time-out %v", m.Technique, m.Estimate.Low, m.Estimate.High, m.Timeout)
}

// TestNoFootprint makes drives of all Identify pages of the corpus, which count
// each command that they refuse, and does with them all that only reads. No
// command may add an entry to a drive's error log.
func TestNoFootprint(t *testing.T) {
	data := filepath.Join("..", "..", "nvme", "testdata")
	names, err := filepath.Glob(filepath.Join(data, "idctrl", "*.bin"))
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	for _, name := range names {
		base := filepath.Base(name)
		t.Run(strings.TrimSuffix(base, ".bin"), func(t *testing.T) {
			d := pages{readPage(t, name), readPage(t, filepath.Join(data, "idns", base)), readPage(t, filepath.Join(data, "smart", base))}
			const other = "samsung-970EVOPlus-500GB.bin"
			if d.namespace == nil {
				d.namespace = readPage(t, filepath.Join(data, "idns", other))
			}
			if d.smart == nil {
				d.smart = readPage(t, filepath.Join(data, "smart", other))
			}
			s, err := sim.FromPages(d, "")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			checkFootprint(t, s)
		})
	}
}

// readPage returns nil for a page that is not known.
func readPage(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return b
}

func checkFootprint(t *testing.T, s *sim.Drive) {
	t.Helper()
	before := errorEntries(t, s)
	d := &report.Drive{Passthru: nvme.ReadOnly(s)}
	r := report.Collect(t.Context(), d, report.Options{Now: time.Now, Timeout: 10 * time.Second})
	if r.Footprint.Refused != 0 || r.IdentifyController.Data == nil {
		t.Errorf("report: footprint %+v, problems %+v", r.Footprint, r.Problems())
	}
	if row := report.ReadRow(t.Context(), d, 10*time.Second); row.Problem != nil {
		t.Errorf("list: %v", row.Problem)
	}
	session, err := report.Begin(t.Context(), d, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_, smartErr := session.ReadSMARTSection(t.Context())
	_, errorsErr := session.ReadErrors(t.Context())
	_, firmwareErr := session.ReadFirmware(t.Context())
	for what, err := range map[string]error{"smart": smartErr, "errors": errorsErr, "firmware": firmwareErr} {
		if problem, ok := err.(*report.Problem); ok && problem.Kind != report.KindNoData {
			t.Errorf("%s: %v", what, err)
		}
	}
	if nsid, err := session.DefaultNSID(t.Context()); err != nil {
		t.Errorf("namespaces: %v", err)
	} else if _, err := session.Namespace(t.Context(), nsid); err != nil {
		t.Errorf("id ns: %v", err)
	}
	if after := errorEntries(t, s); after != before {
		t.Errorf("%d entries were added to the error log", after-before)
	}
	checkVendorFootprint(t, s, d)
}

// checkVendorFootprint holds that what the vendor's logs cost is in the report:
// these drives have none of them.
func checkVendorFootprint(t *testing.T, s *sim.Drive, d *report.Drive) {
	t.Helper()
	before := errorEntries(t, s)
	r := report.Collect(t.Context(), d, report.Options{Now: time.Now, Timeout: 10 * time.Second, VendorLogs: report.VendorLogsSafe})
	added := int64(errorEntries(t, s) - before)
	if got := r.Footprint.ErrorLogEntriesAdded; got == nil || *got != added || int64(r.Footprint.Refused) != added || added > 1 {
		t.Errorf("vendor logs: %d entries were added to the error log, footprint %+v", added, r.Footprint)
	}
	if r.VendorLogs.Data == nil && added != 0 {
		t.Errorf("vendor logs: %d entries without a word", added)
	}
}

func errorEntries(t *testing.T, s *sim.Drive) uint64 {
	t.Helper()
	l, err := nvme.NewController(s).SMARTLog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l.ErrorLogEntries.Lo
}
