package spec

import "qd1.example/qd1/nvme"

// Need says which parameters a page takes beside its identifier.
type Need uint16

// The parameters. A page that takes none has 0.
const (
	// NeedNSID is a namespace.
	NeedNSID Need = 1 << iota
	// NeedAfter is the namespace after which a list begins.
	NeedAfter
	// NeedCNTID is a controller, or the one at which a list begins.
	NeedCNTID
	// NeedCSI is a Command Set Identifier.
	NeedCSI
	// NeedSpecific is the CNS Specific Identifier of Identify: the NVM set, domain or
	// endurance group at which a list begins, or the index of a format.
	NeedSpecific
	// NeedUUID is the index of a UUID, which may be 0.
	NeedUUID
	// NeedLSI is the Log Specific Identifier of Get Log Page.
	NeedLSI
	// NeedLSP is the Log Specific Parameter of Get Log Page.
	NeedLSP
)

// Has reports whether all parameters of want are in n.
func (n Need) Has(want Need) bool { return n&want == want }

// When says whether a drive lists a page or a feature. Where it does not, the text
// says why, in words that follow "not asked: ". A nil When is always.
type When func(id *nvme.IdentifyController) (ok bool, why string)

// Listed applies the gate.
func (w When) Listed(id *nvme.IdentifyController) (ok bool, why string) {
	if w == nil {
		return true, ""
	}
	return w(id)
}

// IdentifyPage is a data structure of the Identify command.
type IdentifyPage struct {
	// CNS selects the data structure, CSI the command set where there is one for
	// each.
	CNS nvme.CNS
	CSI uint8
	// Name is the word of the command line.
	Name string
	// Structure is its table.
	Structure *Structure
	// Needs are the parameters that it takes.
	Needs Need
	// When is its gate.
	When When
	// Peer is the command of nvme-cli that shows it, "" for none.
	Peer string
}

// Title is what the data structure is called.
func (p IdentifyPage) Title() string {
	if p.CSI != csiNVM {
		return p.CNS.String() + ", " + commandSets()[uint64(p.CSI)]
	}
	return p.CNS.String()
}

// LogPage is a log page.
type LogPage struct {
	// LID selects the page.
	LID nvme.LID
	// Name is the word of the command line, and Aliases are others.
	Name    string
	Aliases []string
	// Structure is its table, nil for bytes only.
	Structure *Structure
	// Length is how many bytes to read at first: all, or those with Whole.
	Length func(id *nvme.IdentifyController) int
	// Whole is the number of bytes that the start of the page tells. Nil for a page
	// of Length bytes.
	Whole func(start []byte) uint64
	// Needs are the parameters that it takes.
	Needs Need
	// Selects is what the Log Specific Identifier selects, such as "endurance
	// group"; "" for a page without.
	Selects string
	// CSI is the Command Set Identifier.
	CSI uint8
	// When is its gate.
	When When
	// Peer is the command of nvme-cli that shows it, "" for none.
	Peer string
}

// Feature is a feature of Get Features and Set Features.
type Feature struct {
	// FID selects the feature.
	FID uint8
	// Name is the word of the command line, Title the specification's words.
	Name, Title string
	// Result is Dword 0 of the completion of Get Features, 4 bytes; nil if it
	// carries nothing.
	Result *Structure
	// Set is what Set Features takes from Command Dword 11 on, 4 bytes a dword; nil
	// for the same as Result.
	Set *Structure
	// Data is the data buffer of DataBytes bytes, nil for none.
	Data      *Structure
	DataBytes int
	// NamespaceSpecific says that the feature is one of a namespace.
	NamespaceSpecific bool
	// When is its gate.
	When When
	// Peer is the command of nvme-cli that shows it, "" for none.
	Peer string
}
