package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// TestCase40HarmlessEntries holds that refused commands are counted and called
// harmless, and are no reason to return a drive.
func TestCase40HarmlessEntries(t *testing.T) {
	d := newCaseDrive(t, map[string]string{"smart": "40-error-counter-harmless/smart.bin", "errors": "40-error-counter-harmless/errlog.bin"})
	v, text := d.tell(t, "errors")
	checkValues(t, v, map[string]string{"errors.groups.category": "command", "errors.groups.entries": "2", "errors.entries.status_text": "Invalid Field in Command", "errors.triage.media": "0"})
	checkSays(t, text, "harmless", "Invalid Field in Command")
	r, _ := d.tell(t, "report")
	if rules := rulesOf(r); strings.Contains(rules, "return ") || strings.Contains(rules, "note error") {
		t.Errorf("verdict %v: %s", at(r, "verdict.level"), rules)
	}
	checkValues(t, r, map[string]string{"footprint.refused": "0", "footprint.error_log_entries_added": "0"})
}

// TestCase40KindsOfEntries holds for each status of the kind whether it is a
// refusal or a fault.
func TestCase40KindsOfEntries(t *testing.T) {
	for status, want := range map[nvme.Status]string{
		0x001: "command", 0x002: "command", 0x109: "command",
		0x281: "media", 0x280: "media", 0x282: "media",
		0x004: "transport", 0x006: "internal",
	} {
		d := newCaseDrive(t, map[string]string{"errors": "40-error-counter-harmless/errlog.bin"})
		binary.LittleEndian.PutUint16(d["errors"].Data[12:], uint16(status)<<1)
		clear(d["errors"].Data[64:])
		v, _ := d.tell(t, "errors")
		got := fmt.Sprint(at(v, "errors.groups.category"))
		if harmless := got == "command"; harmless != (want == "command") || want == "media" && got != "media" {
			t.Errorf("status %03x: category %s, want %s", uint16(status), got, want)
		}
	}
}

func TestCase41EmptyAndShortErrorLogs(t *testing.T) {
	v, text := newCaseDrive(t, map[string]string{"errors": "41-error-log-empty-or-short/errlog-zero.bin"}).tell(t, "errors")
	checkValues(t, v, map[string]string{"errors.entries": "[]"})
	checkSays(t, text, "no entries (many drives lose them when power goes; the counter in the SMART log stays)", "!Success")
	d := newCaseDrive(t, map[string]string{"ctrl": "41-error-log-empty-or-short/idctrl-elpe7.bin", "errors": "41-error-log-empty-or-short/errlog-8.bin"})
	v, _ = d.tell(t, "errors")
	if list, _ := at(v, "errors.entries").([]any); len(list) != 1 {
		t.Errorf("%d entries, want 1 of 8", len(list))
	}
}

// TestCase43StatusInWords holds that a status is shown by name and in
// hexadecimal without the bits that are no part of it.
func TestCase43StatusInWords(t *testing.T) {
	d := newCaseDrive(t, map[string]string{"errors": "40-error-counter-harmless/errlog.bin"})
	clear(d["errors"].Data[64:])
	for field, want := range map[uint16]struct{ text, json, code string }{
		0x2109 << 1:   {"Invalid Log Page (0x109)", "8457", "265"},
		0x6002<<1 | 1: {"Invalid Field in Command (0x002)", "24578", "2"},
		0xc502:        {"Unrecovered Read Error (0x281)", "25217", "641"},
	} {
		binary.LittleEndian.PutUint16(d["errors"].Data[12:], field)
		v, text := d.tell(t, "errors")
		checkValues(t, v, map[string]string{"errors.entries.status": want.json, "errors.groups.status_code": want.code})
		checkSays(t, text, want.text)
	}
	d["smart"].Status, d["smart"].Data = 0x2109, nil
	status, _, msg := run(t.Context(), "smart", d.selector(t))
	if status != exitFailed || !strings.Contains(msg, "Invalid Log Page") || !strings.Contains(msg, "0x109") || strings.Contains(msg, "8457") {
		t.Errorf("status %d: %s", status, msg)
	}
}

