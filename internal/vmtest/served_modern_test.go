package vmtest_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/vmtest"
)

// addServer adds a job that serves simulated drives; args are profiles and
// flags of qd1 sim serve. What the server says is in /tmp/said, its exit
// status afterwards in /tmp/status.
func addServer(jobs *jobList, args string) {
	jobs.shell("serve", "ip link set lo up",
		"(qd1 sim serve "+args+" </dev/null >/dev/null 2>/tmp/said & echo $! >/tmp/pid; wait $!; echo $? >/tmp/status) >/dev/null 2>&1 &",
		"until grep -q serving /tmp/said; do test ! -s /tmp/status || { cat /tmp/said; exit 1; }; sleep 0.05; done", "cat /tmp/said")
}

// addServerEnd adds a job that ends the server, whose output is its exit
// status and what it said.
func addServerEnd(jobs *jobList) {
	jobs.shell("end", "nvme disconnect-all", "kill -TERM $(cat /tmp/pid)",
		"until test -s /tmp/status; do sleep 0.05; done", "cat /tmp/status /tmp/said")
}

// modernModel is the Model Number of the drive of NVMe 2.0.
const modernModel = "QD1 SIMULATED NVMe 2.0 1TB"

// firmwareFile writes a firmware image and returns its path.
func firmwareFile(t *testing.T, image sim.FirmwareImage) string {
	t.Helper()
	b, err := image.Bytes(64 << 10)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), image.Revision)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestServedModern lets nvme do to a drive of NVMe 2.0 all that changes it, and
// reads the logs afterwards.
//
// It has no other machine beside it: the drive's own time goes on however slow
// the machine is.
func TestServedModern(t *testing.T) {
	vmtest.Require(t)
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"nvme", "sh", "ip", "grep", "sleep", "cat", "dd", "cmp"},
		Files: map[string]string{
			qd1Path:     vmtest.Build(t, "cmd/qd1"),
			"/fw/good":  firmwareFile(t, sim.FirmwareImage{Model: modernModel, Revision: "QD1M0120", Needs: sim.ControllerReset}),
			"/fw/other": firmwareFile(t, sim.FirmwareImage{Model: "ANOTHER MODEL", Revision: "OTHER001"}),
		},
		Modules: []string{"nvme-tcp", "crc32c_generic"},
	})
	var jobs jobList
	addServer(&jobs, "'"+modernProfile+"?speed=1000'")
	jobs.connect("connect", modernProfile, modernSerial, "")
	addFormats(&jobs)
	addSanitizes(&jobs)
	addSelfTests(&jobs)
	addFirmware(&jobs)
	addNamespaces(&jobs)
	addFeatures(&jobs)
	addOtherLogs(&jobs)
	addServerEnd(&jobs)
	res := vm.Run(jobs...)

	t.Run("Formats", func(t *testing.T) { checkFormats(t, res.With(t)) })
	t.Run("Sanitizes", func(t *testing.T) { checkSanitizes(t, res.With(t)) })
	t.Run("SelfTests", func(t *testing.T) { checkSelfTests(t, res.With(t)) })
	t.Run("Firmware", func(t *testing.T) { checkFirmware(t, res.With(t)) })
	t.Run("Namespaces", func(t *testing.T) { checkNamespaces(t, res.With(t)) })
	t.Run("Features", func(t *testing.T) { checkFeatures(t, res.With(t)) })
	t.Run("Telemetry", func(t *testing.T) { checkTelemetry(t, res.With(t)) })
	t.Run("PersistentEvents", func(t *testing.T) { checkPersistentEvents(t, res.With(t)) })
	t.Run("OtherLogs", func(t *testing.T) { checkOtherLogs(t, res.With(t)) })
	t.Run("End", func(t *testing.T) { checkServerEnd(t, res.With(t)) })
}

const (
	modernSysfs = "/sys/class/nvme/{nvme:" + modernSerial + "}"
	modernBlock = "/sys/block/{nvme:" + modernSerial + "}n1"

	// fill writes what an erase has to remove, firstBlock reads the place.
	fill       = "dd if=/usr/bin/qd1 of=" + modern + "n1 bs=64k count=1 oflag=direct 2>/dev/null"
	firstBlock = "dd if=" + modern + "n1 bs=4k count=1 iflag=direct 2>/dev/null"
)

