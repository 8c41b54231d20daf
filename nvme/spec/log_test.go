package spec

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// page joins parts, each of which is bytes, text, or numbers of 8, 16, 32 and 64
// bits.
func page(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch v := p.(type) {
		case string:
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		case int:
			b = append(b, make([]byte, v)...)
		default:
			b, _ = binary.Append(b, binary.LittleEndian, v)
		}
	}
	return b
}

type (
	u8  = uint8
	u16 = uint16
	u32 = uint32
	u64 = uint64
)

// decodeLog decodes a page of the table by its name.
func decodeLog(t *testing.T, name string, b []byte) map[string]any {
	t.Helper()
	p, ok := FindLogPage(name)
	if !ok {
		t.Fatalf("no page %s", name)
	}
	checkLossless(t, p.Structure, b)
	return jsonObject(t, decoded(t, p.Structure, b))
}

// at follows keys and numbers of entries through JSON.
func at(t *testing.T, v any, path string) any {
	t.Helper()
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			n := int(key[0] - '0')
			if n >= len(x) {
				t.Fatalf("%s: only %d entries", path, len(x))
			}
			v = x[n]
		default:
			t.Fatalf("%s: %v has no %s", path, v, key)
		}
	}
	return v
}

// TestLogValues decodes a page of each kind that has more than fields at fixed
// places.
func TestLogValues(t *testing.T) {
	tests := []struct {
		page string
		b    []byte
		want map[string]string
	}{
		{"supported-pages", page(8, u32(0x00050003), 1012), map[string]string{
			"lid.0.lid": "2", "lid.0.lidse_bits.lsupp": "true", "lid.0.lidse_bits.lidsp": "5"}},
		{"error", page(u64(7), u16(0), u16(9), u16(0x4212), u16(0x0028), u64(5), u32(1), u8(0), u8(3), u8(0), u8(2), u64(0), u16(0), 22, 64), map[string]string{
			"entry.0.ecnt": "7", "entry.0.sqid_text": "admin queue", "entry.0.stsinfo_text": "Invalid Log Page", "entry.0.stsinfo_bits.sct": "1",
			"entry.0.stsinfo_bits.dnr": "false", "entry.0.stsinfo_bits.m": "true", "entry.0.peloc_bits.byte": "40", "entry.0.trtype_text": "TCP", "entry.0.opc": "2"}},
		{"changed-namespaces", page(u32(2), u32(9), 4088), map[string]string{"nsid.0": "2", "nsid.1": "9"}},
		{"changed-namespaces", page(u32(0xFFFFFFFF), 4092), map[string]string{"nsid.0": "null"}},
		{"effects", page(8, u32(1), 1012, 4, u32(0x00010003), 3064), map[string]string{
			"admin.0.opcode": "2", "io.0.opcode": "1", "io.0.effects_bits.lbcc": "true", "io.0.effects_bits.cse_text": "no other command for the same namespace"}},
		{"features-effects", page(24, u32(0x00200001), 996), map[string]string{"fid.0.fid": "6", "fid.0.effects_bits.cscpe": "true"}},
		{"mi-effects", page(u32(0x00000001), 4092), map[string]string{"command.0.opcode": "0", "command.0.effects_bits.csupp": "true"}},
		{"self-test", page(u8(1), u8(25), 2, u8(0x27), u8(3), u8(3), u8(0), u64(100), u32(1), u64(77), u8(0), u8(0), 2, u8(0x1F), 27, 508), map[string]string{
			"cdsto_bits.cdsts_text": "short in progress", "cdstc_bits.cpct_percent": "25", "result.0.dsts_bits.dstr_text": "completed, a segment failed",
			"result.0.dsts_bits.stc_text": "extended", "result.0.flba": "77", "result.0.vdinfo_bits.flbav": "true"}},
		{"ana", page(u64(1), u16(2), 6, u32(1), u32(2), u64(0), u8(1), 15, u32(1), u32(2), u32(2), u32(1), u64(0), u8(3), 15, u32(3)), map[string]string{
			"group.0.member.1": "2", "group.1.anastate_bits.anas_text": "inaccessible", "group.1.member.0": "3"}},
		{"lba-status", page(u32(64), u32(2), u32(8), 2, u16(1), u32(1), u32(1), u8(0x11), 7, u64(99), u32(8), 4, u32(2), u32(0), u8(0x10), 7), map[string]string{
			"element.0.range.0.rslba": "99", "element.0.ratype_text": "list the tracked blocks", "element.1.neid": "2"}},
		{"predictable-latency-events", page(u64(2), u16(1), u16(4)), map[string]string{"entry.1": "4"}},
		{"endurance-events", page(u64(1), u16(7)), map[string]string{"entry.0": "7"}},
		{"media-unit", page(u16(2), u16(4), u16(1), 10, u16(1), u16(0), u16(1), u16(1), u16(100), u8(90), u8(3), u8(2), u8(14), u16(5), u16(6), u16(2), 12), map[string]string{
			"unit.0.avsp_percent": "90", "unit.1.muid": "2"}},
		{"capacity-configurations", page(u8(1), 15, u16(3), u16(0), u16(1), 26,
			u16(1), u16(100), 12, u64(1e12), 8, u64(1e11), 8, 16, 16, u16(2), u16(1), u16(2), u16(1), u16(8), u16(1), u16(9), 4, u16(0)), map[string]string{
			"configuration.0.ccid": "3", "configuration.0.group.0.tegcap_bytes": "1000000000000", "configuration.0.group.0.data.set.1": "2",
			"configuration.0.group.0.data.channel.0.chanid": "8", "configuration.0.group.0.data.channel.0.unit.0.muid": "9"}},
		{"lockdown", page(u8(0x12), 2, u8(2), u8(4), u8(0x84), 506), map[string]string{"cfila_bits.ss_text": "features", "cfi.1": "132"}},
		{"dispersed-namespace", page(u64(1), u64(1), 240, "nqn.example", 245), map[string]string{"subsystem.0": "nqn.example"}},
		{"management-address", page(512, u8(1), 3, "https://192.0.2.1", 491, 3072), map[string]string{"address.0.madrs": "https://192.0.2.1"}},
		{"eye-opening", page(u8(0x19), u8(2), u16(64), u32(144), 12, u32(40), u16(2), 38, 2, u8(0), 37, 2, u8(1), 37), map[string]string{
			"eomip_text": "completed", "data.lane.1.ln": "1"}},
		{"reachability-groups", page(u64(1), u16(1), 6, u32(5), u32(1), u64(0), 16, u32(9)), map[string]string{"group.0.rgid": "5", "group.0.member.0": "9"}},
		{"reachability-associations", page(u64(1), u16(1), 6, u32(5), u32(1), u64(0), u8(1), 15, u32(9)), map[string]string{"association.0.rac": "1", "association.0.member.0": "9"}},
		{"fdp-configurations", page(u16(0), u8(0), 1, u32(88), 8, u16(72), u8(0x84), u8(0), u32(2), u16(2), u16(7), u32(4), u64(1<<30), u32(0), 36, u8(1), 3, u8(2), 3), map[string]string{
			"numfdpc": "1", "configuration.0.maxpids": "8", "configuration.0.handle.1.ruht_text": "persistently isolated", "configuration.0.fdpa_bits.rgif_bits": "4"}},
		{"fdp-usage", page(u16(2), 6, u8(1), 7, u8(2), 7), map[string]string{"handle.1.ruha_text": "specified by the controller"}},
		{"fdp-events", page(u32(1), 60, u8(0x80), u8(3), u16(5), u64(99), u32(1), 48), map[string]string{"event.0.etype_text": "media reallocated", "event.0.pid": "5"}},
		{"reservation", page(u64(3), u8(2), u8(1), 2, u32(4), 48), map[string]string{"rnlpt_text": "reservation released", "nsid": "4"}},
		{"changed-zones", page(u16(2), 6, u64(0), u64(0x80000), 4072), map[string]string{"zone.1": "524288"}},
		{"changed-zones", page(u16(0xFFFF), 4094), map[string]string{"nrzid_text": "more than 511 changed"}},
	}
	for _, tt := range tests {
		got := decodeLog(t, tt.page, tt.b)
		for path, want := range tt.want {
			text, _ := json.Marshal(at(t, got, path))
			if s := strings.Trim(string(text), `"`); s != want {
				t.Errorf("%s: %s is %s, want %s", tt.page, path, s, want)
			}
		}
	}
}