// TestCase46TelemetryWithoutOffset holds that a drive without offsets of log
// pages is not asked for a second part, and that it is said.
func TestCase46TelemetryWithoutOffset(t *testing.T) {
	for _, file := range []string{"idctrl-0a.bin", "idctrl-08.bin"} {
		d := newCaseDrive(t, map[string]string{"ctrl": "46-telemetry-without-offset/" + file})
		log := make([]byte, 512+200*512)
		log[0] = byte(nvme.LIDTelemetryController)
		for i, last := range []uint16{10, 20, 200} {
			binary.LittleEndian.PutUint16(log[8+2*i:], last)
		}
		d["telemetry"] = &caseAnswer{Opcode: nvme.AdminGetLogPage, NSID: nvme.BroadcastNSID, CDW10: uint32(nvme.LIDTelemetryController), Data: log}
		out := filepath.Join(t.TempDir(), "t.bin")
		status, _, msg := run(t.Context(), "log", "telemetry-controller", "--file", out, d.selector(t))
		if status == exitDone || !strings.Contains(msg, "offset") {
			t.Errorf("%s: status %d: %s", file, status, msg)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a log that cannot be read whole has its full name", file)
		}
		clear(log[8:14])
		status, _, msg = run(t.Context(), "log", "telemetry-controller", "--file", out, d.selector(t))
		if status != exitFailed || !strings.Contains(msg, "has no telemetry data") {
			t.Errorf("%s without areas: status %d: %s", file, status, msg)
		}
	}
}

// TestCase47OptionalLogIsMissing holds that a page that the drive does not have
// leaves the others as they are.
func TestCase47OptionalLogIsMissing(t *testing.T) {
	d := newCaseDrive(t, map[string]string{"smart": "47-vendor-or-optional-log-missing/smart.bin"})
	d["errors"].Status, d["errors"].Data = nvme.StatusInvalidLogPage, nil
	r, text := d.tell(t, "report")
	checkValues(t, r, map[string]string{"errors.error.kind": "status", "smart.power_cycles": "12"})
	checkSays(t, text, "SMART / Health log", "Invalid Log Page")
	v, _ := d.tell(t, "smart")
	checkValues(t, v, map[string]string{"smart.power_cycles": "12"})
}

func TestCase49SlotsInWords(t *testing.T) {
	for file, want := range map[string]struct {
		values map[string]string
		says   []string
	}{
		"fwlog-11.bin": {map[string]string{"firmware.active_slot": "1", "firmware.next_slot": "1"},
			[]string{"running from slot 1", "slot 1 GPNA4B3Q", "slot 2 empty", "slot 3 empty", "!slot 4", "!slot 0"}},
		"fwlog-21-pending.bin": {map[string]string{"firmware.active_slot": "1", "firmware.next_slot": "2"},
			[]string{"running from slot 1", "after a reset slot 2", "slot 2 GPNA4B5Q", "slot 3 empty"}},
		"fwlog-zero.bin": {map[string]string{"firmware.active_slot": "<nil>", "firmware.next_slot": "<nil>"},
			[]string{"running from a slot that is not reported", "!slot 0", "slot 1 empty"}},
	} {
		d := newCaseDrive(t, map[string]string{"ctrl": "49-fw-log-slots/idctrl.bin", "slots": "49-fw-log-slots/" + file})
		v, text := d.tell(t, "firmware info")
		checkValues(t, v, want.values)
		checkValues(t, v, map[string]string{"firmware.update.slots": "3", "firmware.update.slot1_read_only": "true"})
		checkSays(t, text, append(want.says, "slot 1 is read-only")...)
		b, err := json.Marshal(at(v, "firmware.slots"))
		if err != nil || strings.Contains(string(b), `"slot":0`) || strings.Contains(string(b), `"slot":4`) {
			t.Errorf("%s: slots %s, %v", file, b, err)
		}
	}
}
