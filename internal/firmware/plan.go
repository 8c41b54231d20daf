package firmware

import (
	"fmt"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/nvme"
)

// Facts are what a plan follows from.
type Facts struct {
	Controller *nvme.IdentifyController
	Slots      *nvme.FirmwareSlotLog
	// VendorID and DeviceID are those of the PCI function; 0 if it is not known,
	// then Identify's VID counts.
	VendorID, DeviceID uint16
}

// Request is what the user wants.
type Request struct {
	// Image is the image; nil lets a slot's own firmware be activated.
	Image *Image `json:"-"`
	// Slot is the slot, 0 for the one that is chosen.
	Slot int
	// Pad lets the image be filled with FFh up to the granularity.
	Pad bool
	// Reset is the reset that may be done, ResetAsNeeded for the one needed.
	Reset Reset
	// AcceptHealth is the user's word that a drive with a critical warning may be
	// updated.
	AcceptHealth bool
}

// RequestError is a request that the drive cannot fulfil. Nothing was sent.
type RequestError struct {
	// Text says why, Hint the next step.
	Text, Hint string
}

// Error returns the text.
func (e *RequestError) Error() string { return e.Text }

// Plan is what will be done.
type Plan struct {
	Image *Image `json:"image,omitempty"`
	// Revision is of the running firmware, ActiveSlot the slot it came from.
	Revision   string `json:"revision"`
	ActiveSlot int    `json:"active_slot"`
	Slot       int    `json:"slot"`
	SlotWhy    string `json:"slot_reason"`
	// SlotHolds is the revision that the slot has now, "" for none.
	SlotHolds string `json:"slot_holds,omitempty"`
	Slots     int    `json:"slots"`
	// Action is the Commit Action.
	Action    int    `json:"commit_action"`
	ActionWhy string `json:"commit_action_reason"`
	// ChunkBytes is the length of a chunk, Chunks their number, LastBytes the
	// length of the last one; 0 without an image. Padding is what is added, bytes.
	ChunkBytes int `json:"chunk_bytes"`
	Chunks     int `json:"chunks"`
	LastBytes  int `json:"last_chunk_bytes"`
	Padding    int `json:"padding_bytes"`
	// Reset is the reset that is needed as far as is known before the drive
	// answers, Wanted the one that the user allows.
	Reset    Reset  `json:"reset"`
	ResetWhy string `json:"reset_reason"`
	Wanted   Reset  `json:"reset_allowed"`
	// Warnings are to be read before, Notes are worth knowing.
	Warnings []string `json:"warnings"`
	Notes    []string `json:"notes"`

	quirk  Quirk
	chunks []Chunk
	data   []byte
}

// NewPlan chooses slot, action, chunks and reset. The error is a
// [*RequestError] or an [*ImageError].
func NewPlan(f Facts, r Request) (*Plan, error) {
	id := f.Controller
	if id.OACS&nvme.OACSFirmware == 0 {
		return nil, &RequestError{"the drive does not list firmware commands in OACS: it takes no firmware by NVMe", "ask its maker for another way"}
	}
	p := &Plan{
		Image: r.Image, Revision: id.FirmwareRevision.String(), ActiveSlot: f.Slots.ActiveSlot(),
		Slots: slotCount(id.FRMW), Wanted: r.Reset, Warnings: []string{}, Notes: []string{},
	}
	p.quirk = quirkOf(cmpOr(f.VendorID, id.VID), f.DeviceID)
	choose := chooseSlot
	if r.Image == nil {
		choose = chooseStored
	}
	c, err := choose(id.FRMW, f.Slots, r.Slot)
	if err != nil {
		return nil, err
	}
	p.Slot, p.SlotWhy, p.SlotHolds = c.slot, c.why, revisionIn(f.Slots, c.slot)
	p.Warnings = append(p.Warnings, c.warnings...)
	p.chooseAction(id)
	p.chooseReset()
	if r.Image != nil {
		err = p.divide(id, r)
	}
	return p, err
}

func cmpOr(a, b uint16) uint16 {
	if a != 0 {
		return a
	}
	return b
}

