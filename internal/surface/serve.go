package surface

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/rawio"
)

// Serve is the worker's side, in a process that does nothing else: it reads a
// [Job] as one line of JSON, reads what that says, and writes a [Line] for each
// chunk at once, so that the other side knows which chunk holds it. The end of
// the process ends it.
func Serve(in io.Reader, out io.Writer, open func(bench.Spec) (bench.Engine, error)) error {
	err := serve(in, out, open)
	end := Line{End: true}
	if err != nil {
		end.Error = err.Error()
		if errors.Is(err, bench.ErrGone) {
			end.Kind = gone
		}
	}
	return errors.Join(err, writeLine(out, end))
}

// mostJob is the longest first line, bytes: a scan that is in many pieces.
const mostJob = 64 << 20

func serve(in io.Reader, out io.Writer, open func(bench.Spec) (bench.Engine, error)) error {
	var job Job
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mostJob)
	if !lines.Scan() {
		return errors.Join(errors.New("there is no job"), lines.Err())
	}
	if err := json.Unmarshal(lines.Bytes(), &job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	if err := job.check(); err != nil {
		return err
	}
	spec := bench.Spec{Target: job.Target, Job: bench.Job{
		Engine: bench.EnginePsync, Op: bench.OpRead, Pattern: bench.Sequential, BlockBytes: job.ChunkBytes, QueueDepth: 1, Workers: 1, Operations: 1,
	}}
	engine, err := open(spec)
	if err != nil {
		return err
	}
	memory, err := rawio.Alloc((job.ChunkBytes + 4095) &^ 4095)
	if err != nil {
		return errors.Join(err, engine.Close())
	}
	r := &reader{engine: engine, memory: memory.Bytes(), unit: int64(unitOf(job.Target)), splits: job.Splits, out: out}
	err = r.all(&job)
	return errors.Join(err, engine.Close(), memory.Free())
}

// reader reads chunks, one at a time.
type reader struct {
	engine bench.Engine
	memory []byte
	unit   int64
	splits int
	out    io.Writer
	events [1]bench.Event
}

// all reads the extents of a job.
func (r *reader) all(job *Job) error {
	chunk := int64(job.ChunkBytes)
	for _, e := range job.Extents {
		for at := e.Offset; at < e.End(); at += chunk {
			line, err := r.chunk(Extent{at, min(chunk, e.End()-at)})
			if err != nil {
				return err
			}
			if err := writeLine(r.out, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunk reads a chunk, and if that fails the parts of it.
func (r *reader) chunk(e Extent) (Line, error) {
	line := Line{Extent: e}
	began := time.Now()
	failed, err := r.read(e)
	took := time.Since(began)
	switch {
	case err != nil:
		return line, err
	case failed == nil:
		line.Nanoseconds = max(took.Nanoseconds(), 1)
		return line, nil
	}
	line.Bad, err = r.split(nil, e, failed)
	return line, err
}

// split finds what cannot be read of an extent that has failed as a whole, by
// halves.
func (r *reader) split(bad []Bad, e Extent, failed error) ([]Bad, error) {
	if e.Bytes <= r.unit || r.splits <= 0 {
		return appendBad(bad, Bad{Extent: e, Error: failed.Error(), Whole: e.Bytes > r.unit}), nil
	}
	half := (e.Bytes/r.unit + 1) / 2 * r.unit
	for _, part := range []Extent{{e.Offset, half}, {e.Offset + half, e.Bytes - half}} {
		r.splits--
		failed, err := r.read(part)
		if err == nil && failed != nil {
			bad, err = r.split(bad, part, failed)
		}
		if err != nil {
			return bad, err
		}
	}
	return bad, nil
}

// appendBad adds a part, to the one before it if they belong together.
func appendBad(bad []Bad, b Bad) []Bad {
	if n := len(bad); n > 0 && bad[n-1].End() == b.Offset && bad[n-1].Error == b.Error && bad[n-1].Whole == b.Whole {
		bad[n-1].Bytes += b.Bytes
		return bad
	}
	return append(bad, b)
}

// read reads an extent. failed is why it cannot be read; err ends everything.
func (r *reader) read(e Extent) (failed, err error) {
	request := bench.Request{Offset: e.Offset, Data: r.memory[:e.Bytes:e.Bytes]}
	n, err := r.engine.Submit([]bench.Request{request})
	if err != nil || n != 1 {
		return nil, errors.Join(err, engineRefuses(n))
	}
	for n = 0; n == 0; {
		if n, err = r.engine.Reap(r.events[:], 1); err != nil {
			return nil, err
		}
	}
	event := &r.events[0]
	failed = event.Err
	if failed == nil && event.Bytes != len(request.Data) {
		failed = io.ErrUnexpectedEOF
	}
	if g, ok := r.engine.(bench.GoneChecker); ok && failed != nil && g.Gone() {
		return nil, fmt.Errorf("%w: %w", bench.ErrGone, failed)
	}
	return failed, nil
}

// engineRefuses is the error of an engine that takes nothing.
func engineRefuses(n int) error {
	if n == 1 {
		return nil
	}
	return errors.New("the engine takes no request")
}

// writeLine writes v as one line in one call of Write.
func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
