package spec

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

const identifyBytes = 4096

func identifyTables() []*Structure {
	var list []*Structure
	for _, p := range IdentifyPages() {
		list = append(list, p.Structure)
	}
	return list
}

func TestIdentifyTables(t *testing.T) {
	for _, s := range identifyTables() {
		for _, fault := range Check(s) {
			t.Error(fault)
		}
		if s.Bytes != identifyBytes {
			t.Errorf("%s: %d bytes, want %d", s.Name, s.Bytes, identifyBytes)
		}
	}
}

func TestIdentifyLayout(t *testing.T) { checkLayout(t, "identify-layout.txt", identifyTables()...) }

// identifyPage returns the page of a name.
func identifyPage(t testing.TB, name string) IdentifyPage {
	t.Helper()
	for _, p := range IdentifyPages() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no page %s", name)
	return IdentifyPage{}
}

func TestIdentifyPagesAreDistinct(t *testing.T) {
	type selector struct {
		cns nvme.CNS
		csi uint8
	}
	names, selectors, last := map[string]bool{}, map[selector]bool{}, nvme.CNS(0)
	for _, p := range IdentifyPages() {
		s := selector{p.CNS, p.CSI}
		if names[p.Name] || selectors[s] || p.CNS < last {
			t.Errorf("%s (CNS %02Xh, CSI %02Xh): stands twice, or not in order", p.Name, uint8(p.CNS), p.CSI)
		}
		names[p.Name], selectors[s], last = true, true, p.CNS
	}
}

// TestIdentifyLosesNothing puts pages of noise together again, thick and thin.
func TestIdentifyLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range identifyTables() {
		for range 8 {
			thick, thin := make([]byte, identifyBytes), make([]byte, identifyBytes)
			for i := range thick {
				thick[i] = byte(r.Uint32())
			}
			for range 40 {
				thin[r.IntN(identifyBytes)] = byte(r.Uint32())
			}
			checkAnything(t, s, thick)
			checkAnything(t, s, thin)
		}
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add(uint8(1), []byte{0x86, 0x80})
	f.Add(uint8(3), []byte{3, 16, 0, 0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		tables := identifyTables()
		page := make([]byte, identifyBytes)
		copy(page, b)
		s := tables[int(which)%len(tables)]
		checkAnything(t, s, b)
		checkAnything(t, s, page)
	})
}

