package erase

import (
	"fmt"
	"strings"

	"qd1.example/qd1/nvme"
)

// commands gives the method its commands.
func (c *chooser) commands(m *Method) error {
	if !m.Technique.Formats() && (c.request.LBAF != nil || c.request.PI != nil) {
		return badRequest("use the command format for it", "%s does not change the LBA format or the protection information", m.Technique)
	}
	switch {
	case m.Technique.Sanitizes():
		m.Commands = []nvme.Command{*sanitizeCommand(m.Technique)}
	case m.Technique == ExitFailure:
		m.Commands = []nvme.Command{*nvme.Sanitize{Action: nvme.SanitizeExitFailureMode}.Command()}
	case m.Technique == Overwrite:
		for _, n := range c.targets {
			m.Commands = append(m.Commands, nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IOWrite, NSID: n.NSID})
		}
	default:
		return c.formats(m)
	}
	return nil
}

// sanitizeCommand builds the Sanitize command. A drive that fails may be left
// with the failure mode by hand: without that only a sanitize that succeeds
// would make it usable again. The record says that it failed.
func sanitizeCommand(t Technique) *nvme.Command {
	s := nvme.Sanitize{AllowUnrestrictedExit: true}
	switch t {
	case SanitizeCrypto:
		s.Action = nvme.SanitizeCryptoErase
	case SanitizeOverwrite:
		s.Action, s.OverwritePasses = nvme.SanitizeOverwrite, 1
	default:
		s.Action = nvme.SanitizeBlockErase
	}
	return s.Command()
}

// formats builds one Format NVM command a target, or as few as reach all.
func (c *chooser) formats(m *Method) error {
	var all []nvme.FormatNVM
	for _, n := range c.targets {
		f, err := c.format(n, m)
		if err != nil {
			return err
		}
		f.SES = secureErase(m.Technique)
		all = append(all, f)
	}
	all, err := c.merge(all)
	for _, f := range all {
		m.Commands = append(m.Commands, *f.Command())
	}
	return err
}

func secureErase(t Technique) nvme.SecureErase {
	switch t {
	case FormatCrypto:
		return nvme.SecureEraseCryptographic
	case FormatUserData:
		return nvme.SecureEraseUserData
	}
	return nvme.SecureEraseNone
}

// merge replaces commands for one namespace each where one reaches all: by FNA,
// or because all are meant and the drive takes the broadcast value. Namespaces
// whose formats differ keep theirs only by a command each.
func (c *chooser) merge(all []nvme.FormatNVM) ([]nvme.FormatNVM, error) {
	fna := c.facts.Controller.FNA
	if fna&nvme.FNAFormatAll != 0 {
		if err := c.sameForAll(all[0]); err != nil {
			return nil, err
		}
	}
	if len(all) <= 1 || !equalButNSID(all) {
		return all, nil
	}
	if fna&nvme.FNANoBroadcast == 0 && c.request.AllNamespaces {
		all[0].NSID = nvme.BroadcastNSID
		return all[:1], nil
	}
	if fna&nvme.FNAFormatAll != 0 {
		return all[:1], nil
	}
	return all, nil
}

// sameForAll makes sure that a format of all namespaces changes the LBA format
// of none unless asked.
func (c *chooser) sameForAll(f nvme.FormatNVM) error {
	if c.request.LBAF != nil {
		return nil
	}
	for _, n := range c.facts.Namespaces {
		if n.Identify != nil && n.Identify.FormatIndex() != int(f.LBAF) {
			return badRequest("name the LBA format that all of them are to have",
				"a format of this drive is for all namespaces (FNA bit 0), and would change namespace %d from LBA format %d to %d",
				n.NSID, n.Identify.FormatIndex(), f.LBAF)
		}
	}
	return nil
}

func equalButNSID(all []nvme.FormatNVM) bool {
	for _, f := range all[1:] {
		f.NSID = all[0].NSID
		if f != all[0] {
			return false
		}
	}
	return true
}

// format returns the format of a namespace with the LBA format, the place of
// the metadata and the protection information that it has, or that were asked
// for.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Identify
// Namespace Data Structure: FLBAS bit 4, DPS bits 2:0 and 3.
func (c *chooser) format(n Namespace, m *Method) (nvme.FormatNVM, error) {
	if n.Identify == nil {
		return nvme.FormatNVM{}, badRequest("", "identify namespace %d could not be read: its LBA format is not known", n.NSID)
	}
	index, pi := n.Identify.FormatIndex(), n.Identify.DPS&7
	now := fmt.Sprintf("namespace %d has LBA format %d and protection information type %d", n.NSID, index, pi)
	if c.request.LBAF != nil {
		index = *c.request.LBAF
	}
	if c.request.PI != nil {
		if *c.request.PI < 0 || *c.request.PI > 3 {
			return nvme.FormatNVM{}, badRequest("", "there is no protection information type %d", *c.request.PI)
		}
		pi = uint8(*c.request.PI)
	}
	if err := checkFormat(n.Identify, index, pi); err != nil {
		return nvme.FormatNVM{}, err
	}
	if index != n.Identify.FormatIndex() || pi != n.Identify.DPS&7 {
		m.Notes = append(m.Notes, fmt.Sprintf("%s: both become what was asked for, %d and %d", now, index, pi))
	}
	f := nvme.FormatNVM{NSID: n.NSID, LBAF: uint8(index), PI: pi}
	if n.Identify.LBAF[index].MetadataBytes != 0 {
		f.MetadataInLBA = n.Identify.FLBAS&0x10 != 0
		f.PIFirst = pi != 0 && n.Identify.DPS&8 != 0
		if c.request.LBAF != nil && pi == 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("LBA format %d has %d bytes of metadata with each block: Linux makes no usable block device of namespace %d then; %s", index, n.Identify.LBAF[index].MetadataBytes, n.NSID, withoutMetadata(n.Identify.Formats())))
		}
	}
	return f, nil
}

// checkFormat refuses an LBA format that the namespace does not have, or that
// has no room for protection information.
func checkFormat(n *nvme.IdentifyNamespace, index int, pi uint8) error {
	const protectionBytes = 8
	formats := n.Formats()
	if index < 0 || index >= len(formats) || formats[index].DataBytes() == 0 {
		return badRequest("formats: "+listFormats(formats), "there is no LBA format %d", index)
	}
	if pi != 0 && formats[index].MetadataBytes < protectionBytes {
		return badRequest("choose another format, or ask for protection information type 0",
			"LBA format %d has no room for protection information type %d", index, pi)
	}
	return nil
}

// withoutMetadata names the LBA formats that Linux can use as they are.
func withoutMetadata(all []nvme.LBAFormat) string {
	var parts []string
	for i, f := range all {
		if f.DataBytes() != 0 && f.MetadataBytes == 0 {
			parts = append(parts, fmt.Sprintf("%d (%d bytes)", i, f.DataBytes()))
		}
	}
	if parts == nil {
		return "this drive has no format without"
	}
	return "formats without metadata: " + strings.Join(parts, ", ")
}

// listFormats names the LBA formats that can be had.
func listFormats(all []nvme.LBAFormat) string {
	var parts []string
	for i, f := range all {
		if f.DataBytes() != 0 {
			parts = append(parts, fmt.Sprintf("%d (%d+%d bytes)", i, f.DataBytes(), f.MetadataBytes))
		}
	}
	return strings.Join(parts, ", ")
}
