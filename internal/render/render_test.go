package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func rules() []smart.Rule { return smart.Rules() }

func TestGolden(t *testing.T) {
	for name, got := range everything(t, Style{}) {
		t.Run(name, func(t *testing.T) { golden(t, name+".txt", got) })
	}
	golden(t, "list-160.txt", text(t, func(b *bytes.Buffer) error { return List(b, list(t), Style{Width: 160}) }))
	golden(t, "report-used-60.txt", reportText(t, reports(t)["used"], Style{Width: 60}))
	for name, got := range everything(t, Style{Lang: lang.Japanese}) {
		if slices.Contains(japaneseGolden, name) {
			golden(t, "ja-"+name+".txt", got)
		}
	}
	for _, width := range []int{60, 80} {
		style := Style{Width: width}
		for name, b := range map[string]*report.BenchReport{"bench-profile": benchProfile(), "bench-medians": benchMedians(), "bench-engines": benchEngines()} {
			golden(t, fmt.Sprintf("%s-%d.txt", name, width), text(t, func(w *bytes.Buffer) error { return Bench(w, b, style) }))
		}
	}
	golden(t, "ja-report-used-60.txt", reportText(t, reports(t)["used"], Style{Width: 60, Lang: lang.Japanese}))
	golden(t, "ja-list-160.txt", text(t, func(b *bytes.Buffer) error { return List(b, list(t), Style{Width: 160, Lang: lang.Japanese}) }))
	golden(t, "report-media.json", text(t, func(b *bytes.Buffer) error { return JSON(b, mediaErrors(t)) }))
}

// japaneseGolden are the pages that are kept in Japanese too.
var japaneseGolden = []string{"report-used", "report-fresh", "report-media", "report-critical", "report-problems", "smart", "errors", "firmware", "link", "rules",
	"bench", "bench-profile", "bench-medians", "bench-mix", "bench-engines", "bench-copy", "bench-runs", "profiles"}

// No line is wider than the page, whatever the page and the language.
func TestWidth(t *testing.T) {
	for _, tag := range lang.Tags() {
		for _, width := range []int{1, 40, 60, 80, 100, 160} {
			t.Run(fmt.Sprintf("%s %d", tag, width), func(t *testing.T) { checkWidth(t, Style{Width: width, Lang: tag}) })
		}
	}
}

func checkWidth(t *testing.T, s Style) {
	t.Helper()
	limit := max(s.Width, 40)
	for name, got := range everything(t, s) {
		for i, line := range strings.Split(got, "\n") {
			if n := displayWidth(line); n > limit {
				t.Errorf("%s: line %d has %d columns: %s", name, i+1, n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s: line %d ends with spaces", name, i+1)
			}
		}
	}
}

// The verdict comes first, and what it rests on fits on one screen.
func TestFold(t *testing.T) {
	all := reports(t)
	crowded := critical(t)
	for i := range crowded.Verdict.Findings {
		crowded.Verdict.Findings[i].Severity = smart.SeverityReturn
		crowded.Verdict.Findings[i].Text += strings.Repeat(" and a long reason", 8)
	}
	all["crowded"] = crowded
	for name, r := range all {
		if name == "empty" {
			continue
		}
		got := reportText(t, r, Style{})
		above, _, _ := strings.Cut(got, "\n\n")
		lines := strings.Split(above, "\n")
		if len(lines) > foldLines {
			t.Errorf("%s: %d lines above the fold:\n%s", name, len(lines), above)
		}
		first := lines[0]
		if r.Simulated {
			if !strings.HasPrefix(first, "SIMULATED") {
				t.Errorf("%s: first line %q", name, first)
			}
			first = lines[1]
		}
		if word := verdictWord(lang.English, r.Verdict.Level).text; !strings.HasPrefix(first, word+"  ") {
			t.Errorf("%s: the verdict %s is not first: %q", name, word, first)
		}
		if name != "crowded" && !strings.Contains(strings.Join(strings.Fields(above), " "), r.Verdict.Summary) {
			t.Errorf("%s: no reason above the fold:\n%s", name, above)
		}
	}
	for name, r := range all {
		above := text(t, func(b *bytes.Buffer) error { return Brief(b, r, Style{Lang: lang.Japanese}) })
		if n := strings.Count(above, "\n"); n > foldLines {
			t.Errorf("%s: %d lines above the fold in Japanese:\n%s", name, n, above)
		}
	}
	short, _, _ := strings.Cut(reportText(t, crowded, Style{}), "\n\n")
	if strings.Contains(short, "lacks") || !strings.Contains(short, "life") {
		t.Errorf("the wrong lines went:\n%s", short)
	}
}

// Nothing that a drive did not report is shown as a zero.
func TestNotReported(t *testing.T) {
	r := collect(t, newDrive(t, fresh), host(), result(), nil)
	r.SMART.Data.CompositeTemperatureCelsius, r.SMART.Data.CompositeTemperatureKelvin = nil, nil
	r.SMART.Data.TemperatureAfterBenchCelsius = nil
	got := reportText(t, r, Style{})
	for _, bad := range []string{"0 °C", " 0 K", "°C"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in a report of a drive that reports no temperature", bad)
		}
	}
	if !strings.Contains(got, "temperature not reported by this drive") || !strings.Contains(got, "limits not reported by this drive") {
		t.Errorf("heat: %s", got)
	}
}

