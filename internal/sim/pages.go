package sim

import (
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/nvme"
)

// Pages has what was captured of a drive. A page that was not captured is nil.
// The pages do not change, and belong to the drive that is made of them. It must
// be safe for concurrent use.
type Pages interface {
	// Identify returns an Identify page, 4096 bytes.
	Identify(cns nvme.CNS, nsid nvme.NSID) []byte
	// Log returns a log page of the controller.
	Log(lid nvme.LID) []byte
	// Feature returns the current value of a feature that is a dword, and
	// whether it was captured.
	Feature(fid nvme.FID) (uint32, bool)
}

// ErrPages is a capture that no drive can be made of.
var ErrPages = errors.New("the captured pages do not make a drive")

// FromPages returns a new drive that was captured: its pages are the captured
// ones, and from there on it lives as any other simulated drive. Parameters are
// those of Open, without "?". What a capture does not tell is chosen: the time
// that accesses and operations take, and what an erase leaves.
func FromPages(source Pages, query string) (*Drive, error) {
	p, err := capturedPersonality(source)
	if err != nil {
		return nil, err
	}
	return openPersonality("from a capture", p, query)
}

func capturedPersonality(source Pages) (*personality, error) {
	var id nvme.IdentifyController
	if err := id.UnmarshalBinary(source.Identify(nvme.CNSController, 0)); err != nil {
		return nil, fmt.Errorf("%w: Identify Controller: %w", ErrPages, err)
	}
	p := &personality{
		source: source,
		pci: pciIdentity{
			vendor: id.VID, subsystemVendor: id.SSVID, speed: "8.0 GT/s PCIe", width: 4,
		},
		medium: timing{read: 60 * time.Microsecond, write: 20 * time.Microsecond, bytesPerSecond: 3_000_000_000},
		heat:   heat{rise: 15},
		work: work{
			formatOnly: 2 * time.Second, formatErase: 20 * time.Second, formatCrypto: time.Second,
			blockErase: 30 * time.Second, cryptoErase: 5 * time.Second, overwrite: 600 * time.Second,
			shortTest: 2 * time.Minute, extendedTest: time.Duration(max(id.EDSTT, 1)) * time.Minute, activation: time.Second,
		},
		telemetryBlocks: [4]int{1, 1, 1},
	}
	p.takeLogs(&id)
	p.takeFeatures()
	p.takeLists(&id)
	return p, nil
}

// takeLogs takes the captured log pages: what the model keeps up is decoded.
func (p *personality) takeLogs(id *nvme.IdentifyController) {
	for lid := range 256 {
		if p.source.Log(nvme.LID(lid)) != nil {
			p.logs = append(p.logs, nvme.LID(lid))
		}
	}
	if page := p.source.Log(nvme.LIDSMART); p.smart.UnmarshalBinary(page) != nil {
		p.logs = append(p.logs, nvme.LIDSMART) // Every drive has it.
	}
	var log nvme.ErrorLog
	if log.UnmarshalBinary(p.source.Log(nvme.LIDError)) == nil {
		p.errors = log[:min(len(log), int(id.ELPE)+1)]
	}
	var slots nvme.FirmwareSlotLog
	if slots.UnmarshalBinary(p.source.Log(nvme.LIDFirmwareSlot)) == nil {
		for _, r := range slots.Revisions {
			p.slots = append(p.slots, r.String())
		}
		p.activeSlot = slots.ActiveSlot()
	}
}

// takeFeatures takes the captured features, and the ones without which no host
// works.
func (p *personality) takeFeatures() {
	p.features = map[nvme.FID]uint32{
		nvme.FIDNumberOfQueues: 7<<16 | 7, nvme.FIDAsynchronousEvents: 0,
	}
	for fid := range 256 {
		if v, ok := p.source.Feature(nvme.FID(fid)); ok {
			p.features[nvme.FID(fid)] = v
		}
	}
}

// takeLists decides which Identify structures there are: those that every
// drive has, those that were captured, and those that namespace management
// needs.
func (p *personality) takeLists(id *nvme.IdentifyController) {
	p.cns = []nvme.CNS{nvme.CNSNamespace, nvme.CNSController, nvme.CNSActiveNamespaces}
	p.descriptors = map[nvme.NSID][]byte{}
	for nsid := range nvme.NSID(min(id.NN, maxNamespaces)) {
		if page := p.source.Identify(nvme.CNSNamespaceDescriptors, nsid+1); page != nil {
			p.descriptors[nsid+1] = page
		}
	}
	if len(p.descriptors) > 0 {
		p.cns = append(p.cns, nvme.CNSNamespaceDescriptors)
	}
	if id.OACS&nvme.OACSNamespaceManagement != 0 {
		p.cns = append(p.cns, nvme.CNSAllocatedNamespaces, nvme.CNSAllocatedNamespace, nvme.CNSAttachedControllers, nvme.CNSControllers)
	}
	for nsid := nvme.NSID(1); p.space == nil && uint32(nsid) <= min(id.NN, maxNamespaces); nsid++ {
		n := new(nvme.IdentifyNamespace)
		if n.UnmarshalBinary(p.source.Identify(nvme.CNSNamespace, nsid)) == nil && !n.Inactive() {
			p.space = n
		}
	}
}

// sourcePage returns a captured Identify page for the caller to change.
func (p *personality) sourcePage(cns nvme.CNS, nsid nvme.NSID) ([]byte, error) {
	page := p.source.Identify(cns, nsid)
	if len(page) < identifyBytes {
		return nil, fmt.Errorf("%w: %v of namespace %d", ErrPages, cns, nsid)
	}
	return append([]byte(nil), page[:identifyBytes]...), nil
}

// sourceNamespaces returns the captured Identify Namespace pages.
func (p *personality) sourceNamespaces() (map[nvme.NSID][]byte, error) {
	all := map[nvme.NSID][]byte{}
	for nsid := nvme.NSID(1); nsid <= maxNamespaces; nsid++ {
		if page, err := p.sourcePage(nvme.CNSNamespace, nsid); err == nil {
			all[nsid] = page
		}
	}
	return all, nil
}

// captured returns a captured log page, or nil.
func (p *personality) captured(lid nvme.LID) []byte {
	if p.source == nil {
		return nil
	}
	return p.source.Log(lid)
}

// lives reports whether a log page of a captured drive is the model's and not
// the captured one any more.
func (c *controller) lives(lid nvme.LID) bool {
	switch lid {
	case nvme.LIDError, nvme.LIDSMART, nvme.LIDChangedNamespaces:
		return true
	case nvme.LIDFirmwareSlot:
		return c.firmware.touched
	case nvme.LIDSelfTest:
		return c.selfTest.touched
	case nvme.LIDSanitize:
		return c.sanitize.touched
	case nvme.LIDTelemetryHost:
		return c.telemetry.host != nil
	}
	return false
}
