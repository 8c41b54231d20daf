package vmtest_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// The serial numbers of the drives of TestErase.
const (
	extSerial     = "QD1-ERASE-EXT"
	gptSerial     = "QD1-ERASE-GPT"
	metaSerial    = "QD1-ERASE-META"
	pairSerial    = "QD1-ERASE-PAIR"
	mountedSerial = "QD1-ERASE-MOUNTED"
)

// secret stands again and again in the file on the drive with ext4.
const secret = "QD1-SECRET-OF-THE-OWNER"

const (
	extLabel = "qd1-data"
	extUUID  = "0fb3a1d2-5c4e-4b6a-9d7f-112233445566"
)

// eraseSizes are the drives with their sizes. The emulator keeps the metadata
// in the image too, so that the namespace with metadata is smaller than it.
var eraseSizes = map[string]int64{extSerial: 64 << 20, gptSerial: 16 << 20, metaSerial: 16744448, pairSerial: 16 << 20, mountedSerial: 16 << 20}

// node is the block device of the first namespace of a drive.
func node(serial string) string { return "/dev/{nvme:" + serial + "}n1" }

// consent are the flags by which a script agrees to destroy so many bytes.
func consent(bytes int64, more ...string) []string {
	return append([]string{"--yes", "--expect-model", "QEMU NVMe Ctrl", "--expect-bytes", fmt.Sprint(bytes)}, more...)
}

// qd1Job adds a job that runs qd1 with arguments.
func qd1Job(jobs *jobList, name string, args ...[]string) {
	jobs.add(name, append([]string{qd1Path}, slices.Concat(args...)...)...)
}

// eraseTrace are the events that show what a drive was told.
var eraseTrace = []string{"pci_nvme_admin_cmd", "pci_nvme_io_cmd", "pci_nvme_format_set", "pci_nvme_getfeat"}

// step writes a mark into the emulator's trace: the lines from it to the next
// mark are those of the step. Nothing else asks for a feature with such a
// dword.
func step(jobs *jobList, serial string, number int) {
	jobs.shell(fmt.Sprintf("step %d", number), fmt.Sprintf("nvme get-feature -f 4 --cdw11=0x%x /dev/{nvme:%s} >/dev/null || true", 0xAB0000+number, serial))
}

var stepMark = regexp.MustCompile(`^pci_nvme_getfeat .*cdw11 0xab([0-9a-f]{4})\b`)

