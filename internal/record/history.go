package record

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// HistorySchema is the name and version of the JSON object of a History.
const HistorySchema = "qd1.history/1"

// History is what the records of one subject say together.
type History struct {
	Schema string    `json:"schema"`
	Tool   Tool      `json:"tool"`
	Time   time.Time `json:"time"`
	// Directory is where the records are, Key the name of the subject's folder.
	Directory string  `json:"directory"`
	Key       string  `json:"key"`
	Subject   Subject `json:"subject"`
	// Total is the number of records that were chosen, Omitted how many of them,
	// between the oldest and the newest, were not read.
	Total   int `json:"records_total"`
	Omitted int `json:"records_omitted"`
	// Points are those that were read, the oldest first.
	Points []Point `json:"records"`
	// Trend and Forecast are nil if there is none.
	Trend     *Trend    `json:"trend"`
	Forecast  *Forecast `json:"forecast"`
	Backwards []Step    `json:"backwards"`
	// Unreadable are the files that could not be read.
	Unreadable []Unreadable `json:"unreadable"`
}

// Unreadable is a file that could not be read.
type Unreadable struct {
	// Reason is "damaged", "version" (of another version of the format),
	// "not-a-record", "too-large" or "host".
	Reason string `json:"reason"`
	// Text names the file and the cause.
	Text string `json:"text"`
}

// oldestRead is how many of the oldest records History reads when it leaves
// some out: the first may be of a kind that has no counters.
const oldestRead = 20

// History reads the records of a subject that a query chooses, whose Drive does
// not count. Of more than newest and a few of the oldest those between are left
// out; newest 0 reads all.
func (s *Store) History(subject Subject, q Query, newest int) *History {
	q.Drive = subject.Key()
	headers, faults := s.Headers(q)
	h := &History{
		Schema: HistorySchema, Directory: s.dir, Key: q.Drive, Subject: subject,
		Total: len(headers), Points: []Point{}, Backwards: []Step{}, Unreadable: []Unreadable{},
	}
	headers = ends(headers, newest)
	h.Omitted = h.Total - len(headers)
	for _, r := range headers {
		p, err := s.point(r)
		if err != nil {
			faults = append(faults, err)
		}
		if p != nil {
			h.Points = append(h.Points, *p)
		}
	}
	h.Trend, h.Forecast = TrendOf(h.Points), ForecastOf(h.Points, nil)
	h.Backwards = append(h.Backwards, Backwards(h.Points)...)
	h.Unreadable = append(h.Unreadable, unreadables(faults)...)
	return h
}

// ends returns the oldest and the newest of a list.
func ends(list []*Record, newest int) []*Record {
	if newest <= 0 || len(list) <= oldestRead+newest {
		return list
	}
	return slices.Concat(list[:oldestRead], list[len(list)-newest:])
}

// point reads a record. It is nil if that cannot be read, or is gone.
func (s *Store) point(header *Record) (*Point, error) {
	r, err := s.read(header.Subject.Key(), header.ID)
	if err != nil {
		return nil, present(err)
	}
	p, err := PointOf(r)
	if err != nil {
		err = fmt.Errorf("%s: %w", r.File, err)
	}
	return &p, err
}

// unreadables describes errors.
func unreadables(faults []error) []Unreadable {
	var list []Unreadable
	for _, err := range faults {
		list = append(list, Unreadable{reason(err), err.Error()})
	}
	return list
}

// reason is the word for a class of errors.
func reason(err error) string {
	switch {
	case errors.Is(err, ErrDamaged):
		return "damaged"
	case errors.Is(err, ErrVersion):
		return "version"
	case errors.Is(err, ErrNotRecord):
		return "not-a-record"
	case errors.Is(err, ErrTooLarge):
		return "too-large"
	}
	return "host"
}
