package sim

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// logOf reads a log page that the drive must have.
func logOf(t testing.TB, d *Drive, g nvme.GetLogPage, bytes int) []byte {
	t.Helper()
	if g.NSID == 0 {
		g.NSID = all
	}
	cmd := g.Command(make([]byte, bytes))
	accept(t, d, cmd)
	return cmd.Data
}

// parameter sets the Log Specific Parameter.
func parameter(lsp uint32) func(*nvme.Command) {
	return func(c *nvme.Command) { c.CDW10 |= lsp << 8 }
}

func TestModernLogRules(t *testing.T) {
	checkRulesOf(t, nandModern, []rule{
		// Get Log Page Command, and the section of each page.
		{"supported pages", logCmd(nvme.LIDSupportedLogs, all, 1024), nvme.StatusSuccess, 0},
		{"changed namespaces", logCmd(nvme.LIDChangedNamespaces, all, 4096), nvme.StatusSuccess, 0},
		{"self-test", logCmd(nvme.LIDSelfTest, all, 564), nvme.StatusSuccess, 0},
		{"sanitize", logCmd(nvme.LIDSanitize, all, 512), nvme.StatusSuccess, 0},
		{"predictable latency", logCmd(nvme.LIDPredictableLatency, all, 512), nvme.StatusInvalidLogPage, 40},
		{"SMART log of a namespace", logCmd(nvme.LIDSMART, 1, 512), nvme.StatusInvalidField, 4},
		// Endurance Group Information Log Page: the LSI is the group.
		{"endurance group", with(logCmd(nvme.LIDEnduranceGroup, all, 512), func(c *nvme.Command) { c.CDW11 = 1 << 16 }), nvme.StatusSuccess, 0},
		{"endurance group 0", logCmd(nvme.LIDEnduranceGroup, all, 512), nvme.StatusInvalidField, 46},
		{"endurance group 2", with(logCmd(nvme.LIDEnduranceGroup, all, 512), func(c *nvme.Command) { c.CDW11 = 2 << 16 }), nvme.StatusInvalidField, 46},
		// Telemetry Host-Initiated Log: multiples of 512 bytes.
		{"telemetry", logCmd(nvme.LIDTelemetryHost, all, 4096), nvme.StatusSuccess, 0},
		{"part of a block of telemetry", logCmd(nvme.LIDTelemetryHost, all, 516), nvme.StatusInvalidField, 42},
		{"telemetry inside a block", with(logCmd(nvme.LIDTelemetryController, all, 512), func(c *nvme.Command) { c.CDW12 = 4 }), nvme.StatusInvalidField, 48},
		// Persistent Event Log Page: the reporting context.
		{"persistent events without a context", logCmd(nvme.LIDPersistentEvent, all, 512), nvme.StatusCommandSequenceError, 41},
		{"persistent events with one", with(logCmd(nvme.LIDPersistentEvent, all, 512), parameter(persistentEstablish)), nvme.StatusSuccess, 0},
		{"release of no context", with(logCmd(nvme.LIDPersistentEvent, all, 512), parameter(persistentRelease)), nvme.StatusSuccess, 0},
	})
}

// TestLPA checks that a page needs its bit of Log Page Attributes.
func TestLPA(t *testing.T) {
	for lid, bit := range map[nvme.LID]nvme.LPA{
		nvme.LIDSupportedLogs: nvme.LPASupportedLogs, nvme.LIDCommandsEffects: nvme.LPACommandsEffects,
		nvme.LIDTelemetryHost: nvme.LPATelemetry, nvme.LIDTelemetryController: nvme.LPATelemetry,
		nvme.LIDPersistentEvent: nvme.LPAPersistentEvent,
	} {
		d := modern(t, func(p *personality) { p.identify.LPA &^= bit })
		reject(t, d, with(logCmd(lid, all, 512), parameter(1)), nvme.StatusInvalidLogPage)
	}
	d := modern(t, func(p *personality) { p.identify.LPA |= nvme.LPASMARTPerNamespace })
	accept(t, d, logCmd(nvme.LIDSMART, 1, 512))
	reject(t, d, logCmd(nvme.LIDSMART, 2, 512), nvme.StatusInvalidField)
}

func TestSupportedLogs(t *testing.T) {
	d := modern(t, nil)
	page := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDSupportedLogs}, 1024)
	for lid := range 256 {
		cmd := with(logCmd(nvme.LID(lid), all, 512), func(c *nvme.Command) { c.CDW10 |= 1 << 8; c.CDW11 = 1 << 16 })
		there := submit(t, modern(t, nil), cmd).Status.Code() != nvme.StatusInvalidLogPage
		if says := page[lid*4]&1 != 0; says != there {
			t.Errorf("page %02Xh: supported %v, says %v", lid, there, says)
		}
	}
}

