package vmtest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// guardedBytes is the size of each drive of these tests.
const guardedBytes = 64 << 20

// uses are the drives of TestGuard by what they are used for, with what the
// refusal has to name.
var uses = []struct{ name, says string }{
	{"WHOLE", "mounted on /mnt/whole"},
	{"PART", "mounted on /mnt/part"},
	{"OTHERNS", "mounted on /mnt/other"},
	{"SWAP", "swap"},
	{"MD", "md0"},
	{"LVM", "store-data"},
	{"CRYPT", "vault"},
	{"LOOP", "loop0"},
	{"OPEN", "sleep"},
}

// guardSetup brings the drives into use, by the programs that people use.
var guardSetup = []string{
	"mkdir -p /mnt/whole /mnt/part /mnt/other /mnt/loop /run/cryptsetup /run/lock /run/lvm /etc/lvm",
	"export DM_DISABLE_UDEV=1",
	"mkfs.ext4 -q -L whole $WHOLE; mount -o ro $WHOLE /mnt/whole",
	"mkfs.ext4 -q ${PART}p1; mount -o ro ${PART}p1 /mnt/part",
	`mkfs.ext4 -q $OTHERNS; (unshare -m sh -c "mount -o ro $OTHERNS /mnt/other; echo >/tmp/other; sleep 600" >/dev/null 2>&1 &)`,
	"mkswap -q $SWAP; swapon $SWAP",
	"mdadm --create /dev/md0 --level=1 --raid-devices=2 --metadata=1.2 --homehost=host --name=pair --run $MD missing",
	"lvm pvcreate -y $LVM; lvm vgcreate -y store $LVM; lvm lvcreate -y -Zn -l100%FREE -n data store",
	"echo secret | cryptsetup luksFormat --type luks1 --pbkdf-force-iterations 1000 -q $CRYPT; echo secret | cryptsetup open $CRYPT vault",
	"mkfs.ext4 -q $LOOP; mount $LOOP /mnt/loop; dd if=/dev/zero of=/mnt/loop/image bs=1M count=4 2>/dev/null; losetup -r /dev/loop0 /mnt/loop/image; mount -o remount,ro /mnt/loop",
	"(sleep 600 <$OPEN >/dev/null 2>&1 &)",
	"until test -e /tmp/other; do sleep 0.05; done",
}

// guardPrograms are what guardSetup and the jobs after it need.
var guardPrograms = []string{"sh", "nvme", "mount", "umount", "mkfs.ext4", "mkswap", "swapon", "mdadm", "lvm", "cryptsetup", "losetup", "dd", "sleep",
	"unshare", "mkdir", "cat", "ls", "blkid", "grep", "kill", "cmp", "sync", "chmod"}

var guardModules = []string{"ext4", "raid1", "dm-mod", "dm-crypt", "loop", "xts", "ecb", "aesni_intel", "algif_skcipher", "crc32c_generic"}

func guardSerial(name string) string { return "QD1-GUARD-" + name }

func guardNode(name string) string { return "/dev/{nvme:" + guardSerial(name) + "}n1" }

func guardDrive(t *testing.T, id, serial string, prepare ...func(*testing.T, string)) []string {
	image := vmtest.Disk(t, guardedBytes, vmtest.Filled(guardedBytes))
	return vmtest.Drive{ID: id, Serial: serial, Namespaces: []vmtest.Namespace{{Image: image}}}.Arguments()
}

// agreed are the flags by which a script agrees to the erase of one of these
// drives.
func agreed(more ...string) []string {
	return append([]string{"--yes", "--expect-model", "QEMU NVMe Ctrl", "--expect-bytes", fmt.Sprint(guardedBytes)}, more...)
}

// TestGuard tries to erase drives that are in use, in every way and with all
// consent given. What was sent is what the emulator saw.
func TestGuard(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	var devices, setup []string
	for _, u := range uses {
		prepare := vmtest.Filled(guardedBytes)
		if u.name == "PART" {
			prepare = vmtest.OnePartition(60 << 20)
		}
		devices = append(devices, vmtest.Drive{ID: strings.ToLower(u.name), Serial: guardSerial(u.name),
			Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, guardedBytes, prepare)}}}.Arguments()...)
		setup = append(setup, u.name+"="+guardNode(u.name))
	}
	for _, id := range []string{"twin-a", "twin-b", "free"} {
		serial := guardSerial("TWIN")
		if id == "free" {
			serial = guardSerial("FREE")
		}
		devices = append(devices, guardDrive(t, id, serial)...)
	}
	vm := vmtest.New(t, vmtest.Config{
		Devices: devices, Programs: guardPrograms, Modules: guardModules,
		Files:   map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor: []string{fmt.Sprintf("/dev/nvme%dn1", len(uses)+2)},
		Trace:   []string{"pci_nvme_admin_cmd", "pci_nvme_io_cmd"},
	})
	var jobs jobList
	jobs.shell("setup", append(setup, guardSetup...)...)
	jobs.shell("settle", "sync", "sleep 2") // The array marks itself clean.
	mark(&jobs, "begin")
	for _, u := range uses {
		jobs.add("erase "+u.name, append([]string{qd1Path, "erase", "run", guardSerial(u.name), "--format", "json"}, agreed("--destroy-signature=gpt,mbr,ext,swap,md,lvm,luks")...)...)
	}
	wrong := wrongAgreements()
	for name, args := range wrong {
		jobs.add("wrong "+name, append([]string{qd1Path}, args...)...)
	}
	jobs.add("list", qd1Path, "list", "--format", "json")
	mark(&jobs, "end")
	res := vm.Run(jobs...)
	res.With(t).Output("setup")
	for _, u := range uses {
		r := res.Get("erase " + u.name)
		t.Logf("%s %v", u.name, r.Ended-r.Started)
	}
	for name := range wrong {
		r := res.Get("wrong " + name)
		t.Logf("%s %v", name, r.Ended-r.Started)
	}

	for _, u := range uses {
		t.Run(u.name, func(t *testing.T) { checkNotSent(t, res.With(t).Get("erase "+u.name), u.says) })
	}
	for name := range wrong {
		t.Run("Wrong"+name, func(t *testing.T) { checkNotSent(t, res.With(t).Get("wrong "+name), wrongSays[name]) })
	}
	t.Run("List", func(t *testing.T) { checkListedUses(t, object(t, res.With(t).Output("list"))) })
	t.Run("NothingSent", func(t *testing.T) {
		if sent := destroying(between(t, vm.Trace())); len(sent) > 0 {
			t.Errorf("the emulator saw %d commands that write, the first is %s", len(sent), sent[0])
		}
	})
}

