package conditions

import (
	"encoding/json"
	"testing"
)

func sum(a, b int) int { return a + b }

func TestSeries(t *testing.T) {
	s := NewSeries(4, sum)
	points := func(values ...float64) []Point[int] {
		var list []Point[int]
		for i := 0; i < len(values); i += 2 {
			list = append(list, Point[int]{values[i], int(values[i+1])})
		}
		return list
	}
	steps := []struct {
		want []Point[int]
		each int
	}{
		{points(0, 1), 1},
		{points(0, 1, 1, 1), 1},
		{points(0, 1, 1, 1, 2, 1), 1},
		{points(0, 1, 1, 1, 2, 1, 3, 1), 1},
		{points(0, 2, 2, 2, 4, 1), 2},
		{points(0, 2, 2, 2, 4, 2), 2},
		{points(0, 2, 2, 2, 4, 2, 6, 1), 2},
		{points(0, 2, 2, 2, 4, 2, 6, 2), 2},
		{points(0, 4, 4, 4, 8, 1), 4},
	}
	for i, step := range steps {
		s.Add(float64(i), 1)
		equal(t, "points", step.want, s.Points())
		if s.Each() != step.each {
			t.Errorf("after %d values each point has %d, want %d", i+1, s.Each(), step.each)
		}
	}
}

// TestSeriesLosesNothing adds many values to series of all kinds of sizes: all
// are in the points, in order, and all points but the last are full.
func TestSeriesLosesNothing(t *testing.T) {
	for capacity := range 18 {
		s := NewSeries(capacity, sum)
		for i := range 1000 {
			s.Add(float64(i), 1)
			points := s.Points()
			total := 0
			for j, p := range points {
				total += p.Value
				if j < len(points)-1 && p.Value != s.Each() || int(p.Seconds) != j*s.Each() {
					t.Fatalf("capacity %d, %d values: point %d is %+v, each %d", capacity, i+1, j, p, s.Each())
				}
			}
			if total != i+1 || len(points) > max(capacity, fewestPoints) {
				t.Fatalf("capacity %d, %d values: %d points with %d", capacity, i+1, len(points), total)
			}
		}
	}
}

func TestSeriesMemory(t *testing.T) {
	s := NewSeries(512, sum)
	i := 0.0
	if n := testing.AllocsPerRun(10000, func() { s.Add(i, 1); i++ }); n != 0 {
		t.Errorf("%v allocations for a value", n)
	}
	if cap(s.points) != 512 {
		t.Errorf("room for %d points, want 512", cap(s.points))
	}
}

func TestSeriesKeepsItsPoints(t *testing.T) {
	s := NewSeries(2, sum)
	s.Add(0, 1)
	points := s.Points()
	s.Add(1, 1)
	s.Add(2, 1)
	if points[0].Value != 1 {
		t.Errorf("points that were given away changed: %+v", points)
	}
	b, err := json.Marshal(s.Points())
	if want := `[{"seconds":0,"value":2},{"seconds":2,"value":1}]`; err != nil || string(b) != want {
		t.Errorf("JSON = %s, %v, want %s", b, err, want)
	}
}
