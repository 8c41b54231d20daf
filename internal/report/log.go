package report

import (
	"context"
	"encoding/binary"
	"fmt"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
	"qd1.example/qd1/nvme/vendor"
)

// LogRequest is a log page that is wanted.
type LogRequest struct {
	// LID is the page.
	LID nvme.LID
	// NSID is the namespace. 0 is the one that the page is about by itself.
	NSID nvme.NSID
	// Bytes is how much is read. 0 is the whole page.
	Bytes int
	// Offset, LSP, UUIDIndex and CSI are as in [nvme.GetLogPage]. A CSI of 0 is that
	// of the page.
	Offset    uint64
	LSP       uint8
	UUIDIndex uint8
	CSI       uint8
	// LSI is the Log Specific Identifier, nil for the first that there can be.
	LSI *uint16
	// ClearEvent lets the reading clear the event that belongs to the page.
	ClearEvent bool
	// Force asks for the page although the drive does not list it.
	Force bool
}

// LogPage is a log page as it came, decoded where somebody knows how.
type LogPage struct {
	*SpecPage
	// WholeBytes is the length that the page itself tells, null for one that does
	// not.
	WholeBytes *uint64 `json:"whole_bytes"`
	// Vendor is what a page of the vendor means, null for others and where that is
	// not known.
	Vendor *VendorPage `json:"vendor"`
	// Hex are the bytes as they came.
	Hex vendor.Raw `json:"raw"`
}

// VendorPage is a decoded log page of the vendor.
type VendorPage struct {
	// Name is what the page is, Why says why it is taken for that.
	Name string `json:"name"`
	Why  string `json:"why"`
	// Problem says why there are no rows.
	Problem string `json:"problem,omitempty"`
	// Rows are the values.
	Rows []vendor.Row `json:"rows"`
}

// LogReader reads log pages of a drive. It asks only for pages that the drive
// lists: in the Supported Log Pages log page where there is one, or else in
// Identify Controller.
type LogReader struct {
	*Session
	supported []byte
}

// Logs returns a reader of the drive's log pages.
func (s *Session) Logs() *LogReader { return &LogReader{Session: s} }

// list reads the Supported Log Pages log page once. It is nil for a drive
// without.
func (r *LogReader) list(ctx context.Context) ([]byte, error) {
	if r.supported != nil || r.ID.LPA&nvme.LPASupportedLogs == 0 {
		return r.supported, nil
	}
	page, err := r.LogPage(ctx, nvme.GetLogPage{LID: nvme.LIDSupportedLogs, Bytes: 1024, KeepEvent: true})
	if err != nil {
		return nil, problemOf(err)
	}
	if zero, ones := nvme.IsBlankPage(page); !zero && !ones {
		r.supported = page
	}
	return r.supported, nil
}

// vendorLog returns the vendor's log page of that number, nil if drives of this
// family are not known to have it.
func (r *LogReader) vendorLog(lid nvme.LID) *vendor.Log {
	vid := r.ID.VID
	if p := r.Identity.PCI; p != nil {
		vid = p.VendorID
	}
	for _, l := range vendor.Logs(r.ID, vid, r.Identity.Model) {
		if l.LID == lid {
			return &l
		}
	}
	return nil
}

// Listed reports whether the drive lists a page, and if not, why it is not asked
// for.
func (r *LogReader) Listed(ctx context.Context, lid nvme.LID) (bool, string, error) {
	list, err := r.list(ctx)
	if err != nil {
		return false, "", err
	}
	v := r.vendorLog(lid)
	switch page, known := spec.LogPageOf(lid); {
	case v != nil && v.Changes != "":
		return false, v.Changes, nil
	case list != nil && lid != nvme.LIDSupportedLogs:
		const supported = 1
		if binary.LittleEndian.Uint32(list[4*int(lid):])&supported != 0 {
			return true, "", nil
		}
		return false, "the Supported Log Pages log page of the drive does not list it", nil
	case known:
		ok, why := page.When.Listed(r.ID)
		return ok, why, nil
	case v != nil:
		return true, "", nil
	}
	return false, "nothing tells whether the drive has it", nil
}

// Read reads a log page, if the drive lists it or req.Force is set.
func (r *LogReader) Read(ctx context.Context, req LogRequest) (*LogPage, error) {
	if !req.Force {
		ok, why, err := r.Listed(ctx, req.LID)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, NotListed(logTitle(req.LID), why)
		}
	}
	page, known := spec.LogPageOf(req.LID)
	get, err := r.command(ctx, req, page)
	if err != nil {
		return nil, err
	}
	raw, whole, err := r.bytes(ctx, req, get, page)
	if err != nil && len(raw) == 0 {
		return nil, r.beyond(problemOf(err), req, page)
	}
	out, e := r.decode(req, get, page, known, raw)
	if e != nil {
		return nil, e
	}
	out.WholeBytes = whole
	if req.LSI == nil && get.LSI != 0 {
		out.Text = fmt.Sprintf("%s %d, as none was named; --lsi names another", page.Selects, get.LSI)
	}
	if err != nil {
		out.Text = "NOT WHOLE: " + err.Error()
		return out, problemOf(err)
	}
	return out, nil
}

