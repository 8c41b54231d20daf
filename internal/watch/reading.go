package watch

import (
	"context"
	"time"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// Who names a drive.
type Who struct {
	// Device is the name of the controller, such as "nvme0", or what the user
	// wrote for a drive that is not of this computer.
	Device string `json:"device"`
	// Serial is the serial number, "" until the drive was opened once.
	Serial string `json:"serial"`
	// Model is the model number, "" until then.
	Model string `json:"model"`
	// Simulated says that no real drive stands behind it.
	Simulated bool `json:"simulated"`
}

// Reading is what one look at a drive gave.
type Reading struct {
	// At is when the SMART log was read.
	At time.Time
	// SMART is the SMART / Health log.
	SMART nvme.SMARTLog
	// IO are the statistics of the drive's block devices together, nil where
	// the host keeps none.
	IO *conditions.Counters
	// Link is the PCI Express link, nil where there is none.
	Link *sysfs.Link
}

// Session is an open drive.
type Session interface {
	// Read looks at the drive once. It returns when ctx ends.
	Read(ctx context.Context) (*Reading, error)
	// Close releases the drive.
	Close() error
}

// Drive is a drive that is watched.
type Drive struct {
	// Who is what is known before the drive is open, at least Device.
	Who Who
	// Open opens the drive, and says who it is. It is called again after the
	// drive was lost, so that one that comes back is found.
	Open func() (Session, Who, error)
}
