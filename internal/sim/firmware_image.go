package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"qd1.example/qd1/nvme"
)

// Activation is how a simulated firmware image becomes the running one.
type Activation uint8

// The ways of activation. Each is answered with the status of its name.
const (
	// AnyReset is activated by any reset, or without one where the drive can.
	AnyReset Activation = iota
	// ControllerReset needs a controller level reset.
	ControllerReset
	// SubsystemReset needs an NVM subsystem reset.
	SubsystemReset
	// ConventionalReset needs a power cycle.
	ConventionalReset
	// TooLongActivation takes longer than MTFA without a reset.
	TooLongActivation
	// ProhibitedActivation is never activated.
	ProhibitedActivation
)

// status is what Firmware Commit answers.
//
// Source: NVM Express Base Specification, Revision 2.0, Firmware Commit
// command, Command Specific Status Values.
func (a Activation) status() nvme.Status {
	switch a {
	case ControllerReset:
		return nvme.StatusFirmwareNeedsControllerReset
	case SubsystemReset:
		return nvme.StatusFirmwareNeedsSubsystemReset
	case ConventionalReset:
		return nvme.StatusFirmwareNeedsConventionalReset
	case TooLongActivation:
		return nvme.StatusFirmwareNeedsMaximumTimeViolation
	case ProhibitedActivation:
		return nvme.StatusFirmwareActivationProhibited
	}
	return nvme.StatusSuccess
}

// resetBy returns the least reset that activates the image.
func (a Activation) resetBy() resetKind {
	switch a {
	case SubsystemReset:
		return subsystemReset
	case ConventionalReset:
		return powerCycle
	}
	return controllerReset
}

// beyondReset reports whether a controller level reset is not enough.
func (a Activation) beyondReset() bool { return a.resetBy() > controllerReset }

// FirmwareImage is a firmware that simulated drives take. It has no code: it
// tells the model what to become.
type FirmwareImage struct {
	// Model is the Model Number of the drives that take it, without padding.
	Model string
	// Revision is what Identify says while it runs, at most 8 characters.
	Revision string
	// Needs is how it becomes the running firmware.
	Needs Activation
}

const (
	imageMagic  = "QD1FWSIM"
	imageHeader = 64
	imageAlign  = 4096
)

// ErrImage is a file that is not the firmware of a simulated drive, or is
// damaged.
var ErrImage = errors.New("not a firmware image of a simulated drive")

// Bytes returns the image as a file of at least size bytes, a multiple of
// 4096: a header, filling and a checksum.
func (f FirmwareImage) Bytes(size int) ([]byte, error) {
	if len(f.Revision) > 8 || len(f.Model) > 40 || f.Revision == "" {
		return nil, fmt.Errorf("firmware %q of model %q: %w", f.Revision, f.Model, ErrImage)
	}
	b := make([]byte, (max(size, imageHeader+4)+imageAlign-1)/imageAlign*imageAlign)
	copy(b, imageMagic)
	copy(b[8:16], f.Revision)
	copy(b[16:56], f.Model)
	b[56] = byte(f.Needs)
	newGenerator(uint64(len(f.Revision))).fill(b[imageHeader:len(b)-4], 0)
	binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.ChecksumIEEE(b[:len(b)-4]))
	return b, nil
}

// parseFirmware reads an image.
func parseFirmware(b []byte) (FirmwareImage, error) {
	if len(b) < imageHeader+4 || string(b[:8]) != imageMagic ||
		crc32.ChecksumIEEE(b[:len(b)-4]) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return FirmwareImage{}, ErrImage
	}
	f := FirmwareImage{Model: nvme.CleanASCII(b[16:56]), Revision: nvme.CleanASCII(b[8:16]), Needs: Activation(b[56])}
	if f.Revision == "" || f.Needs > ProhibitedActivation {
		return FirmwareImage{}, ErrImage
	}
	return f, nil
}
