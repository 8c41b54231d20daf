package sim

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

func getCmd(fid nvme.FID, sel uint32, size int) *nvme.Command {
	return adminCmd(nvme.AdminGetFeatures, 0, sel<<8|uint32(fid), size)
}

func setCmd(fid nvme.FID, value uint32) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminSetFeatures, CDW10: uint32(fid), CDW11: value}
}

// saved makes a Set Features keep the value over a reset.
func saved(cmd *nvme.Command) *nvme.Command {
	return with(cmd, func(c *nvme.Command) { c.CDW10 |= saveFeature })
}

// withData gives a command data.
func withData(cmd *nvme.Command, data []byte) *nvme.Command {
	return with(cmd, func(c *nvme.Command) { c.Data = data })
}

// transition is a table of autonomous transitions with one of them.
func transition(from, to, milliseconds int) []byte {
	b := make([]byte, apstBytes)
	binary.LittleEndian.PutUint64(b[8*from:], uint64(to)<<3|uint64(milliseconds)<<8)
	return b
}

func TestModernFeatureRules(t *testing.T) {
	const c35, c78, c83, c100 = 308, 351, 356, 373
	bad, ok := nvme.StatusInvalidField, nvme.StatusSuccess
	checkRulesOf(t, nandModern, []rule{
		// Get Features Command, Set Features Command.
		{"unknown feature", getCmd(0x7F, 0, 0), bad, 40},
		{"unknown select", getCmd(nvme.FIDArbitration, 4, 0), bad, 41},
		{"set unknown feature", setCmd(0x7F, 0), bad, 40},
		{"feature of a namespace that is the controller's", with(setCmd(nvme.FIDArbitration, 1), func(c *nvme.Command) { c.NSID = 1 }), nvme.StatusFeatureNotNamespaceSpecific, 4},
		{"save a feature that cannot be", saved(setCmd(nvme.FIDNumberOfQueues, 0)), nvme.StatusFeatureNotSaveable, 43},
		// Power Management.
		{"power state", setCmd(nvme.FIDPowerManagement, 4), ok, 0},
		{"power state that is not there", setCmd(nvme.FIDPowerManagement, 5), bad, 44},
		// Temperature Threshold.
		{"threshold of sensor 2", setCmd(nvme.FIDTemperatureThreshold, 2<<16|c83), ok, 0},
		{"under threshold", setCmd(nvme.FIDTemperatureThreshold, 1<<20|1), ok, 0},
		{"threshold of sensor 3", setCmd(nvme.FIDTemperatureThreshold, 3<<16|c83), bad, 46},
		{"threshold of reserved kind", setCmd(nvme.FIDTemperatureThreshold, 2<<20|c83), bad, 46},
		// Error Recovery, of a namespace.
		{"error recovery", with(setCmd(nvme.FIDErrorRecovery, 100), func(c *nvme.Command) { c.NSID = 1 }), ok, 0},
		{"error recovery of no namespace", getCmd(nvme.FIDErrorRecovery, 0, 0), nvme.StatusInvalidNamespace, 4},
		{"error recovery of an inactive namespace", with(setCmd(nvme.FIDErrorRecovery, 100), func(c *nvme.Command) { c.NSID = 2 }), bad, 4},
		// Number of Queues.
		{"65536 queues", setCmd(nvme.FIDNumberOfQueues, 0xFFFF), bad, 44},
		{"65536 completion queues", setCmd(nvme.FIDNumberOfQueues, 0xFFFF<<16), bad, 44},
		// Autonomous Power State Transition.
		{"transition", withData(setCmd(nvme.FIDAutonomousTransition, 1), transition(0, 3, 100)), ok, 0},
		{"transition to an operational state", withData(setCmd(nvme.FIDAutonomousTransition, 1), transition(0, 1, 100)), bad, 24},
		{"transition to a state that is not there", withData(setCmd(nvme.FIDAutonomousTransition, 1), transition(0, 9, 100)), bad, 24},
		{"transition that is off", withData(setCmd(nvme.FIDAutonomousTransition, 1), transition(0, 1, 0)), ok, 0},
		{"table that is too short", withData(setCmd(nvme.FIDAutonomousTransition, 1), make([]byte, 255)), nvme.StatusDataSGLLengthInvalid, 24},
		{"read into a short buffer", getCmd(nvme.FIDAutonomousTransition, 0, 255), nvme.StatusDataSGLLengthInvalid, 24},
		// Host Memory Buffer: HMPRE is 0.
		{"host memory buffer", setCmd(nvme.FIDHostMemoryBuffer, 1), bad, 40},
		// Keep Alive Timer: KAS is 0.
		{"keep alive timer", getCmd(nvme.FIDKeepAliveTimer, 0, 0), bad, 40},
		// Host Controlled Thermal Management.
		{"thermal management", setCmd(nvme.FIDThermalManagement, c78<<16|c83), ok, 0},
		{"thermal management off", setCmd(nvme.FIDThermalManagement, 0), ok, 0},
		{"temperatures in the wrong order", setCmd(nvme.FIDThermalManagement, c83<<16|c78), bad, 44},
		{"temperature above MXTMT", setCmd(nvme.FIDThermalManagement, c100), bad, 44},
		{"temperature below MNTMT", setCmd(nvme.FIDThermalManagement, 300<<16|c35), bad, 44},
		// Read Recovery Level Config: RRLS has 4 and 15.
		{"recovery level", with(setCmd(nvme.FIDReadRecoveryLevel, 0), func(c *nvme.Command) { c.CDW12 = 15 }), ok, 0},
		{"recovery level that is not there", with(setCmd(nvme.FIDReadRecoveryLevel, 0), func(c *nvme.Command) { c.CDW12 = 3 }), bad, 48},
		{"recovery level of a set", setCmd(nvme.FIDReadRecoveryLevel, 1), bad, 44},
		// Host Behavior Support.
		{"host behavior", withData(setCmd(nvme.FIDHostBehavior, 0), append([]byte{1}, make([]byte, 511)...)), ok, 0},
		{"host behavior with a wrong value", withData(setCmd(nvme.FIDHostBehavior, 0), append([]byte{2}, make([]byte, 511)...)), bad, 24},
		// Namespace Write Protection Config.
		{"write protection", with(setCmd(nvme.FIDNamespaceWriteProtected, 1), func(c *nvme.Command) { c.NSID = 1 }), ok, 0},
		{"write protection with a wrong value", with(setCmd(nvme.FIDNamespaceWriteProtected, 4), func(c *nvme.Command) { c.NSID = 1 }), bad, 44},
	})
}

