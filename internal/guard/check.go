package guard

import (
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/nvme"
)

// Result is the result of a check.
type Result string

// The results. Consent means that the user has to agree to it by name.
const (
	Pass    Result = "pass"
	Refuse  Result = "refuse"
	Consent Result = "consent"
)

// Check is one thing that was looked at.
type Check struct {
	// Check is its name, a word or two in lower case that never changes.
	// Several checks can have one name, such as one for each use.
	Check  string `json:"check"`
	Result Result `json:"result"`
	// Warning says that a passed check still is worth reading.
	Warning bool `json:"warning,omitempty"`
	// Text says what was found, Hint the next step, "" for none.
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
	// Kinds are the kinds of signature that Consent is needed for.
	Kinds []signature.Kind `json:"kinds,omitempty"`
}

// The names of the checks.
const (
	checkSimulated   = "simulated"
	checkIdentity    = "identity"
	checkOneDrive    = "one drive"
	checkController  = "controller"
	checkNodes       = "block devices"
	checkShared      = "other hosts"
	checkInUse       = "in use"
	checkUnchecked   = "unchecked"
	checkPollers     = "pollers"
	checkSignatures  = "signatures"
	checkHealth      = "health"
	checkTemperature = "temperature"
	checkSanitize    = "sanitize"
	checkSelfTest    = "self-test"
	checkFormat      = "format"
	checkFirmware    = "firmware"
	checkProtection  = "write protection"
	checkLocking     = "locking"

	checkSerial  = "serial"
	checkModel   = "model"
	checkSize    = "size"
	checkConsent = "consent"

	checkChanged = "changed"
	checkCommand = "command"
)

func pass(check, format string, args ...any) Check {
	return Check{Check: check, Result: Pass, Text: fmt.Sprintf(format, args...)}
}

func warn(check, format string, args ...any) Check {
	c := pass(check, format, args...)
	c.Warning = true
	return c
}

func refuse(check, hint, format string, args ...any) Check {
	return Check{Check: check, Result: Refuse, Hint: hint, Text: fmt.Sprintf(format, args...)}
}

// hinted adds the next step to a check.
func (c Check) hinted(hint string) Check {
	c.Hint = hint
	return c
}

// Refusal is the error of an operation that must not be: nothing was sent.
type Refusal struct {
	// Checks are those that refuse, or whose consent is missing.
	Checks []Check
}

// Error returns the texts of the checks.
func (r *Refusal) Error() string {
	var texts []string
	for _, c := range r.Checks {
		texts = append(texts, c.Text)
	}
	return "refused: " + strings.Join(texts, "; ")
}

// refusal returns a *Refusal of the checks that did not pass, or nil.
func refusal(checks ...Check) error {
	failed := slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return c.Result == Pass })
	if len(failed) == 0 {
		return nil
	}
	return &Refusal{Checks: failed}
}

func number(n nvme.NSID) string { return fmt.Sprint(uint32(n)) }

// unique returns the strings without "" and repetitions, in order.
func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// and joins words for people: "a, b and c".
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
