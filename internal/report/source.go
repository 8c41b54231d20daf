package report

import (
	"slices"
	"strings"
)

// Source says where the pages of a report come from if they were not read from
// a drive or a capture: from what another tool printed, which has only a part
// of them.
type Source struct {
	// Tool and Version are those of the tool; Version is "" if it does not say.
	Tool    string `json:"tool"`
	Version string `json:"version"`
	// Guessed says that the kind of the page was concluded from its contents.
	Guessed bool `json:"guessed"`
	// Device is the name of the device as printed, such as "/dev/nvme0".
	Device string `json:"device"`
	// Platform, Time, Interface and Opinion are as printed: the operating
	// system, when it was made, how the drive was attached, and what the tool
	// itself thought of the drive.
	Platform  string `json:"platform"`
	Time      string `json:"time"`
	Interface string `json:"interface"`
	Opinion   string `json:"opinion"`
	// SizeBytes is the capacity as printed beside the pages, and SizeRounded
	// says that the tool rounded it.
	SizeBytes   *int64 `json:"size_bytes"`
	SizeRounded bool   `json:"size_rounded"`
	// Missing and Rounded are the keys of the report that the tool does not
	// tell, or had rounded: "smart.power_on_hours", and "smart" for a whole
	// section. The former are null.
	Missing []string `json:"missing"`
	Rounded []string `json:"rounded"`
	// Notes are sentences on what could not be taken as it is.
	Notes []string `json:"notes"`
	// SomeNamespaces says that the drive may have more namespaces.
	SomeNamespaces bool `json:"-"`
}

// inReport returns the source with the names of the specification's fields
// replaced by keys of the report.
func (s *Source) inReport() *Source {
	t := *s
	t.Missing, t.Rounded = reportKeys(s.Missing), reportKeys(s.Rounded)
	t.Notes = slices.Concat([]string{}, s.Notes)
	return &t
}

// partial is what the source says of one section. A nil source has everything.
func (s *Source) partial(section string) Partial {
	if s == nil {
		return Partial{}
	}
	return Partial{within(s.Missing, section), within(s.Rounded, section)}
}

func within(keys []string, section string) []string {
	var list []string
	for _, key := range keys {
		if rest, ok := strings.CutPrefix(key, section+"."); ok {
			list = append(list, rest)
		}
	}
	return list
}

// reportKeys are the keys of a report that rest on fields of pages.
func reportKeys(fields []string) []string {
	keys := []string{}
	for _, f := range fields {
		own := f
		if field, ok := strings.CutPrefix(f, "namespaces."); ok {
			own = "namespaces.identify." + field
		} else if field, ok := strings.CutPrefix(f, "errors."); ok {
			own = "errors.entries." + field
		}
		if derived, ok := derivedKeys[f]; ok {
			keys = append(keys, derived...)
		} else if !strings.HasPrefix(f, "firmware.") {
			keys = append(keys, own)
		}
		if also, ok := besidesKeys[f]; ok {
			keys = append(keys, also...)
		}
	}
	slices.Sort(keys)
	whole := func(key string) bool {
		section, _, within := strings.Cut(key, ".")
		return within && slices.Contains(fields, section)
	}
	return slices.Compact(slices.DeleteFunc(keys, whole))
}

// derivedKeys are the keys that stand in a report for a field.
var derivedKeys = map[string][]string{
	"smart.temperature_sensors_kelvin": {"smart.temperature_sensors_celsius"},
	"smart.tmt1_transitions":           {"smart.thermal_management.tmt1_transitions"},
	"smart.tmt2_transitions":           {"smart.thermal_management.tmt2_transitions"},
	"smart.tmt1_seconds":               {"smart.thermal_management.tmt1_seconds"},
	"smart.tmt2_seconds":               {"smart.thermal_management.tmt2_seconds"},
	"namespaces.lbafs":                 {"namespaces.lba_formats", "namespaces.lba_format.metadata_bytes", "namespaces.lba_format.relative_performance"},
	"namespaces.vs":                    {},
	"firmware.afi":                     {"firmware.active_slot", "firmware.next_slot"},
	"firmware.revisions":               {"firmware.slots"},
	"errors.status_field":              {"errors.entries.status_field", "errors.entries.status", "errors.entries.status_text"},
}

// besidesKeys are the keys that rest on a field beside its own.
var besidesKeys = map[string][]string{
	"smart.composite_temperature_kelvin": {"smart.composite_temperature_celsius"},
	"smart.data_units_read":              {"smart.bytes_read"},
	"smart.data_units_written":           {"smart.bytes_written"},
	"namespaces.nsze":                    {"namespaces.size_bytes"},
	"namespaces.ncap":                    {"namespaces.capacity_bytes"},
	"namespaces.nuse":                    {"namespaces.utilization_bytes"},
	"namespaces.flbas":                   {"namespaces.lba_format_index"},
	"namespaces.nguid":                   {"namespaces.nguid"},
	"namespaces.eui64":                   {"namespaces.eui64"},
	"identify_controller.wctemp":         {"smart.warning_threshold_celsius"},
	"identify_controller.cctemp":         {"smart.critical_threshold_celsius"},
	"identify_controller.oacs":           {"firmware.update.supported"},
	"identify_controller.frmw":           {"firmware.update.slots", "firmware.update.slot1_read_only", "firmware.update.activation_without_reset"},
	"identify_controller.fwug":           {"firmware.update.granularity_bytes"},
}

// unknownToSmart are the fields whose zero the verdict must not take for a
// value, by the names that its rules have for them.
func (s *Source) unknownToSmart() []string {
	if s == nil {
		return nil
	}
	list := within(s.Missing, "smart")
	for _, field := range []string{"identify_controller.oacs", "identify_controller.sn"} {
		if slices.Contains(s.Missing, field) {
			list = append(list, field)
		}
	}
	return list
}
