package smart

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
)

// counterLimit is the value above which no counter of the SMART log can be
// true: a drive that does a billion commands a second reaches it in 38
// million years.
var counterLimit = nvme.Uint128{Hi: 1 << 16}

// hoursLimit is the value above which Power On Hours cannot be true: 22 years;
// the first NVMe drives are of 2012.
const hoursLimit = 200_000

func rulesReadable() []Rule {
	return []Rule{
		{
			ID: "smart-unreadable", Axis: AxisReadable, Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"smart"},
			Text:    "The SMART log could not be read, so that the health of the drive is not known.",
			Source:  sourceSMART,
			applies: smartUnreadable,
		},
		{
			ID: "smart-not-in-dump", Axis: AxisReadable, Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"smart"},
			Text:    "This dump has no SMART log, so that the health of the drive is not known: ask for that of smartctl -x or nvme smart-log.",
			Source:  "this program",
			applies: smartNotInDump,
		},
		{
			ID: "identity-unreadable", Axis: AxisReadable, Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"identify_controller"},
			Text:    "The drive does not say what it is: Identify Controller could not be read.",
			Source:  "this program",
			applies: identityUnreadable,
		},
		{
			ID: "smart-page-empty", Axis: AxisReadable, Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"smart"},
			Text:    "The drive returned an empty SMART page, so that its health is not known.",
			Source:  "reports of drivers and adapters that lose the data: linux-nvme/nvme-cli 2759 and 1645, spdk 493",
			applies: smartPage(isEmpty, "all fields 0"),
		},
		{
			ID: "smart-page-cut", Axis: AxisReadable, Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"smart"},
			Text:    "The SMART page ends after 112 bytes ({written} TB written, and nothing from the power cycles on), so that the health of the drive is not known.",
			Source:  "this program: pages of which only the beginning arrived; from above 1 TB is a choice",
			applies: pageCut,
		},
		{
			ID: "smart-page-all-ones", Axis: AxisReadable, Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"smart"},
			Text:    "The SMART page has every bit set, as from a drive that is gone or dead.",
			Source:  "reports of controllers that left the bus: spdk 105",
			applies: smartPage(isAllOnes, "all fields ones"),
		},
		{
			ID: "smart-incomplete", Axis: AxisReadable, Severity: SeverityNote, Inconclusive: true,
			Fields:  []string{"smart"},
			Text:    "The SMART log is not whole (missing: {fields}), so that the health of the drive is not known.",
			Source:  "this program: reports that other tools printed, and somebody cut",
			applies: smartIncomplete,
		},
		{
			ID: "counters-implausible", Axis: AxisPlausibility, Severity: SeverityReturn,
			Fields:  counterNames(),
			Text:    "The counter {name} is {count}, which no drive can reach: the drive has lost its state or its log is not genuine.",
			Source:  "linux-nvme/nvme-cli 2072: a drive that lost its firmware during a format",
			applies: onSMART(countersImplausible),
		},
		{
			ID: "state-lost", Axis: AxisPlausibility, Severity: SeverityReturn,
			Fields:  []string{"percentage_used_percent", "data_units_read", "data_units_written", "host_read_commands", "host_write_commands", "power_on_hours"},
			Text:    "Percentage used is 255 while every counter is 0: the drive has lost its firmware state.",
			Source:  sourceFleet + ": 14 drives",
			applies: onSMART(stateLost),
		},
		{
			ID: "power-on-hours-implausible", Axis: AxisPlausibility, Severity: SeverityNote,
			Fields:  []string{"power_on_hours"},
			Text:    "{count} power-on hours cannot be true, so that the age of the drive is not known.",
			Source:  sourceFleet + ": an Asgard AN1TNVMe shows 5.1e15",
			applies: hoursImplausible,
		},
		{
			ID: "sections-unreadable", Axis: AxisReadable, Severity: SeverityInfo,
			Fields:  []string{"errors", "firmware", "link"},
			Text:    "These sections could not be read and are not part of the verdict: {sections}.",
			Source:  "this program",
			applies: sectionsUnreadable,
		},
	}
}

func smartUnreadable(f *Facts) *hit {
	if f.SMART != nil || f.SMARTNotInDump {
		return nil
	}
	return found("smart not read")
}

func smartNotInDump(f *Facts) *hit {
	if f.SMART != nil || !f.SMARTNotInDump {
		return nil
	}
	return found("smart not in the dump")
}

// cutAway are the fields of a page that is cut: those from byte 112 on that
// rules look at.
func cutAway() []string {
	return []string{
		fieldCycles, fieldHours, fieldUnsafe, "media_errors", "error_log_entries", "warning_temperature_minutes",
		"critical_temperature_minutes", "tmt1_transitions", "tmt2_transitions", "tmt1_seconds", "tmt2_seconds",
	}
}

