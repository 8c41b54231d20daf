package sim

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func adminCmd(op uint8, nsid nvme.NSID, cdw10 uint32, size int) *nvme.Command {
	return &nvme.Command{Opcode: op, NSID: nsid, CDW10: cdw10, Data: make([]byte, size)}
}

// logCmd is a Get Log Page of so many bytes.
func logCmd(lid nvme.LID, nsid nvme.NSID, bytes int) *nvme.Command {
	return adminCmd(nvme.AdminGetLogPage, nsid, uint32(bytes/4-1)<<16|uint32(lid), bytes)
}

// with changes a command.
func with(cmd *nvme.Command, change func(*nvme.Command)) *nvme.Command {
	change(cmd)
	return cmd
}

func ioCmd(op uint8, nsid nvme.NSID, slba uint64, blocks, bytes int) *nvme.Command {
	return &nvme.Command{
		Queue: nvme.IOQueue, Opcode: op, NSID: nsid,
		CDW10: uint32(slba), CDW11: uint32(slba >> 32), CDW12: uint32(blocks - 1),
		Data: make([]byte, bytes),
	}
}

const lastBlock = 960197124096/512 - 1

// rule is a command and the status that it must have. The comments beside the
// rules give their place in the NVM Express Base Specification, Revision 2.0,
// unless they say otherwise.
type rule struct {
	name  string
	cmd   *nvme.Command
	want  nvme.Status
	where uint16 // Parameter Error Location of a failure.
}

const all = nvme.BroadcastNSID

// checkRules sends each command to a new drive. A failure must be in the error
// log, a success must not.
func checkRules(t *testing.T, rules []rule) {
	t.Helper()
	checkRulesOf(t, optane905P, rules)
}

// checkRulesOf is checkRules for another profile.
func checkRulesOf(t *testing.T, profile func() Profile, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			d, _ := instantOf(t, profile(), nil)
			got := submit(t, d, r.cmd).Status
			if got.Code() != r.want {
				t.Fatalf("status %v, want %v", got, r.want)
			}
			log := errorLogOf(t, d)
			if r.want == nvme.StatusSuccess {
				if len(log) != 0 || got != 0 {
					t.Errorf("status %v and %d log entries, want none", got, len(log))
				}
				return
			}
			if !got.DNR() || !got.More() {
				t.Errorf("status %#x without Do Not Retry and More", uint16(got))
			}
			if len(log) != 1 || log[0].StatusInfo.Status() != got || log[0].ParameterErrorLocation != r.where {
				t.Errorf("error log %+v, want one entry of status %#x at %d", log, uint16(got), r.where)
			}
		})
	}
}

func TestOpcodes(t *testing.T) {
	checkRules(t, []rule{
		// Generic Command Status Values: Invalid Command Opcode.
		{"sanitize", adminCmd(nvme.AdminSanitize, 0, 2, 0), nvme.StatusInvalidOpcode, 0},
		{"self-test", adminCmd(nvme.AdminDeviceSelfTest, 0, 1, 0), nvme.StatusInvalidOpcode, 0},
		{"namespace management", adminCmd(nvme.AdminNamespaceManagement, 0, 0, 4096), nvme.StatusInvalidOpcode, 0},
		{"keep alive", adminCmd(nvme.AdminKeepAlive, 0, 0, 0), nvme.StatusInvalidOpcode, 0},
		{"vendor admin opcode", adminCmd(0xC1, 0, 0, 0), nvme.StatusInvalidOpcode, 0},
		{"io opcode", ioCmd(nvme.IOCompare, 1, 0, 1, 512), nvme.StatusInvalidOpcode, 0},
		// An opcode means another command in the other queue.
		{"identify opcode on the io queue", ioCmd(nvme.AdminIdentify, 1, 0, 1, 4096), nvme.StatusInvalidOpcode, 0},
	})
}