// formatTests are Format NVM commands: their arguments, the LBA format and size
// afterwards, and whether the data are zeroes then. A cryptographic erase
// leaves noise.
var formatTests = []struct {
	name, args    string
	format, block string
	blocks        string
	zero          bool
}{
	{"format without an erase", "-l 0 -s 0", "0", "512", "1562820136", true},
	{"format with a user data erase", "-l 0 -s 1", "0", "512", "1562820136", true},
	{"format with a cryptographic erase", "-l 0 -s 2", "0", "512", "1562820136", false},
	{"format to 4096 bytes", "-l 1 -s 1", "1", "4096", "195352517", true},
	{"format back", "-b 512", "0", "512", "1562820136", true},
}

func addFormats(jobs *jobList) {
	for _, f := range formatTests {
		jobs.shell(f.name, fill, "nvme format --force "+f.args+" "+modern+"n1")
		jobs.shell(f.name+": data", firstBlock)
		jobs.add(f.name+": id", "nvme", "id-ns", "-o", "json", modern+"n1")
		jobs.add(f.name+": block", "cat", modernBlock+"/queue/logical_block_size")
	}
	jobs.add("bad format", "nvme", "format", "--force", "-l", "9", modern+"n1")
}

func checkFormats(t *testing.T, res *vmtest.Results) {
	for _, f := range formatTests {
		res.Output(f.name)
		id := object(t, res.Output(f.name+": id"))
		checkValue(t, id, "flbas", f.format)
		checkValue(t, id, "nsze", f.blocks)
		checkValue(t, id, "ncap", f.blocks)
		checkValue(t, id, "fpi", "128")
		if got := strings.TrimSpace(string(res.Output(f.name + ": block"))); got != f.block {
			t.Errorf("%s: the kernel says %s bytes a block, want %s", f.name, got, f.block)
		}
		checkErased(t, f.name, res.Output(f.name+": data"), f.zero)
	}
	checkRefused(t, res.Get("bad format"), "Invalid Format")
}

// checkErased checks that a block has nothing of what was there.
func checkErased(t *testing.T, name string, block []byte, zero bool) {
	t.Helper()
	if len(block) != 4096 || bytes.HasPrefix(block, []byte("\x7fELF")) {
		t.Errorf("%s: %d bytes, the data that were there: %t", name, len(block), len(block) == 4096)
	}
	if got := len(bytes.Trim(block, "\x00")) == 0; got != zero {
		t.Errorf("%s: all bytes are zero: %t, want %t", name, got, zero)
	}
}

// checkRefused checks that nvme shows the status of a refused command.
func checkRefused(t *testing.T, got vmtest.Result, status string) {
	t.Helper()
	if got.Exit == 0 || !strings.Contains(string(got.Stderr), status) {
		t.Errorf("%s: want the status %s: %s", got.Name, status, vmtest.Describe(got))
	}
}

// sanitizeTests are Sanitize commands with the dword that the log keeps of
// them, and the completed passes.
var sanitizeTests = []struct {
	name, args, dword, passes string
	zero                      bool
}{
	{"sanitize by block erase", "-a 2", "2", "0", true},
	{"sanitize by overwrite", "-a 3 -n 2 -p 0x5a5a5a5a", "35", "2", true},
	{"sanitize by crypto erase", "-a 4", "4", "0", false},
}

func addSanitizes(jobs *jobList) {
	for _, s := range sanitizeTests {
		jobs.shell(s.name, fill, "nvme sanitize "+s.args+" "+modern)
		if s.passes != "0" {
			jobs.add("format in a sanitize", "nvme", "format", "--force", "-l", "0", modern+"n1")
		}
		jobs.shell(s.name+": log", "until nvme sanitize-log -o json "+modern+" >/tmp/log && grep -q 'sprog.*65535' /tmp/log; do sleep 0.05; done", "cat /tmp/log")
		jobs.shell(s.name+": data", firstBlock)
	}
}

func checkSanitizes(t *testing.T, res *vmtest.Results) {
	for _, s := range sanitizeTests {
		res.Output(s.name)
		log := only(t, object(t, res.Output(s.name+": log")))
		checkValue(t, log, "sstat.global_erased", "1")
		checkValue(t, log, "sstat.no_cmplted_passes", s.passes)
		checkValue(t, log, "cdw10_info", s.dword)
		if got := text(lookup(t, log, "sstat.status")); !strings.HasPrefix(got, "(1)") {
			t.Errorf("%s: status %s, want (1), completed", s.name, got)
		}
		checkErased(t, s.name, res.Output(s.name+": data"), s.zero)
	}
	checkRefused(t, res.Get("format in a sanitize"), "Sanitize In Progress")
}

