package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// Spec is one run: what, and on what. It is the first line of the protocol.
type Spec struct {
	Target Target `json:"target"`
	Job    Job    `json:"job"`
}

// check reports why the job cannot run on the target. Nothing is opened for a
// job that fails it.
func (s Spec) check() error {
	if err := s.Job.Validate(); err != nil {
		return err
	}
	return s.Target.check(s.Job)
}

// Runner runs a spec somewhere, as [Run] does here.
type Runner func(ctx context.Context, s Spec, observe Observer) (*Result, error)

// Serve is the worker's side of the protocol, in a process that does nothing
// else and was started with [WorkerEnv]. It reads a [Spec] as one line of JSON
// from in, opens the engine and runs the job. To out it writes one line
// {"progress":…} a second, also while the drive does not answer, and at last
// {"result":…}, {"error":…} or both in one line. The end of in, because the
// parent closed it or died, ends the run.
//
// Serve turns the garbage collector off; a run allocates as much in hours as in
// seconds. The error it returns has been written
// to out already, unless writing is what failed. After [ErrStalled] the process
// may be unable to exit until the kernel gives up on the drive; the parent must
// not wait for it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open func(Spec) (Engine, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	result, err := serve(ctx, cancel, in, out, open)
	m := message{Result: result, Error: encodeError(err)}
	return errors.Join(err, writeLine(out, m))
}

var errParentGone = errors.New("the parent closed the pipe")

func serve(ctx context.Context, cancel context.CancelCauseFunc, in io.Reader, out io.Writer, open func(Spec) (Engine, error)) (*Result, error) {
	lines := newLines(in)
	spec, err := readSpec(lines)
	if err != nil {
		return nil, err
	}
	go func() {
		for lines.Scan() {
		}
		cancel(errParentGone)
	}()
	if err := spec.check(); err != nil {
		return nil, err
	}
	engine, err := open(spec)
	if err != nil {
		return nil, err
	}
	collect := debug.SetGCPercent(-1)
	line := make([]byte, 0, maxProgress)
	result, err := Run(ctx, engine, spec.Target, spec.Job, func(p Progress) {
		line = appendProgress(line[:0], &p)
		if _, err := out.Write(line); err != nil {
			cancel(errParentGone)
		}
	})
	if errors.Is(err, ErrStalled) || errors.Is(err, ErrInterrupted) {
		// A thread may be stuck: whatever stops the world would hang.
		return result, err
	}
	debug.SetGCPercent(collect)
	return result, errors.Join(err, engine.Close())
}

// readSpec reads the first line.
func readSpec(lines *bufio.Scanner) (Spec, error) {
	if !lines.Scan() {
		return Spec{}, fmt.Errorf("read the job: %w", cmpErr(lines.Err(), io.ErrUnexpectedEOF))
	}
	var s Spec
	if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
		return Spec{}, fmt.Errorf("read the job: %w", err)
	}
	return s, nil
}

// cmpErr returns err, or other if it is nil.
func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
