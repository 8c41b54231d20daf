package vmtest_test

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// comparedKey is a value that another program shows as well: its path in our
// report, its path in theirs, and the conversion of theirs into our unit, nil
// for none.
type comparedKey struct {
	ours, theirs string
	convert      func(string) string
}

// smartctlKeys are the values that smartctl --json -a shows of a drive.
var smartctlKeys = []comparedKey{
	{"drive.serial", "serial_number", nil},
	{"drive.model", "model_name", nil},
	{"drive.firmware", "firmware_version", nil},
	{"drive.pci.vendor_id", "nvme_pci_vendor.id", nil},
	{"identify_controller.vid", "nvme_pci_vendor.id", nil},
	{"drive.pci.subsystem_vendor_id", "nvme_pci_vendor.subsystem_id", nil},
	{"identify_controller.ssvid", "nvme_pci_vendor.subsystem_id", nil},
	{"identify_controller.ieee", "nvme_ieee_oui_identifier", sixHexDigits},
	{"identify_controller.cntlid", "nvme_controller_id", nil},
	{"identify_controller.ver", "nvme_version.value", nil},
	{"identify_controller.nn", "nvme_number_of_namespaces", nil},
	{"smart.composite_temperature_celsius", "temperature.current", nil},
	{"smart.power_cycles", "power_cycle_count", nil},
	{"smart.power_on_hours", "power_on_time.hours", nil},
	{"smart.critical_warning.value", "smart_status.nvme.value", nil},
	{"smart.critical_warning.value", "nvme_smart_health_information_log.critical_warning", nil},
	{"smart.composite_temperature_celsius", "nvme_smart_health_information_log.temperature", nil},
	{"smart.available_spare_percent", "nvme_smart_health_information_log.available_spare", nil},
	{"smart.available_spare_threshold_percent", "nvme_smart_health_information_log.available_spare_threshold", nil},
	{"smart.percentage_used_percent", "nvme_smart_health_information_log.percentage_used", nil},
	{"smart.data_units_read", "nvme_smart_health_information_log.data_units_read", nil},
	{"smart.bytes_read", "nvme_smart_health_information_log.data_units_read", dataUnitBytes},
	{"smart.data_units_written", "nvme_smart_health_information_log.data_units_written", nil},
	{"smart.bytes_written", "nvme_smart_health_information_log.data_units_written", dataUnitBytes},
	{"smart.host_read_commands", "nvme_smart_health_information_log.host_reads", nil},
	{"smart.host_write_commands", "nvme_smart_health_information_log.host_writes", nil},
	{"smart.controller_busy_minutes", "nvme_smart_health_information_log.controller_busy_time", nil},
	{"smart.power_cycles", "nvme_smart_health_information_log.power_cycles", nil},
	{"smart.power_on_hours", "nvme_smart_health_information_log.power_on_hours", nil},
	{"smart.unsafe_shutdowns", "nvme_smart_health_information_log.unsafe_shutdowns", nil},
	{"smart.media_errors", "nvme_smart_health_information_log.media_errors", nil},
	{"smart.error_log_entries", "nvme_smart_health_information_log.num_err_log_entries", nil},
	{"smart.warning_temperature_minutes", "nvme_smart_health_information_log.warning_temp_time", nil},
	{"smart.critical_temperature_minutes", "nvme_smart_health_information_log.critical_comp_time", nil},
}

// smartctlNamespaceKeys are what smartctl shows of a namespace, the second.
var smartctlNamespaceKeys = []comparedKey{
	{"namespaces.1.nsid", "nvme_namespaces.0.id", nil},
	{"namespaces.1.size_bytes", "nvme_namespaces.0.size.bytes", nil},
	{"namespaces.1.identify.nsze", "nvme_namespaces.0.size.blocks", nil},
	{"namespaces.1.capacity_bytes", "nvme_namespaces.0.capacity.bytes", nil},
	{"namespaces.1.identify.ncap", "nvme_namespaces.0.capacity.blocks", nil},
	{"namespaces.1.utilization_bytes", "nvme_namespaces.0.utilization.bytes", nil},
	{"namespaces.1.identify.nuse", "nvme_namespaces.0.utilization.blocks", nil},
	{"namespaces.1.lba_format.data_bytes", "nvme_namespaces.0.formatted_lba_size", nil},
	{"namespaces.1.lba_format.data_bytes", "logical_block_size", nil},
}

