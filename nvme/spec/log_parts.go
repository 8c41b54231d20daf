package spec

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// The documents that the tables of log pages are from.
const (
	base21   = "NVM Express Base Specification, Revision 2.1, "
	nvmSet11 = "NVM Express NVM Command Set Specification, Revision 1.1, "
	zoned12  = "NVM Express Zoned Namespace Command Set Specification, Revision 1.2, "
	pcie11   = "NVM Express NVMe over PCIe Transport Specification, Revision 1.1, "
)

// fixed is a list of so many entries.
func fixed(n int) func([]byte) int { return func([]byte) int { return n } }

// listSize is the length of an entry that ends with a list of its own: a fixed
// part, and as many parts of each bytes as the number of n bytes at offset at
// counts. An entry that counts more than any page holds has no end.
func listSize(part, at, n, each int) func([]byte) int {
	return func(b []byte) int {
		if count := CountAt(at, n)(b); count < mostEntries {
			return part + count*each
		}
		return mostEntries * each
	}
}

// mostEntries is more than any page holds, and small enough to be multiplied.
const mostEntries = 1 << 26

// oneNumber is an entry that is a single number. ones is what all ones mean.
func oneNumber(name, title, source string, bytes int, ones string) *Structure {
	return &Structure{Name: title, Source: source, Bytes: bytes, Fields: []Field{{Name: name, Title: title, Len: bytes, Ones: ones}}}
}

// nsidEntry is an entry of a list of namespaces.
func nsidEntry() *Structure {
	return oneNumber("NSID", "Namespace Identifier", base21+"Namespace List", 4, "")
}

// byLID and the others are what the entries of a page with one for each
// identifier are called.
func byLID(_ []byte, i int) string { return fmt.Sprintf("%02Xh %v", i, nvme.LID(i)) }

func byFID(_ []byte, i int) string { return fmt.Sprintf("%02Xh %v", i, nvme.FID(i)) }

func byAdminOpcode(_ []byte, i int) string {
	return fmt.Sprintf("%02Xh %s", i, nvme.OpcodeName(nvme.AdminQueue, uint8(i)))
}

func byIOOpcode(_ []byte, i int) string {
	return fmt.Sprintf("%02Xh %s", i, nvme.OpcodeName(nvme.IOQueue, uint8(i)))
}

func byNumber(_ []byte, i int) string { return fmt.Sprintf("%02Xh", i) }
