package certificate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/proof"
)

// Schema is the name and version of the JSON object. Keys are only ever added.
const Schema = "qd1.certificate/1"

// Certificate is what is signed.
type Certificate struct {
	Schema string `json:"schema"`
	// Result is the first word of every rendering: PASS, FAIL or INCONCLUSIVE.
	Result proof.Verdict `json:"result"`
	// Statement is a sentence that says what was shown, and nothing more.
	Statement string    `json:"statement"`
	ID        string    `json:"id"`
	Issued    time.Time `json:"issued"`
	Media     Media     `json:"media"`
	People    People    `json:"people"`
	Tool      Tool      `json:"tool"`
	Host      Host      `json:"host"`
	// Record is the erase: identity, radius, method, commands, answers,
	// counters before and after, interruptions and verification.
	Record *erase.Record `json:"record"`
	// JournalSHA256 is the digest of the journal of the job, in hexadecimal; ""
	// if there was none.
	JournalSHA256 string `json:"journal_sha256"`
	// Limits say what was not or cannot be shown. They are never left out.
	Limits []string `json:"limits"`
	// Standards says which vocabulary is used, and what is not claimed.
	Standards []string `json:"standards"`
}

// Media describes what was erased, beside the identity in the record.
type Media struct {
	Manufacturer string `json:"manufacturer"`
	// MarketingName and Type are of the drive database, "" if the model is not
	// in it.
	MarketingName string `json:"marketing_name"`
	Type          string `json:"type"`
	Transport     string `json:"transport"`
	// PropertyNumber and Source are the user's: its number in an inventory, and
	// where it came from.
	PropertyNumber string `json:"property_number"`
	Source         string `json:"source"`
	// Categorization is the user's word for the confidentiality of the data,
	// Backup where they are kept, if anywhere.
	Categorization string `json:"categorization"`
	Backup         string `json:"backup"`
}

// People are given by the user. What the tool shows is a verification; whether
// that is enough is a decision of people.
type People struct {
	Operator  Person `json:"operator"`
	Validator Person `json:"validator"`
	// Place is where it was done.
	Place string `json:"place"`
}

// Person is one of them; every field may be "".
type Person struct {
	Name     string `json:"name"`
	Position string `json:"position"`
	Contact  string `json:"contact"`
}

// Tool is the program that did it.
type Tool struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
	// BinarySHA256 is the digest of the program's file, in hexadecimal.
	BinarySHA256 string `json:"binary_sha256"`
}

// Host is the computer that did it.
type Host struct {
	Name      string `json:"name"`
	MachineID string `json:"machine_id"`
	Kernel    string `json:"kernel"`
	Arch      string `json:"arch"`
}

// Subject is what a certificate says beside the record.
type Subject struct {
	Media   Media
	People  People
	Tool    Tool
	Host    Host
	Journal []byte
}

// New makes the certificate of a finished erase. A record of something else
// than an erase, or of one that was never sent, is an error: there is nothing
// to certify.
func New(r *erase.Record, s Subject, now time.Time) (*Certificate, error) {
	switch {
	case !r.Technique.Erases():
		return nil, fmt.Errorf("a %s is not an erase: there is nothing to certify", r.Technique)
	case len(r.Outcomes) == 0:
		return nil, fmt.Errorf("no command was sent: there is nothing to certify")
	}
	result := resultOf(r)
	c := &Certificate{
		Schema: Schema, Result: result, Statement: statement(result, r), Issued: now.UTC(),
		Media: s.Media, People: s.People, Tool: s.Tool, Host: s.Host, Record: r,
		Limits: limits(r), Standards: standards(),
	}
	if len(s.Journal) > 0 {
		c.JournalSHA256 = digest(s.Journal)
	}
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	c.ID = digest(body)[:16]
	return c, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// resultOf is the verdict of the record; without one, or with an error, nothing
// was shown.
func resultOf(r *erase.Record) proof.Verdict {
	switch {
	case r.Verdict == proof.Fail || r.Class() == erase.Failed || r.Class() == erase.NotErased:
		return proof.Fail
	case r.Verdict == proof.Pass && r.Class() == erase.Done:
		return proof.Pass
	}
	return proof.Inconclusive
}

// statement says what was shown.
func statement(v proof.Verdict, r *erase.Record) string {
	drive := fmt.Sprintf("%s, serial %s", r.Identity.Model, r.Identity.Serial)
	if r.Simulated {
		drive = "SIMULATED drive " + drive
	}
	switch v {
	case proof.Pass:
		return fmt.Sprintf("%s: the drive reported that the erase succeeded, and the verification found nothing of the data that were there before", drive)
	case proof.Fail:
		return fmt.Sprintf("%s: NOT ERASED. The erase failed, or data that should be gone were found", drive)
	}
	return fmt.Sprintf("%s: NOT PROVEN. The verification did not come to a verdict; treat the drive as not erased", drive)
}
