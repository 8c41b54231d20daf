package erase

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// caseNamespace decodes Identify Namespace of a problem case.
func caseNamespace(t *testing.T, name string) *nvme.IdentifyNamespace {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	n := new(nvme.IdentifyNamespace)
	if err := n.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCase50FormatInvalidFormat holds that a refused format is sent once, ends as a
// failure, and is explained: what was asked for, what there is, and what may have
// barred it.
func TestCase50FormatInvalidFormat(t *testing.T) {
	n := caseNamespace(t, "50-format-invalid-format/idns.bin")
	for _, status := range []nvme.Status{0x410a, 0x210a, 0x10a} {
		r := newRig(t, small)
		d := r.deps(Request{Technique: FormatUserData})
		r.behind = answers(nvme.AdminFormatNVM, nvme.Completion{Status: status}, nil)
		rec, err := Run(t.Context(), d)
		if err == nil || rec.Class() != Failed || rec.Verdict == proof.Pass {
			t.Errorf("%#x: result %s, verdict %s, error %v", uint16(status), rec.Result, rec.Verdict, err)
		}
		if sent := r.commands(); len(sent) != 1 || sent[0].Opcode != nvme.AdminFormatNVM {
			t.Errorf("%#x: sent %+v, want one Format NVM", uint16(status), sent)
		}
		if !strings.Contains(rec.Error, "Invalid Format") || !strings.Contains(rec.Error, "0x10a") && !strings.Contains(rec.Error, "0x010a") {
			t.Errorf("%#x: error %q", uint16(status), rec.Error)
		}
		if name := rec.Commands[0].Name; !strings.Contains(name, "LBAF 0") && !strings.Contains(strings.ToLower(name), "format") {
			t.Errorf("command %q does not say what was asked for", name)
		}
	}
	advice := Advise(Situation{Technique: FormatUserData, Status: 0x410a, Controller: controller(canFormat, 0, 0), Namespace: n})
	all := fmt.Sprint(advice)
	for _, want := range []string{"locked", "Block SID", "sleep", "LBA formats of this namespace: ", "512"} {
		if !strings.Contains(all, want) {
			t.Errorf("advice has no %q: %s", want, all)
		}
	}
	for i, f := range n.Formats() {
		if f.DataBytes() != 0 && !strings.Contains(all, fmt.Sprintf("%d (%d", i, f.DataBytes())) {
			t.Errorf("format %d is not listed: %s", i, all)
		}
	}
}

// TestCase52KeepsTheFormat holds that the LBA format of the namespace is kept by
// default, whatever its number, and never 0 or 255 for want of one.
func TestCase52KeepsTheFormat(t *testing.T) {
	for _, flbas := range []uint8{0, 1, 2, 3} {
		f := Facts{Controller: controller(canFormat, 0, 0), Namespaces: []Namespace{withFormats(space(1, gb), flbas, 0)}}
		m, err := Choose(f, Request{})
		if err != nil {
			t.Fatal(err)
		}
		if got := nvme.ParseFormatNVM(&m.Commands[0]).LBAF; got != flbas {
			t.Errorf("FLBAS %d: format %d", flbas, got)
		}
	}
	two := []Namespace{space(1, gb), space(3, gb)}
	if m, err := Choose(Facts{Controller: controller(canFormat, nvme.FNANoBroadcast, 0), Namespaces: two}, Request{AllNamespaces: true}); err != nil || len(m.Commands) != 2 {
		t.Errorf("without the broadcast NSID: %+v, %v, want a command for each", m, err)
	}
}

// TestCase53FormatTimeout holds that the time-out of a format is its own, for the
// size of the drive, and that one which the kernel took back ends as unknown:
// never done, never repeated.
func TestCase53FormatTimeout(t *testing.T) {
	n := caseNamespace(t, "53-format-timeout/idns-fpi.bin")
	m, err := Choose(Facts{Controller: controller(canFormat, 0, 0), Namespaces: []Namespace{{1, n}}}, Request{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Timeout < 30*time.Minute || m.TimeoutSource == "" {
		t.Errorf("time-out %v (%s), want at least half an hour", m.Timeout, m.TimeoutSource)
	}
	if m, err := Choose(Facts{Controller: controller(canFormat, 0, 0), Namespaces: []Namespace{{1, n}}}, Request{Timeout: 3 * time.Hour}); err != nil || m.Timeout != 3*time.Hour {
		t.Errorf("asked for 3 h: %v, %v", m, err)
	}
	if n.FPI&0x80 == 0 {
		t.Fatal("the page does not say that progress is reported")
	}
	r := newRig(t, small)
	d := r.deps(Request{Technique: FormatUserData})
	r.behind = answers(nvme.AdminFormatNVM, nvme.Completion{}, syscall.EINTR)
	rec, err := Run(t.Context(), d)
	if !errors.Is(err, syscall.EINTR) || rec.Class() != Interrupted || !rec.Lost || rec.Verdict != proof.Skipped || r.record().Ended() {
		t.Errorf("result %s, lost %t, verdict %s, error %v", rec.Result, rec.Lost, rec.Verdict, err)
	}
	if sent := r.commands(); len(sent) != 1 {
		t.Errorf("%d commands, want the one that was not answered", len(sent))
	}
	if len(r.deadlines) != 1 || r.deadlines[0] != d.Method.Timeout.Round(time.Minute) {
		t.Errorf("the drive was given %v, want %v", r.deadlines, d.Method.Timeout)
	}
	if !strings.Contains(fmt.Sprint(rec.Advice), "still be working") || !strings.Contains(fmt.Sprint(rec.Advice), "qd1 erase resume") {
		t.Errorf("advice %+v", rec.Advice)
	}
}

// TestCase56RescanFailureIsAWarning holds that an erase is done when the drive has
// done it: a kernel that cannot look again is a warning.
func TestCase56RescanFailureIsAWarning(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	r.refresh = fmt.Errorf("re-read partition table: %w", syscall.ENOTTY)
	rec, err := Run(t.Context(), d)
	if err != nil || rec.Class() != Done || rec.Verdict != proof.Pass {
		t.Errorf("result %s, verdict %s, error %v", rec.Result, rec.Verdict, err)
	}
	if !slices.ContainsFunc(rec.Warnings, func(s string) bool { return strings.Contains(s, "changes nothing on the drive") }) {
		t.Errorf("warnings %q", rec.Warnings)
	}
}

// TestCase56WaitsForTheBlockSize holds that a job does not end, nor verify, before
// the kernel has the new block size; and that it does not wait for ever.
func TestCase56WaitsForTheBlockSize(t *testing.T) {
	for _, tt := range []struct {
		name      string
		oldBlocks int
		warned    bool
	}{{"at once", 0, false}, {"soon", 20, false}, {"never", 1 << 20, true}} {
		r := newRig(t, "nand-modern?size=8388608&speed=1000000")
		r.oldBlocks, r.newBlocks = tt.oldBlocks, 4096
		rec, err := Run(t.Context(), r.deps(Request{Technique: FormatUserData, LBAF: pointer(1)}))
		if err != nil || rec.Class() != Done {
			t.Fatalf("%s: result %s, error %v", tt.name, rec.Result, err)
		}
		warned := slices.ContainsFunc(rec.Warnings, func(s string) bool {
			return strings.Contains(s, "the kernel still has blocks of 512 bytes for namespace 1, and the drive has 4096") && strings.Contains(s, "rescan_controller")
		})
		if warned != tt.warned || !tt.warned && r.oldBlocks != 0 {
			t.Errorf("%s: warnings %q, %d looks left", tt.name, rec.Warnings, r.oldBlocks)
		}
	}
}

// TestCase37FormatWithMetadata holds that who picks a format with metadata is told
// before what Linux makes of it, and which format has none.
func TestCase37FormatWithMetadata(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lbaf   *int
		pi     *int
		warned bool
	}{
		{"with metadata", pointer(3), nil, true},
		{"with protection information, which the kernel handles", pointer(3), pointer(1), false},
		{"without", pointer(2), nil, false},
		{"as it is", nil, nil, false},
	} {
		f := Facts{Controller: controller(canFormat, 0, 0), Namespaces: []Namespace{withFormats(space(1, gb), 0, 0)}, NSID: 1}
		m, err := Choose(f, Request{Technique: Format, LBAF: tt.lbaf, PI: tt.pi})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		warned := slices.ContainsFunc(m.Notes, func(s string) bool {
			return strings.Contains(s, "LBA format 3 has 8 bytes of metadata") && strings.Contains(s, "formats without metadata: 0 (512 bytes), 2 (4096 bytes)")
		})
		if warned != tt.warned {
			t.Errorf("%s: notes %q", tt.name, m.Notes)
		}
	}
}
