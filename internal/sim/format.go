package sim

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"qd1.example/qd1/nvme"
)

// formatting is the Format NVM command that is in progress. The data are what
// they will be from its start on: until its end nobody sees them.
type formatting struct {
	span
	nsids []nvme.NSID
	// before has the namespaces as they were, for a loss of power.
	before map[nvme.NSID]*namespace
}

// Values of Secure Erase Settings.
const (
	eraseNone   = 0
	eraseUser   = 1
	eraseCrypto = 2
)

// formatRequest is what CDW10 of Format NVM asks for.
type formatRequest struct{ lbaf, ses, pi int }

// parseFormat returns the fields of CDW10. The others, MSET and PIL, say where
// metadata lie, of which the model has none.
//
// Source: NVM Express Base Specification, Revision 2.0, Format NVM command:
// LBAF bits 13:12 and 3:0, PI bits 7:5, SES bits 11:9.
func parseFormat(cdw10 uint32) formatRequest {
	return formatRequest{
		lbaf: int(cdw10&0xF | cdw10>>12&3<<4), ses: int(cdw10 >> 9 & 7), pi: int(cdw10 >> 5 & 7),
	}
}

// formatNVM answers the Format NVM command. It takes the time of the profile,
// in which other commands wait or are refused; see gate.
func (c *controller) formatNVM(cmd *nvme.Command) reply {
	if s := c.forbids(cmd.Opcode); s != nvme.StatusSuccess {
		return refuse(s, nowhere)
	}
	req := parseFormat(cmd.CDW10)
	nsids, bad := c.formatScope(cmd.NSID, req)
	if !bad.ok() {
		return bad
	}
	if bad := c.checkFormat(nsids, req); !bad.ok() {
		return bad
	}
	if s := c.anyProtected(nsids); s != nvme.StatusSuccess {
		return refuse(s, inNSID)
	}
	c.abortSelfTest(nvme.SelfTestAbortedByFormat)
	c.beginFormat(cmd, nsids, req)
	return reply{status: c.lie.failed(), where: nowhere, end: c.after(c.format.end)}
}

// formatScope returns the namespaces that a format is about.
//
// Source: NVM Express Base Specification, Revision 2.0, Format NVM command, and
// Identify Controller, FNA: bit 0, a format, or bit 1, a secure erase, goes to
// all namespaces whatever NSID is given; bit 3, the broadcast value is an
// Invalid Field in Command.
func (c *controller) formatScope(nsid nvme.NSID, req formatRequest) ([]nvme.NSID, reply) {
	s := c.spaces.Load()
	all := c.lie.scope(c.id.FNA&nvme.FNAFormatAll != 0 || req.ses != eraseNone && c.id.FNA&nvme.FNAEraseAll != 0)
	switch {
	case nsid == nvme.BroadcastNSID && c.id.FNA&nvme.FNANoBroadcast != 0:
		return nil, refuse(nvme.StatusInvalidField, inNSID)
	case nsid == nvme.BroadcastNSID:
		return s.ids(0, false), reply{}
	case s.active(nsid) == nil:
		return nil, c.noNamespace(nsid)
	case all:
		return s.ids(0, false), reply{}
	}
	return []nvme.NSID{nsid}, reply{}
}

