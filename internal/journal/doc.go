// Package journal keeps on stable storage what a job has done so far, so that
// a crash at any moment leaves known what the drive may have been told.
//
// A job is one file of JSON Lines: a header, then one entry for each step, each
// synced before the step is taken. The process that runs the job holds the
// lock of the file; a job without its last entry whose lock is free was broken
// off. What a reader does not know, such as a state of a newer version, it
// hands on as it is.
package journal
