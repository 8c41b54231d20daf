package vmtest_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// featureDrives are the drives whose features are read: where they are for
// commands of the controller and of the first namespace, and the features that
// have data and stay as they are.
var featureDrives = []struct {
	name, controller, namespace string
	data                        map[int]int // FID to bytes.
	passthru                    int         // How many of passthruTests, from the last.
}{
	{"emulated", first, first + "n1", map[int]int{0x16: 512}, 4},
	{"served", modern, modern + "n1", map[int]int{0x0C: 256}, 1},
}

// agreeing are the flags with which a script agrees, for the first drive and so
// many bytes.
func agreeing(bytes int64) []string {
	return []string{"--yes", "--expect-model", "QEMU NVMe Ctrl", "--expect-bytes", fmt.Sprint(bytes)}
}

// The sizes of what commands to the first drive reach: all of it, and its second
// namespace.
const (
	firstBytes  = 96 << 20
	secondSpace = 32 << 20
)

// passthruTests are commands with the letters that qd1 and nvme share, each with
// the bytes that come.
var passthruTests = []struct {
	name, args string
	bytes      int
}{
	{"identify controller", "admin-passthru {c} --opcode=0x06 --data-len=4096 --cdw10=1 -r", 4096},
	{"identify namespace", "admin-passthru {c} -n 1 -l 4096 --cdw10=0 -r --opcode=6", 4096},
	{"firmware log", "admin-passthru {c} --opcode=2 --namespace-id=0xffffffff --data-len=512 --cdw10=0x7f0003 -r", 512},
	{"read", "io-passthru {n} --opcode=2 --namespace-id=1 --data-len=4096 --cdw10=8 --cdw12={blocks} -r", 4096},
}

