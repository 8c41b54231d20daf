package chart

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// schemes are the variables of a style sheet in light, in dark and on paper.
func schemes(t *testing.T, sheet string) map[string]map[string]string {
	t.Helper()
	list := map[string]map[string]string{}
	declared := regexp.MustCompile(`--([\w-]+): *(#[0-9a-f]+)`)
	for line := range strings.Lines(sheet) {
		if !strings.Contains(line, ":root") {
			continue
		}
		scheme := "light"
		switch {
		case strings.Contains(line, "dark)"):
			scheme = "dark"
		case strings.Contains(line, "@media print"):
			scheme = "print"
		}
		list[scheme] = map[string]string{}
		for _, m := range declared.FindAllStringSubmatch(line, -1) {
			list[scheme][m[1]] = m[2]
		}
	}
	return list
}

// luminance is that of Web Content Accessibility Guidelines 2.1, Relative
// luminance.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	v, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil || len(colour) != 7 {
		t.Fatalf("%q is no colour", colour)
	}
	part := func(shift int) float64 {
		c := float64(v>>shift&0xFF) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

// contrast is that of the same document, Contrast ratio: from 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestContrastOfKnownColours(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#ffffff", "#ffffff", 1}, {"#777777", "#ffffff", 4.48}, {"#0000ff", "#ffffff", 8.59}} {
		if got := contrast(t, tt.a, tt.b); math.Abs(got-tt.want) > 0.01 {
			t.Errorf("%s on %s: %.2f, want %.2f", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestColoursAreReadable holds that the colours of the sides stand out from the
// paper in light, in dark and in print, as much as a text must.
func TestColoursAreReadable(t *testing.T) {
	paper := map[string]string{"light": "#ffffff", "dark": "#15181b", "print": "#ffffff"}
	all := schemes(t, Style)
	for scheme, on := range paper {
		if len(all[scheme]) != sides+1 {
			t.Errorf("%s has %d colours, want those of %d sides and of heat", scheme, len(all[scheme]), sides)
		}
		for name, colour := range all[scheme] {
			if ratio := contrast(t, colour, on); ratio < 4.5 {
				t.Errorf("%s: --%s has the contrast %.2f, want 4.5", scheme, name, ratio)
			}
		}
	}
}

// TestClassesHaveStyle holds that everything that is drawn looks like something:
// each class of the drawings is in the style sheet.
func TestClassesHaveStyle(t *testing.T) {
	classes := regexp.MustCompile(`class="([^"]+)"`)
	for name, d := range drawings() {
		for _, m := range classes.FindAllStringSubmatch(string(d.HTML()), -1) {
			for class := range strings.FieldsSeq(m[1]) {
				if !regexp.MustCompile(`\.` + class + `\b`).MatchString(Style) {
					t.Errorf("%s: the class %s has no style", name, class)
				}
			}
		}
	}
}
