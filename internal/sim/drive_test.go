package sim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

func TestReadAtIsSubmit(t *testing.T) {
	d, _ := instant(t, nil)
	cmd := nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: 1, CDW10: 3, CDW12: 7, Data: make([]byte, 4096)}
	submit(t, d, &cmd)
	got := make([]byte, 4096)
	if n, err := d.ReadAt(got, 3*512); n != 4096 || err != nil {
		t.Fatalf("ReadAt: %d, %v", n, err)
	}
	if !bytes.Equal(got, cmd.Data) {
		t.Error("ReadAt and Read differ")
	}
	// No two blocks are alike, and each is the same next time.
	other := make([]byte, 512)
	if _, err := d.ReadAt(other, 4*512); err != nil || !bytes.Equal(other, got[512:1024]) || bytes.Equal(other, got[:512]) {
		t.Errorf("block 4 differs from itself or equals block 3 (%v)", err)
	}
}

func TestWrite(t *testing.T) {
	d, _ := instant(t, nil)
	old := make([]byte, 12288)
	if _, err := d.ReadAt(old, 0); err != nil {
		t.Fatal(err)
	}
	want := bytes.Clone(old)
	patch := bytes.Repeat([]byte{0xA5}, 5000)
	copy(want[3000:], patch)
	if n, err := d.WriteAt(patch, 3000); n != len(patch) || err != nil {
		t.Fatalf("WriteAt: %d, %v", n, err)
	}
	cmd := nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IOWrite, NSID: 1, CDW10: 20, Data: bytes.Repeat([]byte{7}, 512)}
	submit(t, d, &cmd)
	copy(want[20*512:], cmd.Data)
	got := make([]byte, len(want))
	if _, err := d.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the data are not what was written (%v)", err)
	}
}

func TestSeed(t *testing.T) {
	read := func(profile string) string {
		buf := make([]byte, 64)
		if _, err := open(t, profile).ReadAt(buf, 0); err != nil {
			t.Fatal(err)
		}
		return string(buf)
	}
	if read("optane-905p?seed=1") == read("optane-905p?seed=2") {
		t.Error("two seeds give the same data")
	}
	if read("optane-905p?seed=0") != read("optane-905p") {
		t.Error("seed 0 is not the default")
	}
}

func TestEnds(t *testing.T) {
	d, _ := instant(t, nil)
	buf := make([]byte, 1024)
	if n, err := d.ReadAt(buf, d.Size()-512); n != 512 || err != io.EOF {
		t.Errorf("ReadAt over the end: %d, %v, want 512, EOF", n, err)
	}
	if n, err := d.ReadAt(buf, d.Size()+1); n != 0 || err != io.EOF {
		t.Errorf("ReadAt behind the end: %d, %v, want 0, EOF", n, err)
	}
	if n, err := d.ReadAt(nil, 0); n != 0 || err != nil {
		t.Errorf("empty ReadAt: %d, %v", n, err)
	}
	if _, err := d.ReadAt(buf, -1); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("ReadAt before the start: %v", err)
	}
	if n, err := d.WriteAt(buf, d.Size()-512); n != 512 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("WriteAt over the end: %d, %v, want 512 and a short write", n, err)
	}
}

func TestFull(t *testing.T) {
	d, _ := instant(t, nil)
	d.controller.room.left.Store(2)
	ones := bytes.Repeat([]byte{1}, 8192)
	if _, err := d.WriteAt(ones, 4096); err != nil {
		t.Fatal(err)
	}
	if _, err := d.WriteAt(ones, 8192); !errors.Is(err, ErrFull) {
		t.Errorf("WriteAt: %v, want ErrFull", err)
	}
	if _, err := d.WriteAt(ones[:4096], 8192); err != nil {
		t.Errorf("WriteAt over what was written: %v", err)
	}
	cmd := nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IOWrite, NSID: 1, CDW10: 1000, Data: ones[:512]}
	if got := submit(t, d, &cmd).Status; got.Code() != nvme.StatusInternalError {
		t.Errorf("Write: %v, want Internal Error", got)
	}
	// Zeroes over whole pages give their room back.
	if _, err := d.WriteAt(make([]byte, 8192), 4096); err != nil {
		t.Fatal(err)
	}
	if got := submit(t, d, &cmd).Status; got != 0 {
		t.Errorf("Write after zeroes: %v", got)
	}
}