// wrongSays is what the refusal of a wrong agreement has to name.
var wrongSays = map[string]string{
	"Node": "serial", "Suffix": "serial", "PCI": "serial", "Model": "model", "Size": "bytes", "Twin": "--pci", "NoYes": "terminal",
	"Signature": "signature", "Format": "serial",
}

// wrongAgreements are command lines that must not erase the free drive.
func wrongAgreements() map[string][]string {
	erase := func(drive string, flags ...string) []string { return append([]string{"erase", "run", drive}, flags...) }
	free := guardSerial("FREE")
	return map[string][]string{
		"Node":   erase(guardNode("FREE"), agreed()...),
		"Suffix": erase("FREE", agreed()...),
		"PCI":    erase("{pci:"+free+"}", agreed()...),
		"Model":  erase(free, "--yes", "--expect-model", "QEMU NVMe", "--expect-bytes", fmt.Sprint(guardedBytes)),
		"Size":   erase(free, "--yes", "--expect-model", "QEMU NVMe Ctrl", "--expect-bytes", fmt.Sprint(guardedBytes+512)),
		"Twin":   erase(guardSerial("TWIN"), agreed()...),
		"NoYes":  erase(free),
		"Format": append([]string{"format", guardNode("FREE"), "--ses", "1"}, agreed()...),
	}
}

// checkNotSent checks the exit status of a refusal and what it names.
func checkNotSent(t *testing.T, r vmtest.Result, says string) {
	t.Helper()
	all := string(r.Stdout) + string(r.Stderr)
	if r.Exit != 5 || !strings.Contains(all, says) {
		t.Errorf("want exit status 5 with %q:\n%s", says, vmtest.Describe(r))
	}
	if !strings.Contains(string(r.Stderr), "othing was sent") {
		t.Errorf("the message does not say that nothing was sent:\n%s", r.Stderr)
	}
}

// checkListedUses checks that list says who uses each drive.
func checkListedUses(t *testing.T, list map[string]any) {
	rows, _ := list["drives"].([]any)
	for _, row := range rows {
		r := row.(map[string]any)
		name := strings.TrimPrefix(text(r["serial"]), guardSerial(""))
		i := slices.IndexFunc(uses, func(u struct{ name, says string }) bool { return u.name == name })
		in := fmt.Sprint(r["in_use"])
		switch {
		case i < 0 && in != "[]":
			t.Errorf("%s is free, list says %s", name, in)
		case i >= 0 && !strings.Contains(in, uses[i].says):
			t.Errorf("list does not say %q of %s: %s", uses[i].says, name, in)
		}
	}
	if len(rows) != len(uses)+3 {
		t.Errorf("list has %d drives, want %d", len(rows), len(uses)+3)
	}
}

// mark writes a mark into the emulator's trace: a read of a block that nothing
// else reads, on the free drive.
func mark(jobs *jobList, name string) {
	jobs.shell("mark "+name, "nvme get-feature -f 0x"+marks[name]+" /dev/{nvme:"+guardSerial("FREE")+"} >/dev/null || true",
		"nvme get-feature -f 0x"+marks[name]+" /dev/{nvme:"+guardSerial("FREE")+"} >/dev/null || true")
}

// marks are feature identifiers that only mark asks for.
var marks = map[string]string{"begin": "04", "end": "05"}

var getFeature = regexp.MustCompile(`^pci_nvme_admin_cmd .* opc 0xa `)

// between returns the lines of the trace between the two marks, which are two
// Get Features commands each.
func between(t *testing.T, lines []string) []string {
	t.Helper()
	var at []int
	for i, line := range lines {
		if getFeature.MatchString(line) {
			at = append(at, i)
		}
	}
	if len(at) < 4 {
		t.Fatalf("the trace has %d Get Features commands, want the 4 of the marks", len(at))
	}
	return lines[at[1] : at[len(at)-2]+1]
}

// reading are the opcodes that change nothing, of the admin and the I/O queue.
var reading = regexp.MustCompile(`^pci_nvme_(admin_cmd .* opc 0x(2|6|8|a|c|82) |io_cmd .* opc 0x(0|2) )`)

var anyCommand = regexp.MustCompile(`^pci_nvme_(admin|io)_cmd `)

// destroying returns the lines that are commands and do not only read. A flush
// changes nothing.
func destroying(lines []string) []string {
	var sent []string
	for _, line := range lines {
		if anyCommand.MatchString(line) && !reading.MatchString(line) {
			sent = append(sent, line)
		}
	}
	return sent
}
