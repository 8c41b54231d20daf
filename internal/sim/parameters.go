package sim

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"qd1.example/qd1/nvme"
)

// maxLatency is the longest median that a parameter may ask for.
const maxLatency = time.Minute

// parameters is what follows the "?" of a profile's name.
type parameters struct {
	// readLatency and writeLatency are 0 if the profile's apply.
	readLatency, writeLatency time.Duration
	seed                      uint64
	// silent has the queues that never answer.
	silent map[nvme.Queue]bool
	// noActiveList takes the Active Namespace ID list from Identify.
	noActiveList bool
	// speed is how many times faster the drive's operations are. 0 means once.
	speed int
	// sanitizeFails makes every sanitize operation end with a failure.
	sanitizeFails bool
	// faults is the fault script, nil for none.
	faults *Faults
}

const parameterNames = "read_latency, write_latency, seed, silent, active_list, speed, sanitize, faults"

// parseParameters parses the text after "?".
func parseParameters(text string) (*parameters, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, fmt.Errorf("parameters %q: %w", text, err)
	}
	p := &parameters{silent: map[nvme.Queue]bool{}}
	for name, list := range values {
		for _, value := range list {
			if err := p.set(name, value); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

func (p *parameters) set(name, value string) error {
	var err error
	switch name {
	case "read_latency":
		p.readLatency, err = parseLatency(value)
	case "write_latency":
		p.writeLatency, err = parseLatency(value)
	case "seed":
		p.seed, err = strconv.ParseUint(value, 10, 64)
	case "silent":
		err = p.setSilent(value)
	case "active_list":
		if value != "no" {
			err = fmt.Errorf(`the only value is "no"`)
		}
		p.noActiveList = true
	case "speed":
		p.speed, err = parseSpeed(value)
	case "sanitize":
		if value != "fails" {
			err = fmt.Errorf(`the only value is "fails"`)
		}
		p.sanitizeFails = true
	case "faults":
		p.faults, err = readFaults(value)
	default:
		return fmt.Errorf("unknown parameter %q: the parameters are %s", name, parameterNames)
	}
	if err != nil {
		return fmt.Errorf("parameter %s=%s: %w", name, value, err)
	}
	return nil
}

func (p *parameters) setSilent(value string) error {
	for _, q := range []nvme.Queue{nvme.AdminQueue, nvme.IOQueue} {
		if value == q.String() {
			p.silent[q] = true
			return nil
		}
	}
	return fmt.Errorf(`the values are "admin" and "io"`)
}

func parseLatency(value string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(value))
	if err == nil && (d <= 0 || d > maxLatency) {
		err = fmt.Errorf("not between 0 and %v", maxLatency)
	}
	return d, err
}

// apply changes the personality as the parameters say.
func (p *parameters) apply(to *personality) {
	if p.readLatency != 0 {
		to.medium.read = p.readLatency
	}
	if p.writeLatency != 0 {
		to.medium.write = p.writeLatency
	}
	to.medium.seed = p.seed
	if p.noActiveList {
		to.cns = []nvme.CNS{nvme.CNSNamespace, nvme.CNSController}
	}
	to.sanitizeFails = to.sanitizeFails || p.sanitizeFails
	if p.speed > 1 {
		to.work = to.work.faster(p.speed)
	}
}

const maxSpeed = 1_000_000

func parseSpeed(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err == nil && (n < 1 || n > maxSpeed) {
		err = fmt.Errorf("not between 1 and %d", maxSpeed)
	}
	return n, err
}
