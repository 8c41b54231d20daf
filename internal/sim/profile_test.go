package sim

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestOptane905P checks what the profile promises, through the client that
// everything else uses.
func TestOptane905P(t *testing.T) {
	ctx := t.Context()
	d := open(t, "optane-905p")
	c := nvme.NewController(d)
	id, err := c.Identify(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{
		"model": id.ModelNumber.String(), "serial": id.SerialNumber.String(), "firmware": id.FirmwareRevision.String(),
		"vid": id.VID, "ssvid": id.SSVID, "ieee": id.IEEE.String(),
		"oacs": id.OACS, "oncs": id.ONCS, "frmw": id.FRMW, "lpa": id.LPA, "elpe": id.ELPE, "npss": id.NPSS,
		"mdts": id.MaxTransferBytes(), "watts": id.PowerStates()[0].MaxPower, "ver": id.Version, "nn": id.NN, "vwc": id.VWC,
	}
	want := map[string]any{
		"model": "INTEL SSDPE21D960GA", "serial": "QD1SIM905PFRESH00001", "firmware": "E2010480",
		"vid": uint16(0x8086), "ssvid": uint16(0x8086), "ieee": "5cd2e4",
		"oacs": nvme.OACS(7), "oncs": nvme.ONCS(6), "frmw": nvme.FRMW(2), "lpa": nvme.LPA(0x0A), "elpe": uint8(63), "npss": uint8(0),
		"mdts": uint64(32 * 4096), "watts": uint16(1800), "ver": nvme.Version(0), "nn": uint32(1), "vwc": uint8(0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Identify Controller (-want +got):\n%s", diff)
	}
	ns, err := c.IdentifyNamespace(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if ns.NSZE*512 != 960_197_124_096 || len(ns.Formats()) != 1 || ns.Format().DataBytes() != 512 {
		t.Errorf("namespace of %d blocks with formats %v", ns.NSZE, ns.Formats())
	}
	if d.Size() != 960_197_124_096 || d.BlockBytes() != 512 {
		t.Errorf("size %d of blocks of %d", d.Size(), d.BlockBytes())
	}
	s := smartLog(t, d)
	if s.PowerCycles != nvme.U128(3) || s.PowerOnHours.Lo > 1 || s.CompositeTemperature != 308 ||
		s.AvailableSpare != 100 || s.AvailableSpareThreshold != 0 {
		t.Errorf("SMART log %+v", s)
	}
	f, err := c.FirmwareSlotLog(ctx)
	if err != nil || f.ActiveSlot() != 1 || f.Revisions[0].String() != "E2010480" || f.Revisions[1] != (nvme.ASCII8{}) {
		t.Errorf("firmware slots %+v, %v", f, err)
	}
}

func TestOptane905PUsed(t *testing.T) {
	d := open(t, "optane-905p-used")
	s := smartLog(t, d)
	got := []uint64{s.PowerCycles.Lo, s.PowerOnHours.Lo, s.UnsafeShutdowns.Lo, s.DataUnitsWritten.Lo, s.MediaErrors.Lo}
	if want := []uint64{132, 4125, 54, 17_153_344, 0}; !slices.Equal(got, want) {
		t.Errorf("cycles, hours, unsafe shutdowns, units written, media errors %v, want %v", got, want)
	}
	id, err := nvme.NewController(d).Identify(t.Context())
	if err != nil || id.FirmwareRevision.String() != "E2010650" || id.SerialNumber.String() != "QD1SIM905PUSED000001" {
		t.Errorf("Identify %v %v, %v", id.FirmwareRevision, id.SerialNumber, err)
	}
}

// TestClientAddsNoErrors is the aim of every reading command: none of them may
// grow the drive's error log. A drive of NVMe 1.0 has no list of namespaces,
// and asking for it costs one entry.
func TestClientAddsNoErrors(t *testing.T) {
	for _, tc := range []struct {
		profile string
		want    uint64
	}{
		{"optane-905p", 0},
		{"optane-905p-used", 0},
		{"optane-905p?active_list=no", 0},
	} {
		t.Run(tc.profile, func(t *testing.T) {
			ctx := t.Context()
			d := open(t, tc.profile)
			c := nvme.NewController(d)
			id, err := c.Identify(ctx)
			if err != nil {
				t.Fatal(err)
			}
			list, err := c.ActiveNamespaces(ctx, id)
			if err != nil || !slices.Equal(list, []nvme.NSID{1}) {
				t.Errorf("active namespaces %v, %v, want [1]", list, err)
			}
			for name, read := range map[string]func() error{
				"IdentifyNamespace": func() error { _, err := c.IdentifyNamespace(ctx, 1); return err },
				"SMARTLog":          func() error { _, err := c.SMARTLog(ctx); return err },
				"ErrorLog":          func() error { _, err := c.ErrorLog(ctx, id); return err },
				"FirmwareSlotLog":   func() error { _, err := c.FirmwareSlotLog(ctx); return err },
			} {
				if err := read(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if got := smartLog(t, d).ErrorLogEntries.Lo; got != tc.want {
				t.Errorf("%d entries in the error log, want %d", got, tc.want)
			}
		})
	}
}

func TestProfiles(t *testing.T) {
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
		if p.Text == "" {
			t.Errorf("profile %s has no text", p.Name)
		}
		open(t, p.Name)
	}
	if !slices.Contains(names, "optane-905p") || !slices.Contains(names, "optane-905p-used") {
		t.Errorf("profiles %v", names)
	}
	// A caller that changes what it got does not change the next drive.
	p, err := find("optane-905p")
	if err != nil {
		t.Fatal(err)
	}
	p.personality.features[nvme.FIDTemperatureThreshold] = 1
	if again, _ := find("optane-905p"); again.personality.features[nvme.FIDTemperatureThreshold] == 1 {
		t.Error("profiles share a map")
	}
}

func TestParameters(t *testing.T) {
	p, err := parseParameters("read_latency=50us&write_latency=1ms&seed=7&silent=io&silent=admin&active_list=no")
	if err != nil {
		t.Fatal(err)
	}
	want := &parameters{
		readLatency: 50 * time.Microsecond, writeLatency: time.Millisecond, seed: 7,
		silent: map[nvme.Queue]bool{nvme.AdminQueue: true, nvme.IOQueue: true}, noActiveList: true,
	}
	if diff := cmp.Diff(want, p, cmp.AllowUnexported(parameters{})); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	got := optane905P().personality
	p.apply(&got)
	if got.medium.read != 50*time.Microsecond || got.medium.write != time.Millisecond || got.medium.seed != 7 || len(got.cns) != 2 {
		t.Errorf("applied: %+v, CNS %v", got.medium, got.cns)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tc := range []struct{ profile, want string }{
		{"", "optane-905p"},
		{"nand", `no simulated drive "nand": the profiles are optane-905p, optane-905p-used`},
		{"optane-905p?latency=1us", `unknown parameter "latency": the parameters are read_latency`},
		{"optane-905p?read_latency=fast", "read_latency=fast"},
		{"optane-905p?read_latency=0", "not between"},
		{"optane-905p?read_latency=-1us", "not between"},
		{"optane-905p?read_latency=2m", "not between"},
		{"optane-905p?seed=-1", "seed=-1"},
		{"optane-905p?silent=both", `"admin" and "io"`},
		{"optane-905p?active_list=yes", `"no"`},
		{"optane-905p?%zz", "parameters"},
	} {
		d, err := Open(tc.profile)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("Open(%q): %v, want an error with %q", tc.profile, err, tc.want)
		}
		if d != nil {
			t.Errorf("Open(%q) returned a drive", tc.profile)
		}
	}
}
