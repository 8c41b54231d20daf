package render

import (
	"bytes"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
	"qd1.example/qd1/internal/sysfs"
)

// benchDrive is a benchmark of a raw drive without results.
func benchDrive() *report.BenchReport {
	heat := func(composite, sensor int) *conditions.Health {
		return &conditions.Health{Celsius: &composite, Sensors: []*int{&sensor}}
	}
	deepest := &conditions.PowerState{Number: 4, ExitUS: new(uint32(9000))}
	before := &conditions.DriveState{
		Health: heat(34, 40), HasWriteCache: new(true), WriteCache: new(true),
		Power:  &conditions.Power{State: new(0), APST: &conditions.APST{Enabled: true, Deepest: deepest}},
		Limits: &conditions.Limits{Warning: new(70), Critical: new(85), TMT1: new(65)},
	}
	after := *before
	after.Health = heat(41, 47)
	eight, four := 8.0, 4
	return &report.BenchReport{
		Schema: report.BenchSchema, Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Time: "2026-01-02T03:04:05Z", Label: new("before"),
		Target: report.BenchTarget{Name: "INTEL SSDPE21D960GA", Detail: "serial X", Target: bench.Target{Kind: bench.BlockTarget, Path: "/dev/nvme5n1", Bytes: 960197124096, BlockBytes: 512, Generic: "/dev/ng5n1", NSID: 1}},
		SelfUS: new(0.031),
		Conditions: report.Conditions{
			Conditions: conditions.Conditions{
				Host: conditions.Host{
					Kernel: new("6.1.0"), Arch: "amd64", CPUModel: new("A CPU"), CPUs: new(8), SMT: new(true), LoadAverage: []float64{0.15, 0.1, 0.05}, ClockSource: new("tsc"),
					Frequency: conditions.Frequency{Governor: new("performance"), Turbo: new(true)}, Security: conditions.Security{Mitigations: new("on")},
				},
				CPULatencyHeld: true, OnMains: new(true),
				Block: &conditions.Block{
					Device: "nvme5n1", Kind: "nvme", Queue: conditions.Queue{Scheduler: new("none"), HardwareQueues: new(8), WriteCache: new("write back")},
					NVMe: &conditions.NVMe{Link: &sysfs.Link{SpeedGTs: &eight, Width: &four, MaxSpeedGTs: &eight, MaxWidth: &four}, ASPM: conditions.ASPM{States: []string{}}, IOMMU: new("DMA-FQ")},
				},
				Before: before, After: &after, Changes: &conditions.Changes{Throttled: new(false), Facts: []string{"the composite temperature rose from 34 to 41 °C", "error log entries rose by 2"}},
				Temperatures: []conditions.Point[conditions.Heat]{{Seconds: 0, Value: conditions.Heat{Celsius: new(34)}}, {Seconds: 10, Value: conditions.Heat{Celsius: new(45), Hottest: new(51)}}},
			},
			Blank: &scratch.Blank{Samples: 1000, Percent: new(12.3), CI95: &[2]float64{10.4, 14.5}, BlankMedianUS: new(1.2), DataMedianUS: new(9.9)},
		},
	}
}

// richResult is a run that has everything that a reading one can have.
func richResult() bench.Result {
	r := *result()
	r.Submission, r.EngineFlags, r.BytesRead = "one", []string{"registered buffers", "registered file"}, 1010827264
	r.LatencyCI95 = bench.LatencyIntervals{P50: &[2]float64{11.88, 11.92}, P90: &[2]float64{12.4, 12.5}, P99: &[2]float64{15, 15.3}, P999: &[2]float64{18.6, 20.1}, P9999: &[2]float64{28.2, 47.1}}
	r.Slowest = []bench.SlowOperation{{AtSeconds: 1.25, LatencyUS: 1303.04, Offset: 4096}, {AtSeconds: 0.5, LatencyUS: 47.1, Offset: 960197120000}, {AtSeconds: 2, LatencyUS: 33}, {AtSeconds: 2.1, LatencyUS: 32}}
	return r
}