// No meaning is in colour alone, and colour changes no letter.
func TestColour(t *testing.T) {
	for _, tag := range lang.Tags() {
		checkColour(t, everything(t, Style{Lang: tag}), everything(t, Style{Lang: tag, Paint: colours}))
	}
}

func checkColour(t *testing.T, plain, coloured map[string]string) {
	t.Helper()
	for name, got := range coloured {
		if uncolour(got) != plain[name] {
			t.Errorf("%s differs beyond its colours", name)
		}
		if got == plain[name] {
			t.Errorf("%s has no colour at all", name)
		}
		if strings.ContainsFunc(uncolour(got), func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
			t.Errorf("%s has control characters beside colours", name)
		}
	}
}

// What a drive or a host says cannot steer a terminal.
func TestControlCharacters(t *testing.T) {
	const bad = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\r"
	h := host()
	f := newDrive(t, fresh)
	f.fails["firmware"] = errors.New("odd " + bad)
	copy(f.pages["ctrl"][4:], bad)
	copy(f.pages["ctrl"][24:], bad)
	copy(f.pages["ctrl"][768:], bad)
	h.State, h.Subsystem, h.PCI.Address, h.Namespaces[0].Block, h.Link.Path[0].Address = bad, bad, bad, bad, bad
	r := collect(t, f, h, result(), nil)
	r.Drive.Selector, r.Drive.Note, r.Host.Kernel, r.Bench.Data.QD1Read.Engine = bad, bad, bad, bad
	l := &report.List{Drives: []report.Row{report.FailedRow(&report.Drive{Host: h}, errors.New(bad))}}
	l.Drives[0].Serial, l.Drives[0].Model, l.Unchecked = bad, bad, []string{bad}
	l.Drives[0].InUse = []inuse.Use{{Kind: inuse.Mount, Name: bad}}
	b := benchProfile()
	b.Target.Name, b.Target.Detail, b.Label, b.Conditions.CPUModel = bad, bad, new(bad), new(bad)
	b.Rows[0].Label, b.Warnings[0], b.Results[1].OtherIO.Reason, b.Results[3].ErrorDetails[0].Error = bad, bad, bad, bad
	b.Conditions.Block.Device, b.Conditions.KernelParameters, b.Conditions.Changes.Facts[0] = bad, []string{bad}, bad
	plan := benchPlan()
	plan.Identity.Model, plan.Workloads[0], plan.Checks[0].Text = bad, bad, bad
	for name, got := range map[string]string{
		"report":    reportText(t, r, Style{Paint: colours}),
		"list":      text(t, func(w *bytes.Buffer) error { return List(w, l, Style{}) }),
		"wide list": text(t, func(w *bytes.Buffer) error { return List(w, l, Style{Width: 1000}) }),
		"bench":     text(t, func(w *bytes.Buffer) error { return Bench(w, b, Style{}) }),
		"narrow":    text(t, func(w *bytes.Buffer) error { return Bench(w, b, Style{Width: 40}) }),
		"plan":      text(t, func(w *bytes.Buffer) error { return BenchPlan(w, plan, Style{}) }),
	} {
		rest := uncolour(got)
		if i := strings.IndexFunc(rest, func(r rune) bool { return unicode.Is(unicode.Cc, r) && r != '\n' || unicode.Is(unicode.Cf, r) }); i >= 0 {
			t.Errorf("%s: %q", name, rest[max(i-20, 0):min(i+20, len(rest))])
		}
	}
	js := text(t, func(w *bytes.Buffer) error { return JSON(w, r) })
	if strings.ContainsRune(js, 0x1b) {
		t.Error("JSON has an escape")
	}
}