// TestDeclaredFeatures checks that a feature needs its field of Identify
// Controller, whatever the profile lists.
func TestDeclaredFeatures(t *testing.T) {
	for fid, change := range map[nvme.FID]func(*nvme.IdentifyController){
		nvme.FIDVolatileWriteCache:      func(c *nvme.IdentifyController) { c.VWC = 0 },
		nvme.FIDAutonomousTransition:    func(c *nvme.IdentifyController) { c.APSTA = 0 },
		nvme.FIDTimestamp:               func(c *nvme.IdentifyController) { c.ONCS &^= nvme.ONCSTimestamp },
		nvme.FIDThermalManagement:       func(c *nvme.IdentifyController) { c.HCTMA = 0 },
		nvme.FIDNonOperationalPower:     func(c *nvme.IdentifyController) { c.CTRATT &^= 2 },
		nvme.FIDReadRecoveryLevel:       func(c *nvme.IdentifyController) { c.CTRATT &^= 8 },
		nvme.FIDSanitizeConfig:          func(c *nvme.IdentifyController) { c.SANICAP = 0 },
		nvme.FIDNamespaceWriteProtected: func(c *nvme.IdentifyController) { c.NWPC = 0 },
	} {
		cmd := with(getCmd(fid, 0, 4096), func(c *nvme.Command) { c.NSID = 1 })
		accept(t, modern(t, nil), cmd)
		d := modern(t, func(p *personality) { change(p.identify) })
		reject(t, d, cmd, nvme.StatusInvalidField)
	}
	d := modern(t, func(p *personality) {
		p.identify.KAS, p.identify.HMPRE = 10, 100
		p.features[nvme.FIDKeepAliveTimer], p.features[nvme.FIDHostMemoryBuffer] = 0, 0
	})
	accept(t, d, getCmd(nvme.FIDKeepAliveTimer, 0, 0))
	accept(t, d, setCmd(nvme.FIDHostMemoryBuffer, 1))
	accept(t, d, &nvme.Command{Opcode: nvme.AdminKeepAlive})
}

// TestSelect checks current, default and saved values over a reset.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Features Command,
// Select; Features.
func TestSelect(t *testing.T) {
	d := modern(t, nil)
	check := func(when string, current, factory, kept uint64) {
		t.Helper()
		for sel, want := range []uint64{current, factory, kept} {
			if got := accept(t, d, getCmd(nvme.FIDArbitration, uint32(sel), 0)).Result; got != want {
				t.Errorf("%s: select %d gives %d, want %d", when, sel, got, want)
			}
		}
	}
	check("at first", 7, 7, 7)
	accept(t, d, setCmd(nvme.FIDArbitration, 3))
	check("after set", 3, 7, 7)
	accept(t, d, saved(setCmd(nvme.FIDArbitration, 5)))
	check("after save", 5, 7, 5)
	accept(t, d, setCmd(nvme.FIDArbitration, 2))
	check("after another set", 2, 7, 5)
	d.Reset()
	check("after reset", 5, 7, 5)
	d.PowerCycle()
	check("after a power cycle", 5, 7, 5)
	for fid, want := range map[nvme.FID]uint64{
		nvme.FIDArbitration: 0b101, nvme.FIDNumberOfQueues: 0b100,
	} {
		if got := accept(t, d, getCmd(fid, selectCapabilities, 0)).Result; got != want {
			t.Errorf("%v: capabilities %03b, want %03b", fid, got, want)
		}
	}
	errorRecovery := with(getCmd(nvme.FIDErrorRecovery, selectCapabilities, 0), func(c *nvme.Command) { c.NSID = 1 })
	if got := accept(t, d, errorRecovery).Result; got != 0b111 {
		t.Errorf("Error Recovery: capabilities %03b, want 111", got)
	}
}