// only returns the value of the only key, which is the name of a device.
func only(t *testing.T, m map[string]any) any {
	t.Helper()
	if len(m) != 1 {
		t.Fatalf("%d keys, want one", len(m))
	}
	for _, v := range m {
		return v
	}
	return nil
}

func addSelfTests(jobs *jobList) {
	test := func(code string) string { return "nvme device-self-test -n 0xffffffff -s " + code + " " + modern }
	jobs.shell("short self-test", test("1"), "until nvme self-test-log -o json "+modern+" | grep -q 'Operation\":0,'; do sleep 0.05; done")
	jobs.shell("aborted self-test", test("2"), test("0xf"))
	jobs.add("self-test log", "nvme", "self-test-log", "-o", "json", modern)
}

func checkSelfTests(t *testing.T, res *vmtest.Results) {
	res.Output("short self-test")
	res.Output("aborted self-test")
	log := object(t, res.Output("self-test log"))
	checkValue(t, log, "Current Device Self-Test Operation", "0")
	checkValue(t, log, "List of Valid Reports.0.Self test code", "2")
	checkValue(t, log, "List of Valid Reports.0.Self test result", "1")
	checkValue(t, log, "List of Valid Reports.1.Self test code", "1")
	checkValue(t, log, "List of Valid Reports.1.Self test result", "0")
	checkValue(t, log, "List of Valid Reports.1.Power on hours", "1310")
	checkValue(t, log, "List of Valid Reports.2.Self test result", "15")
}

func addFirmware(jobs *jobList) {
	jobs.shell("firmware of another model", "nvme fw-download -f /fw/other -x 4096 "+modern, "nvme fw-commit -s 3 -a 1 "+modern)
	jobs.add("download", "nvme", "fw-download", "-f", "/fw/good", modern)
	jobs.add("download again", "nvme", "fw-download", "-f", "/fw/good", modern)
	jobs.add("commit to slot 1", "nvme", "fw-commit", "-s", "1", "-a", "1", modern)
	jobs.add("commit", "nvme", "fw-commit", "-s", "3", "-a", "1", modern)
	jobs.add("pending", "nvme", "fw-log", "-b", modern)
	jobs.shell("activate", "nvme reset "+modern, "until grep -q live "+modernSysfs+"/state; do sleep 0.05; done")
	jobs.add("active", "nvme", "fw-log", "-b", modern)
	jobs.add("running", "nvme", "id-ctrl", "-o", "json", modern)
}

func checkFirmware(t *testing.T, res *vmtest.Results) {
	checkRefused(t, res.Get("firmware of another model"), "Invalid Firmware Image")
	checkRefused(t, res.Get("download again"), "Overlapping Range")
	checkRefused(t, res.Get("commit to slot 1"), "Invalid Firmware Slot")
	for _, name := range []string{"download", "commit", "activate"} {
		res.Output(name)
	}
	// Bits 2:0 of the first byte are the active slot, bits 6:4 the next one.
	for name, slots := range map[string]byte{"pending": 0x32, "active": 0x03} {
		log := res.Output(name)
		if want := "QD1M0100QD1M0110QD1M0120"; len(log) != 512 || log[0] != slots || string(log[8:32]) != want {
			t.Errorf("firmware %s: %d bytes, slots %#x, %q, want 512, %#x, %q", name, len(log), log[0], log[8:32], slots, want)
		}
	}
	checkValue(t, object(t, res.Output("running")), "fr", "QD1M0120")
}

// newBlocks is the size of the namespace that is created, in blocks of 4096
// bytes.
const newBlocks = 262144

func addNamespaces(jobs *jobList) {
	list := func(when string) {
		jobs.add(when+": attached", "nvme", "list-ns", "-o", "json", modern)
		jobs.add(when+": all", "nvme", "list-ns", "--all", "-o", "json", modern)
		jobs.add(when+": controller", "nvme", "id-ctrl", "-o", "json", modern)
	}
	attachment := func(verb string) string {
		return "nvme " + verb + "-ns -n 2 -c $(cat " + modernSysfs + "/cntlid) " + modern + "; nvme ns-rescan " + modern
	}
	jobs.shell("create", fmt.Sprintf("nvme create-ns -s %d -c %d -f 1 %s", newBlocks, newBlocks, modern))
	list("created")
	jobs.shell("attach", attachment("attach"), "until test -b "+modern+"n2; do sleep 0.05; done")
	list("attached")
	jobs.add("new namespace", "nvme", "id-ns", "-o", "json", modern+"n2")
	jobs.shell("new data", "dd if=/usr/bin/qd1 of="+modern+"n2 bs=64k count=1 oflag=direct", "dd if="+modern+"n2 bs=64k count=1 iflag=direct of=/tmp/back",
		"dd if=/usr/bin/qd1 bs=64k count=1 | cmp - /tmp/back")
	jobs.shell("detach", attachment("detach"), "while test -b "+modern+"n2; do sleep 0.05; done")
	list("detached")
	jobs.add("delete", "nvme", "delete-ns", "-n", "2", modern)
	list("deleted")
}

