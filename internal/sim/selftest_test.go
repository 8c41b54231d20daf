package sim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func testCmd(nsid nvme.NSID, code uint32) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminDeviceSelfTest, NSID: nsid, CDW10: code}
}

func selfTestLog(t testing.TB, d *Drive) nvme.SelfTestLog {
	t.Helper()
	var log nvme.SelfTestLog
	if err := log.UnmarshalBinary(logOf(t, d, nvme.GetLogPage{LID: nvme.LIDSelfTest}, 564)); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestSelfTestRules(t *testing.T) {
	// Device Self-test command.
	checkRulesOf(t, nandModern, []rule{
		{"short", testCmd(all, testShort), nvme.StatusSuccess, 0},
		{"extended of the controller", testCmd(0, testExtended), nvme.StatusSuccess, 0},
		{"short of a namespace", testCmd(1, testShort), nvme.StatusSuccess, 0},
		{"abort of nothing", testCmd(0, testAbort), nvme.StatusSuccess, 0},
		{"reserved code", testCmd(0, 3), nvme.StatusInvalidField, 40},
		{"inactive namespace", testCmd(2, testShort), nvme.StatusInvalidField, 4},
		{"namespace above NN", testCmd(33, testShort), nvme.StatusInvalidNamespace, 4},
	})
}

// slowTests makes the tests take 100 and 1000 seconds.
func slowTests(p *personality) {
	p.work.shortTest, p.work.extendedTest = 100*time.Second, 1000*time.Second
}

// TestSelfTest follows a test from its start to its end.
func TestSelfTest(t *testing.T) {
	d, now := instantOf(t, nandModern(), slowTests)
	if log := selfTestLog(t, d); log.CurrentOperation != 0 || log.Results[0].Result() != nvme.SelfTestUnused {
		t.Errorf("before any test: %+v", log.Results[0])
	}
	accept(t, d, testCmd(all, testShort))
	*now = now.Add(30 * time.Second)
	if log := selfTestLog(t, d); log.CurrentOperation != testShort || log.CurrentCompletion != 30 {
		t.Errorf("operation %d at %d %%, want 1 at 30", log.CurrentOperation, log.CurrentCompletion)
	}
	reject(t, d, testCmd(1, testExtended), nvme.StatusSelfTestInProgress)
	blocks(t, d, 0, 1) // Reads go on.
	*now = now.Add(70 * time.Second)
	log := selfTestLog(t, d)
	want := nvme.SelfTestResult{Status: testShort << 4, PowerOnHours: 1310}
	if diff := cmp.Diff(want, log.Results[0], cmp.AllowUnexported(nvme.SelfTestResult{})); diff != "" || log.CurrentOperation != 0 {
		t.Errorf("result, operation %d (-want +got):\n%s", log.CurrentOperation, diff)
	}
}

// TestSelfTestEnds checks what ends a test, and with which result.
//
// Source: NVM Express Base Specification, Revision 2.0, Device Self-test
// Operations.
func TestSelfTestEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		code uint32
		end  func(t *testing.T, d *Drive)
		want int // -1 means that the test goes on.
	}{
		{"abort", testShort, func(t *testing.T, d *Drive) { accept(t, d, testCmd(0, testAbort)) }, nvme.SelfTestAbortedByCommand},
		{"reset of a short test", testShort, func(_ *testing.T, d *Drive) { d.Reset() }, nvme.SelfTestAbortedByReset},
		{"reset of an extended test", testExtended, func(_ *testing.T, d *Drive) { d.Reset() }, -1},
		{"format", testShort, func(t *testing.T, d *Drive) { accept(t, d, formatCmd(1, 0, 1)) }, nvme.SelfTestAbortedByFormat},
		{"sanitize", testExtended, func(t *testing.T, d *Drive) { accept(t, d, sanitizeCmd(actionBlock)) }, nvme.SelfTestAbortedBySanitize},
		{"removal", testExtended, func(t *testing.T, d *Drive) { accept(t, d, deleteCmd(1)) }, nvme.SelfTestAbortedByRemoval},
	} {
		d := modern(t, slowTests)
		accept(t, d, testCmd(all, tc.code))
		tc.end(t, d)
		log := selfTestLog(t, d)
		if tc.want < 0 {
			if log.CurrentOperation == 0 {
				t.Errorf("%s: the test ended", tc.name)
			}
			continue
		}
		if log.CurrentOperation != 0 || log.Results[0].Result() != uint8(tc.want) || log.Results[0].Code() != uint8(tc.code) {
			t.Errorf("%s: result %+v, want %d", tc.name, log.Results[0], tc.want)
		}
	}
}

// TestSelfTestFinds checks that an extended test finds what cannot be read.
func TestSelfTestFinds(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, ioCmd(nvme.IOWriteUncorrectable, 1, 1234, 1, 0))
	accept(t, d, testCmd(all, testShort))
	accept(t, d, testCmd(0, testExtended))
	accept(t, d, testCmd(1, testExtended))
	log := selfTestLog(t, d)
	want := nvme.SelfTestResult{
		Status: testExtended<<4 | nvme.SelfTestFailedSegment, Segment: mediumSegment, Valid: 15, PowerOnHours: 1310,
		NSID: 1, LBA: 1234, SCT: 2, SC: 0x81,
	}
	if diff := cmp.Diff(want, log.Results[0], cmp.AllowUnexported(nvme.SelfTestResult{})); diff != "" {
		t.Errorf("extended test of the namespace (-want +got):\n%s", diff)
	}
	for i, name := range map[int]string{1: "extended test of the controller", 2: "short test"} {
		if got := log.Results[i].Result(); got != nvme.SelfTestPassed {
			t.Errorf("%s: result %d, want passed", name, got)
		}
	}
	failing := modern(t, func(p *personality) { p.selfTestResult = nvme.SelfTestFatalError })
	accept(t, failing, testCmd(0, testShort))
	if log := selfTestLog(t, failing); log.Results[0].Result() != nvme.SelfTestFatalError {
		t.Errorf("result %d, want the profile's", log.Results[0].Result())
	}
}

func TestSelfTestLogIsBounded(t *testing.T) {
	d := modern(t, nil)
	for i := range 25 {
		accept(t, d, testCmd(0, uint32(testShort+i%2)))
	}
	log := selfTestLog(t, d)
	if log.Results[0].Code() != testShort || log.Results[19].Code() != testExtended {
		t.Errorf("newest test %d, oldest %d, want 1 and 2", log.Results[0].Code(), log.Results[19].Code())
	}
}
