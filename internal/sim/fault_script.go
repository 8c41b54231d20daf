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
	// DoNoAnswer does the command, and never answers.
	DoNoAnswer Do = "no-answer"
	// DoReset does a controller level reset before the command, or when
	// Fault.Percent of an erase are done, which is ErrReset.
	DoReset Do = "reset"
	// DoPowerLoss takes the power away and gives it back before the command, or
	// when Fault.Percent of an erase are done, which is ErrPowerLoss.
	DoPowerLoss Do = "power-loss"
)

// Fault is one line of a fault script.
type Fault struct {
	When When `json:"when"`
	Do   Do   `json:"do"`
	// MS is the delay for DoDelay, and how long DoStall and DoOldData last, in
	// milliseconds.
	MS int `json:"ms"`
	// Status is the status for DoStatus and DoFail: type and code, for example
	// 641 for 281h. Do Not Retry and More are added.
	Status nvme.Status `json:"status"`
	// Percent is the part of an erase, 0 to 100, that is done or at which
	// something happens. 0 is before the command.
	Percent float64 `json:"percent"`
	// PPM is how many of a million pages DoLeaveScattered leaves, and Seed which
	// ones.
	PPM  int    `json:"ppm"`
	Seed uint64 `json:"seed"`
	// LBAFrom and LBATo are the first and last block that DoLeaveRegion leaves.
	// LBAFrom is the failing block of DoTestEnds, nil for none.
	LBAFrom *uint64 `json:"lba_from"`
	LBATo   *uint64 `json:"lba_to"`
	// Count is how many pages DoLeaveRecent leaves. 0 means all that it can.
	Count int `json:"count"`
	// Result and Segment are the result code of DoTestEnds and its segment.
	Result  *uint8 `json:"result"`
	Segment uint8  `json:"segment"`
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
	// Blocks is how many blocks an I/O command is about.
	Blocks *uint64 `json:"blocks"`
	// SES is the Secure Erase Settings of Format NVM, Action the Sanitize Action
	// of Sanitize.
	SES    *uint32 `json:"ses"`
	Action *uint32 `json:"action"`
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
	case w.LogID != nil && (!isAdmin(cmd, nvme.AdminGetLogPage) || uint8(cmd.CDW10) != *w.LogID),
		w.SES != nil && (!isAdmin(cmd, nvme.AdminFormatNVM) || uint32(parseFormat(cmd.CDW10).ses) != *w.SES),
		w.Action != nil && (!isAdmin(cmd, nvme.AdminSanitize) || cmd.CDW10&7 != *w.Action),
		w.Blocks != nil && (!hasBlocks(cmd) || uint64(cmd.CDW12&0xFFFF)+1 != *w.Blocks):
		return false
	}
	return w.LBAFrom == nil && w.LBATo == nil || w.touches(cmd, block)
}

func isAdmin(cmd *nvme.Command, opcode uint8) bool {
	return cmd.Queue == nvme.AdminQueue && cmd.Opcode == opcode
}

// hasBlocks reports whether a command is an I/O command that names blocks.
func hasBlocks(cmd *nvme.Command) bool {
	return cmd.Queue == nvme.IOQueue && cmd.Opcode != nvme.IOFlush
}

// touches reports whether a command is about a block of the range.
func (w *When) touches(cmd *nvme.Command, block int) bool {
	if !hasBlocks(cmd) || block == 0 {
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

// readFaults reads a script from a file.
func readFaults(name string) (*Faults, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ParseFaults(f)
}
