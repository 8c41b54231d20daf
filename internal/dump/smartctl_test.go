package dump

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

const infoHead = "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)\n\n=== START OF INFORMATION SECTION ===\nModel Number: MODEL\nSerial Number: A1234\n"

// jsonHead begins a document of smartctl; it lacks the closing brace.
const jsonHead = `{"json_format_version":[1,0],"smartctl":{"version":[8,0]},"device":{"name":"/dev/nvme0","protocol":"NVMe"},"model_name":"MODEL","serial_number":"A1234",`

// TestSmartctlInformation sets one field of Identify Controller at a time.
func TestSmartctlInformation(t *testing.T) {
	for _, tc := range []struct {
		line, field string
		want        any
	}{
		{"PCI Vendor/Subsystem ID: 0x8086", "ssvid", uint16(0x8086)},
		{"PCI Vendor ID: 0x1c58", "vid", uint16(0x1c58)},
		{"PCI Vendor Subsystem ID: 0x1137", "ssvid", uint16(0x1137)},
		{"IEEE OUI Identifier: 0x000cca", "ieee", nvme.OUI{0xca, 0x0c, 0}},
		{"Total NVM Capacity: 1.600.321.314.816 [1,60 TB]", "tnvmcap", nvme.U128(1600321314816)},
		{"Unallocated NVM Capacity: 0", "unvmcap", nvme.Uint128{}},
		{"Controller ID: 8215", "cntlid", uint16(8215)},
		{"NVMe Version: <1.2", "ver", nvme.Version(0)},
		{"NVMe Version: 1.2.1", "ver", nvme.Version(0x10201)},
		{"NVMe Version: 2.0", "ver", nvme.Version(0x20000)},
		{"Number of Namespaces: 128", "nn", uint32(128)},
		{"Firmware Updates (0x17): 3 Slots, Slot 1 R/O, no Reset required", "frmw", nvme.FRMW(0x17)},
		{"Optional Admin Commands (0x025f): Security Format *Other*", "oacs", nvme.OACS(0x25f)},
		{"Optional NVM Commands (0x00ff): Comp", "oncs", nvme.ONCS(0xff)},
		{"Log Page Attributes (0x7e): Cmd_Eff_Lg", "lpa", nvme.LPA(0x7e)},
		{"Maximum Data Transfer Size: 1 Pages", "mdts", uint8(0)},
		{"Maximum Data Transfer Size: 8192 Pages", "mdts", uint8(13)},
		{"Maximum Data Transfer Size: -", "mdts", uint8(0)},
		{"Warning  Comp. Temp. Threshold: 82 Celsius", "wctemp", nvme.Kelvin(355)},
		{"Warning Comp. Temp. Threshold: 82 Celsius", "wctemp", nvme.Kelvin(355)},
		{"Critical Comp. Temp. Threshold: -", "cctemp", nvme.Kelvin(0)},
	} {
		d := only(t, read(t, infoHead+tc.line+"\n"))
		if !d.Has("identify_controller." + tc.field) {
			t.Errorf("%s: no %s", tc.line, tc.field)
			continue
		}
		if got := d.controller.field(tc.field).Interface(); got != tc.want {
			t.Errorf("%s: %v (%[2]T), want %v (%[3]T)", tc.line, got, tc.want)
		}
	}
}

// TestSmartctlNamespace reads the sizes of a namespace in every form.
func TestSmartctlNamespace(t *testing.T) {
	const block = "Namespace 1 Formatted LBA Size: 4096\n"
	const formats = "\nSupported LBA Sizes (NSID 0x1)\nId Fmt  Data  Metadt  Rel_Perf\n 0 -     512       0         2\n17 +    4096       8         0\n"
	for _, tc := range []struct {
		name, text       string
		nsze, ncap, nuse uint64
		has, not         []string
	}{
		{"size and capacity alike", "Namespace 1 Size/Capacity: 40,960,000 [40.9 MB]\n" + block, 10000, 10000, 10000, []string{"nsze", "ncap", "nuse"}, []string{"lbafs", "flbas"}},
		{"thin", "Namespace 1 Size: 40,960,000\nNamespace 1 Capacity: 20,480,000\nNamespace 1 Utilization: 4,096,000\n" + block, 10000, 5000, 1000, []string{"nsze", "ncap", "nuse"}, nil},
		{"size only", "Namespace 1 Size: 40,960,000\n" + block, 10000, 0, 0, []string{"nsze"}, []string{"ncap", "nuse"}},
		{"with formats", "Namespace 1 Size/Capacity: 40,960,000 [40.9 MB]\n" + formats, 10000, 10000, 10000, []string{"lbafs", "flbas", "nlbaf"}, nil},
		{"features", "Namespace 1 Size/Capacity: 40,960,000\nNamespace 1 Features (0x1a): NA_Fields\n" + block, 10000, 10000, 10000, []string{"nsfeat"}, nil},
	} {
		d := only(t, read(t, infoHead+"Number of Namespaces: 1\n"+tc.text))
		ns := namespaceOf(t, d)
		if ns.NSZE != tc.nsze || ns.NCAP != tc.ncap || ns.NUSE != tc.nuse || ns.Format().DataBytes() != 4096 {
			t.Errorf("%s: %d %d %d blocks of %d", tc.name, ns.NSZE, ns.NCAP, ns.NUSE, ns.Format().DataBytes())
		}
		for _, f := range tc.has {
			if !d.Has("namespaces." + f) {
				t.Errorf("%s: no %s", tc.name, f)
			}
		}
		for _, f := range tc.not {
			if d.Has("namespaces." + f) {
				t.Errorf("%s: has %s", tc.name, f)
			}
		}
	}
	// Without the size of a block there are no blocks, but a capacity.
	d := only(t, read(t, infoHead+"Namespace 1 Size/Capacity: 40,960,000 [40.9 MB]\nNamespace 1 IEEE EUI-64: 000cca ...\n"))
	if d.Has(PageNamespace) || d.Host.SizeBytes != 40960000 {
		t.Errorf("namespace without blocks: %t, %d bytes", d.Has(PageNamespace), d.Host.SizeBytes)
	}
}

