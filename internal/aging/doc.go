// Package aging is a drive before and after hours of a treatment, as a job: a
// set of runs at queue depth 1, the treatment with a probe now and then, the
// same set again, and whether anything changed.
//
// # The job
//
// [NewPlan] says what will be done, how long it takes and what it wears out.
// [Run] does it, [Resume] carries on after Ctrl-C, a crash, a restart or a power
// cut, and [StatusOf] tells how far it is. What was measured lies beside the
// journal in a file for each step, on stable storage before the journal says
// that the step is done, so that nothing is measured twice, and a journal that
// lost its end finds what it was told.
//
// The treatment counts only while it lasts: the time of a probe, of a pause and
// of an interruption is not among it.
//
// # What is watched
//
// After each step the drive is asked for its health. Above the limit of
// temperature the job waits until the drive is 5 K below it. It ends with what
// it has if media errors or a critical warning come up, or if the drive stays
// too hot. A drive that is gone, or is another one, ends the run and not the
// job.
//
// # What is written
//
// The modes idle and read write nothing to the drive. The mode mixed writes no
// more than its budget, also if it is killed at any moment: what a slice may
// write is in the journal before it begins, and counts as written if nobody
// knows.
package aging
