package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"qd1.example/qd1/nvme"
)

func identifyCase(t *testing.T, kind, file string) caseDrive {
	t.Helper()
	return newCaseDrive(t, map[string]string{kind: file})
}

// TestCase19And20And22Names holds what is shown of serial numbers, models and
// revisions: nothing of it can move the cursor, break a row or break JSON.
func TestCase19And20And22Names(t *testing.T) {
	const bad = "\uFFFD"
	for file, want := range map[string][3]string{
		"19-serial-leading-spaces/idctrl.bin":              {"86AS109TYUVH", "THNSN5512GPU7 TOSHIBA", "57MS4109"},
		"19-serial-leading-spaces/idctrl-nul-padded.bin":   {"ABC123", "MODEL X", "FW000001"},
		"20-strings-with-control-bytes/idctrl-newline.bin": {"0cc47ad37b71-3" + bad, "NVMF-XX-XXX" + bad, "0101" + bad},
		"20-strings-with-control-bytes/idctrl-junk.bin":    {"AB" + bad + bad + "[31m" + bad + bad + `CD"\`, "M" + bad + "odel" + bad, "FW000001"},
		"20-strings-with-control-bytes/idctrl-empty.bin":   {"", "", ""},
		"22-model-with-separator/idctrl.bin":               {"S4EVNX0M123456", "7335943:ICDPC5ED2ORA6.4T", "FW000001"},
		"68-cntlid-versus-instance/idctrl.bin":             {"S4EVNX0M123456", "EXAMPLE NVMe SSD 1TB", "FW000001"},
		"61-usb-bridge/idctrl-bridge.bin":                  {"XXXXXXXXXXXXXXXXXXXX", "Corsair EX400U", "ULFM91.1"},
		"67-per-namespace-smart-label/idctrl-lpa1.bin":     {"S4EVNX0M123456", "EXAMPLE NVMe SSD 1TB", "FW000001"},
		"41-error-log-empty-or-short/idctrl-elpe7.bin":     {"S4EVNX0M123456", "EXAMPLE NVMe SSD 1TB", "FW000001"},
		"46-telemetry-without-offset/idctrl-0a.bin":        {"S4EVNX0M123456", "EXAMPLE NVMe SSD 1TB", "FW000001"},
		"25-nn-many-one-active/idctrl.bin":                 {"S4EVNX0M123456", "EXAMPLE NVMe SSD 1TB", "FW000001"},
	} {
		d := identifyCase(t, "ctrl", file)
		for _, words := range []string{"id ctrl", "list", "report"} {
			v, text := d.tell(t, words)
			for i := 0; i < len(text); i++ {
				if text[i] < ' ' && text[i] != '\n' || text[i] == 0x7F {
					t.Errorf("%s, %s: byte %02x in the text", file, words, text[i])
				}
			}
			if !utf8.ValidString(text) {
				t.Errorf("%s, %s: the text is not UTF-8", file, words)
			}
			from := "drive."
			if words == "list" {
				from = "drives."
			}
			checkValues(t, v, map[string]string{from + "serial": want[0], from + "model": want[1], from + "firmware": want[2]})
		}
	}
}

func TestCase22And23VendorIsNotGuessed(t *testing.T) {
	v, _ := identifyCase(t, "ctrl", "22-model-with-separator/idctrl.bin").tell(t, "id ctrl")
	checkValues(t, v, map[string]string{"identify_controller.vid": "32902", "identify_controller.ssvid": "4238", "drive.marketing_name": "<nil>"})
	v, text := identifyCase(t, "ctrl", "23-oui-byte-order/idctrl.bin").tell(t, "id ctrl")
	checkValues(t, v, map[string]string{"identify_controller.ieee": "0d0800"})
	checkSays(t, text, "IEEE 0d0800")
}

// TestCase25ActiveListAlone holds that inactive namespaces are not asked for and
// not shown: the capture would not know them.
func TestCase25ActiveListAlone(t *testing.T) {
	d := newCaseDrive(t, map[string]string{"ctrl": "25-nn-many-one-active/idctrl.bin", "list": "25-nn-many-one-active/nslist.bin", "ns": "25-nn-many-one-active/idns-nsid1.bin"})
	r, _ := d.tell(t, "report")
	if list, _ := r["namespaces"].([]any); len(list) != 1 {
		t.Errorf("%d namespaces, want 1: %v", len(list), r["namespaces"])
	}
	checkValues(t, r, map[string]string{"namespaces.nsid": "1", "identify_controller.nn": "128", "footprint.refused": "0"})
	d["ns"].Data = casePage(t, "25-nn-many-one-active/idns-nsid2.bin")
	if status, out, _ := run(t.Context(), "id", "ns", d.selector(t)); strings.Contains(out, "0 bytes") {
		t.Errorf("status %d: a page of zeroes is shown as a namespace:\n%s", status, out)
	}
}

// TestCase26OldDrivesAreSilent holds that a drive that is older than lists of
// namespaces is read without them, and without a word about it.
func TestCase26OldDrivesAreSilent(t *testing.T) {
	d := newCaseDrive(t, map[string]string{"ctrl": "26-active-list-unsupported/idctrl.bin", "ns": "26-active-list-unsupported/idns.bin"})
	d["list"].Status, d["list"].Data = 0x4002, nil
	d["descriptors"] = &caseAnswer{Opcode: nvme.AdminIdentify, NSID: 1, CDW10: uint32(nvme.CNSNamespaceDescriptors), Status: 0x4002}
	d["allocated"] = &caseAnswer{Opcode: nvme.AdminIdentify, CDW10: uint32(nvme.CNSAllocatedNamespaces), Status: 0x4002}
	r, text := d.tell(t, "report")
	checkValues(t, r, map[string]string{"namespaces.nsid": "1", "footprint.refused": "0", "namespaces.uuid": "<nil>"})
	checkSays(t, text, "!Invalid Field", "Namespace 1")
}

func TestCase32NoIdentifierIsNull(t *testing.T) {
	v, text := identifyCase(t, "ns", "32-ids-zero-or-duplicate/idns-zero.bin").tell(t, "id ns")
	checkValues(t, v, map[string]string{"namespace.eui64": "<nil>", "namespace.nguid": "<nil>", "namespace.uuid": "<nil>"})
	checkSays(t, text, "!0000000000000000")
	v, _ = identifyCase(t, "ns", "32-ids-zero-or-duplicate/idns-dummy.bin").tell(t, "id ns")
	checkValues(t, v, map[string]string{"namespace.eui64": "efcdab8967452301", "namespace.nguid": "<nil>"})
}

func TestCase34And35SizesAreExact(t *testing.T) {
	for file, want := range map[string]struct{ bytes, text, list string }{
		"34-sizes-over-32-bit/idns.bin": {"8001563222016", "8 001 563 222 016 bytes (8 TB)", "8 TB"},
		"35-tb-versus-tib/idns.bin":     {"281474976710656", "281 474 976 710 656 bytes (281 TB, 256 TiB)", "281 TB"},
	} {
		d := identifyCase(t, "ns", file)
		v, text := d.tell(t, "id ns")
		for _, key := range []string{"size_bytes", "capacity_bytes", "utilization_bytes"} {
			checkValues(t, v, map[string]string{"namespace." + key: want.bytes})
		}
		checkSays(t, text, want.text)
		v, text = d.tell(t, "list")
		checkValues(t, v, map[string]string{"drives.size_bytes": want.bytes})
		checkSays(t, text, want.list)
	}
}

// TestCase37MetadataInTheBlock holds that the size is what the drive says, that
// the block device is said to be of no use, and that a format without metadata is
// named.
func TestCase37MetadataInTheBlock(t *testing.T) {
	d := identifyCase(t, "ns", "37-metadata-extended-lba/idns.bin")
	v, text := d.tell(t, "id ns")
	checkValues(t, v, map[string]string{"namespace.size_bytes": "1920383410176", "namespace.lba_format_index": "2", "namespace.lba_format.metadata_bytes": "16"})
	checkSays(t, text, "metadata stand in each block: Linux shows no block device of use", "format 1 has 4096 bytes without metadata")
}

// TestCase38FormatIndex holds that only the index bits choose the format, and
// that an index that is not in the table is called damage.
func TestCase38FormatIndex(t *testing.T) {
	v, text := identifyCase(t, "ns", "38-flbas-reserved-and-upper-bits/idns-11h.bin").tell(t, "id ns")
	checkValues(t, v, map[string]string{"namespace.lba_format_index": "1", "namespace.lba_format.data_bytes": "4096"})
	checkSays(t, text, "!metadata stand in")
	v, text = identifyCase(t, "ns", "38-flbas-reserved-and-upper-bits/idns-bad-index.bin").tell(t, "id ns")
	checkValues(t, v, map[string]string{"namespace.lba_format_index": "15", "namespace.lba_format.data_bytes": "0"})
	checkSays(t, text, "15: the drive lists only 1 format", "the page is damaged")
}

// TestCase61BridgeIdentify holds that a page with vendor and number of namespaces
// of 0 is shown and nothing is looped over or divided by.
func TestCase61BridgeIdentify(t *testing.T) {
	d := identifyCase(t, "ctrl", "61-usb-bridge/idctrl-bridge.bin")
	delete(d, "ns")
	for _, words := range []string{"id ctrl", "list", "report", "smart"} {
		status, out, msg := run(t.Context(), append(strings.Fields(words), "-o", "json", d.selector(t))...)
		if status != exitDone {
			t.Errorf("%s: status %d: %s", words, status, msg)
		}
		if !json.Valid([]byte(out)) {
			t.Errorf("%s: no JSON: %s", words, out)
		}
	}
}

// TestCase68ControllerIDIsNoName holds that the controller ID is a plain decimal
// number, and that the name of the node does not come from it.
func TestCase68ControllerIDIsNoName(t *testing.T) {
	d := identifyCase(t, "ctrl", "68-cntlid-versus-instance/idctrl.bin")
	v, text := d.tell(t, "id ctrl")
	checkValues(t, v, map[string]string{"identify_controller.cntlid": "33", "drive.controller": "nvme0"})
	checkSays(t, text, "CNTLID 33 Controller ID", "!nvme33")
	_, text = d.tell(t, "report")
	checkSays(t, text, "cntlid 0x21", "!nvme33")
}
