package guard

import (
	"strings"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/nvme"
)

// Identity says which drive it is, read from the drive itself.
type Identity struct {
	Serial       string `json:"serial"`
	Model        string `json:"model"`
	Firmware     string `json:"firmware"`
	SubsystemNQN string `json:"subsystem_nqn,omitempty"`
	// PCI is the address, "" for a drive that is not a PCI function.
	PCI string `json:"pci_address,omitempty"`
	// Controller is the kernel's name of it now.
	Controller string `json:"controller"`
	Simulated  bool   `json:"simulated"`
	// Bytes is the size of all namespaces that are affected together.
	Bytes int64 `json:"bytes"`
}

// Member is one namespace that is affected.
type Member struct {
	NSID  nvme.NSID `json:"nsid"`
	Bytes int64     `json:"size_bytes"`
	// LBABytes and MetadataBytes are of the LBA format in use, LBAF its index;
	// -1 for a namespace that only another controller of the drive reaches.
	LBAF          int    `json:"lbaf"`
	LBABytes      int    `json:"lba_bytes"`
	MetadataBytes int    `json:"metadata_bytes"`
	EUI64         string `json:"eui64,omitempty"`
	NGUID         string `json:"nguid,omitempty"`
	// Block is the kernel's name of the block device, "" if it has none;
	// Partitions are those of its partitions. Generic is that of the character
	// device, "" if it has none.
	Block      string   `json:"block,omitempty"`
	Partitions []string `json:"partitions,omitempty"`
	Generic    string   `json:"generic,omitempty"`
	// Aliases are other block devices of the same namespace, which a kernel
	// without native multipath shows for each controller.
	Aliases []string `json:"aliases,omitempty"`
	// Controllers are all that reach the namespace.
	Controllers []string `json:"controllers"`
	// Why says why it is affected: "named", or that the drive formats all
	// namespaces at once (FNA bit 0) or erases all (FNA bit 1), and so on.
	Why string `json:"why"`
	// Signatures are what lies on it.
	Signatures []signature.Signature `json:"signatures"`
}

// blocks returns all block devices of the namespace.
func (m *Member) blocks() []string {
	if m.Block == "" {
		return nil
	}
	return append([]string{m.Block}, m.Aliases...)
}

// name names the namespace for people.
func (m *Member) name() string {
	if m.Block != "" {
		return m.Block
	}
	return "namespace " + number(m.NSID)
}

// Case is a drive and an operation, looked at.
type Case struct {
	Identity Identity
	Radius   []Member
	// Survey is nil for an operation that keeps the data, and where the drive
	// could not be identified.
	Survey *inuse.Survey
	// checks are all but those that need an Agreement.
	checks []Check

	drive *Drive
	op    Operation
	// stamp is what the drive says of itself and does not change by itself.
	stamp stamp
	// doubles describe the other drives with the same serial.
	doubles []string
	scan    scanner
}

// phraseSerial is how much of the serial number the phrase has.
const phraseSerial = 6

// Phrase is what a person has to type: "ERASE INTEL SSDPE21D960GA 960CGN".
func (c *Case) Phrase() string {
	tail := []rune(c.Identity.Serial)
	tail = tail[max(0, len(tail)-phraseSerial):]
	return strings.ToUpper(c.op.Name) + " " + c.Identity.Model + " " + string(tail)
}

// devices returns the kernel's names of all devices of the radius.
func (c *Case) devices() []string {
	var all []string
	for i := range c.Radius {
		m := &c.Radius[i]
		all = append(append(append(all, m.blocks()...), m.Partitions...), m.Generic)
	}
	for i := range c.Radius {
		all = append(all, c.Radius[i].Controllers...)
	}
	return unique(append(all, c.Identity.Controller))
}
