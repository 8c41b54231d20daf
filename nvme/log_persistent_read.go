package nvme

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// The actions of Get Log Page for the Persistent Event log, in the Log Specific
// Parameter.
//
// Source: NVM Express Base Specification, Revision 2.1, Persistent Event Log -
// Log Specific Parameter Field.
const (
	PersistentEventRead      uint8 = 0
	PersistentEventEstablish uint8 = 1
	PersistentEventRelease   uint8 = 2
)

const (
	persistentHeaderBytes = 512
	// atTotalLogLength is Total Log Length in the header.
	atTotalLogLength = 8
	// persistentUnit is the unit of Persistent Event Log Size (PELS).
	persistentUnit = 64 << 10
	// mostPersistent is what a log is read of where the drive gives no size.
	mostPersistent = 64 << 20
	// releaseTimeout is for the command that is also sent after the end of the
	// context.
	releaseTimeout = 5 * time.Second
)

// ErrPersistentEventContext says that the drive has a reporting context already:
// somebody reads the log now, or began to and did not end it.
var ErrPersistentEventContext = errors.New("a reporting context of the Persistent Event log exists already")

// PersistentEventLog establishes a reporting context, reads the whole Persistent
// Event log and releases the context, whatever happens in between: also on an
// error and after the end of ctx. Beside an error it returns what was read.
// Ask only where LPAPersistentEvent is set: that is not checked here. Reading
// does not clear events. progress may be nil.
func (c *Controller) PersistentEventLog(ctx context.Context, id *IdentifyController, progress func(done, total uint64)) (page []byte, err error) {
	r := c.logReader(GetLogPage{LID: LIDPersistentEvent}, id)
	header := make([]byte, persistentHeaderBytes)
	err = r.first(ctx, header, PersistentEventEstablish)
	switch {
	case errors.Is(err, StatusCommandSequenceError):
		return nil, fmt.Errorf("%w: %w", ErrPersistentEventContext, err)
	case err != nil && isStatus(err):
		return nil, err // No context came of it.
	}
	defer func() {
		if e := r.release(ctx); err == nil {
			err = e
		}
	}()
	if err != nil {
		return nil, err // Whether there is a context is not known.
	}
	return r.events(ctx, header, mostOfLog(id), progress)
}

// ReleasePersistentEventLog ends the reporting context of the Persistent Event
// log, whoever made it. Without one it does nothing.
func (c *Controller) ReleasePersistentEventLog(ctx context.Context, id *IdentifyController) error {
	r := c.logReader(GetLogPage{LID: LIDPersistentEvent}, id)
	return r.first(ctx, make([]byte, persistentHeaderBytes), PersistentEventRelease)
}

func isStatus(err error) bool {
	var status Status
	return errors.As(err, &status)
}

// mostOfLog bounds the length of the log, which the drive tells in the page.
func mostOfLog(id *IdentifyController) uint64 {
	if id.PELS == 0 {
		return mostPersistent
	}
	return min(uint64(id.PELS)*persistentUnit, mostPersistent)
}

// events reads the log of the context that there is.
func (r *logReader) events(ctx context.Context, header []byte, most uint64, progress func(done, total uint64)) ([]byte, error) {
	total := binary.LittleEndian.Uint64(header[atTotalLogLength:])
	if total < persistentHeaderBytes || total > most {
		return header, fmt.Errorf("persistent event log: the drive says %d bytes, and has at most %d", total, most)
	}
	whole := (total + 3) / 4 * 4
	reach := r.reach(whole, 4)
	page := make([]byte, reach)
	for at := uint64(0); at < reach; {
		part := page[at:min(at+r.transfer(4), reach)]
		if err := r.part(ctx, part, at); err != nil {
			return page[:at], err
		}
		at += uint64(len(part))
		if progress != nil {
			progress(min(at, total), total)
		}
	}
	if reach < whole {
		return page, fmt.Errorf("persistent event log: %d of %d bytes: %w: the drive has no offsets in log pages (LPA bit 2)", reach, total, ErrNotSupported)
	}
	return page[:total], nil
}

// release ends the context. It is also sent after ctx has ended.
func (r *logReader) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	r.req.LSP = PersistentEventRelease
	if err := r.part(ctx, make([]byte, persistentHeaderBytes), 0); err != nil {
		return fmt.Errorf("the reporting context was not released: %w", err)
	}
	return nil
}
