package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"qd1.example/qd1/nvme"
)

// override replaces what the Identify pages of a drive say. Nothing is replaced
// by a zero value.
type override struct {
	serial, model, firmware string
	// fna is Format NVM Attributes.
	fna *uint8
	// namespaces is among how many the first namespace is divided, size how
	// many bytes they have together.
	namespaces int
	size       int64
	// telemetry is how many bytes the telemetry logs have.
	telemetry int64
}

// Bounds of the parameters that change an Identify page.
const (
	mostNamespaces = 32
	leastSize      = 1 << 20
	mostSize       = 1 << 50
)

// identityParameters are the parameters that change an Identify page.
func identityParameters() []setting {
	return []setting{
		{"serial", func(p *parameters, v string) error { p.override.serial = v; return checkText(v, 20) }},
		{"model", func(p *parameters, v string) error { p.override.model = v; return checkText(v, 40) }},
		{"fna", func(p *parameters, v string) error {
			n, err := parseInt(v, 0, 0xFF)
			fna := uint8(n)
			p.override.fna = &fna
			return err
		}},
		{"namespaces", func(p *parameters, v string) (err error) {
			p.override.namespaces, err = parseInt(v, 1, mostNamespaces)
			return err
		}},
		{"size", func(p *parameters, v string) (err error) { p.override.size, err = parseSize(v); return err }},
		{"telemetry", (*parameters).setTelemetry},
		{"firmware", func(p *parameters, v string) error { p.override.firmware = v; return checkText(v, 8) }},
	}
}

// checkText refuses what cannot stand in an ASCII field.
func checkText(text string, most int) error {
	if len(text) == 0 || len(text) > most {
		return fmt.Errorf("not 1 to %d characters", most)
	}
	for _, b := range []byte(text) {
		if b < ' ' || b > '~' {
			return fmt.Errorf("not printable ASCII")
		}
	}
	return nil
}

// mostTelemetry bounds the telemetry logs, which are made in memory.
const mostTelemetry = 1 << 30

// setTelemetry gives both telemetry logs so many bytes.
func (p *parameters) setTelemetry(value string) error {
	n, err := parseInt(value, telemetryBlock, mostTelemetry)
	p.override.telemetry = int64(n)
	p.change(func(to *personality) {
		to.telemetryBlocks, to.telemetryCaptured = divideTelemetry(int64(n)), true
		for _, lid := range []nvme.LID{nvme.LIDTelemetryHost, nvme.LIDTelemetryController} {
			if !slices.Contains(to.logs, lid) {
				to.logs = append(slices.Clone(to.logs), lid)
			}
		}
	})
	return err
}

func parseSize(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err == nil && (n < leastSize || n > mostSize) {
		err = fmt.Errorf("not between %d and %d bytes", leastSize, int64(mostSize))
	}
	return n, err
}

// Offsets in an Identify Controller page.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller
// data structure.
const (
	atSerial   = 4
	atModel    = 24
	atFirmware = 64
	atLPA      = 261
	atTNVMCAP  = 280
	atUNVMCAP  = 296
	atNN       = 516
	atFNA      = 524
	atSUBNQN   = 768
	endSUBNQN  = 1024
)

// controllerPage changes an Identify Controller page.
func (o *override) controllerPage(page []byte) {
	if o.firmware != "" {
		padded(page[atFirmware:atFirmware+8], o.firmware, ' ')
	}
	le := binary.LittleEndian
	if o.serial != "" {
		o.renameSubsystem(page)
		padded(page[atSerial:atModel], o.serial, ' ')
	}
	if o.model != "" {
		padded(page[atModel:atFirmware], o.model, ' ')
	}
	if o.fna != nil {
		page[atFNA] = *o.fna
	}
	if uint32(o.namespaces) > le.Uint32(page[atNN:]) {
		le.PutUint32(page[atNN:], uint32(o.namespaces))
	}
	if o.telemetry != 0 {
		page[atLPA] |= byte(nvme.LPATelemetry | nvme.LPAExtendedData)
	}
	if o.telemetry > telemetryBlock*0xFFFF {
		page[atLPA] |= byte(nvme.LPATelemetryArea4)
	}
	if o.size != 0 && le.Uint64(page[atTNVMCAP:]) != 0 {
		le.PutUint64(page[atTNVMCAP:], uint64(o.size)+le.Uint64(page[atUNVMCAP:]))
	}
}

