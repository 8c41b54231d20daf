// Package journal keeps on stable storage what a job has done so far, so that
// a crash at any moment leaves known what the drive may have been told.
package journal