func TestSmartctlFaults(t *testing.T) {
	const powers = "St Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  Ex_Lat\n"
	const formats = "Supported LBA Sizes (NSID 0x1)\nId Fmt  Data  Metadt  Rel_Perf\n"
	const errorTable = "=== START OF SMART DATA SECTION ===\nError Information (NVMe Log 0x01, 16 of 64 entries)\nNum   ErrCount  SQId   CmdId  Status  PELoc          LBA  NSID    VS\n"
	for _, tc := range []struct{ text, want string }{
		{"PCI Vendor ID: none\n", `line 6: smartctl: vid: "none": not a number`},
		{"PCI Vendor/Subsystem ID: 0x12345\n", "line 6: smartctl: vid: 74565 does not fit its field"},
		{"Number of Namespaces: 4,294,967,296\n", "line 6: smartctl: nn: 4294967296 does not fit its field"},
		{"NVMe Version: 1.2.3.4\n", `line 6: smartctl: ver: "1.2.3.4" is not a version`},
		{"Namespace 1 IEEE EUI-64: 00cca 1\n", "line 6: smartctl: eui64: not an identifier"},
		{"Namespace 1 Size: 1000\nNamespace 1 Formatted LBA Size: 100\n", "line 1: smartctl: namespace 1: logical blocks of 100 bytes"},
		{powers + "99 +  1.00W - - 0 0 0 0 0 0\n", `line 7: smartctl: power state "99"`},
		{powers + " 0 +  1.0W - - 0 0 0 0 0 0\n", `line 7: smartctl: power "1.0W": not a number`},
		{powers + " 0 +  1.00W x - 0 0 0 0 0 0\n", `line 7: smartctl: power "x": not a number`},
		{powers + " 0 +  1.00W - x 0 0 0 0 0 0\n", `line 7: smartctl: power "x": not a number`},
		{powers + " 0 +  1.00W - - 0 0 0 256 0 0\n", `line 7: smartctl: rwt: "256": not a number`},
		{formats + " 0 + 512 0\n", "line 8: smartctl: LBA format with 4 columns, not 5"},
		{formats + " 0 + big 0 0\n", `line 8: smartctl: LBA format: data size "big": not a number`},
		{formats + "64 + 512 0 0\n", "line 8: smartctl: not an LBA format"},
		{errorTable + " 0 1 0 0x0015\n", "line 9: smartctl: error log entry with 4 columns, not 9"},
		{errorTable + " 0 1 70000 0x0015  0xc005  0x028  - 0 -\n", `line 9: smartctl: sqid "70000": sqid: 70000 does not fit its field`},
		{errorTable + strings.Repeat(" 0 1 1 0x0015  0xc005  0x028  - 0 -\n", maxErrors+1), "line 265: smartctl: too large: more than 256 entries"},
	} {
		_, err := Read(strings.NewReader(infoHead + tc.text))
		var parse *ParseError
		if !errors.As(err, &parse) || err.Error() != tc.want {
			t.Errorf("got  %v\nwant %s", err, tc.want)
		}
	}
}

