package conditions

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"qd1.example/qd1/internal/sysfs"
)

// measured are the conditions of a run on the desktop.
func measured(t *testing.T) Conditions {
	t.Helper()
	m := load(t, "desktop")
	before := healthy()
	c := Conditions{Host: ReadHost(m), CPULatencyHeld: true, OnMains: new(true), Before: &before}
	c.Subject = Subject{
		LBAFormat: "512+0", Kind: "block", SizeBytes: 1 << 40, SpanBytes: 1 << 40,
		Precondition: "none", Engine: "psync", Submission: "one",
	}
	c.SetBlock(ReadBlock(m, "nvme0n1"))
	c.Protocol = Protocol{Order: "by row"}
	c.OtherIO = &OtherIO{Known: true, Cached: new(false)}
	return c
}

// TestDifferences changes one condition at a time.
func TestDifferences(t *testing.T) {
	const block, note = Blocks, Notes
	tests := []struct {
		what          string
		change        func(*Conditions)
		before, after string
		severity      Severity
	}{
		{"serial number", func(c *Conditions) { c.Subject.Serial = "OTHER" }, "DESKTOP000001", "OTHER", block},
		{"firmware", func(c *Conditions) { c.Subject.Firmware = "2.0" }, "1.0", "2.0", block},
		{"LBA format", func(c *Conditions) { c.Subject.LBAFormat = "4096+0" }, "512+0", "4096+0", block},
		{"kind of target", func(c *Conditions) { c.Subject.Kind = "file" }, "block", "file", block},
		{"size in bytes", func(c *Conditions) { c.Subject.SizeBytes = 1 << 30 }, "1099511627776", "1073741824", block},
		{"span in bytes", func(c *Conditions) { c.Subject.SpanBytes = 1 << 30 }, "1099511627776", "1073741824", block},
		{"first byte of the span", func(c *Conditions) { c.Subject.StartBytes = 4096 }, "0", "4096", block},
		{"preconditioning", func(c *Conditions) { c.Subject.Precondition = "pts" }, "none", "pts", block},
		{"engine", func(c *Conditions) { c.Subject.Engine = "uring" }, "psync", "uring", block},
		{"submission", func(c *Conditions) { c.Subject.Submission = "batch" }, "one", "batch", block},
		{"architecture", func(c *Conditions) { c.Arch = "riscv64" }, measured(t).Arch, "riscv64", block},
		{"CPU model", func(c *Conditions) { c.CPUModel = new("slow") }, "AMD Ryzen 7 7700 8-Core Processor", "slow", block},
		{"virtualised", func(c *Conditions) { c.Virtualised = new(true) }, "no", "yes", block},
		{"kernel", func(c *Conditions) { c.Kernel = new("6.12.44-amd64") }, "6.12.43-amd64", "6.12.44-amd64", block},
		{"CPU latency held", func(c *Conditions) { c.CPULatencyHeld = false }, "yes", "no", block},
		{"governor", func(c *Conditions) { c.Governor = new("performance") }, "schedutil", "performance", block},
		{"turbo", func(c *Conditions) { c.Turbo = new(false) }, "yes", "no", block},
		{"mitigations", func(c *Conditions) { c.Mitigations = new(MitigationsOff) }, "on", "off", block},
		{"on mains", func(c *Conditions) { c.OnMains = new(false) }, "yes", "no", block},
		{"scheduler", func(c *Conditions) { c.Scheduler = new("bfq") }, "none", "bfq", block},
		{"write cache", func(c *Conditions) { c.Block.WriteCache = new("write through") }, "write back", "write through", block},
		{"volatile write cache", func(c *Conditions) { c.Before.WriteCache = new(false) }, "yes", "no", block},
		{"link", func(c *Conditions) { c.Block.NVMe.Link.Path[0].Width = new(1) }, "16 GT/s x4, 8 GT/s x2 at 0000:00:01.1", "16 GT/s x4, 8 GT/s x1 at 0000:00:01.1", block},
		{"IOMMU", func(c *Conditions) { c.Block.NVMe.IOMMU = new("identity") }, "DMA-FQ", "identity", block},
		{"composite temperature at the start in °C", func(c *Conditions) { c.Before.Health.Celsius = new(44) }, "38", "44", block},
		{"cached", func(c *Conditions) { c.OtherIO.Cached = new(true) }, "no", "yes", block},
		{"CPUs", func(c *Conditions) { c.CPUs = new(16) }, "3", "16", note},
		{"isolated CPUs", func(c *Conditions) { c.IsolatedCPUs = new("2-3") }, "3", "2-3", note},
		{"SMT", func(c *Conditions) { c.SMT = new(false) }, "yes", "no", note},
		{"microcode", func(c *Conditions) { c.Microcode = new("1") }, "0xa601206", "1", note},
		{"scaling driver", func(c *Conditions) { c.ScalingDriver = new("amd-pstate-epp") }, "acpi-cpufreq", "amd-pstate-epp", note},
		{"idle states", func(c *Conditions) { c.IdleStates = c.IdleStates[:1] }, "POLL C2 (not CPUs 1)", "POLL", note},
		{"kernel parameters", func(c *Conditions) { c.KernelParameters = []string{} }, "nvme.poll_queues=2 processor.max_cstate=5", "none", note},
		{"clock source", func(c *Conditions) { c.ClockSource = new("tsc") }, "hpet", "tsc", note},
		{"requests in the queue", func(c *Conditions) { c.Block.Requests = new(64) }, "1023", "64", note},
		{"hardware queues", func(c *Conditions) { c.Block.HardwareQueues = new(1) }, "2", "1", note},
		{"poll queues", func(c *Conditions) { c.Block.NVMe.PollQueues = new(0) }, "2", "0", note},
		{"largest request in KiB", func(c *Conditions) { c.Block.MaxSectorsKB = new(64) }, "128", "64", note},
		{"NUMA node", func(c *Conditions) { c.Block.NUMANode = new(1) }, "0", "1", note},
		{"ASPM", func(c *Conditions) { c.Block.NVMe.ASPM.States = []string{} }, "clkpm l1_aspm", "none", note},
		{"latency tolerance in µs", func(c *Conditions) { c.Block.NVMe.LatencyTolerance = new("0") }, "100000", "0", note},
		{"autonomous power state transition", func(c *Conditions) { c.Before.Power.APST.Enabled = false }, "on", "off", note},
		{"order of the runs", func(c *Conditions) { c.Protocol.Order = "interleaved" }, "by row", "interleaved", note},
		{"other I/O during the run", func(c *Conditions) { c.OtherIO.Disturbed = true }, "no", "yes", note},
	}
	for _, tt := range tests {
		a, b := measured(t), measured(t)
		tt.change(&b)
		want := []Difference{{tt.what, &tt.before, &tt.after, tt.severity}}
		equal(t, tt.what, want, Differences(a, b))
	}
}

