package report

import (
	"context"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/sata"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// Drive is an opened drive: how to send it commands, what the host knows about
// it, and what a benchmark can read. A device node, a capture and a simulated
// drive are all such values, and nothing after this point tells them apart.
type Drive struct {
	// Selector is what the user wrote.
	Selector string
	// Simulated says that no real drive stands behind Passthru.
	Simulated bool
	// Passthru sends commands. It already refuses everything that writes.
	Passthru nvme.Passthru
	// Host is what the host shows of the controller, nil if nothing.
	Host *sysfs.Controller
	// SATA reads a disk of the SCSI layer, which has no Passthru; each command
	// is bounded by the time-out. nil for every NVMe drive.
	SATA func(ctx context.Context, timeout time.Duration) *sata.Report
	// Source says what the pages of Passthru lack because another tool printed
	// them, nil where they are the drive's own. Its fields are named
	// "page.field", the page as in a report and the field by its JSON key in
	// package nvme.
	Source *Source
	// Kernel is the release of the kernel that a capture was made on, "" for
	// this computer.
	Kernel string
	// NSID is the namespace that the user pointed at, 0 for none.
	NSID nvme.NSID
	// Note tells how the selector was resolved, "" if it needs no telling.
	Note string
	// Target is what a benchmark of the drive reads, nil if there is nothing
	// to read. WhyNoTarget then says what is wrong, or is "" where that is as
	// it should be, as for a capture.
	Target      *bench.Target
	WhyNoTarget string
	// Close releases the drive. It is never nil.
	Close func() error
}

// Tool names the program that made a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// HostFacts is what a report says about the computer.
type HostFacts struct {
	Kernel string `json:"kernel"`
	Arch   string `json:"arch"`
}

// Options are the choices of Collect.
type Options struct {
	Tool Tool
	Host HostFacts
	// Now gives the time of the report.
	Now func() time.Time
	// Timeout bounds each command.
	Timeout time.Duration
	// Models is the drive database, nil for the built-in one.
	Models *drivedb.DB
	// As is what the drive was sold as: smart.AsNew, smart.AsUsed, or "" for
	// not told.
	As string
	// VendorLogs says which log pages of the vendor are read.
	VendorLogs VendorLogChoice
	// Bench is the benchmark to run, nil for none.
	Bench *bench.Job
	// Runner runs the benchmark.
	Runner bench.Runner
	// Step, if not nil, is told what is being done.
	Step func(text string)
	// Progress, if not nil, is told how the benchmark goes.
	Progress bench.Observer
}

func (o *Options) step(text string) {
	if o.Step != nil {
		o.Step(text)
	}
}
