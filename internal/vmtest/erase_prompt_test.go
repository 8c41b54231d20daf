package vmtest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// The serial numbers of the drives of TestErasePrompt: one with nothing on it,
// one with ext4, and two that are taken away while the question stands, with
// the one that comes in the place of the first.
const (
	blankSerial = "QD1-PROMPT-BLANK"
	fullSerial  = "QD1-PROMPT-FULL"
	goneSerial  = "QD1-PROMPT-GONE"
	grownSerial = "QD1-PROMPT-GROWN"
	newSerial   = "QD1-PROMPT-NEW"
)

// promptBytes is the size of the drives, fullBytes of the one with ext4 and
// grownBytes of the one that comes with the same serial number.
const (
	promptBytes = 8 << 20
	fullBytes   = 32 << 20
	grownBytes  = 12 << 20
)

func phrase(serial string) string { return "ERASE QEMU NVMe Ctrl " + serial[len(serial)-6:] }

// answer is what somebody types once a question is on the screen and a command
// of the shell, if any, has come to its end.
type answer struct{ question, first, keys string }

const (
	askPhrase = "To go on, type this line"
	askKinds  = "type its kinds"
)

// typed is a script in which somebody erases a drive on a terminal. Its last
// line tells the exit status.
func typed(name, serial string, answers ...answer) []string {
	screen := "/out/" + name + ".screen"
	lines := []string{"("}
	for _, a := range answers {
		lines = append(lines, fmt.Sprintf("until grep -q '%s' %s 2>/dev/null; do sleep 0.1; done", a.question, screen))
		if a.first != "" {
			lines = append(lines, a.first)
		}
		lines = append(lines, fmt.Sprintf("printf '%s'", a.keys))
	}
	return append(lines, fmt.Sprintf(`) | { code=0; script -qefc "exec %s erase run %s" %s >/dev/null || code=$?; echo %s $code; }`, qd1Path, serial, screen, name))
}

// prompts are what is typed where nothing may come of it, with the exit status
// and a word of the message.
var prompts = []struct {
	name, serial string
	answers      []answer
	exit         int
	says         string
}{
	{"wrong", blankSerial, []answer{{askPhrase, "", `ERASE QEMU NVMe Ctrl -BLANC\n`}}, 5, "is not the phrase"},
	{"empty", blankSerial, []answer{{askPhrase, "", `\n`}}, 5, "nobody agreed"},
	{"end", blankSerial, []answer{{askPhrase, "", `\004`}}, 5, "nobody agreed"},
	{"interrupt", blankSerial, []answer{{askPhrase, "", `\003`}}, 130, "nothing was sent"},
	{"kinds", fullSerial, []answer{{askKinds, "", `gpt\n`}, {askPhrase, "", phrase(fullSerial) + `\n`}}, 5, "--destroy-signature"},
	{"unknown", fullSerial, []answer{{askKinds, "", `everything\n`}}, 5, "everything"},
	{"early", fullSerial, []answer{{askKinds, "", `\003`}}, 130, "nothing was sent"},
}

// The steps of TestErasePrompt.
const (
	stepPrompts = iota + 1
	stepPhrase
	stepFull
	stepSwap
	stepPromptEnd
)

