package aging

import (
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
)

// Schema is the name and version of the JSON object of a Record. Keys are only
// ever added.
const Schema = "qd1.age/1"

// Record is the outcome of a job, or how far it came. What is not known is
// null or empty.
type Record struct {
	Schema string      `json:"schema"`
	Tool   report.Tool `json:"tool"`
	// Time is when the record was made.
	Time time.Time `json:"time"`
	// Job is the identifier of the job in the journal.
	Job       string        `json:"job"`
	Label     *string       `json:"label"`
	Simulated bool          `json:"simulated"`
	Plan      *Plan         `json:"plan"`
	State     journal.State `json:"state"`
	// Complete says that all of the plan was done; Summary says in a sentence
	// what came out.
	Complete bool   `json:"complete"`
	Summary  string `json:"summary"`

	Started time.Time  `json:"started"`
	Ended   *time.Time `json:"ended"`
	// Phases are those that were begun, in order.
	Phases []Phase `json:"phases"`
	// TreatedSeconds is how long the treatment lasted.
	TreatedSeconds float64 `json:"treated_seconds"`
	Probes         []Probe `json:"probes"`
	// Series is the treatment slice by slice; of a long one, neighbours are
	// joined. Its seconds are those of the treatment.
	Series []conditions.Point[Slice] `json:"series"`
	// Sittings are the processes that worked on the job, Interruptions the time
	// between them.
	Sittings      []Sitting      `json:"sittings"`
	Interruptions []Interruption `json:"interruptions"`
	// Stops are pauses, and what ended the treatment or the job early.
	Stops []Stop `json:"stops"`
	Wear  Wear   `json:"wear"`
	// Changes is what became different in the drive from the first look to the
	// last. Nil: not known.
	Changes *conditions.Changes `json:"drive_changes"`
	// Before and After are the sets, one result for each sitting: the input of
	// the comparison.
	Before []*report.BenchReport `json:"before"`
	After  []*report.BenchReport `json:"after"`
	// Comparison is nil unless both sets are there.
	Comparison *compare.Comparison `json:"comparison"`
	// Lost says what was measured and is not there any more.
	Lost []string `json:"lost"`

	// Record is the identifier that the record has among the results that are
	// kept, BeforeRecords and AfterRecords those of the sets; empty for what is
	// not kept. They are for the caller.
	Record        string   `json:"record,omitempty"`
	BeforeRecords []string `json:"before_records,omitempty"`
	AfterRecords  []string `json:"after_records,omitempty"`
}

// Phase is a part of the job with when it was.
type Phase struct {
	// Phase is the state of the journal in it.
	Phase   journal.State `json:"phase"`
	Started time.Time     `json:"started"`
	// Ended is nil for one under way.
	Ended *time.Time `json:"ended"`
	// Done and Planned count the runs of a set, or the probes of the treatment.
	Done    int `json:"done"`
	Planned int `json:"planned"`
}

// Probe is a run at queue depth 1 in the middle of the treatment.
type Probe struct {
	Probe int       `json:"probe"`
	Time  time.Time `json:"time"`
	// TreatedSeconds of the treatment had passed.
	TreatedSeconds float64       `json:"treated_seconds"`
	Operations     int64         `json:"operations"`
	IOPS           float64       `json:"iops"`
	MBPerS         float64       `json:"mb_per_s"`
	Latency        bench.Latency `json:"latency_us"`
	BlankPercent   *float64      `json:"blank_percent"`
	Errors         int64         `json:"errors"`
	// Celsius is the composite temperature after the run, Throttles how often
	// the drive entered thermal management since the job began.
	Celsius   *int   `json:"composite_temperature_celsius"`
	Throttles uint64 `json:"throttle_transitions"`
	// MediaErrors are those since the job began, nil if not known.
	MediaErrors *uint64 `json:"media_errors"`
	// WrittenBytes the job wrote until then, DriveWrittenBytes all that the
	// drive counted since the job began, in data units; nil if not known.
	WrittenBytes      int64   `json:"written_bytes"`
	DriveWrittenBytes *uint64 `json:"drive_written_bytes"`
	Sitting           int     `json:"sitting"`
}

// Slice is a stretch of the treatment. Joined ones add up, but for the
// temperature and the throttling, of which the highest is taken.
type Slice struct {
	Seconds      float64 `json:"seconds"`
	ReadBytes    int64   `json:"read_bytes"`
	WrittenBytes int64   `json:"written_bytes"`
	Celsius      *int    `json:"composite_temperature_celsius"`
	Throttles    uint64  `json:"throttle_transitions"`
}

// Sitting is one process that worked on the job.
type Sitting struct {
	Sitting int         `json:"sitting"`
	Started time.Time   `json:"started"`
	Boot    string      `json:"boot_id"`
	Tool    report.Tool `json:"tool"`
	Target  Target      `json:"target"`
	// Conditions hold the state of the drive at its start.
	Conditions conditions.Conditions `json:"conditions"`
}

// Interruption is a time in which nothing was done, and that does not count.
type Interruption struct {
	// From is the last that is known of before, To when the job went on.
	From    time.Time     `json:"from"`
	To      time.Time     `json:"to"`
	Seconds float64       `json:"seconds"`
	State   journal.State `json:"state"`
	// Restarted tells whether the computer was started again, PowerLost whether
	// the drive was without power, by its counter. Nil: not known.
	Restarted   *bool   `json:"restarted"`
	PowerLost   *bool   `json:"drive_power_lost"`
	PowerCycles *uint64 `json:"power_cycles"`
	// Torn says that the journal ended in an entry that was cut.
	Torn bool `json:"journal_torn,omitempty"`
	// UnconfirmedBytes may have been written by what was broken off. They count
	// as written.
	UnconfirmedBytes int64 `json:"unconfirmed_bytes,omitempty"`
	// Differences are those of the conditions before and after, such as the
	// kernel, the boot and the firmware.
	Differences []conditions.Difference `json:"differences"`
	Text        string                  `json:"text"`
}

// Reason is why a job pauses or stops.
type Reason string

// The reasons.
const (
	Heat            Reason = "temperature"
	MediaErrors     Reason = "media-errors"
	CriticalWarning Reason = "critical-warning"
	WearBudget      Reason = "wear-budget"
	Abandoned       Reason = "abandoned"
)

// Ends says what a stop ends.
type Ends string

// EndsNothing is a pause, EndsTreatment goes on with the second set, and
// EndsJob is the end.
const (
	EndsNothing   Ends = ""
	EndsTreatment Ends = "treatment"
	EndsJob       Ends = "job"
)

// Stop is a pause or an early end.
type Stop struct {
	Reason Reason        `json:"reason"`
	State  journal.State `json:"state"`
	Time   time.Time     `json:"time"`
	Ends   Ends          `json:"ends"`
	// Seconds of a pause. Open says that it is not over.
	Seconds float64 `json:"seconds"`
	Open    bool    `json:"open,omitempty"`
	Celsius *int    `json:"composite_temperature_celsius"`
	Text    string  `json:"text"`
}

// Wear is what the job took out of the drive.
type Wear struct {
	// WrittenBytes by the job, or what it may have written where that is not
	// known; Percent of RatedBytes. Nil: not known.
	WrittenBytes int64    `json:"written_bytes"`
	RatedBytes   *int64   `json:"rated_bytes"`
	Percent      *float64 `json:"wear_percent"`
	BudgetBytes  *int64   `json:"wear_budget_bytes"`
	// DriveWrittenBytes is what the drive counted, from whomever.
	DriveWrittenBytes *uint64 `json:"drive_written_bytes"`
}
