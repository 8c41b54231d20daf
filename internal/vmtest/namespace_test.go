package vmtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// The namespaces of TestNamespaceJobs: the one that the drive has, made small, and
// the one that is created.
const (
	oldSpace = 8 << 20
	newSpace = 64 << 20
	secondNS = modern + "n2"
)

// onModern are the flags with which a script agrees, for the served drive and so
// many bytes.
func onModern(bytes int64, args ...string) []string {
	return append(args, "--yes", "--expect-model", modernModel, "--expect-bytes", fmt.Sprint(bytes), "--format", "json")
}

// refusedJobs are jobs that the guard or the plan refuses, each with a part of its
// message. The first namespace is open in another program.
var refusedJobs = []struct {
	name, says string
	args       []string
}{
	{"create without consent", "nobody agreed", []string{"ns", "create", modernSerial, "--size", "1MiB"}},
	{"create for another model", "was expected", []string{"ns", "create", modernSerial, "--size", "1MiB", "--yes", "--expect-model", "X", "--expect-bytes", fmt.Sprint(oldSpace)}},
	{"create too much", "0x115", onModern(oldSpace, "ns", "create", modernSerial, "--size", "2TB")},
	{"create by a node", "name of a node", onModern(oldSpace, "ns", "create", modern, "--size", "1MiB")},
	{"attach what is attached", "0x118", onModern(oldSpace, "ns", "attach", modernSerial, "-n", "1")},
	{"attach what is not there", "no namespace 9", onModern(oldSpace, "ns", "attach", modernSerial, "-n", "9")},
	{"detach in use", "sleep", onModern(oldSpace, "ns", "detach", modernSerial, "-n", "1")},
	{"delete in use", "sleep", onModern(oldSpace, "ns", "delete", modernSerial, "-n", "1")},
	{"delete all, one in use", "sleep", onModern(oldSpace, "ns", "delete", modernSerial, "--all-namespaces")},
	{"delete another size", "were expected", onModern(oldSpace+1, "ns", "delete", modernSerial, "-n", "1")},
	{"trim in use", "sleep", onModern(oldSpace, "trim", modernSerial)},
	{"trim without consent", "nobody agreed", []string{"trim", modernSerial, "-n", "1"}},
	{"trim what is not there", "namespace 9", onModern(oldSpace, "trim", modernSerial, "-n", "9")},
	{"dry run of a delete", "", append(onModern(oldSpace, "ns", "delete", modernSerial, "-n", "1"), "--dry-run")},
}

// partitioned is a first block with a partition.
func partitioned(t *testing.T) string {
	t.Helper()
	b := make([]byte, 4096)
	copy(b[446:], []byte{0, 0, 0, 0, 0x83, 0, 0, 0, 8, 0, 0, 0, 64, 0, 0, 0})
	b[510], b[511] = 0x55, 0xAA
	path := filepath.Join(t.TempDir(), "partitioned")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNamespaceJobs creates, attaches, trims, detaches and deletes a namespace of a
// served drive through the kernel, and lets nvme say what the drive has after each
// step. The server writes down every command: what is refused sends none.
func TestNamespaceJobs(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"nvme", "sh", "ip", "grep", "sleep", "cat", "dd", "cmp", "kill"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1"), "/partitioned": partitioned(t)},
		Modules:  []string{"nvme-tcp", "crc32c_generic"},
	})
	var jobs jobList
	addServer(&jobs, fmt.Sprintf("--log %s/%s '%s?size=%d'", vmtest.OutDir, commandsFile, modernProfile, oldSpace))
	jobs.connect("connect", modernProfile, modernSerial, "")
	jobs.shell("in use", "(sleep 600 <"+modern+"n1 >/dev/null 2>&1 & echo $! >/tmp/sleeper)")
	jobs.add("qd1 list", qd1Path, "ns", "list", modern, "--format", "json")
	for _, r := range refusedJobs {
		jobs.add(r.name, append([]string{qd1Path}, r.args...)...)
	}
	jobs.shell("commands of the refused", "cat "+vmtest.OutDir+"/"+commandsFile)
	jobs.shell("free", "kill $(cat /tmp/sleeper)")
	addNamespaceLife(&jobs)
	addServerEnd(&jobs)
	res := vm.Run(jobs...)

	t.Run("Refused", func(t *testing.T) { checkRefusedJobs(t, res.With(t)) })
	t.Run("Life", func(t *testing.T) { checkNamespaceLife(t, res.With(t)) })
	t.Run("Trim", func(t *testing.T) { checkTrims(t, res.With(t)) })
	t.Run("End", func(t *testing.T) { checkServerEnd(t, res.With(t)) })
}

