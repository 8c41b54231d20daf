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

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/vmtest"
)

// optaneModel is the Model Number of the 905P.
const optaneModel = "INTEL SSDPE21D960GA"

// firmwareRow is a drive of its own that gets firmware, and what comes of it.
type firmwareRow struct {
	serial string
	// profile is its kind; faults is a fault script, "" for none.
	profile, faults string
	// image is a file of /fw, flags are more of the command.
	image string
	flags []string
	// around is a line with %s for the command, "" for the command alone.
	around string
	exit   int
	says   []string
}

const optaneDrive = "optane-905p?size=8388608"

// firmwareRows is the table of what drives answer, what is said of it and the
// exit status.
func firmwareRows() []firmwareRow {
	commit := func(status int) string {
		return fmt.Sprintf(`{"when":{"queue":"admin","opcode":16},"do":"status","status":%d}`, status)
	}
	return []firmwareRow{
		{"STEP", optaneDrive, "", "step", []string{"--save", "--bench", "--bench-runs", "16", "--bench-seconds", "50ms", "--min-effect", "300"}, "", 0,
			[]string{"UPDATED  ", "runs E2010650 from slot 1; before it ran E2010480", "controller reset done", "records  before", "--changed firmware", "speed "}},
		{"NOW", nand, "", "any", nil, "", 0, []string{"UPDATED  ", "runs QD1M0200 from slot 3"}},
		{"S106", nand, commit(0x106), "any", nil, "", 1, []string{"0x106", "read-only"}},
		{"S107", nand, "", "foreign", nil, "", 1, []string{"0x107", "does not take the image", "sha256"}},
		{"S10B", nand, "", "conventional", nil, "", 9, []string{"RESET NEEDED", "0x10b", "restart the computer"}},
		{"S110", nand, "", "subsystem", nil, "", 0, []string{"UPDATED  ", "0x110", "subsystem reset done"}},
		{"S111", nand, "", "controller", nil, "", 0, []string{"UPDATED  ", "0x111", "controller reset done"}},
		{"S112", nand, "", "too-long", nil, "", 0, []string{"UPDATED  ", "0x112", "action 1", "controller reset done"}},
		{"S113", nand, "", "prohibited", nil, "", 1, []string{"0x113", "does not activate this image"}},
		{"S114", nand, `{"when":{"queue":"admin","opcode":17},"do":"status","status":276,"times":1}`, "any", nil, "", 1, []string{"0x114", "another program"}},
		{"SAME", nand, commit(0), "any", nil, "", 6, []string{"UNCHANGED", "still runs QD1M0110"}},
		{"INUSE", nand, "", "controller", nil, used("INUSE"), 9, []string{"RESET NEEDED", "in use"}},
		{"ASKED", nand, "", "controller", []string{"--reset", "controller"}, used("ASKED"), 5, []string{"--reset controller was asked for", "Nothing was sent"}},
		{"LOSS", nand, `{"when":{"queue":"admin","opcode":16},"do":"power-loss","times":1}`, "any", nil, "", 8, []string{"NOT KNOWN", "no slot has changed"}},
		{"HALF", nand, `{"when":{"queue":"admin","opcode":17,"after_count":3},"do":"power-loss","times":1}`, "any", nil, "", 1, []string{"did not answer to chunk 4", "nothing was committed"}},
		{"SIZE", nand, "", "short", nil, "", 1, []string{"chunk 17 of 17 was refused", "--pad"}},
		{"ODD", nand, "", "odd", nil, "", 5, []string{"not a multiple of 4", "Nothing was sent"}},
		{"SLOT1", nand, "", "any", []string{"--slot", "1"}, "", 5, []string{"slot 1 of this drive is read-only", "Nothing was sent"}},
		{"SERIA", nand, "", "any", []string{"--expect-model", "OTHER"}, "", 5, []string{"Nothing was sent"}},
	}
}

// used is a line around a command while another program has the drive open.
func used(serial string) string {
	return "sleep 60 <$(node " + serial + ") & user=$!; ended=0; %s || ended=$?; kill $user; exit $ended"
}

// line is the command of a row.
func (r *firmwareRow) line() string {
	model := modernModel
	if r.profile == optaneDrive {
		model = optaneModel
	}
	argv := append([]string{qd1Path, "firmware", "update", r.serial, "--image", "/fw/" + r.image, "--yes", "--expect-model", model, "--expect-bytes", fmt.Sprint(lieBytes)}, r.flags...)
	if r.around == "" {
		return recorded(r.serial, argv)
	}
	return recordedScript(r.serial, fmt.Sprintf(r.around, quoted(argv)))
}