// namespaceLists are the namespaces after each step, attached and all, and
// whether the capacity of the new one is taken.
var namespaceLists = []struct {
	when          string
	attached, all []string
	taken         int64
}{
	{"created", []string{"1"}, []string{"1", "2"}, newBlocks * 4096},
	{"attached", []string{"1", "2"}, []string{"1", "2"}, newBlocks * 4096},
	{"detached", []string{"1"}, []string{"1", "2"}, newBlocks * 4096},
	{"deleted", []string{"1"}, []string{"1"}, 0},
}

func checkNamespaces(t *testing.T, res *vmtest.Results) {
	for _, name := range []string{"create", "attach", "new data", "detach", "delete"} {
		res.Output(name)
	}
	for _, l := range namespaceLists {
		if diff := cmp.Diff(l.attached, listedNamespaces(t, res.Output(l.when+": attached"))); diff != "" {
			t.Errorf("%s: attached namespaces (-want +got):\n%s", l.when, diff)
		}
		if diff := cmp.Diff(l.all, listedNamespaces(t, res.Output(l.when+": all"))); diff != "" {
			t.Errorf("%s: all namespaces (-want +got):\n%s", l.when, diff)
		}
		const unallocated = 1_000_204_886_016 - 800_163_909_632
		checkValue(t, object(t, res.Output(l.when+": controller")), "unvmcap", fmt.Sprint(unallocated-l.taken))
	}
	id := object(t, res.Output("new namespace"))
	checkValue(t, id, "nsze", fmt.Sprint(newBlocks))
	checkValue(t, id, "flbas", "1")
	checkValue(t, id, "nvmcap", fmt.Sprint(newBlocks*4096))
}

// listedNamespaces returns the identifiers in the output of nvme list-ns.
func listedNamespaces(t *testing.T, list []byte) []string {
	t.Helper()
	var all []string
	for _, n := range lookup(t, object(t, list), "nsid_list").([]any) {
		all = append(all, text(lookup(t, n, "nsid")))
	}
	return all
}

// hostTime is the timestamp that the test sets, milliseconds.
const hostTime = 1_000_000_000_000

func addFeatures(jobs *jobList) {
	feature := func(name, fid, value string) {
		jobs.add("set "+name, "nvme", "set-feature", "-f", fid, "-v", value, modern)
		jobs.add(name, "nvme", "get-feature", "-f", fid, modern)
		jobs.add(name+": health", "nvme", "smart-log", "-o", "json", modern)
	}
	feature("power state", "2", "1")
	feature("low threshold", "4", "300")
	feature("high threshold", "4", "356")
	jobs.add("bad power state", "nvme", "set-feature", "-f", "2", "-v", "9", modern)
	jobs.shell("set time", `printf '\000\020\245\324\350\000\000\000' >/tmp/time`, "nvme set-feature -f 0xe -l 8 -d /tmp/time "+modern)
	jobs.add("time", "nvme", "get-feature", "-f", "0xe", "-l", "8", "-b", modern)
}

func checkFeatures(t *testing.T, res *vmtest.Results) {
	// 300 K is less than the drive's temperature, which bit 1 warns of.
	for _, f := range []struct{ name, value, warning string }{
		{"power state", "0x00000001", "0"}, {"low threshold", "0x0000012c", "2"}, {"high threshold", "0x00000164", "0"},
	} {
		res.Output("set " + f.name)
		if got := string(res.Output(f.name)); !strings.Contains(got, "Current value:"+f.value) {
			t.Errorf("%s: got %q, want %s", f.name, got, f.value)
		}
		checkValue(t, object(t, res.Output(f.name+": health")), "critical_warning", f.warning)
	}
	checkRefused(t, res.Get("bad power state"), "Invalid Field")
	res.Output("set time")
	stamp := res.Output("time")
	if len(stamp) != 8 {
		t.Fatalf("timestamp: %d bytes, want 8", len(stamp))
	}
	v := binary.LittleEndian.Uint64(stamp)
	if ms := v & (1<<48 - 1); ms < hostTime || ms > hostTime+60_000 || v>>48 != 2 {
		t.Errorf("timestamp: %d ms and attributes %#x, want soon after %d, and 2, set by the host", ms, v>>48, hostTime)
	}
}

