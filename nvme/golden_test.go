package nvme

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// smartTruth is what the published output of a drive says.
type smartTruth struct {
	Log            map[string]any `json:"log"`
	Celsius        *int           `json:"celsius"`
	SensorsCelsius map[string]int `json:"sensors_celsius"`
	BytesRead      json.Number    `json:"bytes_read"`
	BytesWritten   json.Number    `json:"bytes_written"`
}

func TestSMARTLogOfRealDrives(t *testing.T) {
	var truth map[string]smartTruth
	readJSON(t, &truth, "smart", "truth.json")
	names := stems(t, "smart")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(truth)), names); diff != "" {
		t.Fatalf("pages without truth or truth without page (-truth +pages):\n%s", diff)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			compareSMART(t, decoded[SMARTLog](t, "smart", name+".bin"), truth[name])
		})
	}
}

func compareSMART(t *testing.T, log *SMARTLog, want smartTruth) {
	t.Helper()
	got := object(t, log)
	maps.DeleteFunc(got, func(key string, _ any) bool { _, ok := want.Log[key]; return !ok })
	if diff := cmp.Diff(want.Log, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	var celsius *int
	if c, ok := log.CompositeTemperature.Celsius(); ok {
		celsius = &c
	}
	if diff := cmp.Diff(want.Celsius, celsius); diff != "" {
		t.Errorf("composite temperature (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.SensorsCelsius, sensors(log)); diff != "" {
		t.Errorf("sensors by number (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		name  string
		units Uint128
		want  json.Number
	}{{"read", log.DataUnitsRead, want.BytesRead}, {"written", log.DataUnitsWritten, want.BytesWritten}} {
		units, ok := c.units.Uint64()
		if got := strconv.FormatUint(units*DataUnit, 10); !ok || got != c.want.String() {
			t.Errorf("bytes %s = %s, want %s", c.name, got, c.want)
		}
	}
}

// sensors returns the implemented temperature sensors by number, from 1.
func sensors(log *SMARTLog) map[string]int {
	m := make(map[string]int)
	for i, k := range log.TemperatureSensors {
		if c, ok := k.Celsius(); ok {
			m[strconv.Itoa(i+1)] = c
		}
	}
	return m
}

func TestIdentifyControllerOfRealDrives(t *testing.T) {
	var expected map[string]map[string]any
	readJSON(t, &expected, "idctrl", "expected.json")
	names := stems(t, "idctrl")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(expected)), names); diff != "" {
		t.Fatalf("pages and expected values differ (-expected +pages):\n%s", diff)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			compareObject(t, expected[name], object(t, decoded[IdentifyController](t, "idctrl", name+".bin")))
		})
	}
}

