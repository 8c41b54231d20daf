package smart

import (
	"slices"
	"sync"

	"qd1.example/qd1/internal/lazyregexp"
)

// Harm is what a defect of firmware does.
type Harm string

// The harms, from the worst. HarmDead is a drive that has lost its firmware;
// HarmData loses data or the ability to write; HarmLife spends or misreports
// its life; HarmCounters makes a counter useless; HarmCaution is a trap for
// who formats, updates or suspends the drive, or a loss of speed.
const (
	HarmDead     Harm = "dead"
	HarmData     Harm = "data"
	HarmLife     Harm = "life"
	HarmCounters Harm = "counters"
	HarmCaution  Harm = "caution"
)

// Defect is a known defect of a firmware or of a model.
type Defect struct {
	// ID names the defect. It never changes.
	ID string `json:"id"`
	// Model is a regular expression for model numbers.
	Model string `json:"model"`
	// Firmware is a regular expression for firmware revisions. "" means any.
	Firmware string `json:"firmware,omitempty"`
	// Below is the first revision without the defect: older ones of the same
	// line have it. "" means that Firmware alone tells.
	Below string `json:"below,omitempty"`
	// Harm is what the defect does.
	Harm Harm `json:"harm"`
	// DataUnitsUnusable says that Data Units Read and Written cannot be used.
	DataUnitsUnusable bool `json:"data_units_unusable,omitempty"`
	// HoursAreMinutes says that Power On Hours counts minutes.
	HoursAreMinutes bool `json:"hours_are_minutes,omitempty"`
	// Text is one sentence for people.
	Text string `json:"text"`
	// Cure says what to do.
	Cure string `json:"cure"`
	// Source says where this is known from.
	Source string `json:"source"`
}

// Defects returns the table of known defects.
func Defects() []Defect { return slices.Concat(defectsOfData(), defectsOfCounters(), defectsOfHabit()) }

const (
	sourceSanDisk = "SanDisk advisory a_id 51469"
	cureUpdate    = "update the firmware"
)

func defectsOfData() []Defect {
	return []Defect{
		{
			ID: "samsung-980-pro-read-only", Model: `^Samsung (SSD )?980 PRO\b`, Firmware: `^[23]B2QGXA7$`, Harm: HarmData,
			Text: "With this firmware the 980 PRO uses up its spare blocks and turns read-only.",
			Cure: "update to 5B2QGXA7 before use; damage that is done stays", Source: "Puget Systems, 2023-01-31; fwupd, plugins/nvme/nvme.quirk",
		},
		{
			ID: "samsung-990-pro-health", Model: `^Samsung SSD 990 PRO\b`, Firmware: `^0B2QJXD7$`, Harm: HarmLife,
			Text: "With this firmware the 990 PRO counts its life as used far faster than writes explain.",
			Cure: "update to 1B2QJXD7 or later; the lost percent do not come back", Source: "Samsung, release notes of 1B2QJXD7, 2023-02",
		},
		{
			ID: "firmware-error-mode", Model: `.`, Firmware: `^ERRORMOD$`, Harm: HarmDead,
			Text: "The drive runs its emergency firmware: it has lost its state and its data.",
			Cure: "none is known", Source: sourceFleet + ": PM983 of 3.84 and 7.68 TB, namespace of 1 GiB, all counters 0, health passed",
		},
		{
			ID: "firmware-rom-mode", Model: `^(SM22[67]\d\w{0,3}|PS50\d\d\w*|MAP1[026]0\d\w*|IG52\d\d|Phison)$`, Harm: HarmDead,
			Text: "The drive gives the name of its controller as its model: it has lost its firmware.",
			Cure: "none is known", Source: "linux-nvme/nvme-cli 2072: DC1500M after a power cut during a format; other controllers by analogy",
		},
	}
}

func defectsOfCounters() []Defect {
	return []Defect{
		{
			ID: "intel-data-units-wrap", Model: `^INTEL SSDPE(2M|DM)[DEWX]`, Firmware: `^(8[DE]V10(0[1-35-9]\d|1[0-3]\d)|8DV1RA(0\d|1[0-3]))$`,
			Harm: HarmCounters, DataUnitsUnusable: true,
			Text: "This firmware counts data units only up to about 2.2 TB and starts again at 0.",
			Cure: "update to 8DV10171 or 8EV10171, or later", Source: sourceFleet + ": less than 512 bytes a write command",
		},
		{
			ID: "intel-data-units-inflated", Model: `^INTEL SSDPE(2M|DM)D`, Firmware: `^8DV1004\d$`,
			Harm: HarmCounters, DataUnitsUnusable: true,
			Text: "This firmware, older than the product, counts about a thousand times too many data units.",
			Cure: cureUpdate, Source: sourceFleet + ": 40 MB a write command",
		},
		{
			ID: "optane-m10-hours-are-minutes", Model: `^INTEL MEMPE[KI]1J016GAD$`, Firmware: `^K41104[02]0$`,
			Harm: HarmCounters, HoursAreMinutes: true,
			Text: "The Optane M10 for Dell counts minutes as power-on hours.",
			Cure: "divide the hours by 60", Source: sourceFleet + ": 3 of 3 drives",
		},
		{
			ID: "asgard-hours", Model: `^Asgard AN1TNVMe\b`, Firmware: `^R0802C0$`, Harm: HarmCounters,
			Text: "This firmware reports power-on hours that cannot be.",
			Cure: "take the hours as unknown", Source: sourceFleet,
		},
	}
}

