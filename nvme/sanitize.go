package nvme

import "fmt"

// SanitizeAction is Sanitize Action (SANACT) of Sanitize. Other values are
// reserved or newer than revision 2.0.
type SanitizeAction uint8

// The sanitize actions. The first starts nothing: it ends the failure mode of
// an operation that failed.
const (
	SanitizeExitFailureMode SanitizeAction = 1
	SanitizeBlockErase      SanitizeAction = 2
	SanitizeOverwrite       SanitizeAction = 3
	SanitizeCryptoErase     SanitizeAction = 4
)

var sanitizeActionNames = map[SanitizeAction]string{
	SanitizeExitFailureMode: "Exit Failure Mode",
	SanitizeBlockErase:      "Block Erase",
	SanitizeOverwrite:       "Overwrite",
	SanitizeCryptoErase:     "Crypto Erase",
}

// String returns the name of the action, or "action N" for an unknown one.
func (a SanitizeAction) String() string {
	if name, ok := sanitizeActionNames[a]; ok {
		return name
	}
	return fmt.Sprintf("action %d", uint8(a))
}

// maxOverwritePasses is the most that OWPASS of 4 bits can ask for, as 0.
const maxOverwritePasses = 16

// Sanitize is the Sanitize command (admin 84h), which addresses the whole NVM
// subsystem whatever the namespace. SANICAP of Identify Controller says which
// actions there are.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize command.
type Sanitize struct {
	// Action is what is done.
	Action SanitizeAction
	// AllowUnrestrictedExit (AUSE) lets the drive be used again after an
	// operation that failed, without one that succeeded.
	AllowUnrestrictedExit bool
	// OverwritePasses (OWPASS) is how often an Overwrite writes, 1 to 16. 0
	// stands for 1, and more than 16 for 16.
	OverwritePasses uint8
	// Invert (OIPBP) makes an Overwrite invert the pattern from pass to pass.
	Invert bool
	// NoDeallocate (NDAS) asks to keep the blocks allocated afterwards, so that
	// what the medium holds can be read. The drive may not allow it.
	NoDeallocate bool
	// Pattern (OVRPAT) is what an Overwrite writes.
	Pattern uint32
}

const (
	sanitizeAUSE  = 1 << 3
	sanitizeOIPBP = 1 << 8
	sanitizeNDAS  = 1 << 9
)

// Command returns the command, with an NSID of 0. The fields of Overwrite are
// only sent for that.
func (s Sanitize) Command() *Command {
	cmd := &Command{Queue: AdminQueue, Opcode: AdminSanitize, CDW10: uint32(s.Action & 7)}
	if s.AllowUnrestrictedExit {
		cmd.CDW10 |= sanitizeAUSE
	}
	if s.NoDeallocate {
		cmd.CDW10 |= sanitizeNDAS
	}
	if s.Action != SanitizeOverwrite {
		return cmd
	}
	passes := min(max(s.OverwritePasses, 1), maxOverwritePasses)
	cmd.CDW10 |= uint32(passes&0xF) << 4
	if s.Invert {
		cmd.CDW10 |= sanitizeOIPBP
	}
	cmd.CDW11 = s.Pattern
	return cmd
}

// ParseSanitize returns what a Sanitize command asks for. The opcode is not
// looked at. The fields of Overwrite are zero for other actions, which ignore
// them.
func ParseSanitize(c *Command) Sanitize {
	s := Sanitize{
		Action:                SanitizeAction(c.CDW10 & 7),
		AllowUnrestrictedExit: c.CDW10&sanitizeAUSE != 0,
		NoDeallocate:          c.CDW10&sanitizeNDAS != 0,
	}
	if s.Action != SanitizeOverwrite {
		return s
	}
	s.OverwritePasses = uint8(c.CDW10 >> 4 & 0xF)
	if s.OverwritePasses == 0 {
		s.OverwritePasses = maxOverwritePasses
	}
	s.Invert = c.CDW10&sanitizeOIPBP != 0
	s.Pattern = c.CDW11
	return s
}
