package nvme

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// transfer is what a Get Log Page asked for.
type transfer struct {
	NSID   NSID
	Bytes  int
	Offset uint64
	RAE    bool
}

func transfers(cmds []Command) []transfer {
	var list []transfer
	for _, c := range cmds {
		if c.Opcode != AdminGetLogPage {
			continue
		}
		numd := int(c.CDW11&0xFFFF)<<16 | int(c.CDW10>>16)
		list = append(list, transfer{c.NSID, (numd + 1) * 4, uint64(c.CDW13)<<32 | uint64(c.CDW12), c.CDW10&(1<<15) != 0})
	}
	return list
}

// counting is a device that has Identify Controller id and fills logs so that
// each dword is its own offset in the page.
func counting(t *testing.T, id *IdentifyController) *fake {
	page := encoded(t, id)
	return &fake{answer: func(cmd *Command) Status {
		if cmd.Opcode == AdminIdentify {
			copy(cmd.Data, page)
			return StatusSuccess
		}
		offset := uint64(cmd.CDW13)<<32 | uint64(cmd.CDW12)
		for i := 0; i+4 <= len(cmd.Data); i += 4 {
			binary.LittleEndian.PutUint32(cmd.Data[i:], uint32(offset)+uint32(i))
		}
		return StatusSuccess
	}}
}