func defectsOfHabit() []Defect {
	const hmb = "Before this revision the drive stops under Windows 11 24H2, which gives it a larger host memory buffer."
	return []Defect{
		{ID: "wd-sn770-memory-buffer", Model: `^WD_BLACK SN770M? 2TB$`, Below: "731130WD", Harm: HarmCaution, Text: hmb, Cure: "update to 731130WD", Source: sourceSanDisk},
		{ID: "wd-sn580-memory-buffer", Model: `^WD Blue SN580 2TB$`, Below: "281050WD", Harm: HarmCaution, Text: hmb, Cure: "update to 281050WD", Source: sourceSanDisk},
		{ID: "wd-sn5000-memory-buffer", Model: `^WD Blue SN5000 2TB$`, Below: "291020WD", Harm: HarmCaution, Text: hmb, Cure: "update to 291020WD", Source: sourceSanDisk},
		{ID: "sandisk-extreme-memory-buffer", Model: `^(SanDisk )?SDSSDX3N-2T00`, Below: "731130WD", Harm: HarmCaution, Text: hmb, Cure: "update to 731130WD", Source: sourceSanDisk},
		{
			ID: "wd-sn740-memory-buffer", Model: `^WD PC SN740 SD\w+-2T00`, Harm: HarmCaution,
			Text: "The SN740 of 2 TB shares its platform with drives that stop under Windows 11 24H2, and owners are given no update.",
			Cure: "none is known", Source: "touslesdrivers.com and droix.net, 2024-10",
		},
		{
			ID: "samsung-990-pro-random-write", Model: `^Samsung SSD 990 PRO\b.*2TB$`, Firmware: `^7B2QJXD7$`, Harm: HarmCaution,
			Text: "Owners measured random writes up to 70 % slower with this firmware.",
			Cure: "measure, and look for a later one", Source: "forums.anandtech.com 2632571, not confirmed",
		},
		{
			ID: "intel-760p-oem-crypto-erase", Model: `SSDPEKKF256G8L`, Harm: HarmCaution,
			Text: "One such drive was unusable after a cryptographic erase by Format NVM.",
			Cure: "do not format it with SES 2", Source: "linux-nvme/nvme-cli 2677",
		},
		{
			ID: "skhynix-pc801-no-format", Model: `^PC801 NVMe SK hynix`, Firmware: `^5100`, Harm: HarmCaution,
			Text: "This firmware refuses Format NVM and Sanitize.", Cure: "overwrite instead", Source: "linux-nvme/nvme-cli 2710",
		},
		{
			ID: "skhynix-pc601-4096", Model: `^PC601 NVMe SK hynix`, Firmware: `^80750C10$`, Harm: HarmCaution,
			Text: "This firmware lists blocks of 4096 bytes and refuses to format to them.", Cure: "keep 512 bytes", Source: "linux-nvme/nvme-cli 816",
		},
		{
			ID: "samsung-pm981-metadata", Model: `^SAMSUNG MZVLB`, Harm: HarmCaution,
			Text: "Once formatted with metadata, this drive does not go back.", Cure: "choose no LBA format with metadata", Source: "linux-nvme/nvme-cli 458",
		},
		{
			ID: "firecuda-530-4096", Model: `^Seagate FireCuda 530 ZP`, Firmware: `^SU6SM005$`, Harm: HarmCaution,
			Text: "This firmware lists blocks of 4096 bytes and could not be formatted to them.", Cure: "keep 512 bytes", Source: "Seagate/openSeaChest 84",
		},
		{
			ID: "kingston-dc1500m-format", Model: `^KINGSTON SEDC1500M`, Harm: HarmCaution,
			Text: "A power cut during a format left one such drive without firmware.", Cure: "format only on a safe supply", Source: "linux-nvme/nvme-cli 2072",
		},
		{
			ID: "kingston-a2000-deepest-state", Model: `^KINGSTON SA2000M8`, Harm: HarmCaution,
			Text: "The drive may hang in its deepest power state; Linux leaves that state out.", Cure: cureUpdate, Source: "Linux, drivers/nvme/host/pci.c, 2646:2263",
		},
	}
}

// compiled is a defect with its expressions.
type compiled struct {
	Defect
	model, firmware *lazyregexp.Regexp
}

var compiledDefects = sync.OnceValue(func() []compiled {
	var all []compiled
	for _, d := range Defects() {
		all = append(all, compiled{d, lazyregexp.New(d.Model), lazyregexp.New(d.Firmware)})
	}
	return all
})

// DefectsOf returns the known defects of a drive with this model number and
// firmware revision, without their padding.
func DefectsOf(model, firmware string) []Defect {
	var list []Defect
	if model == "" {
		return nil
	}
	for _, d := range compiledDefects() {
		if d.model.MatchString(model) && d.has(firmware) {
			list = append(list, d.Defect)
		}
	}
	return list
}

func (d *compiled) has(firmware string) bool {
	if d.Below != "" {
		return olderRevision(firmware, d.Below)
	}
	return d.Defect.Firmware == "" || d.firmware.MatchString(firmware)
}

// lookUp keeps the defects of the drive, for those who ask often.
func (f *Facts) lookUp() {
	list := DefectsOf(f.model(), f.firmware())
	f.defects = &list
}

// defectWith returns the first known defect of the drive for which is holds.
func defectWith(f *Facts, is func(*Defect) bool) *Defect {
	if f.defects == nil {
		g := *f
		g.lookUp()
		f = &g
	}
	list := *f.defects
	if i := slices.IndexFunc(list, func(d Defect) bool { return is(&d) }); i >= 0 {
		return &list[i]
	}
	return nil
}
