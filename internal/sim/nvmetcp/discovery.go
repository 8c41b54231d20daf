package nvmetcp

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"

	"qd1.example/qd1/nvme"
)

// DiscoveryNQN is the name of the discovery subsystem of every server.
//
// Source: NVM Express Base Specification, Revision 2.0, Discovery Controller.
const DiscoveryNQN = "nqn.2014-08.org.nvmexpress.discovery"

// discoveryController is the Controller Type of a discovery controller.
const discoveryController = 2

// discoveryVersion is the version of the discovery controller: the first that
// has a Controller Type.
const discoveryVersion = 1<<16 | 4<<8

// discoveryLog is the log page that lists the subsystems.
const discoveryLog nvme.LID = 0x70

// discovery is the drive of the discovery subsystem, which has no namespace.
type discovery struct{ log []byte }

func (s *server) discovery(local net.Addr) *subsystem {
	sub := newSubsystem(Subsystem{NQN: DiscoveryNQN, Drive: discovery{s.discoveryPage(local)}})
	sub.kind = discoveryController
	sub.version.Store(discoveryVersion)
	close(sub.learned)
	return sub
}

// Submit answers Identify Controller and the discovery log.
func (d discovery) Submit(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	switch cmd.Opcode {
	case nvme.AdminIdentify:
		if nvme.CNS(cmd.CDW10) == nvme.CNSController && len(cmd.Data) >= identifyBytes {
			copy(cmd.Data, discoveryIdentity())
			return nvme.Completion{}, nil
		}
		return nvme.Completion{Status: nvme.StatusInvalidField | doNotRetry}, nil
	case nvme.AdminGetLogPage:
		return d.getLogPage(cmd), nil
	case nvme.AdminSetFeatures, nvme.AdminGetFeatures:
		return nvme.Completion{Status: nvme.StatusInvalidField | doNotRetry}, nil
	}
	return nvme.Completion{Status: nvme.StatusInvalidOpcode | doNotRetry}, nil
}

func (d discovery) getLogPage(cmd *nvme.Command) nvme.Completion {
	if nvme.LID(cmd.CDW10) != discoveryLog {
		return nvme.Completion{Status: nvme.StatusInvalidLogPage | doNotRetry}
	}
	offset := uint64(cmd.CDW13)<<32 | uint64(cmd.CDW12)
	if offset > uint64(len(d.log)) {
		return nvme.Completion{Status: nvme.StatusInvalidField | doNotRetry}
	}
	clear(cmd.Data[copy(cmd.Data, d.log[offset:]):])
	return nvme.Completion{}
}

// discoveryIdentity is Identify Controller before the overlay.
func discoveryIdentity() []byte {
	page := make([]byte, identifyBytes)
	copy(page[4:], fmt.Sprintf("%-20s%-40s%-8s", "qd1", "qd1 discovery (SIMULATED)", "1"))
	binary.LittleEndian.PutUint32(page[atVersion:], discoveryVersion)
	page[261] = 1 << 2 // LPA: offsets into log pages
	return page
}

// Bytes of the discovery log's header and of each entry.
const discoveryEntryBytes = 1024

// Values of a discovery log entry.
//
// Source: NVM Express Base Specification, Revision 2.0, Discovery Log Page.
const (
	transportTCP = 3
	familyIPv4   = 1
	familyIPv6   = 2
	subsystemNVM = 2
	flowOptional = 1 << 2 // a secure channel is not specified
	adminEntries = 32
)

// discoveryPage is the discovery log for a host that came by an address. The
// subsystems of a server never change, and so the generation does not.
func (s *server) discoveryPage(local net.Addr) []byte {
	page := make([]byte, discoveryEntryBytes*(1+len(s.subsystems)))
	binary.LittleEndian.PutUint64(page, 1)
	binary.LittleEndian.PutUint64(page[8:], uint64(len(s.subsystems)))
	address, port, err := net.SplitHostPort(local.String())
	if err != nil {
		address = local.String()
	}
	for i, sub := range s.subsystems {
		e := page[discoveryEntryBytes*(i+1):]
		e[0], e[1], e[2], e[3] = transportTCP, family(address), subsystemNVM, flowOptional
		binary.LittleEndian.PutUint16(e[6:], anyController)
		binary.LittleEndian.PutUint16(e[8:], adminEntries)
		copy(e[32:64], fmt.Sprintf("%-32s", port))
		copy(e[256:512], sub.NQN)
		copy(e[512:768], fmt.Sprintf("%-256s", address))
	}
	return page
}

func family(address string) uint8 {
	if ip := net.ParseIP(address); ip != nil && ip.To4() == nil {
		return familyIPv6
	}
	return familyIPv4
}
