package nvmetcp

import (
	"time"

	"qd1.example/qd1/nvme"
)

// The features that belong to the connection and not to the drive.
const (
	featureNumberOfQueues = 0x07
	featureKeepAliveTimer = 0x0F
)

// retainEvent is RAE in dword 10 of Get Log Page.
const retainEvent = 1 << 15

// SEL in dword 10 of Get Features, and what it gives for a feature that can be
// changed and not saved.
const (
	selectMask         = 7 << 8
	selectCapabilities = 3 << 8
	changeable         = 1 << 2
)

// notAborted is the result of an Abort that came too late.
const notAborted = 1

// admin carries out an admin command, or gives it to the drive.
func (q *queue) admin(r *request) {
	switch r.cmd.Opcode {
	case nvme.AdminKeepAlive:
		q.controller.alive()
		if q.controller.subsystem.keepAliver == nil {
			q.succeed(r, 0)
			return
		}
		q.dispatch(r)
	case nvme.AdminAsynchronousEventRequest:
		if !q.controller.park(q, r) {
			q.refuse(r, nvme.StatusAsynchronousEventLimitExceeded)
		}
	case nvme.AdminAbort:
		q.succeed(r, notAborted)
	case nvme.AdminCreateIOSQ, nvme.AdminCreateIOCQ, nvme.AdminDeleteIOSQ, nvme.AdminDeleteIOCQ, nvme.AdminDoorbellBufferConfig:
		q.refuse(r, nvme.StatusInvalidOpcode) // prohibited over fabrics
	case nvme.AdminSetFeatures:
		q.setFeature(r)
	case nvme.AdminGetFeatures:
		q.getFeature(r)
	default:
		q.dispatch(r)
	}
}

func (q *queue) setFeature(r *request) {
	switch uint8(r.cmd.CDW10) {
	case featureNumberOfQueues:
		result, status := q.controller.setQueues(r.cmd.CDW11)
		if status != nvme.StatusSuccess {
			q.refuse(r, status)
			return
		}
		q.succeed(r, result)
	case featureKeepAliveTimer:
		q.controller.setKeepAlive(time.Duration(r.cmd.CDW11) * time.Millisecond)
		q.succeed(r, 0)
	default:
		q.dispatch(r)
	}
}

// getFeature answers for current values. What a feature can do, and its other
// values, are the drive's, but for the timer, of which the drive knows nothing.
func (q *queue) getFeature(r *request) {
	fid := uint8(r.cmd.CDW10)
	switch {
	case fid == featureKeepAliveTimer && r.cmd.CDW10&selectMask == selectCapabilities:
		q.succeed(r, changeable)
	case r.cmd.CDW10&selectMask != 0:
		q.dispatch(r)
	case fid == featureNumberOfQueues:
		q.succeed(r, queueResult(q.controller.queueLimit()))
	case fid == featureKeepAliveTimer:
		q.succeed(r, q.controller.keepAliveMillis())
	default:
		q.dispatch(r)
	}
}

// setQueues grants as many I/O queues as the host asks for, up to a limit.
//
// Source: NVM Express Base Specification, Revision 2.0, Number of Queues
// (Feature Identifier 07h): both numbers are 0's based, FFFFh is invalid, and
// with I/O queues present the command comes too late.
func (c *controller) setQueues(cdw11 uint32) (uint64, nvme.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	submission, completion := cdw11&0xFFFF, cdw11>>16
	switch {
	case submission == 0xFFFF || completion == 0xFFFF || c.subsystem.kind == discoveryController:
		return 0, nvme.StatusInvalidField
	case len(c.queues) > 1:
		return 0, nvme.StatusCommandSequenceError
	}
	c.limit = min(int(submission)+1, int(completion)+1, IOQueues)
	return queueResult(c.limit), nvme.StatusSuccess
}

func queueResult(n int) uint64 {
	v := uint64(max(n, 1) - 1)
	return v<<16 | v
}

func (c *controller) keepAliveMillis() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return uint64(c.keepAlive / time.Millisecond)
}

// amend does what follows an admin command that the drive carried out.
func (c *controller) amend(r *request, s nvme.Status) {
	switch {
	case !s.OK():
	case r.cmd.Opcode == nvme.AdminIdentify && nvme.CNS(r.cmd.CDW10) == nvme.CNSController:
		c.overlay(r.cmd.Data)
	case r.cmd.Opcode == nvme.AdminGetLogPage && r.cmd.CDW10&retainEvent == 0:
		c.cleared(nvme.LID(r.cmd.CDW10))
	}
}
