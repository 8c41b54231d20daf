package erase

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
)

// RequestError is a request that this drive cannot meet, or that leaves open
// what is meant.
type RequestError struct {
	// Text says what is wrong, Hint the next step, "" for none.
	Text, Hint string
}

// Error returns the text.
func (e *RequestError) Error() string { return e.Text }

func badRequest(hint, format string, args ...any) *RequestError {
	return &RequestError{Text: fmt.Sprintf(format, args...), Hint: hint}
}

// Choose chooses the technique for a drive and says why. A request that the
// drive cannot meet is a *[RequestError], which says what the drive has.
//
// The best technique is a sanitize operation that erases blocks or changes the
// key, since it goes on after a reset and a loss of power; then a format that
// changes the key or erases user data; then a sanitize operation that
// overwrites; and last that the host overwrites. Sanitize reaches every
// namespace: where there are several and not all are asked for, it is not
// chosen by itself.
func Choose(f Facts, r Request) (*Method, error) {
	if f.Controller == nil {
		return nil, badRequest("", "identify controller could not be read: nothing is known of what the drive can do")
	}
	targets, err := chooseTargets(f, r)
	if err != nil {
		return nil, err
	}
	c := &chooser{facts: f, request: r, targets: targets}
	technique, reasons, err := c.technique()
	if err != nil {
		return nil, err
	}
	m := &Method{Technique: technique, Reasons: reasons, Claim: claimFor(technique, r.Claim)}
	if err := c.fill(m); err != nil {
		return nil, err
	}
	return m, nil
}

// chooser is one choice on its way.
type chooser struct {
	facts   Facts
	request Request
	targets []Namespace
}

// fill gives the method everything that follows from its technique.
func (c *chooser) fill(m *Method) error {
	for _, step := range []func(*Method) error{c.commands, c.claim, c.timeout} {
		if err := step(m); err != nil {
			return err
		}
	}
	for _, n := range c.targets {
		m.Targets = append(m.Targets, n.NSID)
	}
	m.Bytes = bytesOf(c.targets)
	m.Estimate = c.estimate(m)
	m.Progress = c.progress(m)
	m.Notes = append(m.Notes, c.notes(m)...)
	return nil
}

// chooseTargets returns the namespaces that are meant.
func chooseTargets(f Facts, r Request) ([]Namespace, error) {
	nsid := r.NSID
	if nsid == 0 {
		nsid = f.NSID
	}
	switch {
	case r.AllNamespaces && r.NSID != 0:
		return nil, badRequest("", "all namespaces and namespace %d alone cannot both be meant", r.NSID)
	case len(f.Namespaces) == 0 && !r.Technique.Sanitizes():
		return nil, badRequest("", "the drive has no active namespace")
	case r.AllNamespaces:
		return f.Namespaces, nil
	case nsid != 0:
		return named(f, nsid)
	case len(f.Namespaces) <= 1, r.Technique.Sanitizes():
		return f.Namespaces, nil
	}
	return nil, badRequest("name one of them, or ask for all namespaces",
		"the drive has %d namespaces and none was named: %s", len(f.Namespaces), list(f.Namespaces))
}

func named(f Facts, nsid nvme.NSID) ([]Namespace, error) {
	i := slices.IndexFunc(f.Namespaces, func(n Namespace) bool { return n.NSID == nsid })
	if i < 0 {
		return nil, badRequest("name one of them, or ask for all namespaces",
			"namespace %d is not active; the drive has: %s", nsid, list(f.Namespaces))
	}
	return f.Namespaces[i : i+1], nil
}

// list names namespaces with their sizes.
func list(all []Namespace) string {
	if len(all) == 0 {
		return "none"
	}
	var parts []string
	for _, n := range all {
		parts = append(parts, fmt.Sprintf("namespace %d (%d bytes)", n.NSID, bytesOf([]Namespace{n})))
	}
	return strings.Join(parts, ", ")
}

// bytesOf returns the size of namespaces together, of those that are known, and
// the greatest number for what cannot be.
func bytesOf(all []Namespace) int64 {
	var sum int64
	for _, n := range all {
		if n.Identify == nil {
			continue
		}
		size := n.Identify.SizeBytes()
		if size.Hi != 0 || size.Lo > uint64(math.MaxInt64-sum) {
			return math.MaxInt64
		}
		sum += int64(size.Lo)
	}
	return sum
}

// reach returns the namespaces that the technique erases, which may be more
// than the targets.
func (c *chooser) reach(t Technique) []Namespace {
	fna := c.facts.Controller.FNA
	switch {
	case t.Sanitizes(),
		t.Formats() && fna&nvme.FNAFormatAll != 0,
		t.Formats() && t.Erases() && fna&nvme.FNAEraseAll != 0:
		return c.facts.Namespaces
	}
	return c.targets
}

// progress reports whether the drive tells how far the technique is.
func (c *chooser) progress(m *Method) bool {
	if !m.Technique.Formats() {
		return true
	}
	for _, n := range c.targets {
		if _, reported := n.Identify.FormatProgress(); !reported {
			return false
		}
	}
	return true
}
