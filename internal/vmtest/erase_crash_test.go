package vmtest_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// crashBytes is the size of each drive of these tests.
const crashBytes = 8 << 20

// crash is a job that is broken off right after a state is in the journal,
// and what has to become of it.
type crash struct {
	// name is the end of the drive's serial number, state the last state of the
	// journal.
	name, state string
	// result and exit are what status says of it, next is part of its words.
	result string
	exit   int
	next   string
	// consent says that the job goes on only with consent.
	consent bool
	// formats are the commands that the drive gets from the run that was broken
	// off, and from the one that carries on.
	formats, more int
}

// crashes are the states of the journal. SENT is written before the command
// goes, so that a run that ends there has not sent it; nobody can know that.
var crashes = []crash{
	{name: "ARMED", state: "ARMED", result: "cancelled", exit: 0, next: "no command was sent to the drive"},
	{name: "SENT", state: "SENT", result: "interrupted", exit: 8, next: "has to be repeated, with consent", consent: true, more: 1},
	{name: "RETURNED", state: "RETURNED", result: "interrupted", exit: 8, next: "verifies", formats: 1},
	{name: "VERIFY", state: "VERIFY", result: "interrupted", exit: 8, next: "verifies", formats: 1},
}

// inFlight is an erase whose command the drive works on.
var inFlight = crash{name: "FLIGHT", state: "SENT", result: "interrupted", exit: 8, next: "has to be repeated, with consent", consent: true, more: 1}

func crashSerial(name string) string { return "QD1-CRASH-" + name }

// slow is an image behind a filter that can let a command wait.
func slow(image string) string { return "blkdebug::" + image }

// holdFormat lets the next Format NVM of a drive wait until it is let go.
func holdFormat(vm *vmtest.VM, serial string) { blkdebug(vm, serial, "break pwritev_zero held") }

func letFormatGo(vm *vmtest.VM, serial string) { blkdebug(vm, serial, "resume held") }

func blkdebug(vm *vmtest.VM, serial, command string) {
	vm.QMP("human-monitor-command", map[string]any{"command-line": fmt.Sprintf("qemu-io %s-ns1 %q", strings.ToLower(serial), command)})
}

// crashPrograms are what the jobs of these tests need.
var crashPrograms = []string{"sh", "nvme", "mount", "mkfs.ext4", "mkdir", "cat", "grep", "sleep", "kill", "sed", "sync"}

// crashMachine returns a machine with a drive of each image.
func crashMachine(t *testing.T, serials []string, images map[string]string, program string, more ...string) *vmtest.VM {
	var devices []string
	for _, serial := range serials {
		devices = append(devices, vmtest.Drive{ID: strings.ToLower(serial), Serial: serial, Namespaces: []vmtest.Namespace{{Image: images[serial]}}}.Arguments()...)
	}
	return vmtest.New(t, vmtest.Config{
		Devices: append(devices, more...), Modules: []string{"ext4", "crc32c_generic"}, Trace: eraseTrace,
		Programs: crashPrograms, Files: map[string]string{qd1Path: program},
		WaitFor: []string{fmt.Sprintf("/dev/nvme%dn1", len(serials)-1)},
	})
}

// crashImages returns the serial numbers of a drive for each state and of
// others, with their images.
func crashImages(t *testing.T, others ...string) (serials []string, images map[string]string) {
	images = map[string]string{}
	for _, c := range crashes {
		serials = append(serials, crashSerial(c.name))
	}
	serials = append(serials, others...)
	for _, serial := range serials {
		images[serial] = vmtest.Disk(t, crashBytes, vmtest.Filled(crashBytes))
	}
	return serials, images
}

// eraseArgs are the arguments of a whole erase with all consent.
func eraseArgs(serial string) []string {
	return append([]string{qd1Path, "erase", "run", serial, "--format", "json"}, consent(crashBytes)...)
}