// TestInspectFeatures reads features of an emulated and of a served drive as nvme
// does, counts what that adds to the error log, sets one, and sends commands.
func TestInspectFeatures(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	block := filepath.Join(t.TempDir(), "block")
	if err := os.WriteFile(block, bytes.Repeat([]byte("QD1 PASSTHROUGH "), 256), 0o644); err != nil {
		t.Fatal(err)
	}
	vm := vmtest.New(t, vmtest.Config{
		Devices:  twoDrives(t),
		Programs: []string{"nvme", "sh", "ip", "grep", "sleep", "cat", "dd"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1"), "/block": block},
		Modules:  []string{"nvme-tcp", "crc32c_generic"},
		WaitFor:  bothReady,
	})
	var jobs jobList
	addServer(&jobs, modernProfile)
	jobs.connect("connect", modernProfile, modernSerial, "")
	addFeatureReads(&jobs)
	addFeatureWrites(&jobs)
	addPassthru(&jobs)
	addServerEnd(&jobs)
	res := vm.Run(jobs...)

	t.Run("ErrorLog", func(t *testing.T) { checkFootprint(t, res.With(t)) })
	for _, d := range featureDrives {
		t.Run("Features/"+d.name, func(t *testing.T) { checkFeatureReads(t, res.With(t), d.name, d.data) })
		t.Run("Passthru/"+d.name, func(t *testing.T) { checkPassthru(t, res.With(t), d.name, d.passthru) })
	}
	t.Run("Set", func(t *testing.T) { checkFeatureWrites(t, res.With(t)) })
	t.Run("Write", func(t *testing.T) { checkPassthruWrite(t, res.With(t)) })
}

// addFeatureReads reads with qd1 first, because nvme asks for what there is not.
func addFeatureReads(jobs *jobList) {
	count := func(when string) {
		for _, d := range featureDrives {
			jobs.add(d.name+": errors "+when, "nvme", "smart-log", "-o", "json", d.controller)
		}
	}
	count("before")
	for _, d := range featureDrives {
		jobs.add(d.name+": list", qd1Path, "feature", "list", "-o", "json", d.controller)
		for fid := range d.data {
			jobs.add(fmt.Sprintf("%s: data %#x", d.name, fid), qd1Path, "feature", "get", "-b", "-f", fmt.Sprintf("%#x", fid), d.controller)
		}
		jobs.add(d.name+": time", qd1Path, "feature", "get", "-b", "timestamp", d.controller)
	}
	count("after")
	for _, d := range featureDrives {
		jobs.shell(d.name+": nvme", "for f in 1 2 4 5 6 7 8 9 10 11 12 15 16 17 18 22 132; do nvme get-feature -f $f "+d.namespace+" 2>&1 || true; done")
		for fid := range d.data {
			jobs.add(fmt.Sprintf("%s: nvme data %#x", d.name, fid), "nvme", "get-feature", "-b", "-f", fmt.Sprintf("%#x", fid), d.controller)
		}
		jobs.add(d.name+": nvme time", "nvme", "get-feature", "-b", "-f", "0xe", "-l", "8", d.controller)
	}
}

// checkFootprint holds that reading adds nothing to the error log.
func checkFootprint(t *testing.T, res *vmtest.Results) {
	for _, d := range featureDrives {
		before := text(lookup(t, object(t, res.Output(d.name+": errors before")), "num_err_log_entries"))
		checkValue(t, object(t, res.Output(d.name+": errors after")), "num_err_log_entries", before)
	}
}

// shownValue is how nvme shows a value.
var shownValue = regexp.MustCompile(`get-feature:(0x[0-9a-f]+|0) .*value:(0x[0-9a-f]+|0+)`)

// nvmeValues are the values in the output of nvme.
func nvmeValues(t *testing.T, output []byte) map[int]string {
	t.Helper()
	values := map[int]string{}
	for _, m := range shownValue.FindAllStringSubmatch(string(output), -1) {
		fid, err := strconv.ParseInt(m[1], 0, 16)
		if err != nil {
			t.Fatal(err)
		}
		value, err := strconv.ParseUint(m[2], 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		values[int(fid)] = fmt.Sprint(value)
	}
	return values
}

// checkFeatureReads compares every value with that of nvme.
func checkFeatureReads(t *testing.T, res *vmtest.Results, name string, data map[int]int) {
	peer := nvmeValues(t, res.Output(name+": nvme"))
	compared := 0
	for _, f := range lookup(t, object(t, res.Output(name+": list")), "list.features").([]any) {
		word, value := text(lookup(t, f, "name")), text(lookup(t, f, "value"))
		fid, err := strconv.Atoi(text(lookup(t, f, "fid")))
		if err != nil {
			t.Fatal(err)
		}
		if problem, ok := child(f, "error"); ok {
			t.Errorf("%s: %v", word, problem)
		}
		switch want, ok := peer[fid]; {
		case ok && value != want:
			t.Errorf("%s: %s, and nvme says %s", word, value, want)
		case ok:
			compared++
		case fid != 0x0E:
			t.Errorf("%s: nvme does not show feature %#x:\n%s", word, fid, res.Output(name+": nvme"))
		}
	}
	if compared < 11 {
		t.Errorf("%d values were compared, want 11 at least", compared)
	}
	for fid, length := range data {
		got, want := res.Output(fmt.Sprintf("%s: data %#x", name, fid)), res.Output(fmt.Sprintf("%s: nvme data %#x", name, fid))
		if len(got) != length || !bytes.Equal(got, want) {
			t.Errorf("data of feature %#x: %d bytes, equal to nvme's: %t", fid, len(got), bytes.Equal(got, want))
		}
	}
	checkTimes(t, res.Output(name+": time"), res.Output(name+": nvme time"))
}

// checkTimes compares two timestamps that were read one after the other.
func checkTimes(t *testing.T, first, second []byte) {
	t.Helper()
	if len(first) != 8 || len(second) != 8 {
		t.Fatalf("timestamps of %d and %d bytes", len(first), len(second))
	}
	const mask = 1<<48 - 1
	a, b := binary.LittleEndian.Uint64(first)&mask, binary.LittleEndian.Uint64(second)&mask
	if b < a || b-a > 60_000 || first[6] != second[6] {
		t.Errorf("timestamps %d and %d ms, attributes %#x and %#x", a, b, first[6], second[6])
	}
}

func addFeatureWrites(jobs *jobList) {
	set := func(name string, args ...string) {
		jobs.add(name, append([]string{qd1Path, "feature", "set", "temp-thresh", firstSerial, "-V", "340", "-o", "json"}, args...)...)
	}
	set("set without consent")
	jobs.add("threshold before", "nvme", "get-feature", "-f", "4", first)
	set("set", agreeing(firstBytes)...)
	jobs.add("set by a node", append([]string{qd1Path, "feature", "set", "temp-thresh", first, "-V", "350"}, agreeing(firstBytes)...)...)
	jobs.add("threshold after", "nvme", "get-feature", "-f", "4", first)
}

// checkFeatureWrites asks nvme what the drive has.
func checkFeatureWrites(t *testing.T, res *vmtest.Results) {
	for name, exit := range map[string]int{"set without consent": 5, "set": 0, "set by a node": 5} {
		if got := res.Get(name); got.Exit != exit {
			t.Errorf("%s: want exit status %d: %s", name, exit, vmtest.Describe(got))
		}
	}
	before := nvmeValues(t, res.Output("threshold before"))[4]
	v := object(t, res.Output("set"))
	checkValue(t, v, "before.value", before)
	checkValue(t, v, "after.value", "340")
	checkValue(t, v, "failed", "false")
	if before == "340" {
		t.Fatal("the drive has the value already")
	}
	if got := nvmeValues(t, res.Output("threshold after"))[4]; got != "340" {
		t.Errorf("nvme says %s, want 340", got)
	}
}

func addPassthru(jobs *jobList) {
	for _, d := range featureDrives {
		for _, p := range passthruTests[len(passthruTests)-d.passthru:] {
			args := strings.NewReplacer("{c}", d.controller, "{n}", d.namespace, "{blocks}", "7").Replace(p.args)
			for _, program := range []string{"nvme", qd1Path} {
				jobs.add(d.name+": "+p.name+" by "+filepath.Base(program), append([]string{program}, append(strings.Fields(args), "-b")...)...)
			}
		}
	}
	jobs.add("passthru as JSON", qd1Path, "admin-passthru", first, "-o", "6", "-l", "4096", "-4", "1", "--format", "json")
	jobs.add("format without consent", qd1Path, "admin-passthru", firstSerial, "-o", "0x80", "-n", "1")
	write := []string{qd1Path, "io-passthru", firstSerial, "-o", "1", "-n", "2", "-i", "/block"}
	jobs.add("write without consent", write...)
	jobs.add("before the write", "dd", "if="+first+"n2", "bs=4k", "count=1", "iflag=direct")
	jobs.add("write", append(write, agreeing(secondSpace)...)...)
	jobs.add("after the write", "dd", "if="+first+"n2", "bs=4k", "count=1", "iflag=direct")
}

// checkPassthru compares what came with what comes to nvme.
func checkPassthru(t *testing.T, res *vmtest.Results, name string, n int) {
	for _, p := range passthruTests[len(passthruTests)-n:] {
		got, want := res.Output(name+": "+p.name+" by qd1"), res.Output(name+": "+p.name+" by nvme")
		if len(got) != p.bytes || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %d from nvme, want %d that are equal", p.name, len(got), len(want), p.bytes)
		}
	}
}

// checkPassthruWrite reads back what was written with consent, and nothing else.
func checkPassthruWrite(t *testing.T, res *vmtest.Results) {
	v := object(t, res.Output("passthru as JSON"))
	checkValue(t, v, "drive.serial", firstSerial)
	checkValue(t, v, "status.value", "0")
	for _, name := range []string{"format without consent", "write without consent"} {
		if got := res.Get(name); got.Exit != 5 || !strings.Contains(string(got.Stderr), "nobody agreed") {
			t.Errorf("%s: want exit status 5: %s", name, vmtest.Describe(got))
		}
	}
	if before := res.Output("before the write"); bytes.Contains(before, []byte("PASSTHROUGH")) {
		t.Error("a refused write was done")
	}
	if got := res.Get("write"); got.Exit != 0 {
		t.Errorf("write: %s", vmtest.Describe(got))
	}
	if after := res.Output("after the write"); !bytes.Equal(after, bytes.Repeat([]byte("QD1 PASSTHROUGH "), 256)) {
		t.Errorf("what was written was not read back: % x…", after[:min(16, len(after))])
	}
}