// chooseAction takes the action that disturbs least.
func (p *Plan) chooseAction(id *nvme.IdentifyController) {
	switch {
	case id.FRMW.ActivationWithoutReset():
		p.Action, p.ActionWhy = ActivateNow, "the drive activates firmware without a reset (FRMW bit 4)"
		if id.MTFA != 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("the drive may stand still for up to %v while it activates (MTFA)", time.Duration(id.MTFA)*100*time.Millisecond))
		}
	case p.quirk.ActivateNow:
		p.Action, p.ActionWhy = ActivateNow, "drives of "+p.quirk.Vendor+" are known to need action 3"
	case p.Image == nil:
		p.Action, p.ActionWhy = ActivateAtReset, "the drive activates firmware at a reset only"
	default:
		p.Action, p.ActionWhy = ReplaceAndReset, "the drive activates firmware at a reset only"
	}
}

// chooseReset is the reset that is known to be needed before the drive answers.
func (p *Plan) chooseReset() {
	switch {
	case p.quirk.Shutdown:
		p.Reset, p.ResetWhy = PowerCycle, "drives of "+p.quirk.Vendor+" are known to need it"
	case p.Action == ActivateNow:
		p.Reset, p.ResetWhy = NoReset, "the drive activates it itself; its answer may say otherwise"
	default:
		p.Reset, p.ResetWhy = ControllerReset, "that activates firmware; the answer of the drive may ask for more"
	}
}

// divide divides the image, with what is added to it.
func (p *Plan) divide(id *nvme.IdentifyController, r Request) error {
	unit := granularity(id)
	p.data = r.Image.data
	rest := len(p.data) % unit
	switch {
	case rest == 0:
	case r.Pad || p.quirk.Align:
		p.data = r.Image.padded(unit)
		p.Padding = len(p.data) - r.Image.Bytes
		why := "as asked for"
		if !r.Pad {
			why = "drives of " + p.quirk.Vendor + " are known to need it"
		}
		p.Notes = append(p.Notes, fmt.Sprintf("%d bytes of FFh are added behind the image, %s", p.Padding, why))
	case id.FWUG != 0 && id.FWUG != 0xFF:
		p.Warnings = append(p.Warnings, fmt.Sprintf(
			"the image is no multiple of the %d bytes that the drive reports as its granularity: the last chunk has %d, and the drive may refuse it (Invalid Field). --pad adds FFh up to it: do that only if the maker says so",
			unit, rest%ChunkBytes(id)))
	}
	p.ChunkBytes = ChunkBytes(id)
	if p.ChunkBytes < unit {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the drive reports a granularity of %d bytes and takes %d at a time (MDTS): it contradicts itself, and may refuse the chunks", unit, p.ChunkBytes))
	}
	var err error
	if p.chunks, err = Chunks(len(p.data), p.ChunkBytes); err != nil {
		return err
	}
	p.Chunks, p.LastBytes = len(p.chunks), p.chunks[len(p.chunks)-1].Bytes
	return nil
}

// attempts is how often a chunk is sent that fails without Do Not Retry.
const attempts = 3

// commandTimeout is the time of each command. A drive may take long to write an
// image; the kernel would reset it after its own default of 60 s.
const commandTimeout = 5 * time.Minute

// Operation is the plan for the guard: every command that may be sent.
func (p *Plan) Operation() guard.Operation {
	op := guard.Operation{Name: "update", KeepsData: true, Timeout: commandTimeout}
	if p.Image == nil {
		op.Name = "activate"
	}
	for _, c := range p.chunks {
		for range attempts {
			op.Commands = append(op.Commands, c.download())
		}
	}
	op.Commands = append(op.Commands, commit(p.Action, p.Slot))
	if p.Action == ActivateNow { // What the drive asks for if that takes too long.
		op.Commands = append(op.Commands, commit(p.atReset(), p.Slot))
	}
	return op
}

// atReset is the action that leaves the activation to a reset.
func (p *Plan) atReset() int {
	if p.Image == nil {
		return ActivateAtReset
	}
	return ReplaceAndReset
}