// TestEraseCrash kills the process of an erase at each state of the journal
// and lets it be carried on with.
func TestEraseCrash(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	serials, images := crashImages(t, parentSerial, alongSerial)
	images[alongSerial] = slow(images[alongSerial])
	vm := crashMachine(t, serials, images, vmtest.Build(t, "cmd/qd1", "-tags", "crashpoints"))
	var jobs jobList
	for i, c := range crashes {
		step(&jobs, serials[0], 10*i+1)
		jobs = append(jobs, vmtest.Job{Name: "crash " + c.name, Argv: eraseArgs(crashSerial(c.name)), Env: []string{"QD1_CRASH=" + c.state + ":kill"}})
		carryOnJobs(&jobs, c, serials[0], 10*i, nil)
	}
	parentJobs(&jobs)
	step(&jobs, serials[0], 99)
	vm.Start(jobs...)
	holdFormat(vm, alongSerial)
	vm.WaitEvent(alongSerial)
	letFormatGo(vm, alongSerial)
	res := vm.Wait()
	logJobs(t, res, jobs)
	seen := steps(t, vm.Trace())
	for i, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			res := res.With(t)
			if r := res.Get("crash " + c.name); r.Exit != 8 || !strings.Contains(string(r.Stderr), "erase status") {
				t.Errorf("the run whose process was killed: want exit status 8 and what to do:\n%s", vmtest.Describe(r))
			}
			checkSent(t, seen[10*i+1], c.formats, c.state == "SENT")
			checkCarriedOn(t, res, c, seen, 10*i, "the run ended before its time")
			checkClaims(t, res, c, seen[10*i+4])
		})
	}
	t.Run("ParentKilled", func(t *testing.T) { checkParentKilled(t, res.With(t)) })
	t.Run("DONE", func(t *testing.T) { checkDone(t, res.With(t)) })
	t.Run("GoesOn", func(t *testing.T) { checkGoesOn(t, res.With(t)) })
}

// patient gives the last job more time than others have: a busy host may need
// it.
func (l jobList) patient() { l[len(l)-1].Timeout = 2 * time.Minute }

// logJobs logs how long each job took.
func logJobs(t *testing.T, res *vmtest.Results, jobs jobList) {
	t.Helper()
	for _, j := range jobs {
		r := res.Get(j.Name)
		t.Logf("%-24s exit %d, %.1f s to %.1f s", j.Name, r.Exit, r.Started.Seconds(), r.Ended.Seconds())
	}
}

// carryOnJobs ask for the state of a job that was broken off and carry on with
// it, marks included. mark is the drive that takes the marks. With an
// environment only what differs after a restart is asked for.
func carryOnJobs(jobs *jobList, c crash, mark string, number int, env []string) {
	serial, restarted := crashSerial(c.name), env != nil
	job := func(name string, args ...string) {
		*jobs = append(*jobs, vmtest.Job{Name: name + " " + c.name, Argv: append([]string{qd1Path, "erase"}, args...), Env: env})
	}
	step(jobs, mark, number+2)
	job("status", "status", serial, "--format", "json")
	if !restarted {
		job("status text", "status", serial)
	}
	if c.consent && !restarted {
		job("resume without consent", "resume", serial)
	}
	step(jobs, mark, number+3)
	resume := []string{"resume", serial, "--format", "json", "--certificate", "/out/" + c.name + ".json"}
	if c.consent {
		resume = append(resume, consent(crashBytes)...)
	}
	job("resume", resume...)
	if restarted {
		return
	}
	job("verify", "cert", "verify", "/out/"+c.name+".json")
	step(jobs, mark, number+4)
	if c.state == "ARMED" {
		job("again", append([]string{"run", serial, "--format", "json"}, consent(crashBytes)...)...)
	}
}

