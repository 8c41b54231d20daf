package dump

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// smartctlReader reads the text of one run of smartctl.
type smartctlReader struct {
	version, message string
	drive            *Drive
	id               *nvme.IdentifyController
	smart            *smartReader
	errors           *errorReader
	spaces           map[nvme.NSID]*smartctlSpace
	formats          *smartctlSpace // Whose LBA formats come.
	device           string         // What makes it a drive that is not NVMe.
	table            tableKind
	health           bool // The health section has ended.
	capabilities     bool
	cut              bool // The last line has no end and was left out.
}

// tableKind is a table of smartctl's output.
type tableKind uint8

const (
	noTable tableKind = iota
	powerTable
	formatTable
	errorTable
)

// smartctlSpace is what smartctl prints about a namespace, in bytes.
type smartctlSpace struct {
	page                     *page
	ns                       *nvme.IdentifyNamespace
	size, capacity, used     uint64
	hasSize, hasCap, hasUsed bool
	block                    uint64
}

var (
	smartctlHead = lazyregexp.New(`^smartctl (?:pre-)?([0-9]+\.[0-9]+)[^\[]*\[([^\]]*)\]`)
	spaceLabel   = lazyregexp.New(`^Namespace ([0-9]{1,10}) (.*)$`)
	hexInBracket = lazyregexp.New(`^(.*) \((0x[0-9a-f]+)\)$`)
	formatsHead  = lazyregexp.New(`^Supported LBA Sizes \(NSID 0x([0-9a-f]{1,8})\)`)
	errorsHead   = lazyregexp.New(`^Error Information \(NVMe Log 0x01, (?:[0-9]+ of |max )?([0-9]{1,4}) entries\)`)
)

func newSmartctlReader(number int) *smartctlReader {
	id := new(nvme.IdentifyController)
	return &smartctlReader{
		id:     id,
		drive:  &Drive{controller: newPage(id, number)},
		smart:  newSMARTReader(number),
		spaces: map[nvme.NSID]*smartctlSpace{},
	}
}

// smartctl reads the text of smartctl.
func (s *scanner) smartctl(lines []line) error {
	r := newSmartctlReader(lines[0].number)
	r.cut = s.cut > 0
	for _, l := range lines {
		if err := r.line(l); err != nil {
			return fault(smartctlTool, l.number, err)
		}
	}
	if err := r.finish(); err != nil {
		return fault(smartctlTool, lines[0].number, err)
	}
	switch {
	case r.device != "":
		s.dump.Skipped = append(s.dump.Skipped, r.device)
		s.useless(smartctlTool, lines[0].number, "%s is not an NVMe drive", r.device)
		return nil
	case !r.anything():
		s.useless(smartctlTool, lines[0].number, "%s", better(r.message, "no values"))
		return nil
	}
	return s.add(part{tool: smartctlTool, version: r.version, line: lines[0].number, drive: r.drive})
}

func (r *smartctlReader) anything() bool {
	d := r.drive
	return d.controller != nil || d.smart != nil || d.errors != nil || d.namespaces != nil
}

func (r *smartctlReader) line(l line) error {
	if strings.TrimSpace(l.text) == "" {
		r.health = r.health || r.smart.page.knows("error_log_entries")
		r.table = noTable
		return nil
	}
	if r.heading(l) {
		return nil
	}
	switch r.table {
	case powerTable:
		return r.powerRow(l.text)
	case formatTable:
		return r.formatRow(l.text)
	case errorTable:
		return r.errorRow(l.text)
	}
	label, value, ok := cutLabel(l.text)
	if !ok {
		return nil
	}
	if known, err := r.information(label, value); known || err != nil {
		return err
	}
	return r.smart.line(l.text)
}

// heading takes lines that are no "label: value".
func (r *smartctlReader) heading(l line) bool {
	text := l.text
	switch {
	case smartctlHead.MatchString(text):
		m := smartctlHead.FindStringSubmatch(text)
		r.version, r.drive.Host.Platform = m[1], m[2]
	case strings.HasPrefix(text, "St Op "):
		r.table, r.capabilities = powerTable, true
	case formatsHead.MatchString(text):
		nsid, _ := strconv.ParseUint(formatsHead.FindStringSubmatch(text)[1], 16, 32)
		r.formats = r.space(nvme.NSID(nsid), l.number)
	case strings.HasPrefix(text, "Id Fmt "):
		r.table = formatTable
	case errorsHead.MatchString(text):
		n, _ := strconv.Atoi(errorsHead.FindStringSubmatch(text)[1])
		r.errors = newErrorReader(l.number)
		r.errors.log.kept = n
	case strings.HasPrefix(text, "Num ") && strings.Contains(text, "ErrCount"):
		r.table = errorTable
	case strings.Contains(text, "failed:") && r.message == "":
		r.message = printable(text)
		return false
	default:
		return false
	}
	return true
}

// space returns the namespace with an identifier, new or known.
func (r *smartctlReader) space(nsid nvme.NSID, number int) *smartctlSpace {
	if r.spaces[nsid] == nil {
		ns := new(nvme.IdentifyNamespace)
		r.spaces[nsid] = &smartctlSpace{page: newPage(ns, number), ns: ns}
	}
	return r.spaces[nsid]
}

