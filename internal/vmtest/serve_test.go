package vmtest_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// The simulated drives that TestServe serves: their profiles, the start of
// their names, and their serial numbers.
const (
	oldProfile, oldSerial       = "optane-905p", "QD1SIM905PFRESH00001"
	modernProfile, modernSerial = "nand-modern", "QD1SIMNANDMODERN0001"

	simNQN = "nqn.2026-01.example.qd1:sim:"
	served = "/dev/{nvme:" + oldSerial + "}"
	modern = "/dev/{nvme:" + modernSerial + "}"
)

// target are the arguments by which nvme finds the server.
const target = "-t tcp -a 127.0.0.1 -s 4420" +
	" --hostnqn nqn.2014-08.org.nvmexpress:uuid:5f3e1b72-0000-4000-8000-000000000001" +
	" --hostid 5f3e1b72-0000-4000-8000-000000000001"

// connect adds a job that connects to a drive and waits for its block device.
func (l *jobList) connect(name, profile, serial, options string) {
	l.shell(name,
		"nvme connect "+target+" -n "+simNQN+profile+options,
		"ready() { for d in /sys/class/nvme/nvme*; do grep -q "+serial+" $d/serial && test -b /dev/${d##*/}n1 && return 0; done; return 1; }",
		"until ready; do sleep 0.05; done")
}

// TestServe lets the kernel's own NVMe/TCP driver and other programs use
// simulated drives.
func TestServe(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	program := vmtest.Build(t, "cmd/qd1")
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"nvme", "smartctl", "fio", "sh", "ip", "grep", "sleep", "cat", "mkdir", "cp", "cmp",
			"mount", "umount", "mkfs.ext4", "e2fsck"},
		Files:   map[string]string{qd1Path: program},
		Modules: []string{"nvme-tcp", "crc32c_generic"},
	})
	var jobs jobList
	jobs.shell("serve", "ip link set lo up",
		"(qd1 sim serve "+oldProfile+" "+modernProfile+" </dev/null >/dev/null 2>/tmp/said & echo $! >/tmp/pid; wait $!; echo $? >/tmp/status) >/dev/null 2>&1 &",
		"until grep -q serving /tmp/said; do sleep 0.05; done", "cat /tmp/said")
	jobs.add("discover", "sh", "-c", "nvme discover -o json "+target)
	jobs.connect("connect", oldProfile, oldSerial, "")
	addServedPages(&jobs)
	addServedData(&jobs)
	addServedResets(&jobs)
	jobs.shell("end", "nvme disconnect-all", "kill -TERM $(cat /tmp/pid)", "until test -s /tmp/status; do sleep 0.05; done", "cat /tmp/status")
	res := vm.Run(jobs...)

	t.Run("Discovery", func(t *testing.T) { checkServing(t, res.With(t)) })
	t.Run("Pages", func(t *testing.T) { checkServedPages(t, res.With(t), program) })
	t.Run("Report", func(t *testing.T) { checkServedReport(t, res.With(t)) })
	t.Run("Data", func(t *testing.T) { checkServedData(t, res.With(t)) })
	t.Run("Resets", func(t *testing.T) { checkServedResets(t, res.With(t)) })
	t.Run("End", func(t *testing.T) {
		if got := strings.TrimSpace(string(res.With(t).Output("end"))); !strings.HasSuffix(got, "\n0") && got != "0" {
			t.Errorf("exit status of sim serve: %q, want 0", got)
		}
	})
}

// checkServing checks what the server says and what its discovery subsystem
// lists.
func checkServing(t *testing.T, res *vmtest.Results) {
	said := string(res.Output("serve"))
	for _, profile := range []string{oldProfile, modernProfile} {
		if want := "SIMULATED " + profile + ": nvme connect -t tcp -a 127.0.0.1 -s 4420 -n " + simNQN + profile; !strings.Contains(said, want) {
			t.Errorf("sim serve does not say %q:\n%s", want, said)
		}
	}
	log := object(t, res.Output("discover"))
	for i, profile := range []string{oldProfile, modernProfile} {
		record := fmt.Sprintf("records.%d.", i)
		checkValue(t, log, record+"subnqn", simNQN+profile)
		checkValue(t, log, record+"trtype", "tcp")
		checkValue(t, log, record+"traddr", "127.0.0.1")
		checkValue(t, log, record+"trsvcid", "4420")
	}
}

