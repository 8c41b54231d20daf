package report

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// featureDrive answers Get Features from a table, and counts what it refuses.
type featureDrive struct {
	id      nvme.IdentifyController
	values  map[nvme.FID]uint32
	data    map[nvme.FID][]byte
	logs    map[nvme.LID][]byte
	refused []string
	asked   []nvme.Command
}

func (d *featureDrive) Submit(_ context.Context, c *nvme.Command) (nvme.Completion, error) {
	d.asked = append(d.asked, *c)
	fid := nvme.FID(c.CDW10)
	switch c.Opcode {
	case nvme.AdminIdentify:
		switch nvme.CNS(c.CDW10) {
		case nvme.CNSController:
			_, err := binary.Encode(c.Data, binary.LittleEndian, &d.id)
			return nvme.Completion{}, err
		case nvme.CNSActiveNamespaces:
			binary.LittleEndian.PutUint32(c.Data, 7)
			return nvme.Completion{}, nil
		}
	case nvme.AdminGetLogPage:
		if page := d.logs[nvme.LID(c.CDW10)]; page != nil {
			copy(c.Data, page)
			return nvme.Completion{}, nil
		}
	case nvme.AdminGetFeatures:
		value, ok := d.values[fid]
		switch {
		case ok && c.CDW10>>8&7 == 3:
			return nvme.Completion{Result: 5}, nil
		case ok && len(c.Data) == len(d.data[fid]):
			copy(c.Data, d.data[fid])
			return nvme.Completion{Result: uint64(value)}, nil
		}
	}
	d.refused = append(d.refused, nvme.OpcodeName(c.Queue, c.Opcode)+" "+fid.String())
	return nvme.Completion{Status: nvme.StatusInvalidField}, nil
}

