package nvme

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// TelemetryHeader is the first block of the Telemetry Host-Initiated (LID 07h)
// and the Telemetry Controller-Initiated (LID 08h) log page, 512 bytes.
//
// Source: NVM Express Base Specification, Revision 2.1, Telemetry Host-Initiated
// and Telemetry Controller-Initiated.
type TelemetryHeader struct {
	// LID is the page that the header says it is of.
	LID LID
	// OUI is whose format the data have.
	OUI OUI
	// LastBlock are the numbers of the last block of data areas 1 to 4, counted
	// through all areas. 0 means that there are no data up to this area.
	LastBlock [4]uint32
	// HostGeneration counts the host-initiated data that were made, modulo 256. 0
	// before revision 2.0.
	HostGeneration uint8
	// Available says that there are controller-initiated data.
	Available bool
	// ControllerGeneration counts the controller-initiated data that were made,
	// modulo 256.
	ControllerGeneration uint8
	// Reason is what the drive was like when the data were made.
	Reason [128]byte
}

// TelemetryBlock is the unit of the areas, of offsets and of lengths.
const TelemetryBlock = 512

// UnmarshalBinary decodes b, which must hold at least 512 bytes.
func (h *TelemetryHeader) UnmarshalBinary(b []byte) error {
	if len(b) < TelemetryBlock {
		return fmt.Errorf("telemetry header: %w: %d bytes, want %d", ErrShort, len(b), TelemetryBlock)
	}
	le := binary.LittleEndian
	*h = TelemetryHeader{
		LID: LID(b[0]), OUI: OUI(b[5:8]),
		LastBlock:      [4]uint32{uint32(le.Uint16(b[8:])), uint32(le.Uint16(b[10:])), uint32(le.Uint16(b[12:])), le.Uint32(b[16:])},
		HostGeneration: b[381], Available: b[382] != 0, ControllerGeneration: b[383],
	}
	copy(h.Reason[:], b[384:])
	return nil
}

// Bytes is the length of the page up to the end of a data area (1 to 4), the
// header included. It is an error if there are no data, or if the areas do not
// follow each other.
func (h *TelemetryHeader) Bytes(area int) (uint64, error) {
	if area < 1 || area > len(h.LastBlock) {
		return 0, fmt.Errorf("telemetry data area %d: there are 1 to %d", area, len(h.LastBlock))
	}
	for i := 1; i < area; i++ {
		if h.LastBlock[i] < h.LastBlock[i-1] && (i < 3 || h.LastBlock[i] != 0) {
			return 0, fmt.Errorf("%w: area %d ends at block %d, area %d before it at %d", ErrTelemetry, i+1, h.LastBlock[i], i, h.LastBlock[i-1])
		}
	}
	if h.LastBlock[area-1] == 0 {
		return 0, fmt.Errorf("area %d: %w", area, ErrNoTelemetry)
	}
	return (uint64(h.LastBlock[area-1]) + 1) * TelemetryBlock, nil
}

// same reports whether two headers are of the same data.
func (h *TelemetryHeader) same(o *TelemetryHeader) bool {
	if h.LastBlock != o.LastBlock || h.Reason != o.Reason {
		return false
	}
	if h.LID == LIDTelemetryHost {
		return h.HostGeneration == o.HostGeneration
	}
	return h.ControllerGeneration == o.ControllerGeneration
}

// Errors of reading telemetry.
var (
	// ErrTelemetry is a header that contradicts itself.
	ErrTelemetry = errors.New("the telemetry header contradicts itself")
	// ErrNoTelemetry says that the drive has no data of this kind.
	ErrNoTelemetry = errors.New("the drive has no telemetry data")
	// ErrTelemetryShort says that the drive sent less than its header says.
	ErrTelemetryShort = errors.New("the drive sent less than the telemetry header says")
	// ErrTelemetryChanged says that the drive made new data while the old ones were
	// read: what was read is of no use.
	ErrTelemetryChanged = errors.New("the drive made new telemetry data while they were read")
)

// TelemetryRequest says what of a telemetry log page is read.
type TelemetryRequest struct {
	// LID is LIDTelemetryHost or LIDTelemetryController.
	LID LID
	// Area is the last data area that is wanted, 1 to 4.
	Area int
	// Create makes new host-initiated data first.
	Create bool
	// Release ends the hold of the drive on controller-initiated data after they
	// were read whole: it may replace them then.
	Release bool
	// From is where to go on, a multiple of 512 bytes: what is before is there
	// already. Start is then the header that it begins with.
	From  uint64
	Start []byte
	// Progress is told of each part: how many bytes there are now, of how many.
	Progress func(done, total uint64)
}