// checkCarriedOn checks that nothing was claimed before the job was carried on
// with, and what came of it.
func checkCarriedOn(t *testing.T, res *vmtest.Results, c crash, seen map[int][]string, number int, says string) {
	t.Helper()
	status := res.Get("status " + c.name)
	record := object(t, status.Stdout)
	checkValue(t, record, "result", c.result)
	checkValue(t, record, "verdict", "SKIPPED")
	checkValue(t, record, "state", c.state)
	if next := text(lookup(t, record, "next")); status.Exit != c.exit || !strings.Contains(next, c.next) {
		t.Errorf("status: want exit status %d and %q, got %d and %q", c.exit, c.next, status.Exit, next)
	}
	checkSent(t, seen[number+2], 0)
	checkSent(t, seen[number+3], c.more)
	if c.state == "ARMED" {
		checkValue(t, object(t, res.Get("resume ARMED").Stdout), "result", "cancelled")
		return
	}
	checkResumed(t, res, c, says)
}

// checkClaims checks the screens of a job that was broken off.
func checkClaims(t *testing.T, res *vmtest.Results, c crash, sent []string) {
	t.Helper()
	words := string(res.Get("status text " + c.name).Stdout)
	if !strings.Contains(strings.Join(strings.Fields(words), " "), c.next) {
		t.Errorf("status: want %q:\n%s", c.next, words)
	}
	for _, claim := range []string{"ERASED", "PASS"} {
		if strings.Contains(words, claim) {
			t.Errorf("the status claims %s:\n%s", claim, words)
		}
	}
	if c.consent {
		checkNotSent(t, res.Get("resume without consent "+c.name), "--yes")
	}
	if c.state == "ARMED" {
		checkStartedAgain(t, res, sent)
		return
	}
	res.Output("verify " + c.name)
}

// checkStartedAgain checks a job that has sent nothing: it is over, and another
// one does the erase.
func checkStartedAgain(t *testing.T, res *vmtest.Results, sent []string) {
	if r := res.Get("verify ARMED"); r.Exit != 1 {
		t.Errorf("there is a certificate of a job that sent nothing:\n%s", vmtest.Describe(r))
	}
	checkValue(t, object(t, res.Output("again ARMED")), "verdict", "PASS")
	checkSent(t, sent, 1)
}

// checkResumed checks the record and the certificate of a job that was carried
// on with.
func checkResumed(t *testing.T, res *vmtest.Results, c crash, says string) {
	record := object(t, res.Output("resume "+c.name))
	checkValue(t, record, "result", "done")
	checkValue(t, record, "verdict", "PASS")
	for _, tier := range []string{"command", "comparison", "canaries"} {
		checkValue(t, record, "verification."+tier+".verdict", "PASS")
	}
	checkValue(t, record, "interruptions.0.state", c.state)
	if got := text(lookup(t, record, "interruptions.0.text")); !strings.Contains(got, says) {
		t.Errorf("the interruption: got %q, want %q", got, says)
	}
	if n, _ := lookup(t, record, "verification.comparison.comparisons").([]any); len(n) != 1 {
		t.Errorf("%d comparisons with what was kept", len(n))
	} else {
		t.Logf("%s", text(lookup(t, record, "verification.comparison.text")))
	}
	if certificate := readFile(t, res.File(c.name+".json")); !strings.Contains(certificate, "before its time") {
		t.Errorf("the certificate does not tell of the interruption:\n%s", certificate)
	}
}

const (
	parentSerial = "QD1-CRASH-PARENT"
	alongSerial  = "QD1-CRASH-ALONG"
)

// until waits in the guest until the newest job of a drive has a state in its
// journal.
func until(folder, serial, state string) string {
	return fmt.Sprintf(`until grep -q '"%s"' %s/journal/*-%s.jsonl 2>/dev/null; do sleep 0.05; done`, state, folder, strings.ReplaceAll(serial, "-", "_"))
}

const stateFolder = "/var/lib/qd1"

