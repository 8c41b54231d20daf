package hostpower

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// tree makes a file system of "path=content" lines. The class directory of the
// kernel has links; to readers they are directories.
func tree(lines ...string) fs.FS {
	m := fstest.MapFS{}
	for _, l := range lines {
		name, text, _ := strings.Cut(l, "=")
		m["class/power_supply/"+name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return m
}

func TestReadPower(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		name    string
		files   []string
		onMains *bool
		battery string
	}{
		{"desktop", nil, nil, ""},
		{"laptop on mains", []string{"AC/type=Mains", "AC/online=1", "BAT0/type=Battery", "BAT0/status=Charging", "BAT0/capacity=43", "BAT0/present=1"}, &yes, "BAT0 charging, 43 %"},
		{"laptop on battery", []string{"AC/type=Mains", "AC/online=0", "BAT0/type=Battery", "BAT0/status=Discharging", "BAT0/capacity=43"}, &no, "BAT0 discharging, 43 %"},
		{"weak charger", []string{"AC/type=Mains", "AC/online=1", "BAT0/type=Battery", "BAT0/status=Discharging", "BAT0/capacity=9"}, &yes, "BAT0 discharging, 9 %"},
		{"charged by USB", []string{"AC/type=Mains", "AC/online=0", "ucsi1/type=USB_PD", "ucsi1/online=2", "BAT0/type=Battery", "BAT0/status=Full", "BAT0/capacity=100"}, &yes, "BAT0 full, 100 %"},
		{"unplugged and full", []string{"AC/type=Mains", "AC/online=0", "BAT0/type=Battery", "BAT0/status=Full", "BAT0/capacity=100"}, &no, "BAT0 full, 100 %"},
		{"unplugged and unknown", []string{"AC/type=Mains", "AC/online=0", "BAT0/type=Battery", "BAT0/status=Unknown"}, &no, "BAT0 unknown"},
		{"two batteries", []string{"BAT0/type=Battery", "BAT0/status=Not charging", "BAT0/capacity=80", "BAT1/type=Battery", "BAT1/status=Discharging", "BAT1/capacity=7"}, &no, "BAT0 not charging, 80 %; BAT1 discharging, 7 %"},
		{"battery alone, charging", []string{"BAT0/type=Battery", "BAT0/status=Charging"}, &yes, "BAT0 charging"},
		{"battery alone, kept", []string{"BAT0/type=Battery", "BAT0/status=Not charging"}, &yes, "BAT0 not charging"},
		{"battery that says nothing", []string{"BAT0/type=Battery"}, nil, "BAT0"},
		{"battery taken out", []string{"BAT0/type=Battery", "BAT0/status=Discharging", "BAT0/present=0"}, nil, ""},
		{"capacity out of range", []string{"BAT0/type=Battery", "BAT0/status=Full", "BAT0/capacity=101"}, &yes, "BAT0 full"},
		{"capacity that is no number", []string{"BAT0/type=Battery", "BAT0/status=Full", "BAT0/capacity=-1"}, &yes, "BAT0 full"},
		{"mouse", []string{"hidpp_battery_0/type=Battery", "hidpp_battery_0/status=Discharging", "hidpp_battery_0/capacity=5", "hidpp_battery_0/scope=Device"}, nil, ""},
		{"desktop with USB sockets", []string{"ucsi1/type=USB", "ucsi1/online=0", "ucsi2/type=USB", "ucsi2/online=0"}, nil, ""},
		{"desktop with scope System", []string{"ADP1/type=Mains", "ADP1/online=1", "ADP1/scope=System"}, &yes, ""},
		{"UPS with mains", []string{"ups0/type=UPS", "ups0/status=Full", "ups0/capacity=100"}, &yes, "ups0 full, 100 %"},
		{"UPS charging", []string{"ups0/type=UPS", "ups0/status=Charging"}, &yes, "ups0 charging"},
		{"UPS without mains", []string{"AC/type=Mains", "AC/online=1", "ups0/type=UPS", "ups0/status=Discharging", "ups0/capacity=60"}, &no, "ups0 discharging, 60 %"},
		{"unknown type", []string{"x/type=Fusion", "x/online=1"}, nil, ""},
		{"no type", []string{"x/online=1"}, nil, ""},
		{"control characters", []string{"BAT0/type=Battery", "BAT0/status=\x1b[2J"}, nil, "BAT0 \ufffd[2j"},
	}
	for _, tt := range tests {
		want := State{OnMains: tt.onMains, Battery: tt.battery}
		if diff := cmp.Diff(want, Read(tree(tt.files...), fstest.MapFS{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestReadShutdown(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"poweroff", "USEC=1772600767000000\nWARN_WALL=1\nMODE=poweroff\nUID=0\nTTY=/dev/pts/0\n", "poweroff at 2026-03-04T05:06:07Z"},
		{"with text", "MODE=reboot\nUSEC=1772600767999999\nWALL_MESSAGE=USEC=1 back soon\n", "reboot at 2026-03-04T05:06:07Z"},
		{"without line end", "USEC=1772600767000000\nMODE=halt", "halt at 2026-03-04T05:06:07Z"},
		{"warning only", "USEC=1772600767000000\nMODE=poweroff\nDRY_RUN=1\n", ""},
		{"not dry", "USEC=1772600767000000\nMODE=poweroff\nDRY_RUN=0\n", "poweroff at 2026-03-04T05:06:07Z"},
		{"no time", "MODE=kexec\n", "kexec at an unknown time"},
		{"no mode", "USEC=1772600767000000\n", "shutdown at 2026-03-04T05:06:07Z"},
		{"bad time", "USEC=-1\nMODE=\n", "shutdown at an unknown time"},
		{"empty", "", "shutdown at an unknown time"},
	}
	for _, tt := range tests {
		run := fstest.MapFS{scheduled: &fstest.MapFile{Data: []byte(tt.text)}}
		got := Read(fstest.MapFS{}, run)
		if diff := cmp.Diff(State{Shutdown: tt.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// denied is a file system that may not be read.
type denied struct{}

func (denied) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestReadDenied(t *testing.T) {
	want := State{Shutdown: "shutdown at an unknown time"}
	if diff := cmp.Diff(want, Read(denied{}, denied{})); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add("USEC=1772600767000000\nMODE=poweroff\n")
	f.Add("MODE=reboot\nDRY_RUN=1\nUSEC=")
	f.Fuzz(func(t *testing.T, text string) { checkText(t, describe(text)) })
}

func FuzzSupply(f *testing.F) {
	f.Add("Battery", "Discharging", "43", "1")
	f.Add("UPS", "", "101", "")
	f.Fuzz(func(t *testing.T, kind, status, capacity, online string) {
		got := Read(tree("a/type="+kind, "a/status="+status, "a/capacity="+capacity, "a/online="+online), fstest.MapFS{})
		checkText(t, got.Battery)
	})
}

// checkText fails for what does not belong on a terminal.
func checkText(t *testing.T, text string) {
	t.Helper()
	if len(text) > 4*maxTextBytes || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != unicode.ReplacementChar }) {
		t.Errorf("text %q", text)
	}
}