func TestIdentifyRules(t *testing.T) {
	checkRules(t, []rule{
		// Identify Command.
		{"controller", adminCmd(nvme.AdminIdentify, 0, 1, 4096), nvme.StatusSuccess, 0},
		{"namespace", adminCmd(nvme.AdminIdentify, 1, 0, 4096), nvme.StatusSuccess, 0},
		{"active list", adminCmd(nvme.AdminIdentify, 0, 2, 4096), nvme.StatusSuccess, 0},
		{"descriptors are of NVMe 1.3", adminCmd(nvme.AdminIdentify, 1, 3, 4096), nvme.StatusInvalidField, 40},
		{"unknown CNS", adminCmd(nvme.AdminIdentify, 0, 0x1C, 4096), nvme.StatusInvalidField, 40},
		{"identify into a short buffer", adminCmd(nvme.AdminIdentify, 0, 1, 512), nvme.StatusDataSGLLengthInvalid, 24},
		// NSID and Namespace Usage.
		{"namespace 0", adminCmd(nvme.AdminIdentify, 0, 0, 4096), nvme.StatusInvalidNamespace, 4},
		{"namespace above NN", adminCmd(nvme.AdminIdentify, 2, 0, 4096), nvme.StatusInvalidNamespace, 4},
		{"all namespaces without namespace management", adminCmd(nvme.AdminIdentify, all, 0, 4096), nvme.StatusInvalidNamespace, 4},
		// Active Namespace ID list (CNS 02h).
		{"list after the last possible", adminCmd(nvme.AdminIdentify, all-1, 2, 4096), nvme.StatusInvalidNamespace, 4},
	})
}

func TestLogRules(t *testing.T) {
	checkRules(t, []rule{
		// Get Log Page Command.
		{"error log", logCmd(nvme.LIDError, all, 4096), nvme.StatusSuccess, 0},
		{"SMART log", logCmd(nvme.LIDSMART, all, 512), nvme.StatusSuccess, 0},
		{"SMART log with NSID 0", logCmd(nvme.LIDSMART, 0, 512), nvme.StatusSuccess, 0},
		{"firmware slots", logCmd(nvme.LIDFirmwareSlot, all, 512), nvme.StatusSuccess, 0},
		{"effects", logCmd(nvme.LIDCommandsEffects, all, 4096), nvme.StatusSuccess, 0},
		{"telemetry header", logCmd(nvme.LIDTelemetryHost, all, 512), nvme.StatusSuccess, 0},
		// Command Specific Status Values: Invalid Log Page.
		{"changed namespaces", logCmd(nvme.LIDChangedNamespaces, all, 4096), nvme.StatusInvalidLogPage, 40},
		{"self-test log", logCmd(nvme.LIDSelfTest, all, 564), nvme.StatusInvalidLogPage, 40},
		{"vendor log of other drives", logCmd(0xC3, all, 512), nvme.StatusInvalidLogPage, 40},
		{"last vendor log", logCmd(0xFF, all, 512), nvme.StatusInvalidLogPage, 40},
		// SMART / Health Information Log Page: LPA bit 0 is clear.
		{"SMART log of a namespace", logCmd(nvme.LIDSMART, 1, 512), nvme.StatusInvalidField, 4},
		// Log Page Attributes: LPA bit 2 is clear.
		{"offset", with(logCmd(nvme.LIDError, all, 512), func(c *nvme.Command) { c.CDW12 = 64 }), nvme.StatusInvalidField, 48},
		{"upper offset", with(logCmd(nvme.LIDError, all, 512), func(c *nvme.Command) { c.CDW13 = 1 }), nvme.StatusInvalidField, 48},
		{"length above 12 bits", logCmd(nvme.LIDError, all, 16384+4), nvme.StatusInvalidField, 42},
		{"length above 16 bits", with(logCmd(nvme.LIDError, all, 512), func(c *nvme.Command) { c.CDW11 = 1 }), nvme.StatusInvalidField, 44},
		{"longest length", logCmd(nvme.LIDError, all, 16384), nvme.StatusSuccess, 0},
		{"log into a short buffer", with(logCmd(nvme.LIDSMART, all, 512), func(c *nvme.Command) { c.Data = c.Data[:256] }), nvme.StatusDataSGLLengthInvalid, 24},
	})
}

