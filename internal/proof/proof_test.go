package proof

import "testing"

func TestDecide(t *testing.T) {
	for _, tt := range []struct {
		name                               string
		command, comparison, canary, whole Verdict
		want                               Verdict
	}{
		{"nothing", "", "", "", "", Inconclusive},
		{"command alone", Pass, Skipped, Skipped, Skipped, Inconclusive},
		{"command and comparison", Pass, Pass, Skipped, Skipped, Pass},
		{"command and canaries", Pass, Inconclusive, Pass, Skipped, Pass},
		{"command and full read", Pass, Inconclusive, Inconclusive, Pass, Pass},
		{"no command", Inconclusive, Pass, Pass, Pass, Inconclusive},
		{"command skipped", Skipped, Pass, Pass, Pass, Inconclusive},
		{"nothing conclusive", Pass, Inconclusive, Inconclusive, Inconclusive, Inconclusive},
		{"failed command", Fail, Pass, Pass, Pass, Fail},
		{"equal blocks", Pass, Fail, Pass, Pass, Fail},
		{"canaries survive", Pass, Pass, Fail, Pass, Fail},
		{"structured data", Pass, Pass, Pass, Fail, Fail},
		{"failure without command", Skipped, Skipped, Fail, Skipped, Fail},
		{"unknown word", "perhaps", Pass, Pass, Pass, Inconclusive},
	} {
		v := Verification{
			Command: Tier{Verdict: tt.command}, Comparison: Tier{Verdict: tt.comparison},
			Canaries: Tier{Verdict: tt.canary}, FullRead: Tier{Verdict: tt.whole},
		}
		if got := v.Decide(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
