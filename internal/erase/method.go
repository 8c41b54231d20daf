package erase

import (
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// Facts are what the choice of a technique needs to know of a drive.
type Facts struct {
	// Controller is Identify Controller.
	Controller *nvme.IdentifyController
	// Namespaces are the active namespaces, in order of NSID.
	Namespaces []Namespace
	// Sanitize is the Sanitize Status log, nil if the drive has none.
	Sanitize *nvme.SanitizeLog
	// Model is what the drive database knows of the model, nil for nothing.
	Model *drivedb.Entry
	// NSID is the namespace that the drive was selected by, 0 for none.
	NSID nvme.NSID
}

// Namespace is an active namespace.
type Namespace struct {
	NSID     nvme.NSID
	Identify *nvme.IdentifyNamespace
}

// Request is what the user asked for. The zero value asks for the best
// technique that changes nothing but the data.
type Request struct {
	Technique Technique
	// NSID is the namespace to erase, 0 for the selected or only one.
	NSID nvme.NSID
	// AllNamespaces asks for all of them.
	AllNamespaces bool
	// LBAF is the index of the LBA format to change to, PI the type of
	// protection information, 0 to 3. Nil keeps what there is.
	LBAF *int
	PI   *int
	// Timeout is the time for each command, 0 for one that follows from the
	// capacity.
	Timeout time.Duration
	// Claim is the category that the user's policy names.
	Claim Claim
}

// Method is a technique as chosen for a drive.
type Method struct {
	Technique Technique
	// Reasons say why this technique, and why not the others.
	Reasons []string
	// Notes say what the technique is not, or what else it reaches.
	Notes []string
	// Commands are the commands to be sent, in order, without data. For
	// [Overwrite] they stand for the writes of one namespace each.
	Commands []nvme.Command
	// Targets are the namespaces that are to be erased. The guard finds out
	// which others are reached.
	Targets []nvme.NSID
	// Timeout is the time that each command gets, never 0; TimeoutSource says
	// where it comes from.
	Timeout       time.Duration
	TimeoutSource string
	// Estimate is how long it takes.
	Estimate Estimate
	// Claim is the category that the user's policy names, Category a sentence
	// about it.
	Claim    Claim
	Category string
	// Progress says that the drive reports how far it is.
	Progress bool
	// Bytes is the size of the targets together.
	Bytes int64
}

// Estimate is how long an erase takes. Both 0 means that nothing is known.
type Estimate struct {
	Low, High time.Duration
	// Source says where the figures come from.
	Source string
}

// Operation returns what the guard has to permit. An overwriting host sends no
// command of its own making: it writes through the block devices.
func (m *Method) Operation() guard.Operation {
	op := guard.Operation{Name: "erase", Commands: m.Commands, Writes: m.Technique.Erases(), Timeout: m.Timeout}
	switch m.Technique {
	case Format:
		op.Name = "format"
	case ExitFailure:
		op.Name = "sanitize"
	case Overwrite:
		op.Commands, op.Namespaces = nil, m.Targets
	}
	return op
}
