package spec

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
)

// Features returns every feature of NVM Express 2.1 that a PCI Express drive
// with the NVM Command Set can have, in order of FID.
//
// Source: NVM Express Base Specification, Revision 2.1, Set Features - Feature
// Identifiers.
func Features() []Feature {
	all := slices.Concat(queueFeatures(), blockFeatures(), powerFeatures(), hostFeatures(), mediumFeatures(),
		placementFeatures(), textFeatures(), reservationFeatures())
	slices.SortFunc(all, func(a, b Feature) int { return int(a.FID) - int(b.FID) })
	for i := range all {
		all[i].Peer = fmt.Sprintf("get-feature -f 0x%02x", all[i].FID)
	}
	return all
}

// FeatureOf returns the feature of a FID, nil for one that the table does not
// have.
func FeatureOf(fid nvme.FID) *Feature {
	all := Features()
	i := slices.IndexFunc(all, func(f Feature) bool { return nvme.FID(f.FID) == fid })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// FeatureByName returns the feature of a word, nil for one that there is not.
func FeatureByName(name string) *Feature {
	all := Features()
	i := slices.IndexFunc(all, func(f Feature) bool { return f.Name == strings.ToLower(name) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// extendedHostID is EXHID, bit 0 of command dword 11: the Host Identifier has
// 16 bytes in place of 8.
const extendedHostID = 1

// Selector returns command dword 11 of Get Features where nobody said another:
// which of several values is meant, or how much of it.
func (f *Feature) Selector(id *nvme.IdentifyController) uint32 {
	switch nvme.FID(f.FID) {
	case nvme.FIDReadRecoveryLevel, nvme.FIDPredictableLatency, nvme.FIDPredictableWindow:
		if id.CTRATT&ctrattNVMSets != 0 {
			return 1
		}
	case nvme.FIDEnduranceGroupEvents, nvme.FIDDataPlacement:
		return 1
	case nvme.FIDDataPlacementEvents:
		return placementEvents << 16
	case nvme.FIDHostIdentifier:
		return id.CTRATT & ctrattHostID16 * extendedHostID
	}
	return 0
}

// Selected returns command dword 11 of Get Features that reads what Set Features
// sets with this dword 11: its selecting part.
func (f *Feature) Selected(cdw11 uint32) uint32 {
	switch nvme.FID(f.FID) {
	case nvme.FIDTemperatureThreshold:
		return cdw11 & 0x003F_0000
	case nvme.FIDInterruptVector, nvme.FIDReadRecoveryLevel, nvme.FIDPredictableLatency, nvme.FIDPredictableWindow,
		nvme.FIDEnduranceGroupEvents, nvme.FIDDataPlacement:
		return cdw11 & 0xFFFF
	case nvme.FIDDataPlacementEvents:
		return placementEvents<<16 | cdw11&0xFFFF
	case nvme.FIDPerformance:
		return cdw11 & 0xFF
	case nvme.FIDHostIdentifier:
		return cdw11 & extendedHostID
	}
	return 0
}

// SetBytes returns the length of the data structure that Set Features takes with
// a command dword 11, -1 for any.
func (f *Feature) SetBytes(cdw11 uint32) int {
	switch nvme.FID(f.FID) {
	case nvme.FIDHostMemoryBuffer, nvme.FIDControllerDataQueue:
		return 0 // The data of Get Features are what the dwords said.
	case nvme.FIDDataPlacementEvents:
		return int(cdw11 >> 16 & 0xFF)
	case nvme.FIDLBARangeType:
		return -1
	}
	return f.Bytes(cdw11)
}

// Differences returns in what a value is not what Set Features was told, by the
// names that both dwords have; nil for nothing.
func (f *Feature) Differences(set []byte, result uint32) []string {
	table := f.Set
	if table == nil {
		table = f.Result
	}
	if f.Result == nil || len(set) < table.Bytes {
		return nil
	}
	asked := map[string]string{}
	if v, err := table.Decode(set[:table.Bytes]); err == nil {
		v.eachNumber(func(name, text string) { asked[name] = text })
	}
	var all []string
	v := f.Result.decode(binary.LittleEndian.AppendUint32(nil, result), 0)
	v.eachNumber(func(name, text string) {
		if want, ok := asked[name]; ok && want != text && !slices.Contains(selecting(), name) {
			all = append(all, name+" is "+text+" and not "+want)
		}
	})
	return all
}

// selecting are the names of what selects and is not set.
func selecting() []string { return []string{"TMPSEL", "THSEL", "NVMSETID", "ENDGID", "IV"} }

// eachNumber calls f for every number of a dword.
func (v *Value) eachNumber(f func(name, text string)) {
	for _, r := range v.Rows {
		if len(r.Bits) == 0 && !r.Reserved {
			f(r.Field.Name, r.plain())
		}
		for _, b := range r.Bits {
			text := known(b.figure())
			if b.Bits.flag() {
				text = firstOf(b.Bits.Values[b.Stored], YesNo[b.Stored])
			}
			f(b.Bits.Name, text)
		}
	}
}

// Bytes returns the length of the data structure that Get Features gives for a
// command dword 11.
func (f *Feature) Bytes(cdw11 uint32) int {
	if nvme.FID(f.FID) == nvme.FIDHostIdentifier && cdw11&extendedHostID == 0 {
		return f.DataBytes / 2
	}
	return f.DataBytes
}

// DataOf returns the data structure that Get Features gives for a command dword
// 11, nil for bytes without a table.
func (f *Feature) DataOf(cdw11 uint32) *Structure {
	if nvme.FID(f.FID) == nvme.FIDPerformance {
		return performanceAttribute(uint8(cdw11))
	}
	return f.Data
}

// The specifications that features stand in.
const (
	baseSpec = "NVM Express Base Specification, Revision 2.1, "
	nvmSpec  = "NVM Express NVM Command Set Specification, Revision 1.1, "
)

// dword0 is dword 0 of a completion that has nothing but bits.
func dword0(source, title string, bits ...Bits) *Structure {
	return &Structure{Name: "result", Title: title, Source: source + title, Bytes: 4, Fields: []Field{
		{Name: "DW0", Title: "Dword 0 of the completion", At: 0, Len: 4, Kind: Flags, Bits: bits},
	}}
}

// dwords is a structure of command dwords from 11 on, each with its bits.
func dwords(source, title string, each ...[]Bits) *Structure {
	s := &Structure{Name: "set", Title: title, Source: source + title, Bytes: 4 * len(each)}
	for i, bits := range each {
		s.Fields = append(s.Fields, Field{Name: commandDword(i), Title: "Command Dword " + commandDword(i)[3:], At: 4 * i, Len: 4, Kind: Flags, Bits: bits})
	}
	return s
}

func commandDword(i int) string { return []string{"CDW11", "CDW12", "CDW13", "CDW14", "CDW15"}[i] }

// onOff is one bit that turns something on.
func onOff(bit uint8, name, title string) Bits {
	return Bits{Low: bit, Name: name, Title: title, Values: Enabled}
}

// unlisted is the gate of a feature that nothing in Identify Controller tells of.
func unlisted(*nvme.IdentifyController) (bool, string) {
	return false, "no field of Identify Controller says whether the drive has it"
}

// where is the gate of a feature that a bit of Identify Controller tells of.
func where(bit string, has func(*nvme.IdentifyController) bool) When {
	return func(id *nvme.IdentifyController) (bool, string) {
		if has(id) {
			return true, ""
		}
		return false, "the drive does not list it: " + bit
	}
}

// The bits of CTRATT that gates ask for.
//
// Source: NVM Express Base Specification, Revision 2.1, Identify Controller Data
// Structure, Controller Attributes.
const (
	ctrattHostID16          = 1 << 0
	ctrattNonOperational    = 1 << 1
	ctrattNVMSets           = 1 << 2
	ctrattReadRecovery      = 1 << 3
	ctrattEnduranceGroups   = 1 << 4
	ctrattPredictable       = 1 << 5
	ctrattExtendedFormats   = 1 << 15
	ctrattFlexiblePlacement = 1 << 19
)

// ctratt is the gate of a feature that a bit of CTRATT tells of.
func ctratt(mask uint32, text string) When {
	return where(text, func(id *nvme.IdentifyController) bool { return id.CTRATT&mask != 0 })
}

// oncs is the gate of a feature that a bit of ONCS tells of.
func oncs(bit nvme.ONCS, text string) When {
	return where(text, func(id *nvme.IdentifyController) bool { return id.ONCS&bit != 0 })
}
