package protocol

import "qd1.example/qd1/bench/profile"

// The orders of runs.
const (
	// ByRow makes all runs of a row before those of the next.
	ByRow = "by row"
	// Interleaved makes a run of each row in each round.
	Interleaved = "interleaved"
)

// Turn is one run in the order in which runs are made.
type Turn struct {
	// Row is the index of the workload, Run the number of the run from 1; 0 is
	// one that does not count.
	Row int `json:"row"`
	Run int `json:"run"`
}

// Round returns the order of so many rows in a round, counted from 0: each two
// rounds are an order and its reverse, and the next two begin with the next row.
// Two rows are AB BA BA AB.
func Round(round, rows int) []int {
	order := make([]int, rows)
	for i := range order {
		at := i
		if round%2 == 1 {
			at = rows - 1 - i
		}
		order[at] = (round/2 + i) % rows
	}
	return order
}

// Interleave puts the steps of a plan into rounds. A run that does not count stays
// before the first of its row, and the pause between rows goes before each step
// that is of another row than the one before it. Rows with fewer runs drop out.
func Interleave(p *profile.Plan) {
	waiting := make([][]profile.Step, len(p.Rows))
	for _, s := range p.Steps {
		waiting[s.Row] = append(waiting[s.Row], s)
	}
	steps := make([]profile.Step, 0, len(p.Steps))
	for round := 0; len(steps) < len(p.Steps); round++ {
		for _, row := range Round(round, len(p.Rows)) {
			n := turn(waiting[row])
			steps = append(steps, waiting[row][:n]...)
			waiting[row] = waiting[row][n:]
		}
	}
	for i := range steps {
		steps[i].Pause = 0
		if i > 0 && steps[i].Row != steps[i-1].Row {
			steps[i].Pause = p.Profile.Interval
		}
	}
	p.Steps = steps
}

// turn is how many steps of a row go together: one, with those before it that do
// not count.
func turn(steps []profile.Step) int {
	for i := range steps {
		if !steps[i].Discard() {
			return i + 1
		}
	}
	return len(steps)
}

// Turns returns the order of the steps of a plan.
func Turns(p *profile.Plan) []Turn {
	turns := make([]Turn, len(p.Steps))
	for i, s := range p.Steps {
		turns[i] = Turn{Row: s.Row, Run: s.Run}
	}
	return turns
}
