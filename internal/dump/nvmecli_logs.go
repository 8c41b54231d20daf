package dump

import (
	"encoding/binary"
	"fmt"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// errorKeys gives the fields of an entry of the error log by their names in
// nvme-cli, as text and as JSON.
func errorKeys() map[string]string {
	return map[string]string{
		"error_count":         "error_count",
		"sqid":                "sqid",
		"cmdid":               "cid",
		"status_field":        "status_field",
		"parm_err_loc":        "parameter_error_location",
		"parm_error_location": "parameter_error_location",
		"lba":                 "lba",
		"nsid":                "nsid",
		"vs":                  "vsia",
		"trtype":              "trtype",
		"csi":                 "csi",
		"opcode":              "opcode",
		"cs":                  "command_specific",
		"trtype_spec_info":    "ttsi",
		"log_page_version":    "lpver",
	}
}

// maxErrors is how many entries an error log can have: ELPE has 8 bits.
const maxErrors = 256

// errorReader collects entries of an error log.
type errorReader struct {
	log  *errorPage
	page *page
	keys map[string]string
	// shifted says that the entry has its phase tag apart, and the status
	// without it.
	shifted bool
	phase   uint64
	open    bool
}

func newErrorReader(number int) *errorReader {
	log := &errorPage{}
	return &errorReader{log: log, page: newPage(log, number), keys: errorKeys()}
}

// set sets a field of the entry.
func (r *errorReader) set(key string, n number) error {
	if key == "phase_tag" {
		r.shifted, r.phase = true, n.Lo&1
		return nil
	}
	field, ok := r.keys[key]
	if !ok {
		return nil
	}
	r.open = true
	return r.page.setNumber(field, n)
}

// done returns the page. Of an empty log everything is known.
func (r *errorReader) done() *page {
	if len(r.log.entries) == 0 {
		r.page.markAbsent(r.page.fields()...)
	}
	return r.page
}

// end completes the entry, if it is not an empty one.
func (r *errorReader) end() error {
	e := &r.log.ErrorLogEntry
	if r.shifted {
		e.StatusInfo = e.StatusInfo<<1 | nvme.StatusInfo(r.phase)
	}
	if r.open && e.ErrorCount != 0 {
		if len(r.log.entries) >= maxErrors {
			return fmt.Errorf("%w: more than %d entries", ErrTooLarge, maxErrors)
		}
		r.log.entries = append(r.log.entries, *e)
	}
	*e, r.shifted, r.phase, r.open = nvme.ErrorLogEntry{}, false, 0, false
	return nil
}

var (
	errorValue = lazyregexp.New(`^([a-z_]+)\s*: *(0x[0-9a-fA-F]+|[0-9]+)`)
	errorHead  = lazyregexp.New(`^Error Log Entries for device.*entries: ?([0-9]{1,4})`)
)

// nvmeErrors reads "nvme error-log".
func (s *scanner) nvmeErrors(lines []line) error {
	const tool = nvmeTool + " error-log"
	r := newErrorReader(lines[0].number)
	for _, l := range lines {
		if err := r.line(l.text); err != nil {
			return fault(tool, l.number, err)
		}
	}
	if err := r.end(); err != nil {
		return fault(tool, lines[len(lines)-1].number, err)
	}
	return s.addErrors(lines[0].number, deviceIn(lines[0].text), r.done())
}

func (r *errorReader) line(text string) error {
	if m := errorHead.FindStringSubmatch(text); m != nil {
		n, err := decimal(m[1])
		r.log.kept = int(n.Lo)
		return err
	}
	if strings.HasPrefix(strings.TrimSpace(text), "Entry[") {
		return r.end()
	}
	m := errorValue.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	n, err := parseNumber(m[2])
	if err != nil {
		return fmt.Errorf("%s: %w", m[1], err)
	}
	if m[1] == "error_count" && r.open {
		if err := r.end(); err != nil {
			return err
		}
	}
	return r.set(m[1], n)
}

func (s *scanner) addErrors(number int, device string, p *page) error {
	d := &Drive{errors: p, Host: Host{Device: device}}
	return s.add(part{tool: nvmeTool, line: number, drive: d, single: true})
}

// nvmeErrorsJSON reads "nvme error-log -o json".
func (s *scanner) nvmeErrorsJSON(n *node) error {
	const tool = nvmeTool + " error-log JSON"
	r := newErrorReader(n.line)
	for _, e := range n.get("errors").elements() {
		r.log.kept++
		for _, key := range e.keys {
			v, ok, err := e.fields[key].number()
			if err == nil && ok {
				err = r.set(key, v)
			}
			if err != nil {
				return fault(tool, e.fields[key].line, fmt.Errorf("%s: %w", key, err))
			}
		}
		if err := r.end(); err != nil {
			return fault(tool, e.line, err)
		}
	}
	return s.addErrors(n.line, "", r.done())
}

var firmwareLine = lazyregexp.New(`^frs([1-7])\s*: *(0x[0-9a-f]+)`)

// nvmeFirmware reads "nvme fw-log". Slots that are empty are left out there.
func (s *scanner) nvmeFirmware(lines []line) error {
	const tool = nvmeTool + " fw-log"
	l := new(nvme.FirmwareSlotLog)
	p := newPage(l, lines[0].number)
	for _, one := range lines {
		key, value, _ := cutLabel(one.text)
		var err error
		if key == "afi" {
			err = setLabelled(p, "afi", value)
			p.mark(exact, "revisions")
		}
		if m := firmwareLine.FindStringSubmatch(one.text); m != nil {
			err = setRevision(l, m[1], m[2])
		}
		if err != nil {
			return fault(tool, one.number, err)
		}
	}
	return s.addFirmware(tool, lines[0].number, deviceIn(lines[0].text), p)
}

// setRevision sets a slot from a revision that is printed as a 64-bit number.
func setRevision(l *nvme.FirmwareSlotLog, slot, value string) error {
	n, err := parseNumber(value)
	if err != nil || n.Hi != 0 {
		return fmt.Errorf("firmware revision %q: %w", printable(value), errNumber)
	}
	binary.LittleEndian.PutUint64(l.Revisions[slot[0]-'1'][:], n.Lo)
	return nil
}

func (s *scanner) addFirmware(tool string, number int, device string, p *page) error {
	if !p.knows("afi") {
		s.useless(tool, number, "no active slot")
		return nil
	}
	d := &Drive{firmware: p, Host: Host{Device: device}}
	return s.add(part{tool: nvmeTool, line: number, drive: d, single: true})
}

const activeSlotKey = "Active Firmware Slot (afi)"

// firmwareLog returns the log in a document {"nvme0": log}, nil if it is none.
func (n *node) firmwareLog() *node {
	if n == nil || len(n.keys) != 1 || !n.fields[n.keys[0]].has(activeSlotKey) {
		return nil
	}
	return n.fields[n.keys[0]]
}

// revisionValue is a revision in JSON: a 64-bit number, and its text.
var revisionValue = lazyregexp.New(`^(0x[0-9a-f]{1,16}|[0-9]{1,20})( \(.*)?$`)

// nvmeFirmwareJSON reads "nvme fw-log -o json".
func (s *scanner) nvmeFirmwareJSON(n *node) error {
	const tool = nvmeTool + " fw-log JSON"
	log := n.firmwareLog()
	l := new(nvme.FirmwareSlotLog)
	p := newPage(l, n.line)
	if err := setKeys(p, log, map[string]string{activeSlotKey: "afi"}); err != nil {
		return err
	}
	for i := range l.Revisions {
		v := log.get(fmt.Sprintf("Firmware Rev Slot %d", i+1))
		if v == nil {
			continue
		}
		m := revisionValue.FindStringSubmatch(v.text())
		if m == nil {
			return fault(tool, v.line, fmt.Errorf("firmware revision %q", printable(v.text())))
		}
		if err := setRevision(l, fmt.Sprint(i+1), m[1]); err != nil {
			return fault(tool, v.line, err)
		}
	}
	p.mark(exact, "revisions")
	return s.addFirmware(tool, n.line, n.keys[0], p)
}
