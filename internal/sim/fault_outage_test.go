package sim

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// openWith opens a drive in real time, with a script.
func openWith(t testing.TB, profile, script string) *Drive {
	t.Helper()
	d := open(t, profile)
	f, err := ParseFaults(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	d.WithFaults(f)
	return d
}

// TestOutageMidway lets a format that takes a second be ended in the middle, and
// checks what the drive is like afterwards: what is erased, and what its
// counters say. A command that waits for the format ends with it.
func TestOutageMidway(t *testing.T) {
	for _, tc := range []struct {
		do             string
		want           error
		cycles, unsafe uint64
	}{
		{"reset", ErrReset, 0, 0}, {"power-loss", ErrPowerLoss, 1, 1},
	} {
		d := openWith(t, "optane-905p?speed=436&size=2097152", `{"do":"`+tc.do+`","percent":50,"times":1}`)
		before := survey(t, d)
		accept(t, d, setCmd(nvme.FIDArbitration, 3))
		format := make(chan error, 1)
		begin := time.Now()
		go func() { _, err := d.Submit(t.Context(), formatCmd(1, 0, eraseUser)); format <- err }()
		for !d.controller.spaces.Load().busy && len(format) == 0 {
			time.Sleep(time.Millisecond)
		}
		if _, err := d.Submit(t.Context(), identifyCmd(nvme.CNSController, 0)); !errors.Is(err, tc.want) {
			t.Errorf("%s: a command that waits for the format: %v", tc.do, err)
		}
		err := <-format
		if took := time.Since(begin); took < 400*time.Millisecond || !errors.Is(err, tc.want) {
			t.Errorf("%s: %v after %v", tc.do, err, took)
		}
		if got := unchanged(before, survey(t, d)); len(got) != smallPages/2 || got[0] != smallPages/2 {
			t.Errorf("%s: %d pages are left, want the second half", tc.do, len(got))
		}
		if s := smartLog(t, d); s.PowerCycles.Lo-3 != tc.cycles || s.UnsafeShutdowns.Lo != tc.unsafe {
			t.Errorf("%s: %d power cycles, %d unsafe", tc.do, s.PowerCycles.Lo-3, s.UnsafeShutdowns.Lo)
		}
		if got := accept(t, d, getCmd(nvme.FIDArbitration, 0, 0)).Result; got != 7 {
			t.Errorf("%s: the controller was not reset", tc.do)
		}
		accept(t, d, formatCmd(1, 0, eraseUser))
		if left := unchanged(before, survey(t, d)); len(left) != 0 {
			t.Errorf("%s: a second format leaves %d pages", tc.do, len(left))
		}
	}
}

// TestOutageOfSanitize has an outage while no command is under way: the next
// one meets it. The operation goes on.
func TestOutageOfSanitize(t *testing.T) {
	d := openWith(t, "nand-modern?speed=1000&size=2097152", `{"do":"power-loss","percent":50,"times":1}`)
	accept(t, d, sanitizeCmd(actionBlock)) // 30 ms.
	var met error
	for met == nil {
		_, met = d.Submit(t.Context(), logCmd(nvme.LIDSanitize, all, 512))
		time.Sleep(5 * time.Millisecond)
	}
	if !errors.Is(met, ErrPowerLoss) {
		t.Errorf("%v, want a loss of power", met)
	}
	for sanitizeLog(t, d).Status.State() == nvme.SanitizeInProgress {
		time.Sleep(5 * time.Millisecond)
	}
	if got := sanitizeLog(t, d).Status.State(); got != nvme.SanitizeCompleted {
		t.Errorf("state %d, want completed", got)
	}
	if s := smartLog(t, d); s.PowerCycles.Lo != 42 {
		t.Errorf("%d power cycles, want one more", s.PowerCycles.Lo)
	}
}

// TestOutageNeedsErase checks that a command that is refused has no outage, nor
// has one that does not erase.
func TestOutageNeedsErase(t *testing.T) {
	d := openWith(t, "optane-905p?size=2097152", `{"do":"ghost","percent":1}`)
	reject(t, d, formatCmd(1, 1, eraseUser), nvme.StatusInvalidFormat)
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	if m := identityOf(t, d).ModelNumber.String(); m == GhostModel {
		t.Errorf("the drive is a %s", m)
	}
	d.Close()
	if _, err := d.Submit(t.Context(), identifyCmd(nvme.CNSController, 0)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestGhost checks what comes back after a format that lost its power.
func TestGhost(t *testing.T) {
	for _, profile := range []Profile{optane905P(), nandModern(), optane905PMediaErrors()} {
		for _, percent := range []string{"0", "40"} {
			d, _ := liar(t, profile, `{"when":{"opcode":128},"do":"ghost","percent":`+percent+`,"times":1}`, nil)
			serial := identityOf(t, d).SerialNumber
			accept(t, d, writeCmd(0, 8, 7))
			if _, err := d.Submit(t.Context(), formatCmd(1, 0, eraseUser)); !errors.Is(err, ErrPowerLoss) {
				t.Fatalf("%s: %v", profile.Name, err)
			}
			checkGhost(t, d, serial)
			d.PowerCycle()
			d.Reset()
			checkGhost(t, d, serial)
			_, links := d.Sysfs()
			if links["class/block/nvme0n1"] == "" {
				t.Errorf("%s: the ghost has no block device", profile.Name)
			}
		}
	}
}

func checkGhost(t *testing.T, d *Drive, serial nvme.ASCII20) {
	t.Helper()
	id := identityOf(t, d)
	if id.ModelNumber.String() != GhostModel || id.SerialNumber != serial || id.OACS != 0 || id.NN != 1 || id.SANICAP != 0 {
		t.Errorf("model %q, serial %q, OACS %#x, NN %d", id.ModelNumber, id.SerialNumber, id.OACS, id.NN)
	}
	if n := namespaceOf(t, d, 1); n.NSZE*512 != ghostBytes || d.Size() != ghostBytes {
		t.Errorf("%d blocks, size %d", n.NSZE, d.Size())
	}
	s := smartLog(t, d)
	if s.CompositeTemperature != 0 || s.CriticalWarning != 0 || s.PowerOnHours.Hi == 0 || s.DataUnitsWritten.Hi == 0 {
		t.Errorf("SMART log %+v", s)
	}
	for _, cmd := range []*nvme.Command{formatCmd(1, 0, eraseUser), sanitizeCmd(actionBlock), receiveCmd(0, 0), createCmd(8, 8, 0)} {
		reject(t, d, cmd, nvme.StatusInvalidOpcode)
	}
	reject(t, d, logCmd(nvme.LIDCommandsEffects, all, 4096), nvme.StatusInvalidLogPage)
	if zero, _ := nvme.IsBlankPage(blocks(t, d, 0, 8)); !zero {
		t.Error("the ghost has data")
	}
	accept(t, d, writeCmd(800, 8, 7))
	reject(t, d, logCmd(lidIntelSMART, all, 512), nvme.StatusInvalidLogPage)
	reject(t, d, getCmd(fidLatencyTracking, 0, 0), nvme.StatusInvalidField)
}

// TestNoAnswer checks that a command whose answer is lost is done: the drive
// works on, and afterwards as if nothing had happened.
func TestNoAnswer(t *testing.T) {
	d := openWith(t, "optane-905p?speed=10000&size=2097152", `{"when":{"opcode":128},"do":"no-answer","times":1}
		{"when":{"queue":"io","opcode":1},"do":"no-answer"}`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := d.Submit(ctx, formatCmd(1, 0, eraseUser)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want no answer", err)
	}
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	for _, page := range survey(t, d) {
		if !allZero(page) {
			t.Fatal("the format was not done")
		}
	}
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := d.Submit(ctx, writeCmd(0, 8, 3)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("write: %v, want no answer", err)
	}
	done := make(chan error)
	go func() { _, err := d.WriteAt(bytes.Repeat([]byte{4}, 4096), pageBytes); done <- err }()
	for blocks(t, d, 8, 1)[0] != 4 {
		time.Sleep(time.Millisecond)
	}
	if blocks(t, d, 0, 1)[0] != 3 {
		t.Error("the write was not done")
	}
	d.Close()
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Errorf("WriteAt: %v, want the end of the drive", err)
	}
}
