package spec

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestFeatureLayout compares every field and every bit with a list that was
// written from the specification's figures.
func TestFeatureLayout(t *testing.T) {
	text, err := os.ReadFile("testdata/feature-layout.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			want = append(want, strings.ReplaceAll(line, "\t", " "))
		}
	}
	for _, f := range Features() {
		got = append(got, featureLayout(&f)...)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layout (-specification +table):\n%s", diff)
	}
}

// featureLayout lists the fields of a feature as the list of the test has them.
func featureLayout(f *Feature) []string {
	fid := fmt.Sprintf("%02X", f.FID)
	var all []string
	if f.Result != nil {
		all = append(all, dwordLayout(fid, "dw0", f.Result)...)
	}
	if f.Set != nil {
		for i := range f.Set.Bytes / 4 {
			part := *f.Set
			part.Fields = slices.DeleteFunc(slices.Clone(part.Fields), func(x Field) bool { return x.At/4 != i })
			all = append(all, dwordLayout(fid, fmt.Sprintf("cdw%d", 11+i), &part)...)
		}
	}
	if f.Data == nil {
		return all
	}
	all = append(all, bytesLayout(fid, "data", f.Data)...)
	for _, index := range []uint32{0xC0, 0xC1} {
		if other := f.DataOf(index); f.DataOf(0) != nil && nvme.FID(f.FID) == nvme.FIDPerformance {
			part := fmt.Sprintf("data%02X", index)
			all = append(all, bytesLayout(fid, part, other)...)
			for _, l := range other.Lists {
				all = append(all, bytesLayout(fid, part+".list", l.Entry)...)
			}
		}
	}
	for _, l := range f.Data.Lists {
		all = append(all, bytesLayout(fid, "entry", l.Entry)...)
	}
	return all
}

func dwordLayout(fid, part string, s *Structure) []string {
	var all []string
	for _, x := range s.Fields {
		base := 8 * (x.At % 4)
		if len(x.Bits) == 0 && !carriesBits(x.Name) {
			all = append(all, fmt.Sprintf("%s %s bits %d %d %s", fid, part, base+8*x.Len-1, base, x.Name))
		}
		for _, b := range x.Bits {
			all = append(all, fmt.Sprintf("%s %s bits %d %d %s", fid, part, base+int(max(b.High, b.Low)), base+int(b.Low), b.Name))
		}
	}
	return all
}

// carriesBits reports whether a field is a dword that has no value of its own.
func carriesBits(name string) bool { return name == "DW0" || strings.HasPrefix(name, "CDW1") }

func bytesLayout(fid, part string, s *Structure) []string {
	var all []string
	for _, x := range s.Fields {
		all = append(all, fmt.Sprintf("%s %s bytes %d %d %s", fid, part, x.At+x.Len-1, x.At, x.Name))
		for _, b := range x.Bits {
			all = append(all, fmt.Sprintf("%s %s.%s bits %d %d %s", fid, part, x.Name, max(b.High, b.Low), b.Low, b.Name))
		}
	}
	return all
}

// TestFeatureTables checks that the tables are sound and complete: every feature
// of the specification that this package names, but that of another command set.
func TestFeatureTables(t *testing.T) {
	seen := map[string]bool{}
	last := -1
	for _, f := range Features() {
		name := nvme.FID(f.FID).String()
		if int(f.FID) <= last {
			t.Errorf("%s: out of order", name)
		}
		last = int(f.FID)
		if f.Title != name {
			t.Errorf("%02Xh: title %q, want %q", f.FID, f.Title, name)
		}
		if f.Name == "" || seen[f.Name] || f.Name != strings.ToLower(f.Name) {
			t.Errorf("%s: the word %q is empty, stands twice or has capitals", name, f.Name)
		}
		seen[f.Name] = true
		if f.Result == nil && f.Data == nil {
			t.Errorf("%s: Get Features gives nothing", name)
		}
		if (f.Data == nil) != (f.DataBytes == 0) || f.DataBytes%2 != 0 {
			t.Errorf("%s: %d bytes of data, structure: %t", name, f.DataBytes, f.Data != nil)
		}
		for _, s := range []*Structure{f.Result, f.Set, f.Data} {
			if s == nil {
				continue
			}
			for _, fault := range Check(s) {
				t.Errorf("%s: %s", name, fault)
			}
		}
	}
	for fid := range 0x100 {
		named := !strings.HasPrefix(nvme.FID(fid).String(), "FID ") && fid < 0xC0 && nvme.FID(fid) != nvme.FIDKeyValue
		if got := FeatureOf(nvme.FID(fid)) != nil; got != named {
			t.Errorf("feature %02Xh is in the table: %t, want %t", fid, got, named)
		}
	}
}

