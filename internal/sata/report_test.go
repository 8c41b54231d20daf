package sata

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "write the golden files")

// TestReportJSON compares the report of a healthy drive with a golden file: its
// keys are part of the interface.
func TestReportJSON(t *testing.T) {
	r := Collect(t.Context(), healthyDrive(t).open(nil), 0)
	got, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/report.json"
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCollectOrder(t *testing.T) {
	f := healthyDrive(t)
	r := Collect(t.Context(), f.open(nil), 0)
	want := []string{"identify", "status", "data", "thresholds", "log0", "log4", "log1", "log6"}
	if diff := cmp.Diff(want, f.commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if r.Footprint != (Footprint{Commands: 8}) || len(r.Problems) != 0 || r.Verdict.Level != Keep {
		t.Errorf("footprint %+v, problems %+v, verdict %+v", r.Footprint, r.Problems, r.Verdict)
	}
}

// TestCollectAsksForWhatExists checks that a drive without options is not asked
// for them.
func TestCollectAsksForWhatExists(t *testing.T) {
	tests := []struct {
		name   string
		change words
		log4   byte
		want   []string
	}{
		{"no logs", words{84: 0x4000, 87: 0x4000}, 8, []string{"identify", "status", "data", "thresholds"}},
		{"no statistics", nil, 0, []string{"identify", "status", "data", "thresholds", "log0", "log1", "log6"}},
		{"SMART off", words{85: 0}, 8, []string{"identify"}},
		{"no SMART", words{82: 0, 85: 0}, 8, []string{"identify"}},
	}
	for _, tt := range tests {
		f := healthyDrive(t)
		f.pages[key{opIdentifyDevice, 0, 0}] = identify(tt.change)
		f.pages[key{opSMART, smartReadLog, 0}] = directory(map[int]byte{4: tt.log4})
		r := Collect(t.Context(), f.open(nil), 0)
		if diff := cmp.Diff(tt.want, f.commands); diff != "" {
			t.Errorf("%s: commands (-want +got):\n%s", tt.name, diff)
		}
		if len(r.Problems) != 0 {
			t.Errorf("%s: problems %+v", tt.name, r.Problems)
		}
	}
}

// TestRefusedLog checks that one section that fails stays one section: the
// library gives up the whole drive there.
func TestRefusedLog(t *testing.T) {
	f := healthyDrive(t)
	delete(f.pages, key{opSMART, smartReadLog, 0})
	delete(f.pages, key{opSMART, smartReadThresholds, 0})
	r := Collect(t.Context(), f.open(nil), 0)
	if len(r.Problems) != 1 || r.Problems[0].Section != SectionDirectory || r.Problems[0].Kind != KindRefused {
		t.Errorf("problems: %+v", r.Problems)
	}
	if r.Attributes == nil || r.ErrorLog == nil || r.SelfTestLog == nil || r.Verdict.Level != Keep || r.Footprint.Refused != 2 {
		t.Errorf("the rest: %+v", r)
	}
}

func TestCollectEnds(t *testing.T) {
	tests := []struct {
		name     string
		fake     func(*fake)
		host     *Host
		kind     Kind
		level    Level
		commands int
		hint     bool
	}{
		{"no permission", func(f *fake) { f.errno = unix.EPERM }, nil, KindPermission, Unknown, 1, true},
		{"gone", func(f *fake) { f.errno = unix.ENODEV }, nil, KindGone, Unknown, 1, false},
		{"time-out", func(f *fake) { f.override = func(r *reply) { *r = reply{host: 3} } }, nil, KindTimeout, Unknown, 1, true},
		{"bridge that knows nothing", func(f *fake) { f.no16, f.no12 = true, true }, &Host{Disk: "sdb", Transport: TransportUSB, USB: &USB{Behind: BehindUnknown}}, KindBridge, Unknown, 2, true},
		{"NVMe bridge", func(*fake) {}, &Host{Disk: "sdb", Transport: TransportUSB, USB: &USB{Behind: BehindNVMe}}, KindNotATA, Unknown, 0, true},
		{"empty page", func(f *fake) { f.pages[key{opIdentifyDevice, 0, 0}] = make([]byte, 512) }, nil, KindNoData, Unknown, 1, false},
	}
	for _, tt := range tests {
		f := healthyDrive(t)
		tt.fake(f)
		r := Collect(t.Context(), f.open(tt.host), 0)
		if len(r.Problems) != 1 || r.Problems[0].Kind != tt.kind || (r.Problems[0].Hint != "") != tt.hint {
			t.Errorf("%s: problems %+v, want kind %s, hint %t", tt.name, r.Problems, tt.kind, tt.hint)
		}
		if r.Verdict.Level != tt.level || r.Footprint.Commands != tt.commands || r.Identity != nil || r.Health != nil {
			t.Errorf("%s: verdict %s, %d commands; want %s, %d", tt.name, r.Verdict.Level, r.Footprint.Commands, tt.level, tt.commands)
		}
	}
}

// TestSkipped checks that a time-out ends the reading and that what was not
// tried is told.
func TestSkipped(t *testing.T) {
	f := healthyDrive(t)
	d := f.open(nil)
	n := 0
	f.override = func(r *reply) {
		if n++; n > 1 {
			*r = reply{host: hostTimeout}
		}
	}
	r := Collect(t.Context(), d, 0)
	var got []string
	for _, p := range r.Problems {
		got = append(got, fmt.Sprintf("%s %s", p.Section, p.Kind))
	}
	want := []string{"SMART status timeout", "SMART attributes skipped", "log directory skipped", "error log skipped", "self-test log skipped"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if r.Footprint.Commands != 2 || r.Verdict.Level != Unknown {
		t.Errorf("%d commands, verdict %s", r.Footprint.Commands, r.Verdict.Level)
	}
}

func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want Kind
	}{
		{context.Canceled, KindInterrupt}, {context.DeadlineExceeded, KindTimeout}, {ErrTimeout, KindTimeout}, {os.ErrClosed, KindGone}, {ErrGone, KindGone},
		{ErrNotATA, KindNotATA}, {ErrNotTranslated, KindBridge}, {ErrNoRegisters, KindBridge}, {ErrAborted, KindRefused}, {ErrEmptyPage, KindNoData},
		{fs.ErrPermission, KindPermission}, {ErrIO, KindFailed}, {ErrShort, KindFailed},
	} {
		if got := kindOf(fmt.Errorf("x: %w", tt.err)); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.err, got, tt.want)
		}
	}
}

