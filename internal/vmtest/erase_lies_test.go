package vmtest_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// lie is a way in which a drive does not erase, with what comes of it.
type lie struct {
	// name is the end of the serial number, what tells it in the documentation.
	name, what string
	profile    string // nand is that of NVMe 2.0, else the Optane drive
	script     string
	flags      []string
	// sees is the first word of the result, or a part of the message without one.
	sees string
	exit int
	// tiers are the verdicts of the command, the comparison and the canaries in
	// the certificate, "" if there is none; says is a part of their texts.
	tiers, says string
	// status is what erase status says afterwards, "" for a job that has ended.
	status string
	// alone says that the drive is not served to the kernel.
	alone bool
	// interrupted says that Ctrl-C comes once the command is sent.
	interrupted bool
}

const (
	lieBytes   = 8 << 20
	optane     = "optane-905p?speed=1000&size=8388608"
	nand       = "nand-modern?speed=1000&size=8388608"
	twoOptanes = "optane-905p?speed=1000&size=8388608&namespaces=2&fna=3"
	// anyFormat fits all Format NVM commands.
	anyFormat = `{"when":{"queue":"admin","opcode":128},`

	survived    = "hold what they held before"
	notAnswered = "INTERRUPTED"
	repeated    = "the erase has to be repeated"
)

