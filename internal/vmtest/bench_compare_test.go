package vmtest_test

import (
	"fmt"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// lagging is a mapping each read of which takes as long as its table says.
const lagging = "/dev/mapper/lagging"

// The runs of TestBenchCompare are 20 reads beside each other, enough for a
// median. They are many and short, so that few of them meet a moment in which the
// emulated machine does not run.
const (
	comparedRuns  = 24
	comparedReads = 20
)

// busyNoise is the noise in percent from which on the computer is too busy: the
// mapping itself has none.
const busyNoise = 4

// compareMachine has a drive by itself: one that the kernel reaches through its
// multipath layer has no scheduler.
func compareMachine(t *testing.T) *vmtest.VM {
	return vmtest.New(t, vmtest.Config{
		Devices: []string{
			"-drive", "id=disk,if=none,format=raw,cache=unsafe,file=" + vmtest.Disk(t, mappedBytes, vmtest.Filled(mappedBytes)),
			"-device", "nvme,id=first,drive=disk,serial=" + firstSerial,
		},
		Programs: []string{"sh", "dmsetup", "cat"}, Modules: []string{"dm-mod", "dm-delay"},
		Files:   map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor: []string{"/dev/nvme0n1"},
	})
}

// measureInto adds a benchmark whose result becomes a file.
func measureInto(jobs *jobList, name, target string) {
	qd1Job(jobs, "measure "+name, []string{"bench", target, "--format", "json", "--output", "/tmp/" + name + ".json", "--warmup", "0", "--seed", "1", "--no-pilot",
		"--runs", fmt.Sprint(comparedRuns), "--engine", "uring", "--qd", fmt.Sprint(comparedReads), "--count", fmt.Sprint(comparedReads)})
}

// compareFiles adds the comparison of two of them. The emulated machine differs
// from run to run by itself: 8 % is what matters.
func compareFiles(jobs *jobList, before, after, format string) {
	qd1Job(jobs, before+" "+after+" "+format, []string{"compare", "--min-effect", "8", "--format", format, "/tmp/" + before + ".json", "/tmp/" + after + ".json"})
}

// addLagging measures the mapping twice with reads of 100 ms, and then with 110.
func addLagging(jobs *jobList) {
	const undisturbed = "export DM_DISABLE_UDEV=1"
	table := func(ms int) string {
		return fmt.Sprintf("--table '0 %d delay %s 0 %d'", mappedBytes/512, node(firstSerial), ms)
	}
	jobs.shell("setup", undisturbed, "dmsetup create lagging "+table(100))
	measureInto(jobs, "one", lagging)
	measureInto(jobs, "two", lagging)
	jobs.shell("slower", undisturbed, "dmsetup suspend lagging", "dmsetup load lagging "+table(110), "dmsetup resume lagging")
	measureInto(jobs, "slower", lagging)
	compareFiles(jobs, "one", "two", "json")
	compareFiles(jobs, "one", "two", "text")
	compareFiles(jobs, "one", "slower", "json")
}

// schedulers are those that the drive is measured with.
var schedulers = []string{"none", "mq-deadline"}

func addSchedulers(jobs *jobList) {
	for _, name := range schedulers {
		jobs.shell(name, "disk="+node(firstSerial), "queue=/sys/block/${disk##*/}/queue/scheduler", "echo "+name+" >$queue", "cat $queue")
		measureInto(jobs, name, node(firstSerial))
	}
	compareFiles(jobs, schedulers[0], schedulers[1], "text")
}

// TestBenchCompare compares sets of runs on a real block device: on the same
// device, on one that is slower by 10 of 100 ms, and with another scheduler.
func TestBenchCompare(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	var jobs jobList
	addLagging(&jobs)
	addSchedulers(&jobs)
	res := compareMachine(t).Run(jobs...)
	logJobs(t, res, jobs)
	t.Run("Lagging", func(t *testing.T) { checkLagging(t, res.With(t)) })
	t.Run("Scheduler", func(t *testing.T) { checkScheduler(t, res.With(t)) })
}

// checkLagging checks the verdicts, with a second try in a machine of its own.
func checkLagging(t *testing.T, res *vmtest.Results) {
	faults, _ := laggingFaults(t, res)
	if len(faults) == 0 {
		return
	}
	t.Logf("once more, because of: %s", strings.Join(faults, "; "))
	var jobs jobList
	addLagging(&jobs)
	faults, noise := laggingFaults(t, compareMachine(t).Run(jobs...))
	if len(faults) > 0 && noise > busyNoise {
		t.Skipf("NOT TESTED: this computer is busy: a noise of %.1f %%, and %s", noise, strings.Join(faults, "; "))
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// laggingFaults says what is wrong about the comparisons: the same device has not
// changed, and the slower one is worse by about 10 % (the kernel's clock has ticks
// of 4 ms), and nothing else is named. It returns the largest noise of a row too.
func laggingFaults(t *testing.T, res *vmtest.Results) (faults []string, noise float64) {
	t.Helper()
	for _, c := range []struct {
		name, overall, verdict string
		// low and high bound by how much the median changed, in percent.
		low, high float64
	}{{"one two json", "no-change", "no-change", -5, 5}, {"one slower json", "worse", "worse", 7, 14}} {
		v := object(t, res.Output(c.name))
		fault := func(format string, args ...any) { faults = append(faults, c.name+": "+fmt.Sprintf(format, args...)) }
		if got := text(lookup(t, v, "overall")); got != c.overall {
			fault("the answer is %s, want %s", got, c.overall)
		}
		for _, empty := range []string{"differences", "warnings", "doubts", "one_sided"} {
			if list, ok := v[empty].([]any); !ok || len(list) > 0 {
				fault("%s are %v, want none", empty, v[empty])
			}
		}
		for i, metric := range []string{"iops", "latency_p50"} {
			row := lookup(t, v, fmt.Sprintf("rows.%d", i))
			checkValue(t, row, "metric", metric)
			if got := text(lookup(t, row, "verdict")); got != c.verdict {
				fault("%s is %s, want %s", metric, got, c.verdict)
			}
			noise = max(noise, number(t, row, "noise_percent"))
		}
		change := number(t, v, "rows.1.change_percent")
		t.Logf("%s: the median changed by %.2f %%, at a noise of at most %.2f %%", c.name, change, noise)
		if change < c.low || change > c.high {
			fault("the median changed by %v %%, want %v to %v %%", change, c.low, c.high)
		}
	}
	page := oneLine(string(res.Output("one two text")))
	if len(faults) == 0 && (!strings.HasPrefix(page, "NO CHANGE") || !strings.Contains(page, "Nothing that is known.") || strings.Count(page, "no change ≥ ") != 2) {
		faults = append(faults, "the page does not say so: "+page)
	}
	return faults, noise
}

// checkScheduler: another scheduler stands in the way of a verdict, and on the
// line of what else changed.
func checkScheduler(t *testing.T, res *vmtest.Results) {
	for _, name := range schedulers {
		if got := string(res.Output(name)); !strings.Contains(got, "["+name+"]") {
			t.Errorf("the scheduler is %q, want %s", got, name)
		}
	}
	page := oneLine(string(res.Output(schedulers[0] + " " + schedulers[1] + " text")))
	if !strings.HasPrefix(page, "NOT COMPARABLE scheduler differs") || !strings.Contains(page, "What else changed blocks scheduler: none, then mq-deadline") {
		t.Errorf("another scheduler: %s", page)
	}
}
