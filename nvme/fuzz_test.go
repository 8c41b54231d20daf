package nvme

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
)

// seed adds the pages of the folders and their short forms.
func seed(f *testing.F, patterns ...string) {
	f.Add([]byte(nil))
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(p)))
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds for %s: %v", p, err)
		}
		for _, name := range files {
			page := read(f, name[len("testdata/"):])
			f.Add(page)
			f.Add(page[:len(page)-1])
		}
	}
}

// checkDecode decodes b and checks that the structure written again is b but for
// reserved bytes, and that it has a JSON form.
func checkDecode[T any, P interface {
	*T
	encoding.BinaryUnmarshaler
}](t *testing.T, b []byte) (P, bool) {
	t.Helper()
	v := P(new(T))
	size := binary.Size(v)
	if err := v.UnmarshalBinary(b); (err != nil) != (len(b) < size) {
		t.Fatalf("%d bytes: error %v", len(b), err)
	} else if err != nil {
		return nil, false
	}
	// What ones become is the mask of the bytes that are not reserved.
	ones := P(new(T))
	if err := ones.UnmarshalBinary(fill(size, 0xFF)); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(b[:size])
	for i, m := range encoded(t, ones) {
		want[i] &= m
	}
	if got := encoded(t, v); !bytes.Equal(got, want) {
		t.Errorf("%T written again differs from what was read", v)
	}
	if out, err := json.Marshal(v); err != nil || !json.Valid(out) {
		t.Errorf("JSON = %q, %v", out, err)
	}
	return v, true
}

func FuzzIdentifyController(f *testing.F) {
	seed(f, "idctrl/*.bin", "cases/*/idctrl*.bin")
	f.Fuzz(func(t *testing.T, b []byte) {
		if id, ok := checkDecode[IdentifyController](t, b); ok {
			for _, p := range id.PowerStates() {
				if p.MaxMilliwatts() < 0 {
					t.Errorf("power %v", p.MaxMilliwatts())
				}
			}
			if l := logLimitsOf(id); l.transfer < 4096 {
				t.Errorf("a log command transfers at most %d bytes", l.transfer)
			}
		}
	})
}

func FuzzIdentifyNamespace(f *testing.F) {
	seed(f, "idns/*.bin", "cases/*/idns*.bin")
	f.Fuzz(func(t *testing.T, b []byte) {
		if ns, ok := checkDecode[IdentifyNamespace](t, b); ok {
			if ns.Format() == (LBAFormat{}) && !ns.SizeBytes().IsZero() {
				t.Errorf("%v bytes without a format", ns.SizeBytes())
			}
			if ns.Inactive() && !ns.CapacityBytes().IsZero() {
				t.Errorf("%v bytes in an inactive namespace", ns.CapacityBytes())
			}
		}
	})
}

func FuzzSMARTLog(f *testing.F) {
	seed(f, "smart/*.bin", "cases/*/smart*.bin")
	f.Fuzz(func(t *testing.T, b []byte) { checkDecode[SMARTLog](t, b) })
}

func FuzzFirmwareSlotLog(f *testing.F) {
	seed(f, "fwlog/*.bin", "cases/*/fwlog*.bin")
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, ok := checkDecode[FirmwareSlotLog](t, b); ok && (l.ActiveSlot() > 7 || l.NextSlot() > 7) {
			t.Errorf("slots %d, %d", l.ActiveSlot(), l.NextSlot())
		}
	})
}

func FuzzErrorLog(f *testing.F) {
	seed(f, "errlog/*.bin", "cases/*/errlog*.bin")
	f.Fuzz(func(t *testing.T, b []byte) {
		var log ErrorLog
		if err := log.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		// Decoding the entries one by one gives the same log.
		var want ErrorLog
		for ; len(b) >= 64; b = b[64:] {
			var one ErrorLog
			if err := one.UnmarshalBinary(b[:64]); err != nil || len(one) > 1 {
				t.Fatalf("one entry: %v, %v", one, err)
			}
			if binary.LittleEndian.Uint64(b) == 0 != (len(one) == 0) {
				t.Errorf("entry with count %d: %d decoded", binary.LittleEndian.Uint64(b), len(one))
			}
			want = append(want, one...)
		}
		if !slices.Equal(log, want) {
			t.Errorf("log = %v, want %v", log, want)
		}
		for _, e := range log {
			if e.StatusInfo.Status().Error() == "" {
				t.Error("status without text")
			}
		}
	})
}

func FuzzNamespaceDescriptors(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(append([]byte{1, 8, 0, 0}, fill(8, 0x5c)...))
	f.Add(append([]byte{2, 16, 0, 0}, fill(20, 0x22)...))
	f.Add([]byte{4, 1, 0, 0, 2, 3, 16, 0, 0, 1})
	f.Add([]byte{0x7F, 2, 0, 0, 1, 1, 4, 1, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		var d, again NamespaceDescriptors
		if err := d.UnmarshalBinary(b); err != nil && len(b) < descriptorHeaderBytes {
			t.Errorf("%d bytes: %v", len(b), err)
		}
		list := descriptors(
			append([]byte{1, 8, 0, 0}, d.EUI64[:]...), append([]byte{2, 16, 0, 0}, d.NGUID[:]...),
			append([]byte{3, 16, 0, 0}, d.UUID[:]...), []byte{4, 1, 0, 0, d.CSI})
		if err := again.UnmarshalBinary(list); err != nil || again != d {
			t.Errorf("%+v written again reads as %+v, %v", d, again, err)
		}
		if out, err := json.Marshal(d); err != nil {
			t.Errorf("JSON = %s, %v", out, err)
		}
	})
}

func FuzzNamespaceList(f *testing.F) {
	f.Add(read(f, "cases", "25-nn-many-one-active", "nslist.bin"), uint32(0), uint32(128))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0}, uint32(0), uint32(0))
	f.Fuzz(func(t *testing.T, b []byte, after, nn uint32) {
		list, err := parseNamespaceList(b, NSID(after), nn)
		if err != nil {
			return
		}
		last := NSID(after)
		for _, id := range list {
			if id <= last || nn != 0 && uint32(id) > nn {
				t.Errorf("%v after %d with NN %d", list, after, nn)
			}
			last = id
		}
	})
}