func TestFeatureByName(t *testing.T) {
	for word, want := range map[string]nvme.FID{"volatile-wc": 6, "AUTO-PST": 0xC, "write-protect": 0x84, "bp-write-protect": 0x85} {
		if f := FeatureByName(word); f == nil || nvme.FID(f.FID) != want {
			t.Errorf("%s: %+v, want %v", word, f, want)
		}
	}
	if f := FeatureByName("nothing"); f != nil {
		t.Errorf("a word that is none: %+v", f)
	}
}

// TestFeatureValues decodes values of each kind and reads them as people do.
func TestFeatureValues(t *testing.T) {
	tests := []struct {
		word  string
		value uint32
		want  string
	}{
		{"arbitration", 0x07_06_05_07, "AB no limit, LPW 6 commands, MPW 7 commands, HPW 8 commands"},
		{"arbitration", 3, "AB 8 commands, LPW 1 command, MPW 1 command, HPW 1 command"},
		{"power-mgmt", 0x44, "PS 4, WH heavy sequential writes"},
		{"temp-thresh", 0x00D2_0164, "TMPTH 356 K (83 °C), TMPSEL Temperature Sensor 2, THSEL under temperature threshold, TMPTHH 3 K"},
		{"err-recovery", 0x1_0003, "TLER 300 ms, DULBE enabled"},
		{"err-recovery", 0, "TLER no limit, DULBE disabled"},
		{"volatile-wc", 1, "WCE enabled"},
		{"volatile-wc", 0, "WCE disabled"},
		{"num-queues", 0x003F_0007, "NSQA 8 queues, NCQA 64 queues"},
		{"irq-coalesce", 0x0501, "THR 2 completions, TIME 500 µs"},
		{"irq-config", 0x1_0002, "IV 2, CD no coalescing"},
		{"async-event", 0x8000_0902, "SHCW1, NAN, ANACN, DLPCN"},
		{"async-event", 0, "none"},
		{"kato", 120_000, "KATO 120 000 ms"},
		{"hctm", 351 << 16, "TMT2 off, TMT1 351 K (78 °C)"},
		{"rrl", 4, "RRL default"},
		{"rrl", 6, "RRL 6"},
		{"sanitize", 0, "NODRM error: a sanitize that is not to deallocate is refused"},
		{"fdp", 0x0301, "FDPE, FDPCIDX 3"},
		{"resv-mask", 0x8, "REGPRE notified, RESREL notified, RESPRE masked"},
		{"write-protect", 2, "WPS write protect until power cycle"},
		{"write-protect", 0x12, "WPS write protect until power cycle, reserved bits are set: 0x10"},
		{"bp-write-protect", 0b011_001, "BP0WPS write unlocked, BP1WPS write locked until power cycle"},
		{"power-loss-signal", 2, "PLSM enabled with Forced Quiescence"},
		{"lba-sts-interval", 5<<16 | 3, "LSIRI 300 ms, LSIPI 500 ms"},
	}
	for _, tt := range tests {
		f := FeatureByName(tt.word)
		b := []byte{byte(tt.value), byte(tt.value >> 8), byte(tt.value >> 16), byte(tt.value >> 24)}
		if got := decoded(t, f.Result, b).Words(); got != tt.want {
			t.Errorf("%s %#x: %q, want %q", tt.word, tt.value, got, tt.want)
		}
	}
}

