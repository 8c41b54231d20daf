package erase

import (
	"context"
	"errors"
)

var errNotWritten = errors.New("erase: not written yet")

// Choose chooses the technique for a drive. The error says what the drive does
// not have or what was not named, with what there is.
func Choose(f Facts, r Request) (*Method, error) { return nil, errNotWritten }

// NewPlan returns the record of an erase that nobody has agreed to yet.
func NewPlan(d *Deps) *Record { return nil }

// Run does the erase. The record is never nil and says all, the error included.
func Run(ctx context.Context, d *Deps) (*Record, error) { return nil, errNotWritten }

// Class returns the outcome in one word.
func (r *Record) Class() Class { return r.Result }
