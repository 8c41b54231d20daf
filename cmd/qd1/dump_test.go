package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

const dumps = "../../internal/dump/testdata"

// reportOf is the JSON report on a file.
func reportOf(t *testing.T, args ...string) map[string]any {
	t.Helper()
	status, out, msg := run(t.Context(), append([]string{"report", "-o", "json"}, args...)...)
	if status != exitDone {
		t.Fatalf("%v: status %d: %s", args, status, msg)
	}
	return decode(t, args, out)
}

func decode(t *testing.T, args []string, out string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	var r map[string]any
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return r
}

// at follows a path such as "smart.power_on_hours"; of a list it takes the
// first element.
func at(v any, path string) any {
	for _, key := range strings.Split(path, ".") {
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// TestFormsOfOneDrive holds that each form in which a drive was posted gives
// the same facts and the same verdict.
func TestFormsOfOneDrive(t *testing.T) {
	want := reportOf(t, dumps+"/forms/smartctl.txt")
	if at(want, "drive.model") != "INTEL SSDPE21D960GA" || at(want, "verdict.level") != "keep" {
		t.Fatalf("drive %v, verdict %v", want["drive"], want["verdict"])
	}
	for _, args := range [][]string{
		{dumps + "/forms/smartctl.json"}, {dumps + "/forms/nvme-cli.json"}, {dumps + "/forms/id-ctrl-H-and-smart-log.txt"},
		{"--drive", "1", dumps + "/crystaldiskinfo/english-utf8.txt"}, {"--drive", "1", dumps + "/crystaldiskinfo/japanese-shift-jis.txt"},
		{"--drive", "PHM2810300B2960CGN", dumps + "/crystaldiskinfo/japanese-utf16.txt"},
	} {
		got := reportOf(t, args...)
		missing := fmt.Sprint(at(got, "source.missing"))
		for _, path := range []string{"drive.serial", "drive.model", "drive.firmware", "drive.marketing_name", "verdict.level", "verdict.summary", "endurance", "population", "plausibility"} {
			if diff := cmp.Diff(at(want, path), at(got, path)); diff != "" {
				t.Errorf("%v: %s (-want +got):\n%s", args, path, diff)
			}
		}
		for key, value := range want["smart"].(map[string]any) {
			if diff := cmp.Diff(value, at(got, "smart."+key)); diff != "" && !strings.Contains(missing, "smart."+key) && at(want, "smart."+key) != nil {
				t.Errorf("%v: smart.%s (-want +got):\n%s", args, key, diff)
			}
		}
	}
}

// A drive for which the dump has only the SMART log is judged by that.
func TestBareSMARTLog(t *testing.T) {
	r := reportOf(t, dumps+"/pages/forms.smart.bin")
	if at(r, "verdict.level") != "keep" || at(r, "source.guessed") != true || at(r, "smart.power_on_hours") != json.Number("4125") {
		t.Errorf("verdict %v, source %v", r["verdict"], r["source"])
	}
	if at(r, "identify_controller.error.kind") != "not-in-dump" || at(r, "drive.model") != "" || at(r, "footprint.commands") != json.Number("0") {
		t.Errorf("identify %v, drive %v, footprint %v", r["identify_controller"], r["drive"], r["footprint"])
	}
}

// eachDump calls check with the report on every drive of every dump.
func eachDump(t *testing.T, check func(name string, r map[string]any, args []string)) {
	t.Helper()
	files := globs(t, "forms/*.txt", "forms/*.json", "nvme-cli/*", "smartctl/*", "crystaldiskinfo/*", "pages/*")
	read := 0
	for _, file := range files {
		name := strings.TrimPrefix(file, dumps+"/")
		for _, args := range drivesOf(t, file) {
			status, out, _ := run(t.Context(), append([]string{"report", "-o", "json"}, args...)...)
			if status == exitDone {
				check(strings.Join(append([]string{name}, args[1:]...), " "), decode(t, args, out), args)
				read++
			}
		}
	}
	if read < 70 {
		t.Errorf("only %d drives in %d files", read, len(files))
	}
}

func globs(t *testing.T, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join(dumps, p))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	return slices.DeleteFunc(all, func(f string) bool { return strings.HasSuffix(f, "truth.json") })
}

// drivesOf are the arguments for each drive of a file.
func drivesOf(t *testing.T, file string) [][]string {
	t.Helper()
	_, _, msg := run(t.Context(), "report", file)
	n := 1
	if _, err := fmt.Sscanf(msg[strings.Index(msg, " has ")+1:], "has %d drives", &n); err != nil {
		return [][]string{{file}}
	}
	var all [][]string
	for i := range n {
		all = append(all, []string{file, "--drive", fmt.Sprint(i + 1)})
	}
	return all
}

// TestVerdictsOfDumps has the verdict and its first reason for each dump, for a
// reader to judge.
func TestVerdictsOfDumps(t *testing.T) {
	var got strings.Builder
	eachDump(t, func(name string, r map[string]any, _ []string) {
		rule := ""
		for _, f := range at(r, "verdict.findings").([]any) {
			if s := at(f, "severity"); s == "return" || s == "note" {
				rule = fmt.Sprint(at(f, "rule"))
				break
			}
		}
		fmt.Fprintf(&got, "%s | %v | %v | %s | %v | %v\n", name, at(r, "drive.model"), at(r, "verdict.level"), rule, at(r, "plausibility.belief"), at(r, "plausibility.condition"))
	})
	const file = "testdata/dump-verdicts.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("go test -update writes it anew (-want +got):\n%s", diff)
	}
}

