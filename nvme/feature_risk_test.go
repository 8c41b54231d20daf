package nvme

import (
	"slices"
	"strings"
	"testing"
)

func TestRisksOf(t *testing.T) {
	set := func(fid FID, cdw11 uint32) *Command {
		return FeatureSetting{FID: fid, CDW11: cdw11}.Command()
	}
	const never = true
	tests := []struct {
		name  string
		c     *Command
		risk  string
		never bool
	}{
		{"identify", &Command{Opcode: AdminIdentify}, "", false},
		{"format", &Command{Opcode: AdminFormatNVM}, "", false},
		{"write, whose opcode is that of a queue", &Command{Queue: IOQueue, Opcode: IOWrite}, "", false},
		{"delete a submission queue", &Command{Opcode: AdminDeleteIOSQ}, "driver-queues", never},
		{"create a submission queue", &Command{Opcode: AdminCreateIOSQ}, "driver-queues", never},
		{"delete a completion queue", &Command{Opcode: AdminDeleteIOCQ}, "driver-queues", never},
		{"create a completion queue", &Command{Opcode: AdminCreateIOCQ}, "driver-queues", never},
		{"doorbells", &Command{Opcode: AdminDoorbellBufferConfig}, "driver-queues", never},
		{"events", &Command{Opcode: AdminAsynchronousEventRequest}, "driver-events", never},
		{"fabrics", &Command{Opcode: AdminFabrics}, "driver-connection", never},

		{"power state", set(FIDPowerManagement, 2), "", false},
		{"temperature", set(FIDTemperatureThreshold, 300), "", false},
		{"vendor", set(0xC0, 1), "", false},
		{"ranges", set(FIDLBARangeType, 0), "ranges", false},
		{"error recovery as it was", set(FIDErrorRecovery, 0), "", false},
		{"error recovery", set(FIDErrorRecovery, 1<<16), "error-recovery", false},
		{"cache off", set(FIDVolatileWriteCache, 0), "", false},
		{"cache on", set(FIDVolatileWriteCache, 1), "write-cache", false},
		{"queues", set(FIDNumberOfQueues, 0), "queues", never},
		{"event configuration", set(FIDAsynchronousEvents, 0), "events", false},
		{"memory off", set(FIDHostMemoryBuffer, 0), "host-memory-off", false},
		{"memory given back", set(FIDHostMemoryBuffer, 2), "host-memory-off", false},
		{"memory", set(FIDHostMemoryBuffer, 1), "host-memory", never},
		{"keep alive", set(FIDKeepAliveTimer, 1), "keep-alive", false},
		{"host behavior", set(FIDHostBehavior, 0), "host-behavior", false},
		{"sanitize", set(FIDSanitizeConfig, 1), "sanitize-config", false},
		{"command sets", set(FIDCommandSetProfile, 1), "command-sets", false},
		{"placement", set(FIDDataPlacement, 1), "data-placement", false},
		{"data queue", set(FIDControllerDataQueue, 1), "data-queue", never},
		{"host identifier", set(FIDHostIdentifier, 0), "host-identifier", false},
		{"no protection", set(FIDNamespaceWriteProtected, 0), "", false},
		{"protection", set(FIDNamespaceWriteProtected, 1), "write-protect", false},
		{"protection until a power cycle", set(FIDNamespaceWriteProtected, 2), "write-protect-until-power-cycle", false},
		{"protection for ever", set(FIDNamespaceWriteProtected, 3), "write-protect-permanently", false},
		{"protection of a kind that is not known", set(FIDNamespaceWriteProtected, 7), "write-protect-permanently", false},
		{"boot partition unlocked", set(FIDBootPartitionProtection, 0b001_001), "", false},
		{"boot partition 0 locked", set(FIDBootPartitionProtection, 0b000_011), "boot-partition-lock", false},
		{"boot partition 1 locked", set(FIDBootPartitionProtection, 0b011_000), "boot-partition-lock", false},
	}
	for _, tt := range tests {
		got := RisksOf(tt.c)
		switch {
		case tt.risk == "" && len(got) > 0:
			t.Errorf("%s: %+v, want none", tt.name, got)
		case tt.risk == "":
		case len(got) != 1 || got[0].Name != tt.risk || got[0].Never != tt.never || got[0].Text == "":
			t.Errorf("%s: %+v, want %s, never: %t", tt.name, got, tt.risk, tt.never)
		}
	}
}

// TestRisksSave checks that the Save bit hides no risk, and reading has none.
func TestRisksSave(t *testing.T) {
	for fid := range featureRisks {
		c := FeatureSetting{FID: fid, CDW11: 0x1_001B, Save: true}.Command()
		if len(RisksOf(c)) == 0 {
			t.Errorf("%v: saving has no risk", fid)
		}
		if got := RisksOf(FeatureRequest{FID: fid, CDW11: 0xFFFF_FFFF}.Command(nil)); got != nil {
			t.Errorf("%v: reading has the risk %+v", fid, got)
		}
	}
}

// TestRiskNames checks that a name is a word and stands for one thing.
func TestRiskNames(t *testing.T) {
	texts := map[string]string{}
	for fid := range 0x100 {
		for _, cdw11 := range []uint32{0, 1, 2, 3, 0xFFFF_FFFF} {
			for _, r := range RisksOf(FeatureSetting{FID: FID(fid), CDW11: cdw11}.Command()) {
				if slices.ContainsFunc([]rune(r.Name), func(c rune) bool { return (c < 'a' || c > 'z') && c != '-' }) || strings.HasSuffix(r.Text, ".") {
					t.Errorf("%q: %s", r.Name, r.Text)
				}
				if was, ok := texts[r.Name]; ok && was != r.Text {
					t.Errorf("%s stands for two things", r.Name)
				}
				texts[r.Name] = r.Text
			}
		}
	}
}
