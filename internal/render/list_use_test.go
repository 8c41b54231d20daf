package render

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

func TestRowInUse(t *testing.T) {
	mounted := inuse.Use{Kind: inuse.Mount, Name: "/srv"}
	open := inuse.Use{Kind: inuse.OpenFile, Name: "", Process: "fio"}
	tests := []struct {
		uses   []inuse.Use
		partly bool
		want   string
	}{
		{nil, false, "–"},
		{nil, true, "–"},
		{[]inuse.Use{}, false, "no"},
		{[]inuse.Use{}, true, "none seen"},
		{[]inuse.Use{mounted}, true, "mounted /srv"},
		{[]inuse.Use{open, mounted, open}, false, "mounted /srv +2"},
		{[]inuse.Use{open, open}, false, "open in fio +1"},
		{[]inuse.Use{{Kind: inuse.Mount}}, false, "mounted"},
		{[]inuse.Use{{Kind: inuse.Swap}}, false, "swap"},
		{[]inuse.Use{{Kind: inuse.MD, Name: "md0"}}, false, "array md0"},
		{[]inuse.Use{{Kind: inuse.LVM, Name: "vg0-root"}}, false, "LVM vg0-root"},
		{[]inuse.Use{{Kind: inuse.Kind("new"), Name: "x"}}, false, "new x"},
		{[]inuse.Use{{Kind: inuse.Mount, Name: "/var/lib/kubelet/plugins/µ/mount"}}, false, "mounted …kubelet/plugins/µ/mount"},
	}
	for _, tt := range tests {
		got := strings.ReplaceAll(rowInUse(lang.English, &report.Row{InUse: tt.uses}, tt.partly), nbsp, " ")
		if got != tt.want {
			t.Errorf("%+v, partly %t: %q, want %q", tt.uses, tt.partly, got, tt.want)
		}
	}
}

// TestListUnchecked says under the list what could not be looked at.
func TestListUnchecked(t *testing.T) {
	l := list(t)
	l.Unchecked = []string{"the open files of 3 processes"}
	for _, width := range []int{0, 200} {
		got := text(t, func(b *bytes.Buffer) error { return List(b, l, Style{Width: width}) })
		for _, want := range []string{"\n  not seen the open files of 3 processes\n", "none seen", "mounted /srv +2"} {
			if !strings.Contains(got, want) {
				t.Errorf("width %d: no %q in:\n%s", width, want, got)
			}
		}
	}
}

// TestCase31OneDriveTwoControllers holds that the controllers of one drive are
// told to be that, whatever their health is counted as, and no others.
func TestCase31OneDriveTwoControllers(t *testing.T) {
	row := func(controller, subsystem, serial string, simulated bool) report.Row {
		return report.Row{Controller: controller, Subsystem: subsystem, Serial: serial, Simulated: simulated}
	}
	l := &report.List{Drives: []report.Row{
		row("nvme1", "nvme-subsys1", "DUALPORT0001", false), row("nvme0", "nvme-subsys0", "OTHER", false), row("nvme2", "nvme-subsys1", "DUALPORT0001", false),
		row("nvme3", "", "OTHER", false), row("nvme4", "", "OTHER", false), row("a", "nvme-subsys0", "S", true), row("b", "nvme-subsys0", "S", true),
	}}
	for _, width := range []int{0, 200} {
		got := strings.Join(strings.Fields(text(t, func(b *bytes.Buffer) error { return List(b, l, Style{Width: width}) })), " ")
		if !strings.Contains(got, "nvme1, nvme2 are controllers of one drive") || strings.Count(got, "controllers of one drive") != 1 {
			t.Errorf("width %d: %s", width, got)
		}
	}
}
