package sim

import "qd1.example/qd1/nvme"

// protocolInformation is the Security Protocol that lists the others.
const protocolInformation = 0

// securityReceive answers the Security Receive command: the drive has no
// security protocol but the list of them.
//
// Source: NVM Express Base Specification, Revision 2.0, Security Receive
// command and Security Protocol 00h; SPC-5, Security protocol information:
// bytes 7:6 are the length of the list, big-endian.
func (c *controller) securityReceive(cmd *nvme.Command) reply {
	const list, header = 0, 8
	protocol, specific := cmd.CDW10>>24, cmd.CDW10>>8&0xFFFF
	if protocol != protocolInformation || specific != list {
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	if uint64(len(cmd.Data)) < uint64(cmd.CDW11) {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	page := make([]byte, header+1)
	page[7] = 1 // One protocol, 00h.
	fill(cmd, page)
	return success(0)
}

// securitySend answers the Security Send command: there is no protocol to send
// to.
//
// Source: NVM Express Base Specification, Revision 2.0, Security Send command:
// Security Protocol 00h cannot be sent to.
func (c *controller) securitySend(*nvme.Command) reply {
	return refuse(nvme.StatusInvalidField, inCDW10+3)
}
