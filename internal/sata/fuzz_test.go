package sata

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// The fuzz targets look for panics, for text that a terminal must not get, and
// for values that JSON cannot hold.

// encodable fails on a value without JSON.
func encodable(t *testing.T, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(b) || strings.ContainsAny(string(b), "\x1b\x00") {
		t.Errorf("control bytes in %q", b)
	}
}

func FuzzParseSense(f *testing.F) {
	r := &Registers{Error: 4, Status: 0x51}
	f.Add(fixedSense(1, 0, 0x1D, r))
	f.Add(descriptorSense(0xB, 0, 0, r))
	f.Add([]byte{0x72, 1, 0, 0x1D, 0, 0, 0, 255, 9, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSense(b)
		if (s == nil) == (err == nil) {
			t.Fatalf("sense %v, error %v", s, err)
		}
		if err == nil && (s.Key > 15 || s.String() == "") {
			t.Errorf("%+v", s)
		}
		o := outcome{status: statusCheck, sense: b}
		c := returnStatus()
		if r, err := o.verdict(&c); r != nil && (err != nil || r.Failed()) {
			t.Errorf("registers of a failure are taken for success: %+v, %v", r, err)
		}
	})
}

func FuzzParseIdentity(f *testing.F) {
	f.Add(identify(nil))
	f.Add(identify(words{76: 0xFFFF, 106: 0x5FFF, 117: 0xFFFF, 83: 0x4400, 103: 0xFFFF}))
	f.Fuzz(func(t *testing.T, b []byte) {
		id, err := ParseIdentity(b)
		if err != nil {
			return
		}
		if id.LogicalSectorBytes < sectorBytes || id.PhysicalSectorBytes < id.LogicalSectorBytes || id.CapacityBytes > 0 && id.CapacityBytes/uint64(id.LogicalSectorBytes) != id.Sectors {
			t.Errorf("sizes: %+v", id)
		}
		encodable(t, id)
	})
}

func FuzzParseAttributes(f *testing.F) {
	data, limits := table(samsung()...)
	f.Add(data, limits, samsungModel, true)
	f.Add(data, []byte(nil), "ST4000DM004", false)
	f.Fuzz(func(t *testing.T, data, limits []byte, model string, solid bool) {
		a, err := ParseAttributes(data, limits, model, solid)
		if err != nil {
			return
		}
		for _, x := range a.Table {
			if x.ID == 0 || x.Name == "" || x.RawText == "" || x.Raw >= 1<<48 || (x.WhenFailed != "" && x.Threshold == nil) {
				t.Errorf("%+v", x)
			}
		}
		h := HealthOf(nil, a, nil)
		r := &Report{Identity: &Identity{SMART: Support{true, true}}, Attributes: a, Host: &Host{}}
		r.finish()
		encodable(t, a)
		encodable(t, h)
		encodable(t, r)
	})
}

func FuzzParseErrorLog(f *testing.F) {
	f.Add(errorPage(2, 7, map[int]uint16{0: 1, 1: 2}))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ParseErrorLog(b)
		if err != nil {
			return
		}
		if len(l.Entries) > 5 {
			t.Errorf("%d entries", len(l.Entries))
		}
		encodable(t, l)
	})
}

func FuzzParseSelfTestLog(f *testing.F) {
	f.Add(selfTestPage(2, map[int][3]uint16{0: {1, 0x79, 20}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ParseSelfTestLog(b)
		if err != nil {
			return
		}
		if len(l.Entries) > 21 {
			t.Errorf("%d entries", len(l.Entries))
		}
		encodable(t, l)
	})
}

func FuzzParseDirectory(f *testing.F) {
	f.Add(directory(map[int]byte{4: 8}))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseDirectory(b)
		if err == nil && (d[0] != 1 || min(d[logStatistics], statisticsPages) > 8) {
			t.Errorf("%v", d)
		}
	})
}

func FuzzParseStatistics(f *testing.F) {
	f.Add(append(statisticsPage(5, map[int]uint64{8: valid(29)}), statisticsPage(7, map[int]uint64{8: valid(255)})...))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseStatistics(b)
		if err != nil {
			return
		}
		encodable(t, s)
		encodable(t, HealthOf(nil, nil, s))
	})
}

func FuzzLocate(f *testing.F) {
	f.Add("8:0", ataDevice+"/block/sda")
	f.Add("8:1", "../../../..")
	f.Fuzz(func(t *testing.T, number, target string) {
		s := tree()
		s.link("dev/block/8:99", "../../"+target)
		for _, n := range []string{number, "8:99"} {
			if h, err := Locate(s, n); err == nil {
				encodable(t, h)
			}
		}
	})
}
