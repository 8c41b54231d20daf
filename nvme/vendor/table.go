package vendor

import (
	"slices"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// The log pages that are more than a number to this package.
const (
	lidDirectory    nvme.LID = 0xC0
	lidReadLatency  nvme.LID = 0xC1
	lidWriteLatency nvme.LID = 0xC2
	lidMonitor      nvme.LID = 0xC3
	lidTemperature  nvme.LID = 0xC5
	lidSMART        nvme.LID = 0xCA
	lidMicronSMART  nvme.LID = 0xD0
	lidTemperature2 nvme.LID = 0xD5
	lidName         nvme.LID = 0xDD
	lidMicronHealth nvme.LID = 0xFB
)

// Log is a vendor specific log page to try on a drive.
type Log struct {
	// LID is the page.
	LID nvme.LID `json:"lid"`
	// Name is what it is on drives of this family.
	Name string `json:"name"`
	// Bytes is how much to read.
	Bytes int `json:"bytes"`
	// Changes says what reading the page changes in the drive: it is read only on
	// request. Empty means nothing.
	Changes string `json:"changes,omitempty"`
	// Why says why the page is tried: the family of the drive.
	Why string `json:"why"`

	layout layout
	need   need
}

// need is what an earlier page must have shown for a page to be tried. 0 is
// nothing.
type need uint8

const (
	// needListed is a page that the Log Page Directory, if the drive has one, must
	// list.
	needListed need = iota + 1
	// needListedOrRequest is needListed unless the user asked for the page.
	needListedOrRequest
	// needOCP is a page that only drives with an OCP SMART page have.
	needOCP
)

// family is drives with the same pages.
type family struct {
	name  string
	vids  []uint16
	model *lazyregexp.Regexp
	logs  []Log
}

const clears = "reading sets the latency counters of the drive to zero"

var intelNAND = []Log{
	{LID: lidDirectory, Name: "Log Page Directory", Bytes: logDirectoryBytes, layout: orOCP(as[LogDirectory])},
	{LID: lidSMART, Name: "Additional SMART Attributes", Bytes: 512, layout: orOCP(as[AdditionalSMART]), need: needListed},
	{LID: lidTemperature, Name: "Temperature Statistics", Bytes: temperatureBytes, layout: orOCP(as[TemperatureStatistics]), need: needListed},
	{LID: lidName, Name: "Marketing Name", Bytes: marketingNameBytes, layout: orOCP(as[MarketingName]), need: needListed},
	{LID: lidReadLatency, Name: "Read Latency Statistics", Bytes: latencyBytes, layout: orOCP(as[LatencyStatistics]), need: needListedOrRequest},
	{LID: lidWriteLatency, Name: "Write Latency Statistics", Bytes: latencyBytes, layout: orOCP(as[LatencyStatistics]), need: needListedOrRequest},
}

var ocpExtra = []Log{
	{LID: lidReadLatency, Name: "OCP Error Recovery", Bytes: 512, layout: as[OCPErrorRecovery], need: needOCP},
	{LID: lidMonitor, Name: "OCP Latency Monitor", Bytes: 512, layout: as[OCPLatencyMonitor], need: needOCP},
}

// families are the drives that have vendor pages that this package knows. The
// first one that fits counts. Patterns are from model numbers of published dumps
// and from the vendors' part number rules.
var families = []family{
	{
		name:  "Intel Optane",
		vids:  []uint16{0x8086},
		model: lazyregexp.New(`^(?:INTEL )?(?:SSDPE[DL]1[DK]|SSDPE21[DK]|MDTPED1K|SSDPF21Q)|^Dell (?:Express Flash|Ent) NVMe P(?:4800|5800)[Xx] |^EO000(?:375|750)KWJU`),
		logs: []Log{
			intelNAND[0], intelNAND[1], intelNAND[2], intelNAND[3],
			{LID: lidReadLatency, Name: "Read Latency Statistics", Bytes: latencyBytes, Changes: clears, layout: as[LatencyStatistics]},
			{LID: lidWriteLatency, Name: "Write Latency Statistics", Bytes: latencyBytes, Changes: clears, layout: as[LatencyStatistics]},
		},
	},
	{
		name:  "Intel and Solidigm data center NAND",
		vids:  []uint16{0x8086, 0x025E},
		model: lazyregexp.New(`^(?:INTEL )?SSDPE(?:2M|DM|CM|2K|DK|LK|2N|CK)|^(?:INTEL |SOLIDIGM )?SSDPF2|^Dell (?:Express Flash|Ent) NVMe P[345]\d{3} |^[A-Z]{2}\d{4,6}K[A-Z]{4}$`),
		logs:  intelNAND,
	},
	{
		name:  "Solidigm data center NAND",
		vids:  []uint16{0x8086, 0x025E},
		model: lazyregexp.New(`^(?:INTEL |SOLIDIGM )?(?:SBFPF2|SB5PH)`),
		logs: []Log{
			{LID: lidDirectory, Name: "OCP SMART / Health Information Extended", Bytes: 512, layout: orOCP(as[LogDirectory])},
			intelNAND[1],
			{LID: lidTemperature2, Name: "Temperature Statistics", Bytes: temperatureBytes, layout: as[TemperatureStatistics], need: needListed},
			intelNAND[3],
		},
	},
	{
		name:  "Western Digital Ultrastar",
		vids:  []uint16{0x1B96, 0x1C58},
		model: lazyregexp.New(`^(?:WUS[345]|HUSMR|HUSPR)`),
		logs: append([]Log{
			{LID: lidDirectory, Name: "OCP or WDC SMART", Bytes: 512, layout: orOCP(as[WDCEndOfLife])},
		}, ocpExtra...),
	},
	{
		name:  "Micron 7400, 7450, 7500, 6500 and 9400",
		vids:  []uint16{0x1344},
		model: lazyregexp.New(`^Micron_(?:7400|7450|7500|6500|9400)_`),
		logs: append([]Log{
			{LID: lidDirectory, Name: "OCP SMART / Health Information Extended", Bytes: 512, layout: as[OCPSMART]},
		}, ocpExtra...),
	},
	{
		name:  "Micron 7300 and 9300",
		vids:  []uint16{0x1344},
		model: lazyregexp.New(`^Micron_(?:7300|9300)_|^MTFDHB[AEG]\d\w*TD[FG]$`),
		logs:  []Log{{LID: lidMicronSMART, Name: "Extended SMART", Bytes: 512, layout: as[MicronSMART]}},
	},
	{
		name:  "Micron 2200",
		vids:  []uint16{0x1344},
		model: lazyregexp.New(`^Micron(?:_2200[SV]?_| 2200[SV]? | MTFDHBA\d+TCK)`),
		logs:  []Log{{LID: lidMicronHealth, Name: "Vendor Specific Health", Bytes: 512, layout: as[MicronHealth]}},
	},
	{
		name:  "Toshiba and Kioxia data center",
		vids:  []uint16{0x1179, 0x1E0F},
		model: lazyregexp.New(`^K(?:XD|CD|CM)\d|^Dell (?:Express Flash CD\d|Ent NVMe C[DM]\d)`),
		logs: append([]Log{
			{LID: lidDirectory, Name: "OCP SMART or Vendor Log Page Directory", Bytes: 512, layout: orOCP(as[KioxiaDirectory])},
		}, ocpExtra...),
	},
}

// Logs returns the vendor specific log pages to try on a drive, in the order to
// try them; none for drives that are not in the table. The vid is the PCI vendor
// of the device, the model the Model Number. The id may be nil; a drive that
// gives another vendor in Identify Controller than on the bus has none: it, or
// what is between, is not what it says.
func Logs(id *nvme.IdentifyController, vid uint16, model string) []Log {
	if id != nil && id.VID != vid {
		return nil
	}
	model = strings.Trim(model, " \x00")
	for _, f := range families {
		if slices.Contains(f.vids, vid) && f.model.MatchString(model) {
			return f.list(model)
		}
	}
	return nil
}

// list returns the pages of the family with the reason filled in.
func (f family) list(model string) []Log {
	logs := slices.Clone(f.logs)
	for i := range logs {
		logs[i].Why = model + " is of the family " + f.name
	}
	return logs
}
