package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// logsOf opens a simulated drive for its log pages.
func logsOf(t *testing.T, d *sim.Drive) *LogReader {
	t.Helper()
	t.Cleanup(func() { d.Close() })
	s, err := Begin(t.Context(), &Drive{Simulated: true, Passthru: nvme.ReadOnly(d)}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return s.Logs()
}

func openLogs(t *testing.T, profile string) *LogReader {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	return logsOf(t, d)
}

func entries(t *testing.T, r *LogReader) uint64 {
	t.Helper()
	l, err := r.SMARTLog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l.ErrorLogEntries.Lo
}

// TestReadEveryLog reads every page that each simulated drive lists: each one is
// decoded, and none adds an entry to the error log.
func TestReadEveryLog(t *testing.T) {
	for _, profile := range []string{"optane-905p", "optane-905p-used", "optane-905p-media-errors", "nand-modern", "nand-worn", "throttling", "fake", "nand-modern?telemetry=40000000"} {
		r := openLogs(t, profile)
		before := entries(t, r)
		list, err := r.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, l := range list {
			page, err := r.Read(t.Context(), LogRequest{LID: l.LID})
			switch {
			case !l.Listed && err == nil:
				t.Errorf("%s: %s was read although %s", profile, l.Name, l.Why)
			case l.Listed && err != nil:
				t.Errorf("%s: %s: %v", profile, l.Name, err)
			case l.Listed && page.Fields == nil && page.Vendor == nil:
				t.Errorf("%s: %s is not decoded", profile, l.Name)
			case l.Listed:
				read++
			}
		}
		if after := entries(t, r); after != before || read < 3 {
			t.Errorf("%s: %d pages read, %d entries added to the error log", profile, read, after-before)
		}
	}
}

// TestLogsOfTheCorpus does the same on a drive made of each real Identify page.
func TestLogsOfTheCorpus(t *testing.T) {
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
			t.Errorf("%s: %v", file, err)
			continue
		}
		r := logsOf(t, d)
		before := entries(t, r)
		list, err := r.List(t.Context())
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, l := range list {
			if l.Listed && l.LID < 0xC0 {
				r.Read(t.Context(), LogRequest{LID: l.LID})
			}
		}
		if after := entries(t, r); after != before {
			t.Errorf("%s: %d entries added to the error log", filepath.Base(file), after-before)
		}
	}
}

// corpusPages are the pages of a drive of which Identify Controller is known. It
// answers every page that this one lists.
type corpusPages struct{ controller []byte }

func (p corpusPages) Identify(cns nvme.CNS, _ nvme.NSID) []byte {
	if cns == nvme.CNSController {
		return p.controller
	}
	return nil
}

func (p corpusPages) Log(lid nvme.LID) []byte {
	var id nvme.IdentifyController
	if id.UnmarshalBinary(p.controller) != nil || !lists(&id, lid) {
		return nil
	}
	page := make([]byte, 4096)
	if lid == nvme.LIDSMART {
		page[2], page[3] = 1, 100 // A page that is not blank: 256 K, all of the spare.
	}
	for i := range 256 {
		if lid == nvme.LIDSupportedLogs && lists(&id, nvme.LID(i)) {
			page[4*i] = 1
		}
	}
	return page
}

// lists reports whether Identify Controller lists a page.
func lists(id *nvme.IdentifyController, lid nvme.LID) bool {
	page, known := spec.LogPageOf(lid)
	ok, _ := page.When.Listed(id)
	return known && ok
}

func (corpusPages) Feature(nvme.FID) (uint32, bool) { return 0, false }

func TestReadLog(t *testing.T) {
	r := openLogs(t, "nand-modern")
	for _, tt := range []struct {
		name  string
		req   LogRequest
		bytes int
		field bool
		fails string
	}{
		{"whole", LogRequest{LID: 2}, 512, true, ""},
		{"longer than the page", LogRequest{LID: 2, Bytes: 1024}, 1024, true, ""},
		{"a part", LogRequest{LID: 2, Bytes: 100}, 100, false, ""},
		{"from an offset", LogRequest{LID: 2, Offset: 32, Bytes: 480}, 480, false, ""},
		{"with its group", LogRequest{LID: 9, LSI: new(uint16(1))}, 512, true, ""},
		{"a group that there is not", LogRequest{LID: 9, LSI: new(uint16(7))}, 0, false, "Invalid Field"},
		{"not listed", LogRequest{LID: 0x0C}, 0, false, "does not list it"},
		{"not listed, forced", LogRequest{LID: 0x0C, Force: true}, 0, false, "Invalid Log Page"},
		{"of the vendor, not listed", LogRequest{LID: 0xC0}, 0, false, "does not list it"},
	} {
		page, err := r.Read(t.Context(), tt.req)
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: error %v, want %s", tt.name, err, tt.fails)
			}
			continue
		}
		if err != nil || page.Bytes != tt.bytes || len(page.Hex) != tt.bytes || (page.Fields != nil) != tt.field {
			t.Errorf("%s: %+v, %v", tt.name, page, err)
		}
	}
}

// TestReadLogKeepsEvents holds that reading clears an event only if it is told
// to.
func TestReadLogKeepsEvents(t *testing.T) {
	d, err := sim.Open("nand-modern")
	if err != nil {
		t.Fatal(err)
	}
	cleared := false
	d.WithTrace(func(cmd *nvme.Command) {
		const retain = 1 << 15
		cleared = cleared || cmd.Opcode == nvme.AdminGetLogPage && cmd.CDW10&retain == 0
	})
	r := logsOf(t, d)
	list, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		if _, err := r.Read(t.Context(), LogRequest{LID: l.LID}); l.Listed && err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
	}
	if cleared {
		t.Error("a page was read without Retain Asynchronous Event")
	}
	if _, err := r.Read(t.Context(), LogRequest{LID: 4, ClearEvent: true}); err != nil || !cleared {
		t.Errorf("the event was not cleared: %v", err)
	}
}

// TestPersistentEventProblem says what to do about a context of somebody else.
func TestPersistentEventProblem(t *testing.T) {
	r := openLogs(t, "nand-modern")
	if _, err := r.LogPage(t.Context(), nvme.GetLogPage{LID: nvme.LIDPersistentEvent, LSP: 1, Bytes: 512}); err != nil {
		t.Fatal(err)
	}
	_, err := r.Read(t.Context(), LogRequest{LID: nvme.LIDPersistentEvent})
	var p *Problem
	if !errors.As(err, &p) || !strings.Contains(p.Hint, "--release") || p.Status == nil {
		t.Errorf("problem %+v", p)
	}
}
