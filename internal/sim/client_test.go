package sim

import (
	"encoding/binary"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// hostStart sends what a host sends when it meets a drive: only what Identify
// Controller says that the drive has.
func hostStart(t *testing.T, d *Drive) {
	t.Helper()
	id, err := nvme.NewController(d).Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	modern := id.Version.AtLeast(2, 0)
	for _, c := range []struct {
		when bool
		cmd  *nvme.Command
	}{
		{true, setCmd(nvme.FIDNumberOfQueues, 1<<16|1)},
		{true, getCmd(nvme.FIDNumberOfQueues, 0, 0)},
		{true, identifyCmd(nvme.CNSActiveNamespaces, 0)},
		{true, identifyCmd(nvme.CNSNamespace, 1)},
		{id.Version.AtLeast(1, 3), identifyCmd(nvme.CNSNamespaceDescriptors, 1)},
		{modern, identifyCmd(nvme.CNSCommandSetController, 0)},
		{modern, identifyCmd(nvme.CNSCommandSetNamespace, 1)},
		{modern, identifyCmd(nvme.CNSIndependentNamespace, 1)},
		{id.LPA&nvme.LPACommandsEffects != 0, logCmd(nvme.LIDCommandsEffects, 0, 4096)},
		{id.OAES != 0, setCmd(nvme.FIDAsynchronousEvents, id.OAES|0x1F)},
		{id.APSTA&1 != 0, withData(setCmd(nvme.FIDAutonomousTransition, 1), transition(0, 3, 100))},
		{id.ONCS&nvme.ONCSTimestamp != 0, withData(setCmd(nvme.FIDTimestamp, 0), make([]byte, 8))},
		{id.VWC&1 != 0, getCmd(nvme.FIDVolatileWriteCache, 0, 0)},
		{id.OACS&nvme.OACSSelfTest != 0, logCmd(nvme.LIDSelfTest, all, 564)},
		{id.OACS&nvme.OACSNamespaceManagement != 0, identifyCmd(nvme.CNSAllocatedNamespaces, 0)},
		{id.SANICAP != 0, logCmd(nvme.LIDSanitize, all, 512)},
		{id.LPA&nvme.LPATelemetry != 0, logCmd(nvme.LIDTelemetryHost, all, 512)},
		{id.LPA&nvme.LPASupportedLogs != 0, logCmd(nvme.LIDSupportedLogs, all, 1024)},
		{true, ioCmd(nvme.IORead, 1, 0, 8, 4096)},
		{true, ioCmd(nvme.IOFlush, 1, 0, 1, 0)},
		{id.OACS&nvme.OACSSecurity != 0, &nvme.Command{Opcode: nvme.AdminSecurityReceive, CDW11: 512, Data: make([]byte, 512)}},
	} {
		if c.when {
			accept(t, d, c.cmd)
		}
	}
}

// TestHostsCauseNoErrors checks that a careful host adds no entry to the error
// log of any profile, after a reset and after a power cycle neither.
func TestHostsCauseNoErrors(t *testing.T) {
	for _, p := range Profiles() {
		if strings.Contains(p.Name, "dead") {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			d, _ := instantOf(t, p, nil)
			want := smartLog(t, d).ErrorLogEntries
			for _, again := range []func(){func() {}, d.Reset, d.SubsystemReset, d.PowerCycle} {
				again()
				hostStart(t, d)
			}
			if got := smartLog(t, d).ErrorLogEntries; got != want {
				t.Errorf("error log entries grew from %v to %v", want, got)
			}
		})
	}
}

// TestEffectsOfAll checks that the Commands Supported and Effects log says of
// every command what the drive does with it.
func TestEffectsOfAll(t *testing.T) {
	for _, p := range Profiles() {
		d, _ := instantOf(t, p, func(p *personality) { p.dead = false })
		log := logCmd(nvme.LIDCommandsEffects, all, 4096)
		accept(t, d, log)
		for op := range 256 {
			for queue, at := range map[nvme.Queue]int{nvme.AdminQueue: op * 4, nvme.IOQueue: 1024 + op*4} {
				c, _ := d.Begin(&nvme.Command{Queue: queue, Opcode: uint8(op), NSID: 1, CDW10: 0x7F0002, Data: make([]byte, 4096)})
				there := c.Status.Code() != nvme.StatusInvalidOpcode
				if says := binary.LittleEndian.Uint32(log.Data[at:])&1 != 0; says != there {
					t.Errorf("%s: %s %02Xh: says %v, does %v", p.Name, queue, op, says, there)
				}
			}
		}
	}
}

