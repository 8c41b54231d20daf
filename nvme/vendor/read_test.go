package vendor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

const optaneModel = "INTEL SSDPE21D960GA"

// optane is a 905P with all its pages.
func optane(t testing.TB) *drive {
	return &drive{
		pages: map[nvme.LID][]byte{
			lidDirectory:    page(t, "optane-directory.c0"),
			lidReadLatency:  page(t, "optane.c1"),
			lidWriteLatency: append([]byte{0xE8, 3, 0, 0}, make([]byte, 72)...),
			lidTemperature:  page(t, "intel.c5"),
			lidSMART:        page(t, "synthetic.ca"),
			lidName:         page(t, "optane.dd"),
		},
		features: map[uint32][]byte{
			0xF7:       thresholds(0, 10, 20, 40, 80, 160, 320, 1000),
			0xF7 | 256: thresholds(0, 15, 30, 60, 120, 240, 480, 2000),
			0xE2:       nil,
		},
	}
}

// outcomes returns the outcome of each page.
func outcomes(readings []Reading) map[string]string {
	m := map[string]string{}
	for _, r := range readings {
		m[fmt.Sprintf("%02X", uint8(r.LID))] = string(r.Outcome)
	}
	return m
}

// asked returns the commands that were sent, by page or feature.
func asked(d *drive) string {
	var s []string
	for _, c := range d.sent {
		kind := "log"
		if c.Opcode == nvme.AdminGetFeatures {
			kind = "feature"
		}
		s = append(s, fmt.Sprintf("%s %02X", kind, c.CDW10&0xFF))
	}
	return strings.Join(s, ", ")
}