// nvmeSMARTKeys are all the values of nvme smart-log -o json.
var nvmeSMARTKeys = []comparedKey{
	{"smart.critical_warning.value", "critical_warning", nil},
	{"smart.composite_temperature_kelvin", "temperature", nil},
	{"smart.available_spare_percent", "avail_spare", nil},
	{"smart.available_spare_threshold_percent", "spare_thresh", nil},
	{"smart.percentage_used_percent", "percent_used", nil},
	{"smart.endurance_group_critical_warning", "endurance_grp_critical_warning_summary", nil},
	{"smart.data_units_read", "data_units_read", nil},
	{"smart.data_units_written", "data_units_written", nil},
	{"smart.host_read_commands", "host_read_commands", nil},
	{"smart.host_write_commands", "host_write_commands", nil},
	{"smart.controller_busy_minutes", "controller_busy_time", nil},
	{"smart.power_cycles", "power_cycles", nil},
	{"smart.power_on_hours", "power_on_hours", nil},
	{"smart.unsafe_shutdowns", "unsafe_shutdowns", nil},
	{"smart.media_errors", "media_errors", nil},
	{"smart.error_log_entries", "num_err_log_entries", nil},
	{"smart.warning_temperature_minutes", "warning_temp_time", nil},
	{"smart.critical_temperature_minutes", "critical_comp_time", nil},
	{"smart.thermal_management.tmt1_transitions", "thm_temp1_trans_count", nil},
	{"smart.thermal_management.tmt2_transitions", "thm_temp2_trans_count", nil},
	{"smart.thermal_management.tmt1_seconds", "thm_temp1_total_time", nil},
	{"smart.thermal_management.tmt2_seconds", "thm_temp2_total_time", nil},
}

// powerStateKeys are the values of a power state of nvme id-ctrl -o json that
// ours has under another name or the same.
var powerStateKeys = []comparedKey{
	{"mp", "max_power", nil},
	{"flags", "flags", nil},
	{"enlat_us", "entry_lat", nil},
	{"exlat_us", "exit_lat", nil},
	{"rrt", "read_tput", nil},
	{"rrl", "read_lat", nil},
	{"rwt", "write_tput", nil},
	{"rwl", "write_lat", nil},
	{"idlp", "idle_power", nil},
	{"actp", "active_power", nil},
}

// converted are the values of nvme id-ctrl and id-ns that have another form in
// our report. All other keys of theirs have the same name and form in ours.
var converted = map[string]func(string) string{
	"ieee":  sixHexDigits,
	"fguid": identifier,
	"eui64": identifier,
	"nguid": identifier,
}

// sixHexDigits converts a decimal number.
func sixHexDigits(s string) string {
	n, err := strconv.Atoi(s)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%06x", n)
}

// dataUnitBytes converts data units into bytes.
func dataUnitBytes(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(n * 512000)
}

// identifier converts an identifier: ours has no dashes and is null for none.
func identifier(s string) string {
	s = strings.ReplaceAll(s, "-", "")
	if strings.Trim(s, "0") == "" {
		return "null"
	}
	return s
}

// addOtherTools adds what the other programs say, between two reports.
func addOtherTools(jobs *jobList) {
	for _, drive := range []string{first, second} {
		jobs.add("smartctl "+drive, "smartctl", "--json", "-a", drive)
		jobs.add("smartctl "+drive+"n2", "smartctl", "--json", "-a", drive+"n2")
		jobs.add("nvme smart-log "+drive, "nvme", "smart-log", "-o", "json", drive)
		jobs.add("nvme id-ctrl "+drive, "nvme", "id-ctrl", "-o", "json", drive)
		jobs.add("nvme id-ns "+drive, "nvme", "id-ns", "-o", "json", drive+"n1")
		jobs.add("nvme fw-log "+drive, "nvme", "fw-log", "-o", "json", drive)
	}
}