func TestTelemetry(t *testing.T) {
	d := modern(t, nil)
	head := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDTelemetryHost}, 512)
	if head[0] != 7 || binary.LittleEndian.Uint16(head[12:]) != 0 || head[381] != 0 {
		t.Errorf("header before creation: LID %d, last block %d, generation %d", head[0], head[12], head[381])
	}
	create := nvme.GetLogPage{LID: nvme.LIDTelemetryHost, LSP: createTelemetry}
	head = logOf(t, d, create, 512)
	if binary.LittleEndian.Uint16(head[8:]) != 8 || binary.LittleEndian.Uint16(head[12:]) != 128 || head[381] != 1 {
		t.Errorf("header after creation: % x, generation %d", head[8:14], head[381])
	}
	const whole = 129 * 512
	first := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDTelemetryHost}, whole)
	part := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDTelemetryHost, Offset: 1024}, 4096)
	if !bytes.Equal(first[1024:1024+4096], part) {
		t.Error("a part at an offset differs from the whole")
	}
	if zero, _ := nvme.IsBlankPage(first[whole-512:]); zero {
		t.Error("the last block has no data")
	}
	logOf(t, d, create, 512)
	if second := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDTelemetryHost}, whole); bytes.Equal(first, second) {
		t.Error("new telemetry data are the old ones")
	}
	if head := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDTelemetryController}, 512); head[0] != 8 {
		t.Errorf("LID %d, want 8", head[0])
	}
}

func TestEnduranceGroup(t *testing.T) {
	d := modern(t, nil)
	var log nvme.EnduranceGroupLog
	if err := log.UnmarshalBinary(logOf(t, d, nvme.GetLogPage{LID: nvme.LIDEnduranceGroup, LSI: 1}, 512)); err != nil {
		t.Fatal(err)
	}
	want := nvme.EnduranceGroupLog{
		AvailableSpare: 100, AvailableSpareThreshold: 10, PercentageUsed: 1,
		EnduranceEstimate: nvme.U128(600_000), DataUnitsRead: nvme.U128(5230), DataUnitsWritten: nvme.U128(6198),
		MediaUnitsWritten: nvme.U128(8057), HostReadCommands: nvme.U128(151_020_331), HostWriteCommands: nvme.U128(201_448_120),
		TotalCapacity: nvme.U128(modernBytes), UnallocatedCapacity: nvme.U128(modernBytes - modernFirst),
	}
	if diff := cmp.Diff(want, log, cmp.AllowUnexported(nvme.EnduranceGroupLog{})); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// persistentLog reads the Persistent Event log in the way of a host, and
// returns its header and the types of its events.
func persistentLog(t *testing.T, d *Drive) (nvme.PersistentEventHeader, []uint8) {
	t.Helper()
	var h nvme.PersistentEventHeader
	head := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDPersistentEvent, LSP: persistentEstablish}, 512)
	if err := h.UnmarshalBinary(head); err != nil {
		t.Fatal(err)
	}
	page := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDPersistentEvent}, int(h.Bytes+3)/4*4)[:h.Bytes]
	logOf(t, d, nvme.GetLogPage{LID: nvme.LIDPersistentEvent, LSP: persistentRelease}, 512)
	var types []uint8
	for page = page[512:]; len(page) > 0; {
		var e nvme.PersistentEvent
		if err := e.UnmarshalBinary(page); err != nil {
			t.Fatal(err)
		}
		types = append(types, e.Type)
		page = page[int(e.HeaderBytes)+3+int(e.EventBytes):]
	}
	return h, types
}

func TestPersistentEvents(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, &nvme.Command{Opcode: nvme.AdminFormatNVM, NSID: 1, CDW10: eraseUser << 9})
	h, types := persistentLog(t, d)
	want := []uint8{nvme.EventSMARTSnapshot, nvme.EventFormatCompletion, nvme.EventFormatStart, nvme.EventPowerOnOrReset}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("events, newest first (-want +got):\n%s", diff)
	}
	if int(h.Events) != len(types) || h.Generation != 1 || h.SerialNumber.String() != "QD1SIMNANDMODERN0001" || h.PowerOnHours != nvme.U128(1310) {
		t.Errorf("header %+v", h)
	}
	for _, kind := range types {
		if h.Supported[kind/8]>>(kind%8)&1 == 0 {
			t.Errorf("event %d is not in the bitmap", kind)
		}
	}
}

