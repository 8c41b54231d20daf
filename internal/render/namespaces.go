package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/nsjob"
	"qd1.example/qd1/nvme"
)

// Inventory writes the namespaces of a drive and the room for more. Like all
// pages of a technical kind it is English only.
func Inventory(w io.Writer, d Part, v *nsjob.Inventory, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.inventory(v)
	return p.writeTo(w)
}

func (p *page) inventory(v *nsjob.Inventory) {
	p.line("")
	p.table([]pair{
		{"capacity", capacityText(v.Total)}, {"unallocated", capacityText(v.Unallocated)},
		{"namespaces", fmt.Sprintf("%d of at most %d", len(v.Namespaces), v.Most)},
		{"management", managementText(v)}, {"controllers", controllersText(v)}, {"LBA formats", formatsText(v.Formats)},
	})
	if len(v.Namespaces) == 0 {
		return
	}
	p.line("")
	g := &grid{columns: []column{
		{head: "NSID"}, {head: "size"}, {head: "blocks"}, {head: "LBA"}, {head: "attached to", left: true}, {head: "block device", left: true},
		{head: "kind", left: true, spare: 2}, {head: "identifier", left: true, spare: 3},
	}}
	for i := range v.Namespaces {
		g.rows = append(g.rows, gridRow{cells: namespaceCells(&v.Namespaces[i])})
	}
	p.grid(g)
}

func namespaceCells(n *nsjob.Namespace) []piece {
	kind, device, id := "private", "none", n.NGUID
	if n.Shared {
		kind = "shared"
	}
	if n.Block != "" {
		device = "/dev/" + n.Block
	}
	if id == "" {
		id = n.EUI64
	}
	lba := fmt.Sprint(n.LBABytes)
	if n.MetadataBytes != 0 {
		lba += fmt.Sprintf(" + %d", n.MetadataBytes)
	}
	cells := []piece{}
	for _, text := range []string{fmt.Sprint(n.NSID), size(n.Bytes), fmt.Sprint(n.Blocks), lba + nbsp + "B", attachedText(n), device, kind, id} {
		cells = append(cells, piece{Plain, text})
	}
	return cells
}

// attachedText says to which controllers a namespace is attached.
func attachedText(n *nsjob.Namespace) string {
	switch {
	case len(n.Controllers) > 0:
		return idList(n.Controllers)
	case n.Attached:
		return "this one"
	}
	return "none"
}

func idList(ids []uint16) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = fmt.Sprint(id)
	}
	return strings.Join(words, ", ")
}

func capacityText(bytes *uint64) string {
	if bytes == nil {
		return "not reported"
	}
	return exactBytes(int64(min(*bytes, 1<<63-1)))
}

func managementText(v *nsjob.Inventory) string {
	if !v.Management {
		return "none: the drive has the namespaces that it was made with (OACS bit 3 is 0)"
	}
	if v.Thin {
		return "yes, with thin provisioning"
	}
	return "yes"
}

func controllersText(v *nsjob.Inventory) string {
	if v.Controllers == nil {
		return ""
	}
	return fmt.Sprintf("%s (this one is %d)", idList(v.Controllers), v.Controller)
}

func formatsText(formats []nsjob.Format) string {
	var words []string
	for _, f := range formats {
		text := fmt.Sprintf("%d: %d", f.LBAF, f.LBABytes) + nbsp + "B"
		if f.MetadataBytes != 0 {
			text += fmt.Sprintf(" + %d", f.MetadataBytes) + nbsp + "B metadata"
		}
		if f.CapacityStep != 0 {
			text += ", in units of " + size(f.CapacityStep)
		}
		words = append(words, text)
	}
	return strings.Join(words, " · ")
}

// NamespaceChange is a change of the namespaces and what came of it, for
// [NamespaceChanged].
type NamespaceChange struct {
	Change *nsjob.Change
	// Before and After are what the drive has; After is nil until it was sent.
	Before, After *nsjob.Inventory
	Guarded       Guarded
	Sent          bool
	Outcome       string
	Failed        bool
	// Next is the next step, "" for none.
	Next string
}

// NamespaceChanged writes a change of the namespaces, before or after.
func NamespaceChanged(w io.Writer, d Part, c *NamespaceChange, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	p.heading(outcomePiece(c.Sent, c.Failed), piece{Strong, changeTitle(c.Change)}, piece{Plain, c.Outcome})
	p.table(slices.Concat(createRows(c.Change.Create), []pair{
		{"command", commandLine(c.Change.Command)}, {"unallocated", unallocatedText(c)}, {"next", c.Next},
	}))
	if c.Sent {
		p.checks(Warn, "warning", c.Change.Checks, func(*guard.Check) bool { return true })
	} else {
		p.guarded(&c.Guarded)
	}
	if c.After != nil {
		p.inventory(c.After)
	}
	return p.writeTo(w)
}

// outcomePiece is the word for a job.
func outcomePiece(sent, failed bool) piece {
	switch {
	case failed:
		return piece{Bad, "FAILED"}
	case sent:
		return piece{Good, "DONE"}
	}
	return piece{Plain, "NOT SENT"}
}