func TestFeatureRules(t *testing.T) {
	checkRules(t, []rule{
		// Get Features Command.
		{"number of queues", adminCmd(nvme.AdminGetFeatures, 0, uint32(nvme.FIDNumberOfQueues), 0), nvme.StatusSuccess, 0},
		{"no write cache", adminCmd(nvme.AdminGetFeatures, 0, 0x06, 0), nvme.StatusInvalidField, 40},
		{"timestamp is of NVMe 1.3", adminCmd(nvme.AdminGetFeatures, 0, 0x0E, 8), nvme.StatusInvalidField, 40},
		{"select without save and select", adminCmd(nvme.AdminGetFeatures, 0, 1<<8|uint32(nvme.FIDArbitration), 0), nvme.StatusInvalidField, 41},
		{"threshold of a sensor", with(adminCmd(nvme.AdminGetFeatures, 0, uint32(nvme.FIDTemperatureThreshold), 0),
			func(c *nvme.Command) { c.CDW11 = 1 << 16 }), nvme.StatusInvalidField, 46},
	})
}

func TestIORules(t *testing.T) {
	checkRules(t, []rule{
		// NVM Command Set Specification, Revision 1.0: Read, Write, Flush.
		{"read", ioCmd(nvme.IORead, 1, 0, 8, 4096), nvme.StatusSuccess, 0},
		{"read the last block", ioCmd(nvme.IORead, 1, lastBlock, 1, 512), nvme.StatusSuccess, 0},
		{"read over the end", ioCmd(nvme.IORead, 1, lastBlock, 2, 1024), nvme.StatusLBAOutOfRange, 40},
		{"read beyond the end", ioCmd(nvme.IORead, 1, 1<<63, 1, 512), nvme.StatusLBAOutOfRange, 40},
		{"read at the last address", ioCmd(nvme.IORead, 1, 1<<64-1, 2, 1024), nvme.StatusLBAOutOfRange, 40},
		{"write over the end", ioCmd(nvme.IOWrite, 1, lastBlock, 2, 1024), nvme.StatusLBAOutOfRange, 40},
		{"read of MDTS", ioCmd(nvme.IORead, 1, 0, 256, 128<<10), nvme.StatusSuccess, 0},
		{"read of more than MDTS", ioCmd(nvme.IORead, 1, 0, 257, 257*512), nvme.StatusInvalidField, 48},
		{"read of another namespace", ioCmd(nvme.IORead, 2, 0, 1, 512), nvme.StatusInvalidNamespace, 4},
		{"read of all namespaces", ioCmd(nvme.IORead, all, 0, 1, 512), nvme.StatusInvalidNamespace, 4},
		{"read into a short buffer", ioCmd(nvme.IORead, 1, 0, 8, 512), nvme.StatusDataSGLLengthInvalid, 24},
		{"flush", ioCmd(nvme.IOFlush, 1, 0, 1, 0), nvme.StatusSuccess, 0},
		{"flush all", ioCmd(nvme.IOFlush, all, 0, 1, 0), nvme.StatusSuccess, 0},
		{"flush of another namespace", ioCmd(nvme.IOFlush, 2, 0, 1, 0), nvme.StatusInvalidNamespace, 4},
	})
}

