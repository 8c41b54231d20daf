package render

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme/vendor"
)

func logPage(t *testing.T, raw []byte, v *report.VendorPage) *report.LogPage {
	t.Helper()
	p, err := report.NewSpecPage("0xca", nil, raw, map[string]uint64{"lid": 0xCA})
	if err != nil {
		t.Fatal(err)
	}
	p.Title = "Vendor Specific CAh"
	return &report.LogPage{SpecPage: p, Vendor: v, Hex: raw}
}

// TestLogPage shows a page of the vendor by what is known of it.
func TestLogPage(t *testing.T) {
	d := Part{Drive: &report.Identity{Model: "MODEL", Serial: "SERIAL"}}
	for _, tt := range []struct {
		name      string
		v         *report.VendorPage
		want, not string
	}{
		{"unknown", nil, "0000  01 02 03 04", "family"},
		{"decoded", &report.VendorPage{Name: "SMART Attributes", Why: "of the family", Rows: []vendor.Row{{Name: "Wear", Value: uint64(7), Unit: "percent"}}}, "Wear  7 %", "0000"},
		{"not of the layout", &report.VendorPage{Name: "SMART Attributes", Problem: "too short"}, "SMART Attributes: too short", "Wear"},
	} {
		got := text(t, func(b *bytes.Buffer) error { return LogPage(b, d, logPage(t, []byte{1, 2, 3, 4}, tt.v), Style{}) })
		if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
			t.Errorf("%s: want %q and not %q:\n%s", tt.name, tt.want, tt.not, got)
		}
	}
}

func TestLogList(t *testing.T) {
	d := Part{Simulated: true, Drive: &report.Identity{Model: "MODEL", Serial: "SERIAL"}}
	list := []report.LogListing{{LID: 2, Name: "smart", Title: "SMART", Listed: true}, {LID: 6, Name: "self-test", Title: "Self-test", Why: "no reason"}}
	got := text(t, func(b *bytes.Buffer) error { return LogList(b, d, list, Style{}) })
	for _, want := range []string{"SIMULATED", "Log pages of this drive\n  02h smart  SMART\n", "Not asked for\n  06h self-test  Self-test: no reason\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q:\n%s", want, got)
		}
	}
}
