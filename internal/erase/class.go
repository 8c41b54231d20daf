package erase

// Class is the outcome of a job in one word. The command line maps it to an
// exit status.
type Class string

// The classes.
const (
	// Planned is a plan that nothing speaks against.
	Planned Class = "planned"
	// Done means that the drive reported success and that what was verified
	// passed.
	Done Class = "done"
	// Failed means that the drive, the host or the transport failed.
	Failed Class = "failed"
	// Refused means that a check refused and nothing was sent.
	Refused Class = "refused"
	// NotErased means that the verification found what should be gone.
	NotErased Class = "not-erased"
	// Unproven means that the verification came to no verdict.
	Unproven Class = "unproven"
	// Cancelled means that the job ended early and no command was sent.
	Cancelled Class = "cancelled"
	// Interrupted means that the job ended early, and the drive may still be
	// working: a command was sent and its end was not seen.
	Interrupted Class = "interrupted"
)

// Class returns the outcome in one word.
func (r *Record) Class() Class { return r.Result }