func addOtherLogs(jobs *jobList) {
	jobs.add("telemetry", "nvme", "telemetry-log", "-g", "1", "-d", "3", "-o", vmtest.OutDir+"/telemetry.bin", modern)
	for _, a := range []struct{ name, action string }{{"persistent context", "1"}, {"persistent events", "0"}, {"persistent release", "2"}} {
		jobs.add(a.name, "nvme", "persistent-event-log", "-b", "-a", a.action, modern)
	}
	jobs.add("endurance", "nvme", "endurance-log", "-g", "1", "-o", "json", modern)
	jobs.add("errors", "nvme", "error-log", "-o", "json", modern)
	jobs.add("health", "nvme", "smart-log", "-o", "json", modern)
}

// checkTelemetry checks the header: bytes 13:8 are the last blocks of the three
// areas, 381 counts the logs. The log ends with the last block.
func checkTelemetry(t *testing.T, res *vmtest.Results) {
	res.Output("telemetry")
	log := []byte(readFile(t, res.File("telemetry.bin")))
	if want := (1 + 128) * 512; len(log) != want {
		t.Fatalf("telemetry: %d bytes, want %d", len(log), want)
	}
	if want := []byte{8, 0, 32, 0, 128, 0}; log[0] != 7 || !bytes.Equal(log[8:14], want) || log[381] != 1 {
		t.Errorf("telemetry: identifier %d, areas % x, generation %d, want 7, % x, 1", log[0], log[8:14], log[381], want)
	}
	if len(bytes.Trim(log[len(log)-512:], "\x00")) == 0 {
		t.Error("telemetry: the last block is empty")
	}
}

// checkPersistentEvents checks that the log tells of all that was done.
func checkPersistentEvents(t *testing.T, res *vmtest.Results) {
	res.Output("persistent context")
	res.Output("persistent release")
	log := res.Output("persistent events")
	le := binary.LittleEndian
	if len(log) < 512 || log[0] != 0x0D || int(le.Uint64(log[8:])) != len(log) || string(log[56:76]) != modernSerial {
		t.Fatalf("persistent event log: %d bytes that are none", len(log))
	}
	events := int(le.Uint32(log[4:]))
	count := map[byte]int{}
	for rest := log[512:]; len(rest) >= 24; events-- {
		count[rest[0]]++
		rest = rest[min(len(rest), 3+int(rest[2])+int(le.Uint16(rest[22:]))):]
	}
	if events != 0 {
		t.Errorf("persistent event log: %d events more than there are in the log", events)
	}
	// The kernel sets the timestamp itself, and so does a reset.
	for kind, want := range map[byte]int{1: 1, 2: 1, 6: 2, 7: len(formatTests), 8: len(formatTests), 9: len(sanitizeTests), 10: len(sanitizeTests), 12: 1} {
		if count[kind] != want {
			t.Errorf("persistent event log: %d events of type %d, want %d", count[kind], kind, want)
		}
	}
	if count[3] == 0 || count[4] == 0 {
		t.Errorf("persistent event log: %d timestamp changes and %d power-ons or resets, want some", count[3], count[4])
	}
}

// refusals are the statuses of all that the drive refused, the newest first,
// without Do Not Retry and More.
var refusals = []string{"0x2", "0x106", "0x114", "0x107", "0x1d", "0x10a"}

// checkOtherLogs checks that the drive counts each command that it refused,
// and no other one.
func checkOtherLogs(t *testing.T, res *vmtest.Results) {
	var got []string
	for _, e := range lookup(t, object(t, res.Output("errors")), "errors").([]any) {
		if text(lookup(t, e, "error_count")) != "0" {
			got = append(got, fmt.Sprintf("%#x", integer(t, text(lookup(t, e, "status_field")))&0x7FF))
		}
	}
	if diff := cmp.Diff(refusals, got); diff != "" {
		t.Errorf("error log (-want +got):\n%s", diff)
	}
	health, endurance := object(t, res.Output("health")), object(t, res.Output("endurance"))
	compare(t, "endurance group", health, endurance, []comparedKey{
		{"num_err_log_entries", "num_err_info_log_entries", nil}, {"percent_used", "percent_used", nil},
		{"avail_spare", "avl_spare", nil}, {"host_write_commands", "host_write_cmds", nil},
	})
	checkValue(t, health, "num_err_log_entries", fmt.Sprint(len(refusals)))
	checkValue(t, endurance, "endurance_estimate", "600000")
}
