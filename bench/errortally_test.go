package bench

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/google/go-cmp/cmp"
)

func TestErrorTally(t *testing.T) {
	var tally errorTally
	tally.add(io.ErrUnexpectedEOF, 1)
	for i := range 3 {
		tally.add(unix.EIO, int64(100+i))
	}
	want := []ErrorKind{{"EIO", 3, 100}, {"unexpected EOF", 1, 1}}
	if diff := cmp.Diff(want, tally.list()); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if tally.total != 4 {
		t.Errorf("got %d in all, want 4", tally.total)
	}
}

func TestErrorTallyIsBounded(t *testing.T) {
	var tally errorTally
	for i := range 100 {
		tally.add(fmt.Errorf("fault %d", i), int64(i))
	}
	kinds := tally.list()
	if len(kinds) != maxErrorKinds || kinds[0] != (ErrorKind{"other", 100 - maxErrorKinds + 1, maxErrorKinds - 1}) {
		t.Errorf("got %d kinds, the first %+v", len(kinds), kinds[0])
	}
}

func TestErrorName(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{unix.EIO, "EIO"},
		{fmt.Errorf("read: %w", unix.ENODEV), "ENODEV"},
		{io.ErrUnexpectedEOF, "unexpected EOF"},
		{unix.Errno(4000), "errno 4000"},
	} {
		if got := errorName(tt.err); !strings.Contains(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestErrorTallyPlaces(t *testing.T) {
	var a, b, sum errorTally
	for i := range 200 {
		a.add(unix.EIO, int64(200-i)*512)
	}
	b.add(unix.EIO, 200*512)
	b.add(unix.EIO, 0)
	sum.mergeAll(&b)
	sum.mergeAll(&a)
	got := sum.sortedOffsets()
	if len(got) != maxErrorOffsets || got[0] != (ErrorOffset{0, 1}) || got[len(got)-1] != (ErrorOffset{200 * 512, 2}) {
		t.Errorf("got %d places from %+v to %+v", len(got), got[0], got[len(got)-1])
	}
	for i := range got[1:] {
		if got[i].Offset >= got[i+1].Offset {
			t.Errorf("places %d and %d are not in order", i, i+1)
		}
	}
	if sum.total != 202 || sum.list()[0].Count != 202 {
		t.Errorf("%d errors, %+v", sum.total, sum.list())
	}
}

// odd is an error that cannot be compared.
type odd struct{ list []int }

func (e odd) Error() string { return fmt.Sprint("odd ", len(e.list)) }

func TestErrorTallyOfAnyError(t *testing.T) {
	var tally errorTally
	shared := errors.New("shared")
	for range 3 {
		tally.add(odd{[]int{1}}, 0)
		tally.add(shared, 512)
		tally.add(fmt.Errorf("read: %w", unix.ENODATA), 1024)
	}
	want := []ErrorKind{{"odd 1", 3, 0}, {"shared", 3, 512}, {"ENODATA", 3, 1024}}
	if diff := cmp.Diff(want, tally.list()); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestErrorTallyStopsAskingForTexts(t *testing.T) {
	var tally errorTally
	for range maxErrorTexts + 100 {
		tally.add(fmt.Errorf("always new"), 0)
	}
	want := []ErrorKind{{"always new", maxErrorTexts, 0}, {"other", 100, 0}}
	if diff := cmp.Diff(want, tally.list()); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestRunGoesOnWhateverFails(t *testing.T) {
	n := 0
	source := drive(func(p []byte, off int64) (int, error) {
		if n++; n == 5000 {
			return 0, unix.ENODEV
		}
		return 0, unix.EIO
	})
	j := plain(time.Minute)
	j.Pattern, j.MaxErrors, j.Span = Sequential, -1, 8192
	r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
	if !errors.Is(err, ErrGone) {
		t.Fatalf("got %v, want a drive that is gone", err)
	}
	if diff := cmp.Diff([]ErrorOffset{{0, 2500}, {4096, 2500}}, r.ErrorOffsets); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ErrorKind{{"EIO", 4999, 0}, {"ENODEV", 1, 4096}}, r.ErrorDetails); diff != "" || r.Errors != 5000 {
		t.Errorf("%d errors (-want +got):\n%s", r.Errors, diff)
	}
}

// watched fails every read and counts how often it is asked for its device.
type watched struct {
	Engine
	asked, goneAt int
}

func (e *watched) Gone() bool {
	e.asked++
	return e.asked == e.goneAt
}

func TestRunDoesNotAskForTheDeviceEachTime(t *testing.T) {
	failing := NewReaderAt("sim", drive(func([]byte, int64) (int, error) { return 0, unix.EIO }))
	for _, tt := range []struct {
		maxErrors, goneAt, want int
		err                     error
	}{
		{1000, 0, 22, ErrManyErrors}, // At first, and for a while before the run ends for it.
		{1000, 12, 12, ErrGone},      // The kernel takes the device away a moment later.
		{1000, 2, 2, ErrGone},
		{1000, 1, 1, ErrGone},
	} {
		e := &watched{Engine: failing, goneAt: tt.goneAt}
		j := plain(time.Minute)
		j.MaxErrors = tt.maxErrors
		_, err := Run(t.Context(), e, smallTarget, j, nil)
		if !errors.Is(err, tt.err) || e.asked < tt.want || e.asked > tt.want+2 {
			t.Errorf("asked %d times, want %d; got %v", e.asked, tt.want, err)
		}
	}
}
