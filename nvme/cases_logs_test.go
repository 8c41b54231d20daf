package nvme

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCase01SensorSlotsZero(t *testing.T) {
	log := decoded[SMARTLog](t, "cases", "01-sensor-slots-zero", "smart.bin")
	if got := sensors(log); len(got) != 0 {
		t.Errorf("sensors = %v, want none", got)
	}
	if c, ok := log.CompositeTemperature.Celsius(); c != 33 || !ok {
		t.Errorf("composite = %d, %v, want 33, true", c, ok)
	}
}

func TestCase02SensorSlotsSparse(t *testing.T) {
	tests := []struct {
		file string
		want map[string]int
	}{
		{"smart-kc3000.bin", map[string]int{"2": 81}},
		{"smart-p3plus.bin", map[string]int{"1": 40, "2": 59, "8": 40}},
	}
	for _, tt := range tests {
		log := decoded[SMARTLog](t, "cases", "02-sensor-slots-sparse", tt.file)
		if diff := cmp.Diff(tt.want, sensors(log)); diff != "" {
			t.Errorf("%s: sensors by number (-want +got):\n%s", tt.file, diff)
		}
	}
}

func TestCase04And05BlankPages(t *testing.T) {
	tests := []struct {
		name              string
		path              []string
		allZero, allOnes  bool
		compositeReported bool
	}{
		{"all zero", []string{"cases", "04-smart-page-all-zero", "smart.bin"}, true, false, false},
		{"real page", []string{"cases", "04-smart-page-all-zero", "smart-real-prefix.bin"}, false, false, true},
		{"all ones", []string{"cases", "05-smart-page-all-ff", "smart.bin"}, false, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := read(t, tt.path...)
			if zero, ones := IsBlankPage(page); zero != tt.allZero || ones != tt.allOnes {
				t.Errorf("IsBlankPage = %v, %v, want %v, %v", zero, ones, tt.allZero, tt.allOnes)
			}
			log := decoded[SMARTLog](t, tt.path...)
			if _, ok := log.CompositeTemperature.Celsius(); ok != tt.compositeReported {
				t.Errorf("composite temperature reported: %v, want %v", ok, tt.compositeReported)
			}
		})
	}
}

func TestCase04RealPage(t *testing.T) {
	log := decoded[SMARTLog](t, "cases", "04-smart-page-all-zero", "smart-real-prefix.bin")
	if c, _ := log.CompositeTemperature.Celsius(); c != 39 {
		t.Errorf("composite = %d, want 39", c)
	}
	if log.DataUnitsRead != U128(136887354) || log.DataUnitsWritten != U128(55377092) {
		t.Errorf("data units = %v read, %v written, want 136887354, 55377092", log.DataUnitsRead, log.DataUnitsWritten)
	}
}

func TestCase05CountersOfAllOnes(t *testing.T) {
	log := decoded[SMARTLog](t, "cases", "05-smart-page-all-ff", "smart.bin")
	if got, want := log.DataUnitsRead.String(), "340282366920938463463374607431768211455"; got != want {
		t.Errorf("data units read = %s, want %s", got, want)
	}
	if _, ok := log.DataUnitsRead.Uint64(); ok {
		t.Error("2^128-1 fits in 64 bits")
	}
}

func TestCase07PercentageUsedOver100(t *testing.T) {
	for file, want := range map[string]uint8{"smart-100.bin": 100, "smart-200.bin": 200, "smart-255.bin": 255} {
		log := decoded[SMARTLog](t, "cases", "07-percentage-used-over-100", file)
		if log.PercentageUsed != want {
			t.Errorf("%s: percentage used = %d, want %d", file, log.PercentageUsed, want)
		}
		if log.CriticalWarning&WarningReliability == 0 {
			t.Errorf("%s: critical warning = %#x, want the reliability bit", file, log.CriticalWarning)
		}
	}
}

func TestCase08MediaErrorsButWarningZero(t *testing.T) {
	log := decoded[SMARTLog](t, "cases", "08-media-errors-but-warning-zero", "smart.bin")
	if log.CriticalWarning != 0 || log.MediaErrors != U128(2481614) {
		t.Errorf("critical warning %#x, media errors %v, want 0, 2481614", log.CriticalWarning, log.MediaErrors)
	}
	errs := *decoded[ErrorLog](t, "cases", "08-media-errors-but-warning-zero", "errlog.bin")
	if len(errs) != 2 || errs[0].LBA != 1875384832 || !errors.Is(errs[0].StatusInfo.Status(), StatusUnrecoveredReadError) {
		t.Errorf("error log = %+v, want two Unrecovered Read Errors, the first at LBA 1875384832", errs)
	}
}

