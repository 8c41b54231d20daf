package sata

import "fmt"

// Codes that the kernel writes into the header.
const (
	hostNoConnect = 1
	hostTimeout   = 3
	hostBadTarget = 4
	driverTimeout = 6

	statusGood  = 0x00
	statusCheck = 0x02
	statusBusy  = 0x08
)

// verdict tells success from failure and returns the registers that came with
// it, nil for none.
func (o *outcome) verdict(c *command) (*Registers, error) {
	if err := o.transport(c); err != nil {
		return nil, err
	}
	var sense *Sense
	if len(o.sense) > 0 {
		var err error
		if sense, err = ParseSense(o.sense); err != nil {
			return nil, &CommandError{Command: c.name, Detail: err.Error(), Err: ErrIO}
		}
	}
	switch {
	case o.status == statusGood && sense == nil:
		return nil, nil
	case sense != nil:
		return sense.verdict(c)
	case o.status == statusBusy:
		return nil, &CommandError{Command: c.name, Detail: scsiStatus(o.status), Err: ErrNotReady}
	}
	return nil, &CommandError{Command: c.name, Detail: scsiStatus(o.status), Err: ErrIO}
}

// transport returns the failure of the way to the drive, nil for none.
func (o *outcome) transport(c *command) error {
	kind := ErrIO
	switch {
	case o.host == hostTimeout || o.driver == driverTimeout:
		kind = ErrTimeout
	case o.host == hostNoConnect || o.host == hostBadTarget:
		kind = ErrGone
	case o.host == 0:
		return nil
	}
	return &CommandError{Command: c.name, Detail: fmt.Sprintf("host adapter: %s", hostStatus(o.host)), Err: kind}
}

// verdict reads the sense data of an answer. Sense data is no failure by
// itself: it also carries the registers of a command that has succeeded.
func (s *Sense) verdict(c *command) (*Registers, error) {
	fail := func(kind error) (*Registers, error) {
		return nil, &CommandError{Command: c.name, Sense: s, Err: kind}
	}
	if s.Registers != nil && s.Registers.Failed() {
		return fail(failure(s.Registers))
	}
	switch s.Key {
	case keyNoSense, keyRecovered:
		return s.Registers, nil
	case keyIllegalRequest:
		return fail(ErrNotTranslated)
	case keyAborted:
		return fail(ErrAborted)
	case keyNotReady:
		return fail(ErrNotReady)
	case keyUnitAttention:
		return fail(errAttention)
	}
	return fail(ErrIO)
}

// failure tells a refusal from an error of the drive.
func failure(r *Registers) error {
	if r.Status&statusFault == 0 && r.Error&errorAbort != 0 {
		return ErrAborted
	}
	return ErrIO
}
