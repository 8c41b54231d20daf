package page

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/internal/report"
)

// samples is one of each page, with everything that a page may have.
func samples(t *testing.T) map[string]func(io.Writer) error {
	t.Helper()
	full := reportOf(t, "optane-905p-media-errors")
	q := resultOf(0, 1, latencies(20000, 12, 1)).Result
	full.Bench = report.Section[report.Bench]{Data: &report.Bench{QD1Read: &q}}
	all := map[string]func(io.Writer) error{
		"report":            func(w io.Writer) error { return Report(w, full) },
		"bench":             func(w io.Writer) error { return Bench(w, benchOf("before", 7, 12)) },
		"bench of profile":  func(w io.Writer) error { return Bench(w, profileOf()) },
		"bench over time":   func(w io.Writer) error { return Bench(w, sustained()) },
		"compare":           func(w io.Writer) error { return Compare(w, compared(7, 0.1)) },
		"compare of few":    func(w io.Writer) error { return Compare(w, compared(3, 0.1)) },
		"age":               func(w io.Writer) error { return Age(w, agedDrive()) },
		"deltas":            func(w io.Writer) error { return Deltas(w, deltasOf()) },
		"history":           func(w io.Writer) error { return History(w, manyRecords(30)) },
		"history of a year": func(w io.Writer) error { return History(w, manyRecords(400)) },
	}
	for _, profile := range []string{"optane-905p", "nand-worn", "nand-modern", "fake"} {
		r := reportOf(t, profile)
		all["report of "+profile] = func(w io.Writer) error { return Report(w, r) }
	}
	return all
}

// script is what looks at a page in the browser.
func script(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "looks.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLooks looks at every page in a browser, wide and narrow, light and dark:
// nothing is asked for, nothing is cut off or lies on something else, and
// everything can be read. It prints each.
func TestLooks(t *testing.T) {
	b := startBrowser(t)
	look, all := script(t), samples(t)
	for name, f := range pages(hostileBench(12), hostileBench(13)) {
		all["hostile "+name] = f
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := written(t, all[name])
		for _, screen := range screens(strings.HasPrefix(name, "hostile")) {
			b.screen(screen.width, screen.scheme)
			if asked := b.show(text); asked != nil {
				t.Errorf("%s asks for %q", name, asked)
			}
			for _, fault := range b.faults(look) {
				t.Errorf("%s, %v: %s", name, screen, fault)
			}
		}
		if strings.HasPrefix(name, "hostile") {
			continue
		}
		if pdf := b.printed(); !bytes.HasPrefix(pdf, []byte("%PDF")) || len(pdf) < 5000 {
			t.Errorf("%s: printed to %d bytes", name, len(pdf))
		}
	}
}

// screen is a window.
type screen struct {
	width  int
	scheme string
}

// screens are those that a page is looked at on: of one with hostile texts the
// narrow ones, where long words do harm.
func screens(hostile bool) []screen {
	list := []screen{{900, "light"}, {390, "light"}}
	if !hostile {
		list = append(list, screen{1280, "light"}, screen{1280, "dark"})
	}
	return list
}

// TestLooksSees shows the browser pages with faults, so that TestLooks is known
// to see them.
func TestLooksSees(t *testing.T) {
	b := startBrowser(t)
	look := script(t)
	b.screen(390, "light")
	tests := []struct{ name, body, want string }{
		{"wide", `<pre style="width: 900px">text</pre>`, "the page is 9"},
		{"outside", `<div style="overflow: hidden"><p style="position: relative; left: 500px">text</p></div>`, "outside of the window"},
		{"pale", `<p style="color: #aaaaaa">text</p>`, "contrast 2.3: text"},
		{"pale line", `<svg viewBox="0 0 420 100"><path class="line" style="stroke: #dddddd" d="M0 0L9 9"/></svg>`, "of a line"},
		{"on each other", drawing(`<text x="10" y="50">one text</text><text x="30" y="52">another</text>`), "on each other: one text, another"},
		{"cut off", drawing(`<text x="400" y="50">a long text</text>`), "cut off: a long text"},
		{"small", drawing(`<text x="10" y="50" style="font-size: 8px">text</text>`), "pixels high: text"},
	}
	for _, tt := range tests {
		b.show(frame("", tt.body))
		if got := strings.Join(b.faults(look), "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
	b.show(frame("", "<p>text</p>"+drawing(`<text x="10" y="50">text</text>`)))
	if got := b.faults(look); len(got) > 0 {
		t.Errorf("a sound page has the faults %q", got)
	}
}

// TestNothingIsAskedFor shows the browser pages that ask for something, with and
// without the policy of our pages.
func TestNothingIsAskedFor(t *testing.T) {
	b := startBrowser(t)
	const body = `<img src="http://outside.example/x.png">`
	if asked := b.show(frame("", body)); len(asked) != 1 || asked[0] != "http://outside.example/x.png" {
		t.Errorf("a page with an image asks for %q", asked)
	}
	text := written(t, func(w io.Writer) error { return Bench(w, benchOf("", 1, 12)) })
	for _, harm := range []string{body, `<script src="http://outside.example/x.js"></script>`, `<link rel="stylesheet" href="http://outside.example/x.css">`, `<style>body { background: url(http://outside.example/x.png) }</style>`,
		`<iframe src="http://outside.example/"></iframe>`, `<script>fetch("http://outside.example/")</script>`} {
		if asked := b.show(strings.Replace(text, "<main>", "<main>"+harm, 1)); asked != nil {
			t.Errorf("%s gets out of the page: %q", harm, asked)
		}
	}
}

// drawing is a picture as a chart makes it.
func drawing(inside string) string {
	return fmt.Sprintf(`<svg viewBox="0 0 420 100" role="img"><title>name</title>%s</svg>`, inside)
}

// frame is a page of its own.
func frame(head, body string) string {
	return `<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` + head +
		`<style>body { background: #ffffff; color: #000000; } svg { width: 100%; }</style></head><body>` + body + `</body></html>`
}