func TestReadOptane(t *testing.T) {
	d := optane(t)
	readings := readAll(t, d, identity(0x8086, optaneModel), false)
	want := map[string]string{"C0": "decoded", "CA": "decoded", "C5": "decoded", "DD": "decoded", "C1": "skipped", "C2": "skipped"}
	if diff := cmp.Diff(want, outcomes(readings)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if got, want := asked(d), "log C0, log CA, log C5, log DD"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	for _, c := range d.sent {
		if c.NSID != nvme.BroadcastNSID || c.CDW10>>15&1 != 1 {
			t.Errorf("command %+v: want the broadcast namespace and events kept", c)
		}
	}
	if p := readings[4].Problem; !strings.Contains(p, "zero") || !strings.Contains(p, "request") {
		t.Errorf("C1h skipped because %q", p)
	}
	if got := row(t, readings[3].Rows, "Marketing Name"); got != "Intel(R) Optane(TM) SSD 905P Series" {
		t.Errorf("marketing name = %v", got)
	}
}

func TestReadOptaneOnRequest(t *testing.T) {
	d := optane(t)
	id := identity(0x8086, optaneModel)
	c := nvme.NewController(nvme.ReadOnly(d))
	d.pages[0], d.features[0] = nil, nil
	readings := Read(t.Context(), c, id, optaneModel, true)
	// The write page has no commands, so whether anything counts is asked.
	if got, want := asked(d), "log C0, log CA, log C5, log DD, log C1, feature F7, log C2, feature F7, feature E2"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	read := readings[4].Value.(*LatencyStatistics)
	if got, ok := read.Within(0.5); !ok || got != 20 || read.Tracking != nil {
		t.Errorf("read median below %d us, tracking %v", got, read.Tracking)
	}
	write := readings[5].Value.(*LatencyStatistics)
	if write.Tracking == nil || *write.Tracking || *write.Buckets[1].Lower != 15 {
		t.Errorf("write page %+v", write)
	}
	if got := row(t, readings[5].Rows, "Latency Tracking"); got != false {
		t.Errorf("tracking row = %v", got)
	}
	for _, cmd := range d.sent {
		if cmd.Opcode == nvme.AdminGetLogPage && uint8(cmd.CDW10) == 0xC1 && len(cmd.Data) < optaneBytes {
			t.Errorf("C1h was read with %d bytes, which clears it for the rest", len(cmd.Data))
		}
	}
}

// TestReadRefusals holds that each refusal is one command, and counted.
func TestReadRefusals(t *testing.T) {
	d := new(drive)
	readings := readAll(t, d, identity(0x8086, optaneModel), true)
	refusals := 0
	for _, r := range readings {
		refusals += r.Refusals
		if r.Outcome != Refused || r.Status == nil || !errors.Is(r.Err, nvme.StatusInvalidLogPage) || r.Raw != nil || r.Value != nil {
			t.Errorf("%v: %+v", r.LID, r)
		}
	}
	if refusals != 6 || len(d.sent) != 6 {
		t.Errorf("%d refusals counted, %d commands sent, want 6", refusals, len(d.sent))
	}
}

// TestReadWithoutDirectory holds that a drive that has none of the pages is
// asked for one only, unless the user wants all.
func TestReadWithoutDirectory(t *testing.T) {
	d := new(drive)
	readings := readAll(t, d, identity(0x8086, optaneModel), false)
	if got, want := asked(d), "log C0"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if r := readings[1]; r.Outcome != Skipped || !strings.Contains(r.Problem, "no directory") {
		t.Errorf("CAh: %v, %q", r.Outcome, r.Problem)
	}
}

func TestReadRefusedFeatures(t *testing.T) {
	d := optane(t)
	d.features = nil
	readings := readAll(t, d, identity(0x8086, optaneModel), true)
	read, write := readings[4], readings[5]
	if read.Outcome != Decoded || read.Refusals != 1 || write.Refusals != 2 {
		t.Errorf("read %v with %d refusals, write with %d", read.Outcome, read.Refusals, write.Refusals)
	}
	if read.Value.(*LatencyStatistics).Buckets[0].Lower != nil || write.Value.(*LatencyStatistics).Tracking != nil {
		t.Error("bounds or tracking without an answer")
	}
}

func TestReadBadThresholds(t *testing.T) {
	d := optane(t)
	d.features[0xF7] = make([]byte, 32)
	r := readAll(t, d, identity(0x8086, optaneModel), true)[4]
	if r.Outcome != Decoded || r.Problem == "" || !errors.Is(r.Err, ErrLayout) {
		t.Errorf("reading %v, problem %q", r.Outcome, r.Problem)
	}
}

// TestReadListed holds that the directory saves refusals, and that the user's
// request goes beyond it.
func TestReadListed(t *testing.T) {
	nand := identity(0x8086, "INTEL SSDPEDMD400G4")
	d := optane(t)
	d.pages[lidDirectory] = make([]byte, logDirectoryBytes)
	d.pages[lidDirectory][0], d.pages[lidDirectory][2*0xCA] = 1, 1
	d.pages[lidReadLatency] = page(t, "intel-3.0.c1")
	readAll(t, d, nand, false)
	if got, want := asked(d), "log C0, log CA"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	d.sent = nil
	readings := readAll(t, d, nand, true)
	if got, want := asked(d), "log C0, log CA, log C1, log C2, feature F7, feature E2"; got != want {
		t.Errorf("on request sent %s, want %s", got, want)
	}
	if readings[2].Outcome != Skipped || !strings.Contains(readings[2].Problem, "list") {
		t.Errorf("C5h: %v, %q", readings[2].Outcome, readings[2].Problem)
	}
}

func TestReadOCP(t *testing.T) {
	d := &drive{pages: map[nvme.LID][]byte{
		0xC0: page(t, "wdc-sn640.c0"), 0xC1: page(t, "ocp.c1"), 0xC3: page(t, "ocp.c3"),
	}}
	readings := readAll(t, d, identity(0x1B96, "WUS4BB019D4M9E7"), false)
	want := map[string]string{"C0": "decoded", "C1": "decoded", "C3": "decoded"}
	if diff := cmp.Diff(want, outcomes(readings)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	d.pages[0xC0] = page(t, "wdc-eol.c0")
	readings = readAll(t, d, identity(0x1B96, "WUS4BB019D4M9E7"), false)
	want["C1"], want["C3"] = "skipped", "skipped"
	if diff := cmp.Diff(want, outcomes(readings)); diff != "" {
		t.Errorf("outcomes without an OCP page (-want +got):\n%s", diff)
	}
	// On an Intel drive the same page is no directory, so that nothing is skipped.
	d.pages[0xC0] = page(t, "ocp-25.c0")
	d.pages[0xC5] = append(make([]byte, 16), "DEVICE-1        DEVICE-2        "...)
	readings = readAll(t, d, identity(0x025E, "SOLIDIGM SSDPF2KX038T1"), false)
	want = map[string]string{"C0": "decoded", "CA": "refused", "C5": "unrecognized", "DD": "refused", "C1": "decoded", "C2": "refused"}
	if diff := cmp.Diff(want, outcomes(readings)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if got := typeName(readings[4].Value); got != "*vendor.OCPErrorRecovery" {
		t.Errorf("C1h decodes as %s", got)
	}
}

func TestReadUnrecognized(t *testing.T) {
	d := optane(t)
	d.pages[lidTemperature] = page(t, "wdc-eol.c0")
	d.pages[lidSMART] = make([]byte, 512)
	readings := readAll(t, d, identity(0x8086, optaneModel), false)
	for _, r := range readings[1:3] {
		if r.Outcome != Unrecognized || !errors.Is(r.Err, ErrLayout) || len(r.Raw) == 0 || r.Value != nil || r.Refusals != 0 {
			t.Errorf("%v: %v, %q, %d bytes", r.LID, r.Outcome, r.Problem, len(r.Raw))
		}
	}
}

// TestReadLost holds that a drive that has fallen silent is asked only once.
func TestReadLost(t *testing.T) {
	d := optane(t)
	d.broken = context.DeadlineExceeded
	readings := readAll(t, d, identity(0x8086, optaneModel), true)
	if len(d.sent) != 1 || len(readings) != 6 {
		t.Errorf("%d commands, %d readings", len(d.sent), len(readings))
	}
	if r := readings[0]; r.Outcome != Failed || !errors.Is(r.Err, context.DeadlineExceeded) || r.Refusals != 0 {
		t.Errorf("first: %+v", r)
	}
	if r := readings[5]; r.Outcome != Skipped || !strings.Contains(r.Problem, "not tried after") {
		t.Errorf("last: %v, %q", r.Outcome, r.Problem)
	}
}

// TestReadLostAtFeature is the same for a drive that is lost between a page and
// its features.
func TestReadLostAtFeature(t *testing.T) {
	d := optane(t)
	c := nvme.NewController(nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		if cmd.Opcode == nvme.AdminGetFeatures {
			d.broken = context.DeadlineExceeded
		}
		return d.Submit(ctx, cmd)
	}))
	d.pages[lidReadLatency] = d.pages[lidWriteLatency]
	readings := Read(t.Context(), c, identity(0x8086, optaneModel), optaneModel, true)
	if readings[4].Outcome != Decoded || readings[5].Outcome != Skipped || len(d.sent) != 6 {
		t.Errorf("outcomes %v after %d commands", outcomes(readings), len(d.sent))
	}
}

func TestReadWithoutIdentity(t *testing.T) {
	d := new(drive)
	if got := Read(t.Context(), nvme.NewController(d), nil, optaneModel, true); got != nil || len(d.sent) != 0 {
		t.Errorf("%d readings, %d commands", len(got), len(d.sent))
	}
}

func TestReadingJSON(t *testing.T) {
	readings := readAll(t, optane(t), identity(0x8086, optaneModel), false)
	keys := []string{"lid", "name", "bytes", "why", "outcome", "status", "refusals", "value", "rows", "raw"}
	for _, r := range readings {
		o := object(t, r)
		for _, k := range keys {
			if _, ok := o[k]; !ok {
				t.Errorf("%v: no key %s in %v", r.LID, k, maps.Keys(o))
			}
		}
		if (r.Raw == nil) != (o["raw"] == nil) {
			t.Errorf("%v: raw %v", r.LID, o["raw"])
		}
	}
	if got, err := json.Marshal(Raw{1, 0xAB}); err != nil || string(got) != `"01ab"` {
		t.Errorf("raw = %s, %v", got, err)
	}
}

func TestWriteAmplification(t *testing.T) {
	tests := []struct {
		media, host nvme.Uint128
		want        float64
		ok          bool
	}{
		{nvme.U128(300), nvme.U128(200), 1.5, true},
		{nvme.Uint128{Hi: 2}, nvme.Uint128{Hi: 1}, 2, true},
		{nvme.U128(0), nvme.U128(200), 0, false},
		{nvme.U128(300), nvme.U128(0), 0, false},
	}
	for _, tt := range tests {
		if got, ok := WriteAmplification(tt.media, tt.host); got != tt.want || ok != tt.ok {
			t.Errorf("WriteAmplification(%v, %v) = %v, %v, want %v, %v", tt.media, tt.host, got, ok, tt.want, tt.ok)
		}
	}
}

func TestAmplificationOf(t *testing.T) {
	reading := func(name string) Reading {
		v, err := layouts[name](page(t, name))
		if err != nil {
			t.Fatal(err)
		}
		return Reading{Log: Log{LID: 0xAA}, Value: v}
	}
	small := &AdditionalSMART{Items: []SMARTItem{{ID: itemMediaWritten, Raw: Uint48{31}}, {ID: itemHostWritten, Raw: Uint48{40}}}}
	tests := []struct {
		name     string
		readings []Reading
		units    uint64
		want     float64
	}{
		{"P3600, own counters", []Reading{{}, reading("intel.c5"), reading("intel-p3600.ca")}, 1, 1.305},
		{"P4511", []Reading{reading("intel-p4511.ca")}, 0, 3.559},
		{"SN640 with the SMART log", []Reading{reading("wdc-sn640.c0")}, 600_000_000, 1.985},
		{"SN640 without it", []Reading{reading("wdc-sn640.c0")}, 0, 0},
		{"7300", []Reading{reading("micron-7300.d0")}, 1_000_000_000, 1.783},
		{"units that are not known", []Reading{reading("micron-2200.fb")}, 1_000_000, 0},
		{"no NAND counter", []Reading{reading("synthetic.ca")}, 1_000_000, 0},
		{"too little", []Reading{{Value: small}}, 0, 0},
		{"none", nil, 1_000_000, 0},
	}
	for _, tt := range tests {
		got := AmplificationOf(tt.readings, nvme.U128(tt.units))
		if (got != nil) != (tt.want != 0) {
			t.Errorf("%s: %+v, want %v", tt.name, got, tt.want)
		} else if got != nil && (got.Factor < tt.want-0.001 || got.Factor > tt.want+0.001 || got.LID != 0xAA) {
			t.Errorf("%s: %+v, want %v", tt.name, got, tt.want)
		}
	}
	if got := AmplificationOf([]Reading{reading("wdc-sn640.c0")}, nvme.Uint128{Hi: 1}); got != nil {
		t.Errorf("a count that cannot be: %+v", got)
	}
}