// servedPages are raw pages that nvme reads from the device, and the arguments
// with which qd1 gets the same ones from the simulated drive in process.
var servedPages = []struct{ nvme, qd1 string }{
	{"id-ctrl -b " + served, "id ctrl -o binary sim:" + oldProfile},
	{"id-ns -b " + served + "n1", "id ns -o binary sim:" + oldProfile},
	{"fw-log -b " + served, "firmware info -o binary sim:" + oldProfile},
	{"error-log -b " + served, "errors -o binary sim:" + oldProfile},
}

// fabricsBytes are the bytes of Identify Controller that a drive has otherwise
// over fabrics: KAS, MAXCMD, SGLS, SUBNQN, and IOCCSZ to OFCS.
var fabricsBytes = [][2]int{{320, 322}, {514, 516}, {536, 540}, {768, 1024}, {1792, 1806}}

// addServedPages adds the reports first, because nvme list and others ask old
// drives for what they do not have.
func addServedPages(jobs *jobList) {
	jobs.add("smart after connect", "nvme", "smart-log", "-o", "json", served)
	jobs.report(served)
	jobs.report("sim:" + oldProfile)
	for _, p := range servedPages {
		jobs.add("nvme "+p.nvme, append([]string{"nvme"}, strings.Fields(p.nvme)...)...)
	}
	jobs.add("smart after pages", "nvme", "smart-log", "-o", "json", served)
	jobs.add("list", "nvme", "list", "-o", "json")
	jobs.add("smartctl", "smartctl", "--json", "-a", served)
}

func checkServedPages(t *testing.T, res *vmtest.Results, program string) {
	for _, p := range servedPages {
		cmd := exec.Command(program, strings.Fields(p.qd1)...)
		cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
		want, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", cmd.Args, err)
		}
		got := bytes.Clone(res.Output("nvme " + p.nvme))
		if strings.HasPrefix(p.nvme, "id-ctrl") && len(got) == len(want) {
			for _, r := range fabricsBytes {
				copy(got[r[0]:r[1]], want[r[0]:r[1]])
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("nvme %s: %d bytes that differ from the %d of qd1 %s", p.nvme, len(got), len(want), p.qd1)
		}
	}
	for _, when := range []string{"smart after connect", "smart after pages"} {
		log := object(t, res.Output(when))
		checkValue(t, log, "num_err_log_entries", "0")
		checkValue(t, log, "power_cycles", "3")
	}
	if diff := cmp.Diff([]string{oldSerial}, listedSerials(t, res.Output("list"))); diff != "" {
		t.Errorf("nvme list (-want +got):\n%s", diff)
	}
	smart := object(t, res.Output("smartctl"))
	checkValue(t, smart, "model_name", "INTEL SSDPE21D960GA")
	checkValue(t, smart, "serial_number", oldSerial)
	checkValue(t, smart, "firmware_version", "E2010480")
	checkValue(t, smart, "power_cycle_count", "3")
	checkValue(t, smart, "user_capacity.bytes", "960197124096")
}

// checkServedReport compares the report of the device with that of the
// simulated drive in process. The kernel reads some blocks of its own.
func checkServedReport(t *testing.T, res *vmtest.Results) {
	over, in := reportOf(t, res, served), reportOf(t, res, "sim:"+oldProfile)
	checkValue(t, over, "drive.transport", "tcp")
	checkValue(t, over, "verdict.level", "keep")
	for _, r := range []map[string]any{over, in} {
		delete(r, "simulated")
		delete(r, "link")
		forgetFindings(t, r, "link")
		forget(t, r, "drive", "transport", "pci")
		forget(t, r, "identify_controller", "kas", "maxcmd", "sgls", "subnqn", "ioccsz", "iorcsz", "msdbd", "ofcs")
		forget(t, r, "smart", "data_units_read", "bytes_read", "host_read_commands")
	}
	checkFacts(t, "report of the device", in, over)
}