// checkFormat refuses what the drive cannot be formatted to. The model keeps no
// metadata: a format with metadata, and thus protection information, is not
// available.
//
// Source: NVM Express Base Specification, Revision 2.0, Format NVM command -
// Command Specific Status Values: Invalid Format for an LBA format that is not
// supported or not available, or without room for protection information;
// Identify Controller, FNA bit 2: cryptographic erase.
func (c *controller) checkFormat(nsids []nvme.NSID, req formatRequest) reply {
	const typesOfProtection = 3
	switch {
	case req.ses > eraseCrypto, req.ses == eraseCrypto && c.id.FNA&nvme.FNACryptoErase == 0:
		return refuse(nvme.StatusInvalidField, inCDW10+1)
	case req.pi > typesOfProtection:
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	for _, nsid := range nsids {
		n := c.spaces.Load().at(nsid)
		formats := n.id.Formats()
		if req.lbaf >= len(formats) || req.pi != 0 || !n.takes(formats[req.lbaf]) {
			return refuse(nvme.StatusInvalidFormat, inCDW10)
		}
	}
	return reply{}
}

// takes reports whether a namespace can have a format: one that is available,
// without metadata, and with a block that is not larger than the namespace.
func (n *namespace) takes(f nvme.LBAFormat) bool {
	return f.DataBytes() != 0 && f.MetadataBytes == 0 && uint64(n.capacity()) >= f.DataBytes()
}

// beginFormat gives the namespaces their new format and data, and starts the
// time that it takes.
func (c *controller) beginFormat(cmd *nvme.Command, nsids []nvme.NSID, req formatRequest) {
	c.format = formatting{
		span: c.lie.span(c.begins(), c.personality.work.format(req.ses)), nsids: nsids,
		before: map[nvme.NSID]*namespace{},
	}
	c.erasedAt.Store(c.format.end.UnixNano())
	if !c.personality.formatAnswers {
		c.heldUntil = c.format.end
	}
	c.remember(nvme.EventFormatStart, appendDwords(nil, uint32(cmd.NSID), uint32(c.id.FNA), cmd.CDW10))
	c.generation++
	change := map[nvme.NSID]*namespace{}
	for _, nsid := range nsids {
		c.format.before[nsid] = c.spaces.Load().at(nsid)
		change[nsid] = c.formatted(c.format.before[nsid], req)
	}
	c.publish(change)
	c.activity.changed.Store(true)
	if d := c.format.end.Sub(c.now()); d > 0 {
		c.setAlarm(d)
	}
}

// formatted returns a namespace after a format. A format without secure erase
// leaves the data where the profile says so and the block size stays.
func (c *controller) formatted(n *namespace, req formatRequest) *namespace {
	next := *n
	next.id.FLBAS = uint8(req.lbaf&0xF | req.lbaf>>4<<5)
	next.id.DPS = 0
	next.id.NSZE = uint64(n.capacity()) / next.id.Format().DataBytes()
	next.id.NCAP, next.id.NUSE = next.id.NSZE, next.id.NSZE
	if req.ses == eraseNone && c.personality.formatKeeps && next.blockBytes() == n.blockBytes() {
		return &next
	}
	next.store = c.erasedBy(c.lie, &next, n, req.ses != eraseCrypto || c.personality.cryptoZeroes, 0)
	return &next
}

// retire ends the use of a namespace's store that another has replaced. now may
// be nil.
func (c *controller) retire(old, now *namespace) {
	if now == nil {
		old.store.release()
		return
	}
	now.store.leave(old.store)
}

func (c *controller) cacheIsOn() bool {
	return c.id.VWC&1 != 0 && c.feature(nvme.FIDVolatileWriteCache).dword&1 != 0
}

// settleFormat ends a format that is due.
func (c *controller) settleFormat(now time.Time) {
	if !c.heldUntil.IsZero() && !now.Before(c.heldUntil) {
		c.heldUntil = time.Time{}
		c.publish(nil)
	}
	if !now.Before(c.format.end) {
		c.endFormat()
	}
}

// endFormat ends a format that is in progress.
func (c *controller) endFormat() {
	f := c.format
	if f.end.IsZero() {
		return
	}
	for nsid, old := range f.before {
		if now := c.spaces.Load().at(nsid); now == nil || now.store != old.store {
			c.retire(old, now)
		}
	}
	c.format = formatting{}
	c.publish(nil)
	nsid := nvme.BroadcastNSID
	if len(f.nsids) == 1 {
		nsid = f.nsids[0]
	}
	c.remember(nvme.EventFormatCompletion, appendDwords(nil, uint32(nsid), 0, 0))
	for _, id := range f.nsids {
		c.noteChanged(id)
	}
}

// breakFormat ends a format that lost its power when a share of it was done, 0
// to 1. What it is like then is not specified; here the namespaces have their
// old format, and that share of their data is erased.
func (c *controller) breakFormat(done float64) {
	f := c.format
	if f.end.IsZero() {
		c.heldUntil = time.Time{}
		c.publish(nil)
		return
	}
	for nsid, old := range f.before {
		if s := c.spaces.Load().at(nsid).store; s != old.store {
			s.detach()
			s.release()
			old.store.wipe(int64(float64(old.bytes()/pageBytes) * done))
		}
	}
	c.format, c.heldUntil = formatting{}, time.Time{}
	c.publish(f.before)
}

// formats reports whether a namespace is being formatted.
func (c *controller) formats(nsid nvme.NSID) bool {
	return !c.format.end.IsZero() && (nsid == nvme.BroadcastNSID || slices.Contains(c.format.nsids, nsid))
}

// formatProgress returns the Format Progress Indicator, 0 if the drive has
// none.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Identify
// Namespace data structure, FPI: bit 7 supported, bits 6:0 percent that
// remains.
func (c *controller) formatProgress(n *namespace) uint8 {
	const supported = 0x80
	if n.id.FPI&supported == 0 || !c.formats(n.nsid) {
		return n.id.FPI & supported
	}
	rest := math.Round(100 * (1 - c.format.share(c.now())))
	return supported | uint8(max(1, min(rest, 99)))
}

// appendDwords appends little-endian dwords.
func appendDwords(b []byte, dwords ...uint32) []byte {
	for _, d := range dwords {
		b = binary.LittleEndian.AppendUint32(b, d)
	}
	return b
}
