package erase

import "qd1.example/qd1/internal/proof"

// BatchSchema is the name and version of the JSON object of a Batch. Keys are
// only ever added.
const BatchSchema = "qd1.erase-batch/1"

// Batch is what came of the erases of a list of drives.
type Batch struct {
	Schema string     `json:"schema"`
	Tool   Tool       `json:"tool"`
	Drives []BatchRow `json:"drives"`
}

// BatchRow is what came of one of them.
type BatchRow struct {
	Serial  string        `json:"serial"`
	Model   string        `json:"model"`
	Result  Class         `json:"result"`
	Verdict proof.Verdict `json:"verdict"`
	// Job is its identifier in the journal, Certificate the file that it was
	// written to; "" for none.
	Job         string `json:"job"`
	Certificate string `json:"certificate"`
	// Text is why it is not done, "" if it is. ExitStatus is what an erase of
	// this drive alone would have ended with.
	Text       string `json:"text"`
	ExitStatus int    `json:"exit_status"`
}
