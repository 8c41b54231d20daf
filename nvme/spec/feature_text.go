package spec

import (
	"encoding/binary"

	"qd1.example/qd1/nvme"
)

// textFeatures are the features in which hosts leave text on a drive.
func textFeatures() []Feature {
	return []Feature{
		namespaceLabel(),
		managementAddress(nvme.FIDManagementController, "emb-mgmt-ctrl-addr", "Embedded Management Controller Address", "EMCA"),
		managementAddress(nvme.FIDManagementAgent, "host-mgmt-agent-addr", "Host Management Agent Address", "HMAA"),
		metadata(nvme.FIDEnhancedMetadata, "enh-ctrl-metadata", "Enhanced Controller Metadata", controllerElements()),
		metadata(nvme.FIDControllerMetadata, "ctrl-metadata", "Controller Metadata", controllerElements()),
		metadata(nvme.FIDNamespaceMetadata, "ns-metadata", "Namespace Metadata", namespaceElements()),
	}
}

const labelBytes = 256

func namespaceLabel() Feature {
	const title = "Namespace Admin Label"
	return Feature{
		FID: uint8(nvme.FIDNamespaceLabel), Name: "ns-admin-label", Title: title, When: unlisted, NamespaceSpecific: true, DataBytes: labelBytes,
		Data: &Structure{
			Name: "label", Title: title, Source: baseSpec + title, Bytes: labelBytes,
			Fields: []Field{{Name: "NAL", Title: title, At: 0, Len: labelBytes, Kind: Text, Zero: "none", Since: "2.1"}},
		},
	}
}

// managementAddress is a feature with a URI.
func managementAddress(fid nvme.FID, word, title, name string) Feature {
	return Feature{
		FID: uint8(fid), Name: word, Title: title, When: unlisted, DataBytes: 512,
		Data: &Structure{
			Name: "address", Title: title, Source: baseSpec + title, Bytes: 512,
			Fields: []Field{{Name: name, Title: title, At: 4, Len: 508, Kind: Text, Zero: "none", Since: "2.1"}},
		},
	}
}

// The Host Metadata data structure.
const (
	metadataBytes  = 4096
	metadataHeader = 2
	elementHeader  = 4
)

// metadata is one of the Host Metadata features: elements of different lengths.
func metadata(fid nvme.FID, word, title string, types map[uint64]string) Feature {
	const source = baseSpec + "Host Metadata"
	return Feature{
		FID: uint8(fid), Name: word, Title: title, When: unlisted, NamespaceSpecific: fid == nvme.FIDNamespaceMetadata, DataBytes: metadataBytes,
		Set: dwords(baseSpec, "Host Metadata", []Bits{{High: 14, Low: 13, Name: "EA", Title: "Element Action", Values: map[uint64]string{
			0: "add or update the entry", 1: "delete the entry", 2: "add one more entry",
		}}}),
		Data: &Structure{
			Name: "metadata", Title: "Host Metadata", Source: source + " - Data Structure", Bytes: metadataHeader,
			Fields: []Field{{Name: "NMED", Title: "Number of Metadata Element Descriptors", At: 0, Len: 1}},
			Lists: []List{{
				Name: "elements", Title: "Metadata Element Descriptors", At: metadataHeader, Size: elementBytes,
				Count: func(b []byte) int { return int(b[0]) },
				Entry: &Structure{
					Name: "element", Title: "Metadata Element Descriptor", Source: source + " - Metadata Element Descriptor", Bytes: elementHeader,
					Fields: []Field{
						{Name: "ET", Title: "Element Type", At: 0, Len: 1, Values: types},
						{Name: "ER", Title: "Element Revision", At: 1, Len: 1},
						{Name: "ELEN", Title: "Element Length", At: 2, Len: 2, Unit: "bytes"},
					},
					Variant: elementValue,
				},
			}},
		},
	}
}

// elementBytes is the length of the element that b begins with.
func elementBytes(b []byte) int {
	if len(b) < elementHeader {
		return elementHeader
	}
	return elementHeader + int(binary.LittleEndian.Uint16(b[2:]))
}

// elementValue is the text of an element.
func elementValue(b []byte) *Structure {
	n := elementBytes(b) - elementHeader
	if n == 0 {
		return nil
	}
	return &Structure{
		Name: "value", Title: "Element Value", Source: baseSpec + "Host Metadata - Metadata Element Descriptor", Bytes: n,
		Fields: []Field{{Name: "EVAL", Title: "Element Value", At: 0, Len: n, Kind: Text}},
	}
}

// controllerElements are the types of metadata of a controller.
func controllerElements() map[uint64]string {
	return map[uint64]string{
		0x01: "Operating System Controller Name", 0x02: "Operating System Driver Name", 0x03: "Operating System Driver Version",
		0x04: "Pre-boot Controller Name", 0x05: "Pre-boot Driver Name", 0x06: "Pre-boot Driver Version",
		0x07: "System Processor Model", 0x08: "Chipset Driver Name", 0x09: "Chipset Driver Version",
		0x0A: "Operating System Name and Build", 0x0B: "System Product Name", 0x0C: "Firmware Version",
		0x0D: "Operating System Driver Filename", 0x0E: "Display Driver Name", 0x0F: "Display Driver Version",
		0x10: "Host-Determined Failure Record",
	}
}

// namespaceElements are the types of metadata of a namespace.
func namespaceElements() map[uint64]string {
	return map[uint64]string{
		0x01: "Operating System Namespace Name", 0x02: "Pre-boot Namespace Name",
		0x03: "Operating System Namespace Name Qualifier 1", 0x04: "Operating System Namespace Name Qualifier 2",
	}
}
