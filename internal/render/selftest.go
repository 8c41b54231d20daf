package render

import (
	"fmt"
	"io"
	"strings"

	"qd1.example/qd1/internal/selftest"
	"qd1.example/qd1/nvme"
)

// SelfTest writes what became of a self-test. Like all pages of a technical kind
// it is English only.
func SelfTest(w io.Writer, d Part, r *selftest.Report, g Guarded, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	p.heading(testPiece(r.Word()), piece{Strong, r.Test + " self-test"}, piece{Plain, testedText(r.NSID)})
	rows := []pair{{"command", r.Command}}
	if r.EstimateSeconds > 0 {
		rows = append(rows, pair{"should take", fmt.Sprintf("%s%smin", decimal(r.EstimateSeconds/60), nbsp)})
	}
	if r.Status != nil && !r.Status.OK() {
		rows = append(rows, pair{"status", r.Status.Error()})
	}
	if f := r.Followed; f != nil {
		rows = append(rows, pair{"followed", fmt.Sprintf("for %s%ss: %s", decimal(f.Seconds), nbsp, f.Text)})
		if f.Result == nil {
			rows = append(rows, pair{"progress", fmt.Sprintf("%d%s%%", f.Percent, nbsp)})
		} else {
			rows = append(rows, entryPairs(f.Result)...)
		}
	}
	p.table(rows)
	p.guarded(&g)
	p.labelled(Strong, "next", r.Next)
	return p.writeTo(w)
}

// testPiece is the word for what came of a test.
func testPiece(word string) piece {
	role := map[string]Role{"PASSED": Good, "FAILED": Bad, "REFUSED": Bad, "NOT STARTED": Plain}
	if r, ok := role[word]; ok {
		return piece{r, word}
	}
	return piece{Warn, word}
}

// testedText says what is tested.
func testedText(nsid nvme.NSID) string {
	switch nsid {
	case nvme.BroadcastNSID:
		return "controller and all namespaces"
	case 0:
		return "controller without namespaces"
	}
	return fmt.Sprintf("controller and namespace %d", nsid)
}

// entryPairs are the lines of a result.
func entryPairs(e *selftest.Entry) []pair {
	rows := []pair{{"result", fmt.Sprintf("%s (code %Xh)", e.Text, e.Code)}, {"power on", fmt.Sprintf("%d%sh when it ended", e.PowerOnHours, nbsp)}}
	if e.Segment != nil {
		rows = append(rows, pair{"segment", fmt.Sprintf("%d failed first; what it tests is the maker's to tell", *e.Segment)})
	}
	if e.LBA != nil {
		rows = append(rows, pair{"failing LBA", failingText(e)})
	}
	return rows
}

// failingText is where a block failed, and with what.
func failingText(e *selftest.Entry) string {
	text := fmt.Sprint(*e.LBA)
	if e.NSID != nil {
		text += fmt.Sprintf(" of namespace %d", *e.NSID)
	}
	if e.Status != "" {
		text += ": " + e.Status
	}
	return text
}

// SelfTestLog writes the log of self-tests.
func SelfTestLog(w io.Writer, d Part, l *selftest.Log, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	if r := l.Running; r != nil {
		p.heading(piece{Warn, "RUNNING"}, piece{Strong, r.Test + " self-test"}, piece{Plain, fmt.Sprintf("%d%s%% done", r.Percent, nbsp)})
	} else {
		p.heading(piece{Strong, "No self-test is running"})
	}
	if len(l.Results) == 0 {
		p.line("  The drive has no result of a self-test.")
	}
	for i := range l.Results {
		e := &l.Results[i]
		p.line("")
		p.heading(testPiece(strings.ToUpper(string(e.Outcome))), piece{Strong, e.Test + " self-test"})
		p.table(entryPairs(e))
	}
	return p.writeTo(w)
}
