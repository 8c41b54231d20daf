package vendor

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// identified returns a controller that has read Identify of a drive.
func identified(t *testing.T, d *drive, id *nvme.IdentifyController) *nvme.Controller {
	t.Helper()
	var first nvme.Passthru = nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		if cmd.Opcode != nvme.AdminIdentify {
			return d.Submit(ctx, cmd)
		}
		b, err := binary.Append(nil, binary.LittleEndian, id)
		copy(cmd.Data, b)
		return nvme.Completion{}, err
	})
	c := nvme.NewController(nvme.ReadOnly(first))
	if _, err := c.Identify(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLatencyPageInOneCommand holds that a page that reading clears is not read
// in parts, with and without Identify before it.
func TestLatencyPageInOneCommand(t *testing.T) {
	id := identity(0x8086, optaneModel)
	for _, tt := range []struct {
		name  string
		ready bool
		bytes int
	}{{"after Identify", true, latencyBytes}, {"before Identify", false, 4096}} {
		d := optane(t)
		c := nvme.NewController(d)
		if tt.ready {
			c = identified(t, d, id)
		}
		Read(t.Context(), c, id, optaneModel, true)
		times := 0
		for _, cmd := range d.sent {
			if cmd.Opcode == nvme.AdminGetLogPage && nvme.LID(cmd.CDW10) == lidReadLatency {
				times++
				if len(cmd.Data) != tt.bytes {
					t.Errorf("%s: %d bytes, want %d", tt.name, len(cmd.Data), tt.bytes)
				}
			}
		}
		if times != 1 {
			t.Errorf("%s: page C1h was read %d times", tt.name, times)
		}
	}
}

// TestPageInPartsIsOneRefusal does the same for a drive whose transfers are
// short: a refusal ends the reading.
func TestPageInPartsIsOneRefusal(t *testing.T) {
	id := identity(0x8086, "INTEL SSDPE2KX080T8")
	id.MDTS, id.LPA = 0, nvme.LPAExtendedData
	d := new(drive)
	readings := Read(t.Context(), identified(t, d, id), id, id.ModelNumber.String(), true)
	if got := len(d.sent); got != len(readings) {
		t.Errorf("%d commands for %d refused pages", got, len(readings))
	}
}

// TestRefusedNamespace holds that a page is not asked for twice where a drive
// refuses the namespace: that would be two entries in its error log.
func TestRefusedNamespace(t *testing.T) {
	sent := 0
	c := nvme.NewController(nvme.PassthruFunc(func(context.Context, *nvme.Command) (nvme.Completion, error) {
		sent++
		return nvme.Completion{Status: nvme.StatusInvalidField}, nil
	}))
	id := identity(0x1344, "Micron_9300_MTFDHAL3T8TDP")
	readings := Read(t.Context(), c, id, id.ModelNumber.String(), false)
	if sent != 1 || len(readings) != 1 || readings[0].Refusals != 1 {
		t.Errorf("%d commands, %+v", sent, readings)
	}
}

// TestManyBucketsAreNoRows holds that a full histogram stays out of the rows.
func TestManyBucketsAreNoRows(t *testing.T) {
	b := bytes.Repeat([]byte{1, 0, 0, 0}, 1+fineBuckets)
	binary.LittleEndian.PutUint32(b, 4|1<<16)
	var p LatencyStatistics
	if err := p.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Rows() {
		if strings.HasPrefix(r.Name, "Commands, ") {
			t.Errorf("row %v", r)
		}
	}
	if got, want := row(t, p.Rows(), "Commands"), uint64(fineBuckets); got != want {
		t.Errorf("commands = %v, want %v", got, want)
	}
	if lower, ok := p.Within(0); !ok || lower != 1 {
		t.Errorf("Within(0) = %d, %v, want 1", lower, ok)
	}
}

func TestEmptyLatencyPage(t *testing.T) {
	var p LatencyStatistics
	if err := p.UnmarshalBinary(append([]byte{4, 0, 1, 0}, make([]byte, 4*fineBuckets)...)); err != nil {
		t.Fatal(err)
	}
	if upper, ok := p.Within(0.5); ok || p.Commands() != 0 {
		t.Errorf("%d commands, half within %d us", p.Commands(), upper)
	}
	if got := len(p.Rows()); got != 2 {
		t.Errorf("%d rows, want revision and commands: %v", got, p.Rows())
	}
}
