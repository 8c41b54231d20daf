package sim

import (
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/nvme"
)

// kelvinOfZero is 0 °C.
const kelvinOfZero = 273

// stateParameters are the parameters of the state that a drive is in when it is
// opened, and of what it does while it formats.
func stateParameters() []setting {
	return []setting{
		{"temperature", setTemperature},
		{"heating", setHeating},
		{"cache", setCache},
		{"critical_warning", func(p *parameters, v string) error {
			n, err := parseInt(v, 0, 0x3F)
			p.change(func(to *personality) { to.smart.CriticalWarning |= nvme.CriticalWarning(n) })
			return err
		}},
		{"opal", setOpal},
		{"blocksid", func(p *parameters, v string) error {
			p.change(func(to *personality) { to.blockSID, to.opal = true, max(to.opal, opalOff) })
			return only(v, "1")
		}},
		{"during_format", setDuringFormat},
		{"keep_alive", func(p *parameters, v string) error {
			p.change(func(to *personality) { to.keepAliveWaits = true })
			return only(v, "waits")
		}},
	}
}

// setTemperature sets the composite temperature without load, °C. The sensors
// stay as far from it as they are.
func setTemperature(p *parameters, value string) error {
	celsius, err := parseInt(value, -40, 150)
	p.change(func(to *personality) {
		old := to.smart.CompositeTemperature
		to.smart.CompositeTemperature = nvme.Kelvin(kelvinOfZero + celsius)
		for i, k := range to.smart.TemperatureSensors {
			if k != 0 && old != 0 {
				to.smart.TemperatureSensors[i] = k + to.smart.CompositeTemperature - old
			}
		}
	})
	return err
}

// setHeating sets the time constant of heating and cooling: after that long, 63 %
// of the way to the final temperature is behind.
func setHeating(p *parameters, value string) error {
	d, err := time.ParseDuration(value)
	if err == nil && (d < leastHeating || d > mostHeating) {
		err = fmt.Errorf("not between %v and %v", leastHeating, mostHeating)
	}
	p.change(func(to *personality) { to.heat.constant = d })
	return err
}

const (
	leastHeating = time.Millisecond
	mostHeating  = 24 * time.Hour
)

func setOpal(p *parameters, value string) error {
	state, ok := map[string]opalState{
		"none": opalNone, "off": opalOff, "unlocked": opalUnlocked, "locked": opalLocked,
	}[value]
	if !ok {
		return errors.New(`the values are "none", "off", "unlocked" and "locked"`)
	}
	p.change(func(to *personality) {
		to.opal = state
		if to.blockSID {
			to.opal = max(to.opal, opalOff)
		}
	})
	return nil
}

func setDuringFormat(p *parameters, value string) error {
	if value != "waits" && value != "answers" {
		return fmt.Errorf(`the values are "waits" and "answers"`)
	}
	p.change(func(to *personality) { to.formatAnswers = value == "answers" })
	return nil
}
