package launch

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fixture reads a file of testdata.
func fixture(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const (
	fromShow    = "systemctl show"
	fromAnalyze = "systemd-analyze time"
)

func TestParseShow(t *testing.T) {
	tests := []struct {
		file string
		want Phases
	}{
		{"show-uefi.txt", Phases{
			Firmware: new(4.283), Loader: new(1.034), Kernel: new(1.60125), Initrd: new(3.20625),
			Userspace: new(8.91125), Total: new(19.03575), Source: fromShow,
		}},
		{"show-bios.txt", Phases{Kernel: new(36.655), Userspace: new(58.03), Total: new(94.685), Source: fromShow}},
		{"show-container.txt", Phases{Userspace: new(1.321099), Total: new(1.321099), Source: fromShow}},
		{"show-soft-reboot.txt", Phases{SoftReboot: new(0.9), Userspace: new(5.1), Total: new(6.0), Source: fromShow}},
	}
	for _, tt := range tests {
		got, err := parseShow(fixture(t, tt.file))
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.file, diff)
		}
	}
}

func TestParseShowRefused(t *testing.T) {
	tests := []struct {
		name, text string
		want       error
	}{
		{"unfinished", fixture(t, "show-unfinished.txt"), ErrBootUnfinished},
		{"empty", "", ErrBootUnknown},
		{"without values", "FinishTimestampMonotonic=\nUserspaceTimestampMonotonic=\n", ErrBootUnknown},
		{"never", "FinishTimestampMonotonic=18446744073709551615\nUserspaceTimestampMonotonic=1\n", ErrBootUnknown},
	}
	for _, tt := range tests {
		if _, err := parseShow(tt.text); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestWrongOrder: times that contradict each other leave a phase out instead of
// giving a negative one.
func TestWrongOrder(t *testing.T) {
	got, err := parseShow("FirmwareTimestampMonotonic=5\nLoaderTimestampMonotonic=9\nUserspaceTimestampMonotonic=100\n" +
		"FinishTimestampMonotonic=50\nSecurityStartTimestampMonotonic=1\n")
	if err != nil || got.Firmware != nil || got.Userspace != nil || got.Loader == nil || got.Kernel == nil {
		t.Errorf("parseShow = %+v, %v", got, err)
	}
}

func TestParseAnalyze(t *testing.T) {
	tests := []struct {
		file   string
		want   Phases
		target *Target
	}{
		{"analyze-uefi.txt", Phases{
			Firmware: new(4.283), Loader: new(1.034), Kernel: new(1.601), Initrd: new(3.206),
			Userspace: new(8.911), Total: new(19.035), Source: fromAnalyze,
		}, &Target{"graphical.target", 8.896}},
		{"analyze-bios.txt", Phases{Kernel: new(36.655), Userspace: new(58.03), Total: new(94.685), Source: fromAnalyze}, &Target{"graphical.target", 57.709}},
		{"analyze-2013.txt", Phases{
			Firmware: new(5.559), Loader: new(0.036), Kernel: new(0.665), Initrd: new(0.475),
			Userspace: new(1.91), Total: new(8.647), Source: fromAnalyze,
		}, nil},
		{"analyze-container.txt", Phases{Userspace: new(1.321), Total: new(1.321), Source: fromAnalyze}, &Target{"multi-user.target", 1.3}},
		{"analyze-soft-reboot.txt", Phases{SoftReboot: new(0.9), Userspace: new(5.1), Total: new(6.0), Source: fromAnalyze}, &Target{"graphical.target", 5.02}},
	}
	for _, tt := range tests {
		got, target, err := parseAnalyze(fixture(t, tt.file))
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.file, diff)
		}
		if diff := cmp.Diff(tt.target, target); diff != "" {
			t.Errorf("%s, target (-want +got):\n%s", tt.file, diff)
		}
	}
	if _, _, err := parseAnalyze("Bootup is not yet finished"); !errors.Is(err, ErrBootUnknown) {
		t.Errorf("no phases: %v, want %v", err, ErrBootUnknown)
	}
}

func TestParseSpan(t *testing.T) {
	tests := []struct {
		text string
		want float64
		ok   bool
	}{
		{"8.911s", 8.911, true}, {"36ms", 0.036, true}, {"1min 34.685s", 94.685, true}, {"2h 1min 5s", 7265, true},
		{"1d 2h", 93600, true}, {"12us", 0.000012, true}, {"12μs", 0.000012, true}, {" 5s ", 5, true}, {"0", 0, true}, {"1w", 604800, true},
		{"", 0, false}, {"5", 0, false}, {"s", 0, false}, {"5 parsecs", 0, false}, {"-5s", 0, false}, {"5s x", 0, false}, {"1e300y", 0, false},
	}
	for _, tt := range tests {
		got, ok := parseSpan(tt.text)
		if got != tt.want || ok != tt.ok {
			t.Errorf("parseSpan(%q) = %v, %v, want %v, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

// checkPhases holds what must be true of any phases.
func checkPhases(t *testing.T, p Phases) {
	t.Helper()
	for _, v := range []*float64{p.Firmware, p.Loader, p.Kernel, p.Initrd, p.SoftReboot, p.Userspace, p.Total} {
		if v != nil && !(*v >= 0) {
			t.Errorf("a phase of %v s: %+v", *v, p)
		}
	}
}

func FuzzParseShow(f *testing.F) {
	for _, name := range []string{"show-uefi.txt", "show-container.txt", "show-soft-reboot.txt", "show-unfinished.txt"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseShow(text)
		checkPhases(t, p)
		if err == nil && p.Source == "" {
			t.Error("no source")
		}
	})
}

func FuzzParseAnalyze(f *testing.F) {
	for _, name := range []string{"analyze-uefi.txt", "analyze-bios.txt", "analyze-container.txt", "analyze-soft-reboot.txt"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, target, err := parseAnalyze(text)
		checkPhases(t, p)
		if err == nil && p.Userspace == nil {
			t.Error("phases without a userspace")
		}
		if target != nil && (!(target.Seconds >= 0) || strings.Contains(target.Name, "\n")) {
			t.Errorf("target %+v", target)
		}
	})
}
