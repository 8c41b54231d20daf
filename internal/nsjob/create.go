package nsjob

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"qd1.example/qd1/nvme"
)

// CreateRequest is a namespace that is to be created.
type CreateRequest struct {
	// Bytes is the size; with All it is all that is unallocated. Blocks is the size
	// in logical blocks (NSZE) in place of both; 0 where it is not given.
	Bytes  uint64 `json:"size_bytes"`
	All    bool   `json:"all_unallocated,omitempty"`
	Blocks uint64 `json:"blocks"`
	// CapacityBlocks is the capacity (NCAP); 0 is as many as the size.
	CapacityBlocks uint64 `json:"capacity_blocks"`
	// LBAF is the index of the LBA format, LBABytes the size of a block in its place;
	// nil and 0: as the first namespace of the drive has it.
	LBAF     *int   `json:"lbaf"`
	LBABytes uint64 `json:"lba_bytes"`
	// Shared lets more than one controller reach it (NMIC bit 0).
	Shared bool `json:"shared"`
}

// Offsets in the data of Create, which are those of Identify Namespace.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Namespace
// Management - Data Structure for Create.
const (
	atNSZE  = 0
	atNCAP  = 8
	atFLBAS = 26
	atNMIC  = 30
)

// PlanCreate is the creation of a namespace. The error is a *RequestError for
// what makes no sense on any drive of these formats.
func PlanCreate(v *Inventory, r CreateRequest) (*Change, error) {
	c := &Change{Action: Create, Create: &r, Command: &nvme.Command{Opcode: nvme.AdminNamespaceManagement, CDW10: selCreate, Data: make([]byte, listBytes)}}
	if !c.checkManagement(v) {
		return c, nil
	}
	f, err := v.choose(&r)
	if err != nil {
		return nil, err
	}
	if err := v.measure(&r, f); err != nil {
		return nil, err
	}
	c.checkRoom(v, &r, f)
	c.checkFormat(v, f)
	if r.Shared && len(v.Controllers) == 1 {
		c.warn(checkControllers, "", "the drive has one controller, so that nothing can share the namespace")
	}
	le, b := binary.LittleEndian, c.Command.Data
	le.PutUint64(b[atNSZE:], r.Blocks)
	le.PutUint64(b[atNCAP:], r.CapacityBlocks)
	b[atFLBAS] = uint8(f.LBAF&0xF | f.LBAF>>4<<5)
	if r.Shared {
		b[atNMIC] = 1
	}
	return c, nil
}

// choose returns the LBA format that is asked for, and notes it in the request.
func (v *Inventory) choose(r *CreateRequest) (*Format, error) {
	wanted := func(f Format) bool { return f.LBABytes == r.LBABytes && f.MetadataBytes == 0 }
	switch {
	case r.LBAF != nil:
		wanted = func(f Format) bool { return f.LBAF == *r.LBAF }
	case r.LBABytes == 0 && len(v.Namespaces) > 0:
		wanted = func(f Format) bool { return f.LBAF == v.Namespaces[0].LBAF }
	case r.LBABytes == 0:
		wanted = func(Format) bool { return true }
	}
	i := slices.IndexFunc(v.Formats, wanted)
	if i < 0 {
		return nil, &RequestError{Text: "the drive has no such LBA format", Hint: "it has: " + v.formatList()}
	}
	f := &v.Formats[i]
	if r.LBAF != nil && r.LBABytes != 0 && r.LBABytes != f.LBABytes {
		return nil, &RequestError{Text: fmt.Sprintf("LBA format %d has blocks of %d bytes, and not of %d", f.LBAF, f.LBABytes, r.LBABytes), Hint: "give one of both"}
	}
	lbaf := f.LBAF
	r.LBAF, r.LBABytes = &lbaf, f.LBABytes
	return f, nil
}

func (v *Inventory) formatList() string {
	list := ""
	for i, f := range v.Formats {
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprintf("%d (%d bytes", f.LBAF, f.LBABytes)
		if f.MetadataBytes != 0 {
			list += fmt.Sprintf(" + %d of metadata", f.MetadataBytes)
		}
		list += ")"
	}
	return list
}