// event is a Persistent Event with vendor specific information before its data.
func event(kind u8, vendor, data []byte) []byte {
	return page(kind, u8(1), u8(21), u8(1), u16(0), u64(1<<49|1000), u16(1), 4, u16(len(vendor)), u16(len(vendor)+len(data)), vendor, data)
}

// TestPersistentEvents decodes a log with an event of each kind.
func TestPersistentEvents(t *testing.T) {
	events := [][]byte{
		event(0x01, nil, page(u8(4), 511)),
		event(0x02, []byte("vv"), page("OLDFW   NEWFW   ", u8(3), u8(2), u8(0), u8(0), u16(0))),
		event(0x03, nil, page(u64(5), u64(6))),
		event(0x04, nil, page("FW      ", u16(1), u8(1), u8(0), 12, u32(9), u64(10), u64(11), u16(2), 34)),
		event(0x05, nil, page(u16(8), 2, "more")),
		event(0x06, nil, page(u32(1), 4, u64(100), 8, u64(100), 12, u32(8))),
		event(0x07, nil, page(u32(1), u8(4), 3, u32(2<<9))),
		event(0x08, nil, page(u32(1), u8(0), u8(0), u16(0), u32(0))),
		event(0x09, nil, page(u32(7), u32(4), u32(0))),
		event(0x0A, nil, page(u16(0xFFFF), u16(1), u16(0), 2)),
		event(0x0B, nil, page(u32(0x00040002), u32(6), u32(1), "abcd")),
		event(0x0C, nil, page(u8(7), 511)),
		event(0x0D, nil, page(u8(80), u8(2))),
		event(0x0E, nil, page(u64(1))),
		event(0xDE, nil, page(u16(1), u8(2), u8(0), u16(3), "abc", u16(2), u8(3), u8(0), u16(0))),
		event(0x77, []byte("?"), []byte("unknown")),
		event(0x02, nil, []byte("too short")),
	}
	all := slices.Concat(events...)
	head := page(u8(0x0D), 3, u32(len(events)), u64(512+len(all)), u8(3), 1, u16(492), 36, "SN", 454)
	got := decodeLog(t, "persistent-event", append(head[:512:512], all...))
	for path, want := range map[string]string{
		"0.data.cw": "4", "0.etime_bits.tstmp_ms": "1000", "1.data.nfr": "NEWFW", "1.data.vsi": "7676", "2.data.msr_ms": "6", "3.data.controller.1.cntlid": "2",
		"3.data.controller.0.fa_text": "activated", "4.data.nsheec_text": "unsafe shutdown", "5.data.nsid": "8", "6.data.fnvmcdw10_bits.ses_text": "cryptographic erase",
		"8.data.scdw10_bits.sanact_text": "crypto erase", "9.data.sprog_text": "none in progress",
	} {
		text, _ := json.Marshal(at(t, got, "event."+path))
		if s := strings.Trim(string(text), `"`); s != want {
			t.Errorf("event %s is %s, want %s", path, s, want)
		}
	}
	entries, _ := got["event"].([]any)
	if len(entries) != len(events) {
		t.Fatalf("%d events, want %d", len(entries), len(events))
	}
	for i, e := range entries[10:] {
		decoded := e.(map[string]any)["data"] != nil
		if want := i < 5; decoded != want {
			t.Errorf("event %d: data decoded %t, want %t: %v", 10+i, decoded, want, e)
		}
	}
}