// benchRun is one run, as of a call without flags.
func benchRun() *report.BenchReport {
	b := benchDrive()
	b.Simulated = true
	b.Rows = []report.BenchRow{{Label: "RND4K Q1T1 read", Rated: &profile.Comparison{Figure: profile.RatedReadLatency, Rated: 10, Measured: 11.9, Percent: 84.034}}}
	b.Results = []report.BenchResult{{Run: 1, Result: richResult(), OtherIO: &conditions.OtherIO{Known: true}}}
	return b
}

// benchRuns is one workload that was repeated, with an interruption.
func benchRuns() *report.BenchReport {
	b := benchRun()
	b.Results, b.Conditions.CPULatencyHeld = nil, false
	b.Conditions.IdleStates = []conditions.IdleState{{Name: "POLL", ExitUS: new(0)}, {Name: "C6", ExitUS: new(133)}, {Name: "C10", ExitUS: new(890), Disabled: true}}
	for run := 1; run <= 2; run++ {
		r := richResult()
		r.Seed, r.IOPS, r.CPULatencyHeld = uint64(run), r.IOPS+float64(run)*100, false
		b.Results = append(b.Results, report.BenchResult{Run: run, Result: r, OtherIO: &conditions.OtherIO{Known: true, Disturbed: run == 2, Reads: 2, ReadBytes: 8192, Writes: 4000, WriteBytes: 500e6, Flushes: 17}})
	}
	cut := *result()
	cut.Partial, cut.Ended, cut.Latency, cut.Submission, cut.CPULatencyHeld = true, "interrupted", bench.Latency{}, "one", false
	b.Results = append(b.Results, report.BenchResult{Run: 3, Result: cut})
	b.Rows[0].Figure = figureOf("RND4K Q1T1 read", profile.PickMedian, 2, 336.9, 82250, 11.9)
	b.Warnings = []string{"others used the device during the measurement"}
	return b
}

func figureOf(label string, pick profile.Pick, runs int, mbs, iops, us float64) *profile.Figure {
	is := map[profile.Pick]string{profile.PickMedian: "median"}[pick]
	if is == "" {
		is = "mean"
	}
	return &profile.Figure{Row: label, Pick: pick, Runs: runs, MBPerS: mbs, IOPS: iops, LatencyUS: &us, LatencyIs: is, MBPerSRange: [2]float64{mbs * 0.98, mbs}, P99US: new(us * 1.3), P999US: new(us * 2)}
}

// benchProfile is a profile with all that can be said of a row.
func benchProfile() *report.BenchReport {
	b := benchDrive()
	b.Profile = &report.BenchProfile{Name: "cdm8:nvme+mix", Title: "CrystalDiskMark 8.0", Skipped: []profile.Skipped{
		{Label: "SEQ1M Q8T1 write", Reason: "it writes"}, {Label: "RND4K Q1T1 write", Reason: "it writes"}, {Label: "RND4K Q1T1 read, 2 GiB", Reason: "a block is larger than the size of the test"},
	}}
	b.Warnings = []string{"RND4K Q32T16 read: only 2.1 % of what the maker states: the host, the link or the set-up is measured, not the drive", "the target has 512 MiB, not the 1 GiB of the profile"}
	cut := figureOf("RND4K Q1T1 mix R70/W30", profile.PickBest, 5, 300, 73242, 13)
	cut.Partial, cut.P999US = true, nil
	b.Rows = []report.BenchRow{
		{Label: "SEQ1M Q8T1 read", Figure: figureOf("SEQ1M Q8T1 read", profile.PickBest, 5, 2600, 2479.5, 3226), Rated: &profile.Comparison{Figure: profile.RatedReadMBs, Rated: 2600, Percent: 100}},
		{Label: "SEQ128K Q32T1 read", Figure: figureOf("SEQ128K Q32T1 read", profile.PickBest, 5, 3700, 28229, 1130), Rated: &profile.Comparison{Figure: profile.RatedReadMBs, Rated: 2600, Percent: 142.3, Plausibility: profile.AboveRated}},
		{Label: "RND4K Q32T16 read", Figure: figureOf("RND4K Q32T16 read", profile.PickBest, 5, 47.3, 11550, 44329), Rated: &profile.Comparison{Figure: profile.RatedReadIOPS, Rated: 550000, Percent: 2.1, Plausibility: profile.HostLimited}},
		{Label: "RND4K Q1T1 mix R70/W30", Figure: cut},
		{Label: "SEQ128K Q32T1 mix R70/W30"},
	}
	for row := range b.Rows[:4] {
		r := richResult()
		r.Engine, r.EngineFlags = "uring", []string{"registered buffers", "single issuer"}
		b.Results = append(b.Results, report.BenchResult{Row: row, Run: 1, Result: r})
	}
	b.Results[1].Cached, b.Results[1].OtherIO = true, &conditions.OtherIO{Known: true, Cached: new(true), CachedPercent: new(31.4), Reason: "31 % of the bytes did not reach the device: memory answered, or a hole of the file"}
	b.Results[3].Partial, b.Results[3].Ended, b.Results[3].Engine, b.Results[3].Submission, b.Results[3].EngineFlags = true, "the drive is gone", "psync", "batch", nil
	b.Results[3].Errors, b.Results[3].ErrorDetails = 12, []bench.ErrorKind{{Error: "EIO", Count: 12, FirstOffset: 40960}}
	return b
}

