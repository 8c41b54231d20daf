package vmtest_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// excerpt is a command of docs/peers.md with lines of what it prints.
type excerpt struct {
	command string
	lines   []string
}

// excerpts reads the blocks of the page that begin with a command.
func excerpts(t *testing.T, file string) []excerpt {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []excerpt
	inside := false
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside
		case inside && isCommand:
			all = append(all, excerpt{command: command})
		case inside && line != "" && line != "…":
			e := &all[len(all)-1]
			e.lines = append(e.lines, line)
		}
	}
	return all
}

var numbers = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+(?:[ ,.][0-9]+)*`)

// plainLine is a line without what differs from one run to the next: numbers, and
// the kind of white space.
func plainLine(line string) string {
	line = strings.ReplaceAll(line, "\u00a0", " ")
	return strings.Join(strings.Fields(numbers.ReplaceAllString(line, "#")), " ")
}

// missing returns the first line of the excerpt that is not in the output after
// those before it, "" for none.
func (e *excerpt) missing(output string) string {
	var have []string
	for line := range strings.Lines(output) {
		have = append(have, plainLine(line))
	}
	for _, line := range e.lines {
		i := slices.Index(have, plainLine(line))
		if i < 0 {
			return line
		}
		have = have[i+1:]
	}
	return ""
}

// fieldOf finds the name of a field at the start of a line of nvme.
var fieldOf = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.() ]*?)\s*(?:\d+\s*)?:`)

// fieldsOf returns the fields that a page of nvme names.
func fieldsOf(output string) []string {
	var all []string
	for line := range strings.Lines(output) {
		if m := fieldOf.FindStringSubmatch(line); m != nil && !slices.Contains(all, m[1]) {
			all = append(all, m[1])
		}
	}
	return all
}

// otherWords is what qd1 calls a field of nvme where it is not the abbreviation in
// capitals. "" are headings, and figures that say nothing by themselves.
func otherWords() map[string]string {
	return map[string]string{
		"NVME Identify Controller": "", "NVME Identify Namespace": "", "Smart Log for NVME device": "", "Firmware Log for device": "", "Error Log Entries for device": "",
		"domainid": "DID", "ocfs": "CDFS", "ps": "PSD", "LBA Format": "LBAF",
		"critical_warning": "critical warning", "temperature": "temperature", "available_spare": "spare", "available_spare_threshold": "threshold",
		"percentage_used": "percentage used", "endurance group critical warning summary": "", // Shown where it is not 0.
		"Data Units Read": "read ", "Data Units Written": "written", "host_read_commands": "reads,", "host_write_commands": "writes",
		"controller_busy_time": "busy", "power_cycles": "power cycles", "power_on_hours": "powered on", "unsafe_shutdowns": "unsafe shutdowns",
		"media_errors": "media errors", "num_err_log_entries": "error log entries", "Warning Temperature Time": "above warning",
		"Critical Composite Temperature Time": "above critical", "Temperature Sensor": "sensor 1",
		"Thermal Management T1 Trans Count": "level 1:", "Thermal Management T2 Trans Count": "level 2:", "Thermal Management T1 Total Time": "s in all", "Thermal Management T2 Total Time": "s in all",
		"afi": "running from", "frs": "slot 1 ",
		"error_count": "#", "sqid": "queue", "cmdid": "command", "status_field": "status 0x", "phase_tag": "phase", "parm_err_loc": "parameter at byte",
		"lba": "LBA", "nsid": "namespace", "vs": "", "trtype": "", "cs": "", "trtype_spec_info": "", // Shown where they are not 0.
	}
}

// checkFields holds that qd1 shows every field that nvme shows.
func checkFields(t *testing.T, command, theirs, ours string) {
	t.Helper()
	fields := fieldsOf(theirs)
	if len(fields) < 3 {
		t.Errorf("%s: only the fields %q", command, fields)
	}
	ours = strings.Join(strings.Fields(strings.ReplaceAll(ours, "\u00a0", " ")), " ")
	for _, f := range fields {
		word, known := otherWords()[f]
		if !known {
			word = strings.ToUpper(f)
		}
		whole := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(word))
		if word != "" && !whole.MatchString(ours) {
			t.Errorf("%s shows %s: qd1 has no %q", command, f, word)
		}
	}
}

// TestPeers holds docs/peers.md: what nvme and qd1 print side by side on the same
// drive is as the page has it, qd1 shows every field that nvme shows, and needs no
// more lines, but for the firmware slots, of which it tells more.
func TestPeers(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	page := excerpts(t, "../../docs/peers.md")
	if len(page) != 10 {
		t.Fatalf("%d commands on the page, want 5 pairs", len(page))
	}
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"nvme", "sh", "ip", "grep", "sleep", "cat"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		Modules:  []string{"nvme-tcp", "crc32c_generic"},
		Timeout:  10 * time.Minute,
	})
	var jobs jobList
	addServer(&jobs, modernProfile)
	jobs.connect("connect", modernProfile, modernSerial, "")
	jobs.shell("an entry", "nvme get-log --log-id=0xc9 --log-len=512 "+modern+" 2>&1 || true")
	for _, e := range page {
		jobs.add(e.command, strings.Fields(strings.ReplaceAll(e.command, "/dev/nvme0", modern))...)
	}
	addServerEnd(&jobs)
	res := vm.Run(jobs...)
	for i := 0; i < len(page); i += 2 {
		theirs, ours := string(res.Output(page[i].command)), string(res.Output(page[i+1].command))
		for j, output := range []string{theirs, ours} {
			if line := page[i+j].missing(output); line != "" {
				t.Errorf("%s: the page has %q, which is not in\n%s", page[i+j].command, line, output)
			}
		}
		checkFields(t, page[i].command, theirs, ours)
		n, m := strings.Count(theirs, "\n"), strings.Count(ours, "\n")
		if m > n && !strings.Contains(page[i].command, "fw-log") {
			t.Errorf("%s has %d lines, %s %d", page[i].command, n, page[i+1].command, m)
		}
		t.Logf("%s: %d lines; %s: %d lines", page[i].command, n, page[i+1].command, m)
	}
}
