package nvme

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentify(t *testing.T) {
	page := read(t, "idctrl", "optane-905P-SSDPE21D960GA-fresh-1h.bin")
	dev := &fake{answer: func(cmd *Command) Status {
		copy(cmd.Data, page)
		return StatusSuccess
	}}
	id, err := NewController(dev).Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := id.ModelNumber.String(), "INTEL SSDPE21D960GA"; got != want {
		t.Errorf("model = %q, want %q", got, want)
	}
	want := []Command{{Opcode: AdminIdentify, CDW10: 1, Data: page}}
	if diff := cmp.Diff(want, dev.sent); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestIdentifyNamespace(t *testing.T) {
	page := read(t, "idns", "optane-P4800X-SSDPED1K375GA.bin")
	dev := &fake{answer: func(cmd *Command) Status {
		copy(cmd.Data, page)
		return StatusSuccess
	}}
	ns, err := NewController(dev).IdentifyNamespace(t.Context(), 1)
	if err != nil || ns.SizeBytes() != U128(375083606016) {
		t.Errorf("size = %v, %v, want 375083606016", ns.SizeBytes(), err)
	}
	if got := dev.sent[0]; got.NSID != 1 || got.CDW10 != 0 {
		t.Errorf("command = NSID %d, CDW10 %#x, want 1, 0", got.NSID, got.CDW10)
	}
}

func TestCommandErrorOfController(t *testing.T) {
	dev := &fake{answer: func(*Command) Status { return 0x600B }}
	_, err := NewController(dev).IdentifyNamespace(t.Context(), 9)
	got, ok := errors.AsType[*CommandError](err)
	if !ok {
		t.Fatalf("error = %v, want a CommandError", err)
	}
	want := &CommandError{Command: "Identify (Namespace)", Opcode: AdminIdentify, NSID: 9, Status: 0x600B}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// TestHostError checks that a failure of the host comes through unchanged and
// ends the work at once.
func TestHostError(t *testing.T) {
	gone := errors.New("device gone")
	sent := 0
	c := NewController(PassthruFunc(func(context.Context, *Command) (Completion, error) {
		sent++
		return Completion{Status: StatusInvalidField}, gone
	}))
	calls := map[string]func(context.Context) error{
		"Identify":             func(ctx context.Context) error { _, err := c.Identify(ctx); return err },
		"IdentifyNamespace":    func(ctx context.Context) error { _, err := c.IdentifyNamespace(ctx, 1); return err },
		"ActiveNamespaces":     func(ctx context.Context) error { _, err := c.ActiveNamespaces(ctx, nil); return err },
		"ActiveNamespaces id":  func(ctx context.Context) error { _, err := c.ActiveNamespaces(ctx, &IdentifyController{}); return err },
		"NamespaceDescriptors": func(ctx context.Context) error { _, err := c.NamespaceDescriptors(ctx, 1); return err },
		"SMARTLog":             func(ctx context.Context) error { _, err := c.SMARTLog(ctx); return err },
		"ErrorLog":             func(ctx context.Context) error { _, err := c.ErrorLog(ctx, nil); return err },
		"ErrorLog id":          func(ctx context.Context) error { _, err := c.ErrorLog(ctx, &IdentifyController{}); return err },
		"FirmwareSlotLog":      func(ctx context.Context) error { _, err := c.FirmwareSlotLog(ctx); return err },
	}
	for name, call := range calls {
		sent = 0
		if err := call(t.Context()); !errors.Is(err, gone) || sent != 1 {
			t.Errorf("%s: %v after %d commands, want the host's error after 1", name, err, sent)
		}
	}
}

func TestControllerIsSafeForConcurrentUse(t *testing.T) {
	c := NewController(new(fake))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := c.Identify(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := c.SMARTLog(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestNamespaceDescriptors(t *testing.T) {
	page := descriptors(
		[]byte{1, 8, 0, 0, 0x5c, 0xd2, 0xe4, 1, 2, 3, 4, 5},
		append([]byte{2, 16, 0, 0}, fill(16, 0x22)...),
		append([]byte{0x7F, 5, 0, 0}, fill(5, 0xEE)...),
		append([]byte{3, 16, 0, 0}, fill(16, 0x33)...),
		[]byte{4, 1, 0, 0, 2},
	)
	dev := &fake{answer: func(cmd *Command) Status {
		copy(cmd.Data, page)
		return StatusSuccess
	}}
	got, err := NewController(dev).NamespaceDescriptors(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	want := NamespaceDescriptors{
		EUI64: Hex64{0x5c, 0xd2, 0xe4, 1, 2, 3, 4, 5},
		NGUID: Hex128(fill(16, 0x22)),
		UUID:  Hex128(fill(16, 0x33)),
		CSI:   2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("descriptors (-want +got):\n%s", diff)
	}
	if cmd := dev.sent[0]; cmd.CDW10 != 3 || cmd.NSID != 5 {
		t.Errorf("command = CDW10 %#x, NSID %d, want 3, 5", cmd.CDW10, cmd.NSID)
	}
}

func TestNamespaceDescriptorsFaults(t *testing.T) {
	eui := []byte{1, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}
	kept := NamespaceDescriptors{EUI64: Hex64{1, 2, 3, 4, 5, 6, 7, 8}}
	tests := []struct {
		name string
		page []byte
		want NamespaceDescriptors
		err  string
	}{
		{"empty", nil, NamespaceDescriptors{}, ""},
		{"all zero", make([]byte, 4096), NamespaceDescriptors{}, ""},
		{"length 0 ends the list", append(append([]byte{}, eui...), 2, 0, 0, 0, 9, 9), kept, ""},
		{"identifiers of zero", descriptors(append([]byte{2, 16, 0, 0}, fill(16, 0)...)), NamespaceDescriptors{}, ""},
		{"wrong length", append(append([]byte{}, eui...), 2, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8), kept,
			"namespace identification descriptor of type 2: length of 8 bytes, want 16"},
		{"wrong length of CSI", []byte{4, 2, 0, 0, 1, 1}, NamespaceDescriptors{},
			"namespace identification descriptor of type 4: length of 2 bytes, want 1"},
		{"beyond the page", append(append([]byte{}, eui...), 3, 16, 0, 0, 1, 2), kept,
			"namespace identification descriptor of type 3: too short: 2 bytes, want 16"},
		{"half a header", append(append([]byte{}, eui...), 3, 16), kept, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := NamespaceDescriptors{CSI: 9}
			err := got.UnmarshalBinary(tt.page)
			if text := errorText(err); text != tt.err {
				t.Errorf("error = %q, want %q", text, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("descriptors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShortInput(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{new(IdentifyController).UnmarshalBinary(make([]byte, 4095)), "Identify Controller: too short: 4095 bytes, want 4096"},
		{new(IdentifyNamespace).UnmarshalBinary(make([]byte, 512)), "Identify Namespace: too short: 512 bytes, want 4096"},
		{new(SMARTLog).UnmarshalBinary(nil), "SMART / Health Information log: too short: 0 bytes, want 512"},
		{new(FirmwareSlotLog).UnmarshalBinary(make([]byte, 511)), "Firmware Slot Information log: too short: 511 bytes, want 512"},
	}
	for _, tt := range tests {
		if !errors.Is(tt.err, ErrShort) || tt.err.Error() != tt.want {
			t.Errorf("error = %v, want %s", tt.err, tt.want)
		}
	}
}

func descriptors(parts ...[]byte) []byte {
	page := make([]byte, 0, 4096)
	for _, p := range parts {
		page = append(page, p...)
	}
	return page[:4096]
}

func fill(n int, b byte) []byte {
	s := make([]byte, n)
	for i := range s {
		s[i] = b
	}
	return s
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// namespaceList writes identifiers in the form of an active namespace list.
func namespaceList(page []byte, ids ...NSID) {
	for i, id := range ids {
		binary.LittleEndian.PutUint32(page[4*i:], uint32(id))
	}
}
