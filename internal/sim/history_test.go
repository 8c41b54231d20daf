package sim

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// lastEvent returns the data of the newest event of a kind.
func lastEvent(t *testing.T, d *Drive, kind uint8) []byte {
	t.Helper()
	for _, e := range d.controller.history.events {
		if e[0] == kind {
			return e[persistentEventBytes:]
		}
	}
	t.Fatalf("no event of kind %d", kind)
	return nil
}

// TestEventData checks the layout of each kind of event.
//
// Source: NVM Express Base Specification, Revision 2.0, Persistent Event Log
// Page, the section of each event.
func TestEventData(t *testing.T) {
	d, now := instantOf(t, nandModern(), nil)
	le := binary.LittleEndian
	*now = now.Add(time.Second)

	powerOn := lastEvent(t, d, nvme.EventPowerOnOrReset)
	if string(powerOn[:8]) != "QD1M0110" || le.Uint32(powerOn[24:]) != 41 || len(powerOn) != 44 {
		t.Errorf("power-on: % x", powerOn)
	}
	accept(t, d, formatCmd(1, 1, eraseUser))
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	want := appendDwords(nil, 1, uint32(nvme.FNACryptoErase), 1|eraseUser<<9)
	if diff := cmp.Diff(want, lastEvent(t, d, nvme.EventFormatStart)); diff != "" {
		t.Errorf("format start (-want +got):\n%s", diff)
	}
	if got := lastEvent(t, d, nvme.EventFormatCompletion); le.Uint32(got) != 1 || len(got) != 12 {
		t.Errorf("format completion: % x", got)
	}
	accept(t, d, createCmd(16, 16, 0))
	change := lastEvent(t, d, nvme.EventChangeNamespace)
	if le.Uint64(change[8:]) != 16 || le.Uint64(change[24:]) != 16 || le.Uint32(change[44:]) != 2 || len(change) != 48 {
		t.Errorf("change namespace: % x", change)
	}
	accept(t, d, deleteCmd(2))
	if change := lastEvent(t, d, nvme.EventChangeNamespace); le.Uint32(change) != 1 || le.Uint32(change[44:]) != 2 {
		t.Errorf("delete namespace: % x", change)
	}
	accept(t, d, sanitizeCmd(actionCrypto))
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	want = appendDwords(nil, sanitizeActions|1<<30, actionCrypto, 0)
	if diff := cmp.Diff(want, lastEvent(t, d, nvme.EventSanitizeStart)); diff != "" {
		t.Errorf("sanitize start (-want +got):\n%s", diff)
	}
	if got := lastEvent(t, d, nvme.EventSanitizeComplete); le.Uint16(got) != 0xFFFF || le.Uint16(got[2:]) != 0x101 || len(got) != 8 {
		t.Errorf("sanitize completion: % x", got)
	}
	download(t, d, image(t, d, "QD1M0200", SubsystemReset))
	reject(t, d, commitCmd(commitReplaceAndReset, 3), nvme.StatusFirmwareNeedsSubsystemReset)
	commit := lastEvent(t, d, nvme.EventFirmwareCommit)
	if string(commit[:16]) != "QD1M0110QD1M0200" || commit[16] != 1 || commit[17] != 3 || commit[18] != 1 || commit[19] != 0x10 || len(commit) != 22 {
		t.Errorf("firmware commit: % x", commit)
	}
	accept(t, d, withData(setCmd(nvme.FIDTimestamp, 0), le.AppendUint64(nil, 5000)))
	if got := lastEvent(t, d, nvme.EventTimestampChange); le.Uint64(got) != 1000 || le.Uint64(got[8:]) != 1000 {
		t.Errorf("timestamp change: % x", got)
	}
	accept(t, d, setCmd(nvme.FIDThermalManagement, 310<<16|350))
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	d.controller.activity.busy.Add(int64(time.Minute))
	*now = now.Add(time.Minute)
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	if got := lastEvent(t, d, nvme.EventThermalExcursion); len(got) != 2 || got[1] != 1 {
		t.Errorf("thermal excursion: % x", got)
	}
	logOf(t, d, nvme.GetLogPage{LID: nvme.LIDTelemetryHost, LSP: createTelemetry}, 512)
	if got := lastEvent(t, d, nvme.EventTelemetryCreated); len(got) != 512 || got[0] != 7 {
		t.Errorf("telemetry created: %d bytes", len(got))
	}
}

// TestNoHistory checks that a drive without the log keeps nothing.
func TestNoHistory(t *testing.T) {
	d, _ := instant(t, nil)
	accept(t, d, formatCmd(1, 0, eraseUser))
	if got := len(d.controller.history.events); got != 0 {
		t.Errorf("a 905P keeps %d events", got)
	}
}
