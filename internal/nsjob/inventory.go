package nsjob

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"qd1.example/qd1/nvme"
)

// Inventory is what a drive has of namespaces and of room for more.
type Inventory struct {
	// Management says that the drive has Namespace Management and Attachment.
	Management bool `json:"management"`
	// Controller is the identifier of the controller that was asked, Controllers
	// those of all of the drive; nil where the drive does not list them.
	Controller  uint16   `json:"controller"`
	Controllers []uint16 `json:"controllers"`
	// Total and Unallocated are the capacity of the drive in bytes, nil where it is
	// not reported.
	Total       *uint64 `json:"total_bytes"`
	Unallocated *uint64 `json:"unallocated_bytes"`
	// Most is how many namespaces the drive can have.
	Most uint32 `json:"most_namespaces"`
	// Thin says that a namespace may have less capacity than size.
	Thin bool `json:"thin_provisioning"`
	// OneFormat says that all namespaces have the same LBA format (FNA bit 0).
	OneFormat  bool        `json:"one_format"`
	Formats    []Format    `json:"formats"`
	Namespaces []Namespace `json:"namespaces"`
}

// Format is an LBA format that a namespace can have.
type Format struct {
	// LBAF is its index.
	LBAF          int    `json:"lbaf"`
	LBABytes      uint64 `json:"lba_bytes"`
	MetadataBytes uint16 `json:"metadata_bytes"`
	// SizeStep and CapacityStep are the units in which the drive makes namespaces
	// of the format, bytes. 0 means not reported.
	SizeStep     uint64 `json:"size_granularity_bytes"`
	CapacityStep uint64 `json:"capacity_granularity_bytes"`
}

// Namespace is a namespace that exists.
type Namespace struct {
	NSID nvme.NSID `json:"nsid"`
	// Attached says that it is attached to the controller that was asked,
	// Controllers are all that it is attached to; nil where that is not told.
	Attached    bool     `json:"attached"`
	Controllers []uint16 `json:"controllers"`
	// Bytes is the size, Capacity what can be written, Allocated what the drive
	// takes for it; 0 means not reported.
	Bytes     uint64 `json:"size_bytes"`
	Capacity  uint64 `json:"capacity_bytes"`
	Allocated uint64 `json:"allocated_bytes"`
	Blocks    uint64 `json:"blocks"`
	// LBAF is the index of its LBA format.
	LBAF          int    `json:"lbaf"`
	LBABytes      uint64 `json:"lba_bytes"`
	MetadataBytes uint16 `json:"metadata_bytes"`
	// Shared says that more than one controller may reach it (NMIC bit 0).
	Shared bool   `json:"shared"`
	EUI64  string `json:"eui64,omitempty"`
	NGUID  string `json:"nguid,omitempty"`
	// Block is the kernel's name of the block device now, "" if it has none.
	Block string `json:"block,omitempty"`
}

// At returns a namespace, nil if the drive has none of that identifier.
func (v *Inventory) At(nsid nvme.NSID) *Namespace {
	i := slices.IndexFunc(v.Namespaces, func(n Namespace) bool { return n.NSID == nsid })
	if i < 0 {
		return nil
	}
	return &v.Namespaces[i]
}

// Look reads what a drive has. What the drive does not list is not asked for.
func Look(ctx context.Context, dev *nvme.Controller) (*Inventory, error) {
	id, err := dev.Identify(ctx)
	if err != nil {
		return nil, err
	}
	v := &Inventory{
		Management: id.OACS&nvme.OACSNamespaceManagement != 0, Controller: id.CNTLID, Most: id.NN,
		OneFormat: id.FNA&nvme.FNAFormatAll != 0, Total: reported(id.TNVMCAP, id.TNVMCAP), Unallocated: reported(id.UNVMCAP, id.TNVMCAP),
	}
	if id.MNAN != 0 {
		v.Most = id.MNAN
	}
	active, err := dev.ActiveNamespaces(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list the namespaces: %w", err)
	}
	if !v.Management {
		return v, v.readActive(ctx, dev, active)
	}
	if err := v.readManaged(ctx, dev, active); err != nil {
		return nil, err
	}
	return v, v.readFormats(ctx, dev, id)
}

// reported is a capacity, nil where the total is not reported.
func reported(n, total nvme.Uint128) *uint64 {
	v, ok := n.Uint64()
	if !ok || total == (nvme.Uint128{}) {
		return nil
	}
	return &v
}

// readActive reads the namespaces of a drive without management.
func (v *Inventory) readActive(ctx context.Context, dev *nvme.Controller, active []nvme.NSID) error {
	for _, nsid := range active {
		ns, err := dev.IdentifyNamespace(ctx, nsid)
		if err != nil {
			return fmt.Errorf("identify namespace %d: %w", nsid, err)
		}
		n := namespaceOf(nsid, ns)
		n.Attached = true
		v.Namespaces = append(v.Namespaces, n)
	}
	return nil
}

