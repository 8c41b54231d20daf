package report

import (
	"qd1.example/qd1/bench"
	"qd1.example/qd1/smart"
)

// judge gives the facts that were collected to package smart.
func (c *collection) judge() {
	c.fill()
	c.r.Verdict = smart.Assess(&c.facts)
	c.r.Plausibility = smart.Plausibility(&c.facts, c.facts.As)
	if c.r.SMART.Data == nil {
		return
	}
	c.r.Endurance = c.facts.Endurance()
	c.r.Population = populationOf(&c.facts)
}

// fill completes the facts with what the sections of the report say.
func (c *collection) fill() {
	f := &c.facts
	f.As, f.Missing = c.opt.As, c.r.Source.unknownToSmart()
	if f.Controller == nil {
		f.ModelNumber, f.Firmware = c.r.Drive.Model, c.r.Drive.Firmware
	}
	if p := c.r.Drive.PCI; p != nil {
		f.PCIVendorID, f.PCISubsystemVendorID = p.VendorID, p.SubsystemVendorID
	}
	if c.r.Link.Data != nil {
		f.Link = linkFacts(c.r.Link.Data)
	}
	if b := c.r.Bench.Data; b != nil {
		f.QD1ReadP50US = median(b.QD1Read)
	}
	f.SMARTNotInDump = c.r.SMART.Problem != nil && c.r.SMART.Problem.Kind == KindNotInDump
	for _, p := range c.r.Problems() {
		if p.Kind != KindSkipped && p.Kind != KindNotInDump {
			f.Unreadable = append(f.Unreadable, p.Section)
		}
	}
}

// linkFacts is the link without what the host does not show. The slot is the
// port right above the drive.
func linkFacts(l *Link) *smart.Link {
	f := &smart.Link{
		GTs: orZero(l.SpeedGTs), Width: orZero(l.Width),
		DriveGTs: orZero(l.MaxSpeedGTs), DriveWidth: orZero(l.MaxWidth),
	}
	if n := len(l.Path); n > 0 {
		f.SlotGTs, f.SlotWidth = orZero(l.Path[n-1].MaxSpeedGTs), orZero(l.Path[n-1].MaxWidth)
	}
	if a := l.AER; a != nil {
		f.Correctable, f.Uncorrectable = orZero(a.Correctable), orZero(a.NonFatal)+orZero(a.Fatal)
	}
	return f
}

// mostBlank is the share of blank reads in percent above which a latency says
// nothing about the medium.
const mostBlank = 1

// median is the latency to judge the drive by, 0 if there is none that says
// something about its medium.
func median(r *bench.Result) float64 {
	if r == nil || r.Errors > 0 || r.BlankPercent != nil && *r.BlankPercent > mostBlank {
		return 0
	}
	return orZero(r.Latency.P50)
}

func orZero[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// Population is where the drive stands among those of its family in public
// reports.
type Population struct {
	// Family is the product line, and Drives the number of drives seen.
	Family string `json:"family"`
	Drives int    `json:"drives"`
	// Percentiles has one object for each value that can be compared.
	Percentiles []smart.Percentile `json:"percentiles"`
}

// populationOf is nil where too few drives of the family were seen.
func populationOf(f *smart.Facts) *Population {
	if f.Model == nil {
		return nil
	}
	ref := smart.PopulationOf(f.Model)
	if ref == nil {
		return nil
	}
	places := ref.Compare(f)
	if len(places) == 0 {
		return nil
	}
	return &Population{ref.Family, ref.Drives, places}
}