// TestRealLogs decodes pages of real drives and puts them together again.
func TestRealLogs(t *testing.T) {
	count := 0
	for dir, name := range map[string]string{"errlog": "error", "fwlog": "firmware", "sanitize": "sanitize", "selftest": "self-test", "smart": "smart"} {
		files, err := filepath.Glob("../testdata/" + dir + "/*.bin")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			count++
			if got := decodeLog(t, name, b); got["reserved"] != nil && name != "smart" {
				t.Errorf("%s: bytes that the table does not name: %v", file, got["reserved"])
			}
		}
	}
	if count < 90 {
		t.Errorf("only %d pages", count)
	}
}

// TestStuckSanitize is the page of a drive that stood at 1 %.
func TestStuckSanitize(t *testing.T) {
	b, err := os.ReadFile("../testdata/sanitize/intel-660p-stuck.bin")
	if err != nil {
		t.Fatal(err)
	}
	got := decodeLog(t, "sanitize", b)
	want := map[string]any{"sprog": json.Number("655"), "status": "in progress", "eto": "not reported"}
	have := map[string]any{"sprog": got["sprog_65536ths"], "status": at(t, got, "sstat_bits.sos_text"), "eto": got["eto_text"]}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUnknownIsKept holds that reserved bytes and bits that are set are shown.
func TestUnknownIsKept(t *testing.T) {
	b := make([]byte, 512)
	b[0], b[9], b[500] = 0x80, 0xAB, 0xCD
	got := decodeLog(t, "smart", b)
	if at(t, got, "cw_bits.reserved") != json.Number("128") || at(t, got, "reserved.0.hex") != "ab" || at(t, got, "reserved.1.byte") != json.Number("500") {
		t.Errorf("got %v, %v", got["cw_bits"], got["reserved"])
	}
}

// logBytes are bytes for each page: noise whose counts are small, so that there
// are entries.
func logBytes(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		if r.IntN(3) == 0 {
			b[i] = byte(r.IntN(4))
		}
	}
	return b
}

// TestLogsAreLossless decodes noise by each table.
func TestLogsAreLossless(t *testing.T) {
	for i, p := range LogPages() {
		for _, n := range []int{p.Structure.Bytes, p.Structure.Bytes + 1, 8192} {
			for seed := range uint64(8) {
				checkLossless(t, p.Structure, logBytes(seed*100+uint64(i), n))
			}
		}
	}
}

// FuzzLogPages decodes any bytes by any table: nothing is lost, and JSON and text
// can be made of it.
func FuzzLogPages(f *testing.F) {
	pages := LogPages()
	for i := range pages {
		f.Add(uint8(i), logBytes(uint64(i), 700))
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		p := pages[int(which)%len(pages)]
		if len(b) < p.Structure.Bytes {
			if _, err := p.Structure.Decode(b); err == nil {
				t.Fatal("a short page was decoded")
			}
			return
		}
		checkLossless(t, p.Structure, b)
		v := decoded(t, p.Structure, b)
		v.Lines(LineOptions{Full: true, Vendor: true})
		v.Lines(LineOptions{})
		if _, err := json.Marshal(v); err != nil {
			t.Fatal(err)
		}
		if p.Whole != nil {
			p.Whole(b)
		}
	})
}
