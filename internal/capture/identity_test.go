package capture

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestIdentityFields checks where identities are looked for.
func TestIdentityFields(t *testing.T) {
	page := make([]byte, 4096)
	for i := range page {
		page[i] = byte(i >> 3)
	}
	for _, tc := range []struct {
		name   string
		e      exchange
		starts []int // First byte of each field, in units of 8.
		ends   []int
	}{
		{"controller", identify(nvme.CNSController, 0, page), []int{0, 14, 96}, []int{24, 128, 1024}},
		{"namespace", identify(nvme.CNSNamespace, 1, page), []int{13, 15}, []int{120, 128}},
		{"allocated namespace", identify(nvme.CNSAllocatedNamespace, 1, page), []int{13, 15}, []int{120, 128}},
		{"half a controller", identify(nvme.CNSController, 0, page[:512]), []int{0, 14}, []int{24, 128}},
		{"active list", identify(nvme.CNSActiveNamespaces, 0, page), nil, nil},
		{"a log", exchange{Queue: "admin", Opcode: nvme.AdminGetLogPage, CDW10: 1, Data: page}, nil, nil},
		{"host identifier", exchange{Queue: "admin", Opcode: nvme.AdminGetFeatures, CDW10: 0x81, Data: page[:8]}, []int{0}, []int{8}},
		{"another feature", exchange{Queue: "admin", Opcode: nvme.AdminGetFeatures, CDW10: 0x80, Data: page[:8]}, nil, nil},
	} {
		var starts, ends []int
		for _, f := range identityFields(&tc.e) {
			starts = append(starts, int(f.data[0]))
			ends = append(ends, cap(page)-cap(f.data)+len(f.data))
		}
		if !slices.Equal(starts, tc.starts) || !slices.Equal(ends, tc.ends) {
			t.Errorf("%s: fields from %v to %v, want from %v to %v", tc.name, starts, ends, tc.starts, tc.ends)
		}
	}
}

func TestAddSysfs(t *testing.T) {
	const id8, id16 = "\x00\x25\x38\x5B\x71\xB0\x03\xC7", "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xAA\xBB\xCC\xDD\xEE\xFF\x10"
	for _, tc := range []struct {
		name, text string
		want       identities
	}{
		{"serial", "ABC1234", identities{texts: []string{"ABC1234"}}},
		{"serial", "", identities{}},
		{"subsysnqn", "nqn.x:y", identities{nqns: []string{"nqn.x:y"}}},
		{"hostnqn", "nqn.x:uuid:11223344-5566-7788-99aa-bbccddeeff10",
			identities{nqns: []string{"nqn.x:uuid:11223344-5566-7788-99aa-bbccddeeff10"}, numbers: []string{id16}}},
		{"hostid", "11223344-5566-7788-99aa-bbccddeeff10", identities{numbers: []string{id16}}},
		{"uuid", "11223344-5566-7788-99aa-bbccddeeff10", identities{numbers: []string{id16}}},
		{"nguid", "00000000-0000-0000-0000-000000000000", identities{}},
		{"eui", "00 25 38 5b 71 b0 03 c7", identities{numbers: []string{id8}}},
		{"wwid", "eui.0025385b71b003c7", identities{numbers: []string{id8}}},
		{"wwid", "uuid.11223344-5566-7788-99aa-bbccddeeff10", identities{numbers: []string{id16}}},
		{"wwid", "nvme.8086-2041424320-4142-00000001", identities{texts: []string{"ABC"}}},
		{"wwid", "nvme.8086-xyz-4142-00000001", identities{}},
		{"eui", "00 25", identities{}},
		{"model", "ABC1234", identities{}},
	} {
		var got identities
		got.addSysfs(tc.name, tc.text)
		got.addSysfs(tc.name, tc.text) // The second time adds nothing.
		got.seen = nil
		if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(identities{})); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tc.name, tc.text, diff)
		}
	}
}

// TestRedactTwoDrives checks that two controllers keep different identities,
// also where one serial number begins with the other.
func TestRedactTwoDrives(t *testing.T) {
	const short, long = "S6RNDB7X0050", "S6RNDB7X005019"
	text := func(path, text string) string { return lineOf(t, sysfsLine{Path: path, Text: &text}) }
	c := read(t, redact(t, header+text("a/serial", short)+text("b/serial", long)+text("c", long+" "+short+" "+long)))
	texts, _ := c.Sysfs()
	a, b := texts["a/serial"], texts["b/serial"]
	if len(a) != len(short) || len(b) != len(long) || a == b[:len(a)] || a == short || b == long {
		t.Errorf("invented %q and %q", a, b)
	}
	if want := b + " " + a + " " + b; texts["c"] != want {
		t.Errorf("text %q, want %q", texts["c"], want)
	}
}