// parentJobs kill the program that a user sees, once with a job that never
// ends and once with one that goes on.
func parentJobs(jobs *jobList) {
	works := "sed -n 's/.*process \\([0-9]*\\) works.*/\\1/p'"
	jobs.shell("parent",
		"QD1_CRASH=SENT:hang "+shellWords(eraseArgs(parentSerial))+" >/out/parent.out 2>/out/parent.err & parent=$!",
		until(stateFolder, parentSerial, "SENT"), "kill -9 $parent; wait $parent || true",
		"status() { code=0; "+qd1Path+" erase status "+parentSerial+" --format json >/tmp/status || code=$?; echo $code; "+works+" /tmp/status; }",
		"status; pid=$("+works+" /tmp/status)",
		"kill -HUP $pid; kill -TERM $pid; kill -INT $pid; sleep 0.5", "status",
		"kill -9 $pid; sleep 0.5; status; cat /tmp/status",
	)
	jobs.shell("along",
		shellWords(eraseArgs(alongSerial))+" --certificate /out/along.json >/dev/null 2>&1 & parent=$!",
		until(stateFolder, alongSerial, "SENT"), "kill -9 $parent; wait $parent || true",
		"code=0; "+qd1Path+" erase status "+alongSerial+" --format json >/out/along.status || code=$?; echo $code",
		`echo "QD1-EVENT `+alongSerial+`" >$QD1_EVENTS`,
		qd1Path+" erase resume "+alongSerial+" --format json >/out/along.record",
		"until test -s /out/along.json; do sleep 0.1; done", // It is written after the end of the job.
	)
	jobs.patient()
	qd1Job(jobs, "along verify", []string{"erase", "cert", "verify", "/out/along.json"})
	*jobs = append(*jobs, vmtest.Job{Name: "done", Argv: append(eraseArgs(alongSerial), "--no-canaries"), Env: []string{"QD1_CRASH=DONE:kill"}})
	qd1Job(jobs, "done status", []string{"erase", "status", alongSerial, "--format", "json"})
	qd1Job(jobs, "done resume", []string{"erase", "resume", alongSerial, "--certificate", "/out/done.json"})
	qd1Job(jobs, "done verify", []string{"erase", "cert", "verify", "/out/done.json", "--format", "json"})
}

// shellWords quotes a command line for a shell.
func shellWords(args []string) string {
	var words []string
	for _, a := range args {
		words = append(words, "'"+a+"'")
	}
	return strings.Join(words, " ")
}

var sameProcess = regexp.MustCompile(`(?s)^8\n(\d+)\n8\n(\d+)\n8\n(.*)$`)

// checkDone checks a job that was killed after its end and before its
// certificate. The drive was blank: nothing of it is proven.
func checkDone(t *testing.T, res *vmtest.Results) {
	if r := res.Get("done"); r.Exit != 8 {
		t.Errorf("the run whose process was killed: want exit status 8:\n%s", vmtest.Describe(r))
	}
	status := res.Get("done status")
	checkValue(t, object(t, status.Stdout), "state", "DONE")
	for name, want := range map[string]int{"done status": 7, "done resume": 7} {
		if r := res.Get(name); r.Exit != want {
			t.Errorf("%s: want exit status %d:\n%s", name, want, vmtest.Describe(r))
		}
	}
	checkValue(t, object(t, res.Output("done verify")), "result", "INCONCLUSIVE")
}

// checkParentKilled checks that the process of the job outlives the program,
// a hang-up and a polite request to end.
func checkParentKilled(t *testing.T, res *vmtest.Results) {
	out := string(res.Output("parent"))
	m := sameProcess.FindStringSubmatch(out)
	switch {
	case m == nil:
		t.Fatalf("want exit status 8 and the process two times, then without one:\n%s", out)
	case m[1] != m[2]:
		t.Errorf("process %s worked on it, then process %s", m[1], m[2])
	}
	if !strings.Contains(strings.Join(strings.Fields(m[3]), " "), "has to be repeated, with consent") {
		t.Errorf("after the process was killed:\n%s", m[3])
	}
}

