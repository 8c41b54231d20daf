package nvme

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFeatureRequestCommand(t *testing.T) {
	buf := make([]byte, 8)
	tests := []struct {
		name string
		req  FeatureRequest
		buf  []byte
		want Command
	}{
		{"current", FeatureRequest{FID: FIDVolatileWriteCache}, nil, Command{Opcode: 0x0A, CDW10: 0x006}},
		{"default", FeatureRequest{FID: FIDPowerManagement, Select: FeatureDefault}, nil, Command{Opcode: 0x0A, CDW10: 0x102}},
		{"saved, of a namespace", FeatureRequest{FID: FIDNamespaceWriteProtected, Select: FeatureSaved, NSID: 5}, nil, Command{Opcode: 0x0A, NSID: 5, CDW10: 0x284}},
		{"capabilities", FeatureRequest{FID: 0xC0, Select: FeatureCapabilities}, nil, Command{Opcode: 0x0A, CDW10: 0x3C0}},
		{"with a threshold and data", FeatureRequest{FID: FIDTemperatureThreshold, CDW11: 0x00100000}, buf, Command{Opcode: 0x0A, CDW10: 0x004, CDW11: 0x00100000, Data: buf}},
		{"of a UUID", FeatureRequest{FID: 0xC0, UUIDIndex: 0x83}, nil, Command{Opcode: 0x0A, CDW10: 0xC0, CDW14: 3}},
		{"select has three bits", FeatureRequest{FID: 1, Select: 8}, nil, Command{Opcode: 0x0A, CDW10: 0x001}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(&tt.want, tt.req.Command(tt.buf)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestFeature(t *testing.T) {
	dev := PassthruFunc(func(_ context.Context, cmd *Command) (Completion, error) {
		if FID(cmd.CDW10) == FIDHostIdentifier {
			return Completion{Status: 0x4002}, nil
		}
		for i := range cmd.Data {
			cmd.Data[i] = byte(i + 1)
		}
		return Completion{Result: 0xAAAAAAAA_00000101}, nil
	})
	c := NewController(ReadOnly(dev))
	value, data, err := c.Feature(t.Context(), FeatureRequest{FID: FIDTimestamp, Bytes: 4})
	if err != nil || value != 0x101 || !cmp.Equal(data, []byte{1, 2, 3, 4}) {
		t.Errorf("Feature = %#x, % x, %v, want dword 0 and 4 bytes", value, data, err)
	}
	if value, data, err = c.Feature(t.Context(), FeatureRequest{FID: FIDVolatileWriteCache}); err != nil || value != 0x101 || data != nil {
		t.Errorf("Feature = %#x, %v, %v, want no data", value, data, err)
	}
	_, data, err = c.Feature(t.Context(), FeatureRequest{FID: FIDHostIdentifier, Bytes: 8})
	if !errors.Is(err, ErrNotSupported) || data != nil {
		t.Errorf("Feature = %v, %v, want ErrNotSupported and no data", data, err)
	}
	if got, want := err.Error(), "Get Features (Host Identifier): Invalid Field in Command"; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("error %q, want %q first", got, want)
	}
	if _, _, err := c.Feature(t.Context(), FeatureRequest{FID: FIDTimestamp, Bytes: -1}); err == nil {
		t.Error("a negative length gave no error")
	}
}

func TestFeatureSettingCommand(t *testing.T) {
	data := []byte{1, 2}
	tests := []struct {
		name string
		s    FeatureSetting
		want Command
	}{
		{"a dword", FeatureSetting{FID: FIDVolatileWriteCache, CDW11: 1}, Command{Opcode: 0x09, CDW10: 0x06, CDW11: 1}},
		{"saved", FeatureSetting{FID: FIDPowerManagement, CDW11: 2, Save: true}, Command{Opcode: 0x09, CDW10: 0x8000_0002, CDW11: 2}},
		{"of a namespace", FeatureSetting{FID: FIDNamespaceWriteProtected, NSID: 3, CDW11: 1}, Command{Opcode: 0x09, NSID: 3, CDW10: 0x84, CDW11: 1}},
		{"all dwords", FeatureSetting{FID: 0xC1, CDW11: 1, CDW12: 2, CDW13: 3, UUIDIndex: 0xFF, CDW15: 5}, Command{Opcode: 0x09, CDW10: 0xC1, CDW11: 1, CDW12: 2, CDW13: 3, CDW14: 0x7F, CDW15: 5}},
		{"data", FeatureSetting{FID: FIDTimestamp, Data: data}, Command{Opcode: 0x09, CDW10: 0x0E, Data: data}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(&tt.want, tt.s.Command()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