// TestErasePrompt lets somebody type on a terminal.
func TestErasePrompt(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	disk := func(bytes int64) string { return vmtest.Disk(t, bytes, vmtest.Filled(bytes)) }
	var devices []string
	for serial, size := range map[string]int64{blankSerial: promptBytes, fullSerial: fullBytes} {
		devices = append(devices, vmtest.Drive{ID: strings.ToLower(serial), Serial: serial, Namespaces: []vmtest.Namespace{{Image: disk(size)}}}.Arguments()...)
	}
	for i, serial := range []string{goneSerial, grownSerial} {
		bus := fmt.Sprintf("port%d", i)
		devices = append(devices, "-device", fmt.Sprintf("pcie-root-port,id=%s,chassis=%d", bus, i+1),
			"-drive", "id=old-"+serial+",if=none,format=raw,cache=unsafe,file="+disk(promptBytes),
			"-device", fmt.Sprintf("nvme,id=%s,bus=%s,drive=old-%s,serial=%s", serial, bus, serial, serial))
	}
	devices = append(devices, "-drive", "id=new-"+goneSerial+",if=none,format=raw,cache=unsafe,file="+disk(promptBytes),
		"-drive", "id=new-"+grownSerial+",if=none,format=raw,cache=unsafe,file="+disk(grownBytes))
	vm := vmtest.New(t, vmtest.Config{
		Devices: devices, Modules: []string{"ext4", "crc32c_generic"}, Trace: eraseTrace,
		Programs: []string{"sh", "nvme", "mount", "mkfs.ext4", "mkdir", "cat", "grep", "sleep", "script", "printf"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme3n1"},
	})
	jobs := promptJobs()
	vm.Start(jobs...)
	vm.WaitEvent(goneSerial)
	exchange(t, vm, goneSerial, "port0", newSerial)
	vm.WaitEvent(grownSerial)
	exchange(t, vm, grownSerial, "port1", grownSerial)
	res := vm.Wait()
	logJobs(t, res, jobs)
	seen := steps(t, vm.Trace())
	for _, p := range prompts {
		t.Run(p.name, func(t *testing.T) { checkPrompt(t, res.With(t), p.name, p.name, p.exit, p.says) })
	}
	t.Run("NoTerminal", func(t *testing.T) { checkNotSent(t, res.With(t).Get("no terminal"), "terminal") })
	t.Run("NothingSent", func(t *testing.T) { checkSent(t, seen[stepPrompts], 0) })
	t.Run("Phrase", func(t *testing.T) {
		checkPrompt(t, res.With(t), "phrase", "phrase", 0, "ERASED")
		checkSent(t, seen[stepPhrase], 1)
	})
	t.Run("InterruptedAfterwards", func(t *testing.T) { checkInterrupted(t, res.With(t), seen[stepFull]) })
	t.Run("Exchanged", func(t *testing.T) { checkExchanged(t, res.With(t), seen[stepSwap]) })
}

// promptJobs are all that is typed.
func promptJobs() jobList {
	var jobs jobList
	jobs.shell("setup", "mkdir -p /dev/pts; mount -t devpts devpts /dev/pts", "mkfs.ext4 -q -E nodiscard -L full "+node(fullSerial))
	step(&jobs, blankSerial, stepPrompts)
	for _, p := range prompts {
		jobs.shell(p.name, typed(p.name, p.serial, p.answers...)...)
	}
	jobs.shell("no terminal", qd1Path+" erase run "+blankSerial+" </dev/null")
	step(&jobs, blankSerial, stepPhrase)
	jobs.shell("phrase", typed("phrase", blankSerial, answer{askPhrase, "", phrase(blankSerial) + `\n`})...)
	step(&jobs, blankSerial, stepFull)
	jobs.shell("full", typed("full", fullSerial, answer{askKinds, "", `ext\n`}, answer{askPhrase, "", phrase(fullSerial) + `\n`},
		answer{askPhrase, until(stateFolder, fullSerial, "SENT"), `\003`})...)
	qd1Job(&jobs, "resume", []string{"erase", "resume", fullSerial, "--format", "json"})
	step(&jobs, blankSerial, stepSwap)
	tell := `echo "QD1-EVENT %s" >$QD1_EVENTS; `
	gone := fmt.Sprintf(tell, goneSerial) + "until cat /sys/class/nvme/nvme*/serial 2>/dev/null | grep -q " + newSerial + " && cat /sys/class/nvme/nvme*/state | grep -q live; do sleep 0.1; done; sleep 1"
	grown := fmt.Sprintf(tell, grownSerial) + fmt.Sprintf("until cat /sys/block/nvme*n1/size 2>/dev/null | grep -qx %d; do sleep 0.1; done; sleep 1", grownBytes/512)
	swap := slices.Concat([]string{"{"}, typed("gone", goneSerial, answer{askPhrase, gone, phrase(goneSerial) + `\n`}), []string{"} >/out/gone & {"},
		typed("grown", grownSerial, answer{askPhrase, grown, phrase(grownSerial) + `\n`}), []string{"} >/out/grown; wait; cat /out/gone /out/grown"})
	jobs.shell("swap", swap...)
	jobs.patient()
	step(&jobs, blankSerial, stepPromptEnd)
	return jobs
}

// exchange takes the drive with an identifier out of its slot and puts another
// one in.
func exchange(t *testing.T, vm *vmtest.VM, id, slot, serial string) {
	t.Helper()
	vm.QMP("device_del", map[string]any{"id": id})
	for there := true; there; time.Sleep(50 * time.Millisecond) {
		var all []struct{ Name string }
		if err := json.Unmarshal(vm.QMP("qom-list", map[string]any{"path": "/machine/peripheral"}), &all); err != nil {
			t.Fatal(err)
		}
		there = slices.ContainsFunc(all, func(d struct{ Name string }) bool { return d.Name == id })
	}
	vm.QMP("device_add", map[string]any{"driver": "nvme", "id": id + "-new", "bus": slot, "drive": "new-" + id, "serial": serial})
}

// checkPrompt checks how a program on a terminal ended, and what it said last.
func checkPrompt(t *testing.T, res *vmtest.Results, job, name string, exit int, says string) {
	t.Helper()
	screen := strings.Join(strings.Fields(readFile(t, res.File(name+".screen"))), " ")
	if out, want := string(res.Output(job)), fmt.Sprintf("%s %d\n", name, exit); !strings.Contains(out, want) {
		t.Errorf("got exit status %s, want %s", out, want)
	}
	if !strings.Contains(screen, says) {
		t.Errorf("the screen does not say %q:\n%s", says, screen)
	}
	if exit == 5 && !strings.Contains(screen, "othing was sent") {
		t.Errorf("the screen does not say that nothing was sent:\n%s", screen)
	}
}

// checkInterrupted checks that Ctrl-C after the command was sent ends only the
// waiting.
func checkInterrupted(t *testing.T, res *vmtest.Results, sent []string) {
	checkPrompt(t, res, "full", "full", 8, "the drive keeps working")
	screen := readFile(t, res.File("full.screen"))
	if kinds, line := strings.Index(screen, askKinds), strings.Index(screen, askPhrase); kinds < 0 || line < kinds {
		t.Errorf("the kinds were not asked for before the phrase:\n%s", screen)
	}
	record := object(t, res.Output("resume"))
	checkValue(t, record, "state", "DONE")
	checkValue(t, record, "verdict", "PASS")
	checkSent(t, sent, 1)
}

// checkExchanged checks that a phrase for one drive does nothing to another.
func checkExchanged(t *testing.T, res *vmtest.Results, sent []string) {
	checkPrompt(t, res, "swap", "gone", 5, "cannot be opened any more")
	checkPrompt(t, res, "swap", "grown", 5, "is not as it was when you agreed")
	for _, line := range sent {
		if changing.MatchString(line) {
			t.Errorf("the emulator saw %s", line)
		}
	}
}