// renameSubsystem puts the new serial number where the name of the subsystem
// has the old one.
func (o *override) renameSubsystem(page []byte) {
	old := bytes.TrimSpace(page[atSerial:atModel])
	name := bytes.TrimRight(page[atSUBNQN:endSUBNQN], "\x00")
	if len(old) > 0 {
		name = bytes.ReplaceAll(name, old, []byte(o.serial))
	}
	padded(page[atSUBNQN:endSUBNQN], string(name[:min(len(name), endSUBNQN-atSUBNQN)]), 0)
}

// namespacePages changes the Identify Namespace pages: the first is divided.
func (o *override) namespacePages(all map[nvme.NSID][]byte, seed uint64) (map[nvme.NSID][]byte, error) {
	if o.namespaces == 0 && o.size == 0 && o.serial == "" || len(all) == 0 {
		return all, nil
	}
	if o.namespaces == 0 && o.size == 0 {
		for nsid, page := range all {
			o.identifiers(page, seed, nsid)
		}
		return all, nil
	}
	return o.divide(all[firstOf(all)], seed)
}

func firstOf(all map[nvme.NSID][]byte) nvme.NSID {
	nsid := nvme.NSID(math.MaxUint32)
	for n := range all {
		nsid = min(nsid, n)
	}
	return nsid
}

// divide makes the namespaces of one.
func (o *override) divide(page []byte, seed uint64) (map[nvme.NSID][]byte, error) {
	var id nvme.IdentifyNamespace
	if err := id.UnmarshalBinary(page); err != nil {
		return nil, err
	}
	block, count := id.Format().DataBytes(), uint64(max(o.namespaces, 1))
	size := id.NSZE * block
	if o.size != 0 {
		size = uint64(o.size)
	}
	if block == 0 || size/count < block {
		return nil, fmt.Errorf("%d bytes are too few for %d namespaces", size, count)
	}
	parts := map[nvme.NSID][]byte{}
	for nsid := nvme.NSID(1); uint64(nsid) <= count; nsid++ {
		part := slices.Clone(page)
		resize(part, size/count/block, block)
		o.identifiers(part, seed, nsid)
		parts[nsid] = part
	}
	return parts, nil
}

// More offsets in an Identify Namespace page.
const (
	atNVMCAP = 48
	atNGUID  = 104
	atEUI64  = 120
	endEUI64 = 128
)

// resize changes the size of a namespace.
func resize(page []byte, blocks, block uint64) {
	le := binary.LittleEndian
	for _, at := range []int{atNSZE, atNCAP, atNUSE} {
		le.PutUint64(page[at:], blocks)
	}
	if le.Uint64(page[atNVMCAP:]) != 0 {
		le.PutUint64(page[atNVMCAP:], blocks*block)
	}
}

// identifiers gives a namespace an EUI-64 and an NGUID of its own, if it has
// any: no other drive with another serial number or seed has them.
func (o *override) identifiers(page []byte, seed uint64, nsid nvme.NSID) {
	const own = 5 // The part behind the OUI.
	for _, at := range [][2]int{{atNGUID, atEUI64}, {atEUI64, endEUI64}} {
		id := page[at[0]:at[1]]
		if allZero(id) {
			continue
		}
		if o.serial != "" {
			h := fnv.New64a()
			_, _ = fmt.Fprintf(h, "%s %d", o.serial, seed)
			binary.LittleEndian.PutUint32(id[len(id)-own:], uint32(h.Sum64()))
		}
		id[len(id)-1] += byte(nsid - 1)
	}
}
