package smart

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

func TestEnduranceOf(t *testing.T) {
	optane := &drivedb.Entry{RatedBytesWritten: 17520e12, RatedIndicative: true, Source: "a page", ReadOnlyAtPercent: 105}
	tests := []struct {
		name  string
		log   *nvme.SMARTLog
		model *drivedb.Entry
		want  Endurance
	}{
		{"nothing known", nil, nil, Endurance{}},
		{"no model", &nvme.SMARTLog{DataUnitsWritten: nvme.U128(1)}, nil, Endurance{}},
		{"no rating", &nvme.SMARTLog{DataUnitsWritten: nvme.U128(1)}, &drivedb.Entry{ReadOnlyAtPercent: 105},
			Endurance{ReadOnlyAtPercent: new(105)}},
		{"no log", nil, optane,
			Endurance{RatedBytes: new(int64(17520e12)), RatedSource: new("a page"), RatedIndicative: true, ReadOnlyAtPercent: new(105)}},
		{"used 905P", &nvme.SMARTLog{DataUnitsWritten: nvme.U128(17_156_250), PowerOnHours: nvme.U128(4125)}, optane,
			Endurance{
				RatedBytes: new(int64(17520e12)), RatedSource: new("a page"), RatedIndicative: true,
				WrittenPercent: new(0.0501), BytesToRated: new(int64(17520e12 - 8_784e9)),
				YearsLeftAtObservedRate: new(938.1), ReadOnlyAtPercent: new(105), BytesToReadOnly: new(int64(18396e12 - 8_784e9)),
				YearsToReadOnlyAtObservedRate: new(985.0),
			}},
		{"past its rating", &nvme.SMARTLog{DataUnitsWritten: nvme.U128(3), PowerOnHours: nvme.U128(24)},
			&drivedb.Entry{RatedBytesWritten: 2 * nvme.DataUnit},
			Endurance{
				RatedBytes: new(int64(2 * nvme.DataUnit)), RatedSource: new(""),
				WrittenPercent: new(150.0), BytesToRated: new(int64(0)), YearsLeftAtObservedRate: new(0.0),
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(&tt.want, EnduranceOf(tt.log, tt.model)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestEnduranceBelievesTheDrive checks that a drive at its end by its own
// count has nothing left, whatever the bytes say.
func TestEnduranceBelievesTheDrive(t *testing.T) {
	m := &drivedb.Entry{RatedBytesWritten: 1e15, ReadOnlyAtPercent: 105}
	for _, test := range []struct {
		used    uint8
		warning nvme.CriticalWarning
		years   bool
		left    *int64
	}{
		{99, 0, true, new(int64(1.05e15 - 512e9))},
		{100, 0, false, nil},
		{104, 0, false, nil},
		{105, 0, false, new(int64)},
		{255, 0, false, new(int64)},
		{0, nvme.WarningReadOnly, false, new(int64)},
	} {
		s := &nvme.SMARTLog{PercentageUsed: test.used, CriticalWarning: test.warning,
			DataUnitsWritten: nvme.U128(1e6), PowerOnHours: nvme.U128(1000)}
		e := EnduranceOf(s, m)
		if got := e.YearsLeftAtObservedRate != nil; got != test.years {
			t.Errorf("used %d, warning %x: years left %v, want %v", test.used, test.warning, got, test.years)
		}
		if diff := cmp.Diff(test.left, e.BytesToReadOnly); diff != "" {
			t.Errorf("used %d, warning %x: bytes to read-only (-want +got):\n%s", test.used, test.warning, diff)
		}
	}
	if e := EnduranceOf(&nvme.SMARTLog{PercentageUsed: 200}, &drivedb.Entry{RatedBytesWritten: 1e15}); e.BytesToReadOnly != nil {
		t.Errorf("a model that does not turn read-only: %+v", e)
	}
}

func TestYearsLeftNeedsHoursOfUse(t *testing.T) {
	tests := []struct {
		hours, written nvme.Uint128
		known          bool
	}{
		{nvme.U128(0), nvme.U128(1), false},
		{nvme.U128(23), nvme.U128(1), false},
		{nvme.U128(24), nvme.U128(1), true},
		{nvme.U128(24), nvme.U128(0), false},
		{nvme.U128(hoursLimit), nvme.U128(1), true},
		{nvme.U128(hoursLimit + 1), nvme.U128(1), false},
		{nvme.Uint128{Hi: 1}, nvme.U128(1), false},
	}
	for _, tt := range tests {
		got := yearsLeft(1e12, bytesOf(tt.written), tt.hours) != nil
		if got != tt.known {
			t.Errorf("hours %s, written %s: known = %t, want %t", tt.hours, tt.written, got, tt.known)
		}
	}
}

func TestRoundPercent(t *testing.T) {
	tests := []struct {
		num, den int64
		want     float64
		text     string
	}{
		{0, 1, 0, "0.000"},
		{1, 3, 0.333, "0.333"},
		{2, 3, 0.667, "0.667"},
		{1, 10, 0.1, "0.100"},
		{99949, 1_000_000, 0.0999, "0.0999"},
		{99951, 1_000_000, 0.1, "0.100"},
		{685, 1_000_000, 0.000685, "0.000685"},
		{501, 10_000, 0.0501, "0.0501"},
		{5, 100, 0.05, "0.050"},
		{177055, 100_000, 1.771, "1.771"},
		{100, 1, 100, "100.000"},
		{123456789, 1000, 123456.789, "123456.789"},
	}
	for _, tt := range tests {
		got := roundPercent(big.NewRat(tt.num, tt.den))
		if got != tt.want || percentText(got) != tt.text {
			t.Errorf("%d/%d = %v %q, want %v %q", tt.num, tt.den, got, percentText(got), tt.want, tt.text)
		}
	}
}

// TestEnduranceBeyond64Bits holds that huge counters neither overflow nor wrap.
func TestEnduranceBeyond64Bits(t *testing.T) {
	log := &nvme.SMARTLog{DataUnitsWritten: nvme.Uint128{Lo: 1<<64 - 1, Hi: 1<<64 - 1}, PowerOnHours: nvme.U128(100)}
	e := EnduranceOf(log, &drivedb.Entry{RatedBytesWritten: 1e12, ReadOnlyAtPercent: 105})
	if *e.BytesToRated != 0 || *e.BytesToReadOnly != 0 || *e.WrittenPercent < 1e30 {
		t.Errorf("bytes to rated %d, to read-only %d, percent %g", *e.BytesToRated, *e.BytesToReadOnly, *e.WrittenPercent)
	}
}

func TestEnduranceJSON(t *testing.T) {
	got, err := json.Marshal(EnduranceOf(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"rated_bytes":null,"rated_source":null,"rated_indicative":false,"written_percent":null,"bytes_to_rated":null,` +
		`"years_left_at_observed_rate":null,"read_only_at_percent":null,"bytes_to_read_only":null}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTerabytes(t *testing.T) {
	tests := []struct {
		units uint64
		want  string
	}{
		{0, "0.00"},
		{1, "0.00"},
		{17_156_250, "8.78"},
		{302_847_166, "155.06"},
		{2_500_000_000, "1 280.00"},
	}
	for _, tt := range tests {
		if got := terabytes(bytesOf(nvme.U128(tt.units))); got != tt.want {
			t.Errorf("terabytes(%d) = %q, want %q", tt.units, got, tt.want)
		}
	}
}
