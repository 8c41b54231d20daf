package nvmetcp

import "encoding/binary"

// overlayField is a field of Identify Controller that fabrics need otherwise
// than the drive has it.
type overlayField struct {
	name      string
	at, bytes int
	// value returns the new value. own is the drive's.
	value func(c *controller, own uint64) uint64
}

// The SGL Support field: SGLs without alignment, in-capsule data by offset,
// and the transport's own data block.
const sglSupport = 1<<0 | 1<<20 | 1<<21

// largestMDTS is TransferBytes as MDTS shows it.
const largestMDTS = 9

// overlayFields is the overlay, without SUBNQN, which is text. All other bytes
// of Identify Controller are the drive's.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller
// data structure; the last six fields are of NVMe over Fabrics.
func overlayFields() []overlayField {
	return []overlayField{
		{"MDTS", 77, 1, func(_ *controller, own uint64) uint64 {
			if own == 0 || own > largestMDTS {
				return largestMDTS
			}
			return own
		}},
		{"CNTLID", atControllerID, 2, func(c *controller, _ uint64) uint64 { return uint64(c.id) }},
		{"CNTRLTYPE", 111, 1, func(c *controller, own uint64) uint64 { return max(own, uint64(c.subsystem.kind)) }},
		{"KAS", 320, 2, func(_ *controller, own uint64) uint64 { return max(own, 1) }},
		{"MAXCMD", 514, 2, constant(QueueEntries)},
		{"SGLS", 536, 4, constant(sglSupport)},
		{"IOCCSZ", 1792, 4, func(c *controller, _ uint64) uint64 { return uint64(commandBytes+c.capsuleData) / 16 }},
		{"IORCSZ", 1796, 4, constant(1)},
		{"ICDOFF", 1800, 2, constant(0)},
		{"FCATT", 1802, 1, constant(0)},
		{"MSDBD", 1803, 1, constant(1)},
		{"OFCS", 1804, 2, constant(1)},
	}
}

func constant(v uint64) func(*controller, uint64) uint64 {
	return func(*controller, uint64) uint64 { return v }
}

// atSubsystemNQN is where Identify Controller has SUBNQN, 256 bytes.
const atSubsystemNQN = 768

// overlay changes an Identify Controller page to what fabrics need. A page
// that is cut short stays as it is behind its end.
func (c *controller) overlay(page []byte) {
	if len(page) < identifyBytes {
		return
	}
	for _, f := range overlayFields() {
		var b [8]byte
		copy(b[:], page[f.at:f.at+f.bytes])
		binary.LittleEndian.PutUint64(b[:], f.value(c, binary.LittleEndian.Uint64(b[:])))
		copy(page[f.at:f.at+f.bytes], b[:])
	}
	field := page[atSubsystemNQN : atSubsystemNQN+nqnFieldBytes]
	clear(field)
	copy(field, c.subsystem.NQN)
}
