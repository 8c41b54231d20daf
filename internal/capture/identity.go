package capture

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"qd1.example/qd1/nvme"
)

// identities collects what identifies a drive or its host, each once, in the
// order in which it appears.
type identities struct {
	// texts are serial numbers, without padding.
	texts []string
	// numbers are EUI-64, NGUID, UUID and host identifiers in wire order.
	numbers []string
	// nqns are NVMe Qualified Names, without padding.
	nqns []string
	seen map[string]bool
}

func (ids *identities) add(rec *record) {
	switch {
	case rec == nil:
	case rec.Path != "" && rec.Text != nil:
		ids.addSysfs(path.Base(rec.Path), strings.TrimSpace(*rec.Text))
	case rec.Queue == nvme.AdminQueue.String():
		for _, f := range identityFields(&rec.exchange) {
			ids.addField(f)
		}
	}
}

// fieldKind says how a field identifies.
type fieldKind uint8

const (
	serialField fieldKind = iota
	numberField
	nqnField
)

// identityField is the place of an identity in the data of a command.
type identityField struct {
	kind fieldKind
	data []byte
}

// identityFields returns the fields of e's data that identify. They share the
// memory of the data; what the data is too short for is left out.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Command, Persistent
// Event Log, and Host Identifier of Get Features; NVM Command Set Specification, Revision
// 1.0, Identify Namespace Data Structure.
func identityFields(e *exchange) []identityField {
	d := e.Data
	switch {
	case e.Opcode == nvme.AdminGetLogPage && nvme.LID(e.CDW10) == nvme.LIDPersistentEvent && e.CDW12|e.CDW13 == 0:
		return slots(d, slot{serialField, 56, 76}, slot{nqnField, 116, 372})
	case e.Opcode == nvme.AdminGetFeatures && uint8(e.CDW10) == featureHostIdentifier:
		return []identityField{{numberField, d[:min(len(d), 16)]}}
	case e.Opcode != nvme.AdminIdentify:
		return nil
	}
	switch nvme.CNS(e.CDW10) {
	case nvme.CNSController:
		return slots(d, slot{serialField, 4, 24}, slot{numberField, 112, 128}, slot{nqnField, 768, 1024})
	case nvme.CNSNamespace, nvme.CNSAllocatedNamespace:
		return slots(d, slot{numberField, 104, 120}, slot{numberField, 120, 128})
	case nvme.CNSNamespaceDescriptors:
		return descriptorFields(d)
	}
	return nil
}

const featureHostIdentifier = 0x81

type slot struct {
	kind       fieldKind
	first, end int
}

func slots(d []byte, list ...slot) []identityField {
	var out []identityField
	for _, s := range list {
		if s.end <= len(d) {
			out = append(out, identityField{s.kind, d[s.first:s.end]})
		}
	}
	return out
}

// descriptorFields returns the identifiers in a Namespace Identification
// Descriptor List: type, length and two reserved bytes before each. A type of
// 0 ends the list.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace
// Identification Descriptor list (CNS 03h).
func descriptorFields(d []byte) []identityField {
	var out []identityField
	for len(d) >= 4 && d[0] != 0 && 4+int(d[1]) <= len(d) {
		id := d[4 : 4+int(d[1])]
		if len(id) >= 8 {
			out = append(out, identityField{numberField, id})
		}
		d = d[4+len(id):]
	}
	return out
}

// name returns the identity in a field without padding.
func (f identityField) name() string {
	if f.kind == numberField {
		return string(f.data)
	}
	return string(bytes.Trim(f.data, " \x00"))
}

func (ids *identities) addField(f identityField) {
	switch f.kind {
	case serialField:
		ids.addText(f.name())
	case numberField:
		ids.addNumber(f.name())
	case nqnField:
		ids.addNQN(f.name())
	}
}

// addSysfs takes the identity from a file of sysfs, which its name gives.
func (ids *identities) addSysfs(name, text string) {
	switch name {
	case "serial":
		ids.addText(text)
	case "subsysnqn", "hostnqn":
		ids.addNQN(text)
	case "uuid", "nguid", "eui", "hostid":
		ids.addHex(text)
	case "wwid":
		ids.addWWID(text)
	}
}

// addWWID takes the identity from the kernel's world wide identifier: "eui."
// and "uuid." are followed by a number, "nvme." by the vendor and, in
// hexadecimal, the serial number.
func (ids *identities) addWWID(text string) {
	kind, rest, _ := strings.Cut(text, ".")
	if kind != "nvme" {
		ids.addHex(rest)
		return
	}
	parts := strings.Split(rest, "-")
	if len(parts) < 2 {
		return
	}
	if serial, err := hex.DecodeString(parts[1]); err == nil {
		ids.addText(strings.Trim(string(serial), " \x00"))
	}
}

// addHex adds a number written in hexadecimal, however it is grouped.
func (ids *identities) addHex(text string) {
	b, err := hex.DecodeString(strings.NewReplacer("-", "", " ", "", ":", "").Replace(text))
	if err == nil && (len(b) == 8 || len(b) == 16) {
		ids.addNumber(string(b))
	}
}

func (ids *identities) addText(s string) { ids.once(&ids.texts, s) }

// addNQN adds a name, and the UUID that many end in.
func (ids *identities) addNQN(s string) {
	ids.once(&ids.nqns, s)
	if _, id, ok := strings.Cut(s, ":uuid:"); ok {
		ids.addHex(id)
	}
}

// addNumber leaves out numbers of one repeated byte: they are not identities
// but say that there is none.
func (ids *identities) addNumber(s string) {
	if distinct(s) > 1 {
		ids.once(&ids.numbers, s)
	}
}

// maxIdentities bounds what a capture can make Redact look for. Drives with
// thousands of namespaces do not exist.
const maxIdentities = 4096

// check returns an error if there are more identities than Redact looks for.
func (ids *identities) check() error {
	if len(ids.seen) > maxIdentities {
		return fmt.Errorf("%w: more than %d identities to redact", ErrTooLarge, maxIdentities)
	}
	return nil
}

// once adds s to one of the lists, unless it is empty or was added before. One
// more than there may be are kept, for check.
func (ids *identities) once(list *[]string, s string) {
	if ids.seen == nil {
		ids.seen = map[string]bool{}
	}
	if s != "" && !ids.seen[s] && len(ids.seen) <= maxIdentities {
		ids.seen[s] = true
		*list = append(*list, s)
	}
}

// distinct returns how many different bytes s has.
func distinct(s string) int {
	var seen [256]bool
	n := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}