// compareObject compares the keys of want.
func compareObject(t *testing.T, want, got map[string]any) {
	t.Helper()
	for key, w := range want {
		if diff := cmp.Diff(w, got[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

func TestPowerStatesOfRealDrives(t *testing.T) {
	type state struct {
		Milliwatts  float64
		Operational bool
		Entry, Exit uint32
		RRT, RWL    uint8
		IdlePower   uint16
		IdleScale   uint8
		ActivePower uint16
		ActiveScale uint8
	}
	tests := []struct {
		name string
		want []state
	}{
		{"optane-905P-SSDPE21D960GA-fresh-1h", []state{{Milliwatts: 18000, Operational: true}}},
		{"amazon-EBS", []state{{Milliwatts: 10, Operational: true, Entry: 1000000, Exit: 1000000}, {Operational: true}}},
		{"samsung-PM1733-MZWLJ7T6HALA-unallocated", []state{{Milliwatts: 25000, Operational: true,
			IdlePower: 700, IdleScale: 2, ActivePower: 1900, ActiveScale: 2}}},
		{"wdc-SN730-256GB", []state{
			{Milliwatts: 5000, Operational: true},
			{Milliwatts: 3500, Operational: true, RRT: 1, RWL: 1},
			{Milliwatts: 3000, Operational: true, RRT: 2, RWL: 2},
			{Milliwatts: 70, Entry: 4000, Exit: 10000, RRT: 3, RWL: 3},
			{Milliwatts: 3.5, Entry: 4000, Exit: 40000, RRT: 4, RWL: 4},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []state
			for _, p := range decoded[IdentifyController](t, "idctrl", tt.name+".bin").PowerStates() {
				got = append(got, state{p.MaxMilliwatts(), !p.NonOperational(), p.EntryLatency, p.ExitLatency,
					p.RRT, p.RWL, p.IdlePower, p.IdleScale >> 6, p.ActivePower, p.ActiveScale >> 6})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("power states (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIdentifyNamespaceOfRealDrives(t *testing.T) {
	var expected map[string]map[string]any
	readJSON(t, &expected, "idns", "expected.json")
	names := stems(t, "idns")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(expected)), names); diff != "" {
		t.Fatalf("pages and expected values differ (-expected +pages):\n%s", diff)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			ns := decoded[IdentifyNamespace](t, "idns", name+".bin")
			want := expected[name]
			formats := fmt.Sprint(want["lbaf"])
			delete(want, "lbaf")
			compareObject(t, want, object(t, ns))
			var got [][3]int
			for _, f := range ns.Formats() {
				got = append(got, [3]int{int(f.MetadataBytes), int(f.LBADS), int(f.RP)})
			}
			if fmt.Sprint(got) != formats {
				t.Errorf("LBA formats = %v, want %v", got, formats)
			}
		})
	}
}

func TestOptane905PIsTheDriveOfTheLabel(t *testing.T) {
	id := decoded[IdentifyController](t, "idctrl", "optane-905P-SSDPE21D960GA-fresh-1h.bin")
	ns := decoded[IdentifyNamespace](t, "idns", "optane-905P-SSDPE21D960GA-fresh-1h.bin")
	if got, want := ns.SizeBytes(), U128(960197124096); got != want {
		t.Errorf("SizeBytes = %v, want %v", got, want)
	}
	if got, want := id.MaxTransferBytes(), uint64(32*4096); got != want {
		t.Errorf("MaxTransferBytes = %d, want %d", got, want)
	}
	if id.Version.AtLeast(1, 2) {
		t.Errorf("Version = %#x, want below 1.2", id.Version)
	}
	if id.OACS&OACSFormat == 0 || id.OACS&OACSSelfTest != 0 {
		t.Errorf("OACS = %#x, want Format NVM without Device Self-test", id.OACS)
	}
	if got := id.FRMW.Slots(); got != 1 || id.FRMW.Slot1ReadOnly() {
		t.Errorf("firmware slots = %d, slot 1 read-only %v, want one that can be written", got, id.FRMW.Slot1ReadOnly())
	}
}

func TestErrorLogOfRealDrives(t *testing.T) {
	type entry struct {
		Count  uint64
		SQID   uint16
		CID    uint16
		Status Status
		PEL    uint16
		LBA    uint64
		NSID   NSID
	}
	const none = ^uint64(0)
	tests := []struct {
		name    string
		entries int
		first   entry
	}{
		{"optane-905P-SSDPED1D960GAY-media-errors", 16, entry{2481594, 2, 0x0001, 0x6281, 0, 1875384832, 1}},
		{"kioxia-KCM61VUL1T60-CM6-second", 1, entry{197, 0, 0x0008, 0x6002, 0x2b, none, 0}},
		{"toshiba-KBG30ZMV256G-59C", 1, entry{2597, 0, 0x1001, 0x6002, 0x28, none, 0}},
		{"toshiba-KBG30ZMV256G-locale-dots", 1, entry{1356, 0, 0x0012, 0x6002, 0x28, none, 0}},
		{"toshiba-KBG30ZMV256G-selftests", 1, entry{2888, 0, 0x0015, 0x6002, 0x28, none, 0}},
		{"Sabrent_Rocket_4.0_1TB", 1, entry{4871, 0, 20495, 0x2002, 40, 0, 0}},
		{"phison-ECFM22.6", 1, entry{283, 0, 0x14, 0x2002, 0x28, 0, 0}},
		{"kernel-identify-cns06", 1, entry{14644, 0, 0x7009, 0x6002, 0x28, none, 0}},
	}
	if got, want := len(stems(t, "errlog")), len(tests); got != want {
		t.Errorf("%d error logs in testdata, %d in the table", got, want)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log := *decoded[ErrorLog](t, "errlog", tt.name+".bin")
			if len(log) != tt.entries {
				t.Fatalf("%d entries, want %d", len(log), tt.entries)
			}
			e := log[0]
			got := entry{e.ErrorCount, e.SQID, e.CID, e.StatusInfo.Status(), e.ParameterErrorLocation, e.LBA, e.NSID}
			if diff := cmp.Diff(tt.first, got); diff != "" {
				t.Errorf("first entry (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFirmwareSlotLogOfRealDrives(t *testing.T) {
	tests := []struct {
		name         string
		active, next int
		revisions    [7]string
	}{
		{"ibm-REV.MN38-after-reset", 2, 0, [7]string{"REV.MN38", "REV.MN38", "REV.MN38"}},
		{"samsung-GPNA4B3Q-one-slot-of-three", 1, 1, [7]string{"GPNA4B3Q"}},
		{"samsung-MN14MN14-next-slot-pending", 3, 3, [7]string{"MN14MN14", "MN14MN14", "MN14MN14"}},
	}
	if got, want := len(stems(t, "fwlog")), len(tests); got != want {
		t.Errorf("%d firmware logs in testdata, %d in the table", got, want)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log := decoded[FirmwareSlotLog](t, "fwlog", tt.name+".bin")
			if log.ActiveSlot() != tt.active || log.NextSlot() != tt.next {
				t.Errorf("active slot %d, next slot %d, want %d, %d", log.ActiveSlot(), log.NextSlot(), tt.active, tt.next)
			}
			for i, r := range log.Revisions {
				if r.String() != tt.revisions[i] {
					t.Errorf("slot %d = %q, want %q", i+1, r, tt.revisions[i])
				}
			}
		})
	}
}
