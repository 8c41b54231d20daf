package vmtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// The drive of TestInspectNewer: one endurance group with flexible data placement.
const (
	newerSerial     = "QD1-NEWER"
	newer           = "/dev/{nvme:" + newerSerial + "}"
	newerHandles    = 4
	newerUnitBytes  = 4 << 20 // Reclaim Unit Nominal Size.
	newerWrittenMiB = 6       // More than a unit.
)

// The jobs that decode a page.
const (
	jobConfiguration = "configuration"
	jobUsage         = "usage"
	jobStatistics    = "statistics"
	jobHostEvents    = "host events"
	jobOCP           = "the page of the Open Compute Project"
	jobSetEvents     = "set events"
)

var newerDecoded = map[string][]string{
	jobConfiguration: {"fdp-configurations"},
	jobUsage:         {"fdp-usage"},
	jobStatistics:    {"fdp-statistics"},
	jobHostEvents:    {"fdp-events", "-s", "1"},
	jobOCP:           {"0xc0", "--force"},
}

// newerInspection are the pages that the emulated drives of QEMU 10 have, and those
// of QEMU 7.2 have not.
func newerInspection() inspection {
	const group = " -S 1"
	i := inspection{name: "Pages", counting: newer, pages: []samePage{
		{qd1: "id ctrl -b " + newer, nvme: "id-ctrl -b " + newer},
		{qd1: "id ns -b -n 2 " + newer, nvme: "id-ns -b -n 2 " + newer},
		{qd1: "id ns-ind -b --force -n 1 " + newer, nvme: "cmdset-ind-id-ns -b -n 1 " + newer},
		{qd1: "id endgrp-list -b --force " + newer, nvme: identifyPassthru(newer, "0", 0x19, 0)},
	}}
	const configurationBytes = 16 + 64 + 4*newerHandles
	i.log(newer, "endurance", 0x09, 512, group, true)
	i.log(newer, "fdp-configurations", 0x20, configurationBytes, group, false)
	i.log(newer, "fdp-usage", 0x21, 8+8*newerHandles, group, false)
	i.log(newer, "fdp-statistics", 0x22, 64, group, false)
	i.log(newer, "fdp-events", 0x23, 64, group, false)
	i.log(newer, "fdp-events", 0x23, 64+2*64, group+" -s 1", false)
	i.log(newer, "0xc0", 0xC0, 512, " --force", true)
	i.pages[len(i.pages)-1].nvme = "get-log -i 0xc0 -l 512 -b " + newer
	for _, name := range []string{"list", "endurance", "fdp-usage", "fdp-events", "fdp-configurations"} {
		i.reads = append(i.reads, "log "+name+" "+newer)
	}
	i.reads = append(i.reads, "feature list "+newer, "report --bench=off "+newer)
	return i
}

// TestInspectNewer compares what qd1 and nvme read of the drives of a newer
// emulator: an endurance group, flexible data placement, and the C0h page of the
// Open Compute Project.
func TestInspectNewer(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	const size = 32 << 20
	// Reclaim Unit Not Fully Written, Time Limit Exceeded, Controller Reset, Invalid
	// Placement Identifier, Media Reallocated, Implicitly Modified Handle.
	events := []byte{0x00, 0x01, 0x02, 0x03, 0x80, 0x81}
	list := filepath.Join(t.TempDir(), "events")
	if err := os.WriteFile(list, events, 0o644); err != nil {
		t.Fatal(err)
	}
	vm := vmtest.New(t, vmtest.Config{
		Emulator: vmtest.NewEmulator,
		Devices: vmtest.Drive{ID: "newer", Serial: newerSerial, Options: "ocp=on",
			Subsystem: fmt.Sprintf("fdp=on,fdp.runs=%d,fdp.nrg=1,fdp.nruh=%d", newerUnitBytes, newerHandles),
			Namespaces: []vmtest.Namespace{
				{Image: vmtest.Disk(t, size), Options: "fdp.ruhs=0-3"},
				{Image: vmtest.Disk(t, size), Options: "fdp.ruhs=0"},
			}}.Arguments(),
		Programs: []string{"nvme", "dd"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1"), "/events": list},
		WaitFor:  []string{"/dev/nvme0n1", "/dev/nvme0n2"},
	})
	var jobs jobList
	pages := newerInspection()
	qd1Job(&jobs, jobSetEvents, []string{"feature", "set", "fdp-events", newerSerial, "-n", "1", "--cdw12", "1", "--data", "/events",
		"--value", fmt.Sprintf("%#x", len(events)<<16)}, consent(2*size), []string{"-o", "json"})
	jobs.add("write", "dd", "if=/dev/zero", "of=/dev/nvme0n1", "bs=1M", fmt.Sprintf("count=%d", newerWrittenMiB), "oflag=direct")
	jobs.add("update", "nvme", "fdp", "update", newer+"n1", "--namespace-id=1", "--pids=0")
	pages.add(&jobs)
	for name, args := range newerDecoded {
		qd1Job(&jobs, name, []string{"log"}, args, []string{newer, "-o", "json"})
	}
	res := vm.Run(jobs...)
	t.Run(pages.name, func(t *testing.T) { pages.check(t, res.With(t)) })
	t.Run("Decoded", func(t *testing.T) { checkPlacement(t, res.With(t)) })
	t.Run("OCP", func(t *testing.T) { checkIdentified(t, res.With(t)) })
}

// checkPlacement holds that the pages tell what was configured, set and written.
func checkPlacement(t *testing.T, res *vmtest.Results) {
	for _, tt := range []struct {
		job  string
		want map[string]string
	}{
		{jobSetEvents, map[string]string{"failed": "false", "after.data.events.0.fdpeta_bits.fdpee": "true"}},
		{jobConfiguration, map[string]string{"numfdpc": "1", "configuration.0.nruh": fmt.Sprint(newerHandles),
			"configuration.0.runs_bytes": fmt.Sprint(newerUnitBytes), "configuration.0.fdpa_bits.fdpcv": "true"}},
		{jobUsage, map[string]string{"nruh": fmt.Sprint(newerHandles), "handle.0.ruha": "1"}},
		{jobStatistics, map[string]string{"hbmw_bytes": fmt.Sprint(newerWrittenMiB << 20)}},
		{jobHostEvents, map[string]string{"nevt": "2", "event.0.etype_text": "reclaim unit not fully written", "event.0.nsid": "1"}},
	} {
		page := object(t, res.Output(tt.job))
		for path, want := range tt.want {
			if tt.job != jobSetEvents {
				path = "page.fields." + path
			}
			checkValue(t, page, path, want)
		}
	}
}

// checkIdentified holds that the page of a drive that is in no table is told by
// its GUID.
func checkIdentified(t *testing.T, res *vmtest.Results) {
	v := object(t, res.Output(jobOCP))
	checkValue(t, v, "page.vendor.name", "OCP SMART / Health Information Extended")
	checkValue(t, v, "page.vendor.why", "the page ends with the GUID of this log")
	if rows := lookup(t, v, "page.vendor.rows").([]any); len(rows) < 30 {
		t.Errorf("%d rows", len(rows))
	}
}