// TestFlat checks the JSON of a dword: its parts beside each other, and nothing
// lost.
func TestFlat(t *testing.T) {
	tests := []struct {
		word string
		b    []byte
		want map[string]any
	}{
		{"power-mgmt", []byte{0x24, 0x01, 0, 0}, map[string]any{"ps": "4", "wh": "1", "wh_text": "extended idle period with a burst of random writes", "reserved_bits": "256"}},
		{"hctm", []byte{0x64, 1, 0, 0}, map[string]any{"tmt1_kelvin": "", "tmt1_text": "off", "tmt2_kelvin": "356"}},
		{"irq-coalesce", []byte{1, 2, 3, 0}, map[string]any{"thr_completions": "2", "time_us": "200", "reserved_bytes": "\"03\""}},
		{"volatile-wc", []byte{1, 0, 0, 0}, map[string]any{"wce": "true"}},
	}
	for _, tt := range tests {
		v := decoded(t, FeatureByName(tt.word).Result, tt.b)
		got := map[string]any{}
		for k, x := range jsonObject(t, Flat{v}) {
			switch x := x.(type) {
			case nil:
				got[k] = ""
			case string:
				got[k] = x
				if k == "reserved_bytes" {
					got[k] = fmt.Sprintf("%q", x)
				}
			default:
				got[k] = fmt.Sprint(x)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.word, diff)
		}
	}
}

// TestFeatureData decodes data structures.
func TestFeatureData(t *testing.T) {
	apst := make([]byte, 256)
	copy(apst[8:], []byte{4 << 3, 0x88, 0x13, 0})
	v := decoded(t, FeatureByName("auto-pst").Data, apst)
	if e := v.Lists[0].Entries; len(e) != 1 || e[0].Index != 1 || e[0].Words() != "ITPS 4, ITPT 5000 ms" {
		t.Errorf("transitions: %d: %+v", len(e), e)
	}
	b := make([]byte, 4096)
	copy(b, []byte{2, 0, 0x0A, 1, 5, 0, 'L', 'i', 'n', 'u', 'x', 0x0B, 1, 0, 0})
	v = decoded(t, FeatureByName("ctrl-metadata").Data, b)
	if e := v.Lists[0].Entries; len(e) != 2 || e[0].Rest == nil || string(e[0].Rest.Rows[0].Raw) != "Linux" || e[1].Rest != nil {
		t.Errorf("metadata: %+v", v.Lists[0].Entries)
	}
	ranges := make([]byte, 4096)
	ranges[0], ranges[1], ranges[24] = 1, 2, 7
	v = decoded(t, FeatureByName("lba-range").Data, ranges)
	if e := v.Lists[0].Entries; len(e) != 1 || e[0].Words() != "TYPE file system, HID, SLBA 0, NLB 8 blocks, GUID none" {
		t.Errorf("ranges: %d: %s", len(e), e[0].Words())
	}
	for n, want := range map[int]bool{8: false, 16: true} {
		v = decoded(t, FeatureByName("host-id").Data, make([]byte, n))
		if (v.Rest != nil) != want {
			t.Errorf("host identifier of %d bytes: an upper half: %t", n, v.Rest != nil)
		}
	}
	if _, err := FeatureByName("timestamp").Data.Decode(make([]byte, 7)); !errors.Is(err, nvme.ErrShort) {
		t.Errorf("7 bytes of a timestamp: %v", err)
	}
}

