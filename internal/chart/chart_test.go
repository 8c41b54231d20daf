package chart

import (
	"encoding/xml"
	"errors"
	"flag"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// hostile is a name that would be markup, a script or no XML at all.
const hostile = "<script>alert(1)</script>\" onload='x' & \x00\x1b\xff é"

// drawings is one of each chart, with every part that a chart can have.
func drawings() map[string]interface{ HTML() template.HTML } {
	median := 12.5
	return map[string]interface{ HTML() template.HTML }{
		"distribution": Distribution{Caption: Caption{Title: "Latency", Note: "Two sides."}, Unit: "µs", Low: 10, High: 40,
			Sides: []Counts{{"before", []Bin{{10, 11, 5}, {11, 13, 80}, {20, 40, 15}}}, {"after", []Bin{{11, 12, 5}, {12, 14, 80}, {100, 200, 15}}}},
			Marks: []Mark{{12, "median 12 µs"}, {400, "outside"}}},
		"ladder": Ladder{Caption: Caption{Title: "Percentiles"}, Unit: "µs", Sides: []Steps{
			{"before", []Step{{50, 12, 11.9, 12.1}, {99, 30, 25, 40}, {99.9, 200, 0, 0}}}, {"after", []Step{{50, 13, 12.8, 13.3}, {99, 31, 31, 31}}}}},
		"series": Series{Caption: Caption{Title: "Rate", Note: "It falls."}, Unit: "MB/s", FromZero: true,
			Lines: []Line{{"MB/s", []Point{{1, 2500}, {2, 2490}, {3, 900}, {4, 905}}}}, Heat: []Point{{0, 40}, {4, 71}}, Marks: []Mark{{2.5, "falls after 2 s"}}},
		"trend": Series{Caption: Caption{Title: "Wear"}, Unit: "TB", Dates: true, Dots: true, Lines: []Line{{"written", []Point{{1.7e9, 1}, {1.71e9, 2}}}},
			Forecast: []Point{{1.71e9, 2}, {1.75e9, 6}}, Limit: &Mark{6, "rated 6 TB"}},
		"dots": Dots{Caption: Caption{Title: "Runs"}, Unit: "µs", Groups: []Group{
			{"before", []float64{12.1, 12.5, 12.9}, &median, &[2]float64{12.1, 12.9}, 0}, {Name: "after", Values: []float64{13}, Side: 1}}},
		"bars": Bars{Caption: Caption{Title: "Rows"}, Rows: []Bar{{"SEQ1M read", "2 600 MB/s", 2600, 2500, 0}, {"RND4K write", "300 MB/s", 300, 0, 1}}},
		"changes": Changes{Caption: Caption{Title: "Changes"}, Margin: 2, Rows: []Change{
			{"median", "+9 %, worse", 9, &[2]float64{8, 10}, 1}, {"p99", "+1 %, not enough runs", 1, &[2]float64{-300, 400}, 3}}},
	}
}

// TestGolden holds what each chart looks like. Run it with -update, look at the
// pictures and at the differences.
func TestGolden(t *testing.T) {
	for name, d := range drawings() {
		got, file := string(d.HTML()), filepath.Join("testdata", name+".html")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestDrawingsAreSound(t *testing.T) {
	for name, d := range drawings() {
		text := string(d.HTML())
		sound(t, name, text)
		for _, want := range []string{`role="img"`, "<title>", "<desc>", "<figcaption>", "viewBox"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %s", name, want)
			}
		}
	}
}

var numbers = regexp.MustCompile(`NaN|Inf|e[+-]\d`)

// sound holds what every drawing must be: XML, without a script or an address,
// and with numbers that can be drawn.
func sound(t *testing.T, name, text string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s is no XML: %v\n%s", name, err, text)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		if e.Name.Local == "script" || e.Name.Local == "image" || e.Name.Local == "use" {
			t.Errorf("%s has the element %s", name, e.Name.Local)
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" || a.Name.Local == "src" {
				t.Errorf("%s has the attribute %s", name, a.Name.Local)
			}
			if a.Name.Local != "aria-label" && numbers.MatchString(a.Value) {
				t.Errorf("%s has %s=%q", name, a.Name.Local, a.Value)
			}
		}
	}
}

