package dump

import (
	"context"
	"encoding/binary"
	"fmt"

	"qd1.example/qd1/nvme"
)

var _ nvme.Passthru = (*Drive)(nil)

// Submit answers with the pages of the dump: Identify Controller, Identify
// Namespace, the list of active namespaces as far as the dump has them, and
// the SMART, error and firmware slot logs. Everything else is [ErrNotInDump].
// Fields that the dump does not have are zero; see [Drive.Has].
func (d *Drive) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if err := ctx.Err(); err != nil {
		return nvme.Completion{}, err
	}
	page, err := d.answer(cmd)
	if err != nil {
		return nvme.Completion{}, err
	}
	n := copy(cmd.Data, page)
	clear(cmd.Data[n:])
	return nvme.Completion{}, nil
}

func (d *Drive) answer(cmd *nvme.Command) ([]byte, error) {
	name := nvme.OpcodeName(cmd.Queue, cmd.Opcode)
	if cmd.Queue != nvme.AdminQueue {
		return nil, fmt.Errorf("%w: %s", ErrNotInDump, name)
	}
	switch cmd.Opcode {
	case nvme.AdminIdentify:
		return d.identify(nvme.CNS(cmd.CDW10), cmd.NSID)
	case nvme.AdminGetLogPage:
		return d.log(nvme.LID(cmd.CDW10), uint64(cmd.CDW13)<<32|uint64(cmd.CDW12))
	}
	return nil, fmt.Errorf("%w: %s", ErrNotInDump, name)
}

func (d *Drive) identify(cns nvme.CNS, nsid nvme.NSID) ([]byte, error) {
	switch {
	case cns == nvme.CNSController && d.controller != nil:
		return d.controller.bytes()
	case cns == nvme.CNSNamespace && d.namespaces[nsid] != nil:
		return d.namespaces[nsid].bytes()
	case cns == nvme.CNSActiveNamespaces && len(d.namespaces) > 0:
		return d.list(nsid), nil
	}
	return nil, fmt.Errorf("%w: Identify %v", ErrNotInDump, cns)
}

// list returns the namespaces after one as an active namespace list.
func (d *Drive) list(after nvme.NSID) []byte {
	var b []byte
	for _, nsid := range d.nsids() {
		if nsid > after {
			b = binary.LittleEndian.AppendUint32(b, uint32(nsid))
		}
	}
	return b
}

func (d *Drive) log(lid nvme.LID, offset uint64) ([]byte, error) {
	p := map[nvme.LID]*page{nvme.LIDSMART: d.smart, nvme.LIDError: d.errors, nvme.LIDFirmwareSlot: d.firmware}[lid]
	if p == nil {
		return nil, fmt.Errorf("%w: log page %v", ErrNotInDump, lid)
	}
	b, err := p.bytes()
	if err != nil {
		return nil, err
	}
	return b[min(offset, uint64(len(b))):], nil
}
