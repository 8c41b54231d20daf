package nvme_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// threeTimes37MB are the bytes of a telemetry log of three parts of 37 MB.
const threeTimes37MB = 3 * 37_000_000 / 512 * 512

// telemetryDrive opens a simulated drive with a fault script, and asks it who it
// is.
func telemetryDrive(t *testing.T, profile, script string) (*sim.Drive, *nvme.Controller, *nvme.IdentifyController) {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	faults, err := sim.ParseFaults(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	if script != "" {
		d.WithFaults(faults)
	}
	c := nvme.NewController(nvme.ReadOnly(d))
	id, err := c.Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d, c, id
}

func errorEntries(t *testing.T, c *nvme.Controller) uint64 {
	t.Helper()
	l, err := c.SMARTLog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l.ErrorLogEntries.Lo
}

func TestTelemetry(t *testing.T) {
	const profile = "nand-modern?telemetry=200000"
	for _, tt := range []struct {
		name, profile, script string
		req                   nvme.TelemetryRequest
		want                  error
		bytes                 int
	}{
		{"area 1", "nand-modern", "", nvme.TelemetryRequest{LID: 7, Area: 1, Create: true}, nil, 9 * 512},
		{"area 3", profile, "", nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, nil, 391 * 512},
		{"area 4 that is not there", profile, "", nvme.TelemetryRequest{LID: 7, Area: 4, Create: true}, nvme.ErrNoTelemetry, 0},
		{"area 5", profile, "", nvme.TelemetryRequest{LID: 7, Area: 5, Create: true}, errAny, 0},
		{"host data that nobody made", profile, "", nvme.TelemetryRequest{LID: 7, Area: 3}, nvme.ErrNoTelemetry, 0},
		{"controller", profile, "", nvme.TelemetryRequest{LID: 8, Area: 3}, nil, 391 * 512},
		{"controller, released", profile, "", nvme.TelemetryRequest{LID: 8, Area: 3, Release: true}, nil, 391 * 512},
		{"controller without data", "nand-modern", "", nvme.TelemetryRequest{LID: 8, Area: 3}, nvme.ErrNoTelemetry, 0},
		{"no telemetry at all", "fake", "", nvme.TelemetryRequest{LID: 7, Area: 3}, nvme.StatusInvalidLogPage, 0},
		{"a part fails", profile, `{"when":{"log_id":7,"after_count":2},"do":"status","status":6,"times":1}`,
			nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, nvme.StatusInternalError, 64 << 10},
		{"half of a part comes", profile, `{"when":{"log_id":7,"after_count":2},"do":"short","times":1}`,
			nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, nvme.ErrTelemetryShort, 96 << 10},
		{"longer than it is", profile, `{"when":{"log_id":7},"do":"long-header","count":3}`,
			nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, nvme.ErrTelemetryShort, 391 * 512},
		{"much longer than it is", profile, `{"when":{"log_id":7},"do":"long-header","count":30000}`,
			nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, nvme.ErrTelemetryShort, 391 * 512},
		{"longer at the end", profile, `{"when":{"log_id":7,"after_count":5},"do":"long-header","count":3}`,
			nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, nvme.ErrTelemetryChanged, 391 * 512},
		{"new data in the middle", profile, `{"when":{"log_id":7,"after_count":3},"do":"new-telemetry","times":1}`,
			nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, nvme.ErrTelemetryChanged, 391 * 512},
		{"new data at once", profile, `{"when":{"log_id":7,"after_count":1},"do":"new-telemetry","times":1}`,
			nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, nvme.ErrTelemetryChanged, 0},
		{"the controller captures again", profile, `{"when":{"log_id":8,"after_count":3},"do":"new-telemetry","times":1}`,
			nvme.TelemetryRequest{LID: 8, Area: 3}, nvme.ErrTelemetryChanged, 391 * 512},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c, id := telemetryDrive(t, tt.profile, tt.script)
			var file bytes.Buffer
			h, err := c.Telemetry(t.Context(), id, tt.req, &file)
			if !errors.Is(err, tt.want) && (tt.want != errAny || err == nil) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if file.Len() != tt.bytes {
				t.Errorf("%d bytes, want %d", file.Len(), tt.bytes)
			}
			if err == nil && (h.LID != tt.req.LID || file.Bytes()[0] != byte(tt.req.LID)) {
				t.Errorf("header of %v", h.LID)
			}
		})
	}
}

// errAny stands for any error.
var errAny = errors.New("any error")

// TestTelemetryWhole reads a log of 111 MB, which needs area 4: the first three
// reach 33.5 MB. The file is that of one command after the other, and reading
// adds no error.
func TestTelemetryWhole(t *testing.T) {
	_, c, id := telemetryDrive(t, "nand-modern?telemetry=111000064", "")
	before := errorEntries(t, c)
	var file bytes.Buffer
	var last, total uint64
	req := nvme.TelemetryRequest{LID: 7, Area: 4, Create: true, Progress: func(done, of uint64) { last, total = done, of }}
	h, err := c.Telemetry(t.Context(), id, req, &file)
	if err != nil {
		t.Fatal(err)
	}
	if want := threeTimes37MB + 512; uint64(file.Len()) != (uint64(h.LastBlock[3])+1)*512 || file.Len() < want {
		t.Errorf("%d bytes, want %d", file.Len(), want)
	}
	if last != total || total != uint64(file.Len()) {
		t.Errorf("progress %d of %d, want %d", last, total, file.Len())
	}
	tail, err := c.LogPage(t.Context(), nvme.GetLogPage{LID: 7, Offset: uint64(file.Len()) - 1024, Bytes: 1024, KeepEvent: true})
	if err != nil || !bytes.HasSuffix(file.Bytes(), tail) {
		t.Errorf("the end of the file is another than that of the page: %v", err)
	}
	if after := errorEntries(t, c); after != before {
		t.Errorf("%d entries in the error log", after-before)
	}
}