// checkOtherTools compares the report with what the other programs say.
func checkOtherTools(t *testing.T, res *vmtest.Results) {
	for _, drive := range []string{first, second} {
		ours := reportOf(t, res, drive)
		// smartctl ends with status 8 where the drive warns.
		smartctl := object(t, res.Get("smartctl "+drive).Stdout)
		compare(t, "smartctl", ours, smartctl, smartctlKeys)
		compare(t, "smartctl", ours, object(t, res.Get("smartctl "+drive+"n2").Stdout), smartctlNamespaceKeys)
		log := object(t, res.Output("nvme smart-log "+drive))
		compare(t, "nvme smart-log", ours, log, nvmeSMARTKeys)
		if len(log) != len(nvmeSMARTKeys) {
			t.Errorf("nvme smart-log: %d keys, %d of them compared", len(log), len(nvmeSMARTKeys))
		}
		controller := object(t, res.Output("nvme id-ctrl "+drive))
		compareAll(t, "nvme id-ctrl", lookup(t, ours, "identify_controller"), controller)
		compare(t, "nvme id-ctrl psds", lookup(t, ours, "identify_controller.psds.0"), lookup(t, controller, "psds.0"), powerStateKeys)
		compareAll(t, "nvme id-ns", lookup(t, ours, "namespaces.0.identify"), object(t, res.Output("nvme id-ns "+drive)))
		compareFormats(t, ours, object(t, res.Output("nvme id-ns "+drive)))
		compareFirmware(t, ours, object(t, res.Output("nvme fw-log "+drive)))
	}
}

// compare compares the values of a table.
func compare(t *testing.T, what string, ours, theirs any, keys []comparedKey) {
	t.Helper()
	for _, k := range keys {
		want := text(lookup(t, theirs, k.theirs))
		if k.convert != nil {
			want = k.convert(want)
		}
		if got := text(lookup(t, ours, k.ours)); got != want {
			t.Errorf("%s %s: got %s %s, want %s", what, k.theirs, k.ours, got, want)
		}
	}
}

// compareAll compares all single values of theirs with ours of the same key.
func compareAll(t *testing.T, what string, ours any, theirs map[string]any) {
	t.Helper()
	for key, value := range theirs {
		if _, list := value.([]any); list {
			continue
		}
		want := text(value)
		if convert := converted[key]; convert != nil {
			want = convert(want)
		}
		if got, ok := child(ours, key); !ok || text(got) != want {
			t.Errorf("%s %s: got %s, want %s", what, key, text(got), want)
		}
	}
}

// compareFormats compares the LBA formats of the first namespace. Theirs hold
// the size as a power of two.
func compareFormats(t *testing.T, ours, theirs map[string]any) {
	t.Helper()
	formats, ok := lookup(t, ours, "namespaces.0.lba_formats").([]any)
	if !ok || len(formats) != len(lookup(t, theirs, "lbafs").([]any)) {
		t.Fatalf("lba_formats: got %v, want %v", formats, theirs["lbafs"])
	}
	for i, f := range formats {
		path := fmt.Sprintf("lbafs.%d.", i)
		checkValue(t, f, "metadata_bytes", text(lookup(t, theirs, path+"ms")))
		size, err := strconv.ParseUint(text(lookup(t, f, "data_bytes")), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strconv.Itoa(bits.TrailingZeros64(size)), text(lookup(t, theirs, path+"ds")); got != want {
			t.Errorf("lba_formats %d: got 2^%s bytes, want 2^%s", i, got, want)
		}
	}
}

// compareFirmware compares the active slot and the revision of the first slot.
// Theirs is one object under the controller's name, and the revision is a
// number with the text in brackets, control characters as dots.
func compareFirmware(t *testing.T, ours, theirs map[string]any) {
	t.Helper()
	for _, log := range theirs {
		checkValue(t, ours, "firmware.active_slot", text(lookup(t, log, "Active Firmware Slot (afi)")))
		_, revision, _ := strings.Cut(text(lookup(t, log, "Firmware Rev Slot 1")), "(")
		checkValue(t, ours, "firmware.slots.0.revision", strings.TrimRight(revision, ".)"))
	}
}
