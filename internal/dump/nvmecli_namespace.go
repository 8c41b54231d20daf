package dump

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

var (
	namespaceHead = lazyregexp.New(`^NVME Identify Namespace ([0-9]{1,10})`)
	lbaFormat     = lazyregexp.New(`^lbaf +([0-9]{1,2}) *: *ms: *([0-9]{1,5}) +(?:lba)?ds: *([0-9]{1,3}) +rp: *(0x[0-9a-f]|[0-9])`)
	lbaFormatLong = lazyregexp.New(`^LBA Format +([0-9]{1,2}) *: Metadata Size: *([0-9]{1,5}) +bytes - Data Size: *([0-9]{1,10}) +bytes - Relative Performance: *(0x[0-9a-f]|[0-9])`)
)

// nvmeNamespace reads "nvme id-ns".
func (s *scanner) nvmeNamespace(lines []line) error {
	const tool = nvmeTool + " id-ns"
	ns := new(nvme.IdentifyNamespace)
	p := newPage(ns, lines[0].number)
	nsid := nvme.NSID(0)
	for _, l := range lines {
		if m := namespaceHead.FindStringSubmatch(l.text); m != nil {
			v, _ := strconv.ParseUint(m[1], 10, 32)
			nsid = nvme.NSID(v)
		}
		if err := namespaceLine(p, ns, l.text); err != nil {
			return fault(tool, l.number, err)
		}
	}
	return s.addNamespace(tool, lines[0].number, nsid, p)
}

func namespaceLine(p *page, ns *nvme.IdentifyNamespace, text string) error {
	if m := lbaFormat.FindStringSubmatch(text); m != nil {
		power, _ := strconv.Atoi(m[3])
		return setFormat(p, ns, m, power)
	}
	if m := lbaFormatLong.FindStringSubmatch(text); m != nil {
		size, _ := strconv.ParseUint(m[3], 10, 64)
		return setFormat(p, ns, m, bits.Len64(size)-1)
	}
	m := keyValue.FindStringSubmatch(text)
	if m == nil || !p.field(m[1]).IsValid() {
		return nil
	}
	if m[1] == "nguid" || m[1] == "eui64" {
		return setHex(p, m[1], m[2])
	}
	return setLabelled(p, m[1], m[2])
}

// setFormat sets an LBA format from the matches index, metadata bytes, (data
// size), relative performance.
func setFormat(p *page, ns *nvme.IdentifyNamespace, m []string, power int) error {
	i, _ := strconv.Atoi(m[1])
	metadata, err := strconv.ParseUint(m[2], 10, 16)
	rp, rpErr := strconv.ParseUint(strings.TrimPrefix(m[4], "0x"), 16, 8)
	if i >= len(ns.LBAF) || err != nil || rpErr != nil || power < 0 || power > 0xFF {
		return errors.New("not an LBA format")
	}
	ns.LBAF[i] = nvme.LBAFormat{MetadataBytes: uint16(metadata), LBADS: uint8(power), RP: uint8(rp)}
	p.mark(exact, "lbafs")
	return nil
}

// addNamespace takes Identify Namespace as a part.
func (s *scanner) addNamespace(tool string, number int, nsid nvme.NSID, p *page) error {
	if len(p.known) == 0 {
		s.useless(tool, number, "no values")
		return nil
	}
	d := &Drive{}
	if nsid == 0 {
		d.note("the dump does not say which namespace it is of: taken for namespace 1")
		nsid = 1
	}
	d.namespace(nsid, p)
	return s.add(part{tool: nvmeTool, line: number, drive: d, single: true})
}

// nvmeNamespaceJSON reads "nvme id-ns -o json".
func (s *scanner) nvmeNamespaceJSON(n *node) error {
	const tool = nvmeTool + " id-ns JSON"
	ns := new(nvme.IdentifyNamespace)
	p := newPage(ns, n.line)
	for _, key := range n.keys {
		v := n.fields[key]
		if err := namespaceKey(p, key, v); err != nil {
			return fault(tool, v.line, err)
		}
	}
	for i, v := range n.get("lbafs").elements() {
		if i >= len(ns.LBAF) {
			return fault(tool, v.line, fmt.Errorf("LBA format %d", i))
		}
		ns.LBAF[i] = formatJSON(v)
		p.mark(exact, "lbafs")
	}
	return s.addNamespace(tool, n.line, nvme.NSID(n.get("nsid").uint()), p)
}

func namespaceKey(p *page, key string, v *node) error {
	if key == "lbafs" || key == "vs" || !p.field(key).IsValid() {
		return nil
	}
	if key == "nguid" || key == "eui64" {
		return setHex(p, key, v.text())
	}
	num, ok, err := v.number()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return nil
	}
	return p.setNumber(key, num)
}

// formatJSON reads an LBA format; with -v its keys are words and its values
// have units.
func formatJSON(v *node) nvme.LBAFormat {
	if size := v.get("Data Size"); size != nil {
		return nvme.LBAFormat{
			MetadataBytes: uint16(v.get("Metadata Size").uint()),
			LBADS:         uint8(max(bits.Len64(size.uint())-1, 0)),
			RP:            uint8(v.get("Relative Performance").uint()),
		}
	}
	return nvme.LBAFormat{MetadataBytes: uint16(v.get("ms").uint()), LBADS: uint8(v.get("ds").uint()), RP: uint8(v.get("rp").uint())}
}
