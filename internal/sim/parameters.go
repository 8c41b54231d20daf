package sim

import (
	"errors"
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
	// override replaces parts of the Identify pages.
	override override
	// changes are made to the personality after everything else.
	changes []func(*personality)
}

// setting is a parameter that a user can set.
type setting struct {
	name string
	set  func(p *parameters, value string) error
}

// parameterTable has all parameters, those of the time and the faults here and
// those of the identity and the security with what they change.
func parameterTable() []setting {
	table := []setting{
		{"read_latency", func(p *parameters, v string) (err error) { p.readLatency, err = parseLatency(v); return err }},
		{"write_latency", func(p *parameters, v string) (err error) { p.writeLatency, err = parseLatency(v); return err }},
		{"seed", func(p *parameters, v string) (err error) { p.seed, err = strconv.ParseUint(v, 10, 64); return err }},
		{"silent", (*parameters).setSilent},
		{"active_list", func(p *parameters, v string) error { p.noActiveList = true; return only(v, "no") }},
		{"speed", func(p *parameters, v string) (err error) { p.speed, err = parseInt(v, 1, maxSpeed); return err }},
		{"sanitize", func(p *parameters, v string) error { p.sanitizeFails = true; return only(v, "fails") }},
		{"faults", func(p *parameters, v string) (err error) { p.faults, err = readFaults(v); return err }},
	}
	return append(append(table, identityParameters()...), stateParameters()...)
}

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
	var names []string
	for _, one := range parameterTable() {
		if one.name == name {
			if err := one.set(p, value); err != nil {
				return fmt.Errorf("parameter %s=%s: %w", name, value, err)
			}
			return nil
		}
		names = append(names, one.name)
	}
	return fmt.Errorf("unknown parameter %q: the parameters are %s", name, strings.Join(names, ", "))
}

func (p *parameters) setSilent(value string) error {
	for _, q := range []nvme.Queue{nvme.AdminQueue, nvme.IOQueue} {
		if value == q.String() {
			p.silent[q] = true
			return nil
		}
	}
	return errors.New(`the values are "admin" and "io"`)
}

// change adds a change of the personality.
func (p *parameters) change(f func(*personality)) { p.changes = append(p.changes, f) }

// only refuses every value but one.
func only(value, want string) error {
	if value != want {
		return fmt.Errorf("the only value is %q", want)
	}
	return nil
}

func parseLatency(value string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(value))
	if err == nil && (d <= 0 || d > maxLatency) {
		err = fmt.Errorf("not between 0 and %v", maxLatency)
	}
	return d, err
}

// maxSpeed is the greatest factor of the parameter speed.
const maxSpeed = 1_000_000

// parseInt parses a whole number between two others; 0x begins a hexadecimal
// one.
func parseInt(value string, least, most int) (int, error) {
	n, err := strconv.ParseInt(value, 0, 64)
	if err == nil && (n < int64(least) || n > int64(most)) {
		err = fmt.Errorf("not between %d and %d", least, most)
	}
	return int(n), err
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
	to.override = p.override
	if p.override.serial != "" || p.override.namespaces != 0 {
		to.descriptors = nil // The captured ones name other namespaces.
	}
	for _, change := range p.changes {
		change(to)
	}
}
