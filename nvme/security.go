package nvme

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// The security protocols that are read here.
const (
	// SecurityProtocolList (00h) lists the protocols that the drive has.
	SecurityProtocolList uint8 = 0x00
	// SecurityProtocolTCG (01h) is the first of the Trusted Computing Group.
	SecurityProtocolTCG uint8 = 0x01

	// level0ComID is the ComID of Level 0 Discovery, which needs no session.
	level0ComID = 0x0001
)

const (
	securityListBytes = 512
	level0Bytes       = 2048
)

// SecurityReceive is the Security Receive command (admin 82h). The controller
// must have OACSSecurity.
//
// Source: NVM Express Base Specification, Revision 2.0, Security Receive
// command.
type SecurityReceive struct {
	// NSID is the namespace. 0 for protocols that have none.
	NSID NSID
	// Protocol is Security Protocol (SECP).
	Protocol uint8
	// Specific is SP Specific (SPSP): what it means depends on Protocol.
	Specific uint16
}

// Command returns the command that fills buf, whose length is the Allocation
// Length (AL).
func (s SecurityReceive) Command(buf []byte) *Command {
	return &Command{
		Queue:  AdminQueue,
		Opcode: AdminSecurityReceive,
		NSID:   s.NSID,
		CDW10:  uint32(s.Protocol)<<24 | uint32(s.Specific)<<8,
		CDW11:  uint32(len(buf)),
		Data:   buf,
	}
}

// discovers reports whether a Security Receive command reads what the drive
// always says: the list of protocols or Level 0 Discovery. Anything else can be
// the answer to a Security Send, which reading takes away.
func discovers(c *Command) bool {
	list := SecurityReceive{Protocol: SecurityProtocolList}.Command(nil).CDW10
	level0 := SecurityReceive{Protocol: SecurityProtocolTCG, Specific: level0ComID}.Command(nil).CDW10
	return c.CDW10 == list || c.CDW10 == level0
}

// SecurityProtocols returns the security protocols that the drive has, as it
// lists them. Ask only where OACSSecurity is set: that is not checked here.
//
// Source: SCSI Primary Commands - 4 (SPC-4), Supported security protocols list.
func (c *Controller) SecurityProtocols(ctx context.Context) ([]uint8, error) {
	page := make([]byte, securityListBytes)
	if err := c.do(ctx, SecurityReceive{Protocol: SecurityProtocolList}.Command(page)); err != nil {
		return nil, err
	}
	return parseSecurityProtocols(page)
}

// parseSecurityProtocols decodes the list: 6 reserved bytes, the length in
// bytes, one byte each.
func parseSecurityProtocols(b []byte) ([]uint8, error) {
	const header = 8
	if len(b) < header {
		return nil, fmt.Errorf("security protocols: %w: %d bytes, want %d", ErrShort, len(b), header)
	}
	n := int(binary.BigEndian.Uint16(b[6:]))
	b = b[header:]
	if n > len(b) {
		return nil, fmt.Errorf("security protocols: %w: %d of them in %d bytes", ErrShort, n, len(b))
	}
	return slices.Clone(b[:n]), nil
}

// Level0Discovery returns what the drive says about its TCG security features:
// whether it is locked, and by what. Ask only where OACSSecurity is set: that is
// not checked here. A drive whose list of protocols has others only is not asked
// and gives [ErrNotSupported]; where the list is empty or refused the drive is
// asked all the same. On an error of the data, what came before it is returned
// too.
func (c *Controller) Level0Discovery(ctx context.Context) (*Level0Discovery, error) {
	if err := c.hasTCG(ctx); err != nil {
		return nil, err
	}
	page := make([]byte, level0Bytes)
	req := SecurityReceive{Protocol: SecurityProtocolTCG, Specific: level0ComID}
	if err := c.do(ctx, req.Command(page)); err != nil {
		return nil, err
	}
	d := new(Level0Discovery)
	return d, d.UnmarshalBinary(page)
}

// hasTCG returns nil unless the drive is known to have no TCG protocol.
func (c *Controller) hasTCG(ctx context.Context) error {
	list, err := c.SecurityProtocols(ctx)
	var refused *CommandError
	if errors.As(err, &refused) || errors.Is(err, ErrShort) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(list) > 0 && !slices.Contains(list, SecurityProtocolTCG) {
		return fmt.Errorf("level 0 discovery: security protocols % X: %w", list, ErrNotSupported)
	}
	return nil
}