func TestHostileTexts(t *testing.T) {
	c := Caption{Title: hostile, Note: hostile, Empty: hostile}
	half := 0.5
	for name, d := range map[string]interface{ HTML() template.HTML }{
		"distribution": Distribution{Caption: c, Unit: hostile, Sides: []Counts{{hostile, []Bin{{1, 2, 3}}}, {hostile, []Bin{{1, 2, 3}}}}, Marks: []Mark{{1.5, hostile}}},
		"ladder":       Ladder{Caption: c, Unit: hostile, Sides: []Steps{{hostile, []Step{{50, 1, 0, 0}}}, {hostile, []Step{{50, 1, 0, 0}}}}},
		"series":       Series{Caption: c, Unit: hostile, Lines: []Line{{hostile, []Point{{0, 1}}}, {hostile, []Point{{0, 1}}}}, Limit: &Mark{1, hostile}, Marks: []Mark{{0, hostile}}},
		"dots":         Dots{Caption: c, Unit: hostile, Groups: []Group{{hostile, []float64{1}, &half, nil, 0}}},
		"bars":         Bars{Caption: c, Rows: []Bar{{hostile, hostile, 1, 2, 0}}},
		"changes":      Changes{Caption: c, Rows: []Change{{hostile, hostile, 1, nil, 0}}},
		"nothing":      Bars{Caption: c},
	} {
		text := string(d.HTML())
		sound(t, name, text)
		if !strings.Contains(text, "&lt;script&gt;") {
			t.Errorf("%s does not show the text: %s", name, text)
		}
	}
}

// TestNothing holds that a chart without data is a sentence.
func TestNothing(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c := Caption{Title: "Title", Empty: "No data here."}
	for name, d := range map[string]interface{ HTML() template.HTML }{
		"distribution":             Distribution{Caption: c},
		"distribution of zeros":    Distribution{Caption: c, Sides: []Counts{{"", []Bin{{0, 0, 0}, {-1, 0, 4}, {1, 2, nan}, {1, inf, 4}}}}},
		"distribution out of axis": Distribution{Caption: c, Low: 10, High: 20, Sides: []Counts{{"", []Bin{{1, 2, 3}}}}},
		"ladder":                   Ladder{Caption: c},
		"ladder of no numbers":     Ladder{Caption: c, Sides: []Steps{{"", []Step{{50, nan, 0, 0}, {50, 0, 0, 0}, {100, 5, 0, 0}, {99, inf, 1, 2}}}}},
		"series":                   Series{Caption: c, Heat: []Point{{1, 2}}},
		"series of no numbers":     Series{Caption: c, Lines: []Line{{"", []Point{{nan, 1}, {1, inf}}}}},
		"dots":                     Dots{Caption: c, Groups: []Group{{Name: "a"}}},
		"dots of no numbers":       Dots{Caption: c, Groups: []Group{{Name: "a", Values: []float64{nan, inf}}}},
		"bars":                     Bars{Caption: c, Rows: []Bar{{Value: nan}, {Value: -1}, {Value: inf, Promised: nan}}},
		"changes":                  Changes{Caption: c, Rows: []Change{{Percent: nan}}},
	} {
		text := string(d.HTML())
		sound(t, name, text)
		if strings.Contains(text, "<svg") || !strings.Contains(text, "No data here.") {
			t.Errorf("%s: got %s", name, text)
		}
	}
	if got := string(Bars{}.HTML()); !strings.Contains(got, "There is nothing to draw.") {
		t.Errorf("without a sentence of its own: %s", got)
	}
}

