package sim

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// telemetryPart reads bytes of a telemetry log at an offset into b.
func telemetryPart(t *testing.T, d *Drive, lid nvme.LID, offset uint64, b []byte) nvme.Status {
	t.Helper()
	done, err := d.Submit(t.Context(), nvme.GetLogPage{LID: lid, NSID: nvme.BroadcastNSID, Offset: offset, KeepEvent: true}.Command(b))
	if err != nil {
		t.Fatal(err)
	}
	return done.Status.Code()
}

func openFaulty(t *testing.T, profile, script string) *Drive {
	t.Helper()
	d, err := Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	f, err := ParseFaults(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	d.WithFaults(f)
	return d
}

// TestTelemetrySizes checks how bytes are divided among the data areas.
func TestTelemetrySizes(t *testing.T) {
	for bytes, want := range map[int64][4]int{
		512: {1, 1, 1}, 8 << 10: {1, 4, 16}, 33_553_920: {4096, 16384, 65535}, 33_554_432: {4095, 16383, 65535, 65536}, 37_000_192: {4095, 16383, 65535, 72266},
	} {
		if got := divideTelemetry(bytes); got != want {
			t.Errorf("%d bytes: %v, want %v", bytes, got, want)
		}
	}
	for _, bad := range []string{"0", "511", "x", "-512", "1e9", "99999999999"} {
		if _, err := Open("nand-modern?telemetry=" + bad); err == nil {
			t.Errorf("telemetry=%s was taken", bad)
		}
	}
}

// TestTelemetryParameter holds that a drive with the parameter lists what it has,
// also one that had no telemetry.
func TestTelemetryParameter(t *testing.T) {
	for _, profile := range []string{"nand-modern?telemetry=40000000", "fake?telemetry=40000000"} {
		d := openFaulty(t, profile, "")
		want := nvme.LPATelemetry | nvme.LPAExtendedData | nvme.LPATelemetryArea4
		if lpa := d.controller.id.LPA; lpa&want != want {
			t.Errorf("%s: LPA %#x", profile, lpa)
		}
		b := make([]byte, 512)
		if s := telemetryPart(t, d, nvme.LIDTelemetryController, 0, b); s != nvme.StatusSuccess || b[382] != 1 || b[383] != 1 || binary.LittleEndian.Uint32(b[16:]) != 78125 {
			t.Errorf("%s: status %v, header % x, available %d, generation %d", profile, s, b[:20], b[382], b[383])
		}
	}
}

// TestLongHeader holds that the header alone lies: behind the true end nothing is
// sent, and what lies further back is refused.
func TestLongHeader(t *testing.T) {
	d := openFaulty(t, "nand-modern?telemetry=8192", `{"when":{"log_id":8},"do":"long-header","count":5}`)
	b := bytes.Repeat([]byte{0xEE}, 512)
	telemetryPart(t, d, nvme.LIDTelemetryController, 0, b)
	if got := binary.LittleEndian.Uint16(b[12:]); got != 16+5 {
		t.Errorf("last block of area 3: %d, want 21", got)
	}
	if binary.LittleEndian.Uint32(b[16:]) != 0 {
		t.Error("an area that there is not became longer")
	}
	for offset, want := range map[uint64]nvme.Status{17 * 512: nvme.StatusSuccess, 18 * 512: nvme.StatusInvalidField} {
		copy(b, "untouched")
		if s := telemetryPart(t, d, nvme.LIDTelemetryController, offset, b); s != want || !bytes.HasPrefix(b, []byte("untouched")) {
			t.Errorf("offset %d: status %v, bytes % x", offset, s, b[:9])
		}
	}
}

func TestNewTelemetry(t *testing.T) {
	d := openFaulty(t, "nand-modern?telemetry=8192", `{"when":{"log_id":8,"after_count":2},"do":"new-telemetry","times":1}`)
	before, after := make([]byte, 8192), make([]byte, 8192)
	telemetryPart(t, d, nvme.LIDTelemetryController, 0, before)
	telemetryPart(t, d, nvme.LIDTelemetryController, 0, after)
	if !bytes.Equal(before, after) {
		t.Error("the data changed by themselves")
	}
	telemetryPart(t, d, nvme.LIDTelemetryController, 0, after)
	if after[383] != before[383]+1 || bytes.Equal(before[512:], after[512:]) {
		t.Errorf("generation %d after %d, or the same data", after[383], before[383])
	}
}

func TestTelemetryFaultLines(t *testing.T) {
	for _, line := range []string{`{"do":"long-header"}`, `{"do":"long-header","count":70000}`} {
		if _, err := ParseFaults(strings.NewReader(line)); err == nil {
			t.Errorf("%s was taken", line)
		}
	}
}
