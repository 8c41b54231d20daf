package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/prometheus"
	"qd1.example/qd1/internal/report"
)

func named(device, serial string) scraped {
	return scraped{selector: device, Drive: prometheus.Drive{Device: device, Known: prometheus.Known{Serial: serial}, Problem: &report.Problem{Text: device}}}
}

func lost(selector string) scraped { return scraped{selector: selector, unknown: errors.New(selector)} }

func TestAbsent(t *testing.T) {
	a, b, c := prometheus.Known{Serial: "PHM-A", Model: "M"}, prometheus.Known{Serial: "PHM-B"}, prometheus.Known{Serial: "PHM-C"}
	for _, test := range []struct {
		name  string
		list  []scraped
		known []prometheus.Known
		named bool
		want  []prometheus.Known
	}{
		{"all there", []scraped{named("nvme0", "PHM-A")}, []prometheus.Known{a}, false, []prometheus.Known{}},
		{"another number", []scraped{named("nvme7", "PHM-A")}, []prometheus.Known{a}, false, []prometheus.Known{}},
		{"one gone", []scraped{named("nvme0", "PHM-A")}, []prometheus.Known{a, b, c}, false, []prometheus.Known{b, c}},
		{"none left", nil, []prometheus.Known{a}, false, []prometheus.Known{a}},
		{"named by the end of its serial", []scraped{lost("M-A")}, []prometheus.Known{b, a}, true, []prometheus.Known{a}},
		{"others were not asked for", []scraped{named("nvme0", "PHM-A")}, []prometheus.Known{a, b}, true, []prometheus.Known{}},
		{"never seen", []scraped{lost("/dev/nvme3")}, []prometheus.Known{a}, true, []prometheus.Known{{Serial: "/dev/nvme3"}}},
	} {
		if diff := cmp.Diff(test.want, absent(test.list, test.known, test.named)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestScrapedDrives(t *testing.T) {
	got := scrapedDrives([]scraped{named("nvme0", "A"), lost("x"), named("nvme1", "B"), named("nvme0", "A")})
	if len(got) != 2 || got[0].Device != "nvme0" || got[1].Device != "nvme1" {
		t.Errorf("got %+v", got)
	}
}

func TestScrapeOutcome(t *testing.T) {
	read := scraped{Drive: prometheus.Drive{Report: &report.Report{}}}
	mute := scraped{Drive: prometheus.Drive{Report: &report.Report{SMART: report.Section[report.SMART]{Problem: &report.Problem{Text: "mute"}}}}}
	for _, test := range []struct {
		list []scraped
		want string
	}{
		{nil, ""}, {[]scraped{read}, ""}, {[]scraped{lost("x"), read}, ""}, {[]scraped{lost("x")}, "x"}, {[]scraped{mute, lost("x")}, "mute"}, {[]scraped{named("nvme0", ""), mute}, "nvme0"},
	} {
		got := ""
		if err := scrapeOutcome(test.list); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// A file that cannot be replaced stays as it was, and nothing is left beside
// it.
func TestReplaceTextfile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.prom")
	for _, text := range []string{"one\n", "two\n"} {
		if err := replaceTextfile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != text {
			t.Fatalf("got %q, %v", b, err)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	full := filepath.Join(dir, "folder.prom")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := replaceTextfile(full, nil); err == nil {
		t.Error("a folder was replaced")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("left: %v, %v", list, err)
	}
	if known := knownBefore(filepath.Join(dir, "none.prom")); known != nil {
		t.Errorf("known %v", known)
	}
}