// checkGoesOn checks that an erase comes to its end without the program.
func checkGoesOn(t *testing.T, res *vmtest.Results) {
	if out := string(res.Output("along")); out != "8\n" {
		t.Errorf("status while the drive works: got %s, want 8", out)
	}
	status := object(t, []byte(readFile(t, res.File("along.status"))))
	checkValue(t, status, "state", "SENT")
	if next := text(lookup(t, status, "next")); !strings.Contains(next, "works on it") {
		t.Errorf("status while the drive works: %s", next)
	}
	record := object(t, []byte(readFile(t, res.File("along.record"))))
	checkValue(t, record, "result", "done")
	checkValue(t, record, "verdict", "PASS")
	checkValue(t, record, "interruptions", "[]")
	res.Output("along verify")
}

// checkSentAtOnce checks a trace, from the start of the machine on, of jobs that
// ran at the same time.
func checkSentAtOnce(t *testing.T, lines []string, want int) {
	t.Helper()
	formats := 0
	for _, line := range lines {
		switch {
		case formatCommand.MatchString(line):
			formats++
		case changing.MatchString(line) && !writeCommand.MatchString(line):
			t.Errorf("the emulator saw %s", line)
		}
	}
	if formats != want {
		t.Errorf("the emulator saw %d Format NVM commands, want %d", formats, want)
	}
}

// findState finds the disk that holds the state and mounts it.
var findState = []string{
	"for d in /sys/block/vd*; do if grep -q QD1STATE $d/serial; then disk=/dev/${d##*/}; fi; done",
	"mkdir -p /state",
}

// TestErasePowerOff takes the power away from a computer with an erase at each
// state of the journal. The next start finds the drives under other names.
func TestErasePowerOff(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	serials, images := crashImages(t, crashSerial(inFlight.name))
	program := vmtest.Build(t, "cmd/qd1", "-tags", "crashpoints")
	disk := []string{"-drive", "id=state,if=none,format=raw,cache=unsafe,file=" + vmtest.Disk(t, 64<<20), "-device", "virtio-blk-pci,drive=state,serial=QD1STATE"}
	runUntilPowerOff(t, serials, images, program, disk)

	slices.Reverse(serials)
	second := crashMachine(t, serials, images, program, disk...)
	env := []string{"XDG_STATE_HOME=/state"}
	var jobs jobList
	jobs.shell("mount", slices.Concat(findState, []string{"mount $disk /state"})...)
	all := append(slices.Clone(crashes), inFlight)
	for i, c := range all {
		carryOnJobs(&jobs, c, serials[0], 10*i, env)
	}
	step(&jobs, serials[0], 99)
	res := second.Run(jobs...)
	logJobs(t, res, jobs)
	seen := steps(t, second.Trace())
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			checkCarriedOn(t, res.With(t), c, seen, 10*i, "the computer was started again since")
		})
	}
}

// runUntilPowerOff begins an erase of each drive and takes the power away when
// all stand at their states.
func runUntilPowerOff(t *testing.T, serials []string, images map[string]string, program string, disk []string) {
	t.Helper()
	images = maps.Clone(images)
	flight := crashSerial(inFlight.name)
	images[flight] = slow(images[flight])
	vm := crashMachine(t, serials, images, program, disk...)
	script := slices.Concat(findState, []string{"mkfs.ext4 -q $disk", "mount $disk /state", "sync", "export XDG_STATE_HOME=/state",
		shellWords(eraseArgs(flight)) + " >/dev/null 2>&1 &"})
	for _, c := range crashes {
		script = append(script, "QD1_CRASH="+c.state+":hang "+shellWords(eraseArgs(crashSerial(c.name)))+" >/dev/null 2>&1 &")
	}
	for _, c := range append(slices.Clone(crashes), inFlight) {
		script = append(script, until("/state/qd1", crashSerial(c.name), c.state))
	}
	var jobs jobList
	jobs.shell("erase", append(script, "sleep 1", `echo "QD1-EVENT hanging" >$QD1_EVENTS`, "sleep 600")...)
	jobs.patient()
	vm.Start(jobs...)
	holdFormat(vm, flight)
	vm.WaitEvent("hanging")
	vm.PowerOff()
	checkSentAtOnce(t, vm.Trace(), 3)
}
