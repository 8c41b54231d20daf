package bench

// Request is one read or write of len(Data) bytes at Offset.
type Request struct {
	// Offset in bytes, a multiple of the job's block size.
	Offset int64
	// Data is page-aligned memory outside the Go heap. It does not change its
	// place for the life of the engine.
	Data []byte
	// Buffer is the number of Data and comes back in the event. A job that
	// only reads or only writes uses those from 0 to the queue depth less 1; one
	// that mixes has as many more for what it writes.
	Buffer int
	// Write says that Data is written. Only a target that is Writable gets such
	// requests.
	Write bool
}

// Event is the completion of one request.
type Event struct {
	// Buffer is that of the request.
	Buffer int
	// Bytes that were read or written. Fewer than asked for is an error to the caller.
	Bytes int
	// Err is what this request failed with, an errno where there is one. The
	// engine goes on.
	Err error
}

// Engine submits requests and collects completions. It belongs to one worker
// at a time. Neither method may allocate once every buffer has been used.
type Engine interface {
	// Submit starts requests in order and returns how many it took; fewer than
	// given means that it is full. An error ends the run. A synchronous engine
	// does the request here; another may leave what it took to the next call of
	// Submit or Reap. Requests that are given together are submitted together.
	// The engine may keep Data, not the slice.
	Submit(requests []Request) (int, error)
	// Reap waits for at least min completions, fills events and returns their
	// number. With a min of 0 it does not wait. It may give up after 0.1 s and return fewer, so that the caller
	// can look at the time. An error ends the run.
	Reap(events []Event, min int) (int, error)
	// Close gives up the target. Requests in flight must be allowed to end.
	Close() error
}

// Forker is an engine that can be used by several workers. Fork returns one
// more engine on the same target. [Run] closes what Fork returned.
type Forker interface{ Fork() (Engine, error) }

// DepthLimiter is an engine whose queue is limited. [Run] refuses a job with a
// larger queue depth.
type DepthLimiter interface{ MaxQueueDepth() int }

// Namer is an engine that names itself in the result instead of Job.Engine.
type Namer interface{ Name() string }

// GoneChecker is an engine that can tell whether its device has left the
// system. It is asked after a failed request.
type GoneChecker interface{ Gone() bool }

// Describer is an engine that tells what it uses of the kernel, such as
// "registered buffers", for the result. It is asked after the run and before
// Close.
type Describer interface{ Flags() []string }

// Telemeter is an engine that can tell the state of its drive while it is in
// use, as that of a simulated drive can, which nobody else sees. It is asked once
// a second, on another goroutine than the one that submits, and must not
// allocate. ok is false if the drive tells nothing.
type Telemeter interface{ Telemetry() (t Telemetry, ok bool) }

// Telemetry is the state of a drive at one moment.
type Telemetry struct {
	// Celsius is the composite temperature.
	Celsius int `json:"celsius"`
	// Throttles is how often the drive has entered thermal management, both
	// states together, in its life.
	Throttles uint64 `json:"throttles"`
}

// Open opens an engine of this package by the name in the job. The target is
// opened for writing only if the job writes.
func Open(s Spec) (Engine, error) {
	switch s.Job.Engine {
	case EnginePsync:
		return newPsync(s)
	case EngineUring:
		return newUring(s)
	case EnginePassthru:
		return newPassthru(s)
	case EngineIoctl:
		return newIoctl(s)
	case EngineNull:
		return NewNull(), nil
	case EngineRAM:
		return NewRAM()
	}
	return nil, badJob("engine %q is not known", s.Job.Engine)
}

// reading is the spec of a job that only reads t.
func reading(t Target) Spec { return Spec{Target: t, Job: Job{Op: OpRead}} }

// writing reports whether the job writes.
func (s Spec) writing() bool { return s.Job.Op == OpWrite || s.Job.Op == OpMix }