// information takes a line of the information section.
func (r *smartctlReader) information(label, value string) (known bool, err error) {
	p, d := r.drive.controller, r.drive
	if m := hexInBracket.FindStringSubmatch(label); m != nil {
		if key := capabilityField(m[1]); key != "" {
			r.capabilities = true
			return true, setLabelled(p, key, m[2])
		}
		label, value = m[1], m[2]
	}
	if text := misfit(label, value, 1); text != "" && !strings.HasPrefix(label, "Data Units") {
		d.note(text)
	}
	if m := spaceLabel.FindStringSubmatch(label); m != nil {
		nsid, _ := strconv.ParseUint(m[1], 10, 32)
		return true, r.spaceLine(r.space(nvme.NSID(nsid), p.line), m[2], value)
	}
	switch plainLabel(label) {
	case "model number":
		err = d.setIdentity("", value, "")
	case "serial number":
		err = d.setIdentity(value, "", "")
	case "firmware version":
		err = d.setIdentity("", "", value)
	case "device model", "vendor":
		r.device = printable(value)
	case "local time is":
		d.Host.Time = printable(value)
	case "smart overall-health self-assessment test result":
		d.Host.Verdict = printable(value)
	case "pci vendor/subsystem id":
		if err = setLabelled(p, "vid", value); err == nil {
			err = setLabelled(p, "ssvid", value)
		}
	case "nvme version":
		err = setVersion(p, value)
	case "maximum data transfer size":
		err = setTransfer(p, value)
	case "warning comp. temp. threshold":
		err = setKelvin(p, "wctemp", value)
	case "critical comp. temp. threshold":
		err = setKelvin(p, "cctemp", value)
	default:
		key := controllerField(plainLabel(label))
		if key == "" {
			return false, nil
		}
		err = setLabelled(p, key, value)
	}
	return true, err
}

func capabilityField(label string) string {
	return map[string]string{
		"Firmware Updates":        "frmw",
		"Optional Admin Commands": "oacs",
		"Optional NVM Commands":   "oncs",
		"Log Page Attributes":     "lpa",
	}[label]
}

func controllerField(label string) string {
	return map[string]string{
		"pci vendor id":            "vid",
		"pci vendor subsystem id":  "ssvid",
		"ieee oui identifier":      "ieee",
		"total nvm capacity":       "tnvmcap",
		"unallocated nvm capacity": "unvmcap",
		"controller id":            "cntlid",
		"number of namespaces":     "nn",
	}[label]
}

var versionText = lazyregexp.New(`^([0-9]{1,3})\.([0-9]{1,3})(?:\.([0-9]{1,3}))?$`)

// setVersion sets VER; a controller that says 0 is shown as older than 1.2.
func setVersion(p *page, value string) error {
	if strings.HasPrefix(value, "<") {
		return p.setUint("ver", 0)
	}
	m := versionText.FindStringSubmatch(value)
	if m == nil {
		return fmt.Errorf("ver: %q is not a version", printable(value))
	}
	var v [3]uint64
	for i := range v {
		v[i], _ = strconv.ParseUint(m[i+1], 10, 8)
	}
	return p.setUint("ver", v[0]<<16|v[1]<<8|v[2])
}

// setTransfer sets MDTS, which is printed in pages of 4 KiB.
func setTransfer(p *page, value string) error {
	if strings.HasPrefix(value, "-") {
		return p.setUint("mdts", 0)
	}
	n, err := parseNumber(value)
	if err != nil || n.Hi != 0 || bits.OnesCount64(n.Lo) != 1 {
		return fmt.Errorf("mdts: %q: not a power of two of pages", printable(value))
	}
	return p.setUint("mdts", uint64(bits.Len64(n.Lo)-1))
}

// spaceLine takes what follows "Namespace 1".
func (r *smartctlReader) spaceLine(sp *smartctlSpace, label, value string) error {
	switch label {
	case "IEEE EUI-64":
		return setEUI(sp.page, value)
	case "Features":
		return setLabelled(sp.page, "nsfeat", value)
	}
	var to []*uint64
	switch label {
	case "Size/Capacity":
		to, sp.hasSize, sp.hasCap = []*uint64{&sp.size, &sp.capacity}, true, true
	case "Size":
		to, sp.hasSize = []*uint64{&sp.size}, true
	case "Capacity":
		to, sp.hasCap = []*uint64{&sp.capacity}, true
	case "Utilization":
		to, sp.hasUsed = []*uint64{&sp.used}, true
	case "Formatted LBA Size":
		to = []*uint64{&sp.block}
	default:
		return nil
	}
	n, err := parseNumber(value)
	if err != nil || n.Hi != 0 {
		return fmt.Errorf("namespace %s: %q: %w", strings.ToLower(label), printable(value), errNumber)
	}
	for _, one := range to {
		*one = n.Lo
	}
	return nil
}

// setEUI sets EUI-64 from the OUI and the rest, which may have lost zeroes in
// front.
func setEUI(p *page, value string) error {
	oui, rest, ok := strings.Cut(value, " ")
	const restDigits = 10
	rest = strings.TrimSpace(rest)
	if !ok || len(rest) > restDigits || strings.Trim(rest, "0123456789abcdef") != "" {
		return nil // Redacted.
	}
	b, err := hex.DecodeString(oui + strings.Repeat("0", restDigits-len(rest)) + rest)
	if err != nil || len(b) != binary.Size(nvme.Hex64{}) {
		return errors.New("eui64: not an identifier")
	}
	return p.setBytes("eui64", b)
}