// measure completes size and capacity of the request.
func (v *Inventory) measure(r *CreateRequest, f *Format) error {
	switch {
	case r.All && v.Unallocated == nil:
		return &RequestError{Text: "the drive does not report how much is unallocated", Hint: "give the size"}
	case r.All:
		step := max(f.LBABytes, f.SizeStep/f.LBABytes*f.LBABytes)
		r.Bytes = *v.Unallocated / step * step
		r.Blocks = r.Bytes / f.LBABytes
	case r.Blocks != 0:
		hi, lo := bits.Mul64(r.Blocks, f.LBABytes)
		if hi != 0 {
			return &RequestError{Text: fmt.Sprintf("%d blocks of %d bytes are more than a drive can have", r.Blocks, f.LBABytes)}
		}
		r.Bytes = lo
	case r.Bytes%f.LBABytes != 0:
		below := r.Bytes / f.LBABytes * f.LBABytes
		return &RequestError{Text: fmt.Sprintf("%d bytes are no multiple of a block of %d bytes", r.Bytes, f.LBABytes), Hint: fmt.Sprintf("the nearest sizes are %d and %d bytes", below, below+f.LBABytes)}
	default:
		r.Blocks = r.Bytes / f.LBABytes
	}
	if r.CapacityBlocks == 0 {
		r.CapacityBlocks = r.Blocks
	}
	switch {
	case r.Blocks == 0 && r.All:
		return &RequestError{Text: "the drive has nothing unallocated", Hint: "delete a namespace first"}
	case r.Blocks == 0:
		return &RequestError{Text: "a namespace needs a size"}
	case r.CapacityBlocks > r.Blocks:
		return &RequestError{Text: fmt.Sprintf("a capacity of %d blocks is more than the size of %d", r.CapacityBlocks, r.Blocks)}
	}
	return nil
}

// checkRoom refuses what does not fit into the drive.
func (c *Change) checkRoom(v *Inventory, r *CreateRequest, f *Format) {
	if uint64(len(v.Namespaces)) >= uint64(v.Most) {
		c.refuse(checkCapacity, "delete a namespace that is not needed", "the drive has %d namespaces, and can have %d (it would answer %s)", len(v.Namespaces), v.Most, nvme.StatusNamespaceIdentifierUnavailable)
	}
	if r.CapacityBlocks < r.Blocks && !v.Thin {
		c.refuse(checkCapacity, "leave --ncap out", "the drive makes no namespace with less capacity than size (thin provisioning; it would answer %s)", nvme.StatusThinProvisioningNotSupported)
	}
	takes := r.CapacityBlocks * f.LBABytes
	if rest := takes % max(f.CapacityStep, 1); rest != 0 {
		c.warn(checkCapacity, "", "the drive allocates in units of %d bytes: the namespace takes %d bytes, and %d of them cannot be used", f.CapacityStep, takes-rest+f.CapacityStep, f.CapacityStep-rest)
		takes += f.CapacityStep - rest
	}
	switch {
	case v.Unallocated == nil:
		c.warn(checkCapacity, "", "the drive does not report its capacity: whether the namespace fits is left to it")
	case takes > *v.Unallocated:
		c.refuse(checkCapacity, "make it smaller, or delete a namespace", "the namespace takes %d bytes, and %d are unallocated (the drive would answer %s)", takes, *v.Unallocated, nvme.StatusNamespaceInsufficientCapacity)
	case f.CapacityStep == 0:
		c.warn(checkCapacity, "", "the drive does not report in what units it allocates: it can take more than the %d bytes of the namespace", takes)
	}
}

// checkFormat says what another block size means.
func (c *Change) checkFormat(v *Inventory, f *Format) {
	if f.MetadataBytes != 0 {
		c.warn(checkBlockSize, "take a format without metadata, unless a program needs them", "LBA format %d has %d bytes of metadata with each block: Linux makes no usable block device of it without protection information", f.LBAF, f.MetadataBytes)
	}
	other := slices.IndexFunc(v.Namespaces, func(n Namespace) bool { return n.LBABytes != f.LBABytes })
	if other < 0 {
		return
	}
	n := &v.Namespaces[other]
	c.warn(checkBlockSize, "give --block-size to choose",
		"the blocks have %d bytes, and those of namespace %d have %d: an image or a partition table of one does not fit the other, not every firmware starts from blocks of 4096 bytes, and to change it later takes a format, which erases", f.LBABytes, n.NSID, n.LBABytes)
	if v.OneFormat {
		c.warn(checkBlockSize, "", "a format of any namespace gives all of them the same LBA format (FNA bit 0)")
	}
}
