package sata

import "math"

// Endurance is how much of the drive's life is spent, as far as it says. null is
// not known.
type Endurance struct {
	// PercentageUsed is the drive's own account of its rated life.
	PercentageUsed *int `json:"percentage_used_percent"`
	// BytesWritten is what the host has written, and FullDriveWrites how many
	// times the capacity that is, to three decimals.
	BytesWritten    *uint64  `json:"bytes_written"`
	FullDriveWrites *float64 `json:"full_drive_writes"`
	// YearsLeftAtObservedRate continues PercentageUsed at its mean rate over the
	// power-on hours, in years of 8766 hours. It is null below
	// 5 %, where whole percents say too little.
	YearsLeftAtObservedRate *float64 `json:"years_left_at_observed_rate"`
}

const (
	hoursPerYear   = 8766
	percentForRate = 5
	hoursForRate   = 24
)

// EnduranceOf does the arithmetic; id may be nil.
func EnduranceOf(id *Identity, h *Health) *Endurance {
	e := &Endurance{PercentageUsed: h.PercentageUsed, BytesWritten: h.BytesWritten}
	if e.BytesWritten != nil && id != nil && id.CapacityBytes > 0 {
		e.FullDriveWrites = new(round(float64(*e.BytesWritten)/float64(id.CapacityBytes), 3))
	}
	used, hours := h.PercentageUsed, h.PowerOnHours
	if used != nil && hours != nil && *used >= percentForRate && *used < 100 && *hours >= hoursForRate {
		left := float64(*hours) * float64(100-*used) / float64(*used)
		e.YearsLeftAtObservedRate = new(round(left/hoursPerYear, 1))
	}
	return e
}

func round(f float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Round(f*scale) / scale
}
