package capture

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"qd1.example/qd1/nvme"
)

// person is the identity of one invented drive and its host.
type person struct {
	serial, nqn              string
	nguid, eui64, uuid, host []byte
}

func randomText(r *rand.Rand, n int) string {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	if n > 10 && r.IntN(4) == 0 {
		b[n/2] = ' '
	}
	return string(b)
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	b[r.IntN(n)] = 0
	return b
}

func newPerson(r *rand.Rand) person {
	p := person{serial: randomText(r, 8+r.IntN(13)), nguid: randomBytes(r, 16), eui64: randomBytes(r, 8), uuid: randomBytes(r, 16), host: randomBytes(r, 16)}
	p.nqn = "nqn.2014.08.org.nvmexpress:80868086" + p.serial + " MODEL"
	if r.IntN(2) == 0 {
		p.nqn = "nqn.2019-10.com.example:nvme:drive.M2." + randomText(r, 12)
	}
	return p
}

// words exchanges the bytes of each word of a text with its padding.
func words(s string) []byte {
	if len(s)%2 != 0 {
		s += " "
	}
	b := []byte(s)
	for i := 0; i < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return b
}

// utf16Of is a text in UTF-16 of one byte order.
func utf16Of(s string, big bool) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

// traces are all forms in which the person could be found again.
func (p *person) traces() [][]byte {
	var all [][]byte
	text := func(s string) {
		all = append(all, []byte(s), []byte(hex.EncodeToString([]byte(s))), []byte(strings.ToUpper(hex.EncodeToString([]byte(s)))),
			words(s), utf16Of(s, false), utf16Of(s, true), []byte(base64.StdEncoding.EncodeToString([]byte(s))))
	}
	text(p.serial)
	for _, b := range [][]byte{p.nguid, p.eui64, p.uuid, p.host} {
		all = append(all, b, reversed(b))
		for _, form := range forms(b) {
			all = append(all, []byte(form))
		}
	}
	_, rest, _ := strings.Cut(p.nqn, ":")
	text(rest)
	return all
}

// strew puts forms of the identity at random places of a page.
func (p *person) strew(r *rand.Rand, page []byte) []byte {
	all := p.traces()
	for at := 0; ; {
		form := all[r.IntN(len(all))]
		at += r.IntN(200)
		if at+len(form) > len(page) {
			return page
		}
		copy(page[at:], form)
		at += len(form) + 4
	}
}

// capture is all that a drive of the person told: the structures that name it, log
// pages of the standard and of vendors, one read in parts, and what the host
// shows.
func (p *person) capture(t *testing.T, r *rand.Rand) string {
	t.Helper()
	ctrl := controllerPage(p.serial, p.nqn)
	copy(ctrl[112:128], p.nguid) // FGUID
	copy(ctrl[3072:], p.strew(r, make([]byte, 1024)))
	ns := namespacePage()
	copy(ns[104:], p.nguid)
	copy(ns[120:], p.eui64)
	list := make([]byte, 4096)
	rest := list
	for kind, id := range [][]byte{1: p.eui64, 2: p.nguid, 3: p.uuid} {
		if id != nil {
			rest[0], rest[1] = byte(kind), byte(len(id))
			copy(rest[4:], id)
			rest = rest[4+len(id):]
		}
	}
	events := make([]byte, 4096)
	events[0] = byte(nvme.LIDPersistentEvent)
	copy(events[56:76], fmt.Sprintf("%-20s", p.serial))
	copy(events[116:372], p.nqn)
	text := func(path, text string) string { return lineOf(t, sysfsLine{Path: path, Text: &text}) }
	link := func(path, target string) string { return lineOf(t, sysfsLine{Path: path, Link: &target}) }
	log := func(lid nvme.LID, offset uint32, data []byte) string {
		return lineOf(t, exchange{Queue: "admin", Opcode: nvme.AdminGetLogPage, NSID: nvme.BroadcastNSID, CDW10: uint32(lid), CDW12: offset, Data: data})
	}
	lines := []string{
		text("class/nvme/nvme0/serial", fmt.Sprintf("%-20s\n", p.serial)), text("class/nvme/nvme0/subsysnqn", p.nqn+"\n"),
		text("class/nvme/nvme0/hostnqn", "nqn.2014-08.org.nvmexpress:uuid:"+dashed(p.host)+"\n"), text("class/nvme/nvme0/hostid", dashed(p.host)+"\n"),
		text("class/block/nvme0n1/wwid", "nvme.8086-"+hex.EncodeToString([]byte(p.serial))+"-4d4f44454c-00000001\n"),
		text("class/block/nvme0n1/eui", hexSpaced(string(p.eui64))+"\n"), text("class/block/nvme0n1/nguid", dashed(p.nguid)+"\n"),
		link("dev/disk/by-id/nvme-MODEL_"+strings.ReplaceAll(p.serial, " ", "_"), "../../nvme0n1"),
		link("dev/disk/by-id/nvme-eui."+hex.EncodeToString(p.nguid), "../../nvme0n1"),
		lineOf(t, identify(nvme.CNSController, 0, ctrl)), lineOf(t, identify(nvme.CNSNamespace, 1, ns)),
		lineOf(t, identify(nvme.CNSNamespaceDescriptors, 1, list)), lineOf(t, identify(nvme.CNSControllers, 0, p.strew(r, make([]byte, 4096)))),
		log(nvme.LIDPersistentEvent, 0, events),
		lineOf(t, exchange{Queue: "admin", Opcode: nvme.AdminGetFeatures, CDW10: 0x81, CDW11: 1, Data: p.host}),
		lineOf(t, exchange{Queue: "admin", Opcode: nvme.AdminSecurityReceive, CDW10: 1 << 24, Data: p.strew(r, make([]byte, 512))}),
		lineOf(t, exchange{Queue: "io", Opcode: nvme.IORead, NSID: 1, Data: p.strew(r, make([]byte, 4096))}),
	}
	for lid := range 256 {
		if nvme.LID(lid) != nvme.LIDTelemetryHost && nvme.LID(lid) != nvme.LIDPersistentEvent {
			lines = append(lines, log(nvme.LID(lid), 0, p.strew(r, make([]byte, 512+r.IntN(512)))))
		}
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	telemetry := p.strew(r, make([]byte, 16<<10))
	for at := 0; at < len(telemetry); {
		n := min(512*(1+r.IntN(3)), len(telemetry)-at)
		lines = append(lines, log(nvme.LIDTelemetryHost, uint32(at), telemetry[at:at+n]))
		at += n
	}
	return header + strings.Join(lines, "")
}

// whole returns everything that a capture has to say: its text, the data of each
// line, and the data of consecutive lines together.
func whole(t *testing.T, text string) []byte {
	t.Helper()
	all := []byte(text)
	var joined []byte
	for line := range strings.Lines(text) {
		var v struct{ Data string }
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		b, err := base64.StdEncoding.DecodeString(v.Data)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, b...), 0)
		joined = append(joined, b...)
	}
	return append(all, joined...)
}

