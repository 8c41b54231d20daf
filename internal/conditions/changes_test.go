package conditions

import (
	"testing"

	"qd1.example/qd1/nvme"
)

// healthy is a drive before a run.
func healthy() DriveState {
	return DriveState{
		Health: &Health{
			Celsius: new(38), SparePercent: 100, UsedPercent: 3, TMT1Transitions: 5, TMT1Seconds: 60,
			DataUnitsRead: nvme.U128(1000), DataUnitsWritten: nvme.U128(2000), MediaErrors: nvme.U128(1), ErrorLogEntries: nvme.U128(9),
		},
		Power:      &Power{State: new(0), APST: &APST{Enabled: true}},
		WriteCache: new(true),
		Limits:     &Limits{TMT1: new(78), TMT2: new(83)},
	}
}

func TestChanges(t *testing.T) {
	tests := []struct {
		name   string
		change func(*DriveState)
		facts  []string
		check  func(*Changes) bool
	}{
		{"nothing", func(*DriveState) {}, []string{}, func(c *Changes) bool {
			return *c.RoseCelsius == 0 && !*c.Throttled && *c.MediaErrors == 0 && *c.BytesRead == 0 && c.NewWarnings == 0
		}},
		{"warmer", func(s *DriveState) { s.Health.Celsius = new(51) },
			[]string{"the composite temperature rose from 38 to 51 °C"}, func(c *Changes) bool { return *c.RoseCelsius == 13 }},
		{"cooler", func(s *DriveState) { s.Health.Celsius = new(37) },
			[]string{"the composite temperature fell from 38 to 37 °C"}, func(c *Changes) bool { return *c.RoseCelsius == -1 }},
		{"no temperature", func(s *DriveState) { s.Health.Celsius = nil }, []string{}, func(c *Changes) bool { return c.RoseCelsius == nil }},
		{"throttled", func(s *DriveState) {
			s.Health.TMT1Transitions, s.Health.TMT1Seconds, s.Health.TMT2Transitions = 7, 100, 1
		},
			[]string{
				"entries into light thermal throttling rose by 2", "light thermal throttling lasted 40 s",
				"entries into heavy thermal throttling rose by 1",
			}, func(c *Changes) bool { return *c.Throttled && *c.TMT1Seconds == 40 && *c.TMT2Seconds == 0 }},
		{"still throttled, without a transition", func(s *DriveState) { s.Health.TMT1Seconds = 61 },
			[]string{"light thermal throttling lasted 1 s"}, func(c *Changes) bool { return *c.Throttled }},
		{"too hot", func(s *DriveState) { s.Health.WarningMinutes, s.Health.CriticalMinutes = 2, 1 },
			[]string{"time above the warning temperature rose by 2 min", "time above the critical temperature rose by 1 min"},
			func(c *Changes) bool { return *c.WarningMinutes == 2 && *c.CriticalMinutes == 1 }},
		{"errors", func(s *DriveState) { s.Health.MediaErrors, s.Health.ErrorLogEntries = nvme.U128(4), nvme.U128(11) },
			[]string{"media errors rose by 3", "error log entries rose by 2"}, func(c *Changes) bool { return *c.MediaErrors == 3 }},
		{"warnings", func(s *DriveState) { s.Health.CriticalWarning = 0x8A },
			[]string{"new critical warning: a temperature is outside its limits", "new critical warning: the drive became read-only"},
			func(c *Changes) bool { return c.NewWarnings == 0x8A }},
		{"worn", func(s *DriveState) { s.Health.SparePercent, s.Health.UsedPercent = 98, 4 },
			[]string{"percentage used rose by 1", "available spare fell from 100 to 98 %"}, func(c *Changes) bool { return *c.UsedPercent == 1 }},
		{"read and written", func(s *DriveState) {
			s.Health.DataUnitsRead, s.Health.DataUnitsWritten = nvme.U128(1010), nvme.U128(2001)
		},
			[]string{}, func(c *Changes) bool { return *c.BytesRead == 5120000 && *c.BytesWritten == 512000 }},
		{"power lost", func(s *DriveState) { s.Health.PowerCycles = nvme.U128(1) },
			[]string{"power cycles rose by 1"}, func(c *Changes) bool { return *c.PowerCycles == 1 }},
		{"power", func(s *DriveState) { s.Power = &Power{State: new(2), APST: &APST{}} },
			[]string{"the power state changed from 0 to 2", "autonomous power state transition was turned off"}, nil},
		{"write cache", func(s *DriveState) { s.WriteCache = new(false) }, []string{"the volatile write cache was turned off"}, nil},
		{"counters began anew", func(s *DriveState) { s.Health.TMT1Transitions, s.Health.MediaErrors = 0, nvme.U128(0) },
			[]string{}, func(c *Changes) bool { return c.TMT1Transitions == nil && c.MediaErrors == nil && c.Throttled == nil }},
		{"no SMART log", func(s *DriveState) { s.Health = nil }, []string{}, func(c *Changes) bool { return c.RoseCelsius == nil && c.Throttled == nil }},
		{"nothing at all", func(s *DriveState) { *s = DriveState{} }, []string{}, nil},
	}
	for _, tt := range tests {
		after := healthy()
		tt.change(&after)
		c := ChangesBetween(healthy(), after)
		equal(t, tt.name, tt.facts, c.Facts)
		if tt.check != nil && !tt.check(&c) {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}

// TestThrottledNotKnown holds that counters that never count do not say that
// there was no throttling.
func TestThrottledNotKnown(t *testing.T) {
	before, after := healthy(), healthy()
	before.Limits, after.Limits = nil, &Limits{Warning: new(80)}
	if c := ChangesBetween(before, after); c.Throttled != nil {
		t.Errorf("throttled = %t of a drive without the feature", *c.Throttled)
	}
	after.Health.TMT2Seconds = 1
	if c := ChangesBetween(before, after); c.Throttled == nil || !*c.Throttled {
		t.Errorf("throttled = %v of a drive that counts all the same", c.Throttled)
	}
}

func TestGrown(t *testing.T) {
	huge := nvme.Uint128{Lo: 1, Hi: 1}
	equal(t, "across 64 bits", new(uint64(2)), grown(nvme.Uint128{Lo: 1<<64 - 1}, huge))
	equal(t, "down", (*uint64)(nil), grown(huge, nvme.U128(0)))
	equal(t, "by more than 64 bits", (*uint64)(nil), grown(nvme.U128(0), huge))
	equal(t, "bytes that do not fit", (*uint64)(nil), bytesOf(new(uint64(1<<60))))
}
