package render

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme/spec"
)

// gauge is a structure with a long title, parts, and a list.
func gauge() *spec.Structure {
	return &spec.Structure{
		Name: "Gauge", Title: "Gauge data structure", Source: "none", Bytes: 16,
		Fields: []spec.Field{
			{Name: "CAP", Title: "Capacity of the whole gauge, with a title so long that it does not fit into what is left of a narrow line", Len: 8, Unit: "bytes"},
			{Name: "MODES", Title: "Modes", At: 8, Len: 1, Kind: spec.Flags, Bits: []spec.Bits{
				{Low: 0, Name: "FIRST", Title: "First Mode"}, {Low: 1, Name: "SECOND", Title: "Second Mode"}, {Low: 2, Name: "THIRD", Title: "Third Mode"}}},
			{Name: "LEFT", Title: "Left", At: 9, Len: 1, Zero: spec.NotReported},
		},
		Lists: []spec.List{{Name: "ENTRY", Title: "Entries", At: 12, Entry: &spec.Structure{
			Name: "Entry", Source: "none", Bytes: 2, Fields: []spec.Field{{Name: "T", Title: "Temperature", Len: 1, Unit: "kelvin"}, {Name: "N", Title: "Number", At: 1, Len: 1}},
		}}},
	}
}

func gaugePage(t *testing.T, options spec.LineOptions) *report.SpecPage {
	t.Helper()
	raw := []byte{0, 0x10, 0xA5, 0xD4, 0xE8, 0, 0, 0, 0x85, 0, 7, 0, 44, 1, 45, 2}
	p, err := report.NewSpecPage("gauge", gauge(), raw, map[string]uint64{"cns": 3, "nsid": 1, "csi": 2})
	if err != nil {
		t.Fatal(err)
	}
	p.Options = options
	return p
}

func specText(t *testing.T, p *report.SpecPage, style Style) string {
	t.Helper()
	d := Part{Simulated: true, Drive: &report.Identity{Model: "MODEL", Serial: "SERIAL"}}
	return text(t, func(b *bytes.Buffer) error { return SpecPage(b, d, p, style) })
}

func TestSpecPage(t *testing.T) {
	golden(t, "specpage.txt", specText(t, gaugePage(t, spec.LineOptions{}), Style{}))
	golden(t, "specpage-full-60.txt", specText(t, gaugePage(t, spec.LineOptions{Full: true}), Style{Width: 60}))
}

// TestSpecPageWithoutTable shows bytes that no table describes.
func TestSpecPageWithoutTable(t *testing.T) {
	raw := make([]byte, 80)
	copy(raw[33:], "text\x1b")
	p, err := report.NewSpecPage("page-c0", nil, raw, map[string]uint64{"lid": 0xC0})
	if err != nil {
		t.Fatal(err)
	}
	got := specText(t, p, Style{})
	for _, want := range []string{"page-c0  LID C0h", "  …\n  0020  00 74 65 78 74 1b", ".text...", "0050  the end; what is not shown is zero"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// TestSpecPageWidth holds that no line is wider than it may be.
func TestSpecPageWidth(t *testing.T) {
	for _, full := range []bool{false, true} {
		for _, width := range []int{40, 60, 80} {
			for l := range strings.SplitSeq(specText(t, gaugePage(t, spec.LineOptions{Full: full}), Style{Width: width}), "\n") {
				if n := displayWidth(l); n > width {
					t.Errorf("%d columns, want %d at most: %q", n, width, l)
				}
			}
		}
	}
}

// identifyPage decodes a page of Identify.
func identifyPage(t testing.TB, name string, raw []byte) *report.SpecPage {
	t.Helper()
	for _, p := range spec.IdentifyPages() {
		if p.Name == name {
			page, err := report.NewSpecPage(name, p.Structure, raw, map[string]uint64{"cns": uint64(p.CNS)})
			if err != nil {
				t.Fatal(err)
			}
			return page
		}
	}
	t.Fatalf("no page %s", name)
	return nil
}

// identifyList is what a drive of NVMe 1.3 lists.
func identifyList(t testing.TB) *report.IdentifyList {
	t.Helper()
	s, err := report.Begin(t.Context(), &report.Drive{Passthru: newDrive(t, "toshiba-KBG30ZMV256G-59C"), Simulated: true}, testTimeout)
	if err != nil {
		t.Fatal(err)
	}
	return report.NewIdentifyList(s)
}