func checkRefusedJobs(t *testing.T, res *vmtest.Results) {
	for _, r := range refusedJobs {
		got := res.Get(r.name)
		switch {
		case r.says == "" && got.Exit != 5 && got.Exit != 0:
			t.Errorf("%s: %s", r.name, vmtest.Describe(got))
		case r.says != "" && (got.Exit != 5 || !strings.Contains(string(got.Stderr), r.says)):
			t.Errorf("%s: want exit status 5 and %q: %s", r.name, r.says, vmtest.Describe(got))
		}
	}
	if names := changesOf(t, res.Output("commands of the refused")); len(names) > 0 {
		t.Errorf("the drive got %q", names)
	}
}

// changesOf are the names of the commands of the log that change namespaces or
// their data.
func changesOf(t *testing.T, log []byte) []string {
	t.Helper()
	var names []string
	for line := range bytes.Lines(log) {
		var c struct {
			Queue, Name string
			Opcode      int
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if c.Queue == "admin" && slices.Contains([]int{0x0D, 0x15, 0x80, 0x84}, c.Opcode) || c.Queue == "io" && slices.Contains([]int{1, 4, 8, 9}, c.Opcode) {
			names = append(names, c.Name)
		}
	}
	return names
}

// addNamespaceLife brings a namespace to life and to its end.
func addNamespaceLife(jobs *jobList) {
	list := func(when string) {
		jobs.add(when+": attached", "nvme", "list-ns", "-o", "json", modern)
		jobs.add(when+": all", "nvme", "list-ns", "--all", "-o", "json", modern)
		jobs.add(when+": controller", "nvme", "id-ctrl", "-o", "json", modern)
	}
	run := func(name string, bytes int64, args ...string) {
		jobs.add(name, append([]string{qd1Path}, onModern(bytes, args...)...)...)
	}
	run("create", oldSpace, "ns", "create", modernSerial, "--size", fmt.Sprint(newSpace), "--block-size", "4096")
	list("created")
	run("attach", oldSpace+newSpace, "ns", "attach", modernSerial, "-n", "2")
	jobs.shell("block device", "test -b "+secondNS+" && echo there")
	list("attached")
	jobs.add("id-ns", "nvme", "id-ns", "-o", "json", secondNS)
	jobs.shell("write", "dd if=/usr/bin/qd1 of="+secondNS+" bs=512k count=4 oflag=direct", "dd if=/usr/bin/qd1 bs=512k count=4 of=/tmp/written")
	run("trim", newSpace, "trim", modernSerial, "-n", "2", "--start", "512KiB", "--length", "1MiB")
	jobs.shell("trimmed", "dd if="+secondNS+" bs=512k skip=1 count=2 iflag=direct of=/tmp/t; dd if=/dev/zero bs=512k count=2 of=/tmp/z; cmp /tmp/t /tmp/z")
	jobs.shell("kept", "dd if="+secondNS+" bs=512k count=1 iflag=direct of=/tmp/t; dd if=/tmp/written bs=512k count=1 of=/tmp/w; cmp /tmp/t /tmp/w",
		"dd if="+secondNS+" bs=512k skip=3 count=1 iflag=direct of=/tmp/t; dd if=/tmp/written bs=512k skip=3 count=1 of=/tmp/w; cmp /tmp/t /tmp/w")
	run("trim all", newSpace, "trim", modernSerial, "-n", "2")
	jobs.shell("sign", "dd if=/partitioned of="+secondNS+" bs=4k count=1 oflag=direct")
	run("detach with a partition table", newSpace, "ns", "detach", modernSerial, "-n", "2")
	run("detach", newSpace, "ns", "detach", modernSerial, "-n", "2", "--destroy-signature", "mbr")
	jobs.shell("no block device", "test -e "+secondNS+" || echo gone")
	list("detached")
	run("delete", newSpace, "ns", "delete", modernSerial, "-n", "2")
	list("deleted")
}

func checkNamespaceLife(t *testing.T, res *vmtest.Results) {
	v := object(t, res.Output("qd1 list"))
	total := integer(t, text(lookup(t, v, "total_bytes")))
	unallocated := integer(t, text(lookup(t, v, "unallocated_bytes")))
	if unallocated <= 0 || unallocated > total {
		t.Errorf("%d of %d bytes are unallocated", unallocated, total)
	}
	for _, l := range []struct {
		when          string
		attached, all []string
		taken         int64
	}{
		{"created", []string{"1"}, []string{"1", "2"}, newSpace}, {"attached", []string{"1", "2"}, []string{"1", "2"}, newSpace},
		{"detached", []string{"1"}, []string{"1", "2"}, newSpace}, {"deleted", []string{"1"}, []string{"1"}, 0},
	} {
		if diff := cmp.Diff(l.attached, listedNamespaces(t, res.Output(l.when+": attached"))); diff != "" {
			t.Errorf("%s: attached namespaces (-want +got):\n%s", l.when, diff)
		}
		if diff := cmp.Diff(l.all, listedNamespaces(t, res.Output(l.when+": all"))); diff != "" {
			t.Errorf("%s: all namespaces (-want +got):\n%s", l.when, diff)
		}
		checkValue(t, object(t, res.Output(l.when+": controller")), "unvmcap", fmt.Sprint(int64(unallocated)-l.taken))
	}
	checkValue(t, object(t, res.Output("create")), "created_nsid", "2")
	name := strings.TrimPrefix(text(lookup(t, object(t, res.Output("attach")), "block")), "/dev/")
	if !strings.HasSuffix(name, "n2") || string(res.Output("block device")) != "there\n" {
		t.Errorf("the block device is %q", name)
	}
	id := object(t, res.Output("id-ns"))
	checkValue(t, id, "nsze", fmt.Sprint(newSpace/4096))
	checkValue(t, id, "flbas", "1")
	if got := res.Get("detach with a partition table"); got.Exit != 5 || !strings.Contains(string(got.Stderr), "MBR") {
		t.Errorf("what lies on the namespace is not named: %s", vmtest.Describe(got))
	}
	if string(res.Output("no block device")) != "gone\n" {
		t.Error("the block device is still there")
	}
	for _, name := range []string{"create", "attach", "detach", "delete"} {
		checkValue(t, object(t, res.Output(name)), "result", "done")
	}
}

func checkTrims(t *testing.T, res *vmtest.Results) {
	for _, name := range []string{"write", "trimmed", "kept", "sign"} {
		res.Output(name)
	}
	v := object(t, res.Output("trim"))
	for path, want := range map[string]string{
		"result": "done", "trim.first_lba": "128", "trim.blocks": "256", "trim.promise.reads": "zeroes", "commands_sent": "1",
		"samples.count": "64", "samples.zero": "64", "erase": "false", "first_command.opcode": "9",
	} {
		checkValue(t, v, path, want)
	}
	checkValue(t, object(t, res.Output("trim all")), "trim.whole_namespace", "true")
	log := []byte(readFile(t, res.File(commandsFile)))
	counts := map[string]int{}
	for _, name := range changesOf(t, log) {
		counts[name]++
	}
	delete(counts, "Write") // Those of dd.
	want := map[string]int{"Namespace Management": 2, "Namespace Attachment": 2, "Dataset Management": 2}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("commands that change something (-want +got):\n%s", diff)
	}
}
