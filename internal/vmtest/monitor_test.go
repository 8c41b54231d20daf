package vmtest_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// The drives of TestMonitor: one stays, one leaves while it is watched.
const (
	staysSerial = "QD1-STAYS"
	goesSerial  = "QD1-GOES"
)

// The jobs of TestMonitor, and the files that they leave.
const (
	jobFirstExport  = "export"
	jobMode         = "mode of the file"
	jobRootless     = "export without root"
	jobWatched      = "watch a drive that leaves"
	jobLaterExport  = "export when it is gone"
	jobWatchStopped = "watch until it is told to stop"

	firstMetrics = "first.prom"
	laterMetrics = "qd1.prom"
	watchedRows  = "rows.jsonl"
	stoppedRows  = "rows.csv"
)

// ofTheService runs a program with the capabilities that the systemd service
// leaves to it.
const ofTheService = "setpriv --no-new-privs --bounding-set=-all,+sys_admin,+dac_override --inh-caps=-all,+sys_admin,+dac_override "

// TestMonitor watches and exports drives of the kernel, one of which leaves.
func TestMonitor(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	const size = 16 << 20
	drive := func(id, serial, options string) []string {
		return vmtest.Drive{ID: id, Serial: serial, Options: options, Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, size, vmtest.Filled(size))}}}.Arguments()
	}
	vm := vmtest.New(t, vmtest.Config{
		Devices:  slices.Concat(drive("stays", staysSerial, ""), []string{"-device", "pcie-root-port,id=bridge,chassis=1"}, drive("goes", goesSerial, "bus=bridge")),
		Programs: []string{"sh", "nvme", "dd", "setpriv", "stat", "sleep", "cat", "grep"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme0n1", "/dev/nvme1n1"},
	})
	var jobs jobList
	addMonitor(&jobs)
	vm.Start(jobs...)
	vm.WaitEvent(jobWatched)
	vm.QMP("device_del", map[string]any{"id": "goes"})
	res := vm.Wait()
	t.Run("Export", func(t *testing.T) { checkExport(t, res.With(t)) })
	t.Run("Absent", func(t *testing.T) { checkAbsent(t, res.With(t)) })
	t.Run("Watch", func(t *testing.T) { checkWatched(t, res.With(t)) })
	t.Run("Stopped", func(t *testing.T) { checkStopped(t, res.With(t)) })
}

func addMonitor(jobs *jobList) {
	export := ofTheService + qd1Path + " export prometheus --textfile /out/" + laterMetrics
	jobs.add("write", "dd", "if=/dev/zero", "of=/dev/{nvme:"+staysSerial+"}n1", "bs=1M", "count=4", "oflag=direct")
	jobs.shell(jobFirstExport, export+" && cat /out/"+laterMetrics+" >/out/"+firstMetrics)
	jobs.add(jobMode, "stat", "-c", "%a", "/out/"+laterMetrics)
	for _, serial := range []string{staysSerial, goesSerial} {
		jobs.add("smart of "+serial, "nvme", "smart-log", "-o", "json", "/dev/{nvme:"+serial+"}")
	}
	jobs.shell(jobRootless, "setpriv --reuid=65534 --clear-groups --bounding-set=-all --inh-caps=-all "+qd1Path+" export prometheus")
	jobs.shell(jobWatched, strings.Join([]string{
		qd1Path + ` watch --every 1s --count 5 -o jsonl >/out/` + watchedRows + ` & pid=$!`,
		`until [ "$(grep -c ` + goesSerial + ` /out/` + watchedRows + `)" -ge 2 ]; do sleep 0.1; done`,
		`echo "QD1-EVENT ` + jobWatched + `" >$QD1_EVENTS`,
		`wait $pid`,
	}, "\n"))
	jobs.shell(jobLaterExport, export)
	jobs.shell(jobWatchStopped, strings.Join([]string{
		qd1Path + ` watch --every 1s -o csv >/out/` + stoppedRows + ` & pid=$!`,
		`until [ "$(grep -c ` + staysSerial + ` /out/` + stoppedRows + `)" -ge 2 ]; do sleep 0.1; done`,
		`kill -TERM $pid; wait $pid`,
	}, "\n"))
}

// metric returns the value of a series in an exported file, "" if it is not there.
func metric(page, name string, labels ...string) string {
	for line := range strings.Lines(page) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		fits := strings.HasPrefix(series, name+"{")
		for _, l := range labels {
			fits = fits && strings.Contains(series, l)
		}
		if fits {
			return value
		}
	}
	return ""
}