// TestTelemetryGoesOn cuts a reading and goes on where it ended.
func TestTelemetryGoesOn(t *testing.T) {
	_, c, id := telemetryDrive(t, "nand-modern?telemetry=400000", `{"when":{"log_id":7,"after_count":3},"do":"status","status":6,"times":1}`)
	var file, whole bytes.Buffer
	if _, err := c.Telemetry(t.Context(), id, nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, &file); !errors.Is(err, nvme.StatusInternalError) {
		t.Fatalf("error %v", err)
	}
	req := nvme.TelemetryRequest{LID: 7, Area: 3, From: uint64(file.Len()), Start: bytes.Clone(file.Bytes()[:512])}
	if _, err := c.Telemetry(t.Context(), id, req, &file); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Telemetry(t.Context(), id, nvme.TelemetryRequest{LID: 7, Area: 3}, &whole); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file.Bytes(), whole.Bytes()) {
		t.Error("the file of two parts is another than that of one")
	}
	req.Create = true
	if _, err := c.Telemetry(t.Context(), id, req, &file); !errors.Is(err, nvme.ErrTelemetryChanged) {
		t.Errorf("going on with other data: %v", err)
	}
}

// TestTelemetryWithoutOffsets is case 46 of the real drives: telemetry, but no
// extended data.
func TestTelemetryWithoutOffsets(t *testing.T) {
	d, _, id := telemetryDrive(t, "nand-modern?telemetry=200000", "")
	id.LPA &^= nvme.LPAExtendedData
	c := nvme.NewController(d)
	var file bytes.Buffer
	_, err := c.Telemetry(t.Context(), id, nvme.TelemetryRequest{LID: 7, Area: 3, Create: true}, &file)
	if !errors.Is(err, nvme.ErrNotSupported) || file.Len() != 16384 || !strings.Contains(err.Error(), "16384 of 200192 bytes") {
		t.Errorf("%d bytes, error %v", file.Len(), err)
	}
	file.Reset()
	if _, err := c.Telemetry(t.Context(), id, nvme.TelemetryRequest{LID: 7, Area: 1}, &file); err != nil || file.Len() != 13312 {
		t.Errorf("what fits into a command: %d bytes, error %v", file.Len(), err)
	}
}

// TestTelemetryInterrupted ends the context in the middle.
func TestTelemetryInterrupted(t *testing.T) {
	_, c, id := telemetryDrive(t, "nand-modern?telemetry=2000000", "")
	ctx, cancel := context.WithCancel(t.Context())
	var file bytes.Buffer
	req := nvme.TelemetryRequest{LID: 7, Area: 3, Create: true, Progress: func(done, total uint64) {
		if done > total/2 {
			cancel()
		}
	}}
	_, err := c.Telemetry(ctx, id, req, &file)
	if !errors.Is(err, context.Canceled) || file.Len() < 1_000_000 || file.Len() > 1_100_000 {
		t.Errorf("%d bytes, error %v", file.Len(), err)
	}
}

// TestTelemetryHeader gives headers that contradict themselves.
func TestTelemetryHeader(t *testing.T) {
	header := func(areas [3]uint16, fourth uint32) []byte {
		b := make([]byte, 512)
		b[0] = 7
		for i, a := range areas {
			binary.LittleEndian.PutUint16(b[8+2*i:], a)
		}
		binary.LittleEndian.PutUint32(b[16:], fourth)
		return b
	}
	for _, tt := range []struct {
		name  string
		b     []byte
		area  int
		bytes uint64
		want  error
	}{
		{"all", header([3]uint16{1, 2, 3}, 4), 4, 5 * 512, nil},
		{"areas that are empty", header([3]uint16{1, 1, 1}, 0), 3, 2 * 512, nil},
		{"no area 4", header([3]uint16{1, 2, 3}, 0), 4, 0, nvme.ErrNoTelemetry},
		{"backwards", header([3]uint16{4, 2, 3}, 0), 3, 0, nvme.ErrTelemetry},
		{"area 4 before area 3", header([3]uint16{1, 2, 3}, 2), 4, 0, nvme.ErrTelemetry},
		{"backwards behind what is wanted", header([3]uint16{4, 2, 3}, 0), 1, 5 * 512, nil},
		{"nothing", header([3]uint16{}, 0), 3, 0, nvme.ErrNoTelemetry},
		{"more than 2 TB", header([3]uint16{1, 2, 3}, 0xFFFFFFFF), 4, 1 << 41, nil},
	} {
		var h nvme.TelemetryHeader
		if err := h.UnmarshalBinary(tt.b); err != nil {
			t.Fatal(err)
		}
		if n, err := h.Bytes(tt.area); n != tt.bytes || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d bytes, %v, want %d, %v", tt.name, n, err, tt.bytes, tt.want)
		}
	}
	if err := new(nvme.TelemetryHeader).UnmarshalBinary(make([]byte, 511)); !errors.Is(err, nvme.ErrShort) {
		t.Errorf("a short header: %v", err)
	}
}

// FuzzTelemetryHeader decodes any header.
func FuzzTelemetryHeader(f *testing.F) {
	f.Add(make([]byte, 512))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h nvme.TelemetryHeader
		if h.UnmarshalBinary(b) != nil {
			return
		}
		for area := range 6 {
			if n, err := h.Bytes(area); err == nil && (n < 1024 || n%512 != 0) {
				t.Errorf("area %d: %d bytes", area, n)
			}
		}
	})
}
