package sim

import (
	"errors"
	"fmt"

	"qd1.example/qd1/nvme"
)

// kelvinOfZero is 0 °C.
const kelvinOfZero = 273

// stateParameters are the parameters of the state that a drive is in when it is
// opened, and of what it does while it formats.
func stateParameters() []setting {
	return []setting{
		{"temperature", setTemperature},
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
