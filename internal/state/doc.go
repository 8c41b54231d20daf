// Package state knows where the results of jobs are kept, and writes files
// that survive a crash at any moment.
package state
