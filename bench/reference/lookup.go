package reference

import (
	"slices"
	"strings"
	"unicode"
)

// Models returns the names of the drives with figures, in alphabetical order.
func Models() []string {
	var names []string
	for _, f := range All() {
		names = append(names, f.Model)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Lookup returns the figures of the drives whose model contains a name, such as
// "905p" or "optane-900P": upper and lower case, spaces and signs make no
// difference. A name that is a whole model is that one alone. It returns nothing
// for a name without letters and digits.
func Lookup(name string) []Figure {
	want := folded(name)
	if want == "" {
		return nil
	}
	whole := slices.ContainsFunc(All(), func(f Figure) bool { return folded(f.Model) == want })
	return slices.DeleteFunc(All(), func(f Figure) bool {
		have := folded(f.Model)
		return whole && have != want || !strings.Contains(have, want)
	})
}

// folded keeps letters and digits, in lower case.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// Beside is a reading beside a figure of a drive.
type Beside struct {
	Figure Figure `json:"figure"`
	// Reference is the figure in the metric of the reading, Is which it is: a
	// mean stands in for a median that is not known.
	Reference float64 `json:"reference"`
	Is        Metric  `json:"reference_metric"`
	Measured  float64 `json:"measured"`
	Unit      string  `json:"unit"`
	// ChangePercent is by how much the reading is larger than the figure.
	ChangePercent float64 `json:"change_percent"`
	// SameSoftware is as in a [Neighbour].
	SameSoftware bool `json:"same_software"`
}

// Against sets a reading beside each of the figures that are of the same
// workload; the others are left out. A figure is one number without its noise:
// this is no test, and no verdict follows from it.
func Against(figures []Figure, r Reading) []Beside {
	var list []Beside
	for _, f := range figures {
		v, is, ok := f.standIn(r.Metric)
		if !ok || !f.like(r.Workload) || v <= 0 {
			continue
		}
		list = append(list, Beside{f, v, is, r.Value, r.Metric.Unit(), 100 * (r.Value/v - 1), f.Software == r.Software})
	}
	return list
}