// TestPerformanceAttributes holds that each Attribute Index has its own data
// structure: byte 4 of a vendor's attribute is part of an identifier, and no
// latency.
func TestPerformanceAttributes(t *testing.T) {
	b := make([]byte, performanceBytes)
	copy(b, []byte{1, 2, 3, 4, 5, 6})
	copy(b[16:], []byte{0xAA})
	b[30] = 8
	f := FeatureByName("perf-characteristics")
	for index, want := range map[uint32]string{0: "R4KARL 1 s to 5 s", 0xC1: "ATTRL 8 bytes", 0xFF: "ATTRL 8 bytes", 0xC0: "ATYPE 1, reserved bits are set"} {
		s := f.DataOf(index)
		b[0] = map[bool]byte{true: 9, false: 1}[index == 0xC0]
		if got := decoded(t, s, b).Words(); !strings.Contains(got, want) || index != 0 && strings.Contains(got, "R4KARL") {
			t.Errorf("attribute %02Xh: %q, want %q", index, got, want)
		}
		checkLossless(t, s, b)
		for _, fault := range Check(s) {
			t.Errorf("attribute %02Xh: %s", index, fault)
		}
	}
	for _, index := range []uint32{1, 0xBF} {
		if s := f.DataOf(index); s != nil {
			t.Errorf("attribute %02Xh is reserved and has the table %s", index, s.Title)
		}
	}
	if list := decoded(t, f.DataOf(0xC0), b).Lists[0].Entries; len(list) != 1 {
		t.Errorf("%d identifiers, want the one that is not zero", len(list))
	}
}

// TestFeatureDifferences compares what was set with what is there.
func TestFeatureDifferences(t *testing.T) {
	tests := []struct {
		word   string
		set    []byte
		result uint32
		want   []string
	}{
		{"volatile-wc", []byte{1, 0, 0, 0}, 1, nil},
		{"volatile-wc", []byte{1, 0, 0, 0}, 0, []string{"WCE is disabled and not enabled"}},
		{"power-mgmt", []byte{0x24, 0, 0, 0}, 0x24, nil},
		{"power-mgmt", []byte{4, 0, 0, 0}, 3, []string{"PS is 3 and not 4"}},
		{"temp-thresh", []byte{0x54, 1, 2, 0}, 0x154, nil},
		{"rrl", []byte{1, 0, 0, 0, 15, 0, 0, 0}, 4, []string{"RRL is default and not fast fail"}},
		{"hctm", []byte{0, 0, 0x50, 1}, 0x150 << 16, nil},
		{"num-queues", []byte{3, 0, 3, 0}, 0, nil}, // What is asked for and what is allocated have two names.
		{"timestamp", []byte{1, 0, 0, 0}, 0, nil},
		{"fdp", []byte{1, 0, 0, 0}, 1, nil}, // Too short for both dwords.
	}
	for _, tt := range tests {
		got := FeatureByName(tt.word).Differences(tt.set, tt.result)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s % x, %#x (-want +got):\n%s", tt.word, tt.set, tt.result, diff)
		}
	}
}

// TestFeatureSelected checks what reads back what was set, and the length of its
// data.
func TestFeatureSelected(t *testing.T) {
	tests := []struct {
		word     string
		cdw11    uint32
		selected uint32
		bytes    int
	}{
		{"temp-thresh", 0x0072_0154, 0x0032_0000, 0},
		{"irq-config", 0x1_0003, 3, 0},
		{"rrl", 2, 2, 0},
		{"endurance-evt-cfg", 0xD_0001, 1, 0},
		{"fdp", 1, 1, 0},
		{"fdp-events", 4<<16 | 2, 0xFF_0002, 4},
		{"perf-characteristics", 0x1C1, 0xC1, 4096},
		{"host-id", 0, 0, 8},
		{"host-id", 1, 1, 16},
		{"host-mem-buf", 1, 0, 0},
		{"lba-range", 0, 0, -1},
		{"timestamp", 0, 0, 8},
		{"volatile-wc", 1, 0, 0},
	}
	for _, tt := range tests {
		f := FeatureByName(tt.word)
		if got := f.Selected(tt.cdw11); got != tt.selected || f.SetBytes(tt.cdw11) != tt.bytes {
			t.Errorf("%s %#x: %#x and %d bytes, want %#x and %d", tt.word, tt.cdw11, got, f.SetBytes(tt.cdw11), tt.selected, tt.bytes)
		}
	}
}