// benchMedians has rows of medians with intervals and a series.
func benchMedians() *report.BenchReport {
	b := benchDrive()
	b.Conditions.Blank, b.Conditions.Before, b.Conditions.After, b.Conditions.Changes, b.Conditions.OnMains = nil, nil, nil, nil, new(false)
	read, write := figureOf("RND4K Q1T1 read", profile.PickMedian, 6, 337, 82275, 11.9), figureOf("RND4K Q1T1 write", profile.PickMedian, 6, 290, 70800, 13.7)
	read.MBPerSCI95, read.LatencyCI95 = &[2]float64{330, 339}, &[2]float64{11.8, 12.2}
	write.LatencyCI95 = &[2]float64{13.7, 13.7}
	b.Profile = &report.BenchProfile{Name: "qd1:write", Title: "Latency of one request at a time"}
	b.Rows = []report.BenchRow{
		{Label: "RND4K Q1T1 read", Figure: read, FileSystemCost: &profile.Cost{LatencyUS: new(1.3), RatePercent: -9.5}}, {Label: "RND4K Q1T1 write", Figure: write},
		{Label: "Seq 128KB QD4 read", Figure: figureOf("Seq 128KB QD4 read", profile.PickMean, 1, 2500, 19073, 210), Sustained: &profile.Sustained{
			MaxMBPerS: 2610, MeanMBPerS: 2500, MinMBPerS: 900, Seconds: 200, Onset: &profile.Onset{Second: 120, BeforeMBPerS: 2600, AfterMBPerS: 1100, DropPercent: 57.692},
		}},
		{Label: "Seq 128KB QD4 write", Figure: figureOf("Seq 128KB QD4 write", profile.PickMean, 1, 2200, 16784, 238), Sustained: &profile.Sustained{MaxMBPerS: 2210, MeanMBPerS: 2200, MinMBPerS: 2190, Seconds: 200}},
	}
	r := richResult()
	r.Op, r.BytesWritten, r.Content, r.BlankPercent = "write", 4e9, "50%", nil
	b.Results = []report.BenchResult{{Row: 1, Run: 1, Result: r, OtherIO: &conditions.OtherIO{Reason: "the kernel keeps no statistics of this device"}}}
	b.Precondition = &scratch.Preconditioned{Mode: scratch.PreconditionPTS, BytesWritten: 2e12, Rounds: make([]scratch.Window, 7), Steady: true}
	return b
}

