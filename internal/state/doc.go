// Package state knows where the results of jobs are kept, and writes files
// that survive a crash at any moment.
//
// The functions make no promise beyond that of the file system and the drive
// under it: a sync that both confirm is taken for stable storage.
package state
