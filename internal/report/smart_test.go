package report

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// truth are the right answers for a page, from the tool that published it.
type truth struct {
	Celsius      *int           `json:"celsius"`
	Sensors      map[string]int `json:"sensors_celsius"`
	BytesRead    *big.Int       `json:"bytes_read"`
	BytesWritten *big.Int       `json:"bytes_written"`
	Log          struct {
		PowerCycles    *big.Int `json:"power_cycles"`
		PowerOnHours   *big.Int `json:"power_on_hours"`
		PercentageUsed int      `json:"percentage_used_percent"`
	} `json:"log"`
}

// Every SMART page of the corpus gives exactly the published values.
func TestSMARTAgainstTruth(t *testing.T) {
	dir := filepath.Join("..", "..", "nvme", "testdata", "smart")
	b, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truths map[string]truth
	if err := json.Unmarshal(b, &truths); err != nil {
		t.Fatal(err)
	}
	if len(truths) < 70 {
		t.Fatalf("only %d pages", len(truths))
	}
	for name, want := range truths {
		page := testPage(t, "smart", strings.TrimSuffix(name, ".bin")+".bin")
		var l nvme.SMARTLog
		if err := l.UnmarshalBinary(page); err != nil {
			t.Fatal(err)
		}
		s := NewSMART(&l)
		got := truth{Celsius: s.CompositeTemperatureCelsius, Sensors: sensorsBySlot(s), BytesRead: s.BytesRead, BytesWritten: s.BytesWritten}
		got.Log.PowerCycles, got.Log.PowerOnHours, got.Log.PercentageUsed = s.PowerCycles.Big(), s.PowerOnHours.Big(), s.PercentageUsedPercent
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func sensorsBySlot(s *SMART) map[string]int {
	m := map[string]int{}
	for i, c := range s.TemperatureSensorsCelsius {
		if c != nil {
			m[string(rune('1'+i))] = *c
		}
	}
	return m
}

func TestSensorsKeepTheirSlots(t *testing.T) {
	var slots [8]nvme.Kelvin
	if got := sensors(slots); len(got) != 0 || got == nil {
		t.Errorf("no sensors: %v, want an empty list that is not null", got)
	}
	slots[1] = 273 + 81
	got := sensors(slots)
	if len(got) != 2 || got[0] != nil || *got[1] != 81 {
		t.Errorf("sensor 2 alone: %v", got)
	}
	slots[7] = 263
	if got := sensors(slots); len(got) != 8 || *got[7] != -10 {
		t.Errorf("sensor 8 below zero: %v", got)
	}
}

func TestTwins(t *testing.T) {
	l := nvme.SMARTLog{PowerCycles: nvme.U128(1 << 53), MediaErrors: nvme.U128(1<<53 + 1), DataUnitsWritten: nvme.Uint128{Lo: 1, Hi: 1}}
	b, err := json.Marshal(NewSMART(&l))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, want := range []string{
		`"media_errors":9007199254740993,"media_errors_s":"9007199254740993"`,
		`"data_units_written":18446744073709551617,"data_units_written_s":"18446744073709551617"`,
		`"bytes_written":9444732965739290427904000,"bytes_written_s":"9444732965739290427904000"`,
		`"power_cycles":9007199254740992,"power_on_hours"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestFirmwareUpdate(t *testing.T) {
	for _, test := range []struct {
		fwug uint8
		want *int
	}{{0, nil}, {0xFF, new(0)}, {2, new(8192)}} {
		id := &nvme.IdentifyController{FWUG: test.fwug, FRMW: 0x16}
		u := NewFirmware(&nvme.FirmwareSlotLog{AFI: 0x21}, id)
		if diff := cmp.Diff(test.want, u.Update.GranularityBytes); diff != "" {
			t.Errorf("FWUG %d (-want +got):\n%s", test.fwug, diff)
		}
		if *u.NextSlot != 2 || len(u.Slots) != 3 || u.Slots[0].Revision != nil || !u.Update.ActivationWithoutReset || u.Update.Slot1ReadOnly {
			t.Errorf("firmware: %+v %+v", u, u.Update)
		}
	}
	if f := NewFirmware(&nvme.FirmwareSlotLog{}, nil); f.Update != nil || f.NextSlot != nil {
		t.Errorf("without Identify: %+v", f)
	}
}

func TestMulSat(t *testing.T) {
	if got := mulSat(1<<63, 4096); got != ^uint64(0) {
		t.Errorf("overflow gives %d", got)
	}
	if got := mulSat(1875385008, 512); got != 960197124096 {
		t.Errorf("got %d", got)
	}
}
