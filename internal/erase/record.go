package erase

import (
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// Schema is the name and version of the JSON object of a Record. Keys are only
// ever added.
const Schema = "qd1.erase/1"

// Record is an erase as planned, under way or done: one type for plan, run,
// status and resume. What is not known yet is null, "" or empty.
type Record struct {
	Schema    string    `json:"schema"`
	Tool      Tool      `json:"tool"`
	Time      time.Time `json:"time"`
	Simulated bool      `json:"simulated"`

	Identity guard.Identity `json:"identity"`
	Radius   []guard.Member `json:"radius"`
	Checks   []guard.Check  `json:"checks"`
	// Survey says who uses the drive, and which programs send it commands on
	// their own. Nil if that was not looked at.
	Survey *inuse.Survey `json:"survey"`

	Technique Technique `json:"technique"`
	Reasons   []string  `json:"reasons"`
	Notes     []string  `json:"notes"`
	Claim     Claim     `json:"claim"`
	Category  string    `json:"category"`
	Commands  []Command `json:"commands"`
	// Targets are the namespaces that are to be erased; Radius has all that are
	// reached.
	Targets []nvme.NSID `json:"targets"`
	// TimeoutSource says where the time-out of the commands comes from.
	TimeoutSource string        `json:"timeout_source"`
	Estimate      EstimatedTime `json:"estimate"`
	// Phrase is what has to be typed, Fingerprint the digest of what was shown.
	Phrase      string `json:"phrase,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`

	// State is the last state of the journal, "" before there is one.
	State State `json:"state"`
	// Job is the identifier of the job in the journal, "" before there is one.
	Job string `json:"job"`
	// Consent is how the user agreed, nil for a plan.
	Consent *Consent `json:"consent"`
	// Started and Ended are when the first command was sent and when all was
	// over.
	Started *time.Time `json:"started"`
	Ended   *time.Time `json:"ended"`
	// Outcomes are the answers to the commands, in order.
	Outcomes []Outcome `json:"outcomes"`
	// Interruptions say when and where an earlier run ended before its time.
	Interruptions []Interruption `json:"interruptions"`
	// Resets is how often the controller was seen not to be live meanwhile.
	Resets int `json:"controller_resets_seen"`
	// Sanitize is the Sanitize Status log at the end of the operation, nil if it
	// was not read.
	Sanitize *nvme.SanitizeLog `json:"sanitize"`
	// Lost says that the answer to a command did not come because of an
	// interruption: what the drive did with it is not known.
	Lost bool `json:"answer_lost"`
	// Before and After are the drive and its health on both sides.
	Before *Snapshot `json:"before"`
	After  *Snapshot `json:"after"`
	Delta  *Delta    `json:"delta"`
	// Sampled says that samples of before were kept on the host.
	Sampled bool    `json:"sampled"`
	Events  []Event `json:"events"`

	Verification Verification `json:"verification"`
	// Verdict is that of the verification, SKIPPED before there is one.
	Verdict proof.Verdict `json:"verdict"`
	// Warnings are what went wrong beside the erase.
	Warnings []string `json:"warnings"`
	// Error is why the job could not go on, "" for no reason.
	Error string `json:"error"`
	// Advice is what a status means and what can be done, Next what to do now.
	Advice []Advice `json:"advice"`
	Next   string   `json:"next"`
	// Result is the outcome in one word: see [Record.Class].
	Result Class `json:"result"`
	// CertificateFile is where the certificate of this record was written to, ""
	// for none.
	CertificateFile string `json:"certificate_file"`
	// RecordID is the identifier under which this is kept beside other results of
	// the drive, "" if it is not.
	RecordID string `json:"record,omitempty"`
}

// Tool is the program that made a record.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Command is a command that is to be sent, in numbers.
type Command struct {
	// Name is in the specification's words, with what the fields say.
	Name  string    `json:"name"`
	Queue string    `json:"queue"`
	Op    uint8     `json:"opcode"`
	NSID  nvme.NSID `json:"nsid"`
	CDW10 uint32    `json:"cdw10"`
	CDW11 uint32    `json:"cdw11"`
	CDW12 uint32    `json:"cdw12"`
	CDW13 uint32    `json:"cdw13"`
	CDW14 uint32    `json:"cdw14"`
	CDW15 uint32    `json:"cdw15"`
	// TimeoutMS is the value that the kernel gets, milliseconds.
	TimeoutMS int64 `json:"timeout_ms"`
}

// EstimatedTime is an [Estimate] in seconds; null means not known.
type EstimatedTime struct {
	Low    *float64 `json:"low_seconds"`
	High   *float64 `json:"high_seconds"`
	Source string   `json:"source"`
}

// Consent is how the user agreed.
type Consent struct {
	// By is "phrase" or "flags".
	By string `json:"by"`
	// Destroy are the kinds of signature that were given up by name.
	Destroy []signature.Kind `json:"destroy"`
}

// Outcome is the answer to a command.
type Outcome struct {
	// Command is the index in Commands.
	Command int       `json:"command"`
	Sent    time.Time `json:"sent"`
	// Seconds is how long it took, on a clock that nobody sets.
	Seconds float64 `json:"seconds"`
	// Status is that of the drive, 0 for success; null if it did not answer.
	Status *uint16 `json:"status"`
	// Text says the status, or the error of the host, in words.
	Text string `json:"text"`
	// Host says that the host failed: the drive did not answer.
	Host bool `json:"host_error"`
}

// OK reports whether the drive answered with success.
func (o *Outcome) OK() bool { return o.Status != nil && nvme.Status(*o.Status).OK() }

// Interruption is the end of an earlier run.
type Interruption struct {
	// Time is the last that is known of that run, State its last state.
	Time  time.Time `json:"time"`
	State State     `json:"state"`
	Text  string    `json:"text"`
}

// Verification are the tiers, and what they cannot show.
type Verification = proof.Verification