// TestFailingDrive reads a drive that fails in several ways.
func TestFailingDrive(t *testing.T) {
	f := healthyDrive(t)
	rows := samsung()
	rows[0].value, rows[0].worst, rows[0].raw = 8, 8, 4000
	rows = append(rows, row{197, 0x32, 100, 100, 0, 24})
	data, limits := table(rows...)
	f.pages[key{opSMART, smartReadData, 0}], f.pages[key{opSMART, smartReadThresholds, 0}] = data, limits
	f.pages[key{opSMART, smartReadLog, logErrors}] = errorPage(1, 12, map[int]uint16{0: 12000})
	f.pages[key{opSMART, smartReadLog, logSelfTest}] = selfTestPage(1, map[int][3]uint16{0: {1, 0x79, 12001}})
	f.status.LBAMid, f.status.LBAHigh = exceededMid, exceededHigh
	r := Collect(t.Context(), f.open(nil), 0)
	var got []string
	for _, x := range r.Verdict.Findings {
		got = append(got, string(x.Severity)+" "+x.Rule)
	}
	want := []string{
		"return sata-smart-failed", "return sata-attribute-failing", "return sata-self-test-failed", "return sata-pending-many",
		"note sata-reallocated", "info sata-error-log", "ok sata-wear-ok",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if r.Verdict.Level != Return {
		t.Errorf("verdict %s", r.Verdict.Level)
	}
}
