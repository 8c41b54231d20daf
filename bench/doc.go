// Package bench measures block storage: workloads, engines, histograms and
// the protocol of the worker process that runs the measuring loop.
//
// [Run] drives one [Engine] through one [Job] on one [Target] and returns a
// [Result]. The package prints nothing and starts no process; a program that
// wants the measuring loop in a process of its own starts itself with
// [WorkerEnv] and connects [Serve] there with [Converse] here. That is how qd1
// measures, because a garbage collection or a blocked system call in the
// program must not disturb the loop, and a drive that never answers must not
// freeze the program.
//
// # Method
//
// A worker is a goroutine locked to its thread and pinned to one CPU. Latency
// is the time from just before the submission of one request to the moment
// its completion has been seen, in nanoseconds of the monotonic clock; the
// cost of two clock reads is in it. Whatever else the loop does, it does
// after the second stamp. Memory is allocated before the loop starts.
//
// With a rate, operations are due at even intervals, however slow the drive is:
// Latency counts from the submission, Corrected from when an operation was due.
// The thread sleeps until shortly before the next one is due and then waits awake,
// which is in the processor time of the result. With a think time it sleeps.
//
// A percentile is given only if ten samples lie beyond it. It is at most 1/128
// away from the sample at its rank (see [Histogram]), and stands with an interval
// (see [LatencyIntervalsOf]).
//
// # Memory
//
// A run allocates what it needs before it starts: buffers, histograms, the list
// of the slowest operations, and the places of errors have a fixed size. Neither
// an operation nor a failure nor the progress of a second allocates, so that a
// worker process without a garbage collector needs as much memory in hours as in
// seconds. The exception are errors that make their text anew, which are asked
// for it a limited number of times.
//
// # Writing
//
// A job that writes runs only on a [Target] that says that it is Writable, and on
// a block device only through the descriptor that it names. [Run] and [Serve]
// check that before anything is opened, and nothing else in the package writes to
// a target. Who may call a target Writable is decided above this package. What is
// written differs in every 512 bytes and every time, unless the job asks for
// zeros.
package bench