// TestSaveNeedsSelect checks a drive without Save and Select (ONCS bit 4).
func TestSaveNeedsSelect(t *testing.T) {
	d, _ := instant(t, nil)
	accept(t, d, setCmd(nvme.FIDArbitration, 3))
	reject(t, d, saved(setCmd(nvme.FIDArbitration, 3)), nvme.StatusFeatureNotSaveable)
	d.Reset()
	if got := accept(t, d, getCmd(nvme.FIDArbitration, 0, 0)).Result; got != 7 {
		t.Errorf("arbitration after reset %d, want the default 7", got)
	}
}

// TestSeveralValues checks features that have a value for each of something.
func TestSeveralValues(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, setCmd(nvme.FIDInterruptVector, 1<<16|3))
	for vector, want := range map[uint32]uint64{3: 1<<16 | 3, 2: 0} {
		cmd := with(getCmd(nvme.FIDInterruptVector, 0, 0), func(c *nvme.Command) { c.CDW11 = vector })
		if got := accept(t, d, cmd).Result; got != want {
			t.Errorf("vector %d: %#x, want %#x", vector, got, want)
		}
	}
	accept(t, d, with(setCmd(nvme.FIDErrorRecovery, 50), func(c *nvme.Command) { c.NSID = 1 }))
	if got := accept(t, d, with(getCmd(nvme.FIDErrorRecovery, 0, 0), func(c *nvme.Command) { c.NSID = 1 })).Result; got != 50 {
		t.Errorf("error recovery of namespace 1 is %d, want 50", got)
	}
}

// TestLasting checks a feature that keeps its value over a reset without being
// saved.
//
// Source: NVM Express Base Specification, Revision 2.0, Software Progress
// Marker.
func TestLasting(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, setCmd(nvme.FIDSoftwareProgressMarker, 2))
	accept(t, d, setCmd(nvme.FIDInterruptCoalescing, 2))
	d.PowerCycle()
	for fid, want := range map[nvme.FID]uint64{nvme.FIDSoftwareProgressMarker: 2, nvme.FIDInterruptCoalescing: 0} {
		if got := accept(t, d, getCmd(fid, 0, 0)).Result; got != want {
			t.Errorf("%v is %d after a power cycle, want %d", fid, got, want)
		}
	}
}

func TestQueues(t *testing.T) {
	d := modern(t, nil)
	for _, tc := range []struct{ want, got uint64 }{{7<<16 | 3, 7<<16 | 3}, {200<<16 | 200, 63<<16 | 63}} {
		if got := accept(t, d, setCmd(nvme.FIDNumberOfQueues, uint32(tc.want))).Result; got != tc.got {
			t.Errorf("asked for %#x, got %#x, want %#x", tc.want, got, tc.got)
		}
	}
}

func TestThresholds(t *testing.T) {
	d := modern(t, nil)
	warned := func() bool { return smartLog(t, d).CriticalWarning&nvme.WarningTemperature != 0 }
	if warned() {
		t.Fatal("a cool drive warns")
	}
	accept(t, d, setCmd(nvme.FIDTemperatureThreshold, 310))
	if !warned() {
		t.Error("311 K over a threshold of 310 K: no warning")
	}
	accept(t, d, setCmd(nvme.FIDTemperatureThreshold, 350))
	accept(t, d, setCmd(nvme.FIDTemperatureThreshold, 1<<20|320))
	if !warned() {
		t.Error("311 K under a threshold of 320 K: no warning")
	}
	for cdw11, want := range map[uint32]uint64{0: 350, 1 << 20: 320, 1 << 16: 0xFFFF, 1<<16 | 1<<20: 0} {
		cmd := with(getCmd(nvme.FIDTemperatureThreshold, 0, 0), func(c *nvme.Command) { c.CDW11 = cdw11 })
		if got := accept(t, d, cmd).Result; got != want {
			t.Errorf("threshold %#x is %d, want %d", cdw11, got, want)
		}
	}
}