// TestEveryConditionIsTested holds that each row of the table has a row in the
// test above or below.
func TestEveryConditionIsTested(t *testing.T) {
	b, err := os.ReadFile("differences_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table() {
		if !strings.Contains(string(b), `{"`+row.what+`"`) {
			t.Errorf("no test changes %q", row.what)
		}
	}
}

// TestDifferencesAdded are of conditions that the desktop does not show.
func TestDifferencesAdded(t *testing.T) {
	tests := []struct {
		what string
		set  func(c *Conditions, second bool)
	}{
		{"file system", func(c *Conditions, second bool) {
			c.Subject.FileSystem = map[bool]string{false: "ext4", true: "xfs"}[second]
		}},
		{"energy performance preference", func(c *Conditions, second bool) {
			c.Preference = map[bool]*string{false: new("power"), true: new("performance")}[second]
		}},
		{"merging", func(c *Conditions, second bool) {
			c.Block.NoMerges = map[bool]*int{false: new(0), true: new(2)}[second]
		}},
		{"writeback throttling in µs", func(c *Conditions, second bool) {
			c.Block.WritebackUS = map[bool]*int{false: new(0), true: new(2000)}[second]
		}},
		{"highest temperature at the start in °C", func(c *Conditions, second bool) {
			c.Protocol.StartMaxCelsius = map[bool]*int{false: new(36), true: new(40)}[second]
		}},
		{"ambient temperature in °C", func(c *Conditions, second bool) {
			c.Protocol.AmbientCelsius = map[bool]*float64{false: new(20.5), true: new(28.0)}[second]
		}},
		{"devices below", func(c *Conditions, second bool) {
			c.Block.Members = []Block{{Device: map[bool]string{false: "sda", true: "sdb"}[second]}}
		}},
	}
	for _, tt := range tests {
		a, b := measured(t), measured(t)
		tt.set(&a, false)
		tt.set(&b, true)
		got := Differences(a, b)
		if len(got) != 1 || got[0].What != tt.what || got[0].Before == nil || got[0].After == nil || *got[0].Before == *got[0].After {
			t.Errorf("%s: %+v", tt.what, got)
		}
		b = measured(t)
		if got := Differences(a, b); len(got) != 1 || got[0].After != nil || got[0].Severity != Notes {
			t.Errorf("%s known on one side: %+v, want one note", tt.what, got)
		}
		if got := Differences(b, a); len(got) != 1 || got[0].Before != nil || got[0].Severity != Notes {
			t.Errorf("%s known on the other side: %+v, want one note", tt.what, got)
		}
	}
}

func TestNoDifference(t *testing.T) {
	a, b := measured(t), measured(t)
	b.LoadAverage, b.Before.Health.Celsius = []float64{9, 9, 9}, new(38+StartBand)
	for _, pair := range [][2]Conditions{{a, a}, {a, b}, {b, a}, {{}, {}}} {
		if got := Differences(pair[0], pair[1]); len(got) != 0 || got == nil {
			t.Errorf("differences = %+v, want an empty list", got)
		}
	}
}

