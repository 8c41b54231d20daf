package nvme

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSecurityReceiveCommand(t *testing.T) {
	buf := make([]byte, 2048)
	tests := []struct {
		name string
		req  SecurityReceive
		want Command
	}{
		{"list of protocols", SecurityReceive{}, Command{Opcode: 0x82, CDW11: 2048, Data: buf}},
		{"level 0 discovery", SecurityReceive{Protocol: 1, Specific: 1}, Command{Opcode: 0x82, CDW10: 0x01000100, CDW11: 2048, Data: buf}},
		{"both bytes of SPSP", SecurityReceive{NSID: 3, Protocol: 0xEA, Specific: 0x1234}, Command{Opcode: 0x82, NSID: 3, CDW10: 0xEA123400, CDW11: 2048, Data: buf}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(&tt.want, tt.req.Command(buf)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// secure is a device with a list of protocols, or a status for it, and an answer
// to Level 0 Discovery.
func secure(list []byte, refused Status, answer []byte) *fake {
	return &fake{answer: func(cmd *Command) Status {
		switch cmd.CDW10 {
		case 0x00000000:
			copy(cmd.Data[6:], append([]byte{byte(len(list) >> 8), byte(len(list))}, list...))
			return refused
		case 0x01000100:
			copy(cmd.Data, answer)
			return StatusSuccess
		}
		return StatusInvalidField
	}}
}

func TestSecurityProtocols(t *testing.T) {
	got, err := NewController(secure([]byte{0x00, 0x01, 0x02, 0xEF}, 0, nil)).SecurityProtocols(t.Context())
	if err != nil || !slices.Equal(got, []uint8{0x00, 0x01, 0x02, 0xEF}) {
		t.Errorf("SecurityProtocols = % X, %v", got, err)
	}
	if _, err := NewController(secure(nil, StatusInvalidOpcode, nil)).SecurityProtocols(t.Context()); !errors.Is(err, ErrNotSupported) {
		t.Errorf("refused: %v, want ErrNotSupported", err)
	}
}

func TestParseSecurityProtocols(t *testing.T) {
	tests := []struct {
		name string
		b    []byte
		want []uint8
		err  error
	}{
		{"header cut", make([]byte, 7), nil, ErrShort},
		{"none", make([]byte, 8), []uint8{}, nil},
		{"more than there are bytes", []byte{0, 0, 0, 0, 0, 0, 0, 2, 1}, nil, ErrShort},
		{"both bytes of the length", append([]byte{0, 0, 0, 0, 0, 0, 1, 0}, fill(256, 7)...), fill(256, 7), nil},
		{"padding", []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 1, 2}, []uint8{1}, nil},
	}
	for _, tt := range tests {
		got, err := parseSecurityProtocols(tt.b)
		if !errors.Is(err, tt.err) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: % X, %v, want % X, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func FuzzParseSecurityProtocols(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := parseSecurityProtocols(b); err == nil && len(list) > len(b)-8 {
			t.Errorf("%d protocols in %d bytes", len(list), len(b))
		}
	})
}

func TestControllerLevel0Discovery(t *testing.T) {
	answer := level0(short(0x0002, 0x07, 0), featureOpalV2)
	tests := []struct {
		name    string
		list    []byte
		refused Status
		asked   bool
	}{
		{"in the list", []byte{0x00, 0x01}, 0, true},
		{"not in the list", []byte{0x00, 0xEA}, 0, false},
		{"empty list", nil, 0, true},
		{"list refused", nil, 0x4002, true},
		{"list that cannot be", slices.Repeat([]byte{0xFF}, 505), 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dev := secure(tt.list, tt.refused, answer)
			got, err := NewController(ReadOnly(dev)).Level0Discovery(t.Context())
			if !tt.asked {
				if !errors.Is(err, ErrNotSupported) || len(dev.sent) != 1 {
					t.Errorf("%v after %d commands, want ErrNotSupported after 1", err, len(dev.sent))
				}
				return
			}
			if err != nil || got.Locking == nil || !got.Locking.Locked || !got.OpalV2 {
				t.Errorf("Level0Discovery = %+v, %v, want a locked Opal drive", got, err)
			}
		})
	}
}

func TestControllerLevel0DiscoveryErrors(t *testing.T) {
	gone := errors.New("gone")
	calls := 0
	c := NewController(PassthruFunc(func(context.Context, *Command) (Completion, error) { calls++; return Completion{}, gone }))
	if _, err := c.Level0Discovery(t.Context()); !errors.Is(err, gone) || calls != 1 {
		t.Errorf("a drive that is gone: %v after %d commands", err, calls)
	}
	refuses := &fake{answer: func(*Command) Status { return StatusInvalidOpcode }}
	if _, err := NewController(refuses).Level0Discovery(t.Context()); !errors.Is(err, ErrNotSupported) || len(refuses.sent) != 2 {
		t.Errorf("a drive that refuses: %v", err)
	}
	torn := level0(short(0x0002, 0x07, 0))
	torn[3] = 0xFF
	got, err := NewController(secure([]byte{1}, 0, torn[:64])).Level0Discovery(t.Context())
	if err != nil || got.Locking == nil {
		t.Errorf("zero descriptors after the last: %+v, %v", got, err)
	}
	if _, err := NewController(secure([]byte{1}, 0, nil)).Level0Discovery(t.Context()); !errors.Is(err, ErrShort) {
		t.Errorf("a page of zeroes: %v, want ErrShort", err)
	}
}
