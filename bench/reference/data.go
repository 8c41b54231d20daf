package reference

// The sources, each with its date and what is known of its computer.
const (
	srcSlots  = "qwerty.work, Optane 905P 960 GB"
	pcSlots   = "Core i7-14700KF, ASRock Z790 Steel Legend, Windows 11 23H2"
	src800P   = "PC Watch, Optane SSD 800P 58 and 118 GB"
	pc800P    = "Core i9-7900X, Windows 10 1709, about 28 °C"
	srcHeat   = "AKIBA PC Hotline, five M.2 SSDs"
	pcHeat    = "Core i7-7700K, 28 °C, fan at 20 cm"
	src750    = "ASCII, Intel SSD 750 1.2 TB"
	srcAging  = "article on an Optane 900P 280 GB before and after 3 hours of aging"
	pcAging   = "HP Z8 G4, Xeon Gold 6128, one run"
	srcP4800X = "AnandTech, Optane SSD DC P4800X review (show/11209), page 4"
	srcP5800X = "KitGuru, Optane SSD DC P5800X review, page 7"
	srcPolled = "linux-block mailing list, J. Axboe, io_uring on a second-generation Optane"
	src900P   = "KitGuru, Optane SSD 900P 480 GB review, page 10"
	srcSynced = "public benchmark log of a 900P 280 GB with firmware E2010480"
	srcTen    = "KVM Forum 2020, S. Hajnoczi"
	ratedBy   = "the maker's rating, as cited by "

	dateSlots  = "2024-08-30"
	date800P   = "2018-03-15"
	dateHeat   = "2017-09-15"
	date750    = "2015-04-03"
	dateAging  = "2024"
	dateP4800X = "2017"
	datePolled = "2020"
	dateTen    = "2020"
)

// The models that have several figures.
const (
	m905P   = "Intel Optane 905P 960 GB"
	m900P   = "Intel Optane 900P 280 GB"
	m800P   = "Intel Optane 800P 118 GB"
	mP4800X = "Intel Optane P4800X 375 GB"
	m750    = "Intel SSD 750 1.2 TB"
	mS880   = "Fanxiang S880"
)

// Reasons for which a figure is doubtful.
const (
	tooFast = "faster than the rated 10 µs of the drive by itself: a cache is likely to have answered"
	tooSlow = "2 to 15 % of what the drive is rated for: the set-up was measured and not the drive"
)

// All returns the figures in the order of the sources.
func All() []Figure {
	return append(measured(), append(aging(), append(times(), rated()...)...)...)
}