func TestLogPageParts(t *testing.T) {
	const all = BroadcastNSID
	extended := func(mdts uint8) *IdentifyController { return &IdentifyController{LPA: LPAExtendedData, MDTS: mdts} }
	tests := []struct {
		name   string
		id     *IdentifyController
		req    GetLogPage
		length int
		want   []transfer
	}{
		{"before Identify", nil, GetLogPage{Bytes: 10000}, 4096, []transfer{{all, 4096, 0, false}}},
		{"fits", extended(1), GetLogPage{Bytes: 512, KeepEvent: true}, 512, []transfer{{all, 512, 0, true}}},
		{"rounded up", extended(1), GetLogPage{Bytes: 6}, 6, []transfer{{all, 8, 0, false}}},
		{"parts, event kept", extended(1), GetLogPage{Bytes: 20000, KeepEvent: true}, 20000,
			[]transfer{{all, 8192, 0, true}, {all, 8192, 8192, true}, {all, 3616, 16384, true}}},
		{"parts, event cleared by the last", extended(1), GetLogPage{Bytes: 20002}, 20002,
			[]transfer{{all, 8192, 0, true}, {all, 8192, 8192, true}, {all, 3620, 16384, false}}},
		{"parts from an offset", extended(0), GetLogPage{Bytes: 65540, Offset: 512}, 65540,
			[]transfer{{all, 65536, 512, true}, {all, 4, 512 + 65536, false}}},
		{"offset above 4 GiB", extended(1), GetLogPage{Bytes: 4, Offset: 1 << 32}, 4, []transfer{{all, 4, 1 << 32, false}}},
		{"no offsets, no limit", &IdentifyController{}, GetLogPage{Bytes: 100000}, 16384, []transfer{{all, 16384, 0, false}}},
		{"no offsets, MDTS", &IdentifyController{MDTS: 1}, GetLogPage{Bytes: 100000}, 8192, []transfer{{all, 8192, 0, false}}},
		{"MDTS of nonsense", &IdentifyController{MDTS: 255}, GetLogPage{Bytes: 100000}, 16384, []transfer{{all, 16384, 0, false}}},
		{"a namespace", extended(1), GetLogPage{Bytes: 16384, NSID: 7, KeepEvent: true}, 16384,
			[]transfer{{7, 8192, 0, true}, {7, 8192, 8192, true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dev := counting(t, orZero(tt.id))
			c := NewController(dev)
			if tt.id != nil {
				if _, err := c.Identify(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			page, err := c.LogPage(t.Context(), tt.req)
			if err != nil || len(page) != tt.length {
				t.Fatalf("LogPage: %d bytes, %v, want %d", len(page), err, tt.length)
			}
			if diff := cmp.Diff(tt.want, transfers(dev.sent)); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			for i := 0; i+4 <= len(page); i += 4 {
				if got, want := binary.LittleEndian.Uint32(page[i:]), uint32(tt.req.Offset)+uint32(i); got != want {
					t.Fatalf("byte %d is byte %d of the page, want %d", i, got, want)
				}
			}
		})
	}
}

func TestLogPageRefusesNonsense(t *testing.T) {
	for _, n := range []int{0, -1} {
		dev := new(fake)
		if _, err := NewController(dev).LogPage(t.Context(), GetLogPage{LID: LIDSMART, Bytes: n}); err == nil || len(dev.sent) != 0 {
			t.Errorf("%d bytes: %v, %d commands sent, want an error and none", n, err, len(dev.sent))
		}
	}
}

func TestLogPageNSID(t *testing.T) {
	const all = BroadcastNSID
	tests := []struct {
		name    string
		nsid    NSID
		status  map[NSID]Status
		want    []NSID
		wantErr Status
	}{
		{"accepted", 0, nil, []NSID{all}, 0},
		{"invalid field, then accepted", 0, map[NSID]Status{all: 0x4002}, []NSID{all, 0}, 0},
		{"invalid namespace, then accepted", 0, map[NSID]Status{all: 0x400B}, []NSID{all, 0}, 0},
		{"other status: no second", 0, map[NSID]Status{all: 0x4006}, []NSID{all}, 0x4006},
		{"invalid log page: no second", 0, map[NSID]Status{all: 0x4109}, []NSID{all}, 0x4109},
		{"both invalid: the first", 0, map[NSID]Status{all: 0x4002, 0: 0x400B}, []NSID{all, 0}, 0x4002},
		{"second says why", 0, map[NSID]Status{all: 0x400B, 0: 0x4109}, []NSID{all, 0}, 0x4109},
		{"a namespace: no second", 3, map[NSID]Status{3: 0x400B}, []NSID{3}, 0x400B},
		{"all namespaces by wish: no second", all, map[NSID]Status{all: 0x400B}, []NSID{all}, 0x400B},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dev := &fake{answer: func(cmd *Command) Status { return tt.status[cmd.NSID] }}
			_, err := NewController(dev).LogPage(t.Context(), GetLogPage{LID: LIDSMART, NSID: tt.nsid, Bytes: 512})
			var got []NSID
			for _, c := range dev.sent {
				got = append(got, c.NSID)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("sent to %v, want %v", got, tt.want)
			}
			if status, _ := errors.AsType[Status](err); status != tt.wantErr {
				t.Errorf("status = %#x, want %#x", uint16(status), uint16(tt.wantErr))
			}
		})
	}
}

// TestLogPageSecondNSIDStays checks that parts after the first go where the
// first was accepted, and that there is one second attempt a page.
func TestLogPageSecondNSIDStays(t *testing.T) {
	dev := counting(t, &IdentifyController{LPA: LPAExtendedData, MDTS: 1})
	answer := dev.answer
	dev.answer = func(cmd *Command) Status {
		if cmd.NSID == BroadcastNSID {
			return StatusInvalidNamespace
		}
		return answer(cmd)
	}
	c := NewController(dev)
	if _, err := c.Identify(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.LogPage(t.Context(), GetLogPage{LID: LIDTelemetryHost, Bytes: 16384}); err != nil {
		t.Fatal(err)
	}
	want := []transfer{{BroadcastNSID, 8192, 0, true}, {0, 8192, 0, true}, {0, 8192, 8192, false}}
	if diff := cmp.Diff(want, transfers(dev.sent)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// TestLogPageLaterPartRefused checks that a part after the first is not sent
// to another NSID: the first showed that the NSID is right.
func TestLogPageLaterPartRefused(t *testing.T) {
	dev := counting(t, &IdentifyController{LPA: LPAExtendedData, MDTS: 1})
	answer := dev.answer
	dev.answer = func(cmd *Command) Status {
		if cmd.CDW12 != 0 {
			return StatusInvalidField
		}
		return answer(cmd)
	}
	c := NewController(dev)
	if _, err := c.Identify(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := c.LogPage(t.Context(), GetLogPage{LID: LIDTelemetryHost, Bytes: 16384})
	if got := len(transfers(dev.sent)); !errors.Is(err, StatusInvalidField) || got != 2 {
		t.Errorf("error = %v after %d commands, want Invalid Field after 2", err, got)
	}
}

func TestLogPageSecondAttemptFailsOnTheHost(t *testing.T) {
	gone := errors.New("device gone")
	c := NewController(PassthruFunc(func(_ context.Context, cmd *Command) (Completion, error) {
		if cmd.NSID == 0 {
			return Completion{}, gone
		}
		return Completion{Status: StatusInvalidField}, nil
	}))
	if _, err := c.SMARTLog(t.Context()); !errors.Is(err, gone) {
		t.Errorf("error = %v, want the host's", err)
	}
}

func TestLogsKeepEvents(t *testing.T) {
	dev := new(fake)
	c := NewController(dev)
	if _, err := c.SMARTLog(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.FirmwareSlotLog(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.ErrorLog(t.Context(), &IdentifyController{ELPE: 3}); err != nil {
		t.Error(err)
	}
	want := []transfer{{BroadcastNSID, 512, 0, true}, {BroadcastNSID, 512, 0, true}, {BroadcastNSID, 256, 0, true}}
	if diff := cmp.Diff(want, transfers(dev.sent)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestErrorLogLength(t *testing.T) {
	tests := []struct {
		name string
		id   IdentifyController
		want []int
	}{
		{"one entry", IdentifyController{}, []int{64}},
		{"905P", IdentifyController{ELPE: 63, MDTS: 5, LPA: 0x0A}, []int{4096}},
		{"256 entries in one command", IdentifyController{ELPE: 255}, []int{16384}},
		{"256 entries in parts", IdentifyController{ELPE: 255, MDTS: 1, LPA: LPAExtendedData}, []int{8192, 8192}},
		{"what one command can transfer", IdentifyController{ELPE: 255, MDTS: 1}, []int{8192}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, given := range []bool{true, false} {
				dev := counting(t, &tt.id)
				id := &tt.id
				if !given {
					id = nil
				}
				log, err := NewController(dev).ErrorLog(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				var got []int
				for _, tr := range transfers(dev.sent) {
					got = append(got, tr.Bytes)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("transfers = %v, want %v", got, tt.want)
				}
				// Every entry of the counting device has an error count.
				sum := 0
				for _, n := range tt.want {
					sum += n
				}
				if len(log) != sum/64 {
					t.Errorf("%d entries, want %d", len(log), sum/64)
				}
			}
		})
	}
}

func orZero(id *IdentifyController) *IdentifyController {
	if id == nil {
		return new(IdentifyController)
	}
	return id
}

func TestSanitizeAndSelfTestLog(t *testing.T) {
	pages := map[LID][]byte{
		LIDSanitize: encoded(t, &SanitizeLog{Progress: 0x8000, Status: SanitizeInProgress, CryptoTime: 9}),
		LIDSelfTest: encoded(t, &SelfTestLog{CurrentOperation: 2, CurrentCompletion: 40}),
	}
	dev := &fake{answer: func(cmd *Command) Status { copy(cmd.Data, pages[LID(cmd.CDW10)]); return StatusSuccess }}
	c := NewController(dev)
	if l, err := c.SanitizeLog(t.Context()); err != nil || l.Progress != 0x8000 || l.Status.State() != SanitizeInProgress || l.CryptoTime != 9 {
		t.Errorf("SanitizeLog = %+v, %v", l, err)
	}
	if l, err := c.SelfTestLog(t.Context()); err != nil || l.CurrentOperation != 2 || l.CurrentCompletion != 40 {
		t.Errorf("SelfTestLog = %+v, %v", l, err)
	}
	want := []transfer{{BroadcastNSID, 512, 0, true}, {BroadcastNSID, 564, 0, true}}
	if diff := cmp.Diff(want, transfers(dev.sent)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	refuses := NewController(&fake{answer: func(*Command) Status { return StatusInvalidLogPage }})
	if _, err := refuses.SanitizeLog(t.Context()); !errors.Is(err, ErrNotSupported) {
		t.Errorf("SanitizeLog of a drive without one = %v", err)
	}
	if _, err := refuses.SelfTestLog(t.Context()); !errors.Is(err, ErrNotSupported) {
		t.Errorf("SelfTestLog of a drive without one = %v", err)
	}
}
