package bench

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
	"qd1.example/qd1/internal/uring"
)

// trialLimit is how long the trial of an engine may take.
const trialLimit = 5 * time.Second

// pollError says what polling for completions needs.
func pollError(cause string, err error) error {
	return &Error{
		Cause: cause,
		Hint: "polling needs an NVMe drive with polling queues (boot with nvme.poll_queues=4, or reload the module nvme with poll_queues=4), " +
			"direct I/O, and a file system that passes it on (ext4, xfs); loop and virtual disks cannot do it: run without --io-poll",
		Err: errors.Join(ErrBadJob, err),
	}
}

// checkPollQueues refuses a device without queues that are polled: the kernel
// before 6.11 would wait for its interrupts instead and say nothing. A device
// that sysfs does not tell about is left to the trial.
func checkPollQueues(sys string, fd int) error {
	disk, text := queueAttribute(sys, fd, "io_poll")
	if text == "0" {
		return pollError(fmt.Sprintf("%s has no queues that the kernel polls (queue/io_poll is 0)", disk), unix.EOPNOTSUPP)
	}
	return nil
}

// trialBytes returns the size of the block that a trial reads.
func trialBytes(s Spec) int {
	if s.Job.BlockBytes > 0 {
		return s.Job.BlockBytes
	}
	return s.Target.unit()
}

// trial reads one block, where the job begins, and returns what the kernel
// answers.
func (u *ringEngine) trial(ring *uring.Ring, s Spec, registered bool) (int32, error) {
	n := trialBytes(s)
	buffer, err := rawio.Alloc(n)
	if err != nil {
		return 0, err
	}
	r := Request{Offset: s.Job.Start, Data: buffer.Bytes()[:n:n]}
	slot := -1
	if registered && ring.RegisterBuffer(0, r.Data) {
		slot = 0
	}
	if u.namespace != nil {
		u.namespace.command(&u.command, false, r.Offset, n)
		ring.Command(0, &u.command, r.Data, slot)
	} else {
		ring.Read(0, r.Data, r.Offset, slot)
	}
	for until := time.Now().Add(trialLimit); time.Now().Before(until); {
		if err := passing(ring.SubmitAndWait(1, uringPatience)); err != nil {
			return 0, errors.Join(err, buffer.Free())
		}
		if _, result, ok := ring.Next(); ok {
			return result, buffer.Free()
		}
	}
	// The buffer stays: the drive may still write to it.
	return 0, stalled(trialLimit)
}
