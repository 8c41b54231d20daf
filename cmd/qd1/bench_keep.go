package main

import (
	"errors"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/record"
)

// keep keeps the result, and notes in it under which identifier. What was
// interrupted is kept too.
func (m *measurement) keep() {
	m.report.Record = m.in.keep("bench", record.Subject{}, m.report, true)
}

// markPartial marks a result of which not all runs went to their end.
func (m *measurement) markPartial(err error) {
	b := m.report
	for i := range b.Results {
		if r := &b.Results[i]; r.Partial {
			b.Partial, b.Ended = true, r.Ended
		}
	}
	for i := range b.Copy {
		b.Partial = b.Partial || b.Copy[i].Partial
	}
	if p := b.Precondition; p != nil && p.Partial {
		b.Partial = true
	}
	switch {
	case err == nil:
	case errors.Is(err, bench.ErrInterrupted), m.in.Context.Context.Err() != nil:
		b.Partial, b.Ended = true, "interrupted"
	default:
		b.Partial, b.Ended = true, err.Error()
	}
}
