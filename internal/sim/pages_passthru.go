package sim

import (
	"context"

	"qd1.example/qd1/nvme"
)

// PagesOf reads the pages that a recording has: anything that answers commands,
// and with an error or a status what it has no answer to.
func PagesOf(ctx context.Context, p nvme.Passthru) Pages {
	r := &recording{identify: map[identifyKey][]byte{}, logs: map[nvme.LID][]byte{}, features: map[nvme.FID]uint32{}}
	r.readIdentify(ctx, p)
	for i := range 256 {
		r.readLog(ctx, p, nvme.LID(i))
		cmd := &nvme.Command{Opcode: nvme.AdminGetFeatures, CDW10: uint32(i), Data: make([]byte, identifyBytes)}
		if c, ok := ask(ctx, p, cmd); ok {
			r.features[nvme.FID(i)] = uint32(c.Result)
		}
	}
	return r
}

// recording is what was recorded of a drive. It does not change.
type recording struct {
	identify map[identifyKey][]byte
	logs     map[nvme.LID][]byte
	features map[nvme.FID]uint32
}

type identifyKey struct {
	cns  nvme.CNS
	nsid nvme.NSID
}

// Identify returns an Identify page.
func (r *recording) Identify(cns nvme.CNS, nsid nvme.NSID) []byte {
	return r.identify[identifyKey{cns, nsid}]
}

// Log returns a log page of the controller.
func (r *recording) Log(lid nvme.LID) []byte { return r.logs[lid] }

// Feature returns the current value of a feature.
func (r *recording) Feature(fid nvme.FID) (uint32, bool) {
	v, ok := r.features[fid]
	return v, ok
}

// ask returns whether a recording answers a command.
func ask(ctx context.Context, p nvme.Passthru, cmd *nvme.Command) (nvme.Completion, bool) {
	c, err := p.Submit(ctx, cmd)
	return c, err == nil && c.Status == nvme.StatusSuccess
}

// readIdentify reads the pages of the controller and of the namespaces.
func (r *recording) readIdentify(ctx context.Context, p nvme.Passthru) {
	read := func(cns nvme.CNS, nsid nvme.NSID) []byte {
		cmd := nvme.Identify{CNS: cns, NSID: nsid}.Command(make([]byte, identifyBytes))
		if _, ok := ask(ctx, p, cmd); !ok {
			return nil
		}
		r.identify[identifyKey{cns, nsid}] = cmd.Data
		return cmd.Data
	}
	var id nvme.IdentifyController
	if id.UnmarshalBinary(read(nvme.CNSController, 0)) != nil {
		return
	}
	for nsid := nvme.NSID(1); uint32(nsid) <= min(id.NN, maxNamespaces); nsid++ {
		read(nvme.CNSNamespace, nsid)
		read(nvme.CNSNamespaceDescriptors, nsid)
	}
}

// readLog reads a log page of the controller, whichever NSID it was recorded
// with.
func (r *recording) readLog(ctx context.Context, p nvme.Passthru, lid nvme.LID) {
	for _, nsid := range []nvme.NSID{nvme.BroadcastNSID, 0} {
		cmd := nvme.GetLogPage{LID: lid, NSID: nsid, KeepEvent: true}.Command(make([]byte, logLength(lid)))
		if _, ok := ask(ctx, p, cmd); ok {
			r.logs[lid] = cmd.Data
			return
		}
	}
}

// logLength returns the length of a log page, or of as much of it as a
// recording has in one piece.
func logLength(lid nvme.LID) int {
	switch lid {
	case nvme.LIDSupportedLogs:
		return 1024
	case nvme.LIDError:
		return 256 * 64
	case nvme.LIDSelfTest:
		return 564
	case nvme.LIDChangedNamespaces, nvme.LIDCommandsEffects:
		return 4096
	}
	return 512
}
