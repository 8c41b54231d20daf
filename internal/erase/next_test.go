package erase

import (
	"encoding/json"
	"testing"

	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// job makes a journal whose entries all have the record.
func job(t *testing.T, r *Record, all ...State) *journal.Record {
	t.Helper()
	r.Schema = Schema
	if len(all) > 0 {
		r.State = all[len(all)-1]
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	j := &journal.Record{ID: "1", Kind: jobKind, Serial: "S", Header: b}
	for _, s := range all {
		j.Entries = append(j.Entries, journal.Entry{State: s, Data: b})
	}
	return j
}

// TestNext is the table of decisions: every state with every condition.
func TestNext(t *testing.T) {
	conditions := []Condition{Fine, Ghost, Sanitizing, SanitizeBroken, Formatting, Silent, Unknown}
	always := func(a Action) map[Condition]Action {
		m := map[Condition]Action{}
		for _, c := range conditions {
			m[c] = a
		}
		return m
	}
	sent := func(fine Action) map[Condition]Action {
		return map[Condition]Action{
			Fine: fine, Ghost: Rescue, Sanitizing: AwaitSanitize, SanitizeBroken: Repeat, Formatting: AwaitFormat, Silent: Rescue, Unknown: Rescue,
		}
	}
	ok, refused := uint16(0), uint16(nvme.StatusInvalidFormat)
	format := func(outcomes ...Outcome) *Record {
		return &Record{Technique: FormatUserData, Commands: make([]Command, 1), Outcomes: outcomes}
	}
	lost := format()
	lost.Lost = true
	two := format(Outcome{Status: &ok})
	two.Commands = make([]Command, 2)
	tests := []struct {
		name string
		job  *journal.Record
		want map[Condition]Action
	}{
		{"nothing", job(t, format()), always(StartAgain)},
		{"armed", job(t, format(), journal.Armed), always(StartAgain)},
		{"sent", job(t, lost, journal.Armed, journal.Sent), sent(Repeat)},
		{"returned", job(t, format(Outcome{Status: &ok}), journal.Armed, journal.Sent, journal.Returned), sent(VerifyOnly)},
		{"refused", job(t, format(Outcome{Status: &refused}), journal.Armed, journal.Sent, journal.Returned), sent(StartAgain)},
		{"host failed", job(t, format(Outcome{Host: true}), journal.Armed, journal.Sent, journal.Returned), sent(Repeat)},
		{"one of two", job(t, two, journal.Armed, journal.Sent, journal.Returned), sent(Repeat)},
		{"verify", job(t, format(Outcome{Status: &ok}), journal.Armed, journal.Sent, journal.Returned, journal.Verify), sent(VerifyOnly)},
		{"done", job(t, format(Outcome{Status: &ok}), journal.Armed, journal.Sent, journal.Returned, journal.Verify, journal.Done), always(Finished)},
		{"of a newer version", job(t, format(), journal.Armed, "PONDERED"), always(Newer)},
		{"armed again", job(t, format(), journal.Armed, journal.Sent, journal.Armed), sent(Repeat)},
	}
	for _, tt := range tests {
		for _, c := range conditions {
			step := Next(tt.job, Look{Condition: c, Text: "x", Now: &Snapshot{}})
			if step.Action != tt.want[c] || step.Text == "" {
				t.Errorf("%s, drive %q: %+v, want %s", tt.name, c, step, tt.want[c])
			}
			rec := Status(tt.job, Look{Condition: c, Now: &Snapshot{}})
			if tt.want[c] != Finished {
				noClaim(t, rec)
			}
		}
		live := *tt.job
		live.Live = true
		if step := Next(&live, Look{}); step.Action != Follow {
			t.Errorf("%s, live: %+v", tt.name, step)
		}
	}
}

// TestNextOfSanitize holds when a sanitize log is taken for the end of the job's
// operation.
func TestNextOfSanitize(t *testing.T) {
	const own, other = 0xA, 0xC
	log := func(status nvme.SanitizeStatus, cdw10 uint32) *Snapshot {
		return &Snapshot{Sanitize: &nvme.SanitizeLog{Status: status, CDW10: cdw10}}
	}
	ok := uint16(0)
	answered := []Outcome{{Status: &ok}}
	tests := []struct {
		name        string
		before, now *Snapshot
		outcomes    []Outcome
		want        Action
	}{
		{"new", log(0, 0), log(1, own), nil, VerifyOnly},
		{"new, deallocated", log(0, 0), log(0x104, own), nil, VerifyOnly},
		{"other one before", log(1, other), log(1, own), nil, VerifyOnly},
		{"failed before", log(3, own), log(1, own), nil, VerifyOnly},
		{"the same as before", log(1, own), log(0x101, own), nil, Repeat},
		{"the same as before, answered", log(1, own), log(0x101, own), answered, VerifyOnly},
		{"other one now", log(0, 0), log(1, other), answered, Repeat},
		{"never", log(0, 0), log(0, 0), answered, Repeat},
		{"nothing known of before", &Snapshot{}, log(1, own), nil, Repeat},
		{"nothing known now", log(0, 0), &Snapshot{}, answered, Repeat},
	}
	for _, tt := range tests {
		r := &Record{Technique: SanitizeBlock, Commands: []Command{{CDW10: own}}, Before: tt.before, Outcomes: tt.outcomes, Lost: tt.outcomes == nil}
		state := journal.Sent
		if tt.outcomes != nil {
			state = journal.Returned
		}
		if step := Next(job(t, r, journal.Armed, state), Look{Condition: Fine, Now: tt.now}); step.Action != tt.want {
			t.Errorf("%s: %+v, want %s", tt.name, step, tt.want)
		}
	}
}

func TestLookAt(t *testing.T) {
	tests := []struct {
		name string
		look Look
		want Condition
	}{
		{"fine", LookAt(t.Context(), newRig(t, small), &Record{}), Fine},
		{"not there", LookAt(t.Context(), nil, &Record{}), Silent},
		{"dead", LookAt(t.Context(), newRig(t, "dead"), &Record{}), Silent},
		{"ghost", LookAt(t.Context(), newRig(t, small), &Record{Before: &Snapshot{Model: "M"}}), Ghost},
	}
	refuses := newRig(t, small)
	refuses.behind = answers(nvme.AdminIdentify, nvme.Completion{Status: nvme.StatusFormatInProgress}, nil)
	tests = append(tests, struct {
		name string
		look Look
		want Condition
	}{"formatting", LookAt(t.Context(), refuses, &Record{}), Formatting})
	for _, tt := range tests {
		if tt.look.Condition != tt.want || (tt.look.Text == "") != (tt.want == Fine) {
			t.Errorf("%s: %+v, want %s", tt.name, tt.look, tt.want)
		}
	}
}

// TestRecordOfStrangeJournals holds that entries that are no records of this
// package do not end the reading.
func TestRecordOfStrangeJournals(t *testing.T) {
	good, err := json.Marshal(&Record{Schema: Schema, Next: "x"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		job  journal.Record
		want string
	}{
		{"empty", journal.Record{ID: "1"}, ""},
		{"header", journal.Record{ID: "1", Header: good}, "x"},
		{"other data", journal.Record{ID: "1", Header: good, Entries: []journal.Entry{{State: journal.Sent, Data: []byte(`{"schema":"other"}`)}}}, "x"},
		{"not a record", journal.Record{ID: "1", Header: good, Entries: []journal.Entry{{State: journal.Sent, Data: []byte(`[]`)}}}, "x"},
	}
	for _, tt := range tests {
		r := RecordOf(&tt.job)
		if r.Next != tt.want || r.Job != "1" || r.State != tt.job.State() {
			t.Errorf("%s: next %q, job %q, state %q", tt.name, r.Next, r.Job, r.State)
		}
	}
}

// FuzzRecord holds that no journal makes a claim or a panic.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"schema":"qd1.erase/1","technique":"sanitize-block","commands":[{}],"outcomes":[{"status":0}],"verdict":"PASS","result":"done"}`), byte(1))
	f.Add([]byte(`{"schema":"qd1.erase/1","estimate":null,"radius":null}`), byte(4))
	f.Fuzz(func(t *testing.T, data []byte, which byte) {
		all := []State{journal.Armed, journal.Sent, journal.Returned, journal.Verify}
		j := &journal.Record{ID: "1", Serial: "S", Entries: []journal.Entry{{State: all[int(which)%len(all)], Data: data}}}
		for _, c := range []Condition{Fine, Ghost, Sanitizing, SanitizeBroken, Formatting, Silent} {
			l := Look{Condition: c, Now: &Snapshot{}}
			if Next(j, l).Action == "" {
				t.Errorf("%s: no action", c)
			}
			noClaim(t, Status(j, l))
		}
		RecordOf(j).evidence()
	})
}
