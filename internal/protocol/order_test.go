package protocol

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
)

// TestRoundOfTwo is the order that people call ABBA, and its turn.
func TestRoundOfTwo(t *testing.T) {
	var got [][]int
	for k := range 4 {
		got = append(got, Round(k, 2))
	}
	if diff := cmp.Diff([][]int{{0, 1}, {1, 0}, {1, 0}, {0, 1}}, got); diff != "" {
		t.Errorf("rounds (-want +got):\n%s", diff)
	}
}

// TestRoundIsBalanced: each two rounds cancel what grows evenly, and after twice
// as many rounds as rows each row stood at each place twice.
func TestRoundIsBalanced(t *testing.T) {
	for rows := 1; rows <= 7; rows++ {
		at := make([][]int, rows)
		for k := range 2 * rows {
			order := Round(k, rows)
			if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, first(rows)) {
				t.Fatalf("%d rows: round %d is %v", rows, k, order)
			}
			for place, row := range order {
				at[row] = append(at[row], place)
			}
		}
		for row, places := range at {
			for k := 0; k < len(places); k += 2 {
				if places[k]+places[k+1] != rows-1 {
					t.Errorf("%d rows: row %d is at %v", rows, row, places)
				}
			}
			slices.Sort(places)
			for i, place := range places {
				if place != i/2 {
					t.Errorf("%d rows: row %d is at %v", rows, row, places)
					break
				}
			}
		}
	}
}

func first(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i)
	}
	return list
}

// plan is one of rows with so many runs each, with a run before that does not
// count if there is a time for one.
func plan(t *testing.T, prepare time.Duration, runs ...int) *profile.Plan {
	t.Helper()
	p := &profile.Profile{Runs: 1, Interval: 5 * time.Second, Prepare: prepare}
	for i, n := range runs {
		p.Rows = append(p.Rows, profile.Row{Name: fmt.Sprint(i), Runs: n, Pick: profile.PickMedian, Job: bench.QD1Read(1)})
	}
	plan, err := p.Plan(bench.Target{Bytes: 1 << 30, BlockBytes: 512}, profile.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestInterleave(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare time.Duration
		runs    []int
		want    string
	}{
		{"two rows", 0, []int{4, 4}, "0.1 1.1 1.2 0.2 1.3 0.3 0.4 1.4"},
		{"three rows", 0, []int{2, 2, 2}, "0.1 1.1 2.1 2.2 1.2 0.2"},
		{"fewer runs", 0, []int{3, 1}, "0.1 1.1 0.2 0.3"},
		{"a run that does not count", time.Second, []int{2, 2}, "0.0 0.1 1.0 1.1 1.2 0.2"},
		{"one row", 0, []int{3}, "0.1 0.2 0.3"},
	} {
		p := plan(t, tt.prepare, tt.runs...)
		steps := slices.Clone(p.Steps)
		Interleave(p)
		got, row := "", -1
		for i, turn := range Turns(p) {
			got += fmt.Sprintf(" %d.%d", turn.Row, turn.Run)
			want := 5 * time.Second
			if row == turn.Row || i == 0 {
				want = 0
			}
			if p.Steps[i].Pause != want {
				t.Errorf("%s: step %d has a pause of %v, want %v", tt.name, i, p.Steps[i].Pause, want)
			}
			row = turn.Row
		}
		if got != " "+tt.want {
			t.Errorf("%s: got%s, want %s", tt.name, got, tt.want)
		}
		if len(p.Steps) != len(steps) {
			t.Errorf("%s: %d steps of %d", tt.name, len(p.Steps), len(steps))
		}
		for _, s := range steps {
			if !slices.ContainsFunc(p.Steps, func(x profile.Step) bool { return x.Job.Seed == s.Job.Seed && x.Row == s.Row && x.Run == s.Run }) {
				t.Errorf("%s: run %d of row %d is lost", tt.name, s.Run, s.Row)
			}
		}
	}
}

// TestInterleaveOnlyPrepares: a row of runs that do not count is not waited for.
func TestInterleaveOnlyPrepares(t *testing.T) {
	p := plan(t, time.Second, 1, 1)
	p.Steps = p.Steps[:1]
	Interleave(p)
	if len(p.Steps) != 1 || !p.Steps[0].Discard() {
		t.Errorf("steps are %+v", p.Steps)
	}
}