func TestJSON(t *testing.T) {
	for name, r := range reports(t) {
		got := text(t, func(b *bytes.Buffer) error { return JSON(b, r) })
		if !json.Valid([]byte(got)) || !strings.HasSuffix(got, "}\n") || strings.ContainsRune(got, 0x1b) {
			t.Errorf("%s: not one clean JSON object", name)
		}
	}
	if got := text(t, func(b *bytes.Buffer) error { return JSON(b, map[string]string{"a": "<&>"}) }); got != "{\n  \"a\": \"<&>\"\n}\n" {
		t.Errorf("got %q", got)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteErrors(t *testing.T) {
	if err := Report(failing{}, reports(t)["used"], Style{}); err == nil || err.Error() != "full" {
		t.Errorf("Report: %v", err)
	}
	if err := JSON(failing{}, 1); err == nil {
		t.Error("JSON: no error")
	}
}

// A report with next to nothing in it still renders.
func TestEmptyReport(t *testing.T) {
	empty := &report.Report{}
	empty.Namespaces.Data = &[]report.Namespace{}
	empty.SMART.Problem, empty.Errors.Problem = &report.Problem{Text: "a"}, &report.Problem{Text: "a"}
	empty.Firmware.Problem, empty.IdentifyController.Problem = &report.Problem{Text: "b"}, &report.Problem{Text: "c"}
	got := reportText(t, empty, Style{})
	for _, want := range []string{"unknown  serial unknown", "no active namespace", "SMART, error log: a", "firmware slots: b", "not measured"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := text(t, func(b *bytes.Buffer) error { return List(b, &report.List{}, Style{}) }); got != "" {
		t.Errorf("an empty list is %q", got)
	}
}

func TestLacks(t *testing.T) {
	able := &nvme.IdentifyController{OACS: 0xFFFF, SANICAP: 1, WCTEMP: 350}
	with4K := &[]report.Namespace{{LBAFormats: []report.LBAFormat{{DataBytes: 512}, {DataBytes: 4096}}}}
	unread := &[]report.Namespace{{Problem: &report.Problem{}}}
	for _, test := range []struct {
		id   *nvme.IdentifyController
		ns   *[]report.Namespace
		want string
	}{
		{able, with4K, ""}, {able, nil, ""}, {able, unread, ""},
		{able, &[]report.Namespace{{LBAFormats: []report.LBAFormat{{DataBytes: 512}}}}, "4096-byte blocks"},
		{&nvme.IdentifyController{}, with4K, "Format NVM, sanitize, self-test, namespace management, temperature limits"},
	} {
		if got := lacks(lang.English, &report.IdentifyController{IdentifyController: test.id}, test.ns); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