// TestMissingIsNull holds that nothing stands for what a dump does not have:
// no zero in JSON, and no word of it in the text.
func TestMissingIsNull(t *testing.T) {
	eachDump(t, func(name string, r map[string]any, args []string) {
		missing, _ := at(r, "source.missing").([]any)
		for _, m := range missing {
			key := m.(string)
			if v := at(r, key); v != nil && at(v, "error.kind") == nil {
				t.Errorf("%s: %s = %v", name, key, v)
			}
		}
		_, text, _ := run(t.Context(), append([]string{"report", "--brief"}, args...)...)
		for _, m := range missing {
			if word := wordFor[m.(string)]; word != "" && strings.Contains(text, word) {
				t.Errorf("%s: %q in the text, but %s is missing:\n%s", name, word, m, text)
			}
		}
	})
}

// wordFor is what the first lines say of a key.
var wordFor = map[string]string{
	"smart.power_on_hours": "powered on", "smart.power_cycles": "power cycle", "smart.unsafe_shutdowns": "unsafe shutdown", "smart.bytes_written": " written",
	"smart.media_errors": "media error", "smart.error_log_entries": "over its life", "smart.available_spare_percent": "spare ",
	"identify_controller.oacs": "self-test", "identify_controller.sanicap": "sanitize", "namespaces.lba_formats": "4096-byte", "identify_controller.frmw": "the only one",
}

func TestFileSelectors(t *testing.T) {
	several := dumps + "/crystaldiskinfo/english-utf8.txt"
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, []byte("nothing of the kind\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{several}, exitFailed, "has 2 drives: 1 INTEL SSDPE21D960GA PHM2810300B2960CGN, 2 "},
		{[]string{several, "--drive", "3"}, exitFailed, "--drive=3 fits 0 drives"},
		{[]string{several, "--drive", "N"}, exitFailed, "fits 2 drives of"},
		{[]string{"--drive", "1", "sim:optane-905p"}, exitUsage, "is no file"},
		{[]string{"--drive", "1"}, exitUsage, "is no file"},
		{[]string{notes}, exitFailed, "no drive, no capture and not a dump that qd1 reads"},
		{[]string{dumps + "/nvme-cli/list-empty.json"}, exitFailed, "no NVMe drive in this list"},
		{[]string{dumps + "/nvme-cli/self-test-log-wd-SN750SE-empty.txt"}, exitFailed, "line 1"},
	} {
		status, out, msg := run(t.Context(), append([]string{"report"}, test.args...)...)
		if status != test.status || out != "" || !strings.Contains(msg, test.want) || !strings.Contains(msg, "qd1: hint: ") {
			t.Errorf("%v: status %d, want %d with %q: %s", test.args, status, test.status, test.want, msg)
		}
	}
}

// What a dump cannot have is no failure to read it.
func TestExitCodeOfDumps(t *testing.T) {
	for file, want := range map[string]int{"forms/smartctl.txt": exitDone, "smartctl/telegraf-TS128GMTE850.txt": exitFindings, "nvme-cli/id-ctrl-amazon-EBS.txt": exitDone} {
		if status, _, msg := run(t.Context(), "report", "--exit-code", dumps+"/"+file); status != want {
			t.Errorf("%s: status %d, want %d: %s", file, status, want, msg)
		}
	}
}

func TestStandardInput(t *testing.T) {
	b, err := os.ReadFile(dumps + "/forms/smartctl.json")
	if err != nil {
		t.Fatal(err)
	}
	var out, msg bytes.Buffer
	e := &env{stdin: bytes.NewReader(b), stdout: &out, stderr: &msg, now: time.Now}
	if status := e.run(t.Context(), []string{"report", "-", "--brief"}); status != exitDone || !strings.HasPrefix(out.String(), "KEEP  Intel Optane SSD 905P") {
		t.Errorf("status %d: %s%s", status, &out, &msg)
	}
}

