package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Reading is what somebody has measured and wants to place.
type Reading struct {
	Metric Metric
	Value  float64
	Workload
	// Software is what it was measured under. "" is not known.
	Software Software
}

// Neighbour is a drive beside a reading.
type Neighbour struct {
	Model string `json:"model"`
	// Value is in the unit of the reading, Metric what it is: a mean stands in
	// for a median that is not known.
	Value    float64  `json:"value"`
	Metric   Metric   `json:"metric"`
	Software Software `json:"software"`
	// SameSoftware is false if the software below the program is another one,
	// so that part of the difference is its own.
	SameSoftware bool   `json:"same_software"`
	Indicative   bool   `json:"indicative"`
	Source       string `json:"source"`
}

// Placement is a reading among the figures of others.
type Placement struct {
	Metric Metric  `json:"metric"`
	Unit   string  `json:"unit"`
	Value  float64 `json:"value"`
	// Faster is the nearest drive that is as fast or faster, Slower the nearest
	// slower one; nil at the ends.
	Faster *Neighbour `json:"faster"`
	Slower *Neighbour `json:"slower"`
	// Rank counts from 1 for the fastest, Of are all with the reading itself.
	Rank int `json:"rank"`
	Of   int `json:"of"`
	// Text is all that in a sentence without a full stop.
	Text string `json:"text"`
}

// Place places a reading among what was measured with the same workload, nil if
// there is nothing like it.
func Place(r Reading) *Placement {
	list := neighbours(r)
	if len(list) == 0 || r.Value <= 0 {
		return nil
	}
	i := slices.IndexFunc(list, func(n Neighbour) bool { return slower(r.Metric, n.Value, r.Value) })
	if i < 0 {
		i = len(list)
	}
	p := &Placement{Metric: r.Metric, Unit: r.Metric.Unit(), Value: r.Value, Rank: i + 1, Of: len(list) + 1}
	if i > 0 {
		p.Faster = &list[i-1]
	}
	if i < len(list) {
		p.Slower = &list[i]
	}
	p.Text = p.sentence(r.Software)
	return p
}

// slower reports whether a is worse than b.
func slower(m Metric, a, b float64) bool {
	if m.higherIsBetter() {
		return a < b
	}
	return a > b
}

// neighbours lists each drive once for each software, the fastest first.
func neighbours(r Reading) []Neighbour {
	best := map[[2]string]candidate{}
	for _, f := range All() {
		if f.Rated || f.Doubtful != "" || !f.like(r.Workload) {
			continue
		}
		v, m, ok := f.standIn(r.Metric)
		if !ok {
			continue
		}
		c := candidate{Neighbour{f.Model, v, m, f.Software, f.Software == r.Software, f.Indicative, f.Source}, distance(r.Metric, m, f.Metric)}
		key := [2]string{f.Model, string(f.Software)}
		if old, seen := best[key]; !seen || c.before(old, r.Metric) {
			best[key] = c
		}
	}
	var list []Neighbour
	for _, c := range best {
		list = append(list, c.Neighbour)
	}
	slices.SortFunc(list, func(a, b Neighbour) int {
		order := cmp.Compare(a.Value, b.Value)
		if r.Metric.higherIsBetter() {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.Model, b.Model), cmp.Compare(a.Software, b.Software))
	})
	return list
}

// standIn returns the figure as m, or the mean where the median is asked for and
// the median where the mean is.
func (f Figure) standIn(m Metric) (value float64, is Metric, ok bool) {
	if v, ok := f.In(m); ok {
		return v, m, true
	}
	other := map[Metric]Metric{MeanLatency: P50Latency, P50Latency: MeanLatency}[m]
	if other == "" {
		return 0, "", false
	}
	v, ok := f.In(other)
	return v, other, ok
}

// candidate is a figure that may stand for a drive, with its distance from what
// was asked for.
type candidate struct {
	Neighbour
	distance int
}

// distance is 0 for a figure of the metric asked for, 1 for one that it follows
// from, 2 for one of another metric that stands in.
func distance(asked, is, source Metric) int {
	switch asked {
	case source:
		return 0
	case is:
		return 1
	}
	return 2
}

// before reports whether c is to be taken rather than old: the nearer one, then
// the faster one.
func (c candidate) before(old candidate, m Metric) bool {
	if c.distance != old.distance {
		return c.distance < old.distance
	}
	return slower(m, old.Value, c.Value)
}

func (p *Placement) sentence(own Software) string {
	head := amount(p.Value, p.Unit) + ": "
	var named []*Neighbour
	switch {
	case p.Faster == nil:
		head += "faster than all known figures, the next is " + p.name(p.Slower)
		named = append(named, p.Slower)
	case p.Slower == nil:
		head += "slower than all known figures, the next is " + p.name(p.Faster)
		named = append(named, p.Faster)
	default:
		head += "between " + p.name(p.Faster) + " and " + p.name(p.Slower)
		named = append(named, p.Faster, p.Slower)
	}
	return head + caveat(own, named)
}

func (p *Placement) name(n *Neighbour) string {
	about := ""
	if n.Indicative {
		about = "about "
	}
	return fmt.Sprintf("%s (%s%s)", n.Model, about, amount(n.Value, p.Unit))
}

// caveat names the software of the neighbours if it is another one.
func caveat(own Software, named []*Neighbour) string {
	var other []string
	for _, n := range named {
		if s := string(n.Software); !n.SameSoftware && !slices.Contains(other, s) {
			other = append(other, s)
		}
	}
	if len(other) == 0 {
		return ""
	}
	text := "; measured under " + strings.Join(other, " and ")
	if len(named) == 2 && named[0].SameSoftware != named[1].SameSoftware {
		text = "; the one under " + other[0] + " was measured with other software"
	} else if own != NoSoftware {
		text += " and not under " + string(own)
	}
	return text + ", whose own part of each operation differs"
}

// amount writes a value with 3 significant digits, or whole if it is larger.
func amount(v float64, unit string) string {
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + unit
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + " " + unit
}