// TestOddNumbers holds that no number breaks a drawing that has others.
func TestOddNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, v := range []float64{nan, inf, -inf, 0, -5, 1e-300, 1e300, 5e16, math.MaxFloat64, 7} {
		p := v
		for name, d := range map[string]interface{ HTML() template.HTML }{
			"distribution": Distribution{Low: v, High: v, Sides: []Counts{{"", []Bin{{5, 6, 1}, {v, v * 2, v}}}}, Marks: []Mark{{v, "m"}}},
			"ladder":       Ladder{Sides: []Steps{{"", []Step{{50, 7, v, v}, {99, v, 1, 2}, {v, 7, 1, 2}}}}},
			"series":       Series{Lines: []Line{{"", []Point{{0, 7}, {v, 7}, {1, v}}}}, Heat: []Point{{0, v}}, Forecast: []Point{{v, v}}, Limit: &Mark{v, ""}, Marks: []Mark{{v, "m"}}},
			"dates":        Series{Dates: true, Lines: []Line{{"", []Point{{0, 7}, {math.Mod(v, 1e10), 7}}}}},
			"dots":         Dots{Groups: []Group{{"", []float64{7, v}, &p, &[2]float64{v, v}, 0}}},
			"bars":         Bars{Rows: []Bar{{"", "", 7, v, 0}, {"", "", v, 7, 0}}},
			"changes":      Changes{Margin: v, Rows: []Change{{"", "", 7, &[2]float64{v, v}, 0}, {"", "", v, nil, 0}}},
		} {
			sound(t, name, string(d.HTML()))
		}
	}
}

// TestBounds holds that no drawing grows with its data.
func TestBounds(t *testing.T) {
	line := Line{Name: "rate"}
	for i := range 200000 {
		line.Points = append(line.Points, Point{float64(i), float64(i * 7919 % 1000)})
	}
	line.Points[77777].Y = 5000
	text := string(Series{Lines: []Line{line}, Heat: line.Points}.HTML())
	if len(text) > 20000 {
		t.Errorf("200000 points take %d bytes", len(text))
	}
	if !strings.Contains(text, "5"+nbsp+"000") {
		t.Error("the one peak of 5000 is not on the axis")
	}
	bars := Bars{Rows: make([]Bar, 500)}
	for i := range bars.Rows {
		bars.Rows[i] = Bar{Value: 1, Name: "row"}
	}
	if text := string(bars.HTML()); strings.Count(text, "<rect") != mostBars || !strings.Contains(text, "The last 440 rows are not drawn.") {
		t.Errorf("500 bars: %d drawn", strings.Count(text, "<rect"))
	}
	var changes Changes
	for range 500 {
		changes.Rows = append(changes.Rows, Change{Percent: 1})
	}
	if n := strings.Count(string(changes.HTML()), `class="dot`); n != mostChanges {
		t.Errorf("500 changes: %d drawn, want %d", n, mostChanges)
	}
}

// FuzzSeries holds that any points give a drawing that is sound.
func FuzzSeries(f *testing.F) {
	f.Add(0.0, 1.0, 1.0, 2.0, "µs", true)
	f.Add(5e16, 1.0, 5e16, 1.0, hostile, false)
	f.Fuzz(func(t *testing.T, x1, y1, x2, y2 float64, text string, dates bool) {
		points := []Point{{x1, y1}, {x2, y2}}
		c := Caption{Title: text, Note: text}
		sound(t, "series", string(Series{Caption: c, Unit: text, Dates: dates, Lines: []Line{{text, points}}, Heat: points, Limit: &Mark{y2, text}, Marks: []Mark{{x1, text}}}.HTML()))
		sound(t, "distribution", string(Distribution{Caption: c, Low: x1, High: x2, Sides: []Counts{{text, []Bin{{x1, y1, x2}, {y1, y2, 3}}}}}.HTML()))
		sound(t, "ladder", string(Ladder{Caption: c, Sides: []Steps{{text, []Step{{x1, y1, x2, y2}, {50, x1, y1, x2}}}}}.HTML()))
		sound(t, "changes", string(Changes{Caption: c, Margin: y2, Rows: []Change{{text, text, x1, &[2]float64{y1, x2}, 1}}}.HTML()))
		sound(t, "dots", string(Dots{Caption: c, Groups: []Group{{text, []float64{x1, y1}, &x2, &[2]float64{y1, y2}, 2}}}.HTML()))
	})
}
