package nsjob

import (
	"encoding/binary"
	"fmt"

	"qd1.example/qd1/nvme"
)

// TrimRequest is what is to be deallocated.
type TrimRequest struct {
	// NSID is the namespace.
	NSID nvme.NSID
	// Start is where it begins, bytes. Length is how much, bytes; 0 is all up to
	// the end of the namespace.
	Start, Length uint64
}

// Trim is a range of a namespace that is to be deallocated by Dataset
// Management commands.
type Trim struct {
	NSID nvme.NSID `json:"nsid"`
	// LBABytes is the size of a logical block.
	LBABytes uint64 `json:"lba_bytes"`
	// Start and Length are the range in bytes, FirstLBA and Blocks in blocks.
	Start    uint64 `json:"start_bytes"`
	Length   uint64 `json:"length_bytes"`
	FirstLBA uint64 `json:"first_lba"`
	Blocks   uint64 `json:"blocks"`
	// Whole says that it is the whole namespace.
	Whole bool `json:"whole_namespace"`
	// Granularity is in what units the drive likes to deallocate, bytes. 0 means
	// not reported.
	Granularity uint64  `json:"granularity_bytes"`
	Limits      Limits  `json:"limits"`
	Promise     Promise `json:"promise"`
	// Commands is how many commands it takes.
	Commands int `json:"commands"`
	// Notes are what is worth to be known before.
	Notes []string `json:"notes,omitempty"`

	// range and step are how many blocks a range and a command have, base is where
	// they are counted from.
	base, span, step uint64
}

const (
	// mostBytes is what a command deallocates at most, so that a drive that takes
	// long for it is not silent for long, and Ctrl-C comes between commands.
	mostBytes = 64 << 30
	// mostCommands bounds how many commands are planned at once.
	mostCommands = 16384
	// optimalFields is bit 4 of NSFEAT: NPWG, NPWA, NPDG, NPDA and NOWS are
	// defined.
	optimalFields = 1 << 4
)

// PlanTrim divides a range of a namespace among commands.
func PlanTrim(ns *nvme.IdentifyNamespace, r TrimRequest, l Limits) (*Trim, error) {
	block := ns.Format().DataBytes()
	if block == 0 || ns.NSZE == 0 {
		return nil, &RequestError{Text: fmt.Sprintf("namespace %d has no blocks", r.NSID)}
	}
	size, ok := ns.SizeBytes().Uint64()
	if !ok {
		return nil, &RequestError{Text: fmt.Sprintf("namespace %d says that it has %v bytes", r.NSID, ns.SizeBytes())}
	}
	if r.Length == 0 && r.Start < size {
		r.Length = size - r.Start
	}
	if err := checkRange(r, block, size); err != nil {
		return nil, err
	}
	t := &Trim{
		NSID: r.NSID, LBABytes: block, Start: r.Start, Length: r.Length, FirstLBA: r.Start / block, Blocks: r.Length / block,
		Whole: r.Start == 0 && r.Length == size, Limits: l, Promise: PromiseOf(ns),
	}
	granularity := uint64(1)
	if ns.NSFEAT&optimalFields != 0 {
		granularity = uint64(ns.NPDG) + 1
		t.Granularity = granularity * block
	}
	t.divide(granularity)
	if most := uint64(mostCommands); t.last() >= most {
		return nil, &RequestError{
			Text: fmt.Sprintf("the drive takes %d blocks in a command, so that %d commands would be needed, more than %d", t.step, t.last()+1, most),
			Hint: "trim it in parts, with --start and --length",
		}
	}
	t.Commands = int(t.last()) + 1
	t.note(granularity)
	return t, nil
}

func checkRange(r TrimRequest, block, size uint64) error {
	switch {
	case r.Start >= size:
		return &RequestError{Text: fmt.Sprintf("the start, %d bytes, is not within the namespace, which has %d bytes", r.Start, size)}
	case r.Length > size-r.Start:
		return &RequestError{Text: fmt.Sprintf("the range ends %d bytes beyond the namespace, which has %d bytes", r.Length-(size-r.Start), size)}
	case r.Start%block != 0 || r.Length%block != 0:
		return &RequestError{Text: fmt.Sprintf("start and length have to be multiples of a logical block, which has %d bytes", block)}
	}
	return nil
}

// divide decides how many blocks a range and a command have. Where the drive
// names a granularity, they begin at multiples of it.
func (t *Trim) divide(granularity uint64) {
	t.span = aligned(min(t.Limits.RangeBlocks, mostBytes/t.LBABytes), granularity)
	t.step = min(t.span*uint64(t.Limits.Ranges), t.Limits.CommandBlocks, mostBytes/t.LBABytes)
	t.step = max(t.step/t.span, 1) * t.span
	if t.base = t.FirstLBA; t.span%granularity == 0 {
		t.base = t.FirstLBA / granularity * granularity
	}
}

// aligned returns n as a multiple of the granularity, or n where it is less
// than one.
func aligned(n, granularity uint64) uint64 {
	return max(n/granularity*granularity, min(n, granularity))
}

// last is the index of the last command.
func (t *Trim) last() uint64 { return (t.FirstLBA + t.Blocks - 1 - t.base) / t.step }

func (t *Trim) note(granularity uint64) {
	end := t.FirstLBA + t.Blocks
	if granularity > 1 && (t.FirstLBA%granularity != 0 || end%granularity != 0 && !t.Whole) {
		t.Notes = append(t.Notes, fmt.Sprintf("the drive deallocates in units of %d bytes: what is less than a unit at the ends of the range can stay as it is", t.Granularity))
	}
}

// blocksOf returns the first block and the one behind the last of a command.
func (t *Trim) blocksOf(i int) (from, to uint64) {
	from = max(t.base+uint64(i)*t.step, t.FirstLBA)
	return from, min(t.base+uint64(i+1)*t.step, t.FirstLBA+t.Blocks)
}

// BytesOf returns how many bytes the first n commands deallocate.
func (t *Trim) BytesOf(n int) uint64 {
	if n <= 0 {
		return 0
	}
	_, to := t.blocksOf(n - 1)
	return (to - t.FirstLBA) * t.LBABytes
}

const (
	rangeBytes = 16
	// deallocate is Attribute - Deallocate (AD), bit 2 of dword 11.
	deallocate = 1 << 2
)

// Command returns one of the commands, 0 to Commands-1.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Dataset
// Management command: dword 10 has the number of ranges, 0's based; a range is
// Context Attributes, Length in Logical Blocks and Starting LBA.
func (t *Trim) Command(i int) *nvme.Command {
	from, to := t.blocksOf(i)
	var list []byte
	for from < to {
		end := min(t.base+((from-t.base)/t.span+1)*t.span, to)
		list = binary.LittleEndian.AppendUint32(list, 0)
		list = binary.LittleEndian.AppendUint32(list, uint32(end-from))
		list = binary.LittleEndian.AppendUint64(list, from)
		from = end
	}
	return &nvme.Command{
		Queue: nvme.IOQueue, Opcode: nvme.IODatasetManagement, NSID: t.NSID,
		CDW10: uint32(len(list)/rangeBytes - 1), CDW11: deallocate, Data: list,
	}
}

// Bare returns all commands without their data, as the guard inspects them.
func (t *Trim) Bare() []nvme.Command {
	list := make([]nvme.Command, t.Commands)
	for i := range list {
		list[i] = *t.Command(i)
		list[i].Data = nil
	}
	return list
}
