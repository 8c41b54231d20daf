package vendor

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestOCPSMARTOfRealDrive compares with the published output.
func TestOCPSMARTOfRealDrive(t *testing.T) {
	rows := decoded[OCPSMART](t, "wdc-sn640.c0").Rows()
	for name, want := range map[string]any{
		"Physical Media Units Written":     nvme.U128(609651339018240),
		"Bad User NAND Blocks, Normalized": uint64(100),
		"Refresh Counts":                   uint64(4),
		"Maximum User Data Erase Count":    uint64(293),
		"Capacitor Health":                 uint64(114),
		"PLP Start Count":                  nvme.U128(42),
		"Endurance Estimate":               nvme.U128(16896000000000000),
	} {
		if got := row(t, rows, name); got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if got := row(t, decoded[OCPSMART](t, "ocp-25.c0").Rows(), "Lowest Permitted Firmware Revision"); got != "FW000001" {
		t.Errorf("lowest firmware = %v", got)
	}
}

func TestOCPLatencyMonitor(t *testing.T) {
	p := decoded[OCPLatencyMonitor](t, "ocp.c3")
	want := []Row{
		{"Latency Monitor", true, ""},
		{"Reads from 5 ms (active)", uint64(500), "count"},
		{"Reads from 5 ms (active), slowest", uint64(7), "ms"},
		{"Writes from 5 ms (active)", uint64(600), "count"},
		{"Writes from 5 ms (active), slowest", uint64(8), "ms"},
		{"Trims from 5 ms (active)", uint64(700), "count"},
		{"Trims from 5 ms (active), slowest", uint64(9), "ms"},
		{"Reads from 1000 ms (last)", uint64(2), "count"},
		{"Reads from 1000 ms (last), slowest", uint64(1500), "ms"},
	}
	if diff := cmp.Diff(want, p.Rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if p.ActiveStamps[0].Read != 1700000000000 || p.StaticStamps[3].Read != 1600000000000 {
		t.Errorf("timestamps %v, %v", p.ActiveStamps[0], p.StaticStamps[3])
	}
}

func TestPlausibility(t *testing.T) {
	tests := []struct {
		name string
		at   int
		v    byte
	}{
		{"wdc-eol.c0", 88, 101},
		{"micron-7300.d0", 100, 1},
		{"micron-7300.d0", 148, 1},
		{"micron-7300.d0", 152, 1},
		{"micron-2200.fb", 129, 101},
		{"micron-2200.fb", 510, 0},
		{"kioxia.c0", 1, 0},
		{"kioxia.c0", 5, 0},
	}
	for _, tt := range tests {
		b := page(t, tt.name)
		b[tt.at] = tt.v
		if _, err := layouts[tt.name](b); !errors.Is(err, ErrLayout) {
			t.Errorf("%s with %d at %d: %v, want ErrLayout", tt.name, tt.v, tt.at, err)
		}
	}
}

// TestOCPInPlaceOfVendor holds that the GUID decides which page it is.
func TestOCPInPlaceOfVendor(t *testing.T) {
	decode := orOCP(as[WDCEndOfLife])
	for _, tt := range []struct {
		name string
		want Value
	}{
		{"wdc-sn640.c0", &OCPSMART{}}, {"ocp.c1", &OCPErrorRecovery{}}, {"ocp.c3", &OCPLatencyMonitor{}},
		{"wdc-extended.c0", &WDCExtendedSMART{}}, {"wdc-eol.c0", &WDCEndOfLife{}},
	} {
		v, err := decode(page(t, tt.name))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got, want := typeName(v), typeName(tt.want); got != want {
			t.Errorf("%s is %s, want %s", tt.name, got, want)
		}
	}
	missing := make([]byte, guidEndLong)
	copy(missing[guidEndLong-16:], []byte{0x2F, 0x72, 0x9C, 0x0E, 0x99, 0x23, 0x2C, 0xBB, 0x63, 0x48, 0x32, 0xD0, 0xB7, 0x98, 0xBB, 0xC7})
	if _, err := decode(missing); !errors.Is(err, ErrLayout) {
		t.Errorf("Unsupported Requirements: %v", err)
	}
}

func TestCounters(t *testing.T) {
	a, b := Uint48{1, 0, 0, 0, 0, 0x80}, Uint56{2, 0, 0, 0, 0, 0, 0x80}
	if a.Uint64() != 1<<47+1 || b.Uint64() != 1<<55+2 {
		t.Errorf("values %d, %d", a.Uint64(), b.Uint64())
	}
	if got, err := json.Marshal([]any{a, b}); err != nil || string(got) != "[140737488355329,36028797018963970]" {
		t.Errorf("JSON = %s, %v", got, err)
	}
}
