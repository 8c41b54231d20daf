package firmware_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/nvme"
)

// slots is a Firmware Slot log: the active slot, and the revisions from slot 1
// on, "" for an empty one.
func slots(active uint8, revisions ...string) *nvme.FirmwareSlotLog {
	l := &nvme.FirmwareSlotLog{AFI: active}
	for i, r := range revisions {
		copy(l.Revisions[i][:], r)
	}
	return l
}

// drive is an Identify page with these firmware capabilities.
func drive(frmw nvme.FRMW) *nvme.IdentifyController {
	id := &nvme.IdentifyController{OACS: nvme.OACSFirmware, FRMW: frmw, FWUG: 1, MDTS: 5}
	copy(id.FirmwareRevision[:], "OLD")
	return id
}

func TestSlotChoice(t *testing.T) {
	for _, tt := range []struct {
		name string
		frmw nvme.FRMW
		log  *nvme.FirmwareSlotLog
		wish int
		want int
		text string // of the reason, the warnings or the refusal
	}{
		{"one slot", 0x02, slots(1, "OLD"), 0, 1, "no other to go back to"},
		{"none reported", 0x00, slots(1, "OLD"), 0, 1, "no other to go back to"},
		{"one slot, read-only", 0x03, slots(1, "OLD"), 0, 0, "takes no firmware"},
		{"empty one first", 0x06, slots(1, "OLD", "OTHER", ""), 0, 3, "empty"},
		{"not the active one", 0x04, slots(2, "OTHER", "OLD"), 0, 1, "slot 2 is active"},
		{"not slot 1, read-only", 0x07, slots(2, "A", "B", "C"), 0, 3, "slot 2 is active"},
		{"all others read-only", 0x05, slots(2, "A", "B"), 0, 2, "overwritten"},
		{"slot 1 read-only and active", 0x05, slots(1, "A", "B"), 0, 2, "slot 1 is active"},
		{"named", 0x06, slots(1, "A", "B", "C"), 2, 2, "named"},
		{"named, active", 0x06, slots(1, "A", "B", "C"), 1, 1, "overwritten"},
		{"named, read-only", 0x07, slots(2, "A", "B", "C"), 1, 0, "read-only"},
		{"named, not there", 0x06, slots(1, "A", "B", "C"), 4, 0, "has no firmware slot 4"},
		{"named, negative", 0x06, slots(1, "A", "B", "C"), -1, 0, "has no firmware slot"},
	} {
		p, err := firmware.NewPlan(firmware.Facts{Controller: drive(tt.frmw), Slots: tt.log}, firmware.Request{Image: imageOf(t, 4096), Slot: tt.wish})
		checkChoice(t, tt.name, p, err, tt.want, tt.text)
	}
}

