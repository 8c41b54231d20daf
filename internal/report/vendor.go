package report

import (
	"context"
	"errors"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/vendor"
)

// VendorLogChoice says which log pages of the vendor are read. Only drives of
// families that are known to have such pages are asked for them.
type VendorLogChoice int

// The choices. VendorLogsSafe leaves out the pages that reading changes.
const (
	VendorLogsOff VendorLogChoice = iota
	VendorLogsSafe
	VendorLogsAll
)

// VendorLogs are the log pages that the vendor added to the specification.
type VendorLogs struct {
	// Pages are all pages that drives of this family may have, in the order in
	// which they were tried.
	Pages []vendor.Reading `json:"pages"`
	// WriteAmplification is null where the drive does not count what it writes
	// to its medium.
	WriteAmplification *vendor.Amplification `json:"write_amplification"`
}

// vendorLogs reads the vendor's pages. It stands after the benchmark, so that
// a drive that falls silent on them has been measured.
func (c *collection) vendorLogs(ctx context.Context) {
	id := c.facts.Controller
	if c.opt.VendorLogs == VendorLogsOff || id == nil || c.r.Source != nil || len(vendor.Logs(id, c.busVendor(id), c.r.Drive.Model)) == 0 {
		return
	}
	switch {
	case c.probe.lost != nil:
		c.r.VendorLogs.Problem = problemOf(c.probe.errLost())
		return
	case ctx.Err() != nil:
		c.r.VendorLogs.Problem = problemOf(ctx.Err())
		return
	}
	c.opt.step("reading the logs of the vendor")
	pages := vendor.Read(ctx, c.ctl, id, c.r.Drive.Model, c.opt.VendorLogs == VendorLogsAll)
	if p := noneCame(pages); p != nil {
		c.r.VendorLogs.Problem = p
		return
	}
	c.r.VendorLogs.Data = newVendorLogs(pages, c.facts.SMART)
}

// busVendor is the vendor that the PCI function names, or else the drive.
func (c *collection) busVendor(id *nvme.IdentifyController) uint16 {
	if p := c.r.Drive.PCI; p != nil {
		return p.VendorID
	}
	return id.VID
}

// noneCame is the failure of the host that kept even the first page away, nil
// if there was none.
func noneCame(pages []vendor.Reading) *Problem {
	first := &pages[0]
	if first.Outcome != vendor.Failed {
		return nil
	}
	var known *Problem
	if errors.As(first.Err, &known) {
		return known
	}
	return problemOf(first.Err)
}

func newVendorLogs(pages []vendor.Reading, log *nvme.SMARTLog) *VendorLogs {
	v := &VendorLogs{Pages: pages}
	written := nvme.Uint128{}
	if log != nil {
		written = log.DataUnitsWritten
	}
	v.WriteAmplification = vendor.AmplificationOf(pages, written)
	return v
}