// beyond says how long the page is, if the offset is not in it.
func (r *LogReader) beyond(p *Problem, req LogRequest, page spec.LogPage) *Problem {
	if page.Length == nil || page.Whole != nil || p.Hint != "" {
		return p
	}
	if bytes := page.Length(r.ID); req.Offset >= uint64(bytes) {
		p.Hint = fmt.Sprintf("the page has %d bytes: an offset is at most %d", bytes, bytes-4)
	}
	return p
}

func logTitle(lid nvme.LID) string { return fmt.Sprintf("log page %02Xh (%v)", uint8(lid), lid) }

// defaultLogBytes is how much is read of a page whose length nobody knows.
const defaultLogBytes = 512

// command is what the drive is asked for at first.
func (r *LogReader) command(ctx context.Context, req LogRequest, page spec.LogPage) (nvme.GetLogPage, error) {
	g := nvme.GetLogPage{
		LID: req.LID, NSID: req.NSID, Bytes: req.Bytes, Offset: req.Offset, LSP: req.LSP,
		UUIDIndex: req.UUIDIndex, CSI: req.CSI, KeepEvent: !req.ClearEvent,
	}
	if g.CSI == 0 {
		g.CSI = page.CSI
	}
	switch {
	case req.LSI != nil:
		g.LSI = *req.LSI
	case page.Selects == "endurance group", page.Selects == "NVM set":
		g.LSI = 1
	}
	if g.NSID == 0 && page.Needs.Has(spec.NeedNSID) {
		nsid, err := r.DefaultNSID(ctx)
		if err != nil {
			return g, err
		}
		g.NSID = nsid
	}
	if g.Bytes == 0 {
		g.Bytes = r.length(req.LID, page)
	}
	return g, nil
}

func (r *LogReader) length(lid nvme.LID, page spec.LogPage) int {
	if page.Length != nil {
		return page.Length(r.ID)
	}
	if v := r.vendorLog(lid); v != nil {
		return v.Bytes
	}
	return defaultLogBytes
}

// mostLog bounds a page that is kept in memory.
const mostLog = 16 << 20

// bytes reads the page: its start, and the rest that the start tells of.
func (r *LogReader) bytes(ctx context.Context, req LogRequest, g nvme.GetLogPage, page spec.LogPage) ([]byte, *uint64, error) {
	if g.LID == nvme.LIDPersistentEvent && req.Bytes == 0 && req.Offset == 0 && req.LSP == 0 {
		raw, err := r.PersistentEventLog(ctx, r.ID, nil)
		return raw, nil, persistentProblem(err)
	}
	last := g.KeepEvent
	g.KeepEvent = g.KeepEvent || page.Whole != nil && req.Bytes == 0
	raw, err := r.LogPage(ctx, g)
	if err != nil || page.Whole == nil || req.Bytes != 0 || req.Offset != 0 {
		return raw, nil, err
	}
	whole := page.Whole(raw)
	if whole > mostLog {
		return raw, &whole, fmt.Errorf("the page says that it has %d bytes; --log-len reads a part", whole)
	}
	g.Bytes, g.KeepEvent = max(int(whole), g.Bytes), last
	if g.Bytes == len(raw) && last {
		return raw, &whole, nil
	}
	raw, err = r.LogPage(ctx, g)
	if err == nil && uint64(len(raw)) < whole {
		err = fmt.Errorf("%d of %d bytes: the drive has no offsets in log pages (LPA bit 2)", len(raw), whole)
	}
	return raw, &whole, err
}

// decode applies the table of the specification or the layout of the vendor.
func (r *LogReader) decode(req LogRequest, g nvme.GetLogPage, page spec.LogPage, known bool, raw []byte) (*LogPage, error) {
	table, name := page.Structure, page.Name
	if !known {
		name = fmt.Sprintf("0x%02x", uint8(req.LID))
	}
	if req.Offset != 0 || table != nil && len(raw) < table.Bytes {
		table = nil // A part of the page: its bytes are all that there is.
	}
	p, err := NewSpecPage(name, table, raw, logParameters(g, page))
	if err != nil {
		return nil, err
	}
	if p.Title == "" {
		p.Title = req.LID.String()
	}
	out := &LogPage{SpecPage: p, Hex: raw}
	if req.Offset != 0 {
		return out, nil
	}
	if v := r.vendorLog(req.LID); v != nil {
		out.Vendor = newVendorPage(*v, raw)
	} else if v, ok := vendor.Identified(req.LID, raw); ok && !known {
		out.Vendor = newVendorPage(v, raw)
	}
	return out, nil
}

func newVendorPage(l vendor.Log, raw []byte) *VendorPage {
	v := &VendorPage{Name: l.Name, Why: l.Why}
	value, err := l.Decode(raw)
	if err != nil {
		v.Problem = err.Error()
		return v
	}
	v.Rows = value.Rows()
	return v
}

// logParameters are what the drive was asked for, as far as it says something.
func logParameters(g nvme.GetLogPage, page spec.LogPage) map[string]uint64 {
	p := map[string]uint64{"lid": uint64(g.LID)}
	for name, v := range map[string]uint64{"nsid": uint64(g.NSID), "lsp": uint64(g.LSP), "csi": uint64(g.CSI), "uuid_index": uint64(g.UUIDIndex), "offset": g.Offset, "lsi": uint64(g.LSI)} {
		if v != 0 || name == "lsi" && page.Selects != "" {
			p[name] = v
		}
	}
	return p
}
