package vmtest_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// The drives of TestInspect, besides a served one: one with namespaces of several
// kinds, and one that transfers no more than 8 KiB.
const (
	many  = "/dev/{nvme:QD1-MANY}"
	small = "/dev/{nvme:QD1-SMALL}"
)

// The namespaces of the first.
const (
	plainNamespace    = "1" // 512 bytes
	metadataNamespace = "2" // 4096 bytes with 8 of metadata and protection information
	zonedNamespace    = "3"
)

func inspectedDrives(t *testing.T) []string {
	first := vmtest.Drive{ID: "many", Serial: "QD1-MANY", Namespaces: []vmtest.Namespace{
		{Image: vmtest.Disk(t, 16<<20), Options: "eui64=0x5254001122334455,uuid=01234567-89ab-cdef-0123-456789abcdef"},
		{Image: vmtest.Disk(t, 16<<20), Options: "logical_block_size=4096,physical_block_size=4096,ms=8,pi=1"},
		{Image: vmtest.Disk(t, 16<<20), Options: "zoned=true,zoned.zone_size=4M,zoned.zone_capacity=3M,zoned.max_open=2,zoned.max_active=3"},
	}}
	second := vmtest.Drive{ID: "small", Serial: "QD1-SMALL", Options: "mdts=1", Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, 8<<20)}}}
	return slices.Concat(first.Arguments(), second.Arguments())
}

// inspection is one family of pages in the machine of TestInspect.
type inspection struct {
	name  string
	pages []samePage
	// counting is a drive whose error log must be as long afterwards as before.
	counting string
	// reads are further commands of qd1.
	reads []string
}

// inspections are all families. Each has a file of its own.
func inspections() []inspection {
	return []inspection{identifyInspection(), logInspection()}
}

// samePage is a page that qd1 and nvme read: their arguments, without the names of
// the programs. Where it may change from one moment to the next, qd1 reads it again
// after nvme.
type samePage struct {
	qd1, nvme string
	moves     bool
}

// TestInspect compares every page that qd1 reads with what nvme reads, byte for
// byte, and holds that no command of ours adds an entry to the error log of a
// drive.
func TestInspect(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Devices:  inspectedDrives(t),
		Programs: []string{"nvme", "sh", "ip", "grep", "sleep", "cat"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		Modules:  []string{"nvme-tcp", "crc32c_generic"},
		WaitFor:  []string{"/dev/nvme0", "/dev/nvme1", "/dev/ng*n3"},
		Timeout:  10 * time.Minute, // The processors of the host may have others to serve.
	})
	var jobs jobList
	addServer(&jobs, modernProfile)
	jobs.connect("connect", modernProfile, modernSerial, "")
	for _, i := range inspections() {
		i.add(&jobs)
	}
	addServerEnd(&jobs)
	res := vm.Run(jobs...)
	for _, i := range inspections() {
		t.Run(i.name, func(t *testing.T) { i.check(t, res.With(t)) })
	}
}

// errorCount is the job that prints how many errors the drive has counted.
func (i inspection) errorCount(jobs *jobList, when string) {
	jobs.add("errors "+when+" "+i.name, "nvme", "smart-log", "-o", "json", i.counting)
}

func (i inspection) add(jobs *jobList) {
	i.errorCount(jobs, "before")
	run := func(when, args string) { jobs.add(when+args, append([]string{qd1Path}, strings.Fields(args)...)...) }
	for _, p := range i.pages {
		run("qd1 ", p.qd1)
	}
	for _, r := range i.reads {
		run("read ", r)
	}
	i.errorCount(jobs, "after")
	for _, p := range i.pages {
		jobs.add("nvme "+p.qd1, append([]string{"nvme"}, strings.Fields(p.nvme)...)...)
		if p.moves {
			run("again ", p.qd1)
		}
	}
}

func (i inspection) check(t *testing.T, res *vmtest.Results) {
	for _, p := range i.pages {
		got, want := [][]byte{res.Output("qd1 " + p.qd1)}, res.Output("nvme "+p.qd1)
		if p.moves {
			got = append(got, res.Output("again "+p.qd1))
		}
		same := func(b []byte) bool { return bytes.Equal(b, want) }
		if len(want) == 0 || !slices.ContainsFunc(got, same) {
			t.Errorf("qd1 %s: %d bytes, nvme %s: %d bytes, not the same%s", p.qd1, len(got[0]), p.nvme, len(want), firstDifference(got[0], want))
		}
	}
	count := func(when string) string {
		return text(lookup(t, object(t, res.Output("errors "+when+" "+i.name)), "num_err_log_entries"))
	}
	if before, after := count("before"), count("after"); before != after {
		t.Errorf("the error log of the drive grew from %s to %s entries", before, after)
	}
}

func firstDifference(a, b []byte) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("; byte %d is %#x and %#x", i, a[i], b[i])
		}
	}
	return ""
}

// identifyPassthru are the arguments by which nvme sends an Identify command and
// prints its bytes.
func identifyPassthru(drive, nsid string, cdw10, cdw11 uint32) string {
	return fmt.Sprintf("admin-passthru --opcode=6 --namespace-id=%s --cdw10=%#x --cdw11=%#x --data-len=4096 --read --raw-binary %s", nsid, cdw10, cdw11, drive)
}