// TestRedactProperty redacts captures of invented drives that have their
// identities in every form on every page. Nothing of them is left, no line
// changes its length, and what is left plays back as before.
func TestRedactProperty(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := newPerson(r)
		text := p.capture(t, r)
		got := redact(t, text)
		before, after := whole(t, text), whole(t, got)
		for i, trace := range p.traces() {
			if i < 2 && !bytes.Contains(before, trace) {
				t.Fatalf("seed %d: trace %d is not there to begin with", seed, i)
			}
			if at := bytes.Index(after, trace); at >= 0 {
				t.Errorf("seed %d: serial %q, nqn %q: trace %d, %q, is left: %q", seed, p.serial, p.nqn, i, trace, after[max(0, at-20):min(len(after), at+40)])
			}
		}
		was, is := strings.SplitAfter(text, "\n"), strings.SplitAfter(got, "\n")
		if len(was) != len(is) {
			t.Fatalf("seed %d: %d lines, want %d", seed, len(is), len(was))
		}
		for i := range was {
			if len(was[i]) != len(is[i]) {
				t.Errorf("seed %d: line %d has %d bytes, want %d", seed, i, len(is[i]), len(was[i]))
			}
		}
		checkReplay(t, text, got)
	}
}

// checkReplay holds that two captures answer the same commands, with data of the
// same length.
func checkReplay(t *testing.T, text, redacted string) {
	t.Helper()
	a, b := read(t, text), read(t, redacted)
	for line := range strings.Lines(text) {
		var e exchange
		if json.Unmarshal([]byte(line), &e) != nil || e.Queue != "admin" {
			continue
		}
		var data [2][]byte
		for i, c := range []*Capture{a, b} {
			cmd := &nvme.Command{Opcode: e.Opcode, NSID: e.NSID, CDW10: e.CDW10, CDW11: e.CDW11, CDW12: e.CDW12, Data: bytes.Repeat([]byte{0xEE}, len(e.Data)+8)}
			done, err := c.Submit(t.Context(), cmd)
			if err != nil || !done.Status.OK() {
				t.Fatalf("%+v: %v, %v", e, done, err)
			}
			data[i] = cmd.Data
		}
		if n := len(e.Data); slices.Equal(data[1][:n], bytes.Repeat([]byte{0xEE}, n)) || !bytes.Equal(data[0][n:], data[1][n:]) {
			t.Errorf("opcode %02x, CDW10 %08x: other data come back", e.Opcode, e.CDW10)
		}
	}
}
