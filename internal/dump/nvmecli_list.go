package dump

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// listed returns the drive of an entry in a list with this serial number, new
// or known from another namespace.
func (s *scanner) listed(at int, serial, model, firmware string) (*Drive, error) {
	for _, p := range s.parts {
		if p.listed && p.drive.Serial == identity(serial) && p.drive.Serial != "" {
			return p.drive, nil
		}
	}
	id := new(nvme.IdentifyController)
	d := &Drive{controller: newPage(id, at), allSpaces: true}
	if err := d.setIdentity(serial, model, firmware); err != nil {
		return nil, fault(nvmeTool+" list", at, err)
	}
	return d, s.add(part{tool: nvmeTool, line: at, drive: d, listed: true})
}

// setIdentity sets serial number, model and firmware, as printed, in the page
// of Identify Controller and in d. Those that are empty change nothing.
func (d *Drive) setIdentity(serial, model, firmware string) error {
	for _, f := range []struct {
		key, text string
		to        *string
	}{{"sn", serial, &d.Serial}, {"mn", model, &d.Model}, {"fr", firmware, &d.Firmware}} {
		text := identity(f.text)
		if text == "" {
			continue
		}
		*f.to = text
		if err := d.controller.setText(f.key, strings.TrimSpace(f.text)); err != nil {
			return err
		}
	}
	return nil
}

var dashes = lazyregexp.New(`-+`)

// nvmeList reads "nvme list". The line of hyphens says where the columns are.
func (s *scanner) nvmeList(lines []line) error {
	const tool = nvmeTool + " list"
	s.dump.from(nvmeTool, "")
	if len(lines) < 2 || !strings.HasPrefix(lines[1].text, "---") {
		return fault(tool, lines[0].number, fmt.Errorf("no line of hyphens under the heading"))
	}
	at := dashes.FindAllStringIndex(lines[1].text, -1)
	generic := len(at) - 7
	if generic != 0 && generic != 1 {
		return fault(tool, lines[1].number, fmt.Errorf("%d columns, not 7 or 8", len(at)))
	}
	for _, l := range lines[2:] {
		if !strings.HasPrefix(l.text, "/dev/") {
			break
		}
		var cells []string
		for i, c := range at {
			end := c[1]
			if i == len(at)-1 {
				end = len(l.text)
			}
			cells = append(cells, strings.TrimSpace(l.text[min(c[0], len(l.text)):min(end, len(l.text))]))
		}
		if err := s.listRow(l.number, cells[0], cells[1+generic:]); err != nil {
			return fault(tool, l.number, err)
		}
	}
	return nil
}

// listRow takes serial number, model, namespace, usage, format and firmware.
func (s *scanner) listRow(at int, device string, cells []string) error {
	d, err := s.listed(at, cells[0], cells[1], cells[5])
	if err != nil {
		return err
	}
	d.Host.Device = better(d.Host.Device, device)
	nsid, err := parseNumber(cells[2])
	if err != nil || nsid.Hi != 0 || nsid.Lo == 0 || nsid.Lo > math.MaxUint32 {
		return fmt.Errorf("namespace %q: %w", printable(cells[2]), errNumber)
	}
	usedText, sizeText, _ := strings.Cut(cells[3], "/")
	formatText, _, _ := strings.Cut(cells[4], "+")
	used, ok1 := parseSize(usedText)
	size, ok2 := parseSize(sizeText)
	block, ok3 := parseSize(formatText)
	if !ok1 || !ok2 || !ok3 {
		return fmt.Errorf("usage %q, format %q: not sizes", printable(cells[3]), printable(cells[4]))
	}
	n := spaceSize{block: uint64(block), size: number{nvme.U128(uint64(size)), rounded}, used: number{nvme.U128(uint64(used)), rounded}}
	return d.addSpace(at, nvme.NSID(nsid.Lo), n)
}

// spaceSize is what is known of the size of a namespace, in bytes. A block of 0
// is not known.
type spaceSize struct {
	block      uint64
	size, used number
}

// addSpace adds a namespace of which only sizes are known. Its format becomes
// LBA format 0, which is not marked as known.
func (d *Drive) addSpace(at int, nsid nvme.NSID, n spaceSize) error {
	d.Host.SizeBytes += n.size.Lo
	d.Host.SizeRounded = d.Host.SizeRounded || n.size.how == rounded
	if n.block == 0 {
		return nil // The host cannot use its format.
	}
	shift := 9
	for shift < 31 && 1<<shift != n.block {
		shift++
	}
	if 1<<shift != n.block {
		return fmt.Errorf("logical blocks of %d bytes", n.block)
	}
	ns := new(nvme.IdentifyNamespace)
	ns.LBAF[0].LBADS = uint8(shift)
	p := newPage(ns, at)
	ns.NSZE, ns.NUSE = n.size.Lo>>shift, n.used.Lo>>shift
	p.mark(n.size.how, "nsze")
	p.mark(n.used.how, "nuse")
	d.namespace(nsid, p)
	return nil
}

// nvmeListJSON reads "nvme list -o json": entries of namespaces, or of hosts
// with everything in them.
func (s *scanner) nvmeListJSON(n *node) error {
	s.dump.from(nvmeTool, "")
	for _, v := range n.get("Devices").elements() {
		var err error
		if v.has("Subsystems") {
			err = s.listHost(v)
		} else {
			err = s.listEntry(v)
		}
		if err != nil {
			return fault(nvmeTool+" list JSON", v.line, err)
		}
	}
	return nil
}

func (s *scanner) listEntry(v *node) error {
	d, err := s.listed(v.line, v.get("SerialNumber").text(), v.get("ModelNumber").text(), v.get("Firmware").text())
	if err != nil {
		return err
	}
	d.Host.Device = better(d.Host.Device, v.get("DevicePath").text())
	nsid := nvme.NSID(v.get("NameSpace").uint())
	if nsid == 0 {
		nsid = nvme.NSID(v.get("NameSpaceId").uint())
	}
	return d.listSpace(v, max(nsid, 1))
}

func (d *Drive) listSpace(v *node, nsid nvme.NSID) error {
	n := spaceSize{block: v.get("SectorSize").uint()}
	n.size.Lo, n.used.Lo = v.get("PhysicalSize").uint(), v.get("UsedBytes").uint()
	return d.addSpace(v.line, nsid, n)
}

// listHost takes the controllers of one host. Namespaces of a subsystem with
// several controllers stand beside those.
func (s *scanner) listHost(v *node) error {
	for _, sub := range v.get("Subsystems").elements() {
		for _, c := range sub.get("Controllers").elements() {
			d, err := s.listed(c.line, c.get("SerialNumber").text(), c.get("ModelNumber").text(), c.get("Firmware").text())
			if err != nil {
				return err
			}
			d.Host.Device, d.Host.Address = better(d.Host.Device, c.get("Controller").text()), better(d.Host.Address, c.get("Address").text())
			for _, ns := range slices.Concat(c.get("Namespaces").elements(), sub.get("Namespaces").elements()) {
				if err := d.listSpace(ns, nvme.NSID(ns.get("NSID").uint())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