func TestPersistentContext(t *testing.T) {
	d := modern(t, nil)
	establish := nvme.GetLogPage{LID: nvme.LIDPersistentEvent, LSP: persistentEstablish}
	before := logOf(t, d, establish, 512)
	// A second context, and what happens to the log meanwhile.
	reject(t, d, with(logCmd(nvme.LIDPersistentEvent, all, 512), parameter(persistentEstablish)), nvme.StatusCommandSequenceError)
	reject(t, d, with(logCmd(nvme.LIDPersistentEvent, all, 512), parameter(persistentHeader)), nvme.StatusCommandSequenceError)
	accept(t, d, &nvme.Command{Opcode: nvme.AdminFormatNVM, NSID: 1})
	if got := logOf(t, d, nvme.GetLogPage{LID: nvme.LIDPersistentEvent}, 512); !bytes.Equal(got, before) {
		t.Error("the log changed within a reporting context")
	}
	d.Reset()
	reject(t, d, logCmd(nvme.LIDPersistentEvent, all, 512), nvme.StatusCommandSequenceError)
	logOf(t, d, nvme.GetLogPage{LID: nvme.LIDPersistentEvent, LSP: persistentHeader}, 512)
}

// TestHistoryIsBounded checks that events do not grow without end.
func TestHistoryIsBounded(t *testing.T) {
	d := modern(t, nil)
	for range maxHistory {
		accept(t, d, &nvme.Command{Opcode: nvme.AdminFormatNVM, NSID: 1})
	}
	if _, types := persistentLog(t, d); len(types) != maxHistory {
		t.Errorf("%d events, want %d", len(types), maxHistory)
	}
}

func TestChangedNamespaces(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, &nvme.Command{Opcode: nvme.AdminFormatNVM, NSID: 1})
	keep := nvme.GetLogPage{LID: nvme.LIDChangedNamespaces, KeepEvent: true}
	for _, tc := range []struct {
		name string
		req  nvme.GetLogPage
		want uint32
	}{
		{"event kept", keep, 1},
		{"event kept again", nvme.GetLogPage{LID: nvme.LIDChangedNamespaces}, 1},
		{"event cleared", keep, 0},
	} {
		if got := binary.LittleEndian.Uint32(logOf(t, d, tc.req, 4096)); got != tc.want {
			t.Errorf("%s: first NSID %d, want %d", tc.name, got, tc.want)
		}
	}
	for nsid := range nvme.NSID(1025) {
		d.controller.noteChanged(nsid + 1)
	}
	page := logOf(t, d, keep, 4096)
	if first, second := binary.LittleEndian.Uint32(page), binary.LittleEndian.Uint32(page[4:]); first != 0xFFFFFFFF || second != 0 {
		t.Errorf("1025 changes: list %#x, %#x, want FFFFFFFFh alone", first, second)
	}
}

// TestThermalCounters checks the counters of a drive that gets too hot, and
// that it gets slower.
func TestThermalCounters(t *testing.T) {
	d, now := instantOf(t, throttling(), nil)
	before := smartLog(t, d)
	*now = now.Add(2 * time.Minute)
	d.controller.activity.busy.Add(int64(2 * time.Minute))
	hot := smartLog(t, d)
	if hot.CompositeTemperature < 348 || hot.TMT1Transitions <= before.TMT1Transitions || hot.TMT1Time+hot.TMT2Time <= before.TMT1Time {
		t.Errorf("after two minutes of load %d K, %d transitions in %d s, before %d in %d s",
			hot.CompositeTemperature, hot.TMT1Transitions, hot.TMT1Time, before.TMT1Transitions, before.TMT1Time)
	}
	if hot.TemperatureSensors[1]-hot.CompositeTemperature != 8 {
		t.Errorf("sensors %v do not follow the composite temperature %d", hot.TemperatureSensors, hot.CompositeTemperature)
	}
	if got := d.medium.slow.Load(); got < 2 {
		t.Errorf("the hot drive is %d times slower", got)
	}
	*now = now.Add(2 * time.Minute)
	cool := smartLog(t, d)
	if cool.CompositeTemperature != before.CompositeTemperature || d.medium.slow.Load() != 1 {
		t.Errorf("after a rest %d K and %d times slower", cool.CompositeTemperature, d.medium.slow.Load())
	}
}

func TestWear(t *testing.T) {
	d := modern(t, func(p *personality) { p.enduranceBytes = 100 * 4096 })
	for i := range 3 {
		accept(t, d, writeCmd(uint64(i)*8, 8, 1))
	}
	if got := smartLog(t, d).PercentageUsed; got != 4 {
		t.Errorf("%d %% used after 3 %% more, want 4", got)
	}
	d.controller.activity.bytesWritten.Store(1 << 40)
	if got := smartLog(t, d).PercentageUsed; got != 255 {
		t.Errorf("%d %% used, want 255 as the most", got)
	}
}
