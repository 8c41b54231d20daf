package main

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
)

func compareCommand() command {
	return command{
		name: "compare", args: "BEFORE AFTER", access: none, maxArgs: 2,
		short: "whether anything changed between two sets of results, and what else did",
		help: `Each side is a FILE with JSON of bench or report, the identifier of a record or
its beginning, a label (all records with it: a set), or several of them with
commas between, or 'FILES*'. A label belongs to one drive: --drive says which.

Benchmarks are judged run against run: better, worse, no change, or not enough
runs. It takes 6 runs a side to find a change in several workloads. Two reports
show how the counters of the drive went on.`,
		flags: append(outputFlags("json", "html", "markdown"),
			&cli.StringFlag{Name: "min-effect", DefaultText: "2", Usage: "the least change that matters, `PERCENT`"},
			&cli.StringFlag{Name: "confidence", DefaultText: "95", Usage: "how sure a verdict is, `PERCENT`"},
			&cli.StringFlag{Name: "drive", Usage: "`SERIAL` or its end: of which drive the records are"},
			&cli.StringFlag{Name: "kind", Usage: "take only records of this `KIND`: bench or report"},
			&cli.StringFlag{Name: "changed", Usage: "`WHAT` was changed on purpose, with commas between: firmware, kernel, …; it does not stand in the way of a verdict"}),
		run: runCompare,
	}
}

func runCompare(in *invocation) error {
	format, err := in.format("json", "html", "markdown")
	if err != nil {
		return err
	}
	opt, err := in.compareOptions()
	if err != nil {
		return err
	}
	before, after, err := in.sides()
	if err != nil {
		return err
	}
	if before.kind == kindReport {
		return in.compareReports(format, before, after)
	}
	return in.compareBench(format, before, after, opt)
}

// compareOptions checks the flags.
func (in *invocation) compareOptions() (compare.Options, error) {
	var o compare.Options
	if in.NArg() != 2 {
		return o, usagef("two sides are needed: qd1 compare BEFORE AFTER")
	}
	effect, err := in.percentFlag("min-effect", 0.001, 1000)
	if err != nil {
		return o, err
	}
	confidence, err := in.percentFlag("confidence", 50, 99.99)
	if err != nil {
		return o, err
	}
	if kind := in.String("kind"); in.IsSet("kind") && kind != kindBench && kind != kindReport {
		return o, usagef("--kind %s: bench or report is needed", kind)
	}
	o.MinEffectPercent, o.Confidence = effect, confidence/100
	return o, nil
}

// percentFlag reads a number with or without "%", 0 if the flag is not given.
func (in *invocation) percentFlag(name string, least, most float64) (float64, error) {
	text := in.String(name)
	if !in.IsSet(name) {
		return 0, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || !(v >= least && v <= most) {
		return 0, usagef("--%s %s: a number of percent from %v to %v is needed", name, text, least, most)
	}
	return v, nil
}

func (in *invocation) compareBench(format string, before, after *compareSide, o compare.Options) error {
	b, err := before.benchmarks()
	if err != nil {
		return err
	}
	a, err := after.benchmarks()
	if err != nil {
		return err
	}
	c := compare.Bench(b, a, o)
	if in.IsSet("changed") {
		if o.Changed, err = changedNames(in.String("changed"), c); err != nil {
			return err
		}
		c = compare.Bench(b, a, o)
	}
	c.Tool, c.Time = tool(), in.env.now().UTC().Format(time.RFC3339)
	return in.show(format, c, func(w io.Writer, s render.Style) error { return render.Compare(w, c, s) })
}

// changedNames finds the differences that a user means, by their names or a
// part of them.
func changedNames(list string, c *compare.Comparison) ([]string, error) {
	known := c.Names()
	var names []string
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		fit := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !strings.Contains(strings.ToLower(name), strings.ToLower(word)) })
		if slices.Contains(known, word) {
			fit = []string{word}
		}
		switch {
		case len(known) == 0:
			return nil, usagef("--changed %s: nothing that is known differs between the sides", word)
		case len(fit) == 1 && word != "":
			names = append(names, fit[0])
		case len(fit) > 1 && word != "":
			return nil, usagef("--changed %s: that may be %s", word, strings.Join(fit, ", "))
		default:
			return nil, usagef("--changed %s: no such difference; there are: %s", word, strings.Join(known, ", "))
		}
	}
	return names, nil
}

// compareReports compares the newest report of each side.
func (in *invocation) compareReports(format string, before, after *compareSide) error {
	b, err := in.newestReport(before)
	if err != nil {
		return err
	}
	a, err := in.newestReport(after)
	if err != nil {
		return err
	}
	for _, name := range []string{"min-effect", "confidence", "changed"} {
		if in.IsSet(name) {
			return usagef("--%s is for benchmarks: these are reports", name)
		}
	}
	d := compare.Reports(b, a)
	d.Tool = tool()
	if err := in.show(format, d, func(w io.Writer, s render.Style) error { return render.Deltas(w, d, s) }); err != nil {
		return err
	}
	if d.Refused != nil {
		return silently(exitFailed)
	}
	return nil
}

// newestReport is the last report of a side, which is told if there are more.
func (in *invocation) newestReport(s *compareSide) (*report.Report, error) {
	last := slices.MaxFunc(s.records, func(a, b *sideRecord) int { return cmp.Compare(a.Time.UnixNano(), b.Time.UnixNano()) })
	if n := len(s.records); n > 1 {
		in.env.say("%s has %d reports: the newest is compared, %s", s.word, n, last.name())
	}
	r := new(report.Report)
	return r, last.decode(r)
}
