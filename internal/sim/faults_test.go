package sim

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// faulty is a 905P with a fault script.
func faulty(t testing.TB, script string) *Drive {
	t.Helper()
	d, _ := instant(t, nil)
	f, err := ParseFaults(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	d.WithFaults(f)
	return d
}

func TestFaultStatus(t *testing.T) {
	d := faulty(t, `{"when":{"queue":"io","opcode":2,"lba_from":100,"lba_to":199},"do":"status","status":641,"times":2}`)
	blocks(t, d, 92, 8)
	blocks(t, d, 200, 8)
	reject(t, d, ioCmd(nvme.IORead, 1, 93, 8, 4096), nvme.StatusUnrecoveredReadError)
	if _, err := d.ReadAt(make([]byte, 512), 199*512); !errors.Is(err, nvme.StatusUnrecoveredReadError) {
		t.Errorf("ReadAt: %v", err)
	}
	blocks(t, d, 150, 1) // Twice was enough.
	if log := errorLogOf(t, d); len(log) != 2 || log[0].StatusInfo.Status() != nvme.StatusUnrecoveredReadError|failedFlags {
		t.Errorf("error log %+v, want two entries", log)
	}
}

// TestFaultLie checks that status 0 does not do the command.
func TestFaultLie(t *testing.T) {
	d := faulty(t, `{"when":{"queue":"admin","opcode":128},"do":"status","status":0}
		{"when":{"queue":"io","opcode":1},"do":"status","status":0}`)
	before := blocks(t, d, 0, 8)
	accept(t, d, formatCmd(1, 0, eraseUser))
	accept(t, d, writeCmd(0, 8, 7))
	if _, err := d.WriteAt([]byte("data"), 0); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(blocks(t, d, 0, 8), before) {
		t.Error("the command was done")
	}
	if log := errorLogOf(t, d); len(log) != 0 {
		t.Errorf("error log %+v", log)
	}
}

func TestFaultDelay(t *testing.T) {
	d := faulty(t, `{"when":{"queue":"admin","opcode":2,"log_id":2,"after_count":1},"do":"delay","ms":60}`)
	for i, want := range []time.Duration{0, 60 * time.Millisecond, 60 * time.Millisecond} {
		begin := time.Now()
		smartLog(t, d)
		if got := time.Since(begin); got < want {
			t.Errorf("log %d after %v, want %v", i, got, want)
		}
	}
	begin := time.Now()
	accept(t, d, logCmd(nvme.LIDError, all, 512))
	if got := time.Since(begin); got > 50*time.Millisecond {
		t.Errorf("another log page after %v", got)
	}
}

func TestFaultSilence(t *testing.T) {
	d := faulty(t, `{"when":{"queue":"io","nsid":1},"do":"silence"}`)
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := d.Submit(ctx, ioCmd(nvme.IORead, 1, 0, 1, 512)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Submit: %v, want the end of the context", err)
	}
	done := make(chan error)
	go func() { _, err := d.ReadAt(make([]byte, 512), 0); done <- err }()
	d.Close()
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Errorf("ReadAt: %v, want the end of the drive", err)
	}
}

// TestFaultsThatDisconnect checks the faults after which no answer comes.
func TestFaultsThatDisconnect(t *testing.T) {
	for _, tc := range []struct {
		do             string
		want           error
		cycles, unsafe uint64
	}{
		{"disconnect", ErrDisconnect, 0, 0}, {"reset", ErrReset, 0, 0}, {"power-loss", ErrPowerLoss, 2, 2},
	} {
		d := faulty(t, `{"when":{"queue":"io"},"do":"`+tc.do+`"}`)
		accept(t, d, setCmd(nvme.FIDArbitration, 3))
		_, err := d.Submit(t.Context(), ioCmd(nvme.IORead, 1, 0, 1, 512))
		if !errors.Is(err, tc.want) || !errors.Is(err, ErrDisconnect) {
			t.Errorf("%s: %v", tc.do, err)
		}
		if _, err := d.ReadAt(make([]byte, 512), 0); !errors.Is(err, tc.want) {
			t.Errorf("%s: ReadAt: %v", tc.do, err)
		}
		if s := smartLog(t, d); s.PowerCycles.Lo-3 != tc.cycles || s.UnsafeShutdowns.Lo != tc.unsafe {
			t.Errorf("%s: %d power cycles, %d unsafe", tc.do, s.PowerCycles.Lo-3, s.UnsafeShutdowns.Lo)
		}
		reset := accept(t, d, getCmd(nvme.FIDArbitration, 0, 0)).Result == 7
		if reset != (tc.do != "disconnect") {
			t.Errorf("%s: the controller was reset: %v", tc.do, reset)
		}
	}
}

