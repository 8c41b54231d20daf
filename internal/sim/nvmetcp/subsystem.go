package nvmetcp

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"time"

	"qd1.example/qd1/nvme"
)

// identifyBytes is the length of an Identify data structure.
const identifyBytes = 4096

// subsystem is a subsystem with what was learned of its drive.
type subsystem struct {
	Subsystem
	// scheduler, keepAliver and resetter are the drive, nil if it is none.
	scheduler  Scheduler
	keepAliver KeepAliver
	resetter   Resetter
	// kind is the Controller Type to show, 0 to leave it to the drive.
	kind uint8

	// learned is closed when the drive has been asked for the rest.
	learned chan struct{}
	// version is the Version property, events the number of Asynchronous
	// Event Requests that a controller takes, and own the drive's own
	// Controller ID.
	version, events, own atomic.Uint32
}

// oldVersion is the Version property of drives that do not tell theirs, 1.0.
const oldVersion = 1 << 16

func newSubsystem(s Subsystem) *subsystem {
	sub := &subsystem{Subsystem: s, learned: make(chan struct{})}
	sub.version.Store(oldVersion)
	sub.events.Store(1)
	sub.scheduler, _ = s.Drive.(Scheduler)
	sub.keepAliver, _ = s.Drive.(KeepAliver)
	sub.resetter, _ = s.Drive.(Resetter)
	return sub
}

// Places in Identify Controller.
const (
	atControllerID = 78
	atVersion      = 80
	atAERL         = 259
)

// learn asks the drive for its version. A drive that does not answer is taken
// for one of NVMe 1.0.
func (s *subsystem) learn(ctx context.Context) {
	defer close(s.learned)
	ctx, cancel := context.WithTimeout(ctx, learnTime)
	defer cancel()
	page := make([]byte, identifyBytes)
	cmd := &nvme.Command{Opcode: nvme.AdminIdentify, CDW10: uint32(nvme.CNSController), Data: page}
	c, err := s.Drive.Submit(ctx, cmd)
	if err != nil || !c.Status.OK() {
		return
	}
	if v := binary.LittleEndian.Uint32(page[atVersion:]); v != 0 {
		s.version.Store(v)
	}
	s.own.Store(uint32(le16(page[atControllerID:])))
	s.events.Store(min(uint32(page[atAERL])+1, adminEvents))
}

// await returns when the drive has been asked, or has not answered.
func (s *subsystem) await(ctx context.Context) {
	t := time.NewTimer(learnTime)
	defer t.Stop()
	select {
	case <-s.learned:
	case <-t.C:
	case <-ctx.Done():
	}
}
