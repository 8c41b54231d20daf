package vmtest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// story is a drive and the lines of a script about it, which leave what they
// say for the host.
type story struct {
	serial, drive string
	// options are more of the connection.
	options string
	lines   []string
}

// Lines of the stories. Jobs of the drive have the state SENT in their journal
// once the command is sent.
const (
	journals = "/var/lib/qd1/journal/*"
	// findParent finds the run on the drive, killBoth kills it and the process of
	// its job at once.
	findParent = `parent=$(grep -lzx $serial /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3)`
	killBoth   = findParent + "\n" + `child=$(grep -l "^PPid:[[:space:]]$parent\$" /proc/[0-9]*/status 2>/dev/null | cut -d/ -f3)` + "\n" +
		`test -n "$child"; kill -9 $parent $child`
)

func sentLine(serial string) string {
	return "until grep -qs '\"SENT\"' " + journals + serial + "*; do sleep 0.1; done"
}

// eraseLine is a line that erases the drive of a story, with a name for what it
// says.
func (s *story) eraseLine(name string, flags ...string) string {
	model := "INTEL SSDPE21D960GA"
	if strings.HasPrefix(s.drive, modernProfile) {
		model = modernModel
	}
	return recorded(name, append([]string{qd1Path, "erase", "run", s.serial, "--yes", "--expect-model", model, "--expect-bytes", fmt.Sprint(lieBytes)}, flags...))
}

// atOnce runs a line in the background.
func atOnce(line string) string { return line + " &" }

func stories() []story {
	killed := story{serial: "KILLED", drive: "nand-modern?speed=1&size=8388608"}
	killed.lines = []string{
		"serial=[K]ILLED", // Not an argument of grep itself.
		atOnce("script -qfc \"" + qd1Path + " erase run KILLED --yes --expect-model '" + modernModel + "' --expect-bytes " + fmt.Sprint(lieBytes) + "\" " + vmtest.OutDir + "/KILLED.typed </dev/null >/dev/null"),
		sentLine("KILLED"),
		"until grep -qs 'erasing: [1-9].* % done' " + vmtest.OutDir + "/KILLED.typed || grep -qs '\"DONE\"' " + journals + "KILLED*; do sleep 0.1; done",
		killBoth,
		recorded("KILLED.status", []string{qd1Path, "erase", "status", "KILLED"}),
		recorded("KILLED.resume", []string{qd1Path, "erase", "resume", "KILLED", "--format", "json"}),
		recorded("KILLED.after", []string{qd1Path, "erase", "status", "KILLED"}),
	}
	fails := story{serial: "FAILS", drive: nand + "&sanitize=fails"}
	fails.lines = []string{
		"block=/dev/$(basename $(dirname $(grep -lw FAILS /sys/class/nvme/nvme*/serial)))n1",
		fails.eraseLine("FAILS.run"),
		"echo $(dd if=$block bs=4k count=1 iflag=direct 2>/dev/null | wc -c) >" + vmtest.OutDir + "/FAILS.before",
		fails.eraseLine("FAILS.format", "--technique", "format-user-data"),
		recorded("FAILS.exit", []string{qd1Path, "sanitize", "FAILS", "--action", "exit-failure", "--yes", "--expect-model", modernModel, "--expect-bytes", fmt.Sprint(lieBytes)}),
		"echo $(dd if=$block bs=4k count=1 iflag=direct 2>/dev/null | wc -c) >" + vmtest.OutDir + "/FAILS.after",
	}
	broken := story{serial: "BROKEN", drive: "nand-modern?speed=4&size=8388608&faults=/faults/reset"}
	broken.lines = []string{broken.eraseLine("BROKEN.run", "--certificate", vmtest.OutDir+"/BROKEN.json")}
	long := story{serial: "LONG", drive: "optane-905p?speed=15&size=8388608"}
	long.lines = []string{
		atOnce("(" + long.eraseLine("LONG.run") + "; cut -d' ' -f1 /proc/uptime >" + vmtest.OutDir + "/LONG.ended)"),
		sentLine("LONG"),
		"serial=[L]ONG", findParent,
		"cut -d' ' -f1 /proc/uptime >" + vmtest.OutDir + "/LONG.interrupted; kill -INT $parent",
		"until test -s " + vmtest.OutDir + "/LONG.ended; do sleep 0.1; done",
		recorded("LONG.status", []string{qd1Path, "erase", "status", "LONG"}),
		"while " + qd1Path + " erase status LONG >/dev/null || test $? = 8; do grep -qs '\"DONE\"' " + journals + "LONG* && break; sleep 0.5; done",
		recorded("LONG.after", []string{qd1Path, "erase", "status", "LONG"}),
	}
	short := story{serial: "SHORT", drive: "optane-905p?speed=30&size=8388608&keep_alive=waits"}
	short.lines = []string{short.eraseLine("SHORT.run")}
	patient := story{serial: "PATIENT", drive: short.drive, options: ",keep_alive_tmo=60"}
	patient.lines = []string{patient.eraseLine("PATIENT.run")}
	return []story{killed, fails, broken, long, short, patient}
}

