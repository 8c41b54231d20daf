package dump

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// namespaceOf asks a drive for namespace 1.
func namespaceOf(t *testing.T, d *Drive) *nvme.IdentifyNamespace {
	t.Helper()
	ns, err := nvme.NewController(d).IdentifyNamespace(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return ns
}

// TestNamespaceForms reads one namespace as nvme-cli prints it with and without
// explanations, as text and as JSON.
func TestNamespaceForms(t *testing.T) {
	const head = "NVME Identify Namespace 1:\nnsze    : 0x1000\nncap    : 0x1000\nnuse    : 0x800\nnlbaf   : 1\nflbas   : 0x1\n  [6:5] : 0\tMost significant 2 bits of Current LBA Format Selected\neui64   : 5cd2e44b0ac93340\n"
	want := namespaceOf(t, only(t, read(t, head+"lbaf  0 : ms:0   lbads:9  rp:0x2 \nlbaf  1 : ms:8   lbads:12 rp:0 (in use)\n")))
	if want.SizeBytes().Lo != 0x1000*4096 || want.NUSE != 0x800 || want.Format().MetadataBytes != 8 || want.LBAF[0].RP != 2 || want.EUI64.String() != "5cd2e44b0ac93340" {
		t.Fatalf("%+v", want)
	}
	const keys = `"nsze":4096,"ncap":4096,"nuse":2048,"nlbaf":1,"flbas":1,"eui64":"5cd2e44b0ac93340","vs":[],"lbafs":[`
	for name, text := range map[string]string{
		"explained": head + "LBA Format  0 : Metadata Size: 0   bytes - Data Size: 512 bytes - Relative Performance: 0x2 Good \n" +
			"LBA Format  1 : Metadata Size: 8   bytes - Data Size: 4096 bytes - Relative Performance: 0 Best (in use)\n",
		"JSON":            "{" + keys + `{"ms":0,"ds":9,"rp":2},{"ms":8,"ds":12,"rp":0}]}`,
		"JSON explained":  "{" + keys + `{"LBA Format":0,"Metadata Size":"0 bytes","Data Size":"512 bytes","Relative Performance":"0x2 Good"},{"Metadata Size":"8 bytes","Data Size":"4096 bytes","Relative Performance":"0 Best","in use":"yes"}]}`,
		"JSON of strings": `{"nsze":"0x1000","ncap":"4,096","nuse":"2048","nlbaf":"1","flbas":{"value":1},"eui64":"5cd2e44b0ac93340","lbafs":[{"ms":0,"ds":9,"rp":2},{"ms":8,"ds":12,"rp":0}]}`,
	} {
		got := namespaceOf(t, only(t, read(t, text)))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(*got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestControllerText checks what versions print in different ways, and that the
// explanations of -H and fields that this program does not know change nothing.
func TestControllerText(t *testing.T) {
	d := only(t, read(t, "NVME Identify Controller:\nvid     : 0x144d\nsn      : S1\nmn      : M\nfr      : F\nver     : 10200\nrtd3r   : 7a120\nwctemp  : 84 °C (357 K)\n"+
		" [15:0] : 85 °C (358 K)\tWarning Composite Temperature Threshold (WCTEMP)\n\nnewfield : abc\nnvscc   : 1\nfguid   : 00000000-0000-0000-0000-000000000000\n"+
		"ps    0 : mp:0.0250W non-operational enlat:5000 exlat:1900 rrt:1 rrl:2\n          rwt:3 rwl:4 idle_power:0.0810W active_power:1.50W\n          active_power_workload:80K 128KiB SW\n"))
	id, err := nvme.NewController(d).Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !id.Version.AtLeast(1, 2) || id.RTD3R != 500000 || id.WCTEMP != 357 || id.ICSVSCC != 1 {
		t.Errorf("ver %x, rtd3r %d, wctemp %d, icsvscc %d", id.Version, id.RTD3R, id.WCTEMP, id.ICSVSCC)
	}
	want := nvme.PowerState{MaxPower: 250, Flags: 3, EntryLatency: 5000, ExitLatency: 1900, RRT: 1, RRL: 2, RWT: 3, RWL: 4,
		IdlePower: 810, IdleScale: 1 << 6, ActivePower: 150, ActiveScale: 2 << 6}
	if diff := cmp.Diff(want, id.PSD[0], cmp.AllowUnexported(want)); diff != "" {
		t.Errorf("power state (-want +got):\n%s", diff)
	}
	if d.Has("identify_controller.oacs") || !d.Has("identify_controller.fguid") {
		t.Errorf("known: %v", d.controller.known)
	}
}

// TestNotNumbers gives values to fields that are not numbers.
func TestNotNumbers(t *testing.T) {
	for _, text := range []string{"vid : 0x1\npsds : 4\n", "vid : 0x1\nvs : 4\n", "nsze : 1\nlbafs : 1\n"} {
		if d, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q was taken: %v", text, d.Drives[0].controller)
		}
	}
}

func TestErrorLogJSON(t *testing.T) {
	d := only(t, read(t, `{"errors":[
		{"error_count":9,"sqid":1,"cmdid":2,"status_field":8194,"phase_tag":1,"parm_error_location":40,"lba":18446744073709551615,"nsid":1,"vs":0,"trtype":0,"csi":0,"opcode":6,"cs":0,"trtype_spec_info":0,"log_page_version":1},
		{"error_count":0,"sqid":0,"cmdid":0,"status_field":0,"phase_tag":0}]}`))
	log := nvme.ErrorLog{}
	page := make([]byte, 128)
	if _, err := d.Submit(t.Context(), nvme.GetLogPage{LID: nvme.LIDError}.Command(page)); err != nil || log.UnmarshalBinary(page) != nil {
		t.Fatal(err)
	}
	if len(log) != 1 || log[0].StatusInfo != 8194<<1|1 || log[0].Opcode != 6 || log[0].LBA != ^uint64(0) {
		t.Errorf("%+v", log)
	}
	if shown, kept := d.ErrorEntries(); shown != 1 || kept != 2 {
		t.Errorf("%d of %d entries", shown, kept)
	}
}

func TestFirmwareJSON(t *testing.T) {
	d := only(t, read(t, `{"nvme0":{"Active Firmware Slot (afi)":33,"Firmware Rev Slot 1":"3689065121234735960 (x)","Firmware Rev Slot 2":"0x38334e4d2e564552"}}`))
	l, err := nvme.NewController(d).FirmwareSlotLog(t.Context())
	if err != nil || l.ActiveSlot() != 1 || l.NextSlot() != 2 || l.Revisions[1].String() != "REV.MN38" {
		t.Errorf("%+v, %v", l, err)
	}
	if d.Host.Device != "nvme0" || !d.Has("firmware.revisions") {
		t.Errorf("device %q, has revisions: %t", d.Host.Device, d.Has("firmware.revisions"))
	}
	for _, text := range []string{
		`{"nvme0":{"Active Firmware Slot (afi)":256}}`, `{"nvme0":{"Active Firmware Slot (afi)":1,"Firmware Rev Slot 1":"E2010650"}}`,
	} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

// TestNested reads a collection of documents, each under a key.
func TestNested(t *testing.T) {
	d := only(t, read(t, `{"id_ctrl":{"vid":32902,"sn":"A1234","mn":"MODEL","fr":"FW"},"smart_log":{"avail_spare":100,"power_cycles":5},"other":[1]}`))
	if d.Serial != "A1234" || smartOf(t, d).PowerCycles.Lo != 5 {
		t.Errorf("%q", d.Serial)
	}
	two := read(t, `[{"smartctl":{"version":[7,4]},"model_name":"A","serial_number":"S1"},{"smartctl":{"version":[7,4]},"model_name":"B","serial_number":"S2"}]`)
	if len(two.Drives) != 2 || two.Version != "7.4" {
		t.Errorf("%d drives, version %q", len(two.Drives), two.Version)
	}
}

// TestNvmeFaults checks the faults of nvme-cli's output that the others do not
// have.
func TestNvmeFaults(t *testing.T) {
	const dashed = "---------------- -------------------- ---------------------------------------- --------- -------------------------- ---------------- --------\n"
	list := func(n, usage, format string) string {
		row := fmt.Sprintf("%-16s %-20s %-40s %-9s %-26s %-16s %s\n", "/dev/nvme0n1", "A1234", "MODEL", n, usage, format, "FW")
		return "Node             SN                   Model          \n" + dashed + row
	}
	if d := only(t, read(t, list("0x2", "1.00  TB /   2.00  TB", "4 KiB +  0 B"))); len(d.nsids()) != 1 || d.nsids()[0] != 2 || d.Host.SizeBytes != 2e12 {
		t.Errorf("namespaces %v, %d bytes", d.nsids(), d.Host.SizeBytes)
	}
	for _, tc := range []struct{ text, want string }{
		{list("none", "1.00  TB /   2.00  TB", "512   B +  0 B"), `line 3: nvme-cli list: namespace "none": not a number`},
		{list("0", "1.00  TB /   2.00  TB", "512   B +  0 B"), `line 3: nvme-cli list: namespace "0": not a number`},
		{list("1", "all", "512   B +  0 B"), `line 3: nvme-cli list: usage "all", format "512   B +  0 B": not sizes`},
		{list("1", "1.00  TB /   2.00  TB", "100   B +  0 B"), "line 3: nvme-cli list: logical blocks of 100 bytes"},
		{"Node             SN                   Model          \n--- ---\n", "line 2: nvme-cli list: 2 columns, not 7 or 8"},
		{`{"Devices":[{"SerialNumber":"A","SectorSize":100}]}`, "line 1: nvme-cli list JSON: logical blocks of 100 bytes"},
		{`{"Devices":[{"SerialNumber":"123456789012345678901"}]}`, "line 1: nvme-cli list: sn: 21 characters, more than 20"},
		{`{"vid":1,"sn":"A","mdts":256}`, "line 1: nvme-cli id-ctrl JSON: mdts: 256 does not fit its field"},
		{`{"vid":1,"sn":"A","oacs":"all"}`, "line 1: nvme-cli id-ctrl JSON: oacs: not a number"},
		{`{"vid":1,"sn":"A","fguid":"zz"}`, `line 1: nvme-cli id-ctrl JSON: fguid: "zz" is not hexadecimal`},
		{`{"vid":1,"sn":"A","psds":[` + strings.Repeat("{},", 32) + `{}]}`, "line 1: nvme-cli id-ctrl JSON: power state 32"},
		{`{"nsze":1,"lbafs":[` + strings.Repeat("{},", 64) + `{}]}`, "line 1: nvme-cli id-ns JSON: LBA format 64"},
		{`{"nsze":-1}`, "line 1: nvme-cli id-ns JSON: nsze: not a number"},
		{`{"avail_spare":1,"temperature_sensor_2":70000}`, "line 1: nvme-cli smart-log JSON: temperature_sensor_2: not a number"},
		{`{"errors":[{"error_count":1,"sqid":70000}]}`, "line 1: nvme-cli error-log JSON: sqid: sqid: 70000 does not fit its field"},
		{"error_count : 1\nsqid : 70000\n", "line 2: nvme-cli error-log: sqid: 70000 does not fit its field"},
		{"afi  : 0x11\nfrs1 : 0x51334234414e504700 (x)\n", `line 2: nvme-cli fw-log: firmware revision "0x51334234414e504700": not a number`},
		{"Firmware Log for device:nvme1\n", "line 1: nvme-cli fw-log: no NVMe drive in this dump: no active slot"},
		{"NVME Identify Controller:\n", "line 1: nvme-cli id-ctrl: no NVMe drive in this dump: no values"},
		{"NVME Identify Namespace 1:\n", "line 1: nvme-cli id-ns: no NVMe drive in this dump: no values"},
		{"Smart Log for NVME device:nvme0\n", "line 1: nvme-cli smart-log: no NVMe drive in this dump: no values"},
		{"critical_warning : 0\nTemperature Sensor 1 : hot\n", `line 2: nvme-cli smart-log: temperature_sensors_kelvin: "hot": not a number`},
	} {
		_, err := Read(strings.NewReader(tc.text))
		var parse *ParseError
		if !errors.As(err, &parse) || err.Error() != tc.want {
			t.Errorf("got  %v\nwant %s", err, tc.want)
		}
	}
	early := only(t, read(t, "critical_warning : 0\nTemperature Sensor 1 : 0 C\nTemperature Sensor 2 : -1 C\n"))
	if s := smartOf(t, early).TemperatureSensors; s[0] != 0 || s[1] != 272 {
		t.Errorf("sensors %v: 0 C is how early versions print one that does not exist", s)
	}
}
