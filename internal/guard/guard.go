package guard

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// Operation is what is to be done to a drive.
type Operation struct {
	// Name is one word for messages and for the phrase: "erase", "format".
	Name string
	// Commands are all commands that may be sent, without data, in order. The
	// guard finds out from opcode and fields what they reach.
	Commands []nvme.Command
	// Writes says that the medium is also written through the block devices
	// (canaries, overwriting), by [Permit.Writer].
	Writes bool
	// KeepsData says that no user data are touched, as by a firmware update:
	// identity and consent are asked for, use and signatures are not.
	KeepsData bool
	// Timeout is the time that each command gets.
	Timeout time.Duration
}

// Drive is the drive that is to be written to.
type Drive struct {
	// Passthru sends commands. Inspect reads through it and nothing else.
	Passthru nvme.Passthru
	// Controller is what the host shows.
	Controller *sysfs.Controller
	// Simulated says that no real drive stands behind Passthru.
	Simulated bool
	// Host is the computer that the drive is attached to.
	Host Host
}

// Host is what the guard needs of a computer.
type Host interface {
	// Sysfs is the tree that Drive.Controller was read from.
	Sysfs() fs.FS
	// Survey tells who uses the devices.
	Survey(ctx context.Context, devices []string) (*inuse.Survey, error)
	// Power tells about battery and shutdown, as checks.
	Power() []Check
	// Open opens a block device by its kernel name for reading.
	Open(block string) (BlockReader, error)
	// Claim opens a block device, or a character device where a drive has no
	// other, for writing and for itself alone. An error that matches ErrInUse
	// says that another has it.
	Claim(device string) (Claim, error)
}

// BlockReader reads a block device past the cache.
type BlockReader interface {
	io.ReaderAt
	io.Closer
}

// Claim is a device that nobody else can claim.
type Claim interface {
	// Passthru sends commands through this very descriptor.
	nvme.Passthru
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Refresh makes the kernel forget what it has cached of the device and read
	// its partition table again. What fails is told and is not fatal.
	Refresh() error
}

// ErrInUse is a device that another has claimed.
var ErrInUse = errors.New("the device is in use")

// Identity says which drive it is, read from the drive itself.
type Identity struct {
	Serial       string `json:"serial"`
	Model        string `json:"model"`
	Firmware     string `json:"firmware"`
	SubsystemNQN string `json:"subsystem_nqn,omitempty"`
	// PCI is the address, "" for a drive that is not a PCI function.
	PCI string `json:"pci_address,omitempty"`
	// Controller is the kernel's name of it now.
	Controller string `json:"controller"`
	Simulated  bool   `json:"simulated"`
	// Bytes is the size of all namespaces that are affected together.
	Bytes int64 `json:"bytes"`
}

// Member is one namespace that is affected.
type Member struct {
	NSID  nvme.NSID `json:"nsid"`
	Bytes int64     `json:"size_bytes"`
	// LBABytes and MetadataBytes are of the LBA format in use, LBAF its index.
	LBAF          int    `json:"lbaf"`
	LBABytes      int    `json:"lba_bytes"`
	MetadataBytes int    `json:"metadata_bytes"`
	EUI64         string `json:"eui64,omitempty"`
	NGUID         string `json:"nguid,omitempty"`
	// Block is the kernel's name of the block device, "" if it has none;
	// Partitions are those of its partitions.
	Block      string   `json:"block,omitempty"`
	Partitions []string `json:"partitions,omitempty"`
	// Controllers are all that reach the namespace.
	Controllers []string `json:"controllers"`
	// Why says why it is affected: "named", or that the drive formats all
	// namespaces at once (FNA bit 0) or erases all (FNA bit 1), and so on.
	Why string `json:"why"`
	// Signatures are what lies on it.
	Signatures []signature.Signature `json:"signatures"`
}

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

// Agreement is what the user consented to.
type Agreement struct {
	// Serial is the drive as the user wrote it; only the full serial passes.
	Serial string `json:"serial"`
	// PCI is the address, needed where two drives have one serial.
	PCI string `json:"pci,omitempty"`
	// Phrase is what was typed, to be equal to [Case.Phrase]; "" for none.
	Phrase string `json:"phrase,omitempty"`
	// Yes with Model and Bytes takes the place of the phrase in scripts.
	Yes   bool   `json:"yes,omitempty"`
	Model string `json:"model,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
	// Destroy are the kinds of signature that may be destroyed.
	Destroy []signature.Kind `json:"destroy,omitempty"`
}

// Case is a drive and an operation, looked at.
type Case struct {
	Identity Identity
	Radius   []Member
	Survey   *inuse.Survey
	// checks are all but those that need an Agreement.
	checks []Check
}

// Refusal is the error of an operation that must not be: nothing was sent.
type Refusal struct {
	// Checks are those that refuse, or whose consent is missing.
	Checks []Check
}

// Error returns the texts of the checks.
func (r *Refusal) Error() string { return "refused" }

var errNotWritten = errors.New("guard: not written yet")

// Inspect looks at a drive. It reads only. The error is what made it
// impossible to look, such as a drive that does not answer.
func Inspect(ctx context.Context, d *Drive, op Operation) (*Case, error) { return nil, errNotWritten }

// Phrase is what a person has to type: "ERASE INTEL SSDPE21D960GA 960CGN".
func (c *Case) Phrase() string { return "" }

// Fingerprint is a digest of identity, radius with its signatures, and
// commands: what a user saw when he agreed.
func (c *Case) Fingerprint() string { return "" }

// Judge returns all checks, with those of the agreement. A nil agreement gives
// them without; what then is missing is not refused but left out.
func (c *Case) Judge(a *Agreement) []Check { return nil }

// Claim takes the devices, looks at everything again through them, and gives
// the permit to send. The error is a *Refusal if something speaks against it.
func (c *Case) Claim(ctx context.Context, a *Agreement) (*Permit, error) { return nil, errNotWritten }

// Permit is the permission to do the operation.
type Permit struct{}

// Submit sends one of the commands of the operation, after it has read the
// identity once more through the descriptor that carries it. arm, if not nil,
// is called between the two; its error stops the command. Anything else than a
// command of the operation is a *Refusal.
func (p *Permit) Submit(ctx context.Context, cmd *nvme.Command, arm func() error) (nvme.Completion, error) {
	return nvme.Completion{}, errNotWritten
}

// Passthru reads through the claimed descriptor.
func (p *Permit) Passthru() nvme.Passthru { return nil }

// Medium is the claimed block device of a namespace, nil if it has none. Its
// WriteAt fails unless the operation Writes.
func (p *Permit) Medium(nsid nvme.NSID) Medium { return nil }

// Medium reads and writes a claimed namespace past the cache.
type Medium interface {
	io.ReaderAt
	io.WriterAt
}

// Refresh makes the kernel look at the namespaces and partitions again.
func (p *Permit) Refresh() error { return nil }

// Close gives the devices back.
func (p *Permit) Close() error { return nil }