// deviceOf returns the label of a drive's device.
func deviceOf(t *testing.T, page, serial string) string {
	t.Helper()
	m := regexp.MustCompile(`(device="[^"]+").*serial="` + serial + `"|serial="` + serial + `".*(device="[^"]+")`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("%s is not in\n%s", serial, page)
	}
	return m[1] + m[2]
}

// checkExport holds the metrics of both drives against what nvme shows.
func checkExport(t *testing.T, res *vmtest.Results) {
	if got := res.Get(jobFirstExport); got.Exit != 0 {
		t.Fatal(vmtest.Describe(got))
	}
	if got := strings.TrimSpace(string(res.Output(jobMode))); got != "644" {
		t.Errorf("the file has the mode %s", got)
	}
	page := readFile(t, res.File(firstMetrics))
	for _, serial := range []string{staysSerial, goesSerial} {
		device, smart := deviceOf(t, page, serial), object(t, res.Output("smart of "+serial))
		for name, key := range map[string]string{"nvme_data_units_written_total": "data_units_written", "nvme_power_cycles_total": "power_cycles",
			"nvme_host_write_commands_total": "host_write_commands", "nvme_media_errors_total": "media_errors"} {
			want := text(lookup(t, smart, key))
			if got := metric(page, name, device); got != want {
				t.Errorf("%s: %s is %q, and nvme says %s", serial, name, got, want)
			}
		}
		if got := metric(page, "qd1_scrape_success", device); got != "1" {
			t.Errorf("%s: qd1_scrape_success is %q", serial, got)
		}
	}
	checkFailure(t, res.Get(jobRootless), 1, "permission", "root")
}

// checkAbsent holds that a drive that left has none of its last values.
func checkAbsent(t *testing.T, res *vmtest.Results) {
	if got := res.Get(jobLaterExport); got.Exit != 0 {
		t.Fatal(vmtest.Describe(got))
	}
	page := readFile(t, res.File(laterMetrics))
	if got := metric(page, "qd1_drive_present", `serial="`+goesSerial+`"`); got != "0" {
		t.Errorf("qd1_drive_present of the drive that left is %q", got)
	}
	if n := strings.Count(page, goesSerial); n != 1 {
		t.Errorf("the drive that left is in %d lines", n)
	}
	if got := metric(page, "qd1_drive_present", `serial="`+staysSerial+`"`); got != "1" {
		t.Errorf("qd1_drive_present of the other is %q", got)
	}
	entries, err := filepath.Glob(filepath.Join(filepath.Dir(res.File(laterMetrics)), "*.prom*"))
	if err != nil || len(entries) != 2 {
		t.Errorf("files are left: %q, %v", entries, err)
	}
}

// checkWatched holds that the drive that left costs only its own rows.
func checkWatched(t *testing.T, res *vmtest.Results) {
	if got := res.Get(jobWatched); got.Exit != 0 {
		t.Error(vmtest.Describe(got))
	}
	rows := map[string][]any{}
	var last map[string]any
	for line := range strings.Lines(readFile(t, res.File(watchedRows))) {
		row := object(t, []byte(line))
		if text(lookup(t, row, "schema")) != "qd1.watch/1" {
			last = row
			continue
		}
		serial := text(lookup(t, row, "serial"))
		problem, _ := child(row, "error")
		rows[serial] = append(rows[serial], problem)
	}
	if got := rows[staysSerial]; len(got) != 5 || slices.ContainsFunc(got, func(v any) bool { return v != nil }) {
		t.Errorf("the errors of the drive that stays are %v", got)
	}
	if got := rows[goesSerial]; len(got) != 5 || got[0] != nil || got[4] == nil {
		t.Errorf("the errors of the drive that leaves are %v", got)
	}
	if text(lookup(t, last, "schema")) != "qd1.watch-summary/1" {
		t.Errorf("the last line is %v", last)
	}
}

// checkStopped holds that all lines are whole.
func checkStopped(t *testing.T, res *vmtest.Results) {
	if got := res.Get(jobWatchStopped); got.Exit != 0 || !strings.Contains(string(got.Stderr), staysSerial) {
		t.Error(vmtest.Describe(got))
	}
	f, err := os.Open(res.File(stoppedRows))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if rows, err := csv.NewReader(f).ReadAll(); err != nil || len(rows) < 3 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
