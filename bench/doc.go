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
// # Writing
//
// A job that writes runs only on a [Target] that says that it is Writable, and on
// a block device only through the descriptor that it names. [Run] and [Serve]
// check that before anything is opened, and nothing else in the package writes
// to a target. Who may call a target Writable is decided above this package.
package bench
