package sim

import (
	"context"

	"qd1.example/qd1/nvme"
)

// PagesOf returns the pages that a recording has: anything that answers
// commands, and with an error or a status what it has no answer to. The context
// is for all its commands.
func PagesOf(ctx context.Context, p nvme.Passthru) Pages { return &recorded{ctx: ctx, p: p} }

// recorded asks a recording for its pages. It lives no longer than the call of
// FromPages that it is given to.
type recorded struct {
	ctx context.Context
	p   nvme.Passthru
}

func (r *recorded) ask(cmd *nvme.Command) (nvme.Completion, bool) {
	c, err := r.p.Submit(r.ctx, cmd)
	return c, err == nil && c.Status == nvme.StatusSuccess
}

// Identify returns an Identify page.
func (r *recorded) Identify(cns nvme.CNS, nsid nvme.NSID) []byte {
	cmd := nvme.Identify{CNS: cns, NSID: nsid}.Command(make([]byte, identifyBytes))
	if _, ok := r.ask(cmd); !ok {
		return nil
	}
	return cmd.Data
}

// Log returns a log page of the controller, whichever NSID it was read with.
func (r *recorded) Log(lid nvme.LID) []byte {
	for _, nsid := range []nvme.NSID{nvme.BroadcastNSID, 0} {
		cmd := nvme.GetLogPage{LID: lid, NSID: nsid, KeepEvent: true}.Command(make([]byte, logLength(lid)))
		if _, ok := r.ask(cmd); ok {
			return cmd.Data
		}
	}
	return nil
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

// Feature returns the current value of a feature.
func (r *recorded) Feature(fid nvme.FID) (uint32, bool) {
	cmd := &nvme.Command{Opcode: nvme.AdminGetFeatures, CDW10: uint32(fid), Data: make([]byte, identifyBytes)}
	c, ok := r.ask(cmd)
	return uint32(c.Result), ok
}
