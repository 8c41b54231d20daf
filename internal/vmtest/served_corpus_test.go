package vmtest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/internal/capture"
	"qd1.example/qd1/internal/vmtest"
	"qd1.example/qd1/nvme"
)

// notAccepted are the drives of the corpus that the kernel does not take, with
// the reason. There is none.
var notAccepted = map[string]string{}

// corpusDrive is a drive of which pages are known.
type corpusDrive struct {
	name, serial, model string
	// controller and namespace are its Identify pages.
	controller, namespace []byte
	profile               string // the end of its NVMe Qualified Name
}

// device is the node of the drive's controller.
func (d corpusDrive) device() string { return "/dev/{nvme:" + d.serial + "}" }

// corpus reads the drives of which there is an Identify Controller page.
func corpus(t *testing.T) []corpusDrive {
	t.Helper()
	files, err := filepath.Glob("../../nvme/testdata/idctrl/*.bin")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d Identify Controller pages, %v, want 20 or more", len(files), err)
	}
	var drives []corpusDrive
	for i, file := range files {
		d := corpusDrive{name: strings.TrimSuffix(filepath.Base(file), ".bin"), profile: "capture", controller: []byte(readFile(t, file))}
		if i > 0 {
			d.profile += fmt.Sprintf("-%d", i+1)
		}
		d.serial = strings.TrimSpace(string(d.controller[4:24]))
		d.model = strings.TrimSpace(string(d.controller[24:64]))
		d.namespace = corpusPage("idns", d.name)
		if d.namespace == nil {
			d.namespace = commonNamespace()
		}
		drives = append(drives, d)
	}
	return drives
}

// corpusPage returns a page of a drive, nil if there is none.
func corpusPage(folder, name string) []byte {
	page, err := os.ReadFile(filepath.Join("../../nvme/testdata", folder, name+".bin"))
	if err != nil {
		return nil
	}
	return page
}

// commonNamespace is a namespace of 1 GiB in blocks of 512 bytes.
func commonNamespace() []byte {
	page := make([]byte, 4096)
	for at := 0; at < 24; at += 8 {
		page[at+2] = 0x20 // NSZE, NCAP and NUSE are 200000h.
	}
	page[130] = 9 // LBADS of the first LBA format.
	return page
}

// pages answers with the pages of a drive. The logs that every drive has are
// made up where the corpus has none.
func (d corpusDrive) pages() nvme.Passthru {
	logs := map[nvme.LID][]byte{
		nvme.LIDError: corpusPage("errlog", d.name), nvme.LIDSMART: corpusPage("smart", d.name), nvme.LIDFirmwareSlot: make([]byte, 512),
	}
	logs[nvme.LIDFirmwareSlot][0] = 1
	copy(logs[nvme.LIDFirmwareSlot][8:16], d.controller[64:72])
	return passthruFunc(func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		switch {
		case cmd.Opcode == nvme.AdminIdentify && nvme.CNS(cmd.CDW10) == nvme.CNSController:
			copy(cmd.Data, d.controller)
		case cmd.Opcode == nvme.AdminIdentify && nvme.CNS(cmd.CDW10) == nvme.CNSNamespace:
			copy(cmd.Data, d.namespace)
		case cmd.Opcode == nvme.AdminIdentify:
			copy(cmd.Data, d.descriptors())
		case cmd.Opcode == nvme.AdminGetLogPage:
			copy(cmd.Data, logs[nvme.LID(cmd.CDW10)])
		}
		return nvme.Completion{}, nil
	})
}

// descriptors returns the Namespace Identification Descriptor list: the EUI-64
// of the namespace if it has one, and a UUID.
func (d corpusDrive) descriptors() []byte {
	const eui64, uuid = 1, 3
	page := append([]byte{uuid, 16, 0, 0}, d.serial[len(d.serial)-8:]...)
	page = append(page, d.model[:8]...)
	if id := d.namespace[120:128]; !bytes.Equal(id, make([]byte, 8)) {
		page = append(append(page, eui64, 8, 0, 0), id...)
	}
	return page
}

// version13 is the version of NVMe since which every drive has the list, as in
// Identify Controller.
const version13 = 0x10300

// passthruFunc is a function that answers commands.
type passthruFunc func(context.Context, *nvme.Command) (nvme.Completion, error)

// Submit answers a command.
func (f passthruFunc) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	return f(ctx, cmd)
}