// measured are figures of rates and latencies.
func measured() []Figure {
	read, write := QD1Read(), random("write", 1)
	small := Workload{"read", "random", 512, 1, 1}
	return []Figure{
		{Model: mP4800X, Metric: IOPS, Value: 108300, Workload: read, Software: Linux, Date: dateP4800X, Source: srcP4800X},
		{Model: mP4800X, Metric: MeanLatency, Value: 8.9, Workload: read, Software: Linux, Date: dateP4800X, Source: srcP4800X},
		{Model: mP4800X, Metric: P50Latency, Value: 9, Workload: read, Software: Linux, Date: dateP4800X, Source: srcP4800X},
		{Model: mP4800X, Metric: P99Latency, Value: 10, Workload: read, Software: Linux, Date: dateP4800X, Source: srcP4800X},
		{Model: mP4800X, Metric: P99999, Value: 37, Workload: read, Software: Linux, Date: dateP4800X, Source: srcP4800X},
		{Model: "Intel P3700", Metric: MeanLatency, Value: 77.9, Workload: read, Software: Linux, Date: dateP4800X, Source: srcP4800X, Conditions: "NAND"},
		{Model: "Micron 9100 MAX", Metric: MeanLatency, Value: 107.7, Workload: read, Software: Linux, Date: dateP4800X, Source: srcP4800X, Conditions: "NAND"},

		{Model: "Intel Optane P5800X 800 GB", Metric: IOPS, Value: 74875, Workload: read, Software: Windows, Source: srcP5800X, Conditions: "1 thread"},
		{Model: "Corsair MP600 PRO XT", Metric: IOPS, Value: 20176, Workload: read, Software: Windows, Source: srcP5800X, Conditions: "NAND, 1 thread"},
		{Model: "Intel Optane P5800X", Metric: IOPS, Value: 290000, Workload: small, Software: LinuxPolled, Date: datePolled, Source: srcPolled, Conditions: "kernel 5.9-rc1, io_uring, registered buffers and files"},
		{Model: "Intel Optane P5800X", Metric: MeanLatency, Value: 3.4, Workload: small, Software: LinuxPolled, Date: datePolled, Source: srcPolled, Conditions: "kernel 5.9-rc1, io_uring, registered buffers and files"},

		{Model: m905P, Metric: MBPerS, Value: 300, Workload: read, Software: Windows, Date: dateSlots, Source: srcSlots, Conditions: pcSlots + "; slot of the CPU; \"almost 300 MB/s\"", Indicative: true},
		{Model: m905P, Metric: MBPerS, Value: 290, Workload: read, Software: Windows, Date: dateSlots, Source: srcSlots, Conditions: pcSlots + "; slot of the chipset, which is 10 MB/s less", Indicative: true},
		{Model: "Crucial T705", Metric: MBPerS, Value: 91, Workload: read, Software: Windows, Date: dateSlots, Source: srcSlots, Conditions: pcSlots + "; NAND; computed: the 905P is about 3.2 times as fast", Indicative: true},
		{Model: "Nextorage NEM-PA1TB", Metric: MBPerS, Value: 61, Workload: read, Software: Windows, Date: dateSlots, Source: srcSlots, Conditions: pcSlots + "; NAND"},

		{Model: m800P, Metric: MBPerS, Value: 190, Workload: read, Software: Windows, Date: date800P, Source: src800P, Conditions: pc800P + "; the most of all runs, bound by the CPU", Indicative: true},

		{Model: m750, Metric: MBPerS, Value: 42.9, Workload: read, Software: Windows, Date: date750, Source: src750, Conditions: "NAND, file, Microsoft's driver"},
		{Model: m750, Metric: MBPerS, Value: 42.7, Workload: read, Software: Windows, Date: date750, Source: src750, Conditions: "NAND, file, Intel's driver"},
		{Model: m750, Metric: MBPerS, Value: 247.9, Workload: write, Software: Windows, Date: date750, Source: src750, Conditions: "NAND, file, Microsoft's driver"},
		{Model: m750, Metric: MBPerS, Value: 240.4, Workload: write, Software: Windows, Date: date750, Source: src750, Conditions: "NAND, file, Intel's driver"},
		{Model: m750, Metric: MBPerS, Value: 701.8, Workload: random("read", 32), Software: Windows, Date: date750, Source: src750, Conditions: "NAND, file, Microsoft's driver"},
		{Model: m750, Metric: MBPerS, Value: 672, Workload: random("read", 32), Software: Windows, Date: date750, Source: src750, Conditions: "NAND, file, Intel's driver"},
		{Model: m750, Metric: MBPerS, Value: 622.4, Workload: random("write", 32), Software: Windows, Date: date750, Source: src750, Conditions: "NAND, file, Microsoft's driver"},
		{Model: m750, Metric: MBPerS, Value: 564, Workload: random("write", 32), Software: Windows, Date: date750, Source: src750, Conditions: "NAND, file, Intel's driver"},

		{Model: "Intel SSD 600p", Metric: MBPerS, Value: 111.68, Workload: sequential("write", 4), Software: Windows, Date: dateHeat, Source: srcHeat, Conditions: pcHeat + "; the least of 200 s", Indicative: true},
		{Model: "Intel Optane 900P 480 GB", Metric: IOPS, Value: 423587, Workload: Workload{Op: "write", Pattern: "random", BlockBytes: 4096}, Software: Windows, Source: src900P},
		{Model: m900P, Metric: P50Latency, Value: 11.2, Test: "synced overwrite of 4 KiB of a file", Software: Linux, Source: srcSynced, Conditions: "XFS, kernel 7.0, Ryzen 9 7945HX; 11.2 to 11.3", Indicative: true},
		{Model: m900P, Metric: P50Latency, Value: 10.8, Test: "fdatasync of a clean file", Software: Linux, Source: srcSynced, Conditions: "XFS, kernel 7.0, Ryzen 9 7945HX", Indicative: true},
		{Model: m900P, Metric: P99Latency, Value: 16.5, Test: "fdatasync of a clean file", Software: Linux, Source: srcSynced, Conditions: "XFS, kernel 7.0, Ryzen 9 7945HX", Indicative: true},
	}
}

