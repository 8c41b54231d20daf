package report

import "qd1.example/qd1/internal/sysfs"

// Link is the PCI Express link of the drive and of the ports above it. null
// means that the host does not show it.
type Link struct {
	SpeedGTs    *float64 `json:"speed_gts"`
	Width       *int     `json:"width"`
	MaxSpeedGTs *float64 `json:"max_speed_gts"`
	MaxWidth    *int     `json:"max_width"`
	Path        []Port   `json:"path"`
	// Attached is "cpu", "chipset" or "unknown".
	Attached string `json:"attached"`
	NUMANode *int   `json:"numa_node"`
	AER      *AER   `json:"aer"`
}

// Port is a bridge between the processor and the drive, the root port first.
type Port struct {
	Address     string   `json:"address"`
	SpeedGTs    *float64 `json:"speed_gts"`
	Width       *int     `json:"width"`
	MaxSpeedGTs *float64 `json:"max_speed_gts"`
	MaxWidth    *int     `json:"max_width"`
}

// AER are the counters of Advanced Error Reporting of the drive; null where
// the host does not count.
type AER struct {
	Correctable *uint64 `json:"correctable"`
	Nonfatal    *uint64 `json:"nonfatal"`
	Fatal       *uint64 `json:"fatal"`
}

// NewLink returns the link section; a drive that is not on PCI Express has
// none.
func NewLink(h *sysfs.Controller) Section[Link] {
	switch {
	case h == nil || h.Link == nil && h.PCI != nil:
		return failf[Link](KindNotRecorded, "the host shows no link of this drive, or the capture has none")
	case h.Link == nil:
		return Section[Link]{}
	}
	l := &Link{
		SpeedGTs: h.Link.SpeedGTs, Width: h.Link.Width,
		MaxSpeedGTs: h.Link.MaxSpeedGTs, MaxWidth: h.Link.MaxWidth,
		Path: []Port{}, Attached: "unknown", NUMANode: h.NUMANode,
	}
	for _, p := range h.Link.Path {
		if p.Address == h.Address {
			continue // The drive itself stands above.
		}
		l.Path = append(l.Path, Port{p.Address, p.SpeedGTs, p.Width, p.MaxSpeedGTs, p.MaxWidth})
	}
	if a := h.Link.AER; a != nil {
		l.AER = &AER{a.Correctable, a.NonFatal, a.Fatal}
	}
	return Section[Link]{Data: l}
}
