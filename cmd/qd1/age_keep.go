package main

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
)

// keep keeps a result and its sets as records, unless that is not wanted. It may
// be repeated after a crash: the identifiers follow from the job. What fails is
// a warning, since the result stays in the journal.
func (j *ageJob) keep(rec *aging.Record) {
	in := j.in
	if !in.keeps(rec.Simulated, true) {
		return
	}
	if err := j.keepAll(rec); err != nil {
		rec.Record, rec.BeforeRecords, rec.AfterRecords = "", nil, nil
		j.progress.hide(true)
		in.env.warn(err, strings.TrimPrefix(hintNotKept(err)+"; qd1 age resume "+rec.Job+" keeps it later", "; "))
		j.progress.hide(false)
		return
	}
	j.kept = rec
	j.say("kept as record %s, the sets as %s", rec.Record, strings.Join(slices.Concat(rec.BeforeRecords, rec.AfterRecords), ", "))
}

// keepAll keeps the sets, then the result that names them.
func (j *ageJob) keepAll(rec *aging.Record) error {
	store, err := j.in.store()
	if err != nil {
		return err
	}
	if rec.BeforeRecords, err = keepSet(store, rec, aging.Before, rec.Before); err != nil {
		return err
	}
	if rec.AfterRecords, err = keepSet(store, rec, aging.After, rec.After); err != nil {
		return err
	}
	rec.Record = ageID(rec, rec.Time, aging.Kind, 0)
	return saveAge(store, record.Record{ID: rec.Record, Time: rec.Time, Kind: aging.Kind, Label: labelOf(rec.Label), Subject: subjectOf(rec)}, rec)
}

// keepSet keeps the results of a set, one for each sitting.
func keepSet(store *record.Store, rec *aging.Record, set journal.State, reports []*report.BenchReport) ([]string, error) {
	var ids []string
	for i, b := range reports {
		at, err := time.Parse(time.RFC3339Nano, b.Time)
		if err != nil {
			at = rec.Time
		}
		r := record.Record{ID: ageID(rec, at, string(set), i+1), Time: at, Kind: "bench", Label: labelOf(b.Label), Subject: subjectOf(rec)}
		if err := saveAge(store, r, b); err != nil {
			return ids, err
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}

func saveAge(store *record.Store, r record.Record, body any) error {
	var err error
	if r.Body, err = json.Marshal(body); err != nil {
		return err
	}
	r.Tool = record.Tool(tool())
	_, err = store.Save(&r)
	return err
}

// ageID is an identifier that is the same whenever it is made.
func ageID(rec *aging.Record, at time.Time, part string, n int) string {
	id := record.NewID(at)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", rec.Job, part, n))
	stamp := id[:strings.LastIndexByte(id, '-')+1]
	return stamp + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:len(id)-len(stamp)]
}

// subjectOf is what a job was about.
func subjectOf(rec *aging.Record) record.Subject {
	t := &rec.Plan.Target
	s := record.Subject{Path: t.Target.Path, Bytes: t.Target.Bytes, Simulated: rec.Simulated}
	if d := t.Drive; d != nil && d.Serial != "" {
		s = record.Subject{Serial: d.Serial, Model: d.Model, Bytes: t.Target.Bytes, Simulated: rec.Simulated}
	}
	return s
}

func labelOf(label *string) string {
	if label == nil {
		return ""
	}
	return *label
}

// nameRecords tells a result under which identifiers it is kept; what the journal has
// was made before.
func nameRecords(rec, kept *aging.Record) {
	if kept != nil {
		rec.Record, rec.BeforeRecords, rec.AfterRecords = kept.Record, kept.BeforeRecords, kept.AfterRecords
	}
}