// benchMix is a mix with a rate on a file, with errors.
func benchMix() *report.BenchReport {
	b := benchDrive()
	b.Target = report.BenchTarget{Name: "/srv/data", Detail: "a file made in the directory, on btrfs", Target: bench.Target{Kind: bench.FileTarget, Path: "/srv/data/qd1-bench-1.tmp", Bytes: 1 << 30, BlockBytes: 4096}}
	c := &b.Conditions
	c.Before, c.After, c.Changes, c.Blank = nil, nil, nil, nil
	c.Block = &conditions.Block{Device: "dm-0", Kind: "dm", Level: new("crypt"), Members: []conditions.Block{{Device: "nvme0n1p2"}, {Device: "nvme1n1p2"}}}
	c.Filesystem = &conditions.FileSystem{Type: "btrfs", MountPoint: "/srv", Source: "/dev/dm-0", Device: "dm-0"}
	c.Extents = &scratch.Extents{Method: scratch.MethodFiemap, Count: 3, Fragments: 2, UntouchedPercent: new(25.0)}
	b.Warnings = []string{
		"The test file is overwritten in place, without checksums and compression, unlike other files on btrfs.",
		"25.0 % of the file are not read from the medium (268 MB never written, 0 B holes, 0 B in metadata, 0 B not yet written back): the figures are too good.",
	}
	r := richResult()
	half := &bench.Half{Operations: 700, IOPS: 700, MBPerS: 2.9, Latency: bench.Latency{Mean: new(12.0), P50: new(11.0)}}
	r.Op, r.Engine, r.QueueDepth, r.Workers, r.Submission, r.ReadPercent, r.Content = "mix", "uring", 4, 2, "batch", new(70), "random"
	r.RatePerS, r.ThinkTimeUS, r.StartBytes, r.BytesWritten = 1000, 250, 1<<20, 5e6
	r.Corrected, r.Reads, r.Writes = &bench.Latency{P50: new(13.0), P99: new(1500.0), Max: new(2000.0)}, half, &bench.Half{Operations: 300, IOPS: 300, MBPerS: 1.2}
	r.Slowest[0].Write, r.CPU, r.Cached = true, nil, true
	r.Errors, r.ErrorDetails = 8, []bench.ErrorKind{{Error: "EIO", Count: 7, FirstOffset: 4096}, {Error: "ENOSPC", Count: 1, FirstOffset: 1 << 20}}
	for i := range int64(7) {
		r.ErrorOffsets = append(r.ErrorOffsets, bench.ErrorOffset{Offset: i * 4096, Count: 1 + i%2})
	}
	b.Rows = []report.BenchRow{{Label: "RND4K Q4T2 mix R70/W30"}}
	b.Results = []report.BenchResult{{Run: 1, Result: r, OtherIO: &conditions.OtherIO{
		Known: true, Disturbed: true, Reads: 1, Writes: 2000, WriteBytes: 9e6, Discards: 3, Cached: new(true), CachedPercent: new(12.0), Reason: "12 % of the bytes did not reach the device: memory answered, or a hole of the file",
	}}}
	return b
}

// benchEngines is a workload in all ways.
func benchEngines() *report.BenchReport {
	b := benchDrive()
	b.Warnings = []string{"passthru read was left out: the kernel is too old"}
	for _, x := range []struct {
		engine string
		us     float64
	}{{"null", 0.031}, {"ram", 0.121}, {"psync", 11.9}, {"uring", 12.2}, {"raw psync", 10.6}} {
		b.Rows = append(b.Rows, report.BenchRow{Label: x.engine + " read", Figure: figureOf(x.engine, profile.PickMedian, 1, 4096/x.us, 1e6/x.us, x.us)})
		r := *result()
		r.Engine, r.Submission = x.engine, "one"
		b.Results = append(b.Results, report.BenchResult{Row: len(b.Rows) - 1, Run: 1, Result: r})
	}
	b.Rows = append(b.Rows, report.BenchRow{Label: "passthru read"})
	b.Layers = []report.LayerCost{
		{Layer: "qd1's own loop, with two readings of the clock", Engine: "null", MedianUS: 0.031}, {Layer: "copying a block in memory", Engine: "ram", Without: "null", MedianUS: 0.09},
		{Layer: "the file system", Engine: "psync", Without: "raw psync", MedianUS: 1.3}, {Layer: "io_uring instead of a plain system call", Engine: "uring", Without: "psync", MedianUS: 0.3},
		{Layer: "the kernel, the link and the drive", Engine: "raw psync", Without: "null", MedianUS: 10.569},
	}
	return b
}

