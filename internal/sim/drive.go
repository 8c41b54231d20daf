package sim

import (
	"context"
	"errors"

	"qd1.example/qd1/nvme"
)

// Profile describes a simulated drive that Open knows.
type Profile struct {
	// Name is what Open takes.
	Name string
	// Text says in one line what the drive is.
	Text string
}

// Profiles returns the known profiles.
func Profiles() []Profile { return nil }

// Drive is a simulated drive.
type Drive struct{}

// Open returns a new drive.
func Open(profile string) (*Drive, error) { return nil, errors.New("stub") }

// Submit implements nvme.Passthru.
func (d *Drive) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	return nvme.Completion{}, errors.New("stub")
}

// ReadAt reads.
func (d *Drive) ReadAt(p []byte, off int64) (int, error) { return 0, errors.New("stub") }

// WriteAt writes.
func (d *Drive) WriteAt(p []byte, off int64) (int, error) { return 0, errors.New("stub") }

// Close releases the drive.
func (d *Drive) Close() error { return nil }

// Size returns the size in bytes.
func (d *Drive) Size() int64 { return 0 }

// BlockBytes returns the size of a logical block.
func (d *Drive) BlockBytes() int { return 0 }

// Sysfs returns what a host would show.
func (d *Drive) Sysfs() (texts, links map[string]string) { return nil, nil }