// drive is the profile of a row with its parameters.
func (r *firmwareRow) drive() string {
	if r.faults == "" {
		return r.profile + "&serial=" + r.serial
	}
	return r.profile + "&serial=" + r.serial + "&faults=/faults/" + r.serial
}

// firmwareFiles are the images and fault scripts of the rows.
func firmwareFiles(t *testing.T, rows []firmwareRow) map[string]string {
	t.Helper()
	files := map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1"), "/fw/step": firmwareFile(t, sim.FirmwareImage{Model: optaneModel, Revision: "E2010650"})}
	for name, needs := range map[string]sim.Activation{
		"any": sim.AnyReset, "controller": sim.ControllerReset, "subsystem": sim.SubsystemReset,
		"conventional": sim.ConventionalReset, "too-long": sim.TooLongActivation, "prohibited": sim.ProhibitedActivation,
	} {
		files["/fw/"+name] = firmwareFile(t, sim.FirmwareImage{Model: modernModel, Revision: "QD1M0200", Needs: needs})
	}
	files["/fw/foreign"] = firmwareFile(t, sim.FirmwareImage{Model: "ANOTHER MODEL", Revision: "OTHER001"})
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	files["/fw/short"] = write("short", bytes.Repeat([]byte("QD1!"), 4*4096+15))
	files["/fw/odd"] = write("odd", make([]byte, 4097))
	for i := range rows {
		if rows[i].faults != "" {
			files["/faults/"+rows[i].serial] = write(rows[i].serial, []byte(rows[i].faults))
		}
	}
	return files
}

// TestFirmwareUpdates gives firmware to drives behind the kernel: every answer
// that a drive may give, outages, and what is refused before.
func TestFirmwareUpdates(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	rows := firmwareRows()
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"sh", "ip", "grep", "sleep", "cat", "seq", "basename", "dirname"},
		Files:    firmwareFiles(t, rows),
		Modules:  []string{"nvme-tcp", "crc32c_generic"},
	})
	var drives []string
	for i := range rows {
		drives = append(drives, rows[i].drive())
	}
	var jobs jobList
	addServer(&jobs, "'"+strings.Join(drives, "' '")+"'")
	jobs.shell("connect", connectAll(subsystemNames(drives)))
	lines := []string{"node() { echo /dev/$(basename $(dirname $(grep -lx \"$1 *\" /sys/class/nvme/nvme*/serial)))n1; }"}
	for i := range rows {
		lines = append(lines, rows[i].line())
	}
	jobs.shell("update", append(lines,
		recorded("LOSS.plan", []string{qd1Path, "firmware", "plan", "LOSS", "--image", "/fw/any", "-o", "json"}),
		recorded("LOSS.again", []string{qd1Path, "firmware", "update", "LOSS", "--image", "/fw/any", "--yes", "--expect-model", modernModel, "--expect-bytes", fmt.Sprint(lieBytes)}),
		recorded("STEP.report", []string{qd1Path, "firmware", "info", "STEP", "-o", "json"}),
		recorded("STEP.back", []string{qd1Path, "firmware", "activate", "NOW", "--slot", "2", "--yes", "--expect-model", modernModel, "--expect-bytes", fmt.Sprint(lieBytes)}))...)
	jobs[len(jobs)-1].Timeout = 4 * time.Minute
	res := vm.Run(jobs...)

	for _, r := range rows {
		t.Run(r.serial, func(t *testing.T) { checkEnded(t, res.With(t), r.serial, r.exit, r.says...) })
	}
	t.Run("Benchmark", func(t *testing.T) {
		// What a machine that shares its processors measures is chance; that there is a
		// verdict is not.
		text := endedInGuest(t, res.With(t), "STEP").stdout
		if !regexp.MustCompile(`speed +(no change of 300 % or more|not enough runs to tell|better: |worse: )`).MatchString(text) {
			t.Errorf("no verdict:\n%s", text)
		}
	})
	t.Run("AfterTheLoss", func(t *testing.T) {
		checkEnded(t, res.With(t), "LOSS.plan", 0, "it was committed, and the answer is not known. The drive runs QD1M0110, as before")
		checkEnded(t, res.With(t), "LOSS.again", 0, "UPDATED  ")
	})
	t.Run("Afterwards", func(t *testing.T) {
		info := object(t, []byte(endedInGuest(t, res.With(t), "STEP.report").stdout))
		checkValue(t, info, "firmware.slots.0.revision", "E2010650")
		checkEnded(t, res.With(t), "STEP.back", 0, "UPDATED  ", "runs QD1M0110 from slot 2")
	})
}