// checkChoice compares a slot and looks for words; want 0 is a refusal.
func checkChoice(t *testing.T, name string, p *firmware.Plan, err error, want int, text string) {
	t.Helper()
	var refused *firmware.RequestError
	if want == 0 {
		if !errors.As(err, &refused) || !strings.Contains(refused.Text, text) || refused.Hint == "" {
			t.Errorf("%s: %v, want a refusal with %q", name, err, text)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if said := p.SlotWhy + strings.Join(p.Warnings, " "); p.Slot != want || !strings.Contains(said, text) {
		t.Errorf("%s: slot %d, %q; want %d, %q", name, p.Slot, said, want, text)
	}
}

func TestStoredSlotChoice(t *testing.T) {
	for _, tt := range []struct {
		name string
		log  *nvme.FirmwareSlotLog
		wish int
		want int
		text string
	}{
		{"the only other", slots(1, "A", "", "C"), 0, 3, "only other"},
		{"several", slots(1, "A", "B", "C"), 0, 0, "[2 3]"},
		{"none", slots(1, "A"), 0, 0, "no other slot"},
		{"named", slots(1, "A", "B", "C"), 2, 2, "named"},
		{"empty", slots(1, "A", "", "C"), 2, 0, "empty"},
		{"active", slots(1, "A", "B", "C"), 1, 0, "runs already"},
		{"not there", slots(1, "A", "B", "C"), 7, 0, "no firmware slot 7"},
	} {
		p, err := firmware.NewPlan(firmware.Facts{Controller: drive(0x06), Slots: tt.log}, firmware.Request{Slot: tt.wish})
		checkChoice(t, tt.name, p, err, tt.want, tt.text)
		if err == nil && (p.Action != firmware.ActivateAtReset || p.Chunks != 0 || len(p.Operation().Commands) != 1 || p.Operation().Name != "activate") {
			t.Errorf("%s: plan %+v", tt.name, p)
		}
	}
}

func TestNoFirmwareCommands(t *testing.T) {
	id := drive(2)
	id.OACS = 0
	p, err := firmware.NewPlan(firmware.Facts{Controller: id, Slots: slots(1)}, firmware.Request{Image: imageOf(t, 4)})
	checkChoice(t, "OACS", p, err, 0, "OACS")
}

func TestAction(t *testing.T) {
	for _, tt := range []struct {
		name           string
		frmw           nvme.FRMW
		vendor, device uint16
		action         int
		reset          firmware.Reset
		commands       int
	}{
		{"at a reset", 0x06, 0x8086, 0, firmware.ReplaceAndReset, firmware.ControllerReset, 4},
		{"without a reset", 0x16, 0x8086, 0, firmware.ActivateNow, firmware.NoReset, 5},
		{"Phison needs a shutdown", 0x06, 0x1987, 0x5016, firmware.ReplaceAndReset, firmware.PowerCycle, 4},
		{"Kingston needs a shutdown", 0x06, 0x2646, 1, firmware.ReplaceAndReset, firmware.PowerCycle, 4},
		{"Micron needs a shutdown, whatever FRMW says", 0x16, 0x1344, 1, firmware.ActivateNow, firmware.PowerCycle, 5},
		{"one drive of SK hynix does", 0x06, 0x1C5C, 0x1D59, firmware.ReplaceAndReset, firmware.PowerCycle, 4},
		{"others of SK hynix do not", 0x06, 0x1C5C, 0x174A, firmware.ReplaceAndReset, firmware.ControllerReset, 4},
		{"one drive of Solidigm does", 0x06, 0x025E, 0xF1AB, firmware.ReplaceAndReset, firmware.PowerCycle, 4},
		{"Lexar needs action 3", 0x06, 0x1D97, 1, firmware.ActivateNow, firmware.NoReset, 5},
		{"Maxio needs action 3", 0x06, 0x1E4B, 1, firmware.ActivateNow, firmware.NoReset, 5},
	} {
		f := firmware.Facts{Controller: drive(tt.frmw), Slots: slots(1, "A"), VendorID: tt.vendor, DeviceID: tt.device}
		p, err := firmware.NewPlan(f, firmware.Request{Image: imageOf(t, 4096)})
		if err != nil {
			t.Fatal(err)
		}
		if p.Action != tt.action || p.Reset != tt.reset || len(p.Operation().Commands) != tt.commands || p.ActionWhy == "" || p.ResetWhy == "" {
			t.Errorf("%s: action %d, reset %s, %d commands", tt.name, p.Action, p.Reset, len(p.Operation().Commands))
		}
	}
	// Without a PCI function Identify's vendor counts.
	id := drive(0x06)
	id.VID = 0x1987
	if p, err := firmware.NewPlan(firmware.Facts{Controller: id, Slots: slots(1)}, firmware.Request{Image: imageOf(t, 4096)}); err != nil || p.Reset != firmware.PowerCycle {
		t.Errorf("by VID: %+v, %v", p, err)
	}
}

func TestStandStillIsSaid(t *testing.T) {
	id := drive(0x16)
	id.MTFA = 25
	p, err := firmware.NewPlan(firmware.Facts{Controller: id, Slots: slots(1)}, firmware.Request{Image: imageOf(t, 4096)})
	if err != nil || !strings.Contains(strings.Join(p.Notes, " "), "2.5s") {
		t.Errorf("notes %q, %v", p.Notes, err)
	}
}

func TestPadding(t *testing.T) {
	for _, tt := range []struct {
		name               string
		fwug, mdts         uint8
		vendor             uint16
		size               int
		pad                bool
		chunk, count, last int
		padding            int
		warns              string
	}{
		{"whole", 1, 5, 0, 8192, false, 4096, 2, 4096, 0, ""},
		{"short last one", 1, 5, 0, 4156, false, 4096, 2, 60, 0, "--pad"},
		{"padded", 1, 5, 0, 4156, true, 4096, 2, 4096, 4036, ""},
		{"forced alignment", 1, 5, 0x1987, 4156, false, 4096, 2, 4096, 4036, ""},
		{"16 KiB", 4, 5, 0, 20480, false, 16384, 2, 4096, 0, "--pad"},
		{"16 KiB, padded", 4, 5, 0, 20480, true, 16384, 2, 16384, 12288, ""},
		{"no granularity reported", 0, 5, 0, 4156, false, 4096, 2, 60, 0, ""},
		{"no restriction", 0xFF, 5, 0, 4156, false, 4096, 2, 60, 0, ""},
		{"MDTS below", 4, 1, 0, 16384, false, 8192, 2, 8192, 0, "contradicts itself"},
		{"no MDTS", 4, 0, 0, 16384, false, 16384, 1, 16384, 0, ""},
	} {
		id := drive(0x06)
		id.FWUG, id.MDTS, id.VID = tt.fwug, tt.mdts, tt.vendor
		p, err := firmware.NewPlan(firmware.Facts{Controller: id, Slots: slots(1, "A")}, firmware.Request{Image: imageOf(t, tt.size), Pad: tt.pad})
		if err != nil {
			t.Fatal(err)
		}
		if p.ChunkBytes != tt.chunk || p.Chunks != tt.count || p.LastBytes != tt.last || p.Padding != tt.padding {
			t.Errorf("%s: %d chunks of %d, the last of %d, padding %d", tt.name, p.Chunks, p.ChunkBytes, p.LastBytes, p.Padding)
		}
		if got := strings.Join(p.Warnings, " "); !strings.Contains(got, tt.warns) || tt.warns == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", tt.name, got, tt.warns)
		}
	}
}

func TestReadImage(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size int64) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("abcd"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		return path
	}
	i, err := firmware.ReadImage(write("good", 4))
	if err != nil || i.Bytes != 4 || i.SHA256 != "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589" {
		t.Errorf("%+v, %v", i, err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		write("empty", 0): "empty", write("odd", 4001): "multiple of 4", write("large", firmware.MaxImageBytes+4): "more than",
		dir: "not a regular file", fifo: "not a regular file", filepath.Join(dir, "none"): "no such file",
	} {
		if i, err := firmware.ReadImage(name); err == nil || i != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		status   nvme.Status
		accepted bool
		reset    firmware.Reset
		again    bool
	}{
		{0, true, firmware.NoReset, false},
		{0x106, false, firmware.NoReset, false},
		{0x107, false, firmware.NoReset, false},
		{0x10B, true, firmware.ConventionalReset, false},
		{0x110, true, firmware.SubsystemReset, false},
		{0x4111, true, firmware.ControllerReset, false},
		{0x112, false, firmware.NoReset, true},
		{0x113, false, firmware.NoReset, false},
		{0x114, false, firmware.NoReset, false},
		{0x120, false, firmware.NoReset, false},
		{0x006, false, firmware.NoReset, false},
	} {
		a := firmware.Explain(tt.status)
		if a.Accepted != tt.accepted || a.Reset != tt.reset || a.Again != tt.again || a.Text == "" {
			t.Errorf("%#x: %+v", uint16(tt.status), a)
		}
		if !a.Accepted && a.Do == "" {
			t.Errorf("%#x: nothing to do", uint16(tt.status))
		}
	}
}

func TestResetWords(t *testing.T) {
	for reset, want := range map[firmware.Reset]string{
		firmware.NoReset: "no reset", firmware.ControllerReset: "nvme reset", firmware.SubsystemReset: "subsystem",
		firmware.ConventionalReset: "conventional", firmware.PowerCycle: "a restart is not enough", "x": "x",
	} {
		if got := reset.Words(); !strings.Contains(got, want) {
			t.Errorf("%s: %q", reset, got)
		}
	}
}

// FuzzChunks divides any size: the parts are whole dwords, in order, without gap
// or overlap.
func FuzzChunks(f *testing.F) {
	f.Add(2629692, uint8(1), uint8(5))
	f.Add(4, uint8(0), uint8(0))
	f.Add(-4, uint8(255), uint8(255))
	f.Fuzz(func(t *testing.T, size int, fwug, mdts uint8) {
		if size > 1<<22 {
			return
		}
		chunk := firmware.ChunkBytes(&nvme.IdentifyController{FWUG: fwug, MDTS: mdts})
		list, err := firmware.Chunks(size, chunk)
		if err != nil {
			if size > 0 && size%4 == 0 {
				t.Errorf("%d bytes: %v", size, err)
			}
			return
		}
		at := 0
		for _, c := range list {
			if c.Offset != at || c.Bytes <= 0 || c.Bytes > chunk || c.Bytes%4 != 0 {
				t.Fatalf("%+v at %d", c, at)
			}
			at += c.Bytes
		}
		if at != size {
			t.Errorf("%d of %d bytes", at, size)
		}
	})
}