func TestTransitionsAreKept(t *testing.T) {
	d := modern(t, nil)
	want := transition(0, 4, 2000)
	accept(t, d, saved(withData(setCmd(nvme.FIDAutonomousTransition, 1), want)))
	want[0] = 0xEE // The drive must have its own copy.
	d.Reset()
	cmd := getCmd(nvme.FIDAutonomousTransition, 0, apstBytes)
	if got := accept(t, d, cmd).Result; got != 1 || cmd.Data[0] != 4<<3 || !bytes.Equal(cmd.Data[1:], want[1:]) {
		t.Errorf("result %d, table % x", got, cmd.Data[:8])
	}
}

// TestTimestamp checks that the time goes on from what the host set, and starts
// anew with a reset.
func TestTimestamp(t *testing.T) {
	d, now := instantOf(t, nandModern(), nil)
	read := func() (ms uint64, origin byte) {
		cmd := getCmd(nvme.FIDTimestamp, 0, 8)
		accept(t, d, cmd)
		return binary.LittleEndian.Uint64(cmd.Data) & timestampMask, cmd.Data[6]
	}
	*now = now.Add(time.Second)
	if ms, origin := read(); ms != 1000 || origin != 0 {
		t.Errorf("before it was set: %d ms, origin %d", ms, origin)
	}
	host := binary.LittleEndian.AppendUint64(nil, 1_790_000_000_000)
	accept(t, d, withData(setCmd(nvme.FIDTimestamp, 0), host))
	*now = now.Add(5 * time.Second)
	if ms, origin := read(); ms != 1_790_000_005_000 || origin != timestampSet {
		t.Errorf("after it was set: %d ms, origin %d", ms, origin)
	}
	d.Reset()
	if _, origin := read(); origin != 0 {
		t.Errorf("after a reset: origin %d, want 0", origin)
	}
}

// TestWriteProtection checks the states of Namespace Write Protection Config.
func TestWriteProtection(t *testing.T) {
	set := func(d *Drive, state uint32) nvme.Status {
		return submit(t, d, with(setCmd(nvme.FIDNamespaceWriteProtected, state), func(c *nvme.Command) { c.NSID = 1 })).Status.Code()
	}
	d := modern(t, nil)
	for _, state := range []uint32{protectYes, protectUntilCycle, protectPermanently} {
		if got := set(d, state); got != nvme.StatusSuccess {
			t.Fatalf("state %d: %v", state, got)
		}
		for _, cmd := range []*nvme.Command{
			writeCmd(0, 1, 1), ioCmd(nvme.IOWriteZeroes, 1, 0, 1, 0), ioCmd(nvme.IOWriteUncorrectable, 1, 0, 1, 0),
			dsmCmd(attributeDeallocate, [2]uint64{0, 1}), {Opcode: nvme.AdminFormatNVM, NSID: 1},
			{Opcode: nvme.AdminSanitize, CDW10: actionBlock}, {Opcode: nvme.AdminNamespaceManagement, NSID: 1, CDW10: 1},
		} {
			reject(t, d, cmd, nvme.StatusNamespaceWriteProtected)
		}
		blocks(t, d, 0, 1)
		d.Reset()
		reject(t, d, writeCmd(0, 1, 1), nvme.StatusNamespaceWriteProtected)
		if state >= protectUntilCycle {
			if got := set(d, protectNone); got != nvme.StatusFeatureNotChangeable {
				t.Errorf("state %d can be changed: %v", state, got)
			}
			d.PowerCycle()
		} else if got := set(d, protectNone); got != nvme.StatusSuccess {
			t.Errorf("state %d cannot be changed: %v", state, got)
		}
		if state != protectPermanently {
			accept(t, d, writeCmd(0, 1, 1))
		}
	}
	reject(t, d, writeCmd(0, 1, 1), nvme.StatusNamespaceWriteProtected)
	few := modern(t, func(p *personality) { p.identify.NWPC = 1 })
	for _, state := range []uint32{protectUntilCycle, protectPermanently} {
		if got := set(few, state); got != nvme.StatusInvalidField {
			t.Errorf("state %d without its bit in NWPC: %v", state, got)
		}
	}
}

// TestProtectAll checks that the broadcast NSID means every namespace.
func TestProtectAll(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, with(setCmd(nvme.FIDNamespaceWriteProtected, 1), func(c *nvme.Command) { c.NSID = all }))
	reject(t, d, writeCmd(0, 1, 1), nvme.StatusNamespaceWriteProtected)
}

// TestFixedFeature checks a captured feature that the model knows nothing of.
func TestFixedFeature(t *testing.T) {
	d := modern(t, func(p *personality) { p.features[0xC1] = 5 })
	if got := accept(t, d, getCmd(0xC1, 0, 0)).Result; got != 5 {
		t.Errorf("value %d, want 5", got)
	}
	reject(t, d, setCmd(0xC1, 6), nvme.StatusFeatureNotChangeable)
}