func (d *featureDrive) session(t *testing.T) *Session {
	t.Helper()
	s, err := Begin(t.Context(), &Drive{Passthru: d}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainDrive has what every drive has.
func plainDrive() *featureDrive {
	d := &featureDrive{values: map[nvme.FID]uint32{}, data: map[nvme.FID][]byte{}, logs: map[nvme.LID][]byte{}}
	d.id.Version, d.id.NN = 0x10300, 8
	for _, fid := range []nvme.FID{1, 2, 4, 5, 7, 8, 9, 10, 11} {
		d.values[fid] = 0
	}
	return d
}

// TestReadFeaturesAsksNothingElse holds that a drive is asked for nothing that it
// does not list, and that all that it lists is shown.
func TestReadFeaturesAsksNothingElse(t *testing.T) {
	d := plainDrive()
	list, err := d.session(t).ReadFeatures(t.Context(), nvme.FeatureCurrent)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Features) != 9 || len(d.refused) != 0 {
		t.Errorf("%d features, refused: %q", len(list.Features), d.refused)
	}
	if len(list.NotAsked) == 0 || list.NotAsked[0].Name != "lba-range" || list.NotAsked[0].Why == "" {
		t.Errorf("not asked: %+v", list.NotAsked)
	}
	for _, f := range list.Features {
		if f.Capabilities != nil {
			t.Errorf("%s: capabilities of a drive without Save and Select", f.Name)
		}
		if want := map[bool]nvme.NSID{true: 7, false: 0}[f.Name == "err-recovery"]; f.NSID != want {
			t.Errorf("%s: namespace %d, want %d", f.Name, f.NSID, want)
		}
	}
	if _, err := d.session(t).ReadFeatures(t.Context(), nvme.FeatureDefault); err == nil || len(d.refused) != 0 {
		t.Errorf("default values: %v, refused: %q", err, d.refused)
	}
}

// TestReadFeaturesByLog takes what the drive's own log of features lists.
func TestReadFeaturesByLog(t *testing.T) {
	d := plainDrive()
	d.id.LPA = nvme.LPASupportedLogs | nvme.LPAExtendedData
	d.logs[0x00], d.logs[0x12] = make([]byte, 1024), make([]byte, 1024)
	d.logs[0x00][4*0x12], d.logs[0x12][4*0x80] = 1, 1
	d.values[nvme.FIDSoftwareProgressMarker] = 3
	s := d.session(t)
	list, err := s.ReadFeatures(t.Context(), nvme.FeatureCurrent)
	if err != nil {
		t.Fatal(err)
	}
	if last := list.Features[len(list.Features)-1]; last.Name != "sw-progress" || last.Words != "PBSLC 3" || len(d.refused) != 0 {
		t.Errorf("last feature %+v, refused %q", last, d.refused)
	}
	if f, err := s.ReadFeature(t.Context(), FeatureQuery{FID: nvme.FIDSoftwareProgressMarker}); err != nil || *f.Value != 3 {
		t.Errorf("%+v, %v", f, err)
	}
	d.logs[0x00][4*0x12] = 0 // The log itself is not listed, so that it is not read.
	asked := len(d.asked)
	if _, err := s.ReadFeature(t.Context(), FeatureQuery{FID: nvme.FIDSoftwareProgressMarker}); err == nil {
		t.Error("a feature that nothing lists was asked for")
	}
	for _, c := range d.asked[asked:] {
		if c.Opcode == nvme.AdminGetLogPage && nvme.LID(c.CDW10) == 0x12 {
			t.Error("a log that is not listed was read")
		}
	}
}

// TestReadFeatureGates holds what a single feature needs to be asked for.
func TestReadFeatureGates(t *testing.T) {
	d := plainDrive()
	s := d.session(t)
	tests := []struct {
		name string
		q    FeatureQuery
		says string
	}{
		{"not listed", FeatureQuery{FID: nvme.FIDVolatileWriteCache}, "VWC bit 0"},
		{"nothing lists it", FeatureQuery{FID: nvme.FIDLBARangeType}, "no field of Identify Controller"},
		{"of a vendor", FeatureQuery{FID: 0xC0}, "nothing says"},
		{"default", FeatureQuery{FID: 4, Select: nvme.FeatureDefault}, "the default value of Temperature Threshold"},
		{"capabilities", FeatureQuery{FID: 4, Select: nvme.FeatureCapabilities}, "ONCS bit 4"},
	}
	for _, tt := range tests {
		_, err := s.ReadFeature(t.Context(), tt.q)
		var p *Problem
		if !errors.As(err, &p) || p.Kind != KindNotListed || !strings.Contains(p.Text, tt.says) || !strings.Contains(p.Hint, "--force") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
	if len(d.refused) != 0 {
		t.Errorf("refused: %q", d.refused)
	}
	if _, err := s.ReadFeature(t.Context(), FeatureQuery{FID: nvme.FIDVolatileWriteCache, Force: true}); err == nil || len(d.refused) != 1 {
		t.Errorf("by force: %v, refused %q", err, d.refused)
	}
}

// TestPredictableWindow asks for the window only where the mode is on.
func TestPredictableWindow(t *testing.T) {
	d := plainDrive()
	d.id.CTRATT = 1<<5 | 1<<2
	d.values[0x13], d.data[0x13], d.values[0x14] = 0, make([]byte, 512), 1
	s := d.session(t)
	if _, err := s.ReadFeature(t.Context(), FeatureQuery{FID: 0x14}); err == nil {
		t.Error("the mode is off, and the window was asked for")
	}
	d.values[0x13] = 1
	f, err := s.ReadFeature(t.Context(), FeatureQuery{FID: 0x14})
	if err != nil || f.CDW11 != 1 || f.Words != "WSEL Deterministic Window (DTWIN)" {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestFeatureExplained reads features as people need them.
func TestFeatureExplained(t *testing.T) {
	d := plainDrive()
	d.id.NPSS, d.id.APSTA, d.id.HMPRE, d.id.HMMIN = 4, 1, 16384, 4096
	d.id.ONCS = nvme.ONCSSaveSelect | nvme.ONCSTimestamp
	d.id.PSD[1] = nvme.PowerState{MaxPower: 825}
	d.id.PSD[3] = nvme.PowerState{MaxPower: 500, Flags: 3, EntryLatency: 5000, ExitLatency: 10_000}
	apst := make([]byte, 256)
	copy(apst, []byte{3 << 3, 100, 0, 0})
	copy(apst[8:], []byte{4 << 3, 0xD0, 7, 0})
	copy(apst[40:], []byte{4 << 3, 1, 0, 0}) // Of a power state that there is not.
	hmb := func(pages, pieces uint32) []byte {
		b := make([]byte, 4096)
		binary.LittleEndian.PutUint32(b, pages)
		binary.LittleEndian.PutUint32(b[12:], pieces)
		return b
	}
	stamp := func(ms uint64, attributes byte) []byte {
		b := binary.LittleEndian.AppendUint64(nil, ms)
		b[6] = attributes
		return b
	}
	tests := []struct {
		name  string
		fid   nvme.FID
		value uint32
		data  []byte
		want  string
	}{
		{"power", 2, 1, nil, "PS 1 (8.25 W at most), WH no workload"},
		{"power in milliwatts", 2, 3, nil, "PS 3 (50 mW at most), WH no workload"},
		{"power of a state that there is not", 2, 9, nil, "PS 9, WH no workload"},
		{"transitions", 0xC, 1, apst, "enabled, PS 0 to PS 3 after 100 ms, PS 1 to PS 4 after 2 s"},
		{"no transitions", 0xC, 1, make([]byte, 256), "enabled, but the table has no transition"},
		{"transitions off", 0xC, 0, apst, "disabled"},
		{"memory", 0xD, 1, hmb(16384, 16), "64 MiB granted in 16 pieces, all that it wants"},
		{"less memory", 0xD, 1, hmb(8192, 2), "32 MiB granted in 2 pieces, less than it wants: the drive wants 64 MiB, and needs 16 MiB at least"},
		{"too little memory", 0xD, 1, hmb(1, 1), "4 KiB granted in 1 pieces, less than it can use: the drive wants 64 MiB, and needs 16 MiB at least"},
		{"memory off", 0xD, 0, hmb(16384, 16), "off: the drive wants 64 MiB, and needs 16 MiB at least"},
		{"memory of no size", 0xD, 1, hmb(0, 0), "on, of an unknown size: the drive wants 64 MiB, and needs 16 MiB at least"},
		{"time", 0xE, 0, stamp(1_764_560_000_123, 2), "2025-12-01 03:33:20.123 UTC, set by the host"},
		{"time that stopped", 0xE, 0, stamp(90_000, 1), "1 min 30 s since the last reset, set by nobody, and may have stopped in between"},
	}
	for _, tt := range tests {
		d.values[tt.fid], d.data[tt.fid] = tt.value, tt.data
		f, err := d.session(t).ReadFeature(t.Context(), FeatureQuery{FID: tt.fid})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if f.Words != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, f.Words, tt.want)
		}
		if diff := cmp.Diff(&FeatureCapabilities{Saveable: true, Changeable: true}, f.Capabilities); diff != "" {
			t.Errorf("%s: capabilities (-want +got):\n%s", tt.name, diff)
		}
		if _, err := json.Marshal(f); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if len(d.refused) != 0 {
		t.Errorf("refused: %q", d.refused)
	}
	d.data[0xC] = apst
	f, err := d.session(t).ReadFeature(t.Context(), FeatureQuery{FID: 0xC})
	if err != nil {
		t.Fatal(err)
	}
	want := []PowerTransition{{From: 0, To: 3, After: 100, Milliwatts: 50, EntryLatency: 5000, ExitLatency: 10_000}, {From: 1, To: 4, After: 2000}}
	if diff := cmp.Diff(want, f.Transitions); diff != "" {
		t.Errorf("transitions (-want +got):\n%s", diff)
	}
}

// TestReadFeatureAsked compares the command with what was asked for.
func TestReadFeatureAsked(t *testing.T) {
	d := plainDrive()
	d.id.ONCS, d.id.CTRATT = nvme.ONCSSaveSelect, 1
	d.values[nvme.FIDHostIdentifier], d.data[nvme.FIDHostIdentifier] = 0, make([]byte, 16)
	d.values[0xC1], d.data[0xC1] = 0xAB, []byte{1, 2, 3, 4}
	s := d.session(t)
	selects, length := uint32(0x20000), 4
	tests := []struct {
		name string
		q    FeatureQuery
		want nvme.Command
		data int
	}{
		{"host identifier", FeatureQuery{FID: nvme.FIDHostIdentifier}, nvme.Command{CDW10: 0x81, CDW11: 1}, 16},
		{"capabilities", FeatureQuery{FID: 5, Select: nvme.FeatureCapabilities}, nvme.Command{CDW10: 0x305, NSID: 7}, 0},
		{"another threshold", FeatureQuery{FID: 4, CDW11: &selects, Select: nvme.FeatureSaved}, nvme.Command{CDW10: 0x204, CDW11: selects}, 0},
		{"of a vendor", FeatureQuery{FID: 0xC1, Force: true, Bytes: &length, NSID: 3, UUIDIndex: 2}, nvme.Command{CDW10: 0xC1, NSID: 3, CDW14: 2}, 4},
	}
	for _, tt := range tests {
		d.asked = nil
		f, err := s.ReadFeature(t.Context(), tt.q)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got nvme.Command
		for _, c := range d.asked {
			if c.Opcode == nvme.AdminGetFeatures {
				got = c
				break
			}
		}
		if got.CDW10 != tt.want.CDW10 || got.CDW11 != tt.want.CDW11 || got.NSID != tt.want.NSID || got.CDW14 != tt.want.CDW14 || len(got.Data) != tt.data {
			t.Errorf("%s: %+v, want %+v and %d bytes", tt.name, got, tt.want, tt.data)
		}
		if tt.q.Select == nvme.FeatureCapabilities && (f.Value != nil || f.Words != "changeable, saveable, of the controller") {
			t.Errorf("%s: %+v", tt.name, f)
		}
		if tt.q.FID == 0xC1 && (f.Words != "0x000000ab, and 4 bytes" || f.DataHex != "01020304" || f.Name != "") {
			t.Errorf("%s: %+v", tt.name, f)
		}
	}
}

func TestSelectWord(t *testing.T) {
	for s, want := range map[nvme.FeatureSelect]string{0: "current", 1: "default", 2: "saved", 3: "supported", 7: "select 7"} {
		if got := SelectWord(s); got != want {
			t.Errorf("%d: %q, want %q", s, got, want)
		}
	}
}
