package spec

import (
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// TestLogPages holds that each table is whole, and that no number, name or alias
// stands twice.
func TestLogPages(t *testing.T) {
	names := map[string]nvme.LID{}
	last := -1
	for _, p := range LogPages() {
		if int(p.LID) <= last {
			t.Errorf("%02Xh comes after %02Xh", uint8(p.LID), last)
		}
		last = int(p.LID)
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if other, ok := names[name]; ok {
				t.Errorf("%s is the name of %02Xh and %02Xh", name, uint8(other), uint8(p.LID))
			}
			names[name] = p.LID
			if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" {
				t.Errorf("%q is no word for a command line", name)
			}
		}
		for _, fault := range Check(p.Structure) {
			t.Errorf("%02Xh %s: %s", uint8(p.LID), p.Name, fault)
		}
		if p.Needs.Has(NeedLSI) != (p.Selects != "") {
			t.Errorf("%s needs %b and selects %q", p.Name, p.Needs, p.Selects)
		}
	}
	if len(names) < 60 {
		t.Errorf("only %d names", len(names))
	}
}

// TestLogEvents checks the tables that follow a field of a page.
func TestLogEvents(t *testing.T) {
	for kind := range 256 {
		if s := eventOfType(uint8(kind), 64); s != nil {
			for _, fault := range Check(s) {
				t.Errorf("event %02Xh: %s", kind, fault)
			}
		} else if _, named := eventTypes()[uint64(kind)]; named {
			t.Errorf("event %02Xh has a name and no table", kind)
		}
	}
}

func TestFindLogPage(t *testing.T) {
	for _, tt := range []struct {
		name string
		want int
	}{
		{"smart", 2}, {"smart-log", 2}, {"fw-log", 3}, {"0x0d", 0x0D}, {"13", 0x0D}, {"RESV-NOTIF", 0x80}, {"0xbf", 0xBF},
		{"0xc0", -1}, {"0x70", -1}, {"256", -1}, {"", -1}, {"nothing", -1},
	} {
		p, ok := FindLogPage(tt.name)
		if ok != (tt.want >= 0) || ok && p.LID != nvme.LID(tt.want) {
			t.Errorf("FindLogPage(%q) = %02Xh, %t, want %d", tt.name, uint8(p.LID), ok, tt.want)
		}
	}
}

// TestGates gives each gate a drive that lists its bit alone, and one that lists
// everything else.
func TestGates(t *testing.T) {
	none := &nvme.IdentifyController{}
	var ungated []string
	for _, p := range LogPages() {
		ok, why := p.When.Listed(none)
		if ok {
			ungated = append(ungated, p.Name)
		} else if why == "" {
			t.Errorf("%s: no reason", p.Name)
		}
	}
	if want := []string{"error", "smart", "firmware"}; !slices.Equal(want, ungated) {
		t.Errorf("pages of every drive: %v, want %v", ungated, want)
	}
	for _, tt := range []struct {
		id   nvme.IdentifyController
		want []string
	}{
		{nvme.IdentifyController{LPA: nvme.LPACommandsEffects}, []string{"effects"}},
		{nvme.IdentifyController{LPA: nvme.LPATelemetry}, []string{"telemetry-host", "telemetry-controller"}},
		{nvme.IdentifyController{LPA: nvme.LPAPersistentEvent}, []string{"persistent-event"}},
		{nvme.IdentifyController{LPA: nvme.LPASupportedLogs}, []string{"supported-pages", "features-effects"}},
		{nvme.IdentifyController{LPA: nvme.LPASupportedLogs, OACS: nvme.OACSManagementInterface}, []string{"supported-pages", "features-effects", "mi-effects"}},
		{nvme.IdentifyController{OACS: nvme.OACSSelfTest}, []string{"self-test"}},
		{nvme.IdentifyController{OACS: nvme.OACSLBAStatus}, []string{"lba-status"}},
		{nvme.IdentifyController{OACS: nvme.OACSLockdown}, []string{"lockdown"}},
		{nvme.IdentifyController{ONCS: nvme.ONCSReservations}, []string{"reservation"}},
		{nvme.IdentifyController{SANICAP: 2}, []string{"sanitize"}},
		{nvme.IdentifyController{SANICAP: 1 << 30}, nil},
		{nvme.IdentifyController{OAES: 1 << 8}, []string{"changed-namespaces"}},
		{nvme.IdentifyController{OAES: 1 << 12}, []string{"predictable-latency-events"}},
		{nvme.IdentifyController{OAES: 1 << 14}, []string{"endurance-events"}},
		{nvme.IdentifyController{OAES: 1 << 27}, []string{"changed-zones"}},
		{nvme.IdentifyController{CTRATT: 1 << 4}, []string{"endurance"}},
		{nvme.IdentifyController{CTRATT: 1 << 5}, []string{"predictable-latency"}},
		{nvme.IdentifyController{CTRATT: 1 << 12}, []string{"media-unit", "capacity-configurations"}},
		{nvme.IdentifyController{CTRATT: 1 << 19}, []string{"fdp-configurations", "fdp-usage", "fdp-statistics", "fdp-events"}},
		{nvme.IdentifyController{CMIC: 1 << 3}, []string{"ana"}},
	} {
		var got []string
		for _, p := range LogPages() {
			if ok, _ := p.When.Listed(&tt.id); ok && p.When != nil {
				got = append(got, p.Name)
			}
		}
		if !slices.Equal(tt.want, got) {
			t.Errorf("LPA %#x OACS %#x ONCS %#x OAES %#x CTRATT %#x: %v, want %v", tt.id.LPA, tt.id.OACS, tt.id.ONCS, tt.id.OAES, tt.id.CTRATT, got, tt.want)
		}
	}
}

// TestLengths checks the pages whose length is not the same for all drives.
func TestLengths(t *testing.T) {
	id := &nvme.IdentifyController{ELPE: 7, NANAGRPID: 2, NN: 10, MNAN: 4}
	for name, want := range map[string]int{"error": 512, "ana": 16 + 64 + 16, "smart": 512, "persistent-event": 512} {
		if p, _ := FindLogPage(name); p.Length(id) != want {
			t.Errorf("%s: %d bytes, want %d", name, p.Length(id), want)
		}
	}
	start := []byte{3, 0, 0, 0, 0x34, 0x12, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
	for name, want := range map[string]uint64{
		"persistent-event": 1<<64 - 1, "lba-status": 3, "fdp-configurations": 0x1234, "fdp-usage": 8 + 3*8, "fdp-events": 64 + 3*64,
		"predictable-latency-events": 8 + mostEntries*2,
	} {
		if p, _ := FindLogPage(name); p.Whole(start) != want {
			t.Errorf("%s: whole of %d bytes, want %d", name, p.Whole(start), want)
		}
	}
}
