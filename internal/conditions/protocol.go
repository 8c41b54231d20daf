package conditions

import (
	"context"
	"math"
	"strconv"

	"qd1.example/qd1/nvme"
)

// Protocol is how the runs were arranged, as far as results that are compared
// should agree in it.
type Protocol struct {
	// Order is "by row" or "interleaved", "" for not known.
	Order string `json:"order"`
	// StartMaxCelsius is the composite temperature at which each run began at
	// most. nil: any.
	StartMaxCelsius *int `json:"start_temperature_max_celsius"`
	// AmbientCelsius is the temperature of the air, as the user gave it. nil: not
	// known.
	AmbientCelsius *float64 `json:"ambient_celsius"`
}

// AmbientBand is by how many °C the air may differ: a drive gets warmer by as
// much.
const AmbientBand = 3

// ReadHeat reads the composite temperature and the hottest sensor. The count of
// throttling is that of the drive's life.
func ReadHeat(ctx context.Context, c *nvme.Controller) (Heat, error) {
	l, err := c.SMARTLog(ctx)
	if err != nil {
		return Heat{}, err
	}
	return new(Sampler{first: new(uint64(0))}).heat(l), nil
}

// ambient writes the temperature of the air.
func ambient(c *Conditions) *string {
	if c.Protocol.AmbientCelsius == nil {
		return nil
	}
	return new(strconv.FormatFloat(*c.Protocol.AmbientCelsius, 'f', -1, 64))
}

// nearAmbient reports whether the air was about as warm.
func nearAmbient(a, b *Conditions) bool {
	return math.Abs(*a.Protocol.AmbientCelsius-*b.Protocol.AmbientCelsius) <= AmbientBand
}