func TestSilent(t *testing.T) {
	identify := &nvme.Command{Opcode: nvme.AdminIdentify, CDW10: 1, Data: make([]byte, 4096)}
	read := &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: 1, Data: make([]byte, 512)}
	for _, tc := range []struct {
		profile       string
		silent, other *nvme.Command
	}{
		{"optane-905p?silent=io", read, identify},
		{"optane-905p?silent=admin", identify, read},
	} {
		d := open(t, tc.profile)
		if _, err := d.Submit(t.Context(), tc.other); err != nil {
			t.Errorf("%s: the other queue: %v", tc.profile, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		if _, err := d.Submit(ctx, tc.silent); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, want the end of the context", tc.profile, err)
		}
	}
}

// TestCloseUnblocks checks that nothing hangs in a drive that is closed.
func TestCloseUnblocks(t *testing.T) {
	for _, profile := range []string{
		"optane-905p?silent=io&silent=admin",
		"optane-905p?read_latency=1m&write_latency=1m&silent=admin",
	} {
		d := open(t, profile)
		var wg sync.WaitGroup
		for name, call := range map[string]func() error{
			"ReadAt":  func() error { _, err := d.ReadAt(make([]byte, 512), 0); return err },
			"WriteAt": func() error { _, err := d.WriteAt(make([]byte, 512), 0); return err },
			"Submit": func() error {
				_, err := d.Submit(context.Background(), &nvme.Command{Opcode: nvme.AdminIdentify})
				return err
			},
		} {
			wg.Go(func() {
				if err := call(); !errors.Is(err, fs.ErrClosed) {
					t.Errorf("%s: %s: %v, want fs.ErrClosed", profile, name, err)
				}
			})
		}
		time.Sleep(time.Millisecond)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if err := d.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	}
}

func TestContext(t *testing.T) {
	d := open(t, "optane-905p?read_latency=1m")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	cmd := &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: 1, Data: make([]byte, 512)}
	for range 2 { // Once during the access, once before it.
		if _, err := d.Submit(ctx, cmd); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Submit: %v, want the end of the context", err)
		}
	}
}

// TestCounters checks that the SMART log moves with what is done.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page.
func TestCounters(t *testing.T) {
	d, now := instant(t, nil)
	before := smartLog(t, d)
	buf := make([]byte, 128<<10)
	for i := range 4 {
		if _, err := d.ReadAt(buf, int64(i)<<17); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.WriteAt(buf[:512], 0); err != nil {
		t.Fatal(err)
	}
	*now = now.Add(2*time.Hour + time.Minute)
	d.controller.activity.busy.Add(int64(3 * time.Minute))
	after := smartLog(t, d)
	for _, tc := range []struct {
		name          string
		before, after nvme.Uint128
		want          uint64
	}{
		{"read commands", before.HostReadCommands, after.HostReadCommands, 4},
		{"write commands", before.HostWriteCommands, after.HostWriteCommands, 1},
		{"units read (524288 bytes, rounded up)", before.DataUnitsRead, after.DataUnitsRead, 2},
		{"units written (512 bytes, rounded up)", before.DataUnitsWritten, after.DataUnitsWritten, 1},
		{"power on hours", before.PowerOnHours, after.PowerOnHours, 2},
		{"busy minutes", before.ControllerBusyTime, after.ControllerBusyTime, 3},
		{"power cycles", before.PowerCycles, after.PowerCycles, 0},
	} {
		if got := tc.after.Lo - tc.before.Lo; got != tc.want {
			t.Errorf("%s grew by %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestFailedReadsDoNotCount(t *testing.T) {
	d, _ := instant(t, nil)
	before := smartLog(t, d).HostReadCommands
	submit(t, d, &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: 9, Data: make([]byte, 512)})
	if got := smartLog(t, d).HostReadCommands; got != before {
		t.Errorf("a refused read moved the counter from %v to %v", before, got)
	}
}

func TestTemperature(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := optane905P().personality
	m := newThermal(&p, start)
	var busy time.Duration
	for _, tc := range []struct {
		name    string
		after   time.Duration
		load    float64
		celsius int
	}{
		{"idle", time.Hour, 0, 35},
		{"a minute of full load", time.Minute, 1, 35 + 9},
		{"an hour of full load", time.Hour, 1, 50},
		{"more than full load", time.Hour, 30, 50},
		{"no time", 0, 1, 50},
		{"an hour of half load", time.Hour, 0.5, 43},
		{"an hour of rest", time.Hour, 0, 35},
	} {
		start = start.Add(tc.after)
		busy += time.Duration(tc.load * float64(tc.after))
		if got, _ := m.at(start, busy).Celsius(); got != tc.celsius {
			t.Errorf("%s: %d °C, want %d", tc.name, got, tc.celsius)
		}
	}
}

func TestConcurrent(t *testing.T) {
	d, _ := instant(t, nil)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			buf := make([]byte, 4096)
			for i := range 50 {
				off := int64(i*8+w) * 4096
				if _, err := d.WriteAt(bytes.Repeat([]byte{byte(w)}, 4096), off); err != nil {
					t.Error(err)
				}
				if _, err := d.ReadAt(buf, off); err != nil || buf[4095] != byte(w) {
					t.Errorf("read %d, %v, want %d", buf[4095], err, w)
				}
				d.Submit(t.Context(), &nvme.Command{Opcode: 0xFF})
			}
		})
	}
	wg.Wait()
	s := smartLog(t, d)
	if s.ErrorLogEntries.Lo != 400 || s.HostReadCommands.Lo-optane905P().personality.smart.HostReadCommands.Lo != 400 {
		t.Errorf("%v errors and %v reads", s.ErrorLogEntries, s.HostReadCommands)
	}
}