func TestFaultCorrupt(t *testing.T) {
	clean, _ := instant(t, nil)
	want := blocks(t, clean, 0, 8)
	flips := map[int]bool{}
	d := faulty(t, `{"when":{"queue":"io"},"do":"corrupt"}`)
	for range 4 {
		got := make([]byte, 4096)
		if _, err := d.ReadAt(got, 0); err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range got {
			if x := got[i] ^ want[i]; x != 0 && x&(x-1) == 0 {
				flips[i] = true
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d bytes differ by a bit, want 1", n)
		}
	}
	if len(flips) < 2 {
		t.Error("the same place is wrong each time")
	}
	again := faulty(t, `{"when":{"queue":"io"},"do":"corrupt"}`)
	if first := blocks(t, again, 0, 8); bytes.Equal(first, want) {
		t.Error("Read is not corrupt")
	}
}

func TestFaultShort(t *testing.T) {
	d := faulty(t, `{"when":{"queue":"io"},"do":"short"}
		{"when":{"queue":"admin","opcode":6},"do":"short"}`)
	clean, _ := instant(t, nil)
	want := blocks(t, clean, 0, 8)
	for name, read := range map[string]func([]byte){
		"ReadAt": func(p []byte) {
			if n, err := d.ReadAt(p, 0); n != len(p) || err != nil {
				t.Errorf("ReadAt: %d, %v", n, err)
			}
		},
		"Read": func(p []byte) { accept(t, d, withData(ioCmd(nvme.IORead, 1, 0, 8, 0), p)) },
	} {
		got := bytes.Repeat([]byte{0xEE}, 4096)
		read(got)
		if !bytes.Equal(got[:2048], want[:2048]) || !bytes.Equal(got[2048:], bytes.Repeat([]byte{0xEE}, 2048)) {
			t.Errorf("%s: the data are not half of what was asked for", name)
		}
	}
	id := identifyCmd(nvme.CNSController, 0)
	id.Data[4095] = 0xEE
	accept(t, d, id)
	if id.Data[0] != 0x86 || id.Data[4095] != 0xEE {
		t.Error("Identify is not short")
	}
	accept(t, d, writeCmd(0, 8, 7))
	d.faults = nil
	got := blocks(t, d, 0, 8)
	if got[2047] != 7 || !bytes.Equal(got[2048:], want[2048:]) {
		t.Error("a short write did not write half")
	}
}

// TestFaultTime checks after_ms, and that it counts from a loss of power anew.
func TestFaultTime(t *testing.T) {
	d := faulty(t, `{"when":{"queue":"io","after_ms":3600000},"do":"status","status":6}`)
	blocks(t, d, 0, 1)
	d.powered.Add(-int64(time.Hour))
	reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512), nvme.StatusInternalError)
	d.PowerCycle()
	blocks(t, d, 0, 1)
}

// TestFirstFaultActs checks the order of the lines, and comments.
func TestFirstFaultActs(t *testing.T) {
	d := faulty(t, "# two lines about the same\n\n"+`{"when":{"queue":"io","opcode":2},"do":"status","status":6,"times":1}
		{"when":{"queue":"io"},"do":"status","status":7}`)
	reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512), nvme.StatusInternalError)
	reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512), nvme.StatusAbortRequested)
	reject(t, d, ioCmd(nvme.IOFlush, 1, 0, 1, 0), nvme.StatusAbortRequested)
}