// TestExtendedLogs checks the rules of a drive that has LPA bit 2.
func TestExtendedLogs(t *testing.T) {
	d, _ := instant(t, nil)
	d.controller.id.LPA |= nvme.LPAExtendedData
	whole := logCmd(nvme.LIDCommandsEffects, nvme.BroadcastNSID, 4096)
	submit(t, d, whole)
	part := with(logCmd(nvme.LIDCommandsEffects, nvme.BroadcastNSID, 512), func(c *nvme.Command) { c.CDW12 = 1024 })
	if got := submit(t, d, part).Status; got != 0 {
		t.Fatalf("part at an offset: %v", got)
	}
	if diff := cmp.Diff(whole.Data[1024:1536], part.Data); diff != "" {
		t.Errorf("part at an offset (-want +got):\n%s", diff)
	}
	for _, tc := range []struct {
		name            string
		bytes           int
		offset, offset2 uint32
		want            nvme.Status
	}{
		{"odd offset", 512, 2, 0, nvme.StatusInvalidField},
		{"offset at the end", 512, 4096, 0, nvme.StatusSuccess},
		{"offset behind the end", 512, 4100, 0, nvme.StatusInvalidField},
		{"upper offset", 512, 0, 1, nvme.StatusInvalidField},
		{"length of MDTS", 128 << 10, 0, 0, nvme.StatusSuccess},
		{"length above MDTS", 128<<10 + 4, 0, 0, nvme.StatusInvalidField},
	} {
		cmd := nvme.GetLogPage{LID: nvme.LIDCommandsEffects, Offset: uint64(tc.offset2)<<32 | uint64(tc.offset)}.Command(make([]byte, tc.bytes))
		if got := submit(t, d, cmd).Status; got.Code() != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestErrorLog(t *testing.T) {
	d, _ := instant(t, func(p *personality) { p.smart.ErrorLogEntries = nvme.U128(1000) })
	for i := range 70 {
		submit(t, d, ioCmd(nvme.IORead, 1, uint64(1<<40+i), 1, 512))
	}
	submit(t, d, adminCmd(nvme.AdminDirectiveSend, 7, 0, 0))
	log := errorLogOf(t, d)
	// Error Information Log Page: ELPE + 1 entries, the newest first.
	if len(log) != 64 {
		t.Fatalf("%d entries, want 64", len(log))
	}
	want := nvme.ErrorLogEntry{ErrorCount: 1071, CID: 1071, StatusInfo: 0xC002, NSID: 7}
	if diff := cmp.Diff(want, log[0]); diff != "" {
		t.Errorf("newest entry (-want +got):\n%s", diff)
	}
	want = nvme.ErrorLogEntry{
		ErrorCount: 1070, SQID: 1, CID: 1070, StatusInfo: 0xC100, ParameterErrorLocation: 40,
		LBA: 1<<40 + 69, NSID: 1,
	}
	if diff := cmp.Diff(want, log[1]); diff != "" {
		t.Errorf("second entry (-want +got):\n%s", diff)
	}
	if got := smartLog(t, d).ErrorLogEntries; got != nvme.U128(1071) {
		t.Errorf("SMART counts %v entries, want 1071", got)
	}
}

func TestFill(t *testing.T) {
	d, _ := instant(t, nil)
	cmd := logCmd(nvme.LIDSMART, nvme.BroadcastNSID, 4096)
	for i := range cmd.Data {
		cmd.Data[i] = 0xEE
	}
	submit(t, d, cmd)
	if cmd.Data[3] != 100 {
		t.Errorf("available spare %d, want 100", cmd.Data[3])
	}
	for i, b := range cmd.Data[512:] {
		if b != 0 {
			t.Fatalf("byte %d behind the page is %#x, want 0", 512+i, b)
		}
	}
}

func TestEffects(t *testing.T) {
	d, _ := instant(t, nil)
	cmd := logCmd(nvme.LIDCommandsEffects, 0, 4096)
	submit(t, d, cmd)
	for _, tc := range []struct {
		name string
		at   int
		want uint32
	}{
		{"Identify", int(nvme.AdminIdentify) * 4, 1},
		{"Format NVM", int(nvme.AdminFormatNVM) * 4, 0x20007},
		{"Sanitize", int(nvme.AdminSanitize) * 4, 0},
		{"Read", 1024 + int(nvme.IORead)*4, 1},
		{"Write", 1024 + int(nvme.IOWrite)*4, 3},
	} {
		if got := binary.LittleEndian.Uint32(cmd.Data[tc.at:]); got != tc.want {
			t.Errorf("%s: effects %#x, want %#x", tc.name, got, tc.want)
		}
	}
}

func TestFeatures(t *testing.T) {
	d, _ := instant(t, nil)
	c := submit(t, d, adminCmd(nvme.AdminGetFeatures, 0, uint32(nvme.FIDTemperatureThreshold), 0))
	if c.Result != 358 {
		t.Errorf("temperature threshold %d K, want 358", c.Result)
	}
}