func changeTitle(c *nsjob.Change) string {
	which := fmt.Sprintf("namespace %d", c.NSID)
	switch {
	case c.NSID == nvme.BroadcastNSID:
		which = "all namespaces"
	case c.Action == nsjob.Create:
		which = "a namespace"
	}
	title := string(c.Action) + " " + which
	if len(c.Controllers) > 0 {
		title += map[nsjob.Action]string{nsjob.Attach: " to controller ", nsjob.Detach: " from controller "}[c.Action] + idList(c.Controllers)
	}
	return title
}

// createRows say what is to be created.
func createRows(r *nsjob.CreateRequest) []pair {
	if r == nil || r.LBAF == nil {
		return nil
	}
	rows := []pair{{"size", fmt.Sprintf("%s, %d blocks of %d%sB", exactBytes(int64(min(r.Bytes, 1<<63-1))), r.Blocks, r.LBABytes, nbsp)}}
	if r.CapacityBlocks != r.Blocks {
		rows = append(rows, pair{"capacity", fmt.Sprintf("%d blocks", r.CapacityBlocks)})
	}
	kind := "private: attached to one controller at a time"
	if r.Shared {
		kind = "shared: more than one controller may reach it"
	}
	return append(rows, pair{"LBA format", fmt.Sprint(*r.LBAF)}, pair{"kind", kind})
}

func unallocatedText(c *NamespaceChange) string {
	if c.Before == nil || c.Before.Unallocated == nil {
		return ""
	}
	text := capacityText(c.Before.Unallocated)
	if c.After != nil {
		text += " before, " + capacityText(c.After.Unallocated) + " now"
	}
	return text
}

// TrimResult is a trim and what came of it, for [Trimmed].
type TrimResult struct {
	Trim *nsjob.Trim
	// Block is the kernel's name of the block device, "" for none.
	Block   string
	Guarded Guarded
	// Sent is how many commands the drive has done.
	Sent    int
	Samples *nsjob.Samples
	Outcome string
	Failed  bool
}

// NotAnErase is what a trim has to say of itself.
const NotAnErase = "a trim is not an erase: the drive may keep the data, in blocks that it does not deallocate or has not cleared yet, and nothing here proves that they are gone; qd1 erase does"

// Trimmed writes a trim, before or after.
func Trimmed(w io.Writer, d Part, r *TrimResult, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	t := r.Trim
	p.heading(outcomePiece(r.Sent > 0, r.Failed), piece{Strong, fmt.Sprintf("trim namespace %d", t.NSID)}, piece{Plain, r.Outcome})
	p.table([]pair{
		{"range", rangeText(r)}, {"commands", trimCommands(t)}, {"first", commandLine(t.Command(0))},
		{"promise", t.Promise.Text}, {"samples", samplesText(r)},
	})
	p.list(Warn, "note", append(slices.Clone(t.Notes), NotAnErase))
	if r.Sent == 0 && !r.Failed {
		p.guarded(&r.Guarded)
	}
	return p.writeTo(w)
}

func rangeText(r *TrimResult) string {
	t := r.Trim
	text := fmt.Sprintf("%s from byte %d, %d blocks of %d%sB from block %d", exactBytes(int64(t.Length)), t.Start, t.Blocks, t.LBABytes, nbsp, t.FirstLBA)
	if t.Whole {
		text = fmt.Sprintf("the whole namespace: %s, %d blocks of %d%sB", exactBytes(int64(t.Length)), t.Blocks, t.LBABytes, nbsp)
	}
	return join(" · ", text, prefixed("/dev/", r.Block))
}

func trimCommands(t *nsjob.Trim) string {
	limits := "the drive reports no limits"
	if t.Limits.Reported {
		limits = fmt.Sprintf("the drive takes %d ranges, %d blocks in each, %d in all", t.Limits.Ranges, t.Limits.RangeBlocks, t.Limits.CommandBlocks)
	}
	return join(" · ", fmt.Sprintf("%d Dataset Management, deallocate", t.Commands), limits, granularityText(t))
}

func granularityText(t *nsjob.Trim) string {
	if t.Granularity == 0 {
		return ""
	}
	return "in units of " + size(t.Granularity)
}

func samplesText(r *TrimResult) string {
	s := r.Samples
	if s == nil {
		return ""
	}
	parts := []string{}
	for _, x := range []struct {
		n    int
		what string
	}{{s.Zero, "read as zeroes"}, {s.Ones, "as FFh"}, {s.Unchanged, "as before"}, {s.Other, "as something else"}, {s.Unreadable, "cannot be read"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	text := fmt.Sprintf("of %d places of %d%sB: %s", s.Count, s.Bytes, nbsp, strings.Join(parts, ", "))
	if kept, ok := s.Kept(r.Trim.Promise); ok && kept > 0 {
		text += fmt.Sprintf("; %d are not what deallocated blocks read as, so that the drive has not deallocated them, or not yet", kept)
	}
	return text
}
