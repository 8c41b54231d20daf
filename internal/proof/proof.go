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
	// Text is one sentence with the numbers, or one for each medium.
	Text string `json:"text"`
	// Comparisons, Checks and Reads are the details of the tier that compares,
	// looks for canaries or reads everything: one for each medium.
	Comparisons []Comparison  `json:"comparisons,omitempty"`
	Checks      []CanaryCheck `json:"checks,omitempty"`
	Reads       []FullRead    `json:"reads,omitempty"`
}

// Verification are the tiers, what they say together, and what they cannot say.
type Verification struct {
	// Command is the evidence of the command itself: status, resets, logs.
	Command Tier `json:"command"`
	// Comparison compares samples of before with the same places afterwards.
	Comparison Tier `json:"comparison"`
	// Canaries looks for blocks that were planted before the erase.
	Canaries Tier `json:"canaries"`
	// FullRead reads everything.
	FullRead Tier `json:"full_read"`
	// Limits are sentences on what the tiers cannot show, never empty after
	// [Verify].
	Limits []string `json:"limits"`
}

// Decide returns the verdict of all tiers: FAIL if one fails, PASS if the
// command and one other tier pass, INCONCLUSIVE otherwise.
func (v *Verification) Decide() Verdict {
	return Decide(v.Command.Verdict, v.Comparison.Verdict, v.Canaries.Verdict, v.FullRead.Verdict)
}

// Decide is the rule of [Verification.Decide] for the verdict of the command
// and those of the other tiers.
func Decide(command Verdict, others ...Verdict) Verdict {
	passed := 0
	for _, v := range others {
		switch v {
		case Fail:
			return Fail
		case Pass:
			passed++
		}
	}
	switch {
	case command == Fail:
		return Fail
	case command == Pass && passed > 0:
		return Pass
	}
	return Inconclusive
}

// Comparison is what the samples of one medium showed. The places are random,
// one in each of as many strata of equal size, and structured: the first and the
// last 2048 logical blocks and those that were named.
type Comparison struct {
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	// Medium is the name of the medium, as given.
	Medium string `json:"medium"`
	// Bytes is the size of the medium, BlockBytes that of a sample.
	Bytes      int64 `json:"bytes"`
	BlockBytes int   `json:"block_bytes"`
	// Seed and Samples, the number of random places, give the places again.
	Seed    uint64 `json:"seed"`
	Samples int64  `json:"samples"`
	// Whole: every block was compared, because that costs less than samples.
	// Samples is then the number of blocks, and the bounds are exact.
	Whole bool `json:"whole"`
	// Structured is the number of structured places.
	Structured int64 `json:"structured"`
	// Informative are the random places that were not constant before and were
	// read both times; only they count for the bounds. InformativeStructured
	// are the structured ones.
	Informative           int64 `json:"informative"`
	InformativeStructured int64 `json:"informative_structured"`
	// Filled are places that are as before because the erased medium reads like
	// that: the same pattern of low entropy came up at many places that changed.
	// They say nothing and are not counted as informative.
	Filled int64 `json:"filled"`
	// Power says how much the informative places can show.
	Power Power `json:"power"`
	// Equal is the number of informative places that hold what they held.
	Equal int64 `json:"equal"`
	// EqualOffsets are the first of them, bytes.
	EqualOffsets []int64 `json:"equal_offsets"`
	// Scrambled are informative places that changed and read as high entropy now:
	// the drive erases by changing a key, or gives out what it does not hold.
	Scrambled int64 `json:"scrambled"`
	// UnreadableBefore and UnreadableAfter are places that failed to read, or
	// were not read because too many had failed.
	UnreadableBefore int64 `json:"unreadable_before"`
	UnreadableAfter  int64 `json:"unreadable_after"`
	// UnreadableOffsets are the first that failed afterwards, bytes.
	UnreadableOffsets []int64 `json:"unreadable_offsets"`
	// Bound95 and Bound99 are upper bounds of the share of informative blocks
	// that remain, percent, at a confidence of 95 % and 99 %. Nil: some were
	// found, or there is nothing to base a bound on.
	Bound95 *float64 `json:"bound_95_percent"`
	Bound99 *float64 `json:"bound_99_percent"`
	// MiBFound is the probability that the samples find one intact region of
	// 1 MiB, percent.
	MiBFound float64 `json:"intact_1_mib_found_percent"`
	// Before and After count the places of each class.
	Before Classes `json:"classes_before"`
	After  Classes `json:"classes_after"`
}

// Power says how much a comparison can show.
type Power string

// The powers: fewer than 300 informative places show nothing of the rest of the
// medium, fewer than 3000 little.
const (
	PowerNone   Power = "none"
	PowerWeak   Power = "weak"
	PowerNormal Power = "normal"
	PowerWhole  Power = "whole" // every block was compared
)

// CanaryCheck is what became of the canaries of one medium.
type CanaryCheck struct {
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	Medium  string  `json:"medium"`
	// Seed, Planted and BlockBytes give places and data of the canaries again.
	Seed       uint64 `json:"seed"`
	Planted    int64  `json:"planted"`
	BlockBytes int    `json:"block_bytes"`
	// Scrambled are those among the gone that read as high entropy now.
	Scrambled int64 `json:"scrambled"`
	// Gone are those of which nothing is left, Survived those that are still
	// there whole or in part, Unreadable those that could not be read.
	Gone       int64 `json:"gone"`
	Survived   int64 `json:"survived"`
	Unreadable int64 `json:"unreadable"`
	// SurvivedOffsets are the first survivors, bytes.
	SurvivedOffsets []int64 `json:"survived_offsets"`
	// Bound95 is an upper bound of the share of the medium that the erase left
	// out, percent, at a confidence of 95 %. Nil: some survived or none count.
	Bound95 *float64 `json:"bound_95_percent"`
}

// FullRead is what all blocks of one medium read as.
type FullRead struct {
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	Medium  string  `json:"medium"`
	// Bytes is the size of the medium, BlockBytes the unit of the classes.
	Bytes      int64   `json:"bytes"`
	BlockBytes int     `json:"block_bytes"`
	Classes    Classes `json:"classes"`
	// Map has the classes of equal parts of the medium, in order.
	Map []Classes `json:"map"`
	// Unreadable are the first ranges that could not be read. Reading ends when
	// more than 1000 blocks have failed; the rest counts as unread.
	Unreadable []Range `json:"unreadable_ranges"`
	// NotConstant are some of the blocks that are not constant, bytes.
	NotConstant []int64 `json:"not_constant_offsets"`
}

// Range is a part of a medium, bytes.
type Range struct {
	Offset int64 `json:"offset"`
	Bytes  int64 `json:"bytes"`
}