// forgetFindings deletes the findings of one axis.
func forgetFindings(t *testing.T, report map[string]any, axis string) {
	t.Helper()
	verdict, _ := lookup(t, report, "verdict").(map[string]any)
	findings, ok := verdict["findings"].([]any)
	if !ok {
		t.Fatalf("verdict %v has no findings", verdict)
	}
	verdict["findings"] = slices.DeleteFunc(findings, func(f any) bool { return lookup(t, f, "axis") == axis })
}

// forget deletes keys of an object in a report.
func forget(t *testing.T, report map[string]any, section string, keys ...string) {
	t.Helper()
	m, ok := lookup(t, report, section).(map[string]any)
	if !ok {
		t.Fatalf("%s is not an object", section)
	}
	for _, k := range keys {
		if _, ok := m[k]; !ok {
			t.Errorf("%s has no %s", section, k)
		}
		delete(m, k)
	}
}

// addServedData adds jobs that write and read: with fio, and a file system
// that is there again after a disconnect, with digests this time.
func addServedData(jobs *jobList) {
	fio := func(name string, args ...string) {
		jobs.add(name, append([]string{"fio", "--name=verify", "--filename=" + served + "n1", "--rw=randwrite", "--iodepth=32",
			"--ioengine=libaio", "--direct=1", "--verify=crc32c", "--do_verify=1", "--verify_fatal=1"}, args...)...)
	}
	fio("fio", "--bs=4k", "--size=8m", "--offset=2g")
	jobs.shell("file system", "mkdir -p /mnt", "mkfs.ext4 -q "+served+"n1 256M", "mount -t ext4 "+served+"n1 /mnt",
		"cp /usr/bin/qd1 /mnt/", "umount /mnt", "e2fsck -fn "+served+"n1")
	jobs.shell("disconnect", "nvme disconnect -n "+simNQN+oldProfile, "! test -e "+served+"n1")
	jobs.connect("connect with digests", oldProfile, oldSerial, " --hdr-digest --data-digest")
	jobs.shell("file system again", "mount -t ext4 "+served+"n1 /mnt", "cmp /mnt/qd1 /usr/bin/qd1", "umount /mnt", "e2fsck -fn "+served+"n1")
	fio("fio with digests", "--bsrange=4k-256k", "--size=16m", "--offset=2g")
	jobs.shell("trim", "nvme dsm -d -n 1 -s 0 -b 8 "+served+"n1", "nvme flush -n 1 "+served+"n1")
}

func checkServedData(t *testing.T, res *vmtest.Results) {
	for _, name := range []string{"fio", "file system", "disconnect", "connect with digests", "file system again", "fio with digests", "trim"} {
		res.Output(name)
	}
}

// addServedResets adds jobs that reset a drive of NVMe 2.0 and use it
// afterwards.
func addServedResets(jobs *jobList) {
	jobs.connect("connect modern", modernProfile, modernSerial, "")
	for _, how := range []string{"reset", "subsystem-reset"} {
		jobs.add(how, "nvme", how, modern)
		jobs.shell("after "+how, "until grep -q live /sys/class/nvme/"+strings.TrimPrefix(modern, "/dev/")+"/state; do sleep 0.05; done",
			"nvme id-ctrl -b "+modern+" >/dev/null", "qd1 report --bench=off --format json "+modern)
	}
	jobs.add("version", "nvme", "get-property", "--offset=8", modern)
}

func checkServedResets(t *testing.T, res *vmtest.Results) {
	for _, how := range []string{"reset", "subsystem-reset"} {
		res.Output(how)
		checkValue(t, object(t, res.Output("after "+how)), "drive.serial", modernSerial)
	}
	if got := string(res.Output("version")); !strings.Contains(got, "20000") {
		t.Errorf("VS of a drive of NVMe 2.0: %s", got)
	}
}
