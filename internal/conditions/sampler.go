package conditions

import (
	"context"
	"time"

	"qd1.example/qd1/nvme"
)

// DefaultSampling is how often the temperature is read unless asked otherwise.
// Each reading is a command, and some drives get warm of that alone.
const DefaultSampling = 10 * time.Second

// defaultSamples is the capacity of the series of a sampler, an hour and a half
// at full resolution.
const defaultSamples = 512

// Heat is what one reading of the SMART log says of the temperature. Merged
// values are the highest.
type Heat struct {
	// Celsius is the composite temperature, Hottest that of the hottest sensor;
	// nil if not reported.
	Celsius *int `json:"composite_temperature_celsius"`
	Hottest *int `json:"hottest_sensor_celsius"`
	// Throttles is how often the drive has entered thermal management since the
	// first reading.
	Throttles uint64 `json:"throttle_transitions"`
}

// Sampler reads the temperature of a drive now and then, in constant memory. It
// starts no goroutine: the caller asks Due and then calls Sample.
type Sampler struct {
	start, next time.Time
	every       time.Duration
	series      *Series[Heat]
	// first is the count of throttling at the first reading, nil before it.
	first *uint64
}

// NewSampler returns a sampler whose times count from start and which is due
// there and then every so often; 0 stands for [DefaultSampling].
func NewSampler(start time.Time, every time.Duration) *Sampler {
	if every <= 0 {
		every = DefaultSampling
	}
	return &Sampler{start: start, next: start, every: every, series: NewSeries(defaultSamples, hotter)}
}

// Due reports whether it is time for a reading.
func (s *Sampler) Due(now time.Time) bool { return !now.Before(s.next) }

// Sample reads the temperature at now and keeps it. After an error the next
// reading is due as after a success, so that a drive in trouble is left alone.
func (s *Sampler) Sample(ctx context.Context, now time.Time, c *nvme.Controller) error {
	if late := now.Sub(s.next); late >= 0 {
		s.next = s.next.Add(late.Truncate(s.every) + s.every)
	}
	l, err := c.SMARTLog(ctx)
	if err != nil {
		return err
	}
	s.series.Add(now.Sub(s.start).Seconds(), s.heat(l))
	return nil
}

func (s *Sampler) heat(l *nvme.SMARTLog) Heat {
	count := uint64(l.TMT1Transitions) + uint64(l.TMT2Transitions)
	if s.first == nil || count < *s.first {
		s.first = &count
	}
	h := Heat{Celsius: celsius(l.CompositeTemperature), Throttles: count - *s.first}
	for _, sensor := range l.TemperatureSensors {
		h.Hottest = higher(h.Hottest, celsius(sensor))
	}
	return h
}

// Points returns the readings so far in order.
func (s *Sampler) Points() []Point[Heat] { return s.series.Points() }

// hotter merges two readings.
func hotter(a, b Heat) Heat {
	return Heat{
		Celsius:   higher(a.Celsius, b.Celsius),
		Hottest:   higher(a.Hottest, b.Hottest),
		Throttles: max(a.Throttles, b.Throttles),
	}
}

// higher returns the higher one, the other if one is nil.
func higher(a, b *int) *int {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
