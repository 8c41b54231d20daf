package sim

import (
	"context"
	"io"
	"time"

	"qd1.example/qd1/nvme"
)

// BeginAt starts an access of the first namespace, as [Drive.ReadAt] or
// [Drive.WriteAt] does it, without waiting for its end, so that several can be
// under way at once. The data have moved when it returns; whoever measures has
// to wait until end, which is also given with an error. A drive with a fault
// script answers in its own time: BeginAt waits itself then.
func (d *Drive) BeginAt(write bool, p []byte, off int64) (n int, end time.Time, err error) {
	if d.faults != nil || d.trace != nil || d.silent[nvme.IOQueue] || d.controller.personality.dead {
		n, err = d.accessAt(write, p, off)
		return n, time.Now(), err
	}
	if err := d.answering(context.Background(), nvme.IOQueue); err != nil {
		return 0, time.Now(), err
	}
	if off < 0 || off+int64(len(p)) > d.Size() {
		return 0, time.Now(), io.EOF
	}
	op := uint8(nvme.IORead)
	if write {
		op = nvme.IOWrite
	}
	r, nsid := d.controller.access(op, p, off)
	end = d.medium.epoch.Add(r.end)
	if err := accessError(op, nsid, &r); err != nil {
		return 0, end, err
	}
	return len(p), end, nil
}

// accessAt does one access and waits for it.
func (d *Drive) accessAt(write bool, p []byte, off int64) (int, error) {
	if write {
		return d.WriteAt(p, off)
	}
	n, err := d.ReadAt(p, off)
	if err == io.EOF && n == len(p) {
		err = nil
	}
	return n, err
}