// lies has all of them, in the order of the documentation. Where little is left,
// chance decides whether a canary lies there, so that none are planted.
func lies() []lie {
	all := []lie{
		{name: "LEAVE-ALL", what: "says success after the time of a format, and leaves everything", script: `{"do":"leave-all"}`, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL FAIL", says: survived},
		{name: "STATUS-0", what: "says success at once, and does nothing", script: anyFormat + `"do":"status","status":0}`, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL FAIL", says: survived},
		{name: "CRYPTO", what: "keeps the old key in a cryptographic format", profile: nand, script: `{"when":{"ses":2},"do":"leave-all"}`, flags: []string{"--technique", "format-crypto"}, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL FAIL", says: survived},
		{name: "REST", what: "erases the first 75 %", script: `{"do":"leave-rest","percent":75}`, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL FAIL", says: survived},
		{name: "REGION", what: "leaves one region, here 4 KiB of a drive that is compared whole, without canaries", script: `{"do":"leave-region","lba_from":8000,"lba_to":8007}`, flags: []string{"--no-canaries"}, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL SKIPPED", says: survived},
		{name: "SCATTERED", what: "leaves 1 % of the pages, scattered, without canaries", script: `{"do":"leave-scattered","ppm":10000,"seed":1}`, flags: []string{"--no-canaries"}, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL SKIPPED", says: survived},
		{name: "RECENT", what: "leaves what was written last", script: `{"do":"leave-recent","count":64}`, sees: "NOT ERASED", exit: 6, tiers: "PASS PASS FAIL", says: "canaries have survived"},
		{name: "UNREAD", what: "erases only what had been read", profile: "optane-905p?speed=1000&size=4294967296", alone: true, script: `{"do":"leave-unread"}`, flags: []string{"--quick"}, sees: "NOT ERASED", exit: 6, tiers: "PASS PASS FAIL", says: "canaries have survived"},
		{name: "OLD-DATA", what: "answers from an old cache, for 100 reads or for a time", script: `{"do":"old-data","times":100}`, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL FAIL", says: survived},
		{name: "OLD-TIME", what: "answers from an old cache, for 100 reads or for a time", alone: true, script: `{"do":"old-data","ms":60000}`, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL FAIL", says: survived},
		{name: "ONE-NS", what: "formats one namespace, and its FNA says all", profile: twoOptanes, script: `{"do":"one-namespace"}`, flags: []string{"-n", "1"}, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL FAIL", says: survived},
		{name: "FAIL", what: "fails in the middle of a format", script: `{"do":"fail","percent":50,"status":6}`, sees: "FAILED", exit: 1, tiers: "FAIL SKIPPED SKIPPED", says: "the drive answered: "},
	}
	for _, status := range []int{0x001, 0x002, 0x00B, 0x00C, 0x015, 0x01D, 0x020, 0x084, 0x10A, 0x286} {
		all = append(all, lie{name: fmt.Sprintf("REFUSES-%03X", status), what: "refuses the format, with any status", script: fmt.Sprintf(anyFormat+`"do":"status","status":%d}`, status),
			sees: "FAILED", exit: 1, tiers: "FAIL SKIPPED SKIPPED", says: "the drive answered: ",
			// The kernel hands all of them on in the same way.
			alone: !slices.Contains([]int{0x001, 0x10A, 0x286}, status)})
	}
	return append(all,
		lie{name: "NO-ANSWER", what: "does it, and does not answer until the time-out", script: anyFormat + `"do":"no-answer"}`, flags: []string{"--timeout", "3s"}, sees: notAnswered, exit: 8, status: repeated},
		lie{name: "SILENCE", what: "does not do it, and does not answer until the time-out", script: anyFormat + `"do":"silence"}`, flags: []string{"--timeout", "3s"}, sees: notAnswered, exit: 8, status: repeated},
		lie{name: "DISCONNECT", what: "breaks the connection", script: anyFormat + `"do":"disconnect","times":1}`, sees: notAnswered, exit: 8, status: repeated},
		lie{name: "RESET", what: "resets itself in the middle of a format", script: `{"do":"reset","percent":50,"times":1}`, sees: notAnswered, exit: 8, status: repeated},
		lie{name: "POWER-LOSS", what: "loses its power in the middle of a format", script: `{"do":"power-loss","percent":50,"times":1}`, sees: notAnswered, exit: 8, status: repeated},
		lie{name: "GHOST", what: "comes back as a drive of 1 GB of another model", script: `{"do":"ghost","percent":50,"times":1}`, sees: notAnswered, exit: 8, status: "the drive does not look like itself"},
		lie{name: "S-LEAVE", what: "says that a sanitize completed, and leaves everything", profile: nand, script: `{"do":"leave-all"}`, sees: "NOT ERASED", exit: 6, tiers: "PASS FAIL FAIL", says: survived},
		lie{name: "S-NONE", what: "accepts a sanitize, and does not begin it", profile: nand, script: `{"when":{"queue":"admin","opcode":132},"do":"status","status":0}`, sees: "NOT ERASED", exit: 6, tiers: "FAIL FAIL FAIL", says: "there never was a sanitize operation"},
		lie{name: "S-FAIL", what: "fails in the middle of a sanitize", profile: nand, script: `{"do":"fail","percent":50}`, sees: "NOT ERASED", exit: 6, tiers: "FAIL SKIPPED SKIPPED", says: "the sanitize operation failed"},
		lie{name: "S-STALL", what: "stands still at 1 % of a sanitize; the user presses Ctrl-C", profile: nand, script: `{"do":"stall","percent":1}`, sees: "the drive keeps working", exit: 8, status: "works on it", interrupted: true},
	)
}

func (l *lie) serial() string { return "LIE-" + l.name }

// drive is the profile with its parameters, given the path of the script.
func (l *lie) drive(script string) string {
	profile := l.profile
	if profile == "" {
		profile = optane
	}
	return profile + "&serial=" + l.serial() + "&faults=" + url.QueryEscape(script)
}

// command are the arguments of qd1 that erase the drive.
func (l *lie) command(drive, certificate string) []string {
	model, size := "INTEL SSDPE21D960GA", lieBytes
	if strings.HasPrefix(l.profile, modernProfile) {
		model = modernModel
	}
	if l.name == "UNREAD" {
		size = 4 << 30 // So much is not compared whole.
	}
	return append([]string{"erase", "run", drive, "--yes", "--expect-model", model, "--expect-bytes", fmt.Sprint(size), "--certificate", certificate}, l.flags...)
}

// row is the line of the documentation.
func (l *lie) row() string {
	evidence := "no certificate; `erase status`: “" + l.status + "”"
	if l.tiers != "" {
		var parts []string
		for i, verdict := range strings.Fields(l.tiers) {
			parts = append(parts, []string{"command", "comparison", "canaries"}[i]+" "+verdict)
		}
		evidence = strings.Join(parts, ", ") + ": “" + strings.TrimSpace(l.says) + "”"
	}
	return fmt.Sprintf("| %s | %s | %d | %s |", l.what, l.sees, l.exit, evidence)
}

// certified is the part of a certificate that says whether data are gone.
type certified struct {
	Result      string
	Certificate struct {
		Result string
		Record struct {
			Verification map[string]json.RawMessage
		}
	}
}

// check checks how an erase ended and what its certificate says, if there is
// one.
func (l *lie) check(t *testing.T, got ran, certificate string) {
	t.Helper()
	if got.exit != l.exit {
		t.Errorf("exit status %d, want %d:\n%s%s", got.exit, l.exit, got.stdout, got.stderr)
	}
	sees := strings.Contains(got.stderr, l.sees)
	for line := range strings.Lines(got.stdout) {
		sees = sees || strings.HasPrefix(line, l.sees+"  ")
		if strings.HasPrefix(line, "ERASED") {
			t.Errorf("reported as erased:\n%s", got.stdout)
		}
	}
	if !sees {
		t.Errorf("the user does not see %q:\n%s%s", l.sees, got.stdout, got.stderr)
	}
	text, err := os.ReadFile(certificate)
	if l.tiers == "" {
		if err == nil {
			t.Errorf("there is a certificate of an erase that is not over:\n%s", text)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v\n%s%s", err, got.stdout, got.stderr)
	}
	l.checkCertificate(t, text)
}

func (l *lie) checkCertificate(t *testing.T, text []byte) {
	t.Helper()
	var c certified
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if c.Certificate.Result != "FAIL" || !strings.HasPrefix(c.Result, "FAIL: ") {
		t.Errorf("the certificate says %s, %q, want FAIL", c.Certificate.Result, c.Result)
	}
	var verdicts, texts []string
	for _, name := range []string{"command", "comparison", "canaries"} {
		var tier struct{ Verdict, Text string }
		if err := json.Unmarshal(c.Certificate.Record.Verification[name], &tier); err != nil {
			t.Fatal(err)
		}
		verdicts, texts = append(verdicts, tier.Verdict), append(texts, tier.Text)
	}
	if got := strings.Join(verdicts, " "); got != l.tiers || !strings.Contains(strings.Join(texts, "\n"), l.says) {
		t.Errorf("the certificate says %s, want %s with %q:\n%s", got, l.tiers, l.says, strings.Join(texts, "\n"))
	}
}

// TestLiesAreDocumented checks that the documentation has the results that the
// other tests check.
func TestLiesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/erase.md")
	if err != nil {
		t.Fatal(err)
	}
	const head = "| what the drive does | the user sees | exit status | evidence in the certificate |\n|---|---|---|---|\n"
	_, table, ok := strings.Cut(string(text), head)
	if !ok {
		t.Fatalf("docs/erase.md has no table that begins with\n%s", head)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, l := range lies() {
		if row := l.row(); !slices.Contains(want, row) {
			want = append(want, row)
		}
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(table), "\n")); diff != "" {
		t.Errorf("docs/erase.md (-want +got):\n%s\nThe rows are\n%s", diff, strings.Join(want, "\n"))
	}
}

// TestLies erases simulated drives in process that do not erase.
func TestLies(t *testing.T) {
	t.Parallel()
	program := vmtest.Build(t, "cmd/qd1")
	for _, l := range lies() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script, certificate := filepath.Join(dir, "script"), filepath.Join(dir, "certificate.json")
			if err := os.WriteFile(script, []byte(l.script), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), program, l.command("sim:"+l.drive(script), certificate)...)
			cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir(), "XDG_STATE_HOME="+dir)
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			start := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if l.interrupted {
				waitSent(t, dir)
				_ = cmd.Process.Signal(os.Interrupt) // One that has ended is found out below.
			}
			_ = cmd.Wait() // The exit status tells.
			l.check(t, ran{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(start)}, certificate)
		})
	}
}

// commandsFile is where the server writes down what is sent.
const commandsFile = "commands.jsonl"

// Drives that refuse before anything is sent, or say why they refuse.
const (
	sibling = "nand-modern?speed=1000&size=16777216&namespaces=2&fna=1&serial=SIBLING"
	locked  = "nand-modern?speed=1000&size=8388608&opal=locked&serial=LOCKED"
	frozen  = "nand-modern?speed=1000&size=8388608&blocksid=1&serial=FROZEN"
)

// waitSent waits until a journal of the state directory says that a command was
// sent.
func waitSent(t *testing.T, dir string) {
	t.Helper()
	for range 600 {
		files, _ := filepath.Glob(filepath.Join(dir, "qd1", "journal", "*"))
		for _, f := range files {
			if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), `"SENT"`) {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("no command was sent")
}

// together is how many drives are erased at the same time.
const together = 4

// TestServedLies erases drives through the kernel that do not erase, and some
// that must not be erased.
func TestServedLies(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	all := slices.DeleteFunc(lies(), func(l lie) bool { return l.alone })
	files := map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")}
	var drives []string
	for _, l := range all {
		path := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(path, []byte(l.script), 0o644); err != nil {
			t.Fatal(err)
		}
		files["/faults/"+l.name] = path
		drives = append(drives, l.drive("/faults/"+l.name))
	}
	drives = append(drives, sibling, locked, frozen)
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"sh", "ip", "grep", "sleep", "cat", "seq", "wc", "mkdir", "mkfs.ext4", "mount", "dirname"},
		Files:    files,
		Modules:  []string{"nvme-tcp", "crc32c_generic", "ext4"},
		Timeout:  6 * time.Minute,
	})
	var jobs jobList
	addServer(&jobs, "--log "+vmtest.OutDir+"/"+commandsFile+" '"+strings.Join(drives, "' '")+"'")
	names := subsystemNames(drives)
	jobs.shell("connect", connectAll(names[len(all):]))
	addRefusals(&jobs)
	for i := 0; i < len(all); i += together {
		addLies(&jobs, all[i:min(i+together, len(all))], names[i:])
	}
	jobs.shell("end", "kill -TERM $(cat /tmp/pid)", "until test -s /tmp/status; do sleep 0.05; done", "cat /tmp/status /tmp/said")
	res := vm.Run(jobs...)

	t.Run("Refusals", func(t *testing.T) { checkRefusals(t, res.With(t)) })
	for _, l := range all {
		t.Run(l.name, func(t *testing.T) {
			l.check(t, endedInGuest(t, res.With(t), l.name), res.File(l.name+".json"))
			if l.status == "" {
				return
			}
			got := endedInGuest(t, res.With(t), l.name+".status")
			if got.exit != 8 || !strings.Contains(oneLine(got.stdout), l.status) {
				t.Errorf("erase status: exit status %d, want 8 with %q:\n%s%s", got.exit, l.status, got.stdout, got.stderr)
			}
		})
	}
}

// subsystemNames are the ends of the names of served drives: those of the same
// profile are numbered from the second on.
func subsystemNames(drives []string) []string {
	count := make(map[string]int)
	var names []string
	for _, d := range drives {
		name, _, _ := strings.Cut(d, "?")
		if count[name]++; count[name] > 1 {
			name += fmt.Sprintf("-%d", count[name])
		}
		names = append(names, name)
	}
	return names
}

func connectAll(names []string) string {
	var lines []string
	for _, name := range names {
		lines = append(lines, connectAlone(name), "test -b ${device}n1")
	}
	return strings.Join(lines, "\n")
}

// addLies adds jobs that connect to a few drives, erase them at the same time,
// and let them go again. One that is at work stays.
func addLies(jobs *jobList, few []lie, names []string) {
	var erase, status, after []string
	for _, l := range few {
		command := append([]string{qd1Path}, l.command(l.serial(), vmtest.OutDir+"/"+l.name+".json")...)
		script := quoted(command)
		if l.interrupted {
			script += " & pid=$!\n" + sentLine(strings.ReplaceAll(l.serial(), "-", "_")) + "\nkill -INT $pid; wait $pid"
		}
		erase = append(erase, atOnce(recordedScript(l.name, script)))
		if l.status != "" {
			status = append(status, "until grep -q live $(dirname $(grep -lw "+l.serial()+" /sys/class/nvme/nvme*/serial))/state; do sleep 0.05; done",
				atOnce(recorded(l.name+".status", []string{qd1Path, "erase", "status", l.serial()})))
		}
		if !l.interrupted {
			after = append(after, "echo 1 >$(dirname $(grep -lw "+l.serial()+" /sys/class/nvme/nvme*/serial))/delete_controller")
		}
	}
	jobs.shell("erase "+few[0].name, slices.Concat([]string{connectAll(names[:len(few)])}, erase, []string{"wait"}, status, []string{"wait"}, after)...)
	(*jobs)[len(*jobs)-1].Timeout = 2 * time.Minute
}

// recorded is a line of a script that runs a command, and leaves what it says
// and its exit status for the host.
func recorded(name string, argv []string) string { return recordedScript(name, quoted(argv)) }

// recordedScript does the same for a part of a script.
func recordedScript(name, script string) string {
	at := vmtest.OutDir + "/" + name
	return "(status=0; (" + script + ") </dev/null >" + at + ".stdout 2>" + at + ".stderr || status=$?; echo $status >" + at + ".exit)"
}

func quoted(argv []string) string { return "'" + strings.Join(argv, "' '") + "'" }

// endedInGuest is how a command ended that was recorded.
func endedInGuest(t *testing.T, res *vmtest.Results, name string) ran {
	t.Helper()
	var got ran
	var exit string
	for end, to := range map[string]*string{".stdout": &got.stdout, ".stderr": &got.stderr, ".exit": &exit} {
		text, err := os.ReadFile(res.File(name + end))
		if err != nil {
			t.Fatal(err)
		}
		*to = string(text)
	}
	if _, err := fmt.Sscan(exit, &got.exit); err != nil {
		t.Fatal(err)
	}
	return got
}

// oneLine undoes the wrapping of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// addRefusals adds jobs that try to erase a drive whose other namespace is in
// use, a locked one, and one that the computer's firmware has frozen. Each drive
// of the server's log is theirs alone.
func addRefusals(jobs *jobList) {
	run := func(name, serial string, size int, flags ...string) {
		jobs.add(name, append([]string{qd1Path, "erase", "run", serial, "--yes", "--expect-model", modernModel, "--expect-bytes", fmt.Sprint(size)}, flags...)...)
	}
	count := "wc -l <" + vmtest.OutDir + "/" + commandsFile
	jobs.shell("mount sibling", "mkdir -p /mnt/sibling", "mkfs.ext4 -q -L kept /dev/{nvme:SIBLING}n2", "mount -o ro /dev/{nvme:SIBLING}n2 /mnt/sibling", count)
	run("sibling", "SIBLING", 16<<20, "-n", "1", "--technique", "format-user-data", "--destroy-signature=ext")
	run("sibling by sanitize", "SIBLING", 16<<20, "--all-namespaces", "--destroy-signature=ext")
	run("locked", "LOCKED", lieBytes)
	jobs.shell("count", count)
	run("frozen", "FROZEN", lieBytes, "--technique", "format-user-data")
}

// sent is a command as the server wrote it down.
type sent struct {
	Serial, Queue, Name string
	Opcode              int
}

// commandsSent reads lines of the server's log.
func commandsSent(t *testing.T, res *vmtest.Results, from, to string) []sent {
	t.Helper()
	text, err := os.ReadFile(res.File(commandsFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	number := func(job string) (n int) {
		if _, err := fmt.Sscan(string(res.Output(job)), &n); err != nil || n < 1 || n > len(lines) {
			t.Fatalf("%s: %d of %d lines, %v", job, n, len(lines), err)
		}
		return n
	}
	var all []sent
	for _, line := range lines[number(from):number(to)] {
		var c sent
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, c)
	}
	return all
}

// readingNames are the commands that change nothing.
var readingNames = []string{"Get Log Page", "Identify", "Abort", "Get Features", "Asynchronous Event Request", "Keep Alive", "Security Receive", "Read", "Flush"}

func checkRefusals(t *testing.T, res *vmtest.Results) {
	checkNotSent(t, res.Get("sibling"), "/mnt/sibling")
	checkNotSent(t, res.Get("sibling by sanitize"), "/mnt/sibling")
	checkNotSent(t, res.Get("locked"), "locked by its self-encryption")
	if got := res.Get("locked"); !strings.Contains(string(got.Stderr), "PSID") {
		t.Errorf("the message does not say how to unlock it:\n%s", got.Stderr)
	}
	seen := 0
	for _, c := range commandsSent(t, res, "mount sibling", "count") {
		if c.Serial != "SIBLING" && c.Serial != "LOCKED" {
			continue
		}
		seen++
		if !slices.Contains(readingNames, c.Name) {
			t.Errorf("the server got %+v", c)
		}
	}
	if seen < 20 {
		t.Errorf("the server saw %d commands, and so not those of qd1", seen)
	}
	got := res.Get("frozen")
	for _, want := range []string{"firmware has frozen its security", "Block SID", "let the computer sleep and wake it again"} {
		if text := oneLine(string(got.Stdout)); got.Exit != 1 || !strings.Contains(text, want) {
			t.Errorf("frozen: want exit status 1 with %q:\n%s", want, vmtest.Describe(got))
		}
	}
}
