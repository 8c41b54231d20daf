package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
)

// verb is one thing that a fault can do.
type verb struct {
	do Do
	// erases is set if it is about Format NVM and Sanitize only.
	erases bool
	// tests is set if it is about Device Self-test only.
	tests bool
	// check, unless it is nil, refuses what makes no sense.
	check func(*Fault) error
}

// verbs has all of them.
func verbs() []verb {
	return []verb{
		{do: DoDelay, check: func(r *Fault) error { return between("ms", r.MS, 1, maxDelayMS) }},
		{do: DoStatus}, {do: DoSilence}, {do: DoDisconnect}, {do: DoCorrupt}, {do: DoShort}, {do: DoNoAnswer},
		{do: DoReset}, {do: DoPowerLoss}, {do: DoGhost}, {do: DoOldData},
		{do: DoLeaveAll, erases: true}, {do: DoLeaveRest, erases: true},
		{do: DoLeaveScattered, erases: true, check: func(r *Fault) error { return between("ppm", r.PPM, 1, million) }},
		{do: DoLeaveRegion, erases: true, check: (*Fault).checkRegion},
		{do: DoLeaveRecent, erases: true}, {do: DoLeaveUnread, erases: true},
		{do: DoAllNamespaces, erases: true}, {do: DoOneNamespace, erases: true},
		{do: DoFail, erases: true}, {do: DoStall, erases: true},
		{do: DoLongHeader, check: func(r *Fault) error { return between("count", r.Count, 1, 0xFFFF) }}, {do: DoNewTelemetry},
		{do: DoTestEnds, tests: true, check: (*Fault).checkTestEnds}, {do: DoTestStalls, tests: true},
	}
}

const (
	maxDelayMS = 24 * 3600 * 1000
	million    = 1_000_000
	// maxLBA keeps a byte offset in 63 bits, with blocks of up to 64 KiB.
	maxLBA = 1<<47 - 1
)

func (r *Fault) validate() error {
	v, err := r.verb()
	if err == nil && v.check != nil {
		err = v.check(r)
	}
	if err != nil {
		return err
	}
	switch q := r.When.Queue; {
	case r.Status > 0x7FF:
		return fmt.Errorf(`"status" of %d is more than type and code`, r.Status)
	case q != "" && q != "admin" && q != "io":
		return fmt.Errorf(`"queue" of %q: it is admin or io`, q)
	case r.Times < 0 || r.When.AfterCount < 0 || r.When.AfterMS < 0 || r.Count < 0 || r.PPM < 0:
		return errors.New("a negative number")
	case !(r.Percent >= 0 && r.Percent <= 100):
		return fmt.Errorf(`"percent" of %v is not between 0 and 100`, r.Percent)
	}
	return between("ms", r.MS, 0, maxDelayMS)
}

// verb returns what the fault does.
func (r *Fault) verb() (verb, error) {
	var names []string
	for _, v := range verbs() {
		if v.do == r.Do {
			return v, nil
		}
		names = append(names, string(v.do))
	}
	return verb{}, fmt.Errorf(`"do" of %q: it is one of %s`, r.Do, strings.Join(names, ", "))
}

func (r *Fault) checkRegion() error {
	switch {
	case r.LBAFrom == nil || r.LBATo == nil:
		return errors.New(`"lba_from" and "lba_to" are needed`)
	case *r.LBAFrom > *r.LBATo || *r.LBATo > maxLBA:
		return fmt.Errorf("blocks %d to %d are no region", *r.LBAFrom, *r.LBATo)
	}
	return nil
}

func between(key string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%q of %d is not between %d and %d", key, n, least, most)
	}
	return nil
}

// lies reports whether the fault changes how an erase or a self-test is done.
func (r *Fault) lies() bool {
	v, err := r.verb()
	return err == nil && (v.erases || v.tests)
}

// meets reports whether a command that the conditions fit is one that the fault
// can do something to.
func (r *Fault) meets(cmd *nvme.Command, m moment) bool {
	switch {
	case r.Do == DoOldData:
		return r.remembers(cmd, m)
	case r.Do == DoLongHeader, r.Do == DoNewTelemetry:
		return readsTelemetry(cmd)
	case r.tests():
		return startsTest(cmd)
	case r.lies(), r.happens() && r.Percent > 0:
		return erases(cmd)
	}
	return true
}

// has reports whether any fault does one of these.
func (f *Faults) has(any ...Do) bool {
	return slices.ContainsFunc(f.rules, func(r Fault) bool { return slices.Contains(any, r.Do) })
}
