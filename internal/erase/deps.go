package erase

import (
	"context"
	"io"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// Deps is what a run needs.
type Deps struct {
	// Tool goes into the record.
	Tool Tool
	// Case is the drive as inspected for Method.Operation, Agreement what the
	// user consented to. [Resume] needs them only to repeat an erase.
	Case      *guard.Case
	Agreement *guard.Agreement
	Method    *Method
	// Journal is where the job is kept.
	Journal *journal.Store
	// Poll reads from the drive through a descriptor of its own: the progress
	// while a command is under way, and the drive's state for [Resume]. Nil
	// means that nothing is asked meanwhile.
	Poll nvme.Passthru
	// Open opens a namespace for reading, for the verification by [Resume]: its
	// block device may have another name than in the record.
	Open func(nsid nvme.NSID) (guard.BlockReader, error)
	// ControllerState returns the kernel's word for the state of the
	// controller, such as "live" or "resetting". Nil means that it is not
	// watched.
	ControllerState func() string
	// Inhibit keeps the host from sleep and shutdown until it is closed. Nil
	// means that there is nothing to ask.
	Inhibit func(ctx context.Context, why string) (io.Closer, error)
	// Prover verifies. Nil means that nothing is verified.
	Prover Prover
	// Observe is told what happens, by one goroutine at a time. Nil is fine.
	Observe func(Event)
	// Now and Wait are the clock; nil stands for the real one. Wait returns the
	// error of the context if that ends first.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error

	// written is called after each entry of the journal, for tests that crash.
	written func(State)
}

// Medium is a namespace as the verification sees it.
type Medium struct {
	// Name names it for people.
	Name     string
	NSID     nvme.NSID
	Bytes    int64
	LBABytes int
	io.ReaderAt
	// WriterAt is nil where nothing may be written.
	io.WriterAt
}

// Prover verifies that data are gone. It must end soon after its context does.
type Prover interface {
	// Before looks at the media before the erase, and plants canaries where
	// they can be written. It returns what After needs, which is kept on the
	// host until then and has no user data.
	Before(ctx context.Context, media []Medium, progress func(done, total int64)) (kept []byte, err error)
	// After looks again and says what the tiers show; that of the command is
	// given. A nil kept means that nothing is known of before.
	After(ctx context.Context, media []Medium, kept []byte, command proof.Tier, progress func(done, total int64)) (*Verification, error)
}

func (d *Deps) now() time.Time {
	if d.Now != nil {
		return d.Now()
	}
	return time.Now()
}

// wait waits, or returns the error of the context.
func (d *Deps) wait(ctx context.Context, span time.Duration) error {
	if d.Wait != nil {
		return d.Wait(ctx, span)
	}
	t := time.NewTimer(span)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
