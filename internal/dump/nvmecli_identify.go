package dump

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// alwaysHex are the fields of Identify Controller that versions of nvme-cli
// print in hexadecimal without saying so.
func alwaysHex(key string) bool {
	switch key {
	case "vid", "ssvid", "ieee", "cntlid", "ver", "rtd3r", "rtd3e":
		return true
	}
	return false
}

// identifyKey gives the field of a key; two have had other names.
func identifyKey(key string) string {
	switch key {
	case "nvscc":
		return "icsvscc"
	case "ctrattr":
		return "fcatt"
	}
	return key
}

// keyValue is a line of Identify data. Lines that begin with a blank explain
// the bits of the one before.
var keyValue = lazyregexp.New(`^([a-z][a-z0-9]*)\s*:(.*)$`)

// nvmeController reads "nvme id-ctrl".
func (s *scanner) nvmeController(lines []line) error {
	const tool = nvmeTool + " id-ctrl"
	id := new(nvme.IdentifyController)
	p := newPage(id, lines[0].number)
	for i, l := range lines {
		err := controllerLine(p, l.text)
		if m := powerState.FindStringSubmatch(l.text); m != nil {
			err = setPowerState(p, id, m[1], joined(lines[i:]))
		}
		if err != nil {
			return fault(tool, l.number, err)
		}
	}
	return s.addController(tool, lines[0].number, id, p)
}

func controllerLine(p *page, text string) error {
	m := keyValue.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	key, value := identifyKey(m[1]), m[2]
	f := p.field(key)
	switch {
	case !f.IsValid():
		return nil // Newer than this program, or no part of Identify.
	case key == "sn" || key == "mn" || key == "fr":
		return p.setText(key, strings.TrimPrefix(value, " "))
	case key == "subnqn":
		return p.setText(key, strings.TrimSpace(value))
	case key == "fguid":
		return setHex(p, key, value)
	case key == "wctemp" || key == "cctemp" || key == "mntmt" || key == "mxtmt":
		return setKelvin(p, key, value)
	case alwaysHex(key) && !strings.Contains(value, "0x"):
		value = "0x" + strings.TrimSpace(value)
	}
	return setLabelled(p, key, value)
}

// setHex sets an identifier that is printed in hexadecimal. Without digits
// there is none.
func setHex(p *page, key, value string) error {
	b, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(value), "-", ""))
	if err != nil {
		return fmt.Errorf("%s: %q is not hexadecimal", key, printable(value))
	}
	if len(b) == 0 {
		p.mark(exact, key)
		return nil
	}
	return p.setBytes(key, b)
}

var powerState = lazyregexp.New(`^ps +([0-9]{1,2}) *: *mp:`)

// joined returns a line with the indented ones after it.
func joined(lines []line) string {
	text := lines[0].text
	for _, l := range lines[1:] {
		if !strings.HasPrefix(l.text, "  ") || strings.HasPrefix(strings.TrimSpace(l.text), "[") {
			break
		}
		text += " " + l.text
	}
	return text
}

// setPowerState sets a power state descriptor from its words, most of which are
// "name:value".
func setPowerState(p *page, id *nvme.IdentifyController, index, text string) error {
	i, _ := strconv.Atoi(index)
	if i >= len(id.PSD) {
		return fmt.Errorf("power state %d", i)
	}
	words := map[string]string{}
	for _, w := range strings.Fields(text) {
		if key, value, ok := strings.Cut(w, ":"); ok {
			words[key] = value
		}
	}
	ps := &id.PSD[i]
	var scale uint8
	var err error
	if ps.MaxPower, scale, err = watts(words["mp"]); err != nil {
		return err
	}
	ps.Flags = scale & 1
	if strings.Contains(text, " non-operational") {
		ps.Flags |= 2
	}
	if ps.IdlePower, ps.IdleScale, err = watts(words["idle_power"]); err != nil {
		return err
	}
	if ps.ActivePower, ps.ActiveScale, err = watts(words["active_power"]); err != nil {
		return err
	}
	ps.IdleScale, ps.ActiveScale = ps.IdleScale<<6, ps.ActiveScale<<6
	p.mark(exact, "psds")
	return setLatencies(ps, words)
}

