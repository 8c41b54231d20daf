package nvme_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// actions notes the actions of the Persistent Event log that a drive is asked
// for.
func actions(d *sim.Drive) *[]uint8 {
	var list []uint8
	d.WithTrace(func(cmd *nvme.Command) {
		if cmd.Opcode == nvme.AdminGetLogPage && nvme.LID(cmd.CDW10) == nvme.LIDPersistentEvent {
			list = append(list, uint8(cmd.CDW10>>8)&3)
		}
	})
	return &list
}

func TestPersistentEventLog(t *testing.T) {
	d, c, id := telemetryDrive(t, "nand-modern", "")
	before := errorEntries(t, c)
	asked := actions(d)
	for range 2 {
		page, err := c.PersistentEventLog(t.Context(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		var h nvme.PersistentEventHeader
		if err := h.UnmarshalBinary(page); err != nil || h.Bytes != uint64(len(page)) || h.Events == 0 {
			t.Errorf("%d bytes: header %+v, %v", len(page), h, err)
		}
	}
	if want := []uint8{1, 0, 2, 1, 0, 2}; !slices.Equal(want, *asked) {
		t.Errorf("actions %v, want %v", *asked, want)
	}
	if after := errorEntries(t, c); after != before {
		t.Errorf("%d entries in the error log", after-before)
	}
}

// TestPersistentEventContext holds that the context is released on every way out.
func TestPersistentEventContext(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		asked        []uint8
		want         error
	}{
		{"reading fails", `{"when":{"log_id":13,"after_count":1},"do":"status","status":6,"times":1}`, []uint8{1, 0, 2}, nvme.StatusInternalError},
		{"no context comes", `{"when":{"log_id":13},"do":"status","status":6,"times":1}`, []uint8{1}, nvme.StatusInternalError},
		{"no answer to the first command", `{"when":{"log_id":13},"do":"disconnect","times":1}`, []uint8{1, 2}, sim.ErrDisconnect},
		{"releasing fails", `{"when":{"log_id":13,"after_count":2},"do":"status","status":6}`, []uint8{1, 0, 2}, nvme.StatusInternalError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, c, id := telemetryDrive(t, "nand-modern", tt.script)
			asked := actions(d)
			_, err := c.PersistentEventLog(t.Context(), id, nil)
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if !slices.Equal(tt.asked, *asked) {
				t.Errorf("actions %v, want %v", *asked, tt.asked)
			}
		})
	}
}

// TestPersistentEventInterrupted ends the context between two parts: the drive
// must be free for the next reader.
func TestPersistentEventInterrupted(t *testing.T) {
	_, c, id := telemetryDrive(t, "nand-modern", "")
	id.MDTS = 0
	id.LPA |= nvme.LPAExtendedData
	ctx, cancel := context.WithCancel(t.Context())
	_, err := c.PersistentEventLog(ctx, id, func(uint64, uint64) { cancel() })
	if err != nil {
		t.Errorf("the log was whole before the end of the context: %v", err)
	}
	if _, err := c.PersistentEventLog(ctx, id, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	if _, err := c.PersistentEventLog(t.Context(), id, nil); err != nil {
		t.Errorf("the next reader: %v", err)
	}
}

// TestPersistentEventForeignContext meets the context of another program.
func TestPersistentEventForeignContext(t *testing.T) {
	_, c, id := telemetryDrive(t, "nand-modern", "")
	if _, err := c.LogPage(t.Context(), nvme.GetLogPage{LID: nvme.LIDPersistentEvent, LSP: nvme.PersistentEventEstablish, Bytes: 512}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PersistentEventLog(t.Context(), id, nil); !errors.Is(err, nvme.ErrPersistentEventContext) {
		t.Fatalf("error %v", err)
	}
	if page, err := c.LogPage(t.Context(), nvme.GetLogPage{LID: nvme.LIDPersistentEvent, Bytes: 512}); err != nil || page[0] != 0x0D {
		t.Errorf("the context of the other program is gone: %v", err)
	}
	if err := c.ReleasePersistentEventLog(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PersistentEventLog(t.Context(), id, nil); err != nil {
		t.Error(err)
	}
}

// lengths answers Get Log Page with a header of a length that is not true.
type lengths struct{ total []byte }

func (l lengths) Submit(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if len(cmd.Data) >= 16 {
		copy(cmd.Data[8:], l.total)
	}
	return nvme.Completion{}, nil
}

// TestPersistentEventLength gives lengths that no log has: neither too much memory
// nor a panic comes of them.
func TestPersistentEventLength(t *testing.T) {
	id := &nvme.IdentifyController{LPA: nvme.LPAExtendedData, PELS: 1}
	for _, total := range [][]byte{bytes.Repeat([]byte{0xFF}, 8), {1, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 1, 0, 0, 0, 0, 0}} {
		if _, err := nvme.NewController(lengths{total}).PersistentEventLog(t.Context(), id, nil); err == nil {
			t.Errorf("length % x was taken", total)
		}
	}
	page, err := nvme.NewController(lengths{[]byte{0xFF, 3, 0, 0, 0, 0, 0, 0}}).PersistentEventLog(t.Context(), id, nil)
	if err != nil || len(page) != 1023 {
		t.Errorf("%d bytes, %v, want 1023", len(page), err)
	}
	id.LPA = 0
	page, err = nvme.NewController(lengths{[]byte{0, 0, 1, 0, 0, 0, 0, 0}}).PersistentEventLog(t.Context(), id, nil)
	if !errors.Is(err, nvme.ErrNotSupported) || len(page) != 16384 {
		t.Errorf("without offsets: %d bytes, %v", len(page), err)
	}
}
