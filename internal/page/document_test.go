package page

import (
	"fmt"
	"html/template"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/record"
)

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		bytes float64
		want  string
	}{{0, "0 bytes"}, {512, "512 bytes"}, {999, "999 bytes"}, {1000, "1 kB"}, {999_499, "999 kB"}, {999_600, "1 MB"}, {960_197_124_096, "960 GB"}, {17.52e15, "17.5 PB"}, {4e21, "4 000 EB"}, {-5e9, "−5 GB"}} {
		if got := strings.ReplaceAll(size(tt.bytes), nbsp, " "); got != tt.want {
			t.Errorf("size(%v) = %q, want %q", tt.bytes, got, tt.want)
		}
	}
}

func TestBlockSizes(t *testing.T) {
	for _, tt := range []struct {
		bytes int
		want  string
	}{{512, "512 bytes"}, {4096, "4 KiB"}, {520, "520 bytes"}, {1 << 20, "1 MiB"}, {3 << 19, "1536 KiB"}, {4160, "4 160 bytes"}} {
		if got := strings.ReplaceAll(blockSize(tt.bytes), nbsp, " "); got != tt.want {
			t.Errorf("blockSize(%d) = %q, want %q", tt.bytes, got, tt.want)
		}
	}
}

func TestSigned(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		want string
	}{{5, "+5 %"}, {-5, "−5 %"}, {0, "0 %"}, {math.Copysign(0, -1), "0 %"}, {0.0123, "+0.0123 %"}} {
		if got := strings.ReplaceAll(signed(tt.v), nbsp, " "); got != tt.want {
			t.Errorf("signed(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestSentence(t *testing.T) {
	for _, tt := range []struct{ s, want string }{{"", ""}, {"it is warm", "It is warm."}, {"Is it?", "Is it?"}, {"élan", "Élan."}, {"done.", "Done."}, {"5 µs", "5 µs."}, {"\xffodd", "�odd."}} {
		if got := sentence(tt.s); got != tt.want {
			t.Errorf("sentence(%q) = %q, want %q", tt.s, got, tt.want)
		}
	}
}

func TestMoments(t *testing.T) {
	for _, tt := range []struct{ s, want string }{
		{"2026-01-02T03:04:05Z", "2026-01-02 03:04:05 UTC"}, {"2026-01-02T03:04:05.678+09:00", "2026-01-01 18:04:05 UTC"}, {"yesterday", "yesterday"}, {"", ""},
	} {
		if got := momentOf(tt.s); got != tt.want {
			t.Errorf("momentOf(%q) = %q, want %q", tt.s, got, tt.want)
		}
	}
	if got := moment(time.Time{}); got != "" {
		t.Errorf("the moment of none is %q", got)
	}
}

func TestJoin(t *testing.T) {
	if got := join(", ", "", "a", "", "b", ""); got != "a, b" {
		t.Errorf("join = %q", got)
	}
	if got := counted(1, "run", "runs") + counted(2000, "run", "runs"); strings.ReplaceAll(got, nbsp, "_") != "1_run2_000_runs" {
		t.Errorf("counted = %q", got)
	}
	if got := textf("%d °C", (*int)(nil)) + textf("%d °C", new(5)); got != "5 °C" {
		t.Errorf("textf = %q", got)
	}
}

// documentOf is a page of every part, in text.
func documentOf() *document {
	d := &document{Title: "title", Kind: "kind", Heading: "heading", Tone: good, Lead: []string{"lead"}, Warnings: []string{"warning"}, Made: "made"}
	d.add(part{Title: "empty"})
	d.add(part{Title: "full", Notes: []string{"note"}, Findings: []finding{{bad, "WORD", "finding", "more"}, {Text: "bare"}}, Charts: []template.HTML{"<figure class=\"chart\"></figure>\n"},
		Facts:  facts(fact{"name", "value"}, fact{"nothing", ""}),
		Tables: []table{{Caption: "caption", Head: []string{"a", "b", "c"}, Words: 1, Rows: []row{{Cells: []string{"word", "5", absent}, Remarks: []string{"remark"}}, {Cells: []string{"x", "y", "z"}}}}}})
	return d
}

// TestDocument holds what the parts of a page are made of.
func TestDocument(t *testing.T) {
	text := written(t, documentOf().write)
	wellMade(t, text)
	has(t, text, `<html lang="en">`, `<meta name="viewport"`, "default-src 'none'", "<title>title</title>", `<header class="good">`, `<p class="kind">kind</p>`, "<h1>heading</h1>", "<p>lead</p>", `<p class="warning">warning</p>`,
		"<h2>full</h2>", "<p>note</p>", `<li class="bad"><b>WORD</b> finding <span class="more">more</span></li>`, `<li class="">bare</li>`, `<figure class="chart">`,
		"<caption>caption</caption>", `<th role="columnheader">a</th><th role="columnheader" class="n">b</th>`, `<tr role="row" class="remarked"><td role="cell" data-head="a">word</td>`,
		`<td role="cell" data-head="b" class="n">5</td><td role="cell" data-head="c" class="n absent">–</td>`, `<tr role="row" class="remark"><td role="cell" colspan="3">remark</td>`, "<dt>name</dt><dd>value</dd>", "<footer>made</footer>")
	lacks(t, text, "empty", "nothing", "SIMULATED")
}

// TestPolicy holds that the page forbids the browser everything but its own
// style.
func TestPolicy(t *testing.T) {
	text := written(t, documentOf().write)
	m := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("there is no policy")
	}
	want := []string{"default-src 'none'", "style-src 'unsafe-inline'", "img-src data:", "base-uri 'none'", "form-action 'none'"}
	if diff := cmp.Diff(want, strings.Split(m[1], "; ")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if at := strings.Index(text, "Content-Security-Policy"); at > strings.Index(text, "<title>") || at > strings.Index(text, "<link") || at > strings.Index(text, "<style>") {
		t.Error("the policy comes after what it is about")
	}
}

func TestPrintable(t *testing.T) {
	for _, tt := range []struct{ s, want string }{{"a\n\tb", "a\n\tb"}, {"a\x00\x1b[31m\x7fb", "a��[31m�b"}, {"a\xffb", "a�b"}, {"µ–é", "µ–é"}} {
		if got := printable(tt.s); got != tt.want {
			t.Errorf("printable(%q) = %q, want %q", tt.s, got, tt.want)
		}
	}
}

// TestWriteFails holds that a disk that is full is an error.
func TestWriteFails(t *testing.T) {
	if err := documentOf().write(brokenWriter{}); err == nil {
		t.Error("an error of the writer is lost")
	}
	m := &markdown{parts: []string{"x"}}
	if err := m.writeTo(brokenWriter{}); err == nil {
		t.Error("an error of the writer is lost")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left on device") }

// TestColumnsOfAll holds that every table of every page has as many cells in a
// row as heads.
func TestColumnsOfAll(t *testing.T) {
	heads := regexp.MustCompile(`<th role="columnheader"`)
	cells := regexp.MustCompile(`<td role="cell" data-head=`)
	for name, f := range samples(t) {
		columns := 0
		for line := range strings.Lines(written(t, f)) {
			switch {
			case strings.HasPrefix(line, "<thead"):
				columns = len(heads.FindAllString(line, -1))
			case strings.HasPrefix(line, "<tr role=\"row\"") && !strings.Contains(line, "colspan"):
				if n := len(cells.FindAllString(line, -1)); n != columns {
					t.Errorf("%s: a row of %d cells below %d heads: %s", name, n, columns, line)
				}
			}
		}
	}
}

// TestFirstThings holds that a page begins with what matters: that the drive is
// simulated, then the answer, then the drive by its serial number.
func TestFirstThings(t *testing.T) {
	for name, f := range samples(t) {
		text := written(t, f)
		_, body, _ := strings.Cut(text, "<body>")
		head, _, _ := strings.Cut(body, "</header>")
		if simulated := strings.HasPrefix(name, "report"); simulated != strings.HasPrefix(strings.TrimSpace(head), `<p class="simulated">SIMULATED`) {
			t.Errorf("%s begins with %q", name, head)
		}
		if !regexp.MustCompile(`serial [0-9A-Z]{10}`).MatchString(head) {
			t.Errorf("%s does not name the drive by its serial number:\n%s", name, head)
		}
		if !strings.Contains(head, "<h1>") {
			t.Errorf("%s has no heading:\n%s", name, head)
		}
	}
}

func TestShare(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		want string
	}{{0, "0 %"}, {0.0000029, "less than 0.001 %"}, {0.001, "0.001 %"}, {0.0501, "0.0501 %"}, {105, "105 %"}} {
		if got := plainText(share(tt.v)); got != tt.want {
			t.Errorf("share(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{subjectName(&record.Subject{Model: "M", Serial: "S"}), "M"}, {subjectName(&record.Subject{Path: "/mnt/x", Bytes: 512}), "/mnt/x (512 bytes)"},
		{placeName("power_on_hours"), "hours powered on"}, {placeName("terabytes_written"), "written by the host"}, {placeName("celsius"), "temperature"}, {placeName("power_cycles"), "power cycles"},
		{metricWord("p50"), "median"}, {metricWord("mb_per_s"), "MB/s"}, {metricWord("mean"), "mean"},
		{hidden("two drives: A and B"), "two drives"}, {hidden("no log"), "no log"},
		{string(levelTone("keep")), "good"}, {string(severityTone("note")), "warn"}, {string(severityTone("new")), "plain"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