// TestStandardInputByName holds that the other names of standard input mean it.
func TestStandardInputByName(t *testing.T) {
	b, err := os.ReadFile(dumps + "/forms/smartctl.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"} {
		var out, msg bytes.Buffer
		e := &env{stdin: bytes.NewReader(b), stdout: &out, stderr: &msg, now: time.Now}
		if status := e.run(t.Context(), []string{"report", name, "--brief"}); status != exitDone || !strings.HasPrefix(out.String(), "KEEP  Intel Optane SSD 905P") {
			t.Errorf("%s: status %d: %s%s", name, status, &out, &msg)
		}
	}
}

// TestPipes reads a dump from a named pipe and from one that a shell opened.
func TestPipes(t *testing.T) {
	text, err := os.ReadFile(dumps + "/forms/smartctl.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	named := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(named, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (*os.File, error){
		fmt.Sprintf("/dev/fd/%d", r.Fd()): func() (*os.File, error) { return w, nil },
		named:                             func() (*os.File, error) { return os.OpenFile(named, os.O_WRONLY, 0) },
	} {
		wrote := make(chan error, 1)
		go func() {
			f, err := open()
			if err == nil {
				_, err = f.Write(text)
				f.Close()
			}
			wrote <- err
		}()
		status, out, msg := run(t.Context(), "report", name, "--brief")
		if err := <-wrote; err != nil || status != exitDone || !strings.HasPrefix(out, "KEEP  Intel Optane SSD 905P") {
			t.Errorf("%s: %v, status %d: %s%s", name, err, status, out, msg)
		}
	}
	// The pipe of a program that has ended and printed nothing.
	if status, _, msg := run(t.Context(), "report", fmt.Sprintf("/dev/fd/%d", r.Fd())); status != exitFailed || !strings.Contains(msg, "is empty") {
		t.Errorf("ended: status %d: %s", status, msg)
	}
}

// A named pipe that nobody writes to does not hold the program against Ctrl-C.
func TestPipeWithoutWriter(t *testing.T) {
	named := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(named, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if status, out, msg := run(ctx, "report", named); status != exitInterrupted || out != "" {
		t.Errorf("nobody: status %d: %s%s", status, out, msg)
	}
	// Somebody who writes a part and stays.
	w, err := os.OpenFile(named, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString("smartctl 7.4\n"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if status, out, msg := run(ctx, "report", named); status != exitInterrupted || out != "" {
		t.Errorf("a part: status %d: %s%s", status, out, msg)
	}
}

// TestUselessInput has files in which there is nothing to read.
func TestUselessInput(t *testing.T) {
	for text, want := range map[string]string{"": "is empty", "\n": "is empty", "\x1f\x8b\x08\x00\x00": "is compressed with gzip", "PK\x03\x04": "is compressed with zip"} {
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, msg := run(t.Context(), "report", file)
		if status != exitFailed || !strings.Contains(msg, want) || !strings.Contains(msg, "qd1: hint: ") {
			t.Errorf("%q: status %d, want %q: %s", text, status, want, msg)
		}
	}
	var out, msg bytes.Buffer
	e := &env{stdin: strings.NewReader(""), stdout: &out, stderr: &msg, now: time.Now}
	if status := e.run(t.Context(), []string{"report", "-"}); status != exitFailed || !strings.Contains(msg.String(), "standard input is empty") {
		t.Errorf("status %d: %s", status, &msg)
	}
}

// TestEmptyFlags holds that a flag without a value is no flag that was left out.
func TestEmptyFlags(t *testing.T) {
	for _, flag := range []string{"--as=", "--drivedb=", "--drive="} {
		if status, out, msg := run(t.Context(), "report", dumps+"/forms/smartctl.txt", flag); status != exitUsage || out != "" || !strings.Contains(msg, flag) {
			t.Errorf("%s: status %d: %s%s", flag, status, out, msg)
		}
	}
	if status, out, _ := run(t.Context(), "report", "--help"); status != exitDone || !strings.Contains(strings.Join(strings.Fields(out), " "), "what a dump lacks does not count") {
		t.Errorf("status %d: %s", status, out)
	}
}

// A capture is one by its content, with or without its prefix.
func TestCaptureByContent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if status, _, msg := run(t.Context(), "capture", "sim:optane-905p-used", file); status != exitDone {
		t.Fatal(msg)
	}
	_, want, _ := run(t.Context(), "report", "--brief", "replay:"+file)
	if status, got, msg := run(t.Context(), "report", "--brief", file); status != exitDone || got != want || !strings.Contains(got, "KEEP") {
		t.Errorf("status %d: %s, want %s: %s", status, got, want, msg)
	}
	if err := os.WriteFile(file, []byte(captureStart+"1\"}\nrubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, msg := run(t.Context(), "report", file); status != exitFailed || !strings.Contains(msg, "cut short") {
		t.Errorf("status %d: %s", status, msg)
	}
}
