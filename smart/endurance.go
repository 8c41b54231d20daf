package smart

import (
	"math/big"
	"strconv"
	"strings"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// Endurance compares what was written with what the maker rates the drive
// for. nil means that the fact behind the value is not known.
//
// The drive's own Percentage Used takes no part: it is in whole percent and
// follows a formula of the maker; on Optane drives it is 0 for years.
type Endurance struct {
	// RatedBytes is the rated endurance in bytes written by the host.
	RatedBytes *int64 `json:"rated_bytes"`
	// RatedSource is where RatedBytes comes from.
	RatedSource *string `json:"rated_source"`
	// RatedIndicative says that RatedBytes could not be checked.
	RatedIndicative bool `json:"rated_indicative"`
	// WrittenPercent is bytes written in percent of RatedBytes, rounded to
	// three decimals, and to three significant digits if it is below 0.1.
	WrittenPercent *float64 `json:"written_percent"`
	// BytesToRated is what may be written until RatedBytes, 0 if it is reached.
	BytesToRated *int64 `json:"bytes_to_rated"`
	// YearsLeftAtObservedRate is BytesToRated divided by the mean of bytes
	// written per power-on hour, in years of 8766 hours. nil also where the
	// hours are fewer than 24 or cannot be true, or where nothing was written.
	YearsLeftAtObservedRate *float64 `json:"years_left_at_observed_rate"`
	// ReadOnlyAtPercent is the Percentage Used at which drives of the model
	// were seen to turn read-only.
	ReadOnlyAtPercent *int `json:"read_only_at_percent"`
	// NotJudged says why what was written cannot be compared with RatedBytes,
	// as where firmware is known to miscount. "" means that it can.
	NotJudged string `json:"not_judged,omitempty"`
	// BytesToReadOnly estimates what may be written until then: RatedBytes
	// times ReadOnlyAtPercent less bytes written, 0 if that is reached. The
	// drive decides by its Percentage Used, which is not exactly that.
	BytesToReadOnly *int64 `json:"bytes_to_read_only"`
	// YearsToReadOnlyAtObservedRate is BytesToReadOnly at the rate of
	// YearsLeftAtObservedRate. nil where either is.
	YearsToReadOnlyAtObservedRate *float64 `json:"years_to_read_only_at_observed_rate,omitempty"`
}

const (
	hoursPerYear  = 8766
	hoursOfAnyUse = 24 // fewer say nothing about the rate of writing
)

// Endurance returns the endurance of the drive; the result is never nil. It is
// [EnduranceOf], but where the firmware is known to miscount data units, no
// figure that they are part of is given.
func (f *Facts) Endurance() *Endurance {
	d := defectWith(f, func(d *Defect) bool { return d.DataUnitsUnusable })
	switch {
	case !f.knows("data_units_written"):
		return EnduranceOf(nil, f.Model)
	case d == nil:
		return EnduranceOf(f.inHours(), f.Model)
	}
	e := EnduranceOf(nil, f.Model)
	e.NotJudged = d.Text
	return e
}

// inHours returns the SMART log with its hours in hours, 0 if they are missing.
func (f *Facts) inHours() *nvme.SMARTLog {
	if f.SMART != nil && !f.knows(fieldHours) {
		l := *f.SMART
		l.PowerOnHours = nvme.Uint128{}
		return &l
	}
	if f.SMART == nil || f.hours() == f.SMART.PowerOnHours.Float64() {
		return f.SMART
	}
	l := *f.SMART
	l.PowerOnHours = nvme.U128(uint64(f.hours()))
	return &l
}

// EnduranceOf returns the endurance of a drive. Both arguments may be nil; the
// result never is. [Facts.Endurance] also knows firmware that miscounts.
func EnduranceOf(s *nvme.SMARTLog, m *drivedb.Entry) *Endurance {
	e := new(Endurance)
	if m == nil {
		return e
	}
	if m.ReadOnlyAtPercent > 0 {
		e.ReadOnlyAtPercent = new(m.ReadOnlyAtPercent)
	}
	if m.RatedBytesWritten <= 0 {
		return e
	}
	e.RatedBytes, e.RatedSource, e.RatedIndicative = new(m.RatedBytesWritten), new(m.Source), m.RatedIndicative
	if s == nil {
		return e
	}
	written, rated := bytesOf(s.DataUnitsWritten), big.NewInt(m.RatedBytesWritten)
	e.WrittenPercent = new(roundPercent(new(big.Rat).SetFrac(new(big.Int).Mul(written, big.NewInt(100)), rated)))
	e.BytesToRated = new(left(rated, written))
	e.YearsLeftAtObservedRate = yearsLeft(*e.BytesToRated, written, s.PowerOnHours)
	if e.ReadOnlyAtPercent != nil {
		limit := new(big.Int).Mul(rated, big.NewInt(int64(m.ReadOnlyAtPercent)))
		e.BytesToReadOnly = new(left(limit.Div(limit, big.NewInt(100)), written))
		e.YearsToReadOnlyAtObservedRate = yearsLeft(*e.BytesToReadOnly, written, s.PowerOnHours)
	}
	e.believeDrive(s)
	return e
}

// believeDrive takes back what the drive contradicts: one that counts its
// rated life as used, or that is read-only, has no years left whatever the
// bytes say.
func (e *Endurance) believeDrive(s *nvme.SMARTLog) {
	readOnly := s.CriticalWarning&nvme.WarningReadOnly != 0
	if s.PercentageUsed < 100 && !readOnly {
		return
	}
	e.YearsLeftAtObservedRate, e.YearsToReadOnlyAtObservedRate = nil, nil
	if e.ReadOnlyAtPercent == nil {
		return
	}
	e.BytesToReadOnly = nil
	if readOnly || int(s.PercentageUsed) >= *e.ReadOnlyAtPercent {
		e.BytesToReadOnly = new(int64)
	}
}

// bytesOf returns data units as bytes; the product may pass 128 bits.
func bytesOf(units nvme.Uint128) *big.Int {
	return new(big.Int).Mul(units.Big(), big.NewInt(nvme.DataUnit))
}

// left returns limit - written, and 0 if that is negative.
func left(limit, written *big.Int) int64 {
	if limit.Cmp(written) <= 0 {
		return 0
	}
	return new(big.Int).Sub(limit, written).Int64()
}

func yearsLeft(bytesLeft int64, written *big.Int, hours nvme.Uint128) *float64 {
	h, fits := hours.Uint64()
	if !fits || h < hoursOfAnyUse || h > hoursLimit || written.Sign() == 0 {
		return nil
	}
	years := new(big.Rat).SetFrac(
		new(big.Int).Mul(big.NewInt(bytesLeft), new(big.Int).SetUint64(h)),
		new(big.Int).Mul(written, big.NewInt(hoursPerYear)))
	f, _ := strconv.ParseFloat(years.FloatString(1), 64)
	return new(f)
}

// roundPercent rounds as [Endurance.WrittenPercent] says. The decimal digits
// are exact; only the conversion to float64 at the end is not.
func roundPercent(p *big.Rat) float64 {
	decimals := 3
	for scaled := new(big.Rat).Set(p); p.Sign() > 0 && scaled.Cmp(big.NewRat(1, 10)) < 0 && decimals < 12; decimals++ {
		scaled.Mul(scaled, big.NewRat(10, 1))
	}
	f, _ := strconv.ParseFloat(p.FloatString(decimals), 64)
	return f
}

// percentText writes a rounded percentage with at least three decimals.
func percentText(p float64) string {
	s := strconv.FormatFloat(p, 'f', -1, 64)
	whole, decimals, _ := strings.Cut(s, ".")
	return whole + "." + decimals + strings.Repeat("0", max(0, 3-len(decimals)))
}

// terabytes writes bytes in units of 10^12 with two decimals.
func terabytes(bytes *big.Int) string {
	tb := new(big.Rat).SetFrac(bytes, big.NewInt(1e12)).FloatString(2)
	whole, decimals, _ := strings.Cut(tb, ".")
	return group(whole) + "." + decimals
}
