package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/smart"
	"qd1.example/qd1/smart/drivedb"
)

func rules(r *Report) string {
	var ids []string
	for _, f := range r.Verdict.Findings {
		ids = append(ids, f.Rule)
	}
	return " " + strings.Join(ids, " ") + " "
}

func TestLinkFacts(t *testing.T) {
	port := func(gts float64, width int) sysfs.Port { return sysfs.Port{MaxSpeedGTs: &gts, MaxWidth: &width} }
	for _, test := range []struct {
		name string
		link Link
		want smart.Link
	}{
		{"nothing shown", Link{}, smart.Link{}},
		{"no port", Link{SpeedGTs: new(8.0), Width: new(4), MaxSpeedGTs: new(16.0), MaxWidth: new(4)}, smart.Link{GTs: 8, Width: 4, DriveGTs: 16, DriveWidth: 4}},
		{"link errors", Link{AER: &sysfs.AER{Correctable: new(uint64(7)), NonFatal: new(uint64(1)), Fatal: new(uint64(2))}}, smart.Link{Correctable: 7, Uncorrectable: 3}},
		{"the port right above is the slot", Link{Path: []sysfs.Port{port(16, 16), port(8, 2)}}, smart.Link{SlotGTs: 8, SlotWidth: 2}},
	} {
		if diff := cmp.Diff(test.want, *linkFacts(&test.link)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestMedian(t *testing.T) {
	p50 := bench.Latency{P50: new(11.9)}
	for _, test := range []struct {
		name string
		r    *bench.Result
		want float64
	}{
		{"none", nil, 0},
		{"too few reads", &bench.Result{}, 0},
		{"good", &bench.Result{Latency: p50, BlankPercent: new(1.0)}, 11.9},
		{"without a count of blank reads", &bench.Result{Latency: p50}, 11.9},
		{"blank reads", &bench.Result{Latency: p50, BlankPercent: new(1.01)}, 0},
		{"failed reads", &bench.Result{Latency: p50, Errors: 1}, 0},
	} {
		if got := median(test.r); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// The latency is judged in the same report in which it was measured, and so is
// the link.
func TestVerdictKnowsLinkAndLatency(t *testing.T) {
	slow := fakeHost()
	slow.Link.Width, slow.Link.Path[0].MaxWidth, slow.Link.Path[0].MaxSpeedGTs = new(2), new(4), new(8.0)
	job := bench.QD1Read(1)
	r := fakeReport(t, optane(t), func(d *Drive, o *Options) {
		d.Host, d.Target, o.Bench = slow, &bench.Target{}, &job
		o.Runner = fakeRunner(&bench.Result{Operations: 100, Latency: bench.Latency{P50: new(90.0)}})
	})
	if got := rules(r); !strings.Contains(got, " link-width ") || !strings.Contains(got, " latency-not-xpoint ") {
		t.Errorf("rules:%s", got)
	}
}

func TestSoldAsNew(t *testing.T) {
	f := optane(t)
	f.pages["smart"] = slices.Clone(f.pages["smart"])
	f.pages["smart"][128] = 200 // Power On Hours.
	r := fakeReport(t, f, func(_ *Drive, o *Options) { o.As = smart.AsNew })
	if r.Verdict.Level != smart.Return || !strings.Contains(rules(r), " sold-as-new ") {
		t.Errorf("verdict %s:%s", r.Verdict.Level, rules(r))
	}
	if r.Plausibility.Condition != smart.ConditionUsed {
		t.Errorf("condition %q", r.Plausibility.Condition)
	}
	if r = fakeReport(t, f, nil); r.Verdict.Level != smart.Keep {
		t.Errorf("nobody said new: verdict %s", r.Verdict.Level)
	}
}

func TestPopulation(t *testing.T) {
	r := fakeReport(t, optane(t), nil)
	if p := r.Population; p == nil || p.Family != "Optane 905P" || len(p.Percentiles) != 5 || p.Percentiles[0].Metric != "power_on_hours" || p.Percentiles[0].Value != 1 {
		t.Errorf("population %+v", p)
	}
	if r.Plausibility.Condition != smart.ConditionNew || r.Plausibility.Belief != smart.Plausible {
		t.Errorf("plausibility %+v", r.Plausibility)
	}
	other := &drivedb.Entry{Family: "No such family"}
	if got := populationOf(&smart.Facts{Model: other}); got != nil {
		t.Errorf("a family that nobody saw: %+v", got)
	}
}

// The user's database comes before the built-in one.
func TestModels(t *testing.T) {
	db, err := drivedb.Load(strings.NewReader(`[{"vendor": "Mine", "family": "Mine", "marketing_name": "My Optane", "media": "3D XPoint",
		"pattern": "^INTEL SSDPE21D960GA$", "example": "INTEL SSDPE21D960GA", "capacity_bytes": 960197124096, "rated_bytes_written": 100000000000, "source": "a test"}]`))
	if err != nil {
		t.Fatal(err)
	}
	r := fakeReport(t, optane(t), func(_ *Drive, o *Options) { o.Models = drivedb.Builtin().Merge(db) })
	if *r.Drive.MarketingName != "My Optane" || *r.Endurance.RatedBytes != 100e9 || !strings.Contains(rules(r), " endurance-spent ") {
		t.Errorf("name %s, endurance %+v, rules:%s", *r.Drive.MarketingName, r.Endurance, rules(r))
	}
}

// The host's words name a drive that does not say what it is.
func TestUnidentifiedDriveHasTheHostsModel(t *testing.T) {
	f := optane(t)
	delete(f.pages, "ctrl")
	r := fakeReport(t, f, nil)
	if r.Verdict.Level != smart.Unknown || r.Endurance == nil || r.Endurance.RatedBytes == nil {
		t.Errorf("verdict %s, endurance %+v", r.Verdict.Level, r.Endurance)
	}
}
