package dump

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// block is a block of lines of a drive in CrystalDiskInfo's export.
type block uint8

const (
	summaryBlock block = iota
	attributeBlock
	identifyBlock
	smartBlock
	otherBlock
)

// crystalDrive reads the lines of one drive.
type crystalDrive struct {
	drive *Drive
	id    *nvme.IdentifyController
	log   *nvme.SMARTLog
	// values are the lines "label : value" of the summary; the labels are
	// English in every language.
	values map[string]line
	block  block
	// identify and smart are the pages in hexadecimal, as far as they came.
	identify, smart []byte
}

var (
	crystalHead    = lazyregexp.New(`^CrystalDiskInfo ([0-9][0-9.]*)`)
	crystalBlock   = lazyregexp.New(`^-- ([A-Z_.]+) -+$`)
	crystalRaw     = lazyregexp.New(`^([0-9A-F]{2}) ([0-9A-F]{12})( |$)`)
	crystalWords   = lazyregexp.New(`^([0-9]{3}):((?: [0-9A-F]{4}){1,10})`)
	crystalBytes   = lazyregexp.New(`^([0-9A-F]{3}):((?: [0-9A-F]{2}){1,16})`)
	crystalHealth  = lazyregexp.New(`\(([0-9]{1,3}) %\)`)
	crystalVersion = lazyregexp.New(`NVM Express ([0-9.]+)`)
	crystalLink    = lazyregexp.New(`PCIe ([1-9])\.0 x([0-9]{1,2})`)
)

// crystal reads the text export of CrystalDiskInfo.
func (s *scanner) crystal(lines []line) error {
	version, platform, date := "", "", ""
	var now *crystalDrive
	var first int
	for _, l := range lines {
		if m := crystalHead.FindStringSubmatch(l.text); m != nil {
			version = m[1]
		}
		label, value, ok := cutLabel(l.text)
		switch {
		case ok && label == "Model":
			if err := s.endCrystal(now, version, first); err != nil {
				return err
			}
			now, first = newCrystalDrive(l.number), l.number
			now.drive.Host.Platform, now.drive.Host.Time = platform, date
		case ok && now == nil && label == "OS":
			platform = printable(value)
		case ok && now == nil && label == "Date":
			date = printable(value)
		}
		if now == nil {
			continue
		}
		if err := now.line(l); err != nil {
			return fault(crystalTool, l.number, err)
		}
	}
	if now == nil {
		s.useless(crystalTool, lines[0].number, "no drives")
		return nil
	}
	return s.endCrystal(now, version, first)
}

func newCrystalDrive(at int) *crystalDrive {
	id, log := new(nvme.IdentifyController), new(nvme.SMARTLog)
	return &crystalDrive{
		drive: &Drive{controller: newPage(id, at), smart: newPage(log, at)},
		id:    id, log: log, values: map[string]line{},
	}
}

// endCrystal takes a drive that is complete. Drives that are not NVMe are
// counted only.
func (s *scanner) endCrystal(c *crystalDrive, version string, first int) error {
	if c == nil {
		return nil
	}
	model := printable(c.values["Model"].text)
	if !c.isNVMe() {
		s.dump.Skipped = append(s.dump.Skipped, model)
		s.useless(crystalTool, first, "%s is not an NVMe drive", model)
		return nil
	}
	if err := c.finish(); err != nil {
		return fault(crystalTool, first, err)
	}
	return s.add(part{tool: crystalTool, version: version, line: first, drive: c.drive})
}

// isNVMe reports whether the drive speaks NVMe, through whatever bridge.
func (c *crystalDrive) isNVMe() bool {
	for _, label := range []string{"Interface", "Standard", "Major Version"} {
		if strings.Contains(c.values[label].text, "NVM Express") {
			return true
		}
	}
	return false
}

func (c *crystalDrive) line(l line) error {
	if m := crystalBlock.FindStringSubmatch(l.text); m != nil {
		c.block = map[string]block{"S.M.A.R.T.": attributeBlock, "IDENTIFY_DEVICE": identifyBlock, "SMART_NVME": smartBlock}[m[1]]
		if c.block == summaryBlock {
			c.block = otherBlock
		}
		return nil
	}
	switch c.block {
	case summaryBlock:
		if label, value, ok := cutLabel(l.text); ok {
			c.values[label] = line{l.number, value}
		}
	case attributeBlock:
		return c.attribute(l.text)
	case identifyBlock:
		return c.words(l.text)
	case smartBlock:
		return c.bytes(l.text)
	}
	return nil
}

// crystalFields gives the fields of the SMART log by the identifiers that
// CrystalDiskInfo makes up for NVMe drives.
func crystalFields() map[uint8]string {
	return map[uint8]string{
		0x01: "critical_warning", 0x02: temperatureField, 0x03: "available_spare_percent",
		0x04: "available_spare_threshold_percent", 0x05: "percentage_used_percent", 0x06: "data_units_read",
		0x07: "data_units_written", 0x08: "host_read_commands", 0x09: "host_write_commands",
		0x0A: "controller_busy_minutes", 0x0B: "power_cycles", 0x0C: "power_on_hours", 0x0D: "unsafe_shutdowns",
		0x0E: "media_errors", 0x0F: "error_log_entries", 0x10: "warning_temperature_minutes",
		0x11: "critical_temperature_minutes", 0x1A: "tmt1_transitions", 0x1B: "tmt2_transitions",
		0x1C: "tmt1_seconds", 0x1D: "tmt2_seconds",
	}
}

