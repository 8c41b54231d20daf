package bench

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestCase65HotRemovalMidRun lets a drive vanish in the middle of a run, and before
// its first answer: the run ends at once, and what was measured is there and says
// that it is not all.
func TestCase65HotRemovalMidRun(t *testing.T) {
	b, err := os.ReadFile("testdata/cases/65-hot-removal-mid-run/script.json")
	if err != nil {
		t.Fatal(err)
	}
	var script struct {
		Pread []struct {
			N     int
			Errno string
		}
	}
	if err := json.Unmarshal(b, &script); err != nil {
		t.Fatal(err)
	}
	errnos := map[string]unix.Errno{"EIO": unix.EIO, "ENODEV": unix.ENODEV}
	var answers []unix.Errno
	for _, s := range script.Pread {
		for range s.N {
			answers = append(answers, errnos[s.Errno])
		}
	}
	for _, first := range []int{0, 1000, 1001} {
		asked := first
		vanishing := drive(func(p []byte, _ int64) (int, error) {
			i := min(asked, len(answers)-1) // The last answer repeats.
			asked++
			if answers[i] != 0 {
				return 0, answers[i]
			}
			return len(p), nil
		})
		r, err := Run(t.Context(), NewReaderAt("sim", vanishing), smallTarget, plain(time.Minute), nil)
		if !errors.Is(err, ErrGone) || asked > len(answers)+1 {
			t.Fatalf("from %d: %v after %d reads, want a drive that is gone after %d", first, err, asked, len(answers))
		}
		if want := int64(1000 - min(first, 1000)); r.Operations != want || !r.Partial || r.Ended != err.Error() {
			t.Errorf("from %d: %d operations, partial %t, ended %q, want %d", first, r.Operations, r.Partial, r.Ended, want)
		}
		out, err := json.Marshal(r)
		if err != nil || math.IsNaN(r.IOPS) || math.IsInf(r.IOPS, 0) || strings.Contains(string(out), "NaN") {
			t.Errorf("from %d: %v, %s", first, err, out)
		}
		if r.Operations == 0 && (r.Latency.P50 != nil || r.Latency.Min != nil) {
			t.Errorf("from %d: a latency of nothing: %+v", first, r.Latency)
		}
	}
}
