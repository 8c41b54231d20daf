package sim

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func downloadCmd(off int, part []byte) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminFirmwareImageDownload, CDW10: uint32(len(part)/4 - 1), CDW11: uint32(off / 4), Data: part}
}

func commitCmd(action, slot uint32) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminFirmwareCommit, CDW10: action<<3 | slot}
}

// image is a firmware file of the drive's model.
func image(t testing.TB, d *Drive, revision string, needs Activation) []byte {
	t.Helper()
	b, err := FirmwareImage{Model: d.controller.id.ModelNumber.String(), Revision: revision, Needs: needs}.Bytes(12 << 10)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// download gives the drive a firmware in parts of 4 KiB, the last one first.
func download(t testing.TB, d *Drive, b []byte) {
	t.Helper()
	for off := len(b) - 4096; off >= 0; off -= 4096 {
		accept(t, d, downloadCmd(off, b[off:off+4096]))
	}
}

// firmwareOf returns the running revision, and the Firmware Slot log.
func firmwareOf(t testing.TB, d *Drive) (string, *nvme.FirmwareSlotLog) {
	t.Helper()
	c := nvme.NewController(d)
	id, err := c.Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	log, err := c.FirmwareSlotLog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id.FirmwareRevision.String(), log
}

func TestFirmwareRules(t *testing.T) {
	// Firmware Image Download command, Firmware Commit command; FWUG is 4 KiB.
	checkRulesOf(t, nandModern, []rule{
		{"part", downloadCmd(8192, make([]byte, 4096)), nvme.StatusSuccess, 0},
		{"part of the wrong length", downloadCmd(0, make([]byte, 2048)), nvme.StatusInvalidField, 40},
		{"part at the wrong place", downloadCmd(2048, make([]byte, 4096)), nvme.StatusInvalidField, 44},
		{"part far behind", downloadCmd(64<<20, make([]byte, 4096)), nvme.StatusInvalidField, 44},
		{"part without data", with(downloadCmd(0, make([]byte, 4096)), func(c *nvme.Command) { c.Data = nil }), nvme.StatusDataSGLLengthInvalid, 24},
		{"commit of nothing", commitCmd(commitReplaceAndReset, 2), nvme.StatusInvalidFirmwareImage, 40},
		{"commit to slot 1, which is read-only", commitCmd(commitReplace, 1), nvme.StatusInvalidFirmwareSlot, 40},
		{"commit to slot 4 of 3", commitCmd(commitReplace, 4), nvme.StatusInvalidFirmwareSlot, 40},
		{"activate slot 1", commitCmd(commitAtReset, 1), nvme.StatusSuccess, 0},
		{"activate slot 3, which is empty", commitCmd(commitAtReset, 3), nvme.StatusInvalidFirmwareImage, 40},
		{"activate slot 1 now", commitCmd(commitNow, 1), nvme.StatusSuccess, 0},
		{"reserved action", commitCmd(4, 2), nvme.StatusInvalidField, 40},
		{"boot partition", commitCmd(6, 2), nvme.StatusInvalidField, 40},
	})
	checkRules(t, []rule{
		// FRMW bit 4 of a 905P is clear; it has one slot. FWUG is 0.
		{"activation without reset", commitCmd(commitNow, 1), nvme.StatusInvalidField, 40},
		{"slot 2", commitCmd(commitReplaceAndReset, 2), nvme.StatusInvalidFirmwareSlot, 40},
		{"short part", downloadCmd(4, make([]byte, 4)), nvme.StatusSuccess, 0},
	})
}

// TestUpdate905P is the update of a drive with one slot: a reset is needed.
func TestUpdate905P(t *testing.T) {
	d, _ := instant(t, nil)
	download(t, d, image(t, d, "E2010650", AnyReset))
	accept(t, d, commitCmd(commitReplaceAndReset, 0))
	revision, log := firmwareOf(t, d)
	if revision != "E2010480" || log.ActiveSlot() != 1 || log.NextSlot() != 1 || log.Revisions[0].String() != "E2010650" {
		t.Errorf("before the reset: %s, log %+v", revision, log)
	}
	d.Reset()
	if revision, log = firmwareOf(t, d); revision != "E2010650" || log.NextSlot() != 0 {
		t.Errorf("after the reset: %s, log %+v", revision, log)
	}
	if texts, _ := d.Sysfs(); texts[controllerAt+"/firmware_rev"] != "E2010650\n" {
		t.Errorf("sysfs says %q", texts[controllerAt+"/firmware_rev"])
	}
}

// TestCommitActions checks the actions and the ways of activation.
//
// Source: NVM Express Base Specification, Revision 2.0, Firmware Commit command
// and Firmware Update Process.
func TestCommitActions(t *testing.T) {
	const old, fresh = "QD1M0110", "QD1M0200"
	reset, subsystem, power := (*Drive).Reset, (*Drive).SubsystemReset, (*Drive).PowerCycle
	for _, tc := range []struct {
		name   string
		needs  Activation
		action uint32
		status nvme.Status
		after  func(*Drive)
		want   string
	}{
		{"replace", AnyReset, commitReplace, 0, power, old},
		{"replace and reset", AnyReset, commitReplaceAndReset, 0, reset, fresh},
		{"now", AnyReset, commitNow, 0, nil, fresh},
		{"now, needs a reset", ControllerReset, commitNow, nvme.StatusFirmwareNeedsControllerReset, nil, old},
		{"now, after the reset", ControllerReset, commitNow, nvme.StatusFirmwareNeedsControllerReset, reset, fresh},
		{"reset that is not enough", SubsystemReset, commitReplaceAndReset, nvme.StatusFirmwareNeedsSubsystemReset, reset, old},
		{"subsystem reset", SubsystemReset, commitReplaceAndReset, nvme.StatusFirmwareNeedsSubsystemReset, subsystem, fresh},
		{"subsystem reset that is not enough", ConventionalReset, commitReplaceAndReset, nvme.StatusFirmwareNeedsConventionalReset, subsystem, old},
		{"power cycle", ConventionalReset, commitNow, nvme.StatusFirmwareNeedsConventionalReset, power, fresh},
		{"takes too long", TooLongActivation, commitNow, nvme.StatusFirmwareNeedsMaximumTimeViolation, reset, old},
		{"takes too long but by a reset", TooLongActivation, commitReplaceAndReset, 0x112, reset, fresh},
		{"prohibited", ProhibitedActivation, commitReplaceAndReset, nvme.StatusFirmwareActivationProhibited, power, old},
	} {
		d := modern(t, nil)
		download(t, d, image(t, d, fresh, tc.needs))
		status := submit(t, d, commitCmd(tc.action, 3)).Status.Code()
		if tc.needs == TooLongActivation && tc.action != commitNow {
			tc.status = nvme.StatusSuccess
		}
		if status != tc.status {
			t.Errorf("%s: %v, want %v", tc.name, status, tc.status)
		}
		if tc.after != nil {
			tc.after(d)
		}
		if got, _ := firmwareOf(t, d); got != tc.want {
			t.Errorf("%s: firmware %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestSlotChoice checks slot 0 and the contents of the slots.
func TestSlotChoice(t *testing.T) {
	d := modern(t, nil)
	download(t, d, image(t, d, "QD1M0200", AnyReset))
	accept(t, d, commitCmd(commitReplaceAndReset, 0))
	_, log := firmwareOf(t, d)
	got := []string{log.Revisions[0].String(), log.Revisions[1].String(), log.Revisions[2].String(), log.Revisions[3].String()}
	if diff := cmp.Diff([]string{"QD1M0100", "QD1M0110", "QD1M0200", ""}, got); diff != "" {
		t.Errorf("slots (-want +got):\n%s", diff)
	}
	if log.ActiveSlot() != 2 || log.NextSlot() != 3 {
		t.Errorf("active %d, next %d, want 2 and 3", log.ActiveSlot(), log.NextSlot())
	}
	// Firmware that waits keeps a sanitize from starting.
	reject(t, d, sanitizeCmd(actionBlock), nvme.StatusFirmwareNeedsControllerReset)
}

func TestBadImages(t *testing.T) {
	d := modern(t, nil)
	good := image(t, d, "QD1M0200", AnyReset)
	damaged := append([]byte(nil), good...)
	damaged[5000] ^= 1
	foreign, err := FirmwareImage{Model: "ANOTHER", Revision: "QD1M0200"}.Bytes(0)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"damaged": damaged, "for another model": foreign, "half": good[:8192], "no image": make([]byte, 4096)} {
		download(t, d, b)
		if got := submit(t, d, commitCmd(commitReplaceAndReset, 2)).Status.Code(); got != nvme.StatusInvalidFirmwareImage {
			t.Errorf("%s: %v", name, got)
		}
	}
	// A hole.
	accept(t, d, downloadCmd(0, good[:4096]))
	accept(t, d, downloadCmd(8192, good[8192:]))
	reject(t, d, commitCmd(commitReplaceAndReset, 2), nvme.StatusInvalidFirmwareImage)
	// An overlap, and parts that a reset drops.
	accept(t, d, downloadCmd(4096, good[4096:]))
	reject(t, d, downloadCmd(8192, good[8192:]), nvme.StatusOverlappingRange)
	d.Reset()
	download(t, d, good)
	accept(t, d, commitCmd(commitReplaceAndReset, 2))
	if _, err := (FirmwareImage{Revision: "LONGER THAN 8"}).Bytes(0); !errors.Is(err, ErrImage) {
		t.Errorf("a revision of 13 characters: %v, want ErrImage", err)
	}
}

// TestImageBytes checks that an image is read as it was written, whatever its
// size.
func TestImageBytes(t *testing.T) {
	for needs := AnyReset; needs <= ProhibitedActivation; needs++ {
		want := FirmwareImage{Model: "A MODEL", Revision: "12345678", Needs: needs}
		for _, size := range []int{0, 1, 4096, 4097, 1 << 20} {
			b, err := want.Bytes(size)
			if err != nil {
				t.Fatal(err)
			}
			if len(b)%4096 != 0 || len(b) < size {
				t.Errorf("image of %d bytes for a size of %d", len(b), size)
			}
			if got, err := parseFirmware(b); err != nil || got != want {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
		}
	}
}

// FuzzFirmware parses any image.
func FuzzFirmware(f *testing.F) {
	b, err := FirmwareImage{Model: "M", Revision: "R"}.Bytes(0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:60])
	f.Fuzz(func(t *testing.T, b []byte) {
		image, err := parseFirmware(b)
		if err == nil && (image.Revision == "" || image.Needs > ProhibitedActivation) {
			t.Errorf("image %+v", image)
		}
	})
}

// TestFirmwareParameter sets the revision of the running firmware, in Identify
// and in its slot.
func TestFirmwareParameter(t *testing.T) {
	for profile, slot := range map[string]int{"optane-905p": 1, "nand-modern": 2} {
		d, err := Open(profile + "?firmware=NEWER")
		if err != nil {
			t.Fatal(err)
		}
		revision, log := firmwareOf(t, d)
		if revision != "NEWER" || log.ActiveSlot() != slot || log.Revisions[slot-1].String() != "NEWER" {
			t.Errorf("%s: %s, slots %+v", profile, revision, log)
		}
		_ = d.Close()
	}
	if _, err := Open("optane-905p?firmware=LONGER-THAN-8"); err == nil {
		t.Error("a revision of 13 characters was taken")
	}
}