// TestSmartctlJSON reads what newer versions have in JSON.
func TestSmartctlJSON(t *testing.T) {
	d := only(t, read(t, jsonHead+`
		"nvme_firmware_update_capabilities":{"value":23,"slots":3},
		"nvme_optional_admin_commands":{"value":607},
		"nvme_maximum_data_transfer_pages":512,
		"nvme_composite_temperature_threshold":{"warning":82,"critical":85},
		"nvme_number_of_namespaces":1,
		"nvme_namespaces":[{"id":1,"size":{"bytes":40960000},"capacity":{"bytes":40960000},"formatted_lba_size":4096,
			"lba_formats":[{"data_bytes":512,"metadata_bytes":0,"relative_performance":2},{"formatted":true,"data_bytes":4096,"metadata_bytes":8,"relative_performance":0}]}],
		"smart_status":{"passed":false},
		"nvme_smart_health_information_log":{"critical_warning":4,"temperature":-4,"temperature_sensors":[null,81,-3],"data_units_written":18446744073709551616,
			"num_err_log_entries":3,"thermal_mgmt_temperature_1_transition_count":7},
		"nvme_error_information_log":{"size":64,"read":16,"unread":48,"table":[{"error_count":9,"status_field":{"value":24578},"phase_tag":true,"lba":{"value":7}}]}}`))
	id, err := nvme.NewController(d).Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if id.FRMW != 23 || id.OACS != 607 || id.MDTS != 9 || id.WCTEMP != 355 || id.CCTEMP != 358 || id.ELPE != 63 {
		t.Errorf("frmw %d, oacs %d, mdts %d, wctemp %d, cctemp %d, elpe %d", id.FRMW, id.OACS, id.MDTS, id.WCTEMP, id.CCTEMP, id.ELPE)
	}
	ns := namespaceOf(t, d)
	if ns.NSZE != 10000 || ns.NUSE != 10000 || len(ns.Formats()) != 2 || ns.Format().MetadataBytes != 8 || !d.AllNamespaces() {
		t.Errorf("namespace %d %d, formats %v", ns.NSZE, ns.NUSE, ns.Formats())
	}
	l := smartOf(t, d)
	want := [8]nvme.Kelvin{0, 354, 270}
	if l.CompositeTemperature != 269 || l.TemperatureSensors != want || l.DataUnitsWritten.Hi != 1 || l.TMT1Transitions != 7 {
		t.Errorf("SMART log %+v", l)
	}
	if d.Has("smart.tmt2_transitions") || d.Has("smart.media_errors") || !d.Has("smart.tmt1_transitions") || d.Host.Verdict != "FAILED" {
		t.Errorf("missing %v, verdict %q", d.Missing(), d.Host.Verdict)
	}
	log, err := nvme.NewController(d).ErrorLog(t.Context(), id)
	entry := nvme.ErrorLogEntry{ErrorCount: 9, SQID: 0xFFFF, CID: 0xFFFF, StatusInfo: 24578<<1 | 1, ParameterErrorLocation: 0xFFFF, LBA: 7, NSID: 0xFFFFFFFF}
	if diff := cmp.Diff(nvme.ErrorLog{entry}, log, cmp.AllowUnexported(entry)); diff != "" || err != nil {
		t.Errorf("error log: %v (-want +got):\n%s", err, diff)
	}
}

func TestSmartctlJSONFaults(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`"nvme_controller_id":65536}`, "line 1: smartctl JSON: cntlid: cntlid: 65536 does not fit its field"},
		{`"nvme_version":{"value":"new"}}`, "line 1: smartctl JSON: ver: not a number"},
		{`"nvme_maximum_data_transfer_pages":3}`, `line 1: smartctl JSON: mdts: "3": not a power of two of pages`},
		{`"nvme_composite_temperature_threshold":{"warning":-300}}`, "line 1: smartctl JSON: wctemp: not a temperature"},
		{`"nvme_namespaces":[{"id":1,"size":{"bytes":1000},"formatted_lba_size":100}]}`, "line 1: smartctl JSON: logical blocks of 100 bytes"},
		{`"nvme_namespaces":[{"id":1,"lba_formats":[{"data_bytes":100}]}]}`, "line 1: smartctl JSON: not an LBA format"},
		{`"nvme_smart_health_information_log":{"temperature":"warm"}}`, "line 1: smartctl JSON: temperature: not a number"},
		{`"nvme_smart_health_information_log":{"temperature_sensors":[1,2,3,4,5,6,7,8,9]}}`, "line 1: smartctl JSON: temperature sensor 9: not a number"},
		{`"nvme_smart_health_information_log":{"available_spare":256}}`, "line 1: JSON: available_spare: available_spare_percent: 256 does not fit its field"},
		{`"nvme_error_information_log":{"table":[{"error_count":1,"submission_queue_id":70000}]}}`, "line 1: smartctl JSON: submission_queue_id: sqid: 70000 does not fit its field"},
		{`"firmware_version":"123456789"}`, "line 1: smartctl JSON: fr: 9 characters, more than 8"},
	} {
		_, err := Read(strings.NewReader(jsonHead + tc.text))
		var parse *ParseError
		if !errors.As(err, &parse) || err.Error() != tc.want {
			t.Errorf("got  %v\nwant %s", err, tc.want)
		}
	}
}