// Telemetry reads a telemetry log page up to the end of a data area into w, part
// by part, and checks that it was the same data all the time. It returns the
// header as soon as there is one, also with an error; then w has the first part
// of the page. [ErrNotSupported] is a drive without offsets (LPAExtendedData) and
// a page that does not fit into one command.
func (c *Controller) Telemetry(ctx context.Context, id *IdentifyController, req TelemetryRequest, w io.Writer) (*TelemetryHeader, error) {
	r := &telemetryReader{logReader: c.logReader(GetLogPage{LID: req.LID}, id), req: req}
	total, err := r.begin(ctx)
	if err != nil {
		return r.header, err
	}
	if err := r.copy(ctx, total, w); err != nil {
		return r.header, err
	}
	return r.header, r.end(ctx)
}

// telemetryReader is one reading of a telemetry log page.
type telemetryReader struct {
	*logReader
	req    TelemetryRequest
	header *TelemetryHeader
}

// begin reads the header, and returns the length of the page.
func (r *telemetryReader) begin(ctx context.Context) (uint64, error) {
	lsp := uint8(0)
	if r.req.Create && r.req.LID == LIDTelemetryHost {
		lsp = 1
	}
	block := make([]byte, TelemetryBlock)
	if err := r.first(ctx, block, lsp); err != nil {
		return 0, err
	}
	h := new(TelemetryHeader)
	if err := h.UnmarshalBinary(block); err != nil {
		return 0, err
	}
	if h.LID != r.req.LID {
		return 0, fmt.Errorf("%w: it says that it is of log page %02Xh", ErrTelemetry, uint8(h.LID))
	}
	r.header = h
	if r.req.LID == LIDTelemetryController && !h.Available && h.LastBlock[0] == 0 {
		return 0, ErrNoTelemetry
	}
	return h.Bytes(r.req.Area)
}

// copy reads the page from where it is wanted to its end.
func (r *telemetryReader) copy(ctx context.Context, total uint64, w io.Writer) error {
	if r.req.From > 0 && !r.goesOn(total) {
		return fmt.Errorf("%w: what is there already is of other data", ErrTelemetryChanged)
	}
	reach := r.reach(total, TelemetryBlock)
	buf := make([]byte, min(r.transfer(TelemetryBlock), reach))
	for at := r.req.From; at < reach; {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := r.filled(ctx, buf[:min(uint64(len(buf)), reach-at)], at)
		if at == 0 && len(part) > 0 && !r.sameAs(part) {
			return ErrTelemetryChanged
		}
		if _, e := w.Write(part); e != nil {
			return e
		}
		at += uint64(len(part))
		if r.req.Progress != nil {
			r.req.Progress(at, total)
		}
		if err != nil {
			return err
		}
	}
	if reach < total {
		return fmt.Errorf("%d of %d bytes: %w: the drive has no offsets in log pages (LPA bit 2), one command is all", reach, total, ErrNotSupported)
	}
	return nil
}

// filled reads a part, and returns as much of it as the drive filled: one that
// counts more blocks than it has may say success and send less.
func (r *telemetryReader) filled(ctx context.Context, part []byte, at uint64) ([]byte, error) {
	mark := untouched()
	for b := range slices.Chunk(part, TelemetryBlock) {
		copy(b, mark)
	}
	if err := r.part(ctx, part, at); err != nil {
		return nil, err
	}
	n := 0
	for b := range slices.Chunk(part, TelemetryBlock) {
		if bytes.Equal(b, mark) {
			return part[:n], fmt.Errorf("%w: nothing came from byte %d on", ErrTelemetryShort, at+uint64(n))
		}
		n += len(b)
	}
	return part, nil
}

// untouched is what a block has before the drive fills it: bytes that no log has
// by chance.
func untouched() []byte {
	b := make([]byte, 0, TelemetryBlock)
	for r := rand.NewPCG(0x71_64_31, TelemetryBlock); len(b) < TelemetryBlock; {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return b
}

// goesOn reports whether what is there already is the start of these data.
func (r *telemetryReader) goesOn(total uint64) bool {
	return r.req.From <= total && r.req.From%TelemetryBlock == 0 && r.limits.offsets && r.sameAs(r.req.Start)
}

// sameAs reports whether a page begins with the header that was read first.
func (r *telemetryReader) sameAs(page []byte) bool {
	var h TelemetryHeader
	return h.UnmarshalBinary(page) == nil && h.LID == r.req.LID && h.same(r.header)
}

// end reads the header once more.
func (r *telemetryReader) end(ctx context.Context) error {
	block := make([]byte, TelemetryBlock)
	if err := r.part(ctx, block, 0); err != nil {
		return err
	}
	if !r.sameAs(block) {
		return ErrTelemetryChanged
	}
	if !r.req.Release || r.req.LID != LIDTelemetryController {
		return nil
	}
	r.logReader.req.KeepEvent = false
	return r.part(ctx, block, 0)
}