// TestNothingKnown compares with conditions that know nothing, so that each row
// meets nil.
func TestNothingKnown(t *testing.T) {
	for _, d := range Differences(measured(t), Conditions{CPULatencyHeld: true}) {
		if d.Severity != Notes || d.After != nil || d.Before == nil {
			t.Errorf("%+v, want a note", d)
		}
	}
}

// TestRenumberedDrives holds that a mirror is the same after the kernel gave its
// drives other numbers.
func TestRenumberedDrives(t *testing.T) {
	first := ReadBlock(load(t, "raid"), "md0")
	second := ReadBlock(load(t, "raid"), "md0")
	m := second.Members
	m[0], m[1] = m[1], m[0]
	m[0].Device, m[1].Device = m[1].Device, m[0].Device
	equal(t, "members", members(first), members(second))
	equal(t, "as text", new("MIRROR000001 7, MIRROR000002 7"), members(first))
	crypt := ReadBlock(load(t, "laptop"), "dm-0")
	equal(t, "below dm-crypt", new("LAPTOP000001 2.1 16 GT/s x4 partition 3"), members(crypt))
}

func TestLink(t *testing.T) {
	tests := []struct {
		name string
		link *sysfs.Link
		want *string
	}{
		{"none", nil, nil},
		{"not known", &sysfs.Link{}, nil},
		{"known", &sysfs.Link{SpeedGTs: new(2.5), Width: new(1)}, new("2.5 GT/s x1")},
		{"faster above", &sysfs.Link{SpeedGTs: new(8.0), Width: new(4), Path: []sysfs.Port{{SpeedGTs: new(16.0), Width: new(4)}, {}}}, new("8 GT/s x4")},
	}
	for _, tt := range tests {
		equal(t, tt.name, tt.want, link(&NVMe{Link: tt.link}))
	}
}

// TestASPMAsText prefers the states of the link to the policy of the host.
func TestASPMAsText(t *testing.T) {
	equal(t, "states", new("l1_aspm"), aspm(&NVMe{ASPM: ASPM{Policy: new("default"), States: []string{"l1_aspm"}}}))
	equal(t, "policy", new("default"), aspm(&NVMe{ASPM: ASPM{Policy: new("default")}}))
	equal(t, "neither", (*string)(nil), aspm(&NVMe{}))
	equal(t, "no APST", (*string)(nil), apst(&DriveState{Power: &Power{}}))
}

// TestPartlyKnown compares drives whose SMART log or power states could not be
// read.
func TestPartlyKnown(t *testing.T) {
	a, b := measured(t), measured(t)
	b.Before.Health, b.Before.Power = nil, nil
	var what []string
	for _, d := range Differences(a, b) {
		what = append(what, d.What+" "+string(d.Severity))
	}
	equal(t, "differences", []string{"composite temperature at the start in °C note", "autonomous power state transition note"}, what)
	a.Before.Health, a.Before.Power = nil, nil
	equal(t, "neither known", []Difference{}, Differences(a, b))
}

func TestSetters(t *testing.T) {
	c := measured(t)
	equal(t, "scheduler", new("none"), c.Scheduler)
	equal(t, "firmware", "1.0", c.Subject.Firmware)
	after := healthy()
	after.Health.Celsius = new(40)
	c.SetAfter(after)
	if c.Changes == nil || *c.Changes.RoseCelsius != 2 || c.After == nil {
		t.Errorf("changes = %+v", c.Changes)
	}
	c.SetBlock(nil)
	if c.Scheduler != nil || c.Block != nil {
		t.Errorf("without a device: %+v", c)
	}
	var bare Conditions
	bare.SetAfter(after)
	if bare.Changes != nil {
		t.Errorf("changes without a state before: %+v", bare.Changes)
	}
}

// TestConditionsJSON holds the keys that results have always had, in their
// place.
func TestConditionsJSON(t *testing.T) {
	b, err := json.Marshal(measured(t))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Kernel    string `json:"kernel"`
		Arch      string `json:"arch"`
		CPUModel  string `json:"cpu_model"`
		CPUs      int    `json:"cpus"`
		Governor  string `json:"governor"`
		Held      bool   `json:"cpu_latency_held"`
		Scheduler string `json:"scheduler"`
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.Kernel == "" || got.Arch == "" || got.CPUModel == "" || got.CPUs != 3 || got.Governor != "schedutil" || !got.Held || got.Scheduler != "none" {
		t.Errorf("conditions = %s", b)
	}
	var again Conditions
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if d := Differences(measured(t), again); len(d) != 0 {
		t.Errorf("conditions differ from themselves after JSON: %+v", d)
	}
}
