package sim

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestPowerCycles checks what counts as a power cycle and what as an unsafe
// shutdown.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page.
func TestPowerCycles(t *testing.T) {
	for _, tc := range []struct {
		name           string
		do             func(*Drive)
		cycles, unsafe uint64
	}{
		{"controller reset", (*Drive).Reset, 0, 0},
		{"subsystem reset", (*Drive).SubsystemReset, 0, 0},
		{"loss of power", (*Drive).PowerCycle, 1, 1},
		{"shutdown and power cycle", func(d *Drive) { d.Shutdown(); d.PowerCycle() }, 1, 0},
		{"shutdown, reset, loss of power", func(d *Drive) { d.Shutdown(); d.Reset(); d.PowerCycle() }, 1, 1},
		{"two cycles after one shutdown", func(d *Drive) { d.Shutdown(); d.PowerCycle(); d.PowerCycle() }, 2, 1},
	} {
		d, _ := instant(t, nil)
		tc.do(d)
		s := smartLog(t, d)
		if s.PowerCycles.Lo-3 != tc.cycles || s.UnsafeShutdowns.Lo != tc.unsafe {
			t.Errorf("%s: %d cycles, %d unsafe, want %d and %d", tc.name, s.PowerCycles.Lo-3, s.UnsafeShutdowns.Lo, tc.cycles, tc.unsafe)
		}
	}
}

// events returns the events that wait.
func events(d *Drive) []Event {
	var all []Event
	for {
		select {
		case e := <-d.Events():
			all = append(all, e)
		default:
			return all
		}
	}
}

// TestEvents checks which events are reported, and when again.
//
// Source: NVM Express Base Specification, Revision 2.0, Asynchronous Event
// Request command, Asynchronous Event Configuration.
func TestEvents(t *testing.T) {
	hot := setCmd(nvme.FIDTemperatureThreshold, 310)
	cool := setCmd(nvme.FIDTemperatureThreshold, 350)
	configure := func(bits uint32) *nvme.Command { return setCmd(nvme.FIDAsynchronousEvents, bits) }
	temperature := Event{eventSMART, infoTemperature, nvme.LIDSMART}
	changed := Event{eventNotice, infoNamespaceChanged, nvme.LIDChangedNamespaces}
	activation := Event{eventNotice, infoFirmwareActivation, nvme.LIDFirmwareSlot}
	sanitized := Event{eventIOCommand, infoSanitizeCompleted, nvme.LIDSanitize}
	read := func(lid nvme.LID) *nvme.Command { return logCmd(lid, all, 512) }
	keep := func(lid nvme.LID) *nvme.Command { return with(read(lid), parameter(0x80)) }
	look := identifyCmd(nvme.CNSController, 0)
	for _, tc := range []struct {
		name string
		cmds []*nvme.Command
		want []Event
	}{
		{"nothing is asked for", []*nvme.Command{hot, look, formatCmd(1, 0, 1), commitCmd(commitNow, 1), look}, nil},
		{"temperature", []*nvme.Command{configure(2), hot, look, look}, []Event{temperature}},
		{"temperature, another bit", []*nvme.Command{configure(0xFD), hot, look, look}, nil},
		{"temperature twice, not read", []*nvme.Command{configure(2), hot, look, cool, look, hot, look}, []Event{temperature}},
		{"temperature twice, read", []*nvme.Command{configure(2), hot, look, read(nvme.LIDSMART), cool, look, hot, look}, []Event{temperature, temperature}},
		{"temperature twice, kept", []*nvme.Command{configure(2), hot, look, keep(nvme.LIDSMART), cool, look, hot, look}, []Event{temperature}},
		{"namespace attribute", []*nvme.Command{configure(reportNamespaceChanged), formatCmd(1, 0, 1), look}, []Event{changed}},
		{"attachment", []*nvme.Command{configure(reportNamespaceChanged), attachCmd(1, 1, 1, 0)}, []Event{changed}},
		{"firmware activation", []*nvme.Command{configure(reportFirmwareActivation), commitCmd(commitNow, 1)}, []Event{activation}},
		{"sanitize", []*nvme.Command{sanitizeCmd(actionBlock), look}, []Event{sanitized}},
		{"sanitize twice", []*nvme.Command{sanitizeCmd(actionBlock), look, sanitizeCmd(actionBlock), look}, []Event{sanitized, sanitized}},
	} {
		d := modern(t, nil)
		for _, cmd := range tc.cmds {
			accept(t, d, cmd)
		}
		if diff := cmp.Diff(tc.want, events(d)); diff != "" {
			t.Errorf("%s: events (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestEventsAreBounded checks that events that nobody takes cost no memory.
func TestEventsAreBounded(t *testing.T) {
	d := modern(t, nil)
	for range 3 * maxEvents {
		accept(t, d, sanitizeCmd(actionBlock))
		accept(t, d, identifyCmd(nvme.CNSController, 0))
	}
	if got := len(events(d)); got != maxEvents {
		t.Errorf("%d events wait, want %d", got, maxEvents)
	}
}

func TestEventResult(t *testing.T) {
	if got := (Event{eventIOCommand, infoSanitizeCompleted, nvme.LIDSanitize}).Result(); got != 0x810106 {
		t.Errorf("result %#x, want 810106h", got)
	}
}

// TestEventRequest checks Asynchronous Event Request, and that an operation's
// end is reported without any command.
func TestEventRequest(t *testing.T) {
	d := open(t, "nand-modern?speed=1000000")
	request := &nvme.Command{Opcode: nvme.AdminAsynchronousEventRequest}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := d.Submit(ctx, request); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without an event: %v, want the end of the context", err)
	}
	accept(t, d, sanitizeCmd(actionBlock))
	if got := accept(t, d, request).Result; got != 0x810106 {
		t.Errorf("result %#x, want 810106h", got)
	}
}

// TestResetClearsEvents checks that a reset drops events and unmasks them.
func TestResetClearsEvents(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, sanitizeCmd(actionBlock))
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	d.Reset()
	if got := events(d); got != nil {
		t.Errorf("events after a reset: %v", got)
	}
}

func TestBegin(t *testing.T) {
	d := open(t, "optane-905p?read_latency=50ms")
	read := ioCmd(nvme.IORead, 1, 0, 8, 4096)
	c, ready := d.Begin(read)
	if wait := time.Until(ready); c.Status != 0 || wait < 20*time.Millisecond || wait > 300*time.Millisecond {
		t.Errorf("%v, ready in %v, want about 50 ms", c.Status, wait)
	}
	if zero, _ := nvme.IsBlankPage(read.Data); zero {
		t.Error("no data came")
	}
	if _, ready := d.Begin(identifyCmd(nvme.CNSController, 0)); !ready.IsZero() {
		t.Errorf("Identify is ready at %v, want at once", ready)
	}
}

// TestScripted checks which drives need Submit for every command.
func TestScripted(t *testing.T) {
	for profile, want := range map[string]bool{
		"optane-905p": false, "nand-modern?speed=10": false, "dead": true, "optane-905p?silent=admin": true, "optane-905p?silent=io": true,
	} {
		if got := open(t, profile).Scripted(); got != want {
			t.Errorf("%s: scripted %v, want %v", profile, got, want)
		}
	}
}