// pageOf reads a page of testdata of package nvme.
func pageOf(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "testdata", dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// expectations are the values of real pages that other tools printed.
func expectations(t *testing.T, dir string) map[string]map[string]json.RawMessage {
	t.Helper()
	var all map[string]map[string]json.RawMessage
	if err := json.Unmarshal(pageOf(t, dir, "expected.json"), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRealIdentifyController compares stored numbers and texts with what other
// tools printed of real drives.
func TestRealIdentifyController(t *testing.T) { checkReal(t, "idctrl", "ctrl") }

// TestRealIdentifyNamespace is the same for namespaces.
func TestRealIdentifyNamespace(t *testing.T) { checkReal(t, "idns", "ns") }

func checkReal(t *testing.T, dir, page string) {
	t.Helper()
	s, compared := identifyPage(t, page).Structure, 0
	for drive, want := range expectations(t, dir) {
		b := pageOf(t, dir, drive+".bin")
		checkLossless(t, s, b)
		for _, r := range decoded(t, s, b).Rows {
			expected, ok := want[key(r.Field.Name, "")]
			if !ok || r.Reserved || r.Field.Kind == Hex {
				continue
			}
			compared++
			if got := storedJSON(t, r); got != string(expected) && !strings.Contains(string(expected), got) {
				t.Errorf("%s %s: stored %s, want %s", drive, r.Field.Name, got, expected)
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d values compared, want more than 100", compared)
	}
}

// storedJSON is a row as other tools print it: the number that is stored.
func storedJSON(t *testing.T, r Row) string {
	t.Helper()
	var v any = r.Stored
	switch r.Field.Kind {
	case Text:
		v = nvme.CleanASCII(r.Raw)
	case OUI:
		v = identifier(r.Field, r.Raw)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestIdentifyControllerJSON looks at values that are not as they are stored.
func TestIdentifyControllerJSON(t *testing.T) {
	o := jsonObject(t, decoded(t, identifyController(), pageOf(t, "idctrl", "wdc-SN730-256GB.bin")))
	want := map[string]any{
		"mdts_bytes": json.Number("524288"), "elpe_entries": json.Number("256"), "wctemp_kelvin": json.Number("357"), "npss_states": json.Number("5"),
	}
	for k, v := range want {
		if diff := cmp.Diff(v, o[k]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k, diff)
		}
	}
	states := o["psd"].([]any)
	if len(states) != 5 {
		t.Fatalf("%d power states, want 5", len(states))
	}
	last := states[4].(map[string]any)
	for k, v := range map[string]any{"ps": json.Number("4"), "mp_text": "0.0035 W", "enlat_us": json.Number("4000"), "exlat_us": json.Number("40000")} {
		if diff := cmp.Diff(v, last[k]); diff != "" {
			t.Errorf("power state 4, %s (-want +got):\n%s", k, diff)
		}
	}
}

func TestIdentifyNamespaceText(t *testing.T) {
	b := make([]byte, identifyBytes)
	binary.LittleEndian.PutUint64(b, 1875385008)
	b[25], b[26] = 2, 0x11
	b[128+2], b[132+2], b[136+2], b[132] = 9, 12, 12, 8
	text := plainText(decoded(t, identifyNamespace(), b).Lines(LineOptions{}))
	for _, want := range []string{
		"NSZE | 1 875 385 008 blocks | Namespace Size: 7 681 576 992 768 bytes (7.68 TB)\n", "NLBAF | 3 formats",
		"LBAF 0 | MS 0 bytes, LBADS 512 bytes, RP best\n", "LBAF 1, in use | MS 8 bytes, LBADS 4096 bytes (4 KiB), RP best\n", "yes: Metadata at the End of Each Logical Block\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// TestNamespaceDescriptors reads a list with each type and one of no known type.
func TestNamespaceDescriptors(t *testing.T) {
	b := make([]byte, identifyBytes)
	at := 0
	add := func(nidt byte, id ...byte) { at += copy(b[at:], append([]byte{nidt, byte(len(id)), 0, 0}, id...)) }
	add(1, 1, 2, 3, 4, 5, 6, 7, 8)
	add(3, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 0)
	add(4, 2)
	add(9, 7, 7)
	want := `Descriptors: 4
  DESCRIPTOR 0 | NIDT EUI-64, NIDL 8 bytes, NID 0102030405060708
  DESCRIPTOR 1 | NIDT UUID, NIDL 16 bytes, UUID 11223344-5566-7788-99aa-bbccddeeff00
  DESCRIPTOR 2 | NIDT Command Set Identifier, NIDL 1 byte, CSI Zoned Namespace
  DESCRIPTOR 3 | NIDT reserved value, NIDL 2 bytes, reserved byte 4: 0707
`
	if diff := cmp.Diff(want, plainText(decoded(t, namespaceDescriptors(), b).Lines(LineOptions{}))); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestControllerStateFormats(t *testing.T) {
	b := make([]byte, identifyBytes)
	copy(b, []byte{2, 1, 0, 0, 1, 0, 0xAB})
	o := jsonObject(t, decoded(t, controllerStateFormats(), b))
	if diff := cmp.Diff([]any{json.Number("0"), json.Number("1")}, o["csv"]); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"ab000000-0000-0000-0000-000000000000"}, o["csuuid"]); diff != "" {
		t.Errorf("UUIDs (-want +got):\n%s", diff)
	}
}

// TestIdentifyGates asks an old drive and one that lists everything.
func TestIdentifyGates(t *testing.T) {
	old := &nvme.IdentifyController{}
	modern := &nvme.IdentifyController{Version: 0x20100, OACS: 0xFFFF, CTRATT: 0xFFFFFFFF}
	var asked, refused []string
	for _, p := range IdentifyPages() {
		if ok, _ := p.When.Listed(old); ok {
			asked = append(asked, p.Name)
		} else if _, why := p.When.Listed(old); why == "" {
			t.Errorf("%s: no reason", p.Name)
		}
		if ok, _ := p.When.Listed(modern); !ok {
			refused = append(refused, p.Name)
		}
	}
	if diff := cmp.Diff([]string{"ns", "ctrl"}, asked); diff != "" {
		t.Errorf("pages of a drive of NVMe 1.0 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"zns-ns", "zns-ctrl", "ns-list-csi", "allocated-ns-list-csi", "allocated-nvm-ns", "iocs", "allocated-ns-ind"}, refused); diff != "" {
		t.Errorf("pages that no drive lists (-want +got):\n%s", diff)
	}
}
