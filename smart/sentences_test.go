package smart

// sentencesOfOthers are those of rules that look at more than the SMART log.
var sentencesOfOthers = []sentence{
	{
		"smart-incomplete", "no media errors",
		`The SMART log is not whole (missing: media_errors), so that the health of the drive is not known.`,
		`missing: media_errors`,
	},
	{
		"firmware-lost", "emergency firmware",
		`The drive runs its emergency firmware: it has lost its state and its data.`,
		`model "SAMSUNG MZQLB7T6HALA-00W07", firmware "ERRORMOD", firmware-error-mode`,
	},
	{
		"firmware-defect", "980 PRO",
		`With this firmware the 980 PRO uses up its spare blocks and turns read-only. What to do: update to 5B2QGXA7 before use; damage that is done stays.`,
		`model "Samsung SSD 980 PRO 2TB", firmware "3B2QGXA7", samsung-980-pro-read-only`,
	},
	{
		"firmware-defect-damage", "less spare",
		`With this firmware the 980 PRO uses up its spare blocks and turns read-only. It has begun: 99 % spare, 0 media errors.`,
		`model "Samsung SSD 980 PRO 2TB", firmware "3B2QGXA7", samsung-980-pro-read-only`,
	},
	{
		"firmware-defect-life", "990 PRO",
		`With this firmware the 990 PRO counts its life as used far faster than writes explain. What to do: update to 1B2QJXD7 or later; the lost percent do not come back.`,
		`model "Samsung SSD 990 PRO 1TB", firmware "0B2QJXD7", samsung-990-pro-health`,
	},
	{
		"firmware-defect-counters", "P3700 last bad",
		`This firmware counts data units only up to about 2.2 TB and starts again at 0. What to do: update to 8DV10171 or 8EV10171, or later.`,
		`model "INTEL SSDPEDMD400G4", firmware "8DV10131", intel-data-units-wrap`,
	},
	{
		"firmware-caution", "SN770 before",
		`Before this revision the drive stops under Windows 11 24H2, which gives it a larger host memory buffer. What to do: update to 731130WD.`,
		`model "WD_BLACK SN770 2TB", firmware "731120WD", wd-sn770-memory-buffer`,
	},
	{
		"firmware-older", "905P older",
		`The firmware E2010480 is older than E2010650, which was seen on drives of this model.`,
		`firmware "E2010480", latest_firmware_seen "E2010650"`,
	},
	{
		"firmware-oem", "905P for Dell",
		`The drive is of a line for Dell (firmware E201D03N): updates and warranty are theirs, and the maker's own tools may refuse it.`,
		`model "SSDPE21D960GAD NVME INTEL 960GB", firmware "E201D03N"`,
	},
	{
		"oem-drive", "Dell's subsystem",
		`The drive was made for computers of Dell: updates come from there.`,
		`model "SAMSUNG MZQLB1T9HAJR-00007", subsystem_vendor_id 1028h`,
	},
	{
		"capacity-larger", "above the limit",
		`The drive claims 103 GB, more than its model has (100 GB): what is written past the true size is lost.`,
		`capacity 103000000000 bytes, model 100000000000 bytes`,
	},
	{
		"capacity-ok", "at the lower limit",
		`The drive has the size of its model (98 GB).`,
		`capacity 98000000000 bytes, model 100000000000 bytes`,
	},
	{
		"capacity-smaller", "below the limit",
		`The drive shows 97 GB of the 100 GB of its model: an owner made it smaller, or it is another model.`,
		`capacity 97000000000 bytes, model 100000000000 bytes`,
	},
	{
		"capacity-lost", "lost",
		`The drive shows 1.00 GB of the 100 GB of its model: it has lost its firmware state.`,
		`capacity 1000000000 bytes, model 100000000000 bytes`,
	},
	{
		"implausible", "score 6",
		`The drive is not what it claims, or its counters were altered: write commands of 0 bytes on average cannot be; it was busy for longer than it was on; it lost power more often than it was switched on.`,
		`score 6, write-size 3, busy-time 2, more-unsafe-shutdowns 1`,
	},
	{
		"doubtful", "score 3",
		`Some of what the drive says is doubtful: write commands of 0 bytes on average cannot be.`,
		`score 3, write-size 3`,
	},
	{
		"no-name", "size and SSD",
		`The model number names no product (512GB SSD), so that the drive cannot be compared with what it should be.`,
		`model "512GB SSD"`,
	},
	{
		"looks-new", "5 cycles, 1 h, 0.12 TB",
		`The counters are those of a new drive: 1 h, 5 power cycles, 0.12 TB written.`,
		`power_on_hours 1, power_cycles 5, data_units_written 229294`,
	},
	{
		"sold-as-new", "hours above",
		`The drive was sold as new, but it is used: 51 h, 5 power cycles, 0.00 TB written.`,
		`power_on_hours 51, power_cycles 5, data_units_written 0`,
	},
	{
		"sold-as-new-opened", "hours",
		`The drive was sold as new and has been tested or opened: 6 h, 10 power cycles, 0.00 TB written.`,
		`power_on_hours 6, power_cycles 10, data_units_written 0`,
	},
	{
		"link-width", "one lane lost",
		`The link runs at x3, though the drive and its slot can do x4: reseat the drive or change the cable or adapter; if that does not help, a contact is bad.`,
		`link x3 8 GT/s, drive x4 8 GT/s, slot x16 16 GT/s`,
	},
	{
		"link-speed", "slower",
		`The link runs at 2.5 GT/s, though the drive and its slot can do 8 GT/s: reseat the drive, change the cable or adapter, look at the settings of the slot.`,
		`link x4 2.5 GT/s, drive x4 8 GT/s, slot x16 16 GT/s`,
	},
	{
		"link-slot", "slow slot",
		`The slot is slower than the drive (x4 at 5 GT/s; the drive can do x4 at 8 GT/s).`,
		`link x4 5 GT/s, drive x4 8 GT/s, slot x4 5 GT/s`,
	},
	{
		"link-errors", "one uncorrected",
		`The link has had 1 uncorrectable and 0 correctable errors since the host started: reseat the drive, then change the cable, adapter or slot; errors that go on cost time and may lose the drive.`,
		`1 uncorrectable, 0 correctable`,
	},
	{
		"link-ok", "full",
		`The link runs as fast as the drive can (x4 at 8 GT/s).`,
		`link x4 8 GT/s, drive x4 8 GT/s, slot x0 0 GT/s`,
	},
	{
		"latency-not-xpoint", "above",
		`A read took 40.1 µs (median at queue depth 1), which is too slow for 3D XPoint: measure again on an idle host without power saving; if it stays, the drive is not what it claims or its link is bad.`,
		`qd1_read p50 40.1 us, rated_read_latency_us 10`,
	},
	{
		"latency-high", "above",
		`A read took 24.1 µs (median at queue depth 1); the drive is rated for 10 µs and the host adds about 6: look at power saving, the link and the temperature.`,
		`qd1_read p50 24.1 us, rated_read_latency_us 10`,
	},
	{
		"latency-high-indicative", "above",
		`A read took 24.1 µs (median at queue depth 1), slower than 10 µs and the host's share, a rating that could not be checked.`,
		`qd1_read p50 24.1 us, rated_read_latency_us 10`,
	},
	{
		"latency-high-flash", "above",
		`A read took 150.1 µs (median at queue depth 1), slow for flash: power saving, a chipset or USB in between, or throttling.`,
		`qd1_read p50 150.1 us`,
	},
	{
		"latency-ok", "at the limit",
		`A read took 24.0 µs (median at queue depth 1), as the rated 10 µs and the host's share allow.`,
		`qd1_read p50 24.0 us, rated_read_latency_us 10`,
	},
	{
		"temperature-over-limit", "at",
		`The drive is at 70 °C, at or above its own warning limit of 70 °C: look at the cooling and read again.`,
		`temperature 70 C, wctemp 70 C`,
	},
	{
		"temperature-high", "at",
		`The drive is at 80 °C, which is too hot: look at the cooling and read again.`,
		`temperature 80 C, wctemp 0 C`,
	},
	{
		"temperature-warm", "905P above",
		`The drive is at 61 °C, warmer than nearly all of its kind: look at the airflow.`,
		`temperature 61 C, wctemp 0 C`,
	},
}
