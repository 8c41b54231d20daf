package chart

import (
	"html/template"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ticksOf(texts ...string) []tick {
	var list []tick
	for i, s := range texts {
		list = append(list, tick{float64(i), s})
	}
	return list
}

// TestPlotRoom holds that there is room for the longest number on each side.
func TestPlotRoom(t *testing.T) {
	tests := []struct {
		left, right []tick
		from, to    float64
	}{
		{nil, nil, 10 + charWidth, width - rightRoom},
		{ticksOf("5", "1000000"), nil, 10 + 7*charWidth, width - rightRoom},
		{ticksOf("5"), ticksOf("40", "100"), 10 + charWidth, width - 10 - 3*charWidth},
		{ticksOf("µµ"), nil, 10 + 2*charWidth, width - rightRoom},
	}
	for _, tt := range tests {
		p := newPlot(250, tt.left, tt.right)
		if p.x.from != tt.from || p.x.to != tt.to || p.y.from != 250-bottomRoom || p.y.to != topRoom {
			t.Errorf("%v, %v: from %v to %v, below %v, above %v", tt.left, tt.right, p.x.from, p.x.to, p.y.from, p.y.to)
		}
	}
}

// TestBottomAxisLeavesOut holds that of numbers without room each has a mark and
// some are written.
func TestBottomAxisLeavesOut(t *testing.T) {
	p := newPlot(250, nil, nil)
	p.x.low, p.x.high = 0, 100
	var ticks []tick
	for i := range 101 {
		ticks = append(ticks, tick{float64(i), "1000"})
	}
	p.bottomAxis(ticks, "s")
	marks, numbers := strings.Count(p.String(), `class="axis"`), strings.Count(p.String(), `class="tick"`)
	if marks != 102 || numbers < 5 || numbers > 11 {
		t.Errorf("%d marks with that of the axis, %d numbers", marks, numbers)
	}
}

// marksOf returns the labels of the drawing in a figure, with anchor and height.
func marksOf(t *testing.T, figure template.HTML) []shape {
	t.Helper()
	list, _ := shapes(t, figure)
	return ofClass(list, "label")
}

// TestMarkStandsWhereRoomIs holds that the text of a mark stands on the side with
// more room, and that texts of several do not share a line.
func TestMarkStandsWhereRoomIs(t *testing.T) {
	line := Line{Points: []Point{{0, 10}, {100, 20}}}
	got := marksOf(t, Series{Lines: []Line{line}, Marks: []Mark{{10, "left"}, {90, "right"}}}.HTML())
	if len(got) != 2 || got[0].attr["text-anchor"] != "start" || got[1].attr["text-anchor"] != "end" {
		t.Fatalf("labels %v", got)
	}
	if d := number(t, got[1].attr["y"]) - number(t, got[0].attr["y"]); d != rowHeight {
		t.Errorf("the second stands %v lower, want %v", d, rowHeight)
	}
}

// TestLimit holds that what is pointed out on the axis of the lines has a line
// across at its height, and that the axis reaches it.
func TestLimit(t *testing.T) {
	c := Series{Unit: "TB", Lines: []Line{{"", []Point{{0, 1}, {9, 2}}}}, Limit: &Mark{10, "rated 10 TB"}}
	list, _ := shapes(t, c.HTML())
	across := corners(t, ofClass(list, "mark")[0])
	line := corners(t, ofClass(list, "line s0")[0])
	if across[0].Y != across[1].Y || across[0].Y >= line[1].Y || across[1].X <= across[0].X {
		t.Errorf("the limit is drawn from %v to %v, the line ends at %v", across[0], across[1], line[1])
	}
	c.Limit = &Mark{math.NaN(), "none"}
	if text := string(c.HTML()); strings.Contains(text, `class="mark"`) || strings.Contains(text, "none") {
		t.Errorf("a limit that is no number is drawn: %s", text)
	}
}

func TestTimeAxis(t *testing.T) {
	tests := []struct {
		seconds float64
		unit    string
		last    string
	}{{60, "s", "60"}, {600, "min", "10"}, {4 * 3600, "h", "4"}, {0, "s", "1"}}
	for _, tt := range tests {
		list, _ := shapes(t, Series{Unit: "MB/s", Lines: []Line{{"", []Point{{0, 1}, {tt.seconds, 2}}}}}.HTML())
		units, ticks := ofClass(list, "unit"), ofClass(list, "tick")
		if got := units[len(units)-1].text; got != tt.unit {
			t.Errorf("%v s are told in %q, want %q", tt.seconds, got, tt.unit)
		}
		if got := ticks[len(ticks)-1].text; got != tt.last {
			t.Errorf("%v s: the axis ends in %q, want %q", tt.seconds, got, tt.last)
		}
	}
}

func TestNiceStep(t *testing.T) {
	for _, tt := range []struct{ v, want float64 }{{1, 1}, {1.1, 2}, {2, 2}, {2.1, 5}, {5.0001, 10}, {0.03, 0.05}, {7e8, 1e9}, {1e-7, 1e-7}} {
		if got := niceStep(tt.v); math.Abs(got-tt.want) > 1e-9*tt.want {
			t.Errorf("niceStep(%v) = %v, want %v", tt.v, got, tt.want)
		}
	}
}

func TestSpread(t *testing.T) {
	tests := []struct{ low, high, wantLow, wantHigh, wantStep float64 }{
		{3, 47, 0, 50, 10}, {0, 0, 0, 1, 0.2}, {1e-9, 1e-9, -1e-6, 1.5e-6, 5e-7}, {100, 100, 94, 106, 2}, {-5, 5, -6, 6, 2}, {0, 1, 0, 1, 0.2},
	}
	for _, tt := range tests {
		low, high, step := spread(tt.low, tt.high, 6)
		got := []float64{low, high, step}
		if diff := cmp.Diff([]float64{tt.wantLow, tt.wantHigh, tt.wantStep}, got, near()); diff != "" {
			t.Errorf("spread(%v, %v): -want +got\n%s", tt.low, tt.high, diff)
		}
	}
}

func TestNumberTicks(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   []string
	}{
		{[]float64{0, 0.5, 1}, []string{"0", "0.5", "1"}}, {[]float64{12.2, 12.25, 12.3}, []string{"12.2", "12.25", "12.3"}}, {[]float64{1000, 2000}, []string{"1" + nbsp + "000", "2" + nbsp + "000"}},
		{[]float64{-0.5, 0}, []string{"−0.5", "0"}}, {[]float64{7}, []string{"7"}}, {[]float64{2e6, 2e6 + 0.5}, []string{"2" + nbsp + "000" + nbsp + "000", "2" + nbsp + "000" + nbsp + "001"}},
	} {
		var got []string
		for _, x := range numberTicks(tt.values) {
			got = append(got, x.text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v: -want +got\n%s", tt.values, diff)
		}
	}
}

// TestHeatScale holds that a temperature that hardly moves does not look like a
// fever.
func TestHeatScale(t *testing.T) {
	for _, tt := range []struct {
		heat      []Point
		low, high float64
	}{{[]Point{{0, 40}, {1, 41}}, 38, 44}, {[]Point{{0, 30}, {1, 80}}, 30, 80}, {[]Point{{0, math.NaN()}, {0, 25}}, 23, 28}} {
		s, ticks := heatScale(tt.heat)
		if s.low > tt.low || s.high < tt.high || s.high-s.low < 5 || len(ticks) < 3 {
			t.Errorf("%v: from %v to %v, %d ticks", tt.heat, s.low, s.high, len(ticks))
		}
	}
	if _, ticks := heatScale([]Point{{0, math.Inf(1)}}); ticks != nil {
		t.Errorf("without a temperature there are the ticks %v", ticks)
	}
}

func TestLimits(t *testing.T) {
	low, high, ok := limits(3, math.NaN(), -2, math.Inf(1), 7)
	if low != -2 || high != 7 || !ok {
		t.Errorf("limits = %v, %v, %v", low, high, ok)
	}
	if _, _, ok := limits(math.NaN()); ok {
		t.Error("no number has limits")
	}
}
