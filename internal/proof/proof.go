package proof

// Verdict is the verdict of a tier, or of all.
type Verdict string

// The verdicts. Skipped is a tier that was not asked for.
const (
	Pass         Verdict = "PASS"
	Fail         Verdict = "FAIL"
	Inconclusive Verdict = "INCONCLUSIVE"
	Skipped      Verdict = "SKIPPED"
)

// Tier is one way to verify.
type Tier struct {
	Verdict Verdict `json:"verdict"`
	// Text is one sentence with the numbers.
	Text string `json:"text"`
}
