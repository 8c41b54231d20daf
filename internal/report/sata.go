package report

import (
	"context"
	"strings"

	"qd1.example/qd1/internal/sata"
	"qd1.example/qd1/smart"
)

// SATA is what a drive says that speaks ATA, and what stands before it. A part
// that was not read is null; one that could not be read is also in Problems.
type SATA struct {
	Host        *sata.Host        `json:"host"`
	Advice      *sata.Advice      `json:"advice"`
	Identity    *sata.Identity    `json:"identity"`
	Status      *sata.Status      `json:"smart_status"`
	Health      *sata.Health      `json:"health"`
	Endurance   *sata.Endurance   `json:"endurance"`
	Attributes  *sata.Attributes  `json:"attributes"`
	Statistics  *sata.Statistics  `json:"device_statistics"`
	ErrorLog    *sata.ErrorLog    `json:"error_log"`
	SelfTestLog *sata.SelfTestLog `json:"self_test_log"`
	Problems    []sata.Problem    `json:"problems"`
}

// collectSATA is Collect for a disk of the SCSI layer. No NVMe command is sent.
func (c *collection) collectSATA(ctx context.Context) {
	c.opt.step("reading the disk")
	s := c.drive.SATA(ctx, c.opt.Timeout)
	c.r.SATA = &SATA{s.Host, s.Advice, s.Identity, s.Status, s.Health, s.Endurance, s.Attributes, s.Statistics, s.ErrorLog, s.SelfTestLog, s.Problems}
	c.r.Drive.fromSATA(s)
	c.bench(ctx)
	c.r.Verdict = verdictOfSATA(&s.Verdict)
	c.r.Footprint = Footprint{Commands: s.Footprint.Commands, Refused: s.Footprint.Refused}
}

// fromSATA takes the drive's own words, or else those of what stands before
// it.
func (id *Identity) fromSATA(s *sata.Report) {
	id.Controller, id.Transport = s.Host.Disk, string(s.Host.Transport)
	if s.Host.Partition != "" {
		id.Note = s.Host.Partition + " is a part of " + s.Host.Disk
	}
	id.Model, id.Firmware = strings.TrimSpace(s.Host.Vendor+" "+s.Host.Model), s.Host.Revision
	if s.Identity != nil {
		id.Serial, id.Model, id.Firmware = s.Identity.Serial, s.Identity.Model, s.Identity.Firmware
	}
}

// verdictOfSATA has the form of the verdict on an NVMe drive. Its findings are
// not sorted into axes.
func verdictOfSATA(a *sata.Assessment) smart.Assessment {
	v := smart.Assessment{Level: smart.Level(a.Level), Summary: a.Summary}
	for _, f := range a.Findings {
		v.Findings = append(v.Findings, smart.Finding{Rule: f.Rule, Severity: smart.Severity(f.Severity), Text: f.Text, Evidence: f.Evidence})
	}
	return v
}

// problems of the parts, as those of sections. nil is no disk.
func (s *SATA) problems() []NamedProblem {
	if s == nil {
		return nil
	}
	var all []NamedProblem
	for _, p := range s.Problems {
		all = append(all, NamedProblem{p.Section, &Problem{Kind: Kind(p.Kind), Text: p.Text, Hint: p.Hint}})
	}
	return all
}

// readable reports whether anything is known of the disk.
func (s *SATA) readable() bool { return s != nil && (s.Identity != nil || s.Advice != nil) }