// TestErrorFields checks what the Error Information log keeps of failures of
// different kinds.
//
// Source: NVM Express Base Specification, Revision 2.0, Error Information Log
// Page.
func TestErrorFields(t *testing.T) {
	for _, tc := range []struct {
		name string
		cmd  *nvme.Command
		want nvme.ErrorLogEntry
	}{
		{"media error", ioCmd(nvme.IORead, 1, 50, 8, 4096),
			nvme.ErrorLogEntry{SQID: 1, LBA: 55, NSID: 1, StatusInfo: 0xC502}},
		{"range", ioCmd(nvme.IORead, 1, 1<<40, 8, 4096),
			nvme.ErrorLogEntry{SQID: 1, LBA: 1 << 40, NSID: 1, ParameterErrorLocation: 40, StatusInfo: 0xC100}},
		{"field", with(setCmd(nvme.FIDPowerManagement, 31), func(c *nvme.Command) { c.NSID = all }),
			nvme.ErrorLogEntry{NSID: all, ParameterErrorLocation: 44, StatusInfo: 0xC004}},
		{"log page", logCmd(0xC0, all, 512),
			nvme.ErrorLogEntry{NSID: all, ParameterErrorLocation: 40, StatusInfo: 0xC212}},
		{"compare", ioCmd(nvme.IOCompare, 1, 0, 1, 512),
			nvme.ErrorLogEntry{SQID: 1, NSID: 1, ParameterErrorLocation: 0xFFFF, StatusInfo: 0xC50A}},
		// It may succeed later: no Do Not Retry.
		{"self-test in progress", testCmd(0, testShort),
			nvme.ErrorLogEntry{ParameterErrorLocation: 0xFFFF, StatusInfo: 0x423A}},
	} {
		d := modern(t, slowTests)
		accept(t, d, ioCmd(nvme.IOWriteUncorrectable, 1, 55, 1, 0))
		accept(t, d, testCmd(0, testShort))
		submit(t, d, tc.cmd)
		log := errorLogOf(t, d)
		tc.want.ErrorCount, tc.want.CID = 1, 1
		if len(log) != 1 || log[0] != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, log, tc.want)
		}
	}
}

// TestOptionalParameters checks parameters that change the model's behaviour.
func TestOptionalParameters(t *testing.T) {
	p := nandModern().personality.work
	q := p.faster(10)
	for name, pair := range map[string][2]int64{
		"format": {int64(p.formatErase), int64(q.formatErase)}, "crypto": {int64(p.formatCrypto), int64(q.formatCrypto)},
		"only format": {int64(p.formatOnly), int64(q.formatOnly)}, "block erase": {int64(p.blockErase), int64(q.blockErase)},
		"crypto erase": {int64(p.cryptoErase), int64(q.cryptoErase)}, "overwrite": {int64(p.overwrite), int64(q.overwrite)},
		"short test": {int64(p.shortTest), int64(q.shortTest)}, "extended test": {int64(p.extendedTest), int64(q.extendedTest)},
		"activation": {int64(p.activation), int64(q.activation)},
	} {
		if pair[1] != pair[0]/10 || pair[0] == 0 {
			t.Errorf("%s takes %d ns, ten times faster %d ns", name, pair[0], pair[1])
		}
	}
	for ses, want := range map[int]int64{eraseNone: int64(p.formatOnly), eraseUser: int64(p.formatErase), eraseCrypto: int64(p.formatCrypto)} {
		if got := int64(p.format(ses)); got != want {
			t.Errorf("format with SES %d takes %d ns, want %d", ses, got, want)
		}
	}
	for action, want := range map[uint32]int64{actionBlock: int64(p.blockErase), actionCrypto: int64(p.cryptoErase), actionOverwrite: 3 * int64(p.overwrite)} {
		if got := int64(p.sanitize(action, 3)); got != want {
			t.Errorf("sanitize action %d takes %d ns, want %d", action, got, want)
		}
	}
	d := open(t, "nand-modern?sanitize=fails&speed=1000000")
	accept(t, d, sanitizeCmd(actionBlock))
	accept(t, d, &nvme.Command{Opcode: nvme.AdminAsynchronousEventRequest})
	if got := sanitizeLog(t, d).Status.State(); got != nvme.SanitizeFailed {
		t.Errorf("state %d, want failed", got)
	}
	if _, err := Open("nand-modern?sanitize=works"); err == nil || !strings.Contains(err.Error(), `"fails"`) {
		t.Errorf("sanitize=works: %v", err)
	}
}

// TestActivationTime checks that firmware that is activated without a reset
// takes its time.
func TestActivationTime(t *testing.T) {
	d := modern(t, func(p *personality) { p.work = nandModern().personality.work })
	now := d.medium.elapsed()
	_, end := d.controller.begin(commitCmd(commitNow, 1))
	if got := end - now; got < d.controller.personality.work.activation/2 {
		t.Errorf("activation takes %v, want %v", got, d.controller.personality.work.activation)
	}
	if revision, log := firmwareOf(t, d); revision != "QD1M0100" || log.ActiveSlot() != 1 {
		t.Errorf("firmware %s of slot %d", revision, log.ActiveSlot())
	}
}
