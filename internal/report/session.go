package report

import (
	"context"
	"time"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// Session is a drive that has said who it is: what a command that shows one
// section starts from.
type Session struct {
	*nvme.Controller
	Drive    *Drive
	Identity Identity
	ID       *nvme.IdentifyController
}

// Begin reads Identify Controller of the drive. Each command of the session is
// bounded by timeout.
func Begin(ctx context.Context, d *Drive, timeout time.Duration) (*Session, error) {
	s := &Session{
		Controller: nvme.NewController(&probe{dev: d.Passthru, timeout: timeout}),
		Drive:      d,
		Identity:   hostIdentity(d),
	}
	id, err := ReadIdentify(ctx, s.Controller)
	if err != nil {
		return nil, problemOf(err)
	}
	s.ID = id
	s.Identity.fromController(id, Partial{})
	s.Identity.fromDatabase(drivedb.Lookup(s.Identity.Model))
	return s, nil
}

// Namespace reads one namespace. An inactive one is an error.
func (s *Session) Namespace(ctx context.Context, nsid nvme.NSID) (*Namespace, error) {
	ns := readNamespace(ctx, s.Controller, s.ID, nsid)
	if ns.Problem != nil {
		return nil, ns.Problem
	}
	if ns.Fields.Inactive() {
		return nil, &Problem{Kind: KindNoData, Text: "this namespace is not active", Hint: "qd1 list shows the namespaces of each drive; --allocated reads one that is not attached"}
	}
	ns.fromHost(s.Drive.Host)
	return &ns, nil
}

// DefaultNSID is the namespace that the user pointed at, or the first active
// one.
func (s *Session) DefaultNSID(ctx context.Context) (nvme.NSID, error) {
	if s.Drive.NSID != 0 {
		return s.Drive.NSID, nil
	}
	nsids, err := s.ActiveNamespaces(ctx, s.ID)
	if err != nil {
		return 0, problemOf(err)
	}
	if len(nsids) == 0 {
		return 0, &Problem{Kind: KindNoData, Text: "the drive has no active namespace"}
	}
	return nsids[0], nil
}

// ReadSMARTSection reads the SMART log with the drive's limits.
func (s *Session) ReadSMARTSection(ctx context.Context) (*SMART, error) {
	l, err := ReadSMART(ctx, s.Controller)
	if err != nil {
		return nil, problemOf(err)
	}
	section := NewSMART(l)
	section.setLimits(s.ID)
	return section, nil
}

// ReadFirmware reads the firmware slots.
func (s *Session) ReadFirmware(ctx context.Context) (*Firmware, error) {
	log, err := s.FirmwareSlotLog(ctx)
	if err != nil {
		return nil, problemOf(err)
	}
	return NewFirmware(log, s.ID), nil
}
