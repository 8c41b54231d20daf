package report

import (
	"context"
	"errors"
	"fmt"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// LogListing is a log page that there can be, and whether this drive has it.
type LogListing struct {
	// LID is the page.
	LID nvme.LID `json:"lid"`
	// Name is the word for it on the command line.
	Name string `json:"name"`
	// Title is what it is.
	Title string `json:"title"`
	// Listed says that the drive lists the page, so that it is asked for.
	Listed bool `json:"listed"`
	// Why says why it is not asked for, "" if it is.
	Why string `json:"why,omitempty"`
}

// List returns the log pages of the specification and of the vendor, and every
// other one that the drive lists.
func (r *LogReader) List(ctx context.Context) ([]LogListing, error) {
	var list []LogListing
	for i := range 256 {
		lid := nvme.LID(i)
		listed, why, err := r.Listed(ctx, lid)
		if err != nil {
			return nil, err
		}
		page, known := spec.LogPageOf(lid)
		v := r.vendorLog(lid)
		if !known && v == nil && !listed {
			continue
		}
		l := LogListing{LID: lid, Name: page.Name, Title: lid.String(), Listed: listed, Why: why}
		if known {
			l.Title = page.Structure.Title
		} else {
			l.Name = fmt.Sprintf("0x%02x", i)
		}
		if v != nil {
			l.Title = v.Name
		}
		list = append(list, l)
	}
	return list, nil
}

// persistentProblem says what to do about a reporting context of somebody else.
func persistentProblem(err error) error {
	if !errors.Is(err, nvme.ErrPersistentEventContext) {
		return err
	}
	p := problemOf(err)
	p.Text = err.Error()
	p.Hint = "another program reads the log now, or was killed while it did; --release ends its context"
	return p
}