// readManaged reads all namespaces, and what they are attached to.
func (v *Inventory) readManaged(ctx context.Context, dev *nvme.Controller, active []nvme.NSID) error {
	allocated, err := dev.AllocatedNamespaces(ctx)
	if err != nil {
		return fmt.Errorf("list all namespaces: %w", err)
	}
	for _, nsid := range allocated {
		n, err := readNamespace(ctx, dev, nsid)
		if err != nil {
			return err
		}
		n.Attached = slices.Contains(active, nsid)
		if n.Controllers, err = controllers(ctx, dev, nvme.CNSAttachedControllers, nsid); err != nil {
			return err
		}
		v.Namespaces = append(v.Namespaces, n)
	}
	v.Controllers, err = controllers(ctx, dev, nvme.CNSControllers, 0)
	return err
}

// readNamespace reads an allocated namespace.
func readNamespace(ctx context.Context, dev *nvme.Controller, nsid nvme.NSID) (Namespace, error) {
	page, err := dev.IdentifyPage(ctx, nvme.CNSAllocatedNamespace, nsid)
	if err != nil {
		return Namespace{}, fmt.Errorf("identify namespace %d: %w", nsid, err)
	}
	var ns nvme.IdentifyNamespace
	if err := ns.UnmarshalBinary(page); err != nil {
		return Namespace{}, err
	}
	return namespaceOf(nsid, &ns), nil
}

func namespaceOf(nsid nvme.NSID, ns *nvme.IdentifyNamespace) Namespace {
	f := ns.Format()
	n := Namespace{
		NSID: nsid, Blocks: ns.NSZE, LBAF: ns.FormatIndex(), LBABytes: f.DataBytes(), MetadataBytes: f.MetadataBytes, Shared: ns.NMIC&1 != 0,
	}
	n.Bytes, _ = ns.SizeBytes().Uint64()
	n.Capacity, _ = ns.CapacityBytes().Uint64()
	n.Allocated, _ = ns.NVMCAP.Uint64()
	if !ns.EUI64.IsZero() {
		n.EUI64 = ns.EUI64.String()
	}
	if ns.NGUID != (nvme.Hex128{}) {
		n.NGUID = ns.NGUID.String()
	}
	return n
}

// controllers reads a controller list. A drive that refuses it has none to tell.
func controllers(ctx context.Context, dev *nvme.Controller, cns nvme.CNS, nsid nvme.NSID) ([]uint16, error) {
	page, err := dev.IdentifyPage(ctx, cns, nsid)
	var refused *nvme.CommandError
	if errors.As(err, &refused) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list controllers: %w", err)
	}
	return ParseControllers(page), nil
}

// mostControllers is how many identifiers a controller list has.
const mostControllers = 2047

// ParseControllers returns the identifiers of a controller list, as far as it
// reaches.
//
// Source: NVM Express Base Specification, Revision 2.0, Controller List: the
// number of identifiers, then the identifiers, 2 bytes each.
func ParseControllers(page []byte) []uint16 {
	list := []uint16{}
	if len(page) < 2 {
		return list
	}
	n := min(int(binary.LittleEndian.Uint16(page)), mostControllers, len(page)/2-1)
	for i := range n {
		list = append(list, binary.LittleEndian.Uint16(page[2+2*i:]))
	}
	return list
}

// readFormats reads what all namespaces have in common, and in what units they
// are made.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Namespace data
// structure: with namespace management the broadcast NSID gives the
// capabilities that are common to all namespaces; NSFEAT bit 0 is thin
// provisioning.
func (v *Inventory) readFormats(ctx context.Context, dev *nvme.Controller, id *nvme.IdentifyController) error {
	common, err := dev.IdentifyNamespace(ctx, nvme.BroadcastNSID)
	if err != nil {
		return fmt.Errorf("identify what all namespaces have in common: %w", err)
	}
	v.Thin = common.NSFEAT&1 != 0
	for i, f := range common.Formats() {
		if f.DataBytes() != 0 {
			v.Formats = append(v.Formats, Format{LBAF: i, LBABytes: f.DataBytes(), MetadataBytes: f.MetadataBytes})
		}
	}
	if id.CTRATT&namespaceGranularity == 0 {
		return nil
	}
	page, err := dev.IdentifyPage(ctx, nvme.CNSNamespaceGranularity, 0)
	var refused *nvme.CommandError
	if errors.As(err, &refused) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the granularity of namespaces: %w", err)
	}
	for i := range v.Formats {
		f := &v.Formats[i]
		f.SizeStep, f.CapacityStep = granularityOf(page, f.LBAF)
	}
	return nil
}

// namespaceGranularity is bit 7 of CTRATT.
const namespaceGranularity = 1 << 7

// granularityOf returns the units of size and capacity for an LBA format.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Namespace
// Granularity List (CNS 16h): bit 0 of the attributes says that each descriptor
// belongs to one LBA format; otherwise the first is for all.
func granularityOf(page []byte, lbaf int) (size, capacity uint64) {
	const first, stride = 32, 16
	le := binary.LittleEndian
	if le.Uint32(page)&1 == 0 {
		lbaf = 0
	}
	if lbaf > int(page[4]) || first+(lbaf+1)*stride > len(page) {
		return 0, 0
	}
	d := page[first+lbaf*stride:]
	return le.Uint64(d), le.Uint64(d[8:])
}