// benchCopy is the workload of copying.
func benchCopy() *report.BenchReport {
	b := benchDrive()
	c := &b.Conditions
	c.Before, c.After, c.Changes, c.Blank, c.Block, b.SelfUS = nil, nil, nil, nil, nil, nil
	b.Target = report.BenchTarget{Name: "/srv", Detail: "a directory", Target: bench.Target{Kind: bench.FileTarget, Path: "/srv"}}
	b.Profile = &report.BenchProfile{Name: "copy", Title: "files copied within a directory"}
	runs := []scratch.CopyRun{
		{Files: 64, Bytes: 1 << 30, Seconds: 1.5, SyncSeconds: 0.2, MBPerS: 716, FilesPerS: 42.7, MediumPercent: new(60.0), Latency: bench.Latency{P50: new(21000.0)}},
		{Files: 12, Bytes: 1 << 27, Seconds: 0.4, MBPerS: 335, FilesPerS: 30, Partial: true},
	}
	b.Copy = []scratch.CopyResult{
		{Filesystem: scratch.Filesystem{Type: "ext4", Source: "/dev/nvme0n1p2"}, Preset: scratch.PresetPhotos, Files: 64, Bytes: 1 << 30, BlockBytes: 1 << 20, Workers: 1, Sync: scratch.SyncEnd, FillSeconds: 2.25, BytesWritten: 3 << 30,
			Runs: runs, Partial: true, Warnings: []string{"Only 60 % of the bytes were fetched from storage, the rest came from memory: the figures may be too good."}},
		{Filesystem: scratch.Filesystem{Type: "ext4"}, Preset: scratch.PresetSourceTree, Files: 1, Bytes: 1 << 20, BlockBytes: 4096, Workers: 2, Direct: true, Sync: scratch.SyncFile, Runs: runs[:1]},
	}
	return b
}

// benchPlan is what writing to a drive would do.
func benchPlan() *report.BenchPlan {
	return &report.BenchPlan{
		Schema: report.BenchPlanSchema, Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Time: "2026-01-02T03:04:05Z",
		Identity: erasePlan().Identity, Radius: erasePlan().Radius, Phrase: "BENCH INTEL SSDPE21D960GA 960CGN",
		Checks: []guard.Check{
			{Check: "identity", Result: guard.Pass, Text: "the drive says that it is INTEL SSDPE21D960GA with serial PHM2913000TK960CGN"},
			{Check: "pollers", Result: guard.Pass, Warning: true, Text: "smartd (pid 812) reads the drive now and then", Hint: "systemctl stop smartd"},
			{Check: "signatures", Result: guard.Consent, Text: "gpt lies on the drive", Hint: "--destroy-signature=gpt", Kinds: []signature.Kind{signature.GPT}},
		},
		Workloads: []string{"SEQ1M Q8T1 write", "RND4K Q1T1 write"}, SpanBytes: 1 << 30, WrittenBytes: 412e9, WearPercent: new(0.00235), Seconds: 130,
	}
}

func refusedBenchPlan() *report.BenchPlan {
	b := benchPlan()
	b.Simulated, b.Refused, b.WearPercent = true, true, nil
	b.Checks = append(b.Checks, guard.Check{Check: "in use", Result: guard.Refuse, Text: "nvme3n1p2 is mounted on /srv", Hint: "umount /srv"})
	return b
}

// benchParts are the texts of benchmarks, by the name of their golden file.
func benchParts() map[string]func(b *bytes.Buffer, s Style) error {
	page := func(r *report.BenchReport) func(b *bytes.Buffer, s Style) error {
		return func(b *bytes.Buffer, s Style) error { return Bench(b, r, s) }
	}
	plan := func(r *report.BenchPlan) func(b *bytes.Buffer, s Style) error {
		return func(b *bytes.Buffer, s Style) error { return BenchPlan(b, r, s) }
	}
	return map[string]func(b *bytes.Buffer, s Style) error{
		"bench": page(benchRun()), "bench-runs": page(benchRuns()), "bench-profile": page(benchProfile()), "bench-medians": page(benchMedians()),
		"bench-mix": page(benchMix()), "bench-engines": page(benchEngines()), "bench-copy": page(benchCopy()),
		"bench-protocol": page(benchProtocol()), "bench-beside": page(benchBeside()),
		"bench-plan": plan(benchPlan()), "bench-plan-refused": plan(refusedBenchPlan()),
		"profiles": func(b *bytes.Buffer, s Style) error { return Profiles(b, profile.All(), s) },
	}
}
