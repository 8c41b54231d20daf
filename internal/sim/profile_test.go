package sim

import (
	"errors"
	"slices"
	"strings"
	"syscall"
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
	if diff := cmp.Diff(want, p, cmp.AllowUnexported(parameters{}, override{})); diff != "" {
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

// TestNandModern checks what the profile promises.
func TestNandModern(t *testing.T) {
	d := open(t, "nand-modern")
	c := nvme.NewController(d)
	id, err := c.Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{
		"ver": id.Version, "oacs": id.OACS, "oncs": id.ONCS, "frmw": id.FRMW, "lpa": id.LPA, "fna": id.FNA, "vwc": id.VWC,
		"sanicap": id.SANICAP, "npss": id.NPSS, "apsta": id.APSTA, "hctma": id.HCTMA, "nn": id.NN, "mdts": id.MaxTransferBytes(),
		"wctemp": id.WCTEMP, "cctemp": id.CCTEMP, "edstt": id.EDSTT, "nwpc": id.NWPC, "endgidmax": id.ENDGIDMAX,
		"tnvmcap": id.TNVMCAP, "unvmcap": id.UNVMCAP,
	}
	want := map[string]any{
		"ver": nvme.Version(0x20000), "oacs": nvme.OACS(0x1F), "oncs": nvme.ONCS(0xDF), "frmw": nvme.FRMW(0x17), "lpa": nvme.LPA(0x3E),
		"fna": nvme.FNACryptoErase, "vwc": uint8(7), "sanicap": uint32(0x40000007), "npss": uint8(4), "apsta": uint8(1),
		"hctma": uint16(1), "nn": uint32(32), "mdts": uint64(512 << 10), "wctemp": nvme.Kelvin(356), "cctemp": nvme.Kelvin(361),
		"edstt": uint16(10), "nwpc": uint8(7), "endgidmax": uint16(1),
		"tnvmcap": nvme.U128(1_000_204_886_016), "unvmcap": nvme.U128(1_000_204_886_016 - 800_163_909_632),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Identify Controller (-want +got):\n%s", diff)
	}
	operational := 0
	for i, p := range id.PowerStates() {
		if !p.NonOperational() {
			operational++
		}
		if i > 0 && p.MaxMilliwatts() >= id.PowerStates()[i-1].MaxMilliwatts() {
			t.Errorf("power state %d takes no less than the one before", i)
		}
	}
	if operational != 3 {
		t.Errorf("%d operational power states, want 3", operational)
	}
	ns, err := c.IdentifyNamespace(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	sizes := []uint64{ns.Formats()[0].DataBytes(), ns.Formats()[1].DataBytes()}
	if !slices.Equal(sizes, []uint64{512, 4096}) || ns.FPI != 0x80 || ns.DLFEAT&7 != 1 || ns.NSZE*512 != 800_163_909_632 {
		t.Errorf("namespace %d blocks, formats %v, FPI %#x, DLFEAT %d", ns.NSZE, sizes, ns.FPI, ns.DLFEAT)
	}
	f, err := c.FirmwareSlotLog(t.Context())
	if err != nil || f.ActiveSlot() != 2 || f.Revisions[1].String() != id.FirmwareRevision.String() || f.Revisions[2] != (nvme.ASCII8{}) {
		t.Errorf("firmware slots %+v, %v", f, err)
	}
}

func TestMediaErrors(t *testing.T) {
	d, _ := instantOf(t, optane905PMediaErrors(), nil)
	s := smartLog(t, d)
	if s.MediaErrors.Lo != 2_481_614 || s.ErrorLogEntries.Lo != 2_481_594 || s.PowerOnHours.Lo != 12_601 || s.CriticalWarning != 0 {
		t.Errorf("SMART log %+v", s)
	}
	log := errorLogOf(t, d)
	if len(log) != 64 {
		t.Fatalf("%d entries, want 64", len(log))
	}
	want := nvme.ErrorLogEntry{ErrorCount: 2_481_590, SQID: 1, CID: 0x6380, StatusInfo: 0xC502, LBA: 1_875_384_968, NSID: 1}
	if diff := cmp.Diff(want, log[4], cmp.AllowUnexported(nvme.ErrorLogEntry{})); diff != "" {
		t.Errorf("entry 4 (-want +got):\n%s", diff)
	}
	for i, e := range log {
		if e.ErrorCount != 2_481_594-uint64(i) || e.StatusInfo.Status().Code() != nvme.StatusUnrecoveredReadError {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
	for _, lba := range []uint64{1_875_384_832, 1_875_384_968} {
		reject(t, d, ioCmd(nvme.IORead, 1, lba, 1, 512), nvme.StatusUnrecoveredReadError)
		blocks(t, d, lba-1, 1)
		blocks(t, d, lba+1, 1)
	}
	if got := smartLog(t, d).MediaErrors.Lo; got != 2_481_616 {
		t.Errorf("%d media errors after two more", got)
	}
	id, err := nvme.NewController(d).Identify(t.Context())
	if err != nil || id.ModelNumber.String() != "INTEL SSDPED1D960GAY" || id.LPA != 2 {
		t.Errorf("model %v, LPA %v, %v", id.ModelNumber, id.LPA, err)
	}
}

func TestWorn(t *testing.T) {
	d, _ := instantOf(t, nandWorn(), nil)
	s := smartLog(t, d)
	if s.PercentageUsed != 105 || s.CriticalWarning != nvme.WarningReadOnly {
		t.Errorf("%d %% used, critical warning %#x", s.PercentageUsed, s.CriticalWarning)
	}
	blocks(t, d, 0, 8)
	reject(t, d, writeCmd(0, 1, 1), nvme.StatusWriteToReadOnlyRange)
	reject(t, d, formatCmd(1, 0, 1), nvme.StatusWriteToReadOnlyRange)
	if _, err := d.WriteAt([]byte{1}, 0); !errors.Is(err, nvme.StatusWriteToReadOnlyRange) {
		t.Errorf("WriteAt: %v", err)
	}
	// The host cannot make a worn medium writable.
	accept(t, d, with(setCmd(nvme.FIDNamespaceWriteProtected, protectYes), func(c *nvme.Command) { c.NSID = 1 }))
	accept(t, d, with(setCmd(nvme.FIDNamespaceWriteProtected, protectNone), func(c *nvme.Command) { c.NSID = 1 }))
	reject(t, d, writeCmd(0, 1, 1), nvme.StatusWriteToReadOnlyRange)
}

func TestFake(t *testing.T) {
	d := open(t, "fake")
	id, err := nvme.NewController(d).Identify(t.Context())
	if err != nil || id.ModelNumber.String() != "Samsung SSD 990 PRO 2TB" || id.VID != 0x10EC {
		t.Errorf("model %v of vendor %#x, %v", id.ModelNumber, id.VID, err)
	}
	texts, _ := d.Sysfs()
	if got := texts[pciDevice+"/vendor"]; got != "0x10ec\n" {
		t.Errorf("sysfs says vendor %q", got)
	}
	s := smartLog(t, d)
	if s.UnsafeShutdowns.Lo <= s.PowerCycles.Lo || s.DataUnitsRead.Lo*nvme.DataUnit/512 > s.HostReadCommands.Lo {
		t.Error("the counters are possible")
	}
}

func TestDead(t *testing.T) {
	d := open(t, "dead")
	cmd := identifyCmd(nvme.CNSController, 0)
	if _, err := d.Submit(t.Context(), cmd); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("Submit: %v, want ENODEV", err)
	}
	if _, ones := nvme.IsBlankPage(cmd.Data); !ones {
		t.Error("the page is not all ones")
	}
	if _, err := d.ReadAt(make([]byte, 512), 0); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("ReadAt: %v, want ENODEV", err)
	}
	data := []byte{7}
	if _, err := d.WriteAt(data, 0); !errors.Is(err, syscall.ENODEV) || data[0] != 7 {
		t.Errorf("WriteAt: %v, data %d", err, data[0])
	}
	texts, links := d.Sysfs()
	if texts[controllerAt+"/state"] != "dead\n" || texts[controllerAt+"/serial"] != "QD1SIM905PDEAD000001\n" {
		t.Errorf("state %q, serial %q", texts[controllerAt+"/state"], texts[controllerAt+"/serial"])
	}
	if _, ok := links["class/block/nvme0n1"]; ok {
		t.Error("a dead drive has a namespace")
	}
}

// TestThrottlingIsSlower checks the way from the temperature to the latency, in
// the time of the medium.
func TestThrottlingIsSlower(t *testing.T) {
	d, now := instantOf(t, throttling(), func(p *personality) { p.medium.read = 1_000_000 })
	read := func() time.Duration {
		begin := time.Now()
		_, ready := d.Begin(ioCmd(nvme.IORead, 1, 0, 8, 4096))
		return ready.Sub(begin)
	}
	cool := read()
	d.controller.activity.busy.Add(int64(time.Hour))
	*now = now.Add(time.Hour)
	time.Sleep(tickTime + time.Millisecond) // The drive looks again.
	if hot := read(); hot < cool*3/2 {
		t.Errorf("a read takes %v when hot, %v when cool", hot, cool)
	}
}

// TestProfilesAreSound checks that every profile has what it lists.
func TestProfilesAreSound(t *testing.T) {
	for _, p := range Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			d, _ := instantOf(t, p, func(p *personality) { p.dead = false })
			c := d.controller
			for _, lid := range c.personality.logs {
				if _, ok := c.findLog(lid); !ok {
					t.Errorf("log page %v is listed and not there", lid)
				}
			}
			for _, cns := range c.personality.cns {
				if c.identifyHandler(cns) == nil {
					t.Errorf("%v is listed and not there", cns)
				}
			}
			for fid := range c.personality.features {
				if _, ok := c.rules[fid]; !ok || !c.declared(fid) {
					t.Errorf("%v is listed and not there", fid)
				}
			}
			if errors := smartLog(t, d).ErrorLogEntries; errors != c.personality.smart.ErrorLogEntries {
				t.Errorf("%v errors when opened", errors)
			}
		})
	}
}