// aging are the rows of one table: before and after three hours of aging.
func aging() []Figure {
	var all []Figure
	for _, r := range []struct {
		w             Workload
		before, after float64
		doubtful      string
	}{
		{Workload{"read", "sequential", 1 << 20, 8, 1}, 2522, 2705.19, ""},
		{Workload{"read", "sequential", 1 << 20, 1, 1}, 2514, 2708.42, ""},
		{random("read", 64), 561, 561, ""},
		{random("read", 1), 567, 564, tooFast},
		{Workload{"write", "sequential", 1 << 20, 8, 1}, 2303, 2571, ""},
		{Workload{"write", "sequential", 1 << 20, 1, 1}, 2281, 2584, ""},
		{random("write", 64), 41, 65, tooSlow},
		{random("write", 1), 50, 73, tooSlow},
	} {
		f := Figure{Model: m900P, Metric: MBPerS, Value: r.before, Workload: r.w, Software: Windows, Conditions: pcAging + ", before", Date: dateAging, Source: srcAging, Indicative: true, Doubtful: r.doubtful}
		all = append(all, f)
		f.Value, f.Conditions = r.after, pcAging+", after"
		all = append(all, f)
	}
	return all
}

// times are how long something took with the drive, each once by a stop-watch
// unless said otherwise.
func times() []Figure {
	var all []Figure
	add := func(model, test string, seconds float64, date, source, conditions string) {
		all = append(all, Figure{Model: model, Metric: Seconds, Value: seconds, Test: test, Software: Windows, Conditions: conditions, Date: date, Source: source, Indicative: true})
	}
	for _, r := range []struct {
		test        string
		s880, s905P float64
	}{
		{"power-on to desktop", 34.67, 33.25},
		{"logo to desktop", 21.12, 18.52},
		{"start of Excel", 1.12, 0.85},
		{"start of Word", 1.37, 0.92},
		{"start of PowerPoint", 1.24, 0.82},
		{"start of Photoshop", 6.19, 5.78},
		{"start of Illustrator", 5.31, 5.24},
		{"start of Premiere", 4.43, 4.28},
	} {
		add(mS880, r.test, r.s880, dateSlots, srcSlots, pcSlots+"; one run")
		add(m905P, r.test, r.s905P, dateSlots, srcSlots, pcSlots+"; one run")
	}
	const copied = "copy of 50.5 GB in 1228 files"
	add("Samsung 960 PRO", copied, 61, dateHeat, srcHeat, pcHeat)
	add("Samsung 960 EVO", copied, 98.5, dateHeat, srcHeat, pcHeat)
	add("WD Black NVMe", copied, 281.9, dateHeat, srcHeat, pcHeat)
	add("Intel SSD 730 (SATA)", "boot", 20.6, date750, src750, "mean of 5")
	add(m750, "boot", 24.2, date750, src750, "mean of 5; 3 s of it are the start of the firmware")
	return all
}

// rated are figures of the makers.
func rated() []Figure {
	read, write := QD1Read(), random("write", 1)
	return []Figure{
		{Model: mP4800X, Metric: MeanLatency, Value: 10, Workload: read, Rated: true, Date: dateTen, Source: ratedBy + srcTen},
		{Model: mP4800X, Metric: MeanLatency, Value: 10, Workload: write, Rated: true, Date: dateTen, Source: ratedBy + srcTen},
		{Model: m800P, Metric: MeanLatency, Value: 7, Workload: read, Rated: true, Date: date800P, Source: ratedBy + src800P},
		{Model: m800P, Metric: MeanLatency, Value: 18, Workload: write, Rated: true, Date: date800P, Source: ratedBy + src800P},
	}
}
