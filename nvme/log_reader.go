package nvme

import (
	"context"
	"fmt"
)

// logReader reads one log page part by part, with one command a part, so that
// the caller says how the parts are cut and in which order they come.
type logReader struct {
	c      *Controller
	req    GetLogPage
	limits *logLimits
}

// logReader returns a reader of the page that req names. What one command can
// transfer follows id.
func (c *Controller) logReader(req GetLogPage, id *IdentifyController) *logReader {
	req.KeepEvent = true
	return &logReader{c: c, req: req, limits: logLimitsOf(id)}
}

// first reads the start of the page with a Log Specific Parameter of its own. It
// finds out which NSID the drive takes for the controller as a whole, so that no
// later command is refused for that.
func (r *logReader) first(ctx context.Context, b []byte, lsp uint8) error {
	g := r.req
	g.LSP = lsp
	if g.NSID != 0 {
		return r.c.do(ctx, g.Command(b))
	}
	g.NSID = BroadcastNSID
	r.req.NSID = BroadcastNSID
	err := r.c.do(ctx, g.Command(b))
	if err == nil || !refusesNSID(err) {
		return err
	}
	g.NSID, r.req.NSID = 0, 0
	return better(err, r.c.do(ctx, g.Command(b)))
}

// part reads the part of the page at an offset. Its length must not be over
// transfer.
func (r *logReader) part(ctx context.Context, b []byte, offset uint64) error {
	g := r.req
	g.Offset = offset
	if err := r.c.do(ctx, g.Command(b)); err != nil {
		return fmt.Errorf("bytes %d to %d: %w", offset, offset+uint64(len(b))-1, err)
	}
	return nil
}

// transfer is the most bytes of one command, a multiple of unit.
func (r *logReader) transfer(unit uint64) uint64 { return max(r.limits.transfer/unit*unit, unit) }

// reach is how many bytes of a page can be read at all: without offsets those of
// one command.
func (r *logReader) reach(bytes, unit uint64) uint64 {
	if r.limits.offsets {
		return bytes
	}
	return min(bytes, r.transfer(unit))
}
