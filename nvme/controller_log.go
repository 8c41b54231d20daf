package nvme

import (
	"context"
	"errors"
	"fmt"
)

const (
	// safeTransfer is what any controller can transfer: one memory page.
	safeTransfer = 4096
	// shortNUMD is the most that NUMD of 12 bits can ask for, which is all that
	// drives without extended data have.
	shortNUMD = 4096 * 4
	// longTransfer keeps one command below what hosts put into one request.
	longTransfer = 64 * 1024
)

// logLimits is how a controller transfers log pages.
type logLimits struct {
	transfer uint64
	offsets  bool
}

func logLimitsOf(id *IdentifyController) *logLimits {
	l := &logLimits{transfer: shortNUMD, offsets: id.LPA&LPAExtendedData != 0}
	if l.offsets {
		l.transfer = longTransfer
	}
	if most := id.MaxTransferBytes(); most != 0 {
		l.transfer = min(l.transfer, most)
	}
	return l
}

// LogPage reads a log page, or the part of it that req names.
//
// What one command can transfer is known after [Controller.Identify]: at most
// MDTS and 64 KiB, and more is read in parts where the drive has
// LPAExtendedData. A drive without that has no offsets: it gets one command of
// at most MDTS and 16 KiB, the result is shorter than asked for if that is not
// enough, and an offset is [ErrNotSupported]. Before Identify that holds for
// every drive, with 4096 bytes.
//
// An NSID of 0 means the controller as a whole: the command goes to
// [BroadcastNSID], and once more to 0 if the drive refuses that. KeepEvent
// holds for the last part; the others always keep the event.
func (c *Controller) LogPage(ctx context.Context, req GetLogPage) ([]byte, error) {
	limits := c.limits.Load()
	if limits == nil {
		limits = &logLimits{transfer: safeTransfer}
	}
	return c.readLog(ctx, req, limits)
}

func (c *Controller) readLog(ctx context.Context, req GetLogPage, limits *logLimits) ([]byte, error) {
	if req.Bytes <= 0 {
		return nil, fmt.Errorf("get log page %v: length of %d bytes", req.LID, req.Bytes)
	}
	if !limits.offsets {
		if req.Offset != 0 {
			return nil, fmt.Errorf("get log page %v: offset %d: %w", req.LID, req.Offset, ErrNotSupported)
		}
		req.Bytes = min(req.Bytes, int(limits.transfer))
	}
	page := make([]byte, (req.Bytes+3)/4*4)
	if err := c.readParts(ctx, req, page, int(limits.transfer)); err != nil {
		return nil, err
	}
	return page[:req.Bytes], nil
}

// readParts fills page with commands of at most most bytes.
func (c *Controller) readParts(ctx context.Context, req GetLogPage, page []byte, most int) error {
	whole := req.NSID == 0
	if whole {
		req.NSID = BroadcastNSID
	}
	for len(page) > 0 {
		part := page[:min(len(page), most)]
		page = page[len(part):]
		g := req
		g.KeepEvent = req.KeepEvent || len(page) > 0
		err := c.do(ctx, g.Command(part))
		if err != nil && whole && refusesNSID(err) {
			req.NSID, g.NSID = 0, 0
			err = better(err, c.do(ctx, g.Command(part)))
		}
		if err != nil {
			return err
		}
		whole = false
		req.Offset += uint64(len(part))
	}
	return nil
}

func refusesNSID(err error) bool {
	return errors.Is(err, StatusInvalidField) || errors.Is(err, StatusInvalidNamespace)
}

// better returns the outcome of a second attempt, or the error of the first if
// the second only says that the other NSID is not valid either.
func better(first, second error) error {
	if refusesNSID(second) {
		return first
	}
	return second
}

// SMARTLog returns the SMART / Health Information log of the controller.
// Reading does not clear events.
func (c *Controller) SMARTLog(ctx context.Context) (*SMARTLog, error) {
	page, err := c.LogPage(ctx, GetLogPage{LID: LIDSMART, Bytes: smartLogBytes, KeepEvent: true})
	if err != nil {
		return nil, err
	}
	l := new(SMARTLog)
	return l, l.UnmarshalBinary(page)
}

// ErrorLog returns the entries of the Error Information log, newest first and
// without empty ones: ELPE+1 of them at most, fewer where the drive cannot
// transfer all. A nil id stands for [Controller.Identify]. Reading does not
// clear events.
func (c *Controller) ErrorLog(ctx context.Context, id *IdentifyController) (ErrorLog, error) {
	if id == nil {
		var err error
		if id, err = c.Identify(ctx); err != nil {
			return nil, err
		}
	}
	req := GetLogPage{LID: LIDError, Bytes: (int(id.ELPE) + 1) * errorLogEntryBytes, KeepEvent: true}
	page, err := c.readLog(ctx, req, logLimitsOf(id))
	if err != nil {
		return nil, err
	}
	var l ErrorLog
	return l, l.UnmarshalBinary(page)
}

// FirmwareSlotLog returns the Firmware Slot Information log. Reading does not
// clear events.
func (c *Controller) FirmwareSlotLog(ctx context.Context) (*FirmwareSlotLog, error) {
	page, err := c.LogPage(ctx, GetLogPage{LID: LIDFirmwareSlot, Bytes: firmwareSlotLogBytes, KeepEvent: true})
	if err != nil {
		return nil, err
	}
	l := new(FirmwareSlotLog)
	return l, l.UnmarshalBinary(page)
}

// SanitizeLog returns the Sanitize Status log. Ask only where SANICAP is not 0:
// that is not checked here. Reading does not clear events.
func (c *Controller) SanitizeLog(ctx context.Context) (*SanitizeLog, error) {
	page, err := c.LogPage(ctx, GetLogPage{LID: LIDSanitize, Bytes: sanitizeLogBytes, KeepEvent: true})
	if err != nil {
		return nil, err
	}
	l := new(SanitizeLog)
	return l, l.UnmarshalBinary(page)
}

// SelfTestLog returns the Device Self-test log. Ask only where OACSSelfTest is
// set: that is not checked here. Reading does not clear events.
func (c *Controller) SelfTestLog(ctx context.Context) (*SelfTestLog, error) {
	page, err := c.LogPage(ctx, GetLogPage{LID: LIDSelfTest, Bytes: selfTestLogBytes, KeepEvent: true})
	if err != nil {
		return nil, err
	}
	l := new(SelfTestLog)
	return l, l.UnmarshalBinary(page)
}
