package report

import "qd1.example/qd1/internal/sysfs"

// Link is the PCI Express link of the drive and of the ports above it, and how
// the kernel drives the drive. null means that the host does not show it.
type Link struct {
	SpeedGTs    *float64 `json:"speed_gts"`
	Width       *int     `json:"width"`
	MaxSpeedGTs *float64 `json:"max_speed_gts"`
	MaxWidth    *int     `json:"max_width"`
	// Path is the ports between the processor and the drive, the root port first.
	Path []sysfs.Port `json:"path"`
	// Attached is what the root port belongs to.
	Attached sysfs.Attachment `json:"attached"`
	NUMANode *int             `json:"numa_node"`
	// ASPM are the power saving states of the drive's link that are on; empty:
	// none.
	ASPM   []string     `json:"aspm"`
	AER    *sysfs.AER   `json:"aer"`
	Kernel sysfs.Kernel `json:"kernel"`
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
		Path: []sysfs.Port{}, Attached: h.Link.Attached(), NUMANode: h.NUMANode, AER: h.Link.AER, Kernel: h.Kernel,
	}
	for _, p := range h.Link.Path {
		if p.Address == h.Address {
			l.ASPM = p.ASPM
			continue // The drive itself stands above.
		}
		l.Path = append(l.Path, p)
	}
	return Section[Link]{Data: l}
}