func TestFaultParameter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "faults.jsonl")
	script := `{"when":{"queue":"admin","opcode":6},"do":"status","status":6}`
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	d := open(t, "optane-905p?faults="+name)
	reject(t, d, identifyCmd(nvme.CNSController, 0), nvme.StatusInternalError)
	if !d.Scripted() {
		t.Error("a drive with faults is not scripted")
	}
	for profile, want := range map[string]string{
		"optane-905p?faults=" + name + "x":        "no such file",
		"optane-905p?faults=" + t.TempDir():       "is a directory",
		"optane-905p?speed=0":                     "not between 1 and",
		"optane-905p?speed=1000001":               "not between 1 and",
		"optane-905p?speed=x":                     "invalid syntax",
		"optane-905p?faults=" + t.TempDir() + "/": "directory",
	} {
		if _, err := Open(profile); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", profile, err, want)
		}
	}
}

func TestFaultScriptErrors(t *testing.T) {
	for script, want := range map[string]string{
		`{`:                                          "line 1: unexpected EOF",
		"\n# x\n" + `{"do":"explode"}`:               `line 3: "do" of "explode"`,
		`{"do":"delay"}`:                             `"ms" of 0`,
		`{"do":"delay","ms":90000000}`:               `"ms" of 90000000`,
		`{"do":"status","status":4096}`:              `"status" of 4096`,
		`{"do":"status","status":70000}`:             "cannot unmarshal",
		`{"do":"reset","when":{"queue":"both"}}`:     `"queue" of "both"`,
		`{"do":"reset","times":-1}`:                  "negative",
		`{"do":"reset","when":{"after_count":-1}}`:   "negative",
		`{"do":"reset","when":{"lba":1}}`:            `unknown field "lba"`,
		`{"do":"reset"} {"do":"reset"}`:              "more than one",
		strings.Repeat("x", maxFaultLine+1):          "token too long",
		strings.Repeat(`{"do":"reset"}`+"\n", 10001): "more than 10000 faults",
	} {
		_, err := ParseFaults(strings.NewReader(script))
		if !errors.Is(err, ErrFaultScript) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", script, err, want)
		}
	}
}

// FuzzFaults runs any script against a few commands.
func FuzzFaults(f *testing.F) {
	f.Add(`{"when":{"queue":"io","opcode":2,"lba_from":0,"lba_to":9},"do":"short"}`)
	f.Add(`{"do":"power-loss","times":1}` + "\n" + `{"do":"corrupt"}`)
	f.Add(`{"do":"leave-region","lba_from":0,"lba_to":9,"times":1}` + "\n" + `{"do":"ghost","percent":50}`)
	f.Add(`{"do":"leave-rest","percent":50,"when":{"ses":1}}` + "\n" + `{"when":{"blocks":8},"do":"old-data"}`)
	f.Add(`{"do":"leave-scattered","ppm":9,"times":1}` + "\n" + `{"do":"fail","when":{"action":2}}`)
	f.Fuzz(func(t *testing.T, script string) {
		faults, err := ParseFaults(strings.NewReader(script))
		if err != nil {
			return
		}
		d, _ := instantOf(t, nandModern(), nil)
		d.WithFaults(faults)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		d.Submit(ctx, identifyCmd(nvme.CNSController, 0))
		d.Submit(ctx, ioCmd(nvme.IORead, 1, 1<<62, 8, 4096))
		d.Submit(ctx, writeCmd(0, 8, 1))
		d.Submit(ctx, dsmCmd(4, [2]uint64{0, 1}))
		for range 2 {
			d.Submit(ctx, formatCmd(1, 0, eraseUser))
			d.Submit(ctx, ioCmd(nvme.IORead, 1, 0, 8, 4096))
			d.Submit(ctx, sanitizeCmd(actionBlock))
			d.ReadAt(make([]byte, 4096), 4096)
		}
	})
}