func TestCase10And11CriticalWarningBits(t *testing.T) {
	tests := []struct {
		path     []string
		want     CriticalWarning
		reserved CriticalWarning
	}{
		{[]string{"10-volatile-backup-failed", "smart.bin"}, WarningVolatileBackup, 0},
		{[]string{"11-warning-unknown-bits", "smart-03.bin"}, WarningAvailableSpare | WarningTemperature, 0},
		{[]string{"11-warning-unknown-bits", "smart-3f.bin"}, WarningAvailableSpare | WarningTemperature | WarningReliability |
			WarningReadOnly | WarningVolatileBackup | WarningPMR, 0},
		{[]string{"11-warning-unknown-bits", "smart-c1.bin"}, WarningAvailableSpare | 0xC0, 0xC0},
	}
	for _, tt := range tests {
		got := decoded[SMARTLog](t, append([]string{"cases"}, tt.path...)...).CriticalWarning
		if got != tt.want || got.Reserved() != tt.reserved {
			t.Errorf("%v: critical warning %#x, reserved %#x, want %#x, %#x", tt.path, got, got.Reserved(), tt.want, tt.reserved)
		}
	}
}

func TestCase14TemperatureBelowZero(t *testing.T) {
	log := decoded[SMARTLog](t, "cases", "14-temperature-below-zero", "smart.bin")
	if c, ok := log.CompositeTemperature.Celsius(); c != -10 || !ok {
		t.Errorf("composite = %d, %v, want -10, true", c, ok)
	}
	for n, c := range sensors(log) {
		if c > 0 {
			t.Errorf("sensor %s = %d, want below zero", n, c)
		}
	}
}

func TestCase17ThermalCountersInJSON(t *testing.T) {
	log := decoded[SMARTLog](t, "cases", "17-thermal-counters-in-json", "smart.bin")
	got := object(t, log)
	want := map[string]json.Number{
		"warning_temperature_minutes": "1052", "critical_temperature_minutes": "0",
		"tmt1_transitions": "44087", "tmt2_transitions": "516", "tmt1_seconds": "5825", "tmt2_seconds": "388",
	}
	for key, w := range want {
		if got[key] != w {
			t.Errorf("%s = %v, want %v", key, got[key], w)
		}
	}
}

func TestCase40ErrorCounterHarmless(t *testing.T) {
	log := *decoded[ErrorLog](t, "cases", "40-error-counter-harmless", "errlog.bin")
	if len(log) != 2 {
		t.Fatalf("%d entries, want 2", len(log))
	}
	for i, want := range []Status{0x2002, 0x6002} {
		got := log[i].StatusInfo.Status()
		if got != want || !errors.Is(got, StatusInvalidField) || log[i].SQID != 0 {
			t.Errorf("entry %d: status %#x of queue %d, want %#x of queue 0", i, uint16(got), log[i].SQID, uint16(want))
		}
	}
}

func TestCase41ErrorLogEmptyOrShort(t *testing.T) {
	dir := "41-error-log-empty-or-short"
	if log := *decoded[ErrorLog](t, "cases", dir, "errlog-zero.bin"); len(log) != 0 {
		t.Errorf("%d entries in a log of zero, want none", len(log))
	}
	dev := &fake{answer: func(cmd *Command) Status {
		copy(cmd.Data, read(t, "cases", dir, "errlog-8.bin"))
		return StatusSuccess
	}}
	log, err := NewController(dev).ErrorLog(t.Context(), decoded[IdentifyController](t, "cases", dir, "idctrl-elpe7.bin"))
	if err != nil || len(log) != 1 || log[0].ErrorCount != 3 {
		t.Errorf("ErrorLog = %+v, %v, want one entry", log, err)
	}
	if len(dev.sent) != 1 || len(dev.sent[0].Data) != 8*64 {
		t.Errorf("sent %+v, want one command of 8 entries", dev.sent)
	}
}