func TestFeatureSelector(t *testing.T) {
	sets := &nvme.IdentifyController{CTRATT: ctrattNVMSets | ctrattHostID16}
	tests := []struct {
		word  string
		id    *nvme.IdentifyController
		cdw11 uint32
		bytes int
	}{
		{"rrl", sets, 1, 0},
		{"rrl", &nvme.IdentifyController{}, 0, 0},
		{"endurance-evt-cfg", sets, 1, 0},
		{"fdp-events", sets, 0xFF0000, 512},
		{"host-id", sets, 1, 16},
		{"host-id", &nvme.IdentifyController{}, 0, 8},
		{"volatile-wc", sets, 0, 0},
		{"auto-pst", sets, 0, 256},
	}
	for _, tt := range tests {
		f := FeatureByName(tt.word)
		if got := f.Selector(tt.id); got != tt.cdw11 || f.Bytes(got) != tt.bytes {
			t.Errorf("%s: dword 11 %#x and %d bytes, want %#x and %d", tt.word, got, f.Bytes(got), tt.cdw11, tt.bytes)
		}
	}
}

// TestFeatureGates asks for features of drives that have little and much.
func TestFeatureGates(t *testing.T) {
	listed := func(id *nvme.IdentifyController) []string {
		var all []string
		for _, f := range Features() {
			ok, why := f.When.Listed(id)
			if ok != (why == "") {
				t.Errorf("%s: listed %t because %q", f.Name, ok, why)
			}
			if ok {
				all = append(all, f.Name)
			}
		}
		return all
	}
	base := []string{"arbitration", "power-mgmt", "temp-thresh", "err-recovery", "num-queues", "irq-coalesce", "irq-config", "write-atomic", "async-event"}
	if diff := cmp.Diff(base, listed(&nvme.IdentifyController{})); diff != "" {
		t.Errorf("a drive that lists nothing (-want +got):\n%s", diff)
	}
	full := &nvme.IdentifyController{
		VWC: 1, APSTA: 1, HMPRE: 1, ONCS: nvme.ONCSTimestamp | nvme.ONCSReservations, KAS: 1, HCTMA: 1, CTRATT: 0xFFFFF,
		OAES: 1<<13 | 1<<14, SANICAP: 1 << 29, NWPC: 1, CRDT1: 1,
	}
	want := append(slices.Clone(base), "volatile-wc", "auto-pst", "host-mem-buf", "timestamp", "kato", "hctm", "nopsc", "rrl", "plm-config", "plm-window",
		"lba-sts-interval", "host-behavior", "sanitize", "endurance-evt-cfg", "fdp", "fdp-events", "host-id", "resv-mask", "resv-persist", "write-protect")
	got := listed(full)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a drive that lists all (-want +got):\n%s", diff)
	}
}

// FuzzFeature decodes any bytes as any feature: nothing is lost, and nothing
// panics.
func FuzzFeature(f *testing.F) {
	for i := range Features() {
		f.Add(i, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	}
	f.Add(35, append([]byte{3, 0, 1, 1, 255, 255}, make([]byte, 64)...))
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		all := Features()
		x := all[uint(i)%uint(len(all))]
		for _, s := range []*Structure{x.Result, x.Set, x.Data} {
			if s == nil || len(b) < s.Bytes {
				continue
			}
			checkLossless(t, s, b)
			v := decoded(t, s, b)
			jsonObject(t, Flat{v})
			jsonObject(t, v)
			if v.Words() == "" && len(b) > 0 && len(v.Rows) > 0 {
				t.Errorf("%s: no words for % x", x.Name, b)
			}
			v.Lines(LineOptions{Full: true})
		}
	})
}
