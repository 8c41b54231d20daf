package capture

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// TestRoundTrip records a client and plays it back to the same client.
func TestRoundTrip(t *testing.T) {
	drive := nvme.PassthruFunc(func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		switch {
		case cmd.Opcode == nvme.AdminIdentify && cmd.CDW10 == 1:
			copy(cmd.Data, controllerPage(serial, ""))
		case cmd.Opcode == nvme.AdminIdentify && cmd.CDW10 == 0:
			copy(cmd.Data, namespacePage())
		case cmd.Opcode == nvme.AdminGetLogPage:
			cmd.Data[3] = 100
		default:
			return nvme.Completion{Status: nvme.StatusInvalidField}, nil
		}
		return nvme.Completion{}, nil
	})
	var out bytes.Buffer
	w, err := NewWriter(&out, Header{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(p nvme.Passthru) {
		t.Helper()
		c := nvme.NewController(p)
		id, err := c.Identify(t.Context())
		if err != nil || id.SerialNumber.String() != serial {
			t.Fatalf("Identify: %v, %v", id, err)
		}
		if ns, err := c.IdentifyNamespace(t.Context(), 1); err != nil || ns.NSZE != 1875385008 {
			t.Errorf("IdentifyNamespace: %v", err)
		}
		if _, err := c.NamespaceDescriptors(t.Context(), 1); !errors.Is(err, nvme.StatusInvalidField) {
			t.Errorf("NamespaceDescriptors: %v, want Invalid Field", err)
		}
		if s, err := c.SMARTLog(t.Context()); err != nil || s.AvailableSpare != 100 {
			t.Errorf("SMARTLog: %v", err)
		}
	}
	check(w.Passthru(drive))
	c, err := Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	check(c)
	_, err = nvme.NewController(c).FirmwareSlotLog(t.Context())
	if want := "not in this capture: Get Log Page (Firmware Slot Information)"; !errors.Is(err, ErrNotRecorded) || err.Error() != want {
		t.Errorf("a miss: %v, want %s", err, want)
	}
}

// TestKey checks what takes part in the match.
func TestKey(t *testing.T) {
	c := read(t, header+
		`{"queue":"admin","opcode":2,"nsid":4294967295,"cdw10":8323074,"cdw11":65536,"status":0,"result":1}`+"\n"+ // Log 02h, 128 dwords, LSI 1.
		`{"queue":"io","opcode":2,"nsid":1,"cdw10":8323074,"cdw12":7,"status":0,"result":2}`+"\n")
	log := nvme.Command{Opcode: 2, NSID: nvme.BroadcastNSID, CDW10: 127<<16 | 2, CDW11: 1 << 16}
	io := nvme.Command{Queue: nvme.IOQueue, Opcode: 2, NSID: 1, CDW10: 127<<16 | 2, CDW12: 7}
	for _, tc := range []struct {
		name   string
		base   nvme.Command
		change func(*nvme.Command)
		want   uint64 // 0 is a miss.
	}{
		{"same log", log, func(c *nvme.Command) {}, 1},
		{"other length", log, func(c *nvme.Command) { c.CDW10 = 1023<<16 | 2; c.CDW11 |= 3 }, 1},
		{"RAE", log, func(c *nvme.Command) { c.CDW10 |= 1 << 15 }, 1},
		{"dwords without a place", log, func(c *nvme.Command) { c.CDW2, c.CDW3 = 1, 2 }, 1},
		{"other page", log, func(c *nvme.Command) { c.CDW10 ^= 1 }, 0},
		{"other LSP", log, func(c *nvme.Command) { c.CDW10 |= 1 << 8 }, 0},
		{"other LSI", log, func(c *nvme.Command) { c.CDW11 = 2 << 16 }, 0},
		{"offset", log, func(c *nvme.Command) { c.CDW12 = 4 }, 0},
		{"upper offset", log, func(c *nvme.Command) { c.CDW13 = 1 }, 0},
		{"UUID index", log, func(c *nvme.Command) { c.CDW14 = 1 }, 0},
		{"cdw15", log, func(c *nvme.Command) { c.CDW15 = 1 }, 0},
		{"NSID 0 is not all", log, func(c *nvme.Command) { c.NSID = 0 }, 0},
		{"other opcode", log, func(c *nvme.Command) { c.Opcode = 6 }, 0},
		{"same read", io, func(c *nvme.Command) {}, 2},
		{"read of another block", io, func(c *nvme.Command) { c.CDW10 = 128<<16 | 2 }, 0},
		{"read with bit 15", io, func(c *nvme.Command) { c.CDW10 |= 1 << 15 }, 0},
		{"read on the admin queue", io, func(c *nvme.Command) { c.Queue = nvme.AdminQueue }, 0},
	} {
		cmd := tc.base
		tc.change(&cmd)
		got, err := c.Submit(t.Context(), &cmd)
		if (tc.want == 0) != errors.Is(err, ErrNotRecorded) || got.Result != tc.want {
			t.Errorf("%s: result %d, %v, want %d", tc.name, got.Result, err, tc.want)
		}
	}
}

func TestAnswersInOrder(t *testing.T) {
	c := read(t, header+
		`{"queue":"admin","opcode":6,"nsid":0,"status":0,"result":1,"data":"AQIDBA=="}
{"queue":"admin","opcode":6,"nsid":0,"status":16386,"result":2}
{"queue":"admin","opcode":6,"nsid":0,"status":0,"result":0,"error":"gone"}
{"queue":"admin","opcode":6,"nsid":0,"status":0,"result":4,"data":"BQY="}
`)
	buf := []byte{9, 9, 9}
	cmd := &nvme.Command{Opcode: 6, Data: buf}
	for i, tc := range []struct {
		result uint64
		status nvme.Status
		err    string
		data   string
	}{
		{1, 0, "", "\x01\x02\x03"}, // Cut.
		{2, 0x4002, "", "\x09\x09\x09"},
		{0, 0, "recorded error: gone", "\x09\x09\x09"},
		{4, 0, "", "\x05\x06\x00"}, // Filled with zero.
		{4, 0, "", "\x05\x06\x00"}, // The last repeats.
	} {
		copy(buf, "\x09\x09\x09")
		got, err := c.Submit(t.Context(), cmd)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got.Result != tc.result || got.Status != tc.status || text != tc.err || string(buf) != tc.data {
			t.Errorf("answer %d: %+v, %v, %x, want %+v", i+1, got, err, buf, tc)
		}
	}
}

func TestWriteGetsNoData(t *testing.T) {
	c := read(t, header+`{"queue":"io","opcode":1,"nsid":1,"status":0,"result":0,"data":"AQ=="}`)
	buf := []byte("keep")
	if _, err := c.Submit(t.Context(), &nvme.Command{Queue: nvme.IOQueue, Opcode: 1, NSID: 1, Data: buf}); err != nil || string(buf) != "keep" {
		t.Errorf("%v, buffer %q", err, buf)
	}
}

func TestDelayAndSilence(t *testing.T) {
	c := read(t, header+
		`{"queue":"admin","opcode":6,"nsid":0,"cdw10":1,"status":0,"result":5,"delay_ms":3}
{"queue":"admin","opcode":6,"nsid":0,"cdw10":2,"status":0,"result":0,"delay_ms":3600000}
{"queue":"admin","opcode":6,"nsid":0,"cdw10":3,"status":0,"result":0,"silent":true}
`)
	begin := time.Now()
	got, err := c.Submit(t.Context(), &nvme.Command{Opcode: 6, CDW10: 1})
	if err != nil || got.Result != 5 || time.Since(begin) < 3*time.Millisecond {
		t.Errorf("delayed: %+v, %v after %v", got, err, time.Since(begin))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	for cdw10 := range uint32(3) {
		if _, err := c.Submit(ctx, &nvme.Command{Opcode: 6, CDW10: 3 - cdw10}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("CDW10 %d: %v, want the end of the context", 3-cdw10, err)
		}
	}
}

func TestReplayConcurrent(t *testing.T) {
	c := read(t, header+strings.Repeat(`{"queue":"admin","opcode":6,"nsid":0,"status":0,"result":1,"data":"AQ=="}`+"\n", 20))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				buf := make([]byte, 2)
				if got, err := c.Submit(t.Context(), &nvme.Command{Opcode: 6, Data: buf}); err != nil || got.Result != 1 || buf[0] != 1 {
					t.Errorf("%+v, %v, %v", got, err, buf)
				}
			}
		})
	}
	wg.Wait()
}

func TestCommandName(t *testing.T) {
	for _, tc := range []struct {
		cmd  nvme.Command
		want string
	}{
		{nvme.Command{Opcode: 6, CDW10: 1}, "Identify (Controller)"},
		{nvme.Command{Opcode: 6, NSID: 3}, "Identify (Namespace) of namespace 3"},
		{nvme.Command{Opcode: 2, NSID: nvme.BroadcastNSID, CDW10: 0x7F0002}, "Get Log Page (SMART / Health Information)"},
		{nvme.Command{Opcode: 0x0A, CDW10: 4}, "Get Features (04h)"},
		{nvme.Command{Queue: nvme.IOQueue, Opcode: 2, NSID: 1}, "Read"},
	} {
		if got := commandName(&tc.cmd); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