// attribute takes a line of identifier, raw value and name. A counter that
// fills its 6 bytes may have been cut.
func (c *crystalDrive) attribute(text string) error {
	m := crystalRaw.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	id, _ := strconv.ParseUint(m[1], 16, 8)
	v, _ := strconv.ParseUint(m[2], 16, 64)
	const firstSensor, lastSensor = 0x12, 0x19
	if id >= firstSensor && id <= lastSensor {
		c.log.TemperatureSensors[id-firstSensor] = nvme.Kelvin(v)
		c.drive.smart.mark(exact, sensorsField)
		return nil
	}
	key := crystalFields()[uint8(id)]
	if key == "" {
		return nil
	}
	const most = 1<<48 - 1
	n := number{Uint128: nvme.U128(v)}
	if v == most {
		n.how = rounded
	}
	return c.drive.smart.setNumber(key, n)
}

// words takes a line of Identify, in words of two bytes with the index of the
// first in decimal.
func (c *crystalDrive) words(text string) error {
	m := crystalWords.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	at, _ := strconv.Atoi(m[1])
	if 2*at != len(c.identify) {
		return fmt.Errorf("identify: word %d follows word %d", at, len(c.identify)/2)
	}
	for _, w := range strings.Fields(m[2]) {
		v, _ := strconv.ParseUint(w, 16, 16)
		c.identify = binary.LittleEndian.AppendUint16(c.identify, uint16(v))
	}
	return nil
}

// bytes takes a line of the SMART log, in bytes with the offset of the first in
// hexadecimal.
func (c *crystalDrive) bytes(text string) error {
	m := crystalBytes.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	at, _ := strconv.ParseUint(m[1], 16, 16)
	if int(at) != len(c.smart) {
		return fmt.Errorf("SMART log: byte %d follows byte %d", at, len(c.smart))
	}
	b, err := hex.DecodeString(strings.ReplaceAll(m[2], " ", ""))
	c.smart = append(c.smart, b...)
	return err
}

// finish makes the pages: from the hexadecimal ones where the export has them,
// from the attributes where it has only those, and from the summary otherwise.
func (c *crystalDrive) finish() error {
	d := c.drive
	if err := c.finishController(); err != nil {
		return err
	}
	if err := c.finishHealth(); err != nil {
		return err
	}
	d.Host.Interface = printable(c.values["Interface"].text)
	d.Host.Verdict = verdict(c.values["Health Status"].text)
	d.Host.Link = linkOf(c.values["Transfer Mode"].text)
	d.Host.VendorID, d.Host.SubsystemVendorID = c.id.VID, c.id.SSVID
	if n, ok := c.id.TNVMCAP.Uint64(); ok && n != 0 {
		d.Host.SizeBytes = n
	} else if bytes, ok := parseSize(c.values["Disk Size"].text); ok {
		d.Host.SizeBytes, d.Host.SizeRounded = uint64(bytes), true
	}
	return nil
}

// finishController makes Identify Controller. The summary comes last: the text
// in the page has not lost anything.
func (c *crystalDrive) finishController() error {
	d, p := c.drive, c.drive.controller
	if len(c.identify) > 0 {
		if err := p.setPrefix(c.identify); err != nil {
			return err
		}
		d.fromController(c.id)
	}
	for _, f := range []struct{ key, label string }{{"sn", "Serial Number"}, {"mn", "Model"}, {"fr", "Firmware"}} {
		if p.knows(f.key) {
			continue
		}
		text := map[string]string{f.key: c.values[f.label].text}
		if err := d.setIdentity(text["sn"], text["mn"], text["fr"]); err != nil {
			return err
		}
	}
	for _, label := range []string{"Standard", "Major Version"} {
		m := crystalVersion.FindStringSubmatch(c.values[label].text)
		if m != nil && !p.knows("ver") {
			if err := setVersion(p, m[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishHealth makes the SMART log. Sensors that do not exist are left out by
// versions that show sensors at all, which show the times over the thresholds
// too.
func (c *crystalDrive) finishHealth() error {
	p := c.drive.smart
	switch {
	case len(c.smart) >= rawSMARTBytes || len(c.smart) > 0 && len(p.known) == 0:
		return p.setPrefix(c.smart)
	case len(c.smart) > 0:
		c.drive.note("the SMART log in hexadecimal is cut off: the list of attributes is used")
	}
	if p.knows("warning_temperature_minutes") {
		p.markAbsent(sensorsField)
	}
	if p.knows("power_on_hours") {
		return nil
	}
	return c.fromSummary()
}
