package bench

import "strconv"

// WorkerEnv returns the environment variables, besides those it inherits, that
// a worker process with that many workers needs. GODEBUG turns off the signals
// by which the Go scheduler interrupts a thread; GOMAXPROCS leaves a slot for
// the protocol while every worker occupies one.
func WorkerEnv(workers int) []string {
	return []string{
		"GODEBUG=asyncpreemptoff=1",
		"GOMAXPROCS=" + strconv.Itoa(max(workers, 1)+1),
	}
}
