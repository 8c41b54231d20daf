package prometheus_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// The checker reads a page with Prometheus's own parser and asks what "promtool
// check metrics" asks. Beyond that a series stands once, a family in one block,
// and nothing has a time, which the textfile collector does not take.

// established are names of nvme_metrics that are not in base units.
var established = []string{"nvme_power_on_hours_total"}

type parsed struct {
	family string
	labels map[string]string
	value  float64
}

// check reads a page and returns its samples and what is wrong with it.
func check(text string) ([]parsed, []string) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, []string{err.Error()}
	}
	var samples []parsed
	var complaints []string
	for _, f := range families {
		s, c := samplesOf(f)
		samples, complaints = append(samples, s...), append(complaints, c...)
	}
	return samples, append(append(complaints, lint(families)...), apart(text)...)
}

// samplesOf returns what a family has.
func samplesOf(f *dto.MetricFamily) (samples []parsed, complaints []string) {
	seen := map[string]bool{}
	for _, m := range f.GetMetric() {
		s := parsed{family: f.GetName(), labels: map[string]string{}}
		for _, l := range m.GetLabel() {
			s.labels[l.GetName()] = l.GetValue()
		}
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			s.value = m.GetCounter().GetValue()
		case dto.MetricType_GAUGE:
			s.value = m.GetGauge().GetValue()
		default:
			complaints = append(complaints, fmt.Sprintf("%s is of the type %v", s.family, f.GetType()))
		}
		if m.TimestampMs != nil {
			complaints = append(complaints, s.family+" has a time")
		}
		series := fmt.Sprint(s.labels)
		if seen[series] {
			complaints = append(complaints, fmt.Sprintf("%s%s stands twice", s.family, series))
		}
		seen[series] = true
		samples = append(samples, s)
	}
	return samples, complaints
}

// lint returns what promtool finds.
func lint(families map[string]*dto.MetricFamily) (complaints []string) {
	problems, err := promlint.NewWithMetricFamilies(slices.Collect(maps.Values(families))).Lint()
	if err != nil {
		return []string{err.Error()}
	}
	for _, p := range problems {
		if !slices.Contains(established, p.Metric) {
			complaints = append(complaints, p.Metric+": "+p.Text)
		}
	}
	return complaints
}

// apart returns the families that do not stand in one block, below their HELP and
// TYPE.
func apart(text string) (complaints []string) {
	current := ""
	for line := range strings.Lines(text) {
		name, isHead := strings.CutPrefix(line, "# HELP ")
		name = name[:strings.IndexAny(name, " {\n")]
		switch {
		case isHead:
			current = name
		case name != "#" && name != current:
			complaints = append(complaints, name+" stands outside of its family")
		}
	}
	return complaints
}
