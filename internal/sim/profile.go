package sim

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/nvme"
)

// Profile describes a simulated drive that Open knows.
type Profile struct {
	// Name is what Open takes.
	Name string
	// Text says in one line what the drive is.
	Text string

	personality personality
}

// Profiles returns the known profiles.
func Profiles() []Profile {
	return []Profile{
		optane905P(), optane905PUsed(), optane905PMediaErrors(),
		nandModern(), nandWorn(), fake(), throttling(), dead(),
	}
}

// personality is all that makes one drive differ from another. It is data: the
// model has no code for a single profile.
type personality struct {
	// pages is the stem of the embedded Identify pages. Without one they are
	// made of identify and space.
	pages    string
	identify *nvme.IdentifyController
	space    *nvme.IdentifyNamespace
	// source, unless it is nil, has the pages of a captured drive.
	source Pages
	// serial and firmware replace what the pages have. An empty serial keeps
	// both.
	serial, firmware string
	// override replaces parts of the pages as parameters say.
	override override
	// slots has the revisions of the firmware slots. The running one is in the
	// first slot if there are none.
	slots []string
	// activeSlot is the slot of the running firmware. 0 means the first.
	activeSlot int
	// cns and logs are what Identify and Get Log Page know.
	cns  []nvme.CNS
	logs []nvme.LID
	// descriptors replace the Namespace Identification Descriptor lists.
	descriptors map[nvme.NSID][]byte
	// features are the features of the drive with their factory values; 0 for
	// those that have data.
	features map[nvme.FID]uint32
	// smart is the state when the drive is opened, errors the Error Information
	// log, newest first.
	smart  nvme.SMARTLog
	errors []nvme.ErrorLogEntry
	pci    pciIdentity
	// medium has the medians of a 4 KiB access.
	medium timing
	heat   heat
	work   work
	// slc is the fast part of the medium, of NAND drives.
	slc slcCache

	// enduranceBytes is what can be written until 100 percent are used. 0 means
	// that the percentage does not grow.
	enduranceBytes int64
	// unreadable are blocks of the first namespace that cannot be read.
	unreadable []uint64
	// telemetryBlocks are the last blocks of the data areas.
	telemetryBlocks [4]int
	// telemetryCaptured is set if there is a controller-initiated telemetry log.
	telemetryCaptured bool
	// selfTestResult is the result of a self-test.
	selfTestResult uint8

	// readOnly is set if the medium is worn out: no write is done.
	readOnly bool
	// utilization is set if NUSE tells what is allocated.
	utilization bool
	// formatAnswers is set if the drive answers commands while it formats.
	// Otherwise they wait.
	formatAnswers bool
	// formatKeeps is set if a format without secure erase leaves the data.
	formatKeeps bool
	// cryptoZeroes is set if blocks read as zeroes after a cryptographic erase,
	// in place of other data than before.
	cryptoZeroes bool
	// sanitizeFails is set if no sanitize operation succeeds.
	sanitizeFails bool
	// keepAliveWaits is set if Keep Alive, too, is answered only after a format
	// that the drive answers nothing during.
	keepAliveWaits bool
	// opal is what the drive has of TCG Opal, blockSID whether the computer's
	// firmware froze that until the power goes.
	opal     opalState
	blockSID bool
	// intel is for the log pages of Intel Optane drives. Nil is a drive without
	// them.
	intel *intel
	// dead is set for a drive that the host has given up on.
	dead bool
}

// work is how long the drive's operations take. 0 is no time at all, and for a
// sanitize operation that no estimate is reported.
type work struct {
	// formatOnly, formatErase and formatCrypto are the times of Format NVM by
	// Secure Erase Settings.
	formatOnly, formatErase, formatCrypto time.Duration
	// blockErase and cryptoErase are the times of sanitize operations,
	// overwrite that of one pass.
	blockErase, cryptoErase, overwrite time.Duration
	shortTest, extendedTest            time.Duration
	// activation is the time of a firmware activation without reset.
	activation time.Duration
}

func (w *work) format(ses int) time.Duration {
	switch ses {
	case eraseUser:
		return w.formatErase
	case eraseCrypto:
		return w.formatCrypto
	}
	return w.formatOnly
}

func (w *work) sanitize(action uint32, passes int) time.Duration {
	switch action {
	case actionBlock:
		return w.blockErase
	case actionCrypto:
		return w.cryptoErase
	}
	return w.overwrite * time.Duration(passes)
}

// faster returns the times divided by a factor.
func (w work) faster(by int) work {
	for _, d := range []*time.Duration{
		&w.formatOnly, &w.formatErase, &w.formatCrypto, &w.blockErase, &w.cryptoErase, &w.overwrite,
		&w.shortTest, &w.extendedTest, &w.activation,
	} {
		*d /= time.Duration(by)
	}
	return w
}

// pciIdentity is what the host's PCI bus knows of the drive.
type pciIdentity struct {
	vendor, device, subsystemVendor, subsystemDevice uint16
	// speed is the link speed as sysfs writes it, width the number of lanes.
	speed string
	width int
}

//go:embed pages
var pages embed.FS

// controllerPage returns the Identify Controller page, for the caller to
// change.
func (p *personality) controllerPage() ([]byte, error) {
	switch {
	case p.source != nil:
		return p.sourcePage(nvme.CNSController, 0)
	case p.pages != "":
		return pages.ReadFile("pages/" + p.pages + ".idctrl.bin")
	}
	return encode(p.identify), nil
}

// namespacePages returns the Identify Namespace pages, for the caller to
// change.
func (p *personality) namespacePages() (map[nvme.NSID][]byte, error) {
	if p.source != nil {
		return p.sourceNamespaces()
	}
	page, err := encode(p.commonNamespace()), error(nil)
	if p.pages != "" {
		page, err = pages.ReadFile("pages/" + p.pages + ".idns.bin")
	} else if p.space != nil {
		page = encode(p.space)
	}
	return map[nvme.NSID][]byte{1: page}, err
}

// commonNamespace returns what the namespaces of the drive have in common.
func (p *personality) commonNamespace() *nvme.IdentifyNamespace {
	id := new(nvme.IdentifyNamespace)
	if p.space != nil {
		*id = *p.space
	}
	id.NSZE, id.NCAP, id.NUSE, id.FLBAS = 0, 0, 0, 0
	id.NVMCAP, id.EUI64, id.NGUID = nvme.Uint128{}, nvme.Hex64{}, nvme.Hex128{}
	return id
}

// find returns the profile of that name.
func find(name string) (*Profile, error) {
	all := Profiles()
	i := slices.IndexFunc(all, func(p Profile) bool { return p.Name == name })
	if i >= 0 {
		return &all[i], nil
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("no simulated drive %q: the profiles are %s", name, strings.Join(names, ", "))
}