// TestLoadHeats checks the way of an access into the temperature of the SMART
// log.
func TestLoadHeats(t *testing.T) {
	d, now := instant(t, nil)
	if got := smartLog(t, d).CompositeTemperature; got != 308 {
		t.Fatalf("%d K when opened, want 308", got)
	}
	*now = now.Add(time.Hour)
	d.controller.activity.busy.Add(int64(time.Hour))
	if got := smartLog(t, d).CompositeTemperature; got != 323 {
		t.Errorf("%d K after an hour of full load, want 323", got)
	}
	*now = now.Add(time.Hour)
	if got := smartLog(t, d).CompositeTemperature; got != 308 {
		t.Errorf("%d K after an hour of rest, want 308", got)
	}
}

// TestBusyTime checks that each access counts with the time that it takes.
func TestBusyTime(t *testing.T) {
	d := open(t, "optane-905p?read_latency=20us&write_latency=20us")
	buf := make([]byte, 4096)
	for i := range 10 {
		if _, err := d.ReadAt(buf, int64(i)*4096); err != nil {
			t.Fatal(err)
		}
		if _, err := d.WriteAt(buf, int64(i)*4096); err != nil {
			t.Fatal(err)
		}
	}
	// The fastest access is 0.94 of the median, the slowest 5 times it.
	if got := d.controller.activity.busyTime(); got < 20*18*time.Microsecond || got > 20*100*time.Microsecond {
		t.Errorf("busy for %v in 20 accesses of 20 µs", got)
	}
}

// TestClosed checks that a closed drive answers nothing, on either queue.
func TestClosed(t *testing.T) {
	d := open(t, "optane-905p")
	d.Close()
	for _, q := range []nvme.Queue{nvme.AdminQueue, nvme.IOQueue} {
		if _, err := d.Submit(t.Context(), &nvme.Command{Queue: q}); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s queue: %v, want fs.ErrClosed", q, err)
		}
	}
	if _, err := d.ReadAt(make([]byte, 512), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("ReadAt: %v, want fs.ErrClosed", err)
	}
}

func TestDrivesShareNothing(t *testing.T) {
	a, _ := instant(t, nil)
	b, _ := instant(t, nil)
	old, got := make([]byte, 512), make([]byte, 512)
	if _, err := b.ReadAt(old, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := a.WriteAt(bytes.Repeat([]byte{1}, 512), 0); err != nil {
		t.Fatal(err)
	}
	submit(t, a, &nvme.Command{Opcode: 0xFF})
	if _, err := b.ReadAt(got, 0); err != nil || !bytes.Equal(old, got) {
		t.Errorf("a write to one drive changed the other (%v)", err)
	}
	if got := smartLog(t, b).ErrorLogEntries.Lo; got != 0 {
		t.Errorf("an error of one drive counts in the other: %d", got)
	}
}