// TestServedErases erases drives that work for a while, all at the same time:
// they are interrupted, killed, reset, fail, or answer nothing meanwhile.
func TestServedErases(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	script := filepath.Join(t.TempDir(), "reset")
	if err := os.WriteFile(script, []byte(`{"when":{"opcode":132},"do":"reset","percent":50,"times":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"sh", "ip", "grep", "sleep", "cat", "seq", "cut", "mkdir", "mount", "script", "dd", "wc", "dirname", "basename"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1"), "/faults/reset": script},
		Modules:  []string{"nvme-tcp", "crc32c_generic"},
	})
	all := stories()
	var drives, lines []string
	for _, s := range all {
		drives = append(drives, s.drive+"&serial="+s.serial)
	}
	for i, name := range subsystemNames(drives) {
		lines = append(lines, connectAlone(name+all[i].options), "test -b ${device}n1")
	}
	var jobs jobList
	addServer(&jobs, "'"+strings.Join(drives, "' '")+"'")
	jobs.shell("connect", append(lines, "mkdir -p /dev/pts", "mount -t devpts devpts /dev/pts")...)
	lines = nil
	for _, s := range all {
		lines = append(lines, "(set -ex\n"+strings.Join(s.lines, "\n")+"\n) 2>"+vmtest.OutDir+"/"+s.serial+".trace &")
	}
	jobs.shell("stories", append(lines, "wait")...)
	jobs[len(jobs)-1].Timeout = 2 * time.Minute
	res := vm.Run(jobs...)
	t.Cleanup(func() { traceStories(t, res, all) })

	t.Run("Killed", func(t *testing.T) { checkKilled(t, res.With(t)) })
	t.Run("Fails", func(t *testing.T) { checkFails(t, res.With(t)) })
	t.Run("Broken", func(t *testing.T) { checkBroken(t, res.With(t)) })
	t.Run("Long", func(t *testing.T) { checkLong(t, res.With(t)) })
	t.Run("KeepAlive", func(t *testing.T) {
		checkEnded(t, res.With(t), "SHORT.run", 8, "INTERRUPTED", "may still be working")
		checkEnded(t, res.With(t), "PATIENT.run", 0, "ERASED  ", "verdict PASS")
	})
}

// traceStories tells what the scripts did if a test failed.
func traceStories(t *testing.T, res *vmtest.Results, all []story) {
	if !t.Failed() {
		return
	}
	for _, s := range all {
		text, err := os.ReadFile(res.File(s.serial + ".trace"))
		t.Logf("%s: %v\n%s", s.serial, err, text[max(0, len(text)-2000):])
	}
}

// checkEnded checks the exit status of a command and what it says.
func checkEnded(t *testing.T, res *vmtest.Results, name string, exit int, says ...string) string {
	t.Helper()
	got := endedInGuest(t, res, name)
	all := got.stdout + "\n" + got.stderr
	for _, want := range says {
		if got.exit != exit || !strings.Contains(all, want) && !strings.Contains(oneLine(all), want) {
			t.Errorf("%s: exit status %d, want %d with %q:\n%s", name, got.exit, exit, want, all)
		}
	}
	return all
}

// checkKilled checks a sanitize whose run and job were killed: the drive works
// on, which is seen, waited for and verified.
func checkKilled(t *testing.T, res *vmtest.Results) {
	text := checkEnded(t, res, "KILLED.status", 8, "INTERRUPTED", "a sanitize operation is going on", "% are done")
	if strings.Contains(text, "100 %") {
		t.Errorf("the drive was done already:\n%s", text)
	}
	record := object(t, []byte(endedInGuest(t, res, "KILLED.resume").stdout))
	checkEnded(t, res, "KILLED.resume", 0, `"verdict":`)
	checkValue(t, record, "result", "done")
	checkValue(t, record, "verdict", "PASS")
	checkValue(t, record, "state", "DONE")
	checkValue(t, record, "verification.comparison.verdict", "PASS")
	checkValue(t, record, "verification.canaries.verdict", "PASS")
	checkValue(t, record, "interruptions.0.state", "RETURNED")
	typed, err := os.ReadFile(res.File("KILLED.typed"))
	if err != nil || !regexp.MustCompile(`erasing: [1-9][0-9]? % done`).Match(typed) || bytes.Contains(typed, []byte("estimate")) {
		t.Errorf("the terminal shows no progress of the drive: %v\n%s", err, typed)
	}
	checkEnded(t, res, "KILLED.after", 0, "ERASED  ", "says nothing about the time since")
}

// checkFails checks a sanitize that fails, what the drive allows then, and the
// way out.
func checkFails(t *testing.T, res *vmtest.Results) {
	checkEnded(t, res, "FAILS.run", 6, "NOT ERASED", "the sanitize operation failed", "repeat the sanitize operation", "leave the failure mode")
	checkEnded(t, res, "FAILS.format", 5, "the last sanitize operation failed", "othing was sent")
	checkEnded(t, res, "FAILS.exit", 0, "DONE, NOT AN ERASE")
	for when, want := range map[string]string{"before": "0\n", "after": "4096\n"} {
		if got, err := os.ReadFile(res.File("FAILS." + when)); err != nil || string(got) != want {
			t.Errorf("%s the way out %q bytes can be read, %v, want %q", when, got, err, want)
		}
	}
}

// checkBroken checks a sanitize that goes on after a reset: it counts, and the
// reset is told.
func checkBroken(t *testing.T, res *vmtest.Results) {
	checkEnded(t, res, "BROKEN.run", 0, "ERASED  ", "SSTAT 0x0101", "the drive was reset 1 times meanwhile and went on")
}

// checkLong checks Ctrl-C in a format: the program ends at once, and the job
// comes to its verdict.
func checkLong(t *testing.T, res *vmtest.Results) {
	checkEnded(t, res, "LONG.run", 8, "the drive keeps working, nothing is cancelled", "qd1 erase status LONG")
	var at [2]float64
	for i, name := range []string{"LONG.interrupted", "LONG.ended"} {
		text, err := os.ReadFile(res.File(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(string(text), &at[i]); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the program ended %.1f s after Ctrl-C", at[1]-at[0])
	if took := at[1] - at[0]; took > 5 { // At once; the computer may be busy, and the format takes 29 s.
		t.Errorf("the program ended %.1f s after Ctrl-C, want at once", took)
	}
	checkEnded(t, res, "LONG.status", 8, "works on it")
	checkEnded(t, res, "LONG.after", 0, "ERASED  ", "verdict PASS", "state DONE")
}