func setLatencies(ps *nvme.PowerState, words map[string]string) error {
	for _, f := range []struct {
		word string
		bits int
		set  func(v uint64)
	}{
		{"enlat", 32, func(v uint64) { ps.EntryLatency = uint32(v) }},
		{"exlat", 32, func(v uint64) { ps.ExitLatency = uint32(v) }},
		{"rrt", 8, func(v uint64) { ps.RRT = uint8(v) }},
		{"rrl", 8, func(v uint64) { ps.RRL = uint8(v) }},
		{"rwt", 8, func(v uint64) { ps.RWT = uint8(v) }},
		{"rwl", 8, func(v uint64) { ps.RWL = uint8(v) }},
	} {
		word, ok := words[f.word]
		if !ok {
			continue
		}
		v, err := strconv.ParseUint(word, 10, f.bits)
		if err != nil {
			return fmt.Errorf("%s: %q: %w", f.word, printable(word), errNumber)
		}
		f.set(v)
	}
	return nil
}

// watts reads a power as both tools print it, with two decimals for units of
// 0.01 W (scale 2) and four for units of 0.0001 W (scale 1). A hyphen, as
// nothing, is not reported (scale 0).
func watts(s string) (value uint16, scale uint8, err error) {
	if s == "-" || s == "" {
		return 0, 0, nil
	}
	whole, decimals, _ := strings.Cut(strings.TrimSuffix(s, "W"), ".")
	scale = map[int]uint8{2: 2, 4: 1}[len(decimals)]
	v, err := strconv.ParseUint(whole+decimals, 10, 16)
	if err != nil || scale == 0 {
		return 0, 0, fmt.Errorf("power %q: %w", printable(s), errNumber)
	}
	return uint16(v), scale, nil
}

// addController takes Identify Controller as a part.
func (s *scanner) addController(tool string, number int, id *nvme.IdentifyController, p *page) error {
	if len(p.known) == 0 {
		s.useless(tool, number, "no values")
		return nil
	}
	d := &Drive{controller: p}
	d.fromController(id)
	return s.add(part{tool: nvmeTool, line: number, drive: d, single: true})
}

// fromController takes the identity from Identify Controller.
func (d *Drive) fromController(id *nvme.IdentifyController) {
	d.Serial, d.Model, d.Firmware = identity(id.SerialNumber.String()), identity(id.ModelNumber.String()), identity(id.FirmwareRevision.String())
	d.Host.VendorID, d.Host.SubsystemVendorID = id.VID, id.SSVID
	if n, ok := id.TNVMCAP.Uint64(); ok {
		d.Host.SizeBytes = n
	}
	for key, text := range map[string]string{"sn": d.Serial, "mn": d.Model, "fr": d.Firmware} {
		if text == "" {
			delete(d.controller.known, key)
		}
	}
}

// nvmeControllerJSON reads "nvme id-ctrl -o json", whose keys are the names of
// the fields.
func (s *scanner) nvmeControllerJSON(n *node) error {
	const tool = nvmeTool + " id-ctrl JSON"
	id := new(nvme.IdentifyController)
	p := newPage(id, n.line)
	for _, key := range n.keys {
		v := n.fields[key]
		if err := controllerKey(p, identifyKey(key), v); err != nil {
			return fault(tool, v.line, err)
		}
	}
	for i, v := range n.get("psds").elements() {
		if i >= len(id.PSD) {
			return fault(tool, v.line, fmt.Errorf("power state %d", i))
		}
		id.PSD[i] = powerStateJSON(v)
		p.mark(exact, "psds")
	}
	return s.addController(tool, n.line, id, p)
}

func controllerKey(p *page, key string, v *node) error {
	f := p.field(key)
	switch key {
	case "sn", "mn", "fr", "subnqn":
		return p.setText(key, v.text())
	case "fguid":
		return setHex(p, key, v.text())
	case "psds", "vs":
		return nil
	}
	if !f.IsValid() {
		return nil
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

func powerStateJSON(v *node) nvme.PowerState {
	b := func(key string) uint8 { return uint8(v.get(key).uint()) }
	ps := nvme.PowerState{
		MaxPower:     uint16(v.get("max_power").uint()),
		Flags:        b("flags") | b("max_power_scale")&1 | b("non-operational_state")&1<<1,
		EntryLatency: uint32(v.get("entry_lat").uint()),
		ExitLatency:  uint32(v.get("exit_lat").uint()),
		RRT:          b("read_tput"), RRL: b("read_lat"), RWT: b("write_tput"), RWL: b("write_lat"),
		IdlePower: uint16(v.get("idle_power").uint()), IdleScale: b("idle_scale") & 3 << 6,
		ActivePower: uint16(v.get("active_power").uint()),
		ActiveScale: b("active_work_scale") | b("active_scale")&3<<6 | b("active_power_work")&7,
	}
	return ps
}

// elements returns the items of an array, none for what is no array.
func (n *node) elements() []*node {
	if n == nil {
		return nil
	}
	return n.items
}
