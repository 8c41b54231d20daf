package report_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// simulated begins a session on a simulated drive.
func simulated(t *testing.T, profile string) *report.Session {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	s, err := report.Begin(t.Context(), &report.Drive{Passthru: d, Simulated: true}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func errorCount(t *testing.T, s *report.Session) string {
	t.Helper()
	log, err := report.ReadSMART(t.Context(), s.Controller)
	if err != nil {
		t.Fatal(err)
	}
	return log.ErrorLogEntries.String()
}

// TestIdentifyLeavesNoError reads all pages of several drives: each is either read
// or not asked for, and no drive has counted an error.
func TestIdentifyLeavesNoError(t *testing.T) {
	for _, profile := range []string{"optane-905p", "nand-modern", "optane-905p-media-errors", "nand-worn", "throttling"} {
		t.Run(profile, func(t *testing.T) {
			s := simulated(t, profile)
			before, read := errorCount(t, s), 0
			for _, p := range spec.IdentifyPages() {
				page, err := s.ReadSpecIdentify(t.Context(), p, nvme.Identify{CNS: p.CNS, CSI: p.CSI}, false)
				var problem *report.Problem
				switch {
				case err == nil && page.Bytes == 4096 && page.Fields != nil:
					read++
				case errors.As(err, &problem) && problem.Kind == report.KindNotListed && problem.Hint != "":
				default:
					t.Errorf("%s: %v", p.Name, err)
				}
			}
			if after := errorCount(t, s); after != before || read < 2 {
				t.Errorf("%d pages read, errors from %s to %s", read, before, after)
			}
		})
	}
}

// TestForcedIdentify asks for what the drive does not list.
func TestForcedIdentify(t *testing.T) {
	s := simulated(t, "nand-modern")
	before := errorCount(t, s)
	for _, p := range spec.IdentifyPages() {
		if p.Name == "nvmset" {
			_, err := s.ReadSpecIdentify(t.Context(), p, nvme.Identify{CNS: p.CNS}, true)
			if !errors.Is(err, nvme.StatusInvalidField) {
				var problem *report.Problem
				if !errors.As(err, &problem) || problem.Kind != report.KindStatus {
					t.Errorf("error %v, want the status of the drive", err)
				}
			}
		}
	}
	if after := errorCount(t, s); after == before {
		t.Error("the drive was not asked")
	}
}

func TestIdentifyParameters(t *testing.T) {
	s := simulated(t, "nand-modern")
	tests := []struct {
		name string
		i    nvme.Identify
		want map[string]uint64
	}{
		{"ns", nvme.Identify{}, map[string]uint64{"cns": 0, "nsid": 1}},
		{"ns-list", nvme.Identify{CNS: 2, NSID: 5}, map[string]uint64{"cns": 2, "after_nsid": 5}},
		{"ctrl-list", nvme.Identify{CNS: 0x13, CNTID: 7}, map[string]uint64{"cns": 0x13, "cntid": 7}},
	}
	for _, tt := range tests {
		for _, p := range spec.IdentifyPages() {
			if p.Name != tt.name {
				continue
			}
			page, err := s.ReadSpecIdentify(t.Context(), p, tt.i, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, page.Parameters); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	}
}

func TestIdentifyList(t *testing.T) {
	if l := report.NewIdentifyList(nil); l.Drive != nil || l.Pages[0].Listed != nil || len(l.Pages) != len(spec.IdentifyPages()) {
		t.Errorf("a list without a drive: %+v", l)
	}
	l := report.NewIdentifyList(simulated(t, "optane-905p"))
	if ns, set := l.Pages[0], l.Pages[4]; l.Drive == nil || !*ns.Listed || ns.Why != "" || *set.Listed || set.Why == "" {
		t.Errorf("a list of a drive: %+v, %+v", ns, set)
	}
}

func TestSpecPageWithoutTable(t *testing.T) {
	p, err := report.NewSpecPage("x", nil, []byte{1, 2}, nil)
	if err != nil || p.Fields != nil || p.Bytes != 2 {
		t.Errorf("page %+v, %v", p, err)
	}
	if _, err := report.NewSpecPage("ctrl", spec.IdentifyPages()[1].Structure, make([]byte, 512), nil); !errors.Is(err, nvme.ErrShort) {
		t.Errorf("a short page: %v", err)
	}
}