// isCut reports whether a page of a drive with much written is 0 from the
// power cycles on.
func isCut(l *nvme.SMARTLog) bool {
	if l.DataUnitsWritten.Float64() <= manyUnits {
		return false
	}
	rest := *l
	rest.CriticalWarning, rest.CompositeTemperature = 0, 0
	rest.AvailableSpare, rest.AvailableSpareThreshold, rest.PercentageUsed, rest.EnduranceGroupCriticalWarning = 0, 0, 0, 0
	for _, c := range []*nvme.Uint128{&rest.DataUnitsRead, &rest.DataUnitsWritten, &rest.HostReadCommands, &rest.HostWriteCommands, &rest.ControllerBusyTime} {
		*c = nvme.Uint128{}
	}
	return isEmpty(&rest)
}

// wasCut leaves a log alone whose source does not have what would be cut away.
func wasCut(f *Facts) bool {
	return f.SMART != nil && f.knows(fieldCycles, fieldHours, fieldUnsafe, "media_errors") && isCut(f.SMART)
}

func pageCut(f *Facts) *hit {
	if !wasCut(f) {
		return nil
	}
	l := f.SMART
	return found("all fields from byte 112 on are 0", "{written}", terabytes(bytesOf(l.DataUnitsWritten)))
}

// decisive are the fields without which there is no verdict.
var decisive = []string{"critical_warning", "available_spare_percent", "percentage_used_percent", "media_errors"}

func smartIncomplete(f *Facts) *hit {
	if f.SMART == nil {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(decisive), func(field string) bool { return f.knows(field) })
	if len(missing) == 0 {
		return nil
	}
	list := strings.Join(missing, ", ")
	return found("missing: "+list, "{fields}", list)
}

func smartPage(is func(*nvme.SMARTLog) bool, evidence string) func(*Facts) *hit {
	return onSMART(func(l *nvme.SMARTLog) *hit {
		if !is(l) {
			return nil
		}
		return found(evidence)
	})
}

func isEmpty(l *nvme.SMARTLog) bool { return *l == nvme.SMARTLog{} }

func isAllOnes(l *nvme.SMARTLog) bool {
	var ones nvme.SMARTLog
	err := ones.UnmarshalBinary(bytes.Repeat([]byte{0xFF}, 512))
	return err == nil && *l == ones
}

type namedCounter struct {
	name  string
	value nvme.Uint128
}

// counters returns the 128-bit counters by their JSON names.
func counters(l *nvme.SMARTLog) []namedCounter {
	return []namedCounter{
		{"data_units_read", l.DataUnitsRead},
		{"data_units_written", l.DataUnitsWritten},
		{"host_read_commands", l.HostReadCommands},
		{"host_write_commands", l.HostWriteCommands},
		{"controller_busy_minutes", l.ControllerBusyTime},
		{"power_cycles", l.PowerCycles},
		{"power_on_hours", l.PowerOnHours},
		{"unsafe_shutdowns", l.UnsafeShutdowns},
		{"media_errors", l.MediaErrors},
		{"error_log_entries", l.ErrorLogEntries},
	}
}

func counterNames() []string {
	var names []string
	for _, c := range counters(new(nvme.SMARTLog)) {
		names = append(names, c.name)
	}
	return names
}

func countersImplausible(l *nvme.SMARTLog) *hit {
	for _, c := range counters(l) {
		if above(c.value, counterLimit) {
			return found(fmt.Sprintf("%s %s", c.name, c.value), "{name}", c.name, "{count}", c.value.String())
		}
	}
	return nil
}

// above reports whether a > b.
func above(a, b nvme.Uint128) bool {
	return a.Hi > b.Hi || a.Hi == b.Hi && a.Lo > b.Lo
}

func stateLost(l *nvme.SMARTLog) *hit {
	if l.PercentageUsed != 255 {
		return nil
	}
	for _, c := range counters(l) {
		if !c.value.IsZero() {
			return nil
		}
	}
	return found("percentage_used_percent 255, all counters 0")
}

func hoursImplausible(f *Facts) *hit {
	if f.SMART == nil || f.hours() <= hoursLimit {
		return nil
	}
	return counter("power_on_hours", f.SMART.PowerOnHours)
}

func identityUnreadable(f *Facts) *hit {
	if !slices.Contains(f.Unreadable, IdentityUnreadable) {
		return nil
	}
	return found("identify_controller not read")
}

func modelUnknown(f *Facts) *hit {
	if f.SMART == nil || f.model() != "" {
		return nil
	}
	return found("no model number")
}

func sectionsUnreadable(f *Facts) *hit {
	if len(f.Unreadable) == 0 {
		return nil
	}
	list := strings.Join(f.Unreadable, ", ")
	return found(list, "{sections}", list)
}