// captured writes the capture of a drive and returns its path.
func captured(t *testing.T, d corpusDrive) string {
	t.Helper()
	var text bytes.Buffer
	w, err := capture.NewWriter(&text, capture.Header{Tool: "test", Controller: "nvme0", Transport: "pcie"})
	if err != nil {
		t.Fatal(err)
	}
	commands := []*nvme.Command{
		nvme.Identify{CNS: nvme.CNSController}.Command(make([]byte, 4096)),
		nvme.Identify{CNS: nvme.CNSNamespace, NSID: 1}.Command(make([]byte, 4096)),
	}
	if binary.LittleEndian.Uint32(d.controller[80:]) >= version13 {
		commands = append(commands, nvme.Identify{CNS: nvme.CNSNamespaceDescriptors, NSID: 1}.Command(make([]byte, 4096)))
	}
	logs := map[nvme.LID]int{nvme.LIDError: 64 * (int(d.controller[262]) + 1), nvme.LIDSMART: 512, nvme.LIDFirmwareSlot: 512}
	for _, lid := range slices.Sorted(maps.Keys(logs)) {
		commands = append(commands, nvme.GetLogPage{LID: lid, NSID: nvme.BroadcastNSID}.Command(make([]byte, logs[lid])))
	}
	for _, cmd := range commands {
		if _, err := w.Passthru(d.pages()).Submit(t.Context(), cmd); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), d.name+".jsonl")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// readOnly are the commands of qd1 that only look at a drive; DRIVE stands for
// it. The first one reads all that the others read, so they run with some
// drives only.
var readOnly = []string{
	"capture --vendor-logs=off DRIVE " + vmtest.OutDir + "/NAME.jsonl", "report --bench=off --vendor-logs=off DRIVE", "smart DRIVE", "errors DRIVE",
	"firmware info DRIVE", "id ctrl DRIVE", "id ns DRIVEn1", "link DRIVE",
}

// closely are the drives that all of them look at: an old one, and one with
// namespace management.
var closely = []string{"optane-905P-SSDPE21D960GA-fresh-1h", "samsung-PM1733-MZWLJ7T6HALA-unallocated"}

// looks returns the read-only commands for a drive.
func (d corpusDrive) looks() []string {
	commands := readOnly
	if !slices.Contains(closely, d.name) {
		commands = readOnly[:1]
	}
	var all []string
	for _, c := range commands {
		all = append(all, strings.NewReplacer("DRIVE", d.device(), "NAME", d.name).Replace(c))
	}
	return all
}

// TestServedCorpus serves the drives of the corpus to the kernel, and looks at
// each in all ways. That must add no entry to the drive's error log.
func TestServedCorpus(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	drives := corpus(t)
	program := vmtest.Build(t, "cmd/qd1")
	files := map[string]string{qd1Path: program}
	var args []string
	for _, d := range drives {
		path := "/corpus/" + d.name + ".jsonl"
		files[path] = captured(t, d)
		args = append(args, "--profile-from "+path)
	}
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"nvme", "sh", "ip", "grep", "sleep", "cat", "seq"},
		Files:    files,
		Modules:  []string{"nvme-tcp", "crc32c_generic"},
	})
	var jobs jobList
	addServer(&jobs, strings.Join(args, " "))
	var devices []string
	for _, d := range drives {
		addCorpusDrive(&jobs, d)
		devices = append(devices, d.device())
	}
	jobs.add("list", append([]string{qd1Path, "list"}, devices...)...)
	jobs.shell("errors", "for d in "+strings.Join(devices, " ")+"; do nvme smart-log -b $d; done")
	addServerEnd(&jobs)
	res := vm.Run(jobs...)
	for _, d := range drives {
		t.Run(d.name, func(t *testing.T) { checkCorpusDrive(t, res.With(t), d, program) })
	}
	t.Run("Errors", func(t *testing.T) { checkCorpusErrors(t, res.With(t), drives) })
	t.Run("End", func(t *testing.T) { checkServerEnd(t, res.With(t)) })
}

// fabricsOptions are what the kernel needs to connect, but for the name of the
// drive. nvme connect is no help here: it asks all drives that are there for
// what old ones do not have, which they count as errors.
const fabricsOptions = "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nr_io_queues=1,queue_size=16,reconnect_delay=1," +
	"hostnqn=nqn.2014-08.org.nvmexpress:uuid:5f3e1b72-0000-4000-8000-000000000001,hostid=5f3e1b72-0000-4000-8000-000000000001"

