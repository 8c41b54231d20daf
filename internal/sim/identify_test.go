package sim

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func identifyCmd(cns nvme.CNS, nsid nvme.NSID) *nvme.Command {
	return nvme.Identify{CNS: cns, NSID: nsid}.Command(make([]byte, 4096))
}

func TestModernIdentifyRules(t *testing.T) {
	checkRulesOf(t, nandModern, []rule{
		// Identify Command, and the section of each structure.
		{"descriptors", identifyCmd(nvme.CNSNamespaceDescriptors, 1), nvme.StatusSuccess, 0},
		{"descriptors of an inactive namespace", identifyCmd(nvme.CNSNamespaceDescriptors, 2), nvme.StatusInvalidField, 4},
		{"descriptors of all", identifyCmd(nvme.CNSNamespaceDescriptors, all), nvme.StatusInvalidNamespace, 4},
		{"command set namespace", identifyCmd(nvme.CNSCommandSetNamespace, 1), nvme.StatusSuccess, 0},
		{"command set namespace of an inactive one", identifyCmd(nvme.CNSCommandSetNamespace, 3), nvme.StatusInvalidField, 4},
		{"zoned namespace", with(identifyCmd(nvme.CNSCommandSetNamespace, 1), func(c *nvme.Command) { c.CDW11 = 2 << 24 }), nvme.StatusInvalidField, 47},
		{"command set controller", identifyCmd(nvme.CNSCommandSetController, 0), nvme.StatusSuccess, 0},
		{"zoned controller", with(identifyCmd(nvme.CNSCommandSetController, 0), func(c *nvme.Command) { c.CDW11 = 2 << 24 }), nvme.StatusInvalidField, 47},
		{"independent namespace", identifyCmd(nvme.CNSIndependentNamespace, 1), nvme.StatusSuccess, 0},
		{"independent namespace of an inactive one", identifyCmd(nvme.CNSIndependentNamespace, 32), nvme.StatusInvalidField, 4},
		{"allocated list", identifyCmd(nvme.CNSAllocatedNamespaces, 0), nvme.StatusSuccess, 0},
		{"allocated list after the last possible", identifyCmd(nvme.CNSAllocatedNamespaces, all), nvme.StatusInvalidNamespace, 4},
		{"allocated namespace", identifyCmd(nvme.CNSAllocatedNamespace, 1), nvme.StatusSuccess, 0},
		{"allocated namespace above NN", identifyCmd(nvme.CNSAllocatedNamespace, 33), nvme.StatusInvalidNamespace, 4},
		{"attached controllers", identifyCmd(nvme.CNSAttachedControllers, 1), nvme.StatusSuccess, 0},
		{"attached controllers of nothing", identifyCmd(nvme.CNSAttachedControllers, 2), nvme.StatusInvalidField, 4},
		{"controllers", identifyCmd(nvme.CNSControllers, 0), nvme.StatusSuccess, 0},
		{"namespace granularity", identifyCmd(nvme.CNSNamespaceGranularity, 0), nvme.StatusInvalidField, 40},
		{"inactive namespace", identifyCmd(nvme.CNSNamespace, 2), nvme.StatusSuccess, 0},
		{"common namespace", identifyCmd(nvme.CNSNamespace, all), nvme.StatusSuccess, 0},
	})
}

func TestModernIdentify(t *testing.T) {
	d := modern(t, nil)
	inactive := identifyCmd(nvme.CNSNamespace, 2)
	accept(t, d, inactive)
	if zero, _ := nvme.IsBlankPage(inactive.Data); !zero {
		t.Error("the page of an inactive namespace is not zero")
	}
	common := identifyCmd(nvme.CNSNamespace, all)
	accept(t, d, common)
	var ns nvme.IdentifyNamespace
	if err := ns.UnmarshalBinary(common.Data); err != nil || ns.NSZE != 0 || len(ns.Formats()) != 2 || !ns.NGUID.IsZero() {
		t.Errorf("common page: %d blocks, %d formats, NGUID %v, %v", ns.NSZE, len(ns.Formats()), ns.NGUID, err)
	}
	ids, err := nvme.NewController(d).NamespaceDescriptors(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	want := nvme.NamespaceDescriptors{EUI64: modernNamespace().EUI64, NGUID: modernNamespace().NGUID}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("descriptors (-want +got):\n%s", diff)
	}
	independent := identifyCmd(nvme.CNSIndependentNamespace, 1)
	accept(t, d, independent)
	if independent.Data[3] != 0x80 || independent.Data[12] != 1 || independent.Data[14] != 1 {
		t.Errorf("FPI %#x, ENDGID %d, NSTAT %d, want 80h, 1, 1", independent.Data[3], independent.Data[12], independent.Data[14])
	}
}

// TestControllerList checks where the lists of controllers begin.
func TestControllerList(t *testing.T) {
	for _, tc := range []struct {
		cns   nvme.CNS
		cntid uint16
		want  uint16
	}{
		{nvme.CNSControllers, 0, 1}, {nvme.CNSControllers, 1, 0},
		{nvme.CNSAttachedControllers, 0, 1}, {nvme.CNSAttachedControllers, 1, 0},
	} {
		d := modern(t, nil)
		cmd := nvme.Identify{CNS: tc.cns, NSID: 1, CNTID: tc.cntid}.Command(make([]byte, 4096))
		accept(t, d, cmd)
		if got := binary.LittleEndian.Uint16(cmd.Data); got != tc.want {
			t.Errorf("%v from %d: %d controllers, want %d", tc.cns, tc.cntid, got, tc.want)
		}
	}
}
