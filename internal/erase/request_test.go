package erase

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// TestRequestOf holds that an erase is repeated with the commands that it had,
// even if the drive is not as it was.
func TestRequestOf(t *testing.T) {
	two := func(formats ...uint8) []Namespace {
		var all []Namespace
		for i, f := range formats {
			all = append(all, withFormats(space(nvme.NSID(i+1), gb), f, 0))
		}
		return all
	}
	broadcast := controller(canFormat, 0, allSanitize)
	single := controller(canFormat, nvme.FNANoBroadcast, allSanitize)
	tests := []struct {
		name    string
		id      *nvme.IdentifyController
		spaces  []Namespace
		after   []Namespace
		request Request
	}{
		{"one", single, two(0), two(0), Request{Technique: FormatUserData}},
		{"its format has changed already", single, two(0), two(2), Request{Technique: FormatUserData, LBAF: pointer(3)}},
		{"its format was to be kept and has changed", single, two(2), two(0), Request{Technique: FormatUserData}},
		{"one of two", single, two(0, 0), two(0, 0), Request{Technique: FormatUserData, NSID: 2}},
		{"all in one", broadcast, two(2, 2), two(0, 0), Request{Technique: FormatUserData, AllNamespaces: true}},
		{"all with their own", single, two(0, 2), two(0, 2), Request{Technique: FormatUserData, AllNamespaces: true}},
		{"sanitize", single, two(0), two(0), Request{}},
		{"sanitize all", single, two(0, 0), two(0, 0), Request{AllNamespaces: true}},
		{"overwrite", single, two(0), two(0), Request{Technique: Overwrite}},
		{"time-out and claim", single, two(0), two(0), Request{Technique: FormatUserData, Timeout: 2 * time.Hour, Claim: Purge}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first, err := Choose(Facts{Controller: tt.id, Namespaces: tt.spaces}, tt.request)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Choose(Facts{Controller: tt.id, Namespaces: tt.after}, RequestOf(NewPlan(&Deps{Method: first})))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first.Commands, again.Commands); diff != "" {
				t.Errorf("commands (-first +again):\n%s", diff)
			}
			if first.Technique != again.Technique || first.Timeout != again.Timeout || first.Claim != again.Claim {
				t.Errorf("%s, %v, %s, want %s, %v, %s", again.Technique, again.Timeout, again.Claim, first.Technique, first.Timeout, first.Claim)
			}
		})
	}
}

// TestRepeatSomethingElse holds that a job is repeated on its own drive alone,
// and on all of it.
func TestRepeatSomethingElse(t *testing.T) {
	const profile = "nand-modern?size=8388608&namespaces=2&speed=1000000"
	r := newRig(t, profile)
	r.crash(Request{Technique: FormatUserData, AllNamespaces: true}, journal.Sent, false)
	other := newRig(t, profile+"&serial=QD1OTHER")
	for name, d := range map[string]*Deps{
		"is also of namespace 1": r.deps(Request{Technique: FormatUserData, NSID: 2}),
		"and not of QD1OTHER":    other.deps(Request{Technique: FormatUserData, AllNamespaces: true}),
	} {
		d.Poll, d.Journal = r, r.store
		rec, err := Resume(t.Context(), d, r.record().ID)
		if _, bad := errors.AsType[*RequestError](err); !bad || !strings.Contains(err.Error(), name) || rec.Class() != Interrupted || r.record().Ended() {
			t.Errorf("%s: result %s, error %v, ended %t", name, rec.Result, err, r.record().Ended())
		}
	}
	if len(r.commands())+len(other.commands()) != 0 {
		t.Errorf("sent %v, %v", r.commands(), other.commands())
	}
}