func TestCase43StatusFieldDecoding(t *testing.T) {
	var table []struct {
		IOCTL     uint16 `json:"ioctl"`
		SCT       uint8  `json:"sct"`
		SC        uint8  `json:"sc"`
		More, DNR bool
		Name      string
	}
	readJSON(t, &table, "cases", "43-status-field-decoding", "table.json")
	for _, tt := range table {
		s := Status(tt.IOCTL)
		if s.SCT() != tt.SCT || s.SC() != tt.SC || s.More() != tt.More || s.DNR() != tt.DNR || s.String() != tt.Name {
			t.Errorf("%#04x: SCT %d, SC %#x, more %v, DNR %v, %q, want %+v", tt.IOCTL, s.SCT(), s.SC(), s.More(), s.DNR(), s, tt)
		}
	}
	if got, want := StatusInfo(0xc502).Status(), Status(0x6281); got != want || got.SCT() != 2 || got.SC() != 0x81 || !got.DNR() || !got.More() {
		t.Errorf("status info 0xc502 = %#x, want %#x", uint16(got), uint16(want))
	}
	if got := StatusInfo(0xc005); got.Phase() != 1 || got.Status() != 0x6002 {
		t.Errorf("status info 0xc005: phase %d, status %#x, want 1, 0x6002", got.Phase(), uint16(got.Status()))
	}
}

func TestCase46LogWithoutOffset(t *testing.T) {
	for _, file := range []string{"idctrl-0a.bin", "idctrl-08.bin"} {
		page := read(t, "cases", "46-telemetry-without-offset", file)
		dev := &fake{answer: func(cmd *Command) Status {
			if cmd.Opcode == AdminIdentify {
				copy(cmd.Data, page)
			}
			return StatusSuccess
		}}
		c := NewController(dev)
		if _, err := c.Identify(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := c.LogPage(t.Context(), GetLogPage{LID: LIDTelemetryController, Bytes: 1 << 20})
		if err != nil || len(got) != 16384 || len(dev.sent) != 2 {
			t.Errorf("%s: %d bytes in %d commands, %v, want 16384 in 1", file, len(got), len(dev.sent)-1, err)
		}
		if _, err := c.LogPage(t.Context(), GetLogPage{LID: LIDTelemetryController, Bytes: 512, Offset: 512}); !errors.Is(err, ErrNotSupported) || len(dev.sent) != 2 {
			t.Errorf("%s: offset: %v, want ErrNotSupported and nothing sent", file, err)
		}
	}
}

func TestCase47OptionalLogMissing(t *testing.T) {
	dev := &fake{answer: func(cmd *Command) Status {
		if LID(cmd.CDW10) == LIDError {
			return StatusInvalidLogPage
		}
		copy(cmd.Data, read(t, "cases", "47-vendor-or-optional-log-missing", "smart.bin"))
		return StatusSuccess
	}}
	c := NewController(dev)
	if _, err := c.ErrorLog(t.Context(), new(IdentifyController)); !errors.Is(err, ErrNotSupported) {
		t.Errorf("ErrorLog: %v, want ErrNotSupported", err)
	}
	if _, err := c.SMARTLog(t.Context()); err != nil {
		t.Errorf("SMARTLog: %v", err)
	}
}

func TestCase49FirmwareSlots(t *testing.T) {
	dir := "49-fw-log-slots"
	tests := []struct {
		file         string
		active, next int
		slots        []string
	}{
		{"fwlog-11.bin", 1, 1, []string{"GPNA4B3Q", "", ""}},
		{"fwlog-21-pending.bin", 1, 2, []string{"GPNA4B3Q", "GPNA4B5Q", ""}},
		{"fwlog-zero.bin", 0, 0, []string{"", "", ""}},
	}
	id := decoded[IdentifyController](t, "cases", dir, "idctrl.bin")
	if id.FRMW.Slots() != 3 || !id.FRMW.Slot1ReadOnly() || !id.FRMW.ActivationWithoutReset() {
		t.Errorf("FRMW %#x: %d slots, slot 1 read-only %v, without reset %v, want 3, true, true", uint8(id.FRMW),
			id.FRMW.Slots(), id.FRMW.Slot1ReadOnly(), id.FRMW.ActivationWithoutReset())
	}
	for _, tt := range tests {
		log := decoded[FirmwareSlotLog](t, "cases", dir, tt.file)
		var slots []string
		for _, r := range log.Revisions[:id.FRMW.Slots()] {
			slots = append(slots, r.String())
		}
		if log.ActiveSlot() != tt.active || log.NextSlot() != tt.next || !slices.Equal(slots, tt.slots) {
			t.Errorf("%s: active %d, next %d, %q, want %d, %d, %q", tt.file, log.ActiveSlot(), log.NextSlot(), slots, tt.active, tt.next, tt.slots)
		}
	}
}
