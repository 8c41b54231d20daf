package sim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"qd1.example/qd1/nvme"
)

// Do is what a fault does.
type Do string

// What a fault can do to the commands that it is about.
const (
	// DoDelay answers later, by Fault.MS.
	DoDelay Do = "delay"
	// DoStatus answers Fault.Status without doing the command. With status 0 the
	// drive says that it did it, and did not.
	DoStatus Do = "status"
	// DoSilence never answers.
	DoSilence Do = "silence"
	// DoDisconnect is ErrDisconnect.
	DoDisconnect Do = "disconnect"
	// DoCorrupt flips one bit of the data that were read.
	DoCorrupt Do = "corrupt"
	// DoShort moves half of the data and answers as if it were all. The rest of
	// the buffer stays as it was.
	DoShort Do = "short"
	// DoReset does a controller level reset before the command, which is
	// ErrReset.
	DoReset Do = "reset"
	// DoPowerLoss takes the power away and gives it back before the command,
	// which is ErrPowerLoss.
	DoPowerLoss Do = "power-loss"
)

// Fault is one line of a fault script.
type Fault struct {
	When When `json:"when"`
	Do   Do   `json:"do"`
	// MS is the delay in milliseconds, for DoDelay.
	MS int `json:"ms"`
	// Status is the status for DoStatus: type and code, for example 641 for
	// 281h. Do Not Retry and More are added.
	Status nvme.Status `json:"status"`
	// Times is how often the fault acts. 0 means always.
	Times int `json:"times"`
}

// When says which commands a fault is about. What is left out is any.
type When struct {
	// Queue is "admin" or "io".
	Queue string `json:"queue"`
	// Opcode is the opcode of the command.
	Opcode *uint8 `json:"opcode"`
	// NSID is the namespace that the command names.
	NSID *uint32 `json:"nsid"`
	// LBAFrom and LBATo are the first and last block of a range, one block of
	// which an I/O command must touch.
	LBAFrom *uint64 `json:"lba_from"`
	LBATo   *uint64 `json:"lba_to"`
	// LogID is the log page of Get Log Page.
	LogID *uint8 `json:"log_id"`
	// AfterCount is how many commands the fault lets pass first.
	AfterCount int `json:"after_count"`
	// AfterMS is the time since the drive was opened before which the fault
	// lets every command pass, milliseconds.
	AfterMS int `json:"after_ms"`
}

// about reports whether a fault is about a command, its count and time apart.
func (w *When) about(cmd *nvme.Command, block int) bool {
	switch {
	case w.Queue != "" && w.Queue != cmd.Queue.String(),
		w.Opcode != nil && *w.Opcode != cmd.Opcode,
		w.NSID != nil && nvme.NSID(*w.NSID) != cmd.NSID:
		return false
	case w.LogID != nil && (cmd.Queue != nvme.AdminQueue || cmd.Opcode != nvme.AdminGetLogPage || uint8(cmd.CDW10) != *w.LogID):
		return false
	}
	return w.LBAFrom == nil && w.LBATo == nil || w.touches(cmd, block)
}

// touches reports whether a command is about a block of the range.
func (w *When) touches(cmd *nvme.Command, block int) bool {
	if cmd.Queue != nvme.IOQueue || cmd.Opcode == nvme.IOFlush || block == 0 {
		return false
	}
	first := uint64(cmd.CDW11)<<32 | uint64(cmd.CDW10)
	last := first + uint64(cmd.CDW12&0xFFFF)
	return (w.LBATo == nil || first <= *w.LBATo) && (w.LBAFrom == nil || last >= *w.LBAFrom)
}

// maxFaultLine bounds a line of a script, and maxFaults its lines.
const (
	maxFaultLine = 64 << 10
	maxFaults    = 10_000
)

// ErrFaultScript is a fault script that cannot be read. The text names the line
// and what is wrong with it.
var ErrFaultScript = errors.New("fault script")

// ParseFaults reads a fault script: JSON Lines, one fault a line, the first one
// that is about a command acts on it. Blank lines and lines that begin with #
// are left out.
func ParseFaults(r io.Reader) (*Faults, error) {
	var rules []Fault
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxFaultLine)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		f, err := parseFault(text)
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFaultScript, n, err)
		}
		if rules = append(rules, f); len(rules) > maxFaults {
			return nil, fmt.Errorf("%w: more than %d faults", ErrFaultScript, maxFaults)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFaultScript, err)
	}
	return NewFaults(rules...), nil
}

// parseFault reads one line. A key that is not known is an error: a fault that
// never happens because of a typing error helps nobody.
func parseFault(text string) (Fault, error) {
	var f Fault
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, err
	}
	if d.More() {
		return f, errors.New("more than one object")
	}
	return f, f.validate()
}

const maxDelayMS = 24 * 3600 * 1000

func (r *Fault) validate() error {
	switch r.Do {
	case DoDelay:
		if r.MS <= 0 || r.MS > maxDelayMS {
			return fmt.Errorf(`"ms" of %d is not between 1 and %d`, r.MS, maxDelayMS)
		}
	case DoStatus:
		if r.Status > 0x7FF {
			return fmt.Errorf(`"status" of %d is more than type and code`, r.Status)
		}
	case DoSilence, DoDisconnect, DoCorrupt, DoShort, DoReset, DoPowerLoss:
	default:
		return fmt.Errorf(`"do" of %q: it is delay, status, silence, disconnect, corrupt, short, reset or power-loss`, r.Do)
	}
	if q := r.When.Queue; q != "" && q != "admin" && q != "io" {
		return fmt.Errorf(`"queue" of %q: it is admin or io`, q)
	}
	if r.Times < 0 || r.When.AfterCount < 0 || r.When.AfterMS < 0 {
		return errors.New("a negative number")
	}
	return nil
}

// readFaults reads a script from a file.
func readFaults(name string) (*Faults, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ParseFaults(f)
}