// connectAlone returns the script that connects to a drive and leaves its node
// in $device.
func connectAlone(profile string) string {
	return "exec 3<>/dev/nvme-fabrics; echo '" + fabricsOptions + ",nqn=" + simNQN + profile + "' >&3; read -r got <&3\n" +
		"device=${got#*instance=}; device=/dev/nvme${device%%,*}\n" +
		"for i in $(seq 60); do test -b ${device}n1 && break; sleep 0.05; done"
}

// addCorpusDrive adds a job that connects to a drive and gives its Identify
// Controller, Identify Namespace and SMART pages, and one that looks at it and
// tells the exit status of each command.
func addCorpusDrive(jobs *jobList, d corpusDrive) {
	jobs.shell(d.name, connectAlone(d.profile), "nvme id-ctrl -b $device", "nvme id-ns -b ${device}n1", "nvme smart-log -b $device")
	var lines []string
	for _, command := range d.looks() {
		lines = append(lines, "status=0; qd1 "+command+" >/dev/null || status=$?", "echo "+strings.Fields(command)[0]+" $status")
	}
	jobs.shell(d.name+": look", lines...)
}

func checkCorpusDrive(t *testing.T, res *vmtest.Results, d corpusDrive, program string) {
	if reason, ok := notAccepted[d.name]; ok {
		if got := res.Get(d.name); got.Exit == 0 {
			t.Errorf("the kernel takes the drive, which it should not: %s", reason)
		}
		return
	}
	checkCorpusPages(t, res.Output(d.name), d)
	look := res.Get(d.name + ": look")
	for line := range strings.Lines(string(look.Stdout)) {
		if !strings.HasSuffix(line, " 0\n") {
			t.Errorf("exit status: qd1 %s%s", line, look.Stderr)
		}
	}
	cmd := exec.Command(program, "report", "--format", "json", "--bench=off", "--vendor-logs=off", "replay:"+res.File(d.name+".jsonl"))
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	report := object(t, out)
	checkValue(t, report, "drive.serial", d.serial)
	checkValue(t, report, "drive.model", d.model)
	checkValue(t, report, "drive.transport", "tcp")
}

// checkCorpusErrors checks that no drive has more entries in its error log
// than when the kernel had it, and that all are in the list.
func checkCorpusErrors(t *testing.T, res *vmtest.Results, drives []corpusDrive) {
	list, after := string(res.Output("list")), res.Output("errors")
	if len(after) != 512*len(drives) {
		t.Fatalf("%d bytes of SMART logs, want %d", len(after), 512*len(drives))
	}
	for i, d := range drives {
		was, is := errorEntries(t, res.Output(d.name)[2*4096:]), errorEntries(t, after[512*i:][:512])
		if was != is {
			t.Errorf("%s: %v entries of the error log, %v after looking", d.name, was, is)
		}
		if !strings.Contains(list, d.serial) {
			t.Errorf("qd1 list: no %s:\n%s", d.serial, list)
		}
	}
}

// errorEntries returns the count of error log entries in a SMART log.
func errorEntries(t *testing.T, page []byte) nvme.Uint128 {
	t.Helper()
	var log nvme.SMARTLog
	if err := log.UnmarshalBinary(page); err != nil {
		t.Fatal(err)
	}
	return log.ErrorLogEntries
}

// checkCorpusPages checks that the kernel gives the pages of the drive, byte
// for byte but for what fabrics need. MDTS is at most 9, the server's.
func checkCorpusPages(t *testing.T, pages []byte, d corpusDrive) {
	if len(pages) != 2*4096+512 {
		t.Fatalf("%d bytes, want the three pages", len(pages))
	}
	const atMDTS, largestMDTS = 77, 9
	got, want := bytes.Clone(pages[:4096]), bytes.Clone(d.controller)
	if want[atMDTS] == 0 || want[atMDTS] > largestMDTS {
		want[atMDTS] = largestMDTS
	}
	for _, r := range fabricsBytes {
		copy(got[r[0]:r[1]], want[r[0]:r[1]])
	}
	checkSameBytes(t, "Identify Controller", want, got)
	checkSameBytes(t, "Identify Namespace", d.namespace, pages[4096:2*4096])
}

func checkSameBytes(t *testing.T, page string, want, got []byte) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: byte %d is %#x, want %#x", page, i, got[i], want[i])
		}
	}
}

// checkServerEnd checks that the server ended well and said nothing of a
// crash.
func checkServerEnd(t *testing.T, res *vmtest.Results) {
	if got := string(res.Output("end")); !strings.HasPrefix(got, "0\n") && !strings.Contains(got, "\n0\n") || strings.Contains(got, "panic") {
		t.Errorf("exit status of sim serve: %q, want 0", got)
	}
}
