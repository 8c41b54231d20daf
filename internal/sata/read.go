package sata

import (
	"context"
	"errors"
	"fmt"
)

// Identify reads and decodes IDENTIFY DEVICE data.
func (d *Device) Identify(ctx context.Context) (*Identity, error) {
	a, err := d.do(ctx, identifyDevice())
	if err != nil {
		return nil, err
	}
	return ParseIdentity(a.data)
}

// Attributes reads the SMART attributes and their thresholds. A drive that
// refuses the thresholds, which the standard no longer has, gives attributes
// without.
func (d *Device) Attributes(ctx context.Context, id *Identity) (*Attributes, error) {
	data, err := d.do(ctx, readData())
	if err != nil {
		return nil, err
	}
	limits, err := d.do(ctx, readThresholds())
	if err != nil && !errors.Is(err, ErrAborted) {
		return nil, err
	}
	return ParseAttributes(data.data, limits.data, id.Model, id.SolidState != nil && *id.SolidState)
}

// Status is the answer to SMART RETURN STATUS.
type Status string

// The answers: no threshold is exceeded, or one is.
const (
	StatusPassed Status = "passed"
	StatusFailed Status = "failed"
)

// Status asks whether a threshold is exceeded. Errors match
// [ErrNoRegisters] and [ErrUnknownStatus] beside those of every command.
func (d *Device) Status(ctx context.Context) (Status, error) {
	a, err := d.do(ctx, returnStatus())
	if err != nil {
		return "", err
	}
	return statusOf(a.registers)
}

func statusOf(r *Registers) (Status, error) {
	if r == nil {
		return "", fmt.Errorf("SMART RETURN STATUS: %w", ErrNoRegisters)
	}
	switch {
	case r.LBAMid == signatureMid && r.LBAHigh == signatureHigh:
		return StatusPassed, nil
	case r.LBAMid == exceededMid && r.LBAHigh == exceededHigh:
		return StatusFailed, nil
	}
	return "", fmt.Errorf("SMART RETURN STATUS: %w: registers %02xh %02xh", ErrUnknownStatus, r.LBAMid, r.LBAHigh)
}

// Directory reads which logs the drive has.
func (d *Device) Directory(ctx context.Context) (*Directory, error) {
	a, err := d.do(ctx, readLog(logDirectory, 1))
	if err != nil {
		return nil, err
	}
	return ParseDirectory(a.data)
}

// ErrorLog reads the Summary SMART error log.
func (d *Device) ErrorLog(ctx context.Context) (*ErrorLog, error) {
	a, err := d.do(ctx, readLog(logErrors, 1))
	if err != nil {
		return nil, err
	}
	return ParseErrorLog(a.data)
}

// SelfTestLog reads the SMART self-test log.
func (d *Device) SelfTestLog(ctx context.Context) (*SelfTestLog, error) {
	a, err := d.do(ctx, readLog(logSelfTest, 1))
	if err != nil {
		return nil, err
	}
	return ParseSelfTestLog(a.data)
}

// Statistics reads the Device Statistics log, of which the directory says how
// many sectors it has. Errors match [ErrAborted] where that is none.
func (d *Device) Statistics(ctx context.Context, dir *Directory) (*Statistics, error) {
	sectors := min(dir[logStatistics], statisticsPages)
	if sectors == 0 {
		return nil, fmt.Errorf("device statistics: %w: the drive has no such log", ErrAborted)
	}
	a, err := d.do(ctx, readLog(logStatistics, sectors))
	if err != nil {
		return nil, err
	}
	return ParseStatistics(a.data)
}