// steps splits a trace by the marks of step.
func steps(t *testing.T, lines []string) map[int][]string {
	t.Helper()
	all := map[int][]string{}
	at := -1
	for _, line := range lines {
		if m := stepMark.FindStringSubmatch(line); m != nil {
			n, err := strconv.ParseInt(m[1], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			at = int(n)
			all[at] = nil
			continue
		}
		all[at] = append(all[at], line)
	}
	return all
}

// changing are the commands that change what is on a drive or the drive itself,
// of the admin and the I/O queue. The kernel sends others of its own to a drive
// that it finds.
var changing = regexp.MustCompile(`^pci_nvme_(admin_cmd .* opc 0x(d|10|11|15|80|81|84) |io_cmd .* opc 0x(1|4|5|8|9|19|79|7d) )`)

var (
	formatCommand = regexp.MustCompile(`^pci_nvme_admin_cmd .* opc 0x80 `)
	writeCommand  = regexp.MustCompile(`^pci_nvme_io_cmd .* opc 0x1 `)
)

// checkSent checks that Format NVM was sent so often, and besides that nothing
// that changes data but the canaries, which come before it. Planted says that
// there are canaries without a command.
func checkSent(t *testing.T, lines []string, want int, planted ...bool) {
	t.Helper()
	formats, writes := 0, 0
	var others []string
	for _, line := range destroying(lines) {
		switch {
		case formatCommand.MatchString(line):
			formats++
		case writeCommand.MatchString(line) && formats == 0 && (want > 0 || len(planted) > 0 && planted[0]):
			writes++
		default:
			others = append(others, line)
		}
	}
	if len(others) > 0 {
		t.Errorf("besides %d formats and %d writes before, the emulator saw %d commands, the first is %s", formats, writes, len(others), others[0])
	}
	if formats != want {
		t.Errorf("the emulator saw %d Format NVM commands, want %d", formats, want)
	}
	t.Logf("the emulator saw %d writes, then %d Format NVM", writes, formats)
}

// The kernel's entries for commands of programs: the block node and the
// controller's node.
var kprobes = []string{
	"mount -t tracefs x /sys/kernel/tracing",
	`fields='op=+u0(%dx):u8 nsid=+u4(%dx):u32 cdw10=+u40(%dx):u32 cdw11=+u44(%dx):u32 cdw12=+u48(%dx):u32 cdw13=+u52(%dx):u32 cdw14=+u56(%dx):u32 cdw15=+u60(%dx):u32 timeout_ms=+u64(%dx):u32'`,
	`echo "p:block blkdev_ioctl cmd=%si:x32 $fields" >/sys/kernel/tracing/kprobe_events`,
	`echo "p:controller nvme_dev_ioctl cmd=%si:x32 $fields" >>/sys/kernel/tracing/kprobe_events`,
	"echo 1 >/sys/kernel/tracing/events/kprobes/enable",
}

// kernelSaw adds a job that returns what the kernel was told since the last.
func kernelSaw(jobs *jobList, name string) {
	jobs.shell("kernel "+name, "cat /sys/kernel/tracing/trace; echo >/sys/kernel/tracing/trace")
}

var probeField = regexp.MustCompile(`(\w+)=(\w+)`)

// sentFormats returns the fields of the Format NVM commands that reached the
// kernel.
func sentFormats(t *testing.T, res *vmtest.Results, name string) []map[string]string {
	t.Helper()
	var all []map[string]string
	for line := range strings.Lines(string(res.Output("kernel " + name))) {
		if !strings.Contains(line, " op=128 ") {
			continue
		}
		fields := map[string]string{}
		for _, m := range probeField.FindAllStringSubmatch(line, -1) {
			fields[m[1]] = m[2]
		}
		all = append(all, fields)
	}
	return all
}

// passthru are the ioctl commands NVME_IOCTL_ADMIN_CMD and ..ADMIN64_CMD.
var passthru = []string{"0xc0484e41", "0xc0504e47"}

// checkKernelSaw checks that the commands which reached the kernel are those
// that a record announced, with their time-outs.
func checkKernelSaw(t *testing.T, res *vmtest.Results, name string, record map[string]any) {
	t.Helper()
	sent := sentFormats(t, res, name)
	planned, _ := record["commands"].([]any)
	if len(sent) != len(planned) || len(sent) == 0 {
		t.Fatalf("%d commands reached the kernel, want %d: %v", len(sent), len(planned), sent)
	}
	for i, fields := range sent {
		if !slices.Contains(passthru, fields["cmd"]) {
			t.Errorf("command %d: ioctl %s", i, fields["cmd"])
		}
		for _, key := range []string{"nsid", "cdw10", "cdw11", "cdw12", "cdw13", "cdw14", "cdw15", "timeout_ms"} {
			if want := text(lookup(t, planned[i], key)); fields[key] != want {
				t.Errorf("command %d, %s: %s reached the kernel, and %s was announced", i, key, fields[key], want)
			}
		}
	}
	t.Logf("the kernel got %v", sent)
}

// The steps of TestErase.
const (
	stepRefused = iota + 1
	stepErase
	stepMeta
	stepPair
	stepGPT
	stepOther
	stepEnd
)

// eraseSetup puts file systems on the drives.
var eraseSetup = []string{
	"mkdir -p /mnt/ext /mnt/mounted",
	"mkfs.ext4 -q -E nodiscard -L " + extLabel + " -U " + extUUID + " $EXT",
	"mount $EXT /mnt/ext",
	"yes " + secret + " | head -c 4000000 >/mnt/ext/secret",
	"dd if=/dev/urandom of=/mnt/ext/random bs=1M count=8 2>/dev/null",
	"umount /mnt/ext",
	`printf 'label: gpt\n2048,16384,L\n' | sfdisk -q $GPT`,
	"mkfs.ext4 -q $MOUNTED; mount -o ro $MOUNTED /mnt/mounted",
	"sync",
}

// readBack looks at the device itself, past every cache.
var readBack = []string{
	"dd if=$EXT iflag=direct bs=1M 2>/dev/null | cmp -n 67108864 - /dev/zero && echo zero || echo other",
	"dd if=$EXT iflag=direct bs=512 skip=2 count=1 2>/dev/null | od -An -tx1 -j56 -N2",
	"blkid -p $EXT || echo blkid $?",
}

// TestErase erases and formats drives that the emulator has, and lets others
// look at what was sent and what is left.
func TestErase(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	images := map[string]string{}
	for serial, size := range map[string]int64{extSerial: 64 << 20, gptSerial: 16 << 20, metaSerial: 16 << 20, pairSerial: 8 << 20, mountedSerial: 16 << 20} {
		images[serial] = vmtest.Disk(t, size, vmtest.Filled(size))
	}
	half := vmtest.Disk(t, 8<<20, vmtest.Filled(8<<20))
	const blocks4096 = "logical_block_size=4096,physical_block_size=4096"
	spaces := map[string][]vmtest.Namespace{
		extSerial: {{Image: images[extSerial]}}, gptSerial: {{Image: images[gptSerial]}}, mountedSerial: {{Image: images[mountedSerial]}},
		metaSerial: {{Image: images[metaSerial], Options: "ms=8,pi=1," + blocks4096}},
		pairSerial: {{Image: images[pairSerial], Options: blocks4096}, {Image: half, Options: blocks4096}},
	}
	var devices []string
	setup := []string{"EXT=" + node(extSerial), "GPT=" + node(gptSerial), "MOUNTED=" + node(mountedSerial)}
	for _, serial := range slices.Sorted(maps.Keys(spaces)) {
		devices = append(devices, vmtest.Drive{ID: strings.ToLower(serial), Serial: serial, Namespaces: spaces[serial]}.Arguments()...)
	}
	vm := vmtest.New(t, vmtest.Config{
		Devices: devices, Modules: []string{"ext4", "crc32c_generic", "crct10dif_generic"}, Trace: eraseTrace,
		Programs: []string{"sh", "nvme", "mount", "umount", "mkfs.ext4", "sfdisk", "dd", "mkdir", "cat", "blkid", "grep", "cmp", "sync", "yes", "head", "od", "ls", "cp"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{fmt.Sprintf("/dev/nvme%dn1", len(spaces)-1)},
	})
	var jobs jobList
	jobs.shell("setup", append(setup, append(eraseSetup, kprobes...)...)...)
	jobs.shell("before", append(setup, "dd if=$EXT iflag=direct bs=1M 2>/dev/null | grep -m1 -c "+secret)...)
	eraseJobs(&jobs, setup)
	formatJobs(&jobs)
	holeJobs(&jobs)
	step(&jobs, extSerial, stepEnd)
	res := vm.Run(jobs...)
	res.With(t).Output("setup")
	logJobs(t, res, jobs)
	seen := steps(t, vm.Trace())
	t.Run("WithoutConsent", func(t *testing.T) { checkWithoutConsent(t, res.With(t), seen[stepRefused]) })
	t.Run("Erase", func(t *testing.T) { checkErase(t, res.With(t), seen[stepErase]) })
	t.Run("ReadBack", func(t *testing.T) { checkReadBack(t, res.With(t), images[extSerial]) })
	t.Run("Certificate", func(t *testing.T) { checkCertificate(t, res.With(t)) })
	t.Run("Afterwards", func(t *testing.T) { checkAfterwards(t, res.With(t)) })
	t.Run("Metadata", func(t *testing.T) { checkMetadata(t, res.With(t), seen[stepMeta]) })
	t.Run("SeveralNamespaces", func(t *testing.T) { checkPair(t, res.With(t), seen[stepPair]) })
	t.Run("BlockSize", func(t *testing.T) { checkBlockSize(t, res.With(t), seen[stepGPT]) })
	t.Run("Holes", func(t *testing.T) { checkHoles(t, res.With(t), seen[stepRefused]) })
}

// eraseJobs erase the drive with ext4.
func eraseJobs(jobs *jobList, setup []string) {
	agreed := consent(eraseSizes[extSerial])
	step(jobs, extSerial, stepRefused)
	qd1Job(jobs, "plan", []string{"erase", "plan", extSerial, "--format", "json"})
	qd1Job(jobs, "without consent", []string{"erase", "run", extSerial}, agreed)
	for _, name := range slices.Sorted(maps.Keys(holes())) {
		qd1Job(jobs, name, holes()[name])
	}
	step(jobs, extSerial, stepErase)
	kernelSaw(jobs, "nothing")
	qd1Job(jobs, "erase", []string{"erase", "run", extSerial, "--format", "json", "--certificate", "/out/ext.json", "--destroy-signature=ext"}, agreed)
	kernelSaw(jobs, "erase")
	jobs.shell("after", append(setup, readBack...)...)
	qd1Job(jobs, "verify", []string{"erase", "cert", "verify", "/out/ext.json"})
	jobs.shell("verify changed", "cp /out/ext.json /tmp/changed.json", "printf X | dd of=/tmp/changed.json bs=1 conv=notrunc seek=$(grep -bo "+extSerial+" /tmp/changed.json | head -n1 | { IFS=: read n rest; echo $n; }) 2>/dev/null",
		qd1Path+" erase cert verify /tmp/changed.json")
	qd1Job(jobs, "status", []string{"erase", "status", extSerial, "--format", "json"})
	qd1Job(jobs, "status text", []string{"erase", "status"})
	qd1Job(jobs, "list", []string{"list", "--format", "json"})
}

// checkWithoutConsent checks the refusal that names what lies on the drive.
func checkWithoutConsent(t *testing.T, res *vmtest.Results, sent []string) {
	if n := strings.TrimSpace(string(res.Output("before"))); n != "1" {
		t.Fatalf("the secret is not on the drive: %q", n)
	}
	r := res.Get("without consent")
	for _, says := range []string{"ext4", extLabel, extUUID, "--destroy-signature"} {
		checkNotSent(t, r, says)
	}
	checkSent(t, sent, 0)
}

// checkErase checks the result of the erase, and what reached the kernel and
// the drive.
func checkErase(t *testing.T, res *vmtest.Results, sent []string) {
	plan := object(t, res.Output("plan"))
	record := object(t, res.Output("erase"))
	checkValue(t, record, "result", "done")
	checkValue(t, record, "verdict", "PASS")
	checkValue(t, record, "state", "DONE")
	for _, tier := range []string{"command", "comparison", "canaries"} {
		checkValue(t, record, "verification."+tier+".verdict", "PASS")
		t.Logf("%s: %s", tier, text(lookup(t, record, "verification."+tier+".text")))
	}
	if diff := cmp.Diff(plan["commands"], record["commands"]); diff != "" {
		t.Errorf("what was planned and what was done (-plan +erase):\n%s", diff)
	}
	checkKernelSaw(t, res, "erase", plan)
	checkSent(t, sent, 1)
}

// checkReadBack checks that nothing is left, for programs of others that read
// the device and for the host, which reads the image.
func checkReadBack(t *testing.T, res *vmtest.Results, image string) {
	want := []string{"zero", " 00 00", "blkid 2"}
	got := strings.Split(strings.TrimRight(string(res.Output("after")), "\n"), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("zeroes, magic number and blkid (-want +got):\n%s", diff)
	}
	b, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte(secret)); n > 0 {
		t.Errorf("the image has the secret %d times", n)
	}
}

// checkCertificate checks the certificate and one with a changed byte.
func checkCertificate(t *testing.T, res *vmtest.Results) {
	out := string(res.Output("verify"))
	if !strings.Contains(out, extSerial) {
		t.Errorf("the certificate does not name the drive:\n%s", out)
	}
	if r := res.Get("verify changed"); r.Exit != 6 {
		t.Errorf("a changed certificate: want exit status 6:\n%s", vmtest.Describe(r))
	}
}

// checkAfterwards checks what is known of the drive after the erase.
func checkAfterwards(t *testing.T, res *vmtest.Results) {
	checkValue(t, object(t, res.Output("status")), "state", "DONE")
	if out := string(res.Output("status text")); !strings.Contains(out, "DONE") || !strings.Contains(out, "ERASED") || !strings.Contains(out, "PASS") {
		t.Errorf("the status does not say that the job is done:\n%s", out)
	}
	rows, _ := object(t, res.Output("list"))["drives"].([]any)
	for _, row := range rows {
		r := row.(map[string]any)
		if text(r["serial"]) == extSerial && fmt.Sprint(r["in_use"]) != "[]" {
			t.Errorf("the list says that the erased drive is in use: %v", r["in_use"])
		}
	}
}
