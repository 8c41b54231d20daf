package sim

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// smallPages is how many pages of 4096 bytes the small drives of these tests
// have: 2 MiB.
const smallPages = 512

// liar is a small drive of a profile that follows a script.
func liar(t testing.TB, profile Profile, script string, change func(*personality)) (*Drive, *time.Time) {
	t.Helper()
	d, now := instantOf(t, profile, func(p *personality) {
		p.override.size = smallPages * pageBytes
		if change != nil {
			change(p)
		}
	})
	f, err := ParseFaults(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	d.WithFaults(f)
	return d, now
}

// survey reads every page of the first namespace.
func survey(t testing.TB, d *Drive) [][]byte {
	t.Helper()
	var pages [][]byte
	for i := range uint64(smallPages) {
		pages = append(pages, blocks(t, d, i*8, 8))
	}
	return pages
}

// unchanged returns the numbers of the pages that are as they were.
func unchanged(before, after [][]byte) []int {
	var same []int
	for i := range before {
		if bytes.Equal(before[i], after[i]) {
			same = append(same, i)
		}
	}
	return same
}

// pagesFrom returns the numbers from one up to, but without, an end.
func pagesFrom(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// TestEraseLies lets each lie be told by a format, a format with cryptographic
// erase and the sanitize operations, all of which say that they succeeded, and
// looks for what is left.
func TestEraseLies(t *testing.T) {
	for _, tc := range []struct {
		script string
		left   []int
	}{
		{``, nil},
		{`{"do":"leave-all"}`, pagesFrom(0, smallPages)},
		{`{"do":"leave-rest","percent":75}`, pagesFrom(smallPages*3/4, smallPages)},
		{`{"do":"leave-rest","percent":99.8}`, []int{smallPages - 2, smallPages - 1}},
		{`{"do":"leave-region","lba_from":80,"lba_to":95}`, []int{10, 11}},
		{`{"do":"leave-region","lba_from":4095,"lba_to":4095}`, []int{smallPages - 1}},
		{`{"do":"leave-recent"}`, []int{3, 100, 101}},
		{`{"do":"leave-recent","count":2}`, []int{3, 101}},
		{`{"do":"leave-all","times":0,"when":{"opcode":2}}`, nil},
	} {
		for name, cmd := range map[string]*nvme.Command{
			"format": formatCmd(1, 0, eraseUser), "cryptographic format": formatCmd(1, 0, eraseCrypto),
			"block erase": sanitizeCmd(actionBlock), "crypto erase": sanitizeCmd(actionCrypto),
			"overwrite": sanitizeCmd(actionOverwrite | 1<<4),
		} {
			d, _ := liar(t, nandModern(), tc.script, nil)
			for _, page := range []uint64{100, 101, 3, 101, 3} {
				accept(t, d, writeCmd(page*8, 8, byte(page)))
			}
			before := survey(t, d)
			accept(t, d, cmd)
			accept(t, d, identifyCmd(nvme.CNSController, 0)) // A sanitize operation ends now.
			if got := unchanged(before, survey(t, d)); !slices.Equal(got, tc.left) {
				t.Errorf("%s, %s: %d pages are left, want %d: %v", tc.script, name, len(got), len(tc.left), got)
			}
			if log := errorLogOf(t, d); len(log) != 0 {
				t.Errorf("%s, %s: error log %+v", tc.script, name, log)
			}
		}
	}
}

// TestLeaveUnread has a drive that erases just what a host has looked at.
func TestLeaveUnread(t *testing.T) {
	d, _ := liar(t, optane905P(), `{"do":"leave-unread"}`, nil)
	looked := []uint64{0, 7, 63, 64, 511}
	for _, page := range looked {
		blocks(t, d, page*8+7, 1)
	}
	if _, err := d.ReadAt(make([]byte, 10), 200*pageBytes-5); err != nil { // Pages 199 and 200.
		t.Fatal(err)
	}
	accept(t, d, formatCmd(1, 0, eraseUser))
	var erased []int
	for i, page := range survey(t, d) {
		if allZero(page) {
			erased = append(erased, i)
		}
	}
	if want := []int{0, 7, 63, 64, 199, 200, 511}; !slices.Equal(erased, want) {
		t.Errorf("pages %v are erased, want %v", erased, want)
	}
	// What the second format leaves is what was not read since the first.
	d.WithFaults(NewFaults(Fault{Do: DoLeaveUnread}))
	accept(t, d, formatCmd(1, 0, eraseUser))
	if allZero(blocks(t, d, 8, 1)) {
		t.Error("a page that was never read is erased")
	}
}

// TestScattered checks that a share of the pages is left, another one with
// another seed.
func TestScattered(t *testing.T) {
	n := &namespace{}
	const pages = 1_000_000
	for _, ppm := range []int{10, 1000, 10_000, million} {
		f := &Fault{Do: DoLeaveScattered, PPM: ppm, Seed: 7}
		other := &Fault{Do: DoLeaveScattered, PPM: ppm, Seed: 8}
		left, leftToo, both := f.left(n), other.left(n), 0
		count := 0
		for page := range int64(pages) {
			if left(page) {
				count++
				if leftToo(page) {
					both++
				}
			}
		}
		if want := pages / million * ppm; count < want*6/10 || count > want*14/10 {
			t.Errorf("%d ppm: %d of %d pages, want about %d", ppm, count, pages, want)
		}
		if ppm < million && both > count/2 {
			t.Errorf("%d ppm: two seeds leave %d of %d pages both", ppm, both, count)
		}
	}
	d, _ := liar(t, optane905P(), `{"do":"leave-scattered","ppm":100000,"seed":3}`, nil)
	before := survey(t, d)
	accept(t, d, formatCmd(1, 0, eraseUser))
	first := unchanged(before, survey(t, d))
	if len(first) < 25 || len(first) > 85 {
		t.Errorf("%d of %d pages are left, want about a tenth", len(first), smallPages)
	}
	accept(t, d, formatCmd(1, 0, eraseUser))
	if again := unchanged(before, survey(t, d)); !slices.Equal(again, first) {
		t.Errorf("%d pages after a second format, want the same %d", len(again), len(first))
	}
}

// TestLieTakesItsTime checks that a drive that erases nothing is as slow as an
// honest one, tells its progress, and changes its block size.
func TestLieTakesItsTime(t *testing.T) {
	d, now := liar(t, nandModern(), `{"do":"leave-all"}`, func(p *personality) { p.work.formatErase = 100 * time.Second })
	before := survey(t, d)
	d.controller.beginWith(formatCmd(1, 1, eraseUser), &d.faults.rules[0])
	*now = now.Add(25 * time.Second)
	if id := namespaceOf(t, d, 1); id.FPI != 0x80|75 {
		t.Errorf("FPI %#x after a quarter, want 75 %% left", id.FPI)
	}
	reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 4096), nvme.StatusFormatInProgress)
	*now = now.Add(75 * time.Second)
	id := namespaceOf(t, d, 1)
	if id.FPI != 0x80 || id.Format().DataBytes() != 4096 || id.NSZE != smallPages {
		t.Errorf("FPI %#x, %d blocks of %d bytes", id.FPI, id.NSZE, id.Format().DataBytes())
	}
	if id.NUSE != 0 {
		t.Errorf("NUSE %d of a drive that says that it is empty", id.NUSE)
	}
	cmd := ioCmd(nvme.IORead, 1, 5, 1, 4096)
	accept(t, d, cmd)
	if !bytes.Equal(cmd.Data, before[5]) {
		t.Error("the data are gone")
	}
}

// TestKeyLeft has a drive whose cryptographic erase keeps the key while its
// other erases are honest, by the conditions on the kind of erase.
func TestKeyLeft(t *testing.T) {
	const script = `{"when":{"ses":2},"do":"leave-all"}
		{"when":{"action":4},"do":"leave-all"}`
	for _, tc := range []struct {
		name string
		cmd  *nvme.Command
		left bool
	}{
		{"user data erase", formatCmd(1, 0, eraseUser), false}, {"cryptographic format", formatCmd(1, 0, eraseCrypto), true},
		{"block erase", sanitizeCmd(actionBlock), false}, {"crypto erase", sanitizeCmd(actionCrypto), true},
	} {
		d, _ := liar(t, nandModern(), script, nil)
		before := blocks(t, d, 0, 8)
		accept(t, d, tc.cmd)
		accept(t, d, identifyCmd(nvme.CNSController, 0))
		if got := bytes.Equal(blocks(t, d, 0, 8), before); got != tc.left {
			t.Errorf("%s: the data are left: %v, want %v", tc.name, got, tc.left)
		}
	}
}

// TestScopeLies has drives that do not keep to their FNA.
func TestScopeLies(t *testing.T) {
	for _, tc := range []struct {
		fna    uint8
		script string
		erased bool
	}{
		{0, ``, false}, {0, `{"do":"all-namespaces"}`, true}, {1, ``, true}, {1, `{"do":"one-namespace"}`, false},
	} {
		d, _ := liar(t, nandModern(), tc.script, func(p *personality) { p.override.namespaces, p.override.fna = 2, &tc.fna })
		before := sibling(t, d)
		accept(t, d, formatCmd(1, 0, eraseUser))
		if id := identityOf(t, d); uint8(id.FNA) != tc.fna {
			t.Errorf("FNA %d, want %d", id.FNA, tc.fna)
		}
		if got := !bytes.Equal(sibling(t, d), before); got != tc.erased {
			t.Errorf("FNA %d, %s: the other namespace is erased: %v, want %v", tc.fna, tc.script, got, tc.erased)
		}
		if zero, _ := nvme.IsBlankPage(blocks(t, d, 8, 8)); !zero {
			t.Errorf("FNA %d, %s: the namespace itself is not erased", tc.fna, tc.script)
		}
	}
}

// TestFaultFail checks erases that end with a failure, in part done.
func TestFaultFail(t *testing.T) {
	for script, want := range map[string]nvme.Status{
		`{"do":"fail","percent":25}`:              nvme.StatusInternalError,
		`{"do":"fail","percent":25,"status":266}`: nvme.StatusInvalidFormat,
	} {
		d, _ := liar(t, nandModern(), script, nil)
		before := survey(t, d)
		reject(t, d, formatCmd(1, 0, eraseUser), want)
		if got := unchanged(before, survey(t, d)); !slices.Equal(got, pagesFrom(smallPages/4, smallPages)) {
			t.Errorf("%s: %d pages are left", script, len(got))
		}
		if log := errorLogOf(t, d); len(log) != 1 || log[0].StatusInfo.Status().Code() != want {
			t.Errorf("%s: error log %+v", script, log)
		}
	}
	d, _ := liar(t, nandModern(), `{"do":"fail","times":1}`, nil)
	before := survey(t, d)
	accept(t, d, sanitizeCmd(actionBlock|allowUnrestrictedExit))
	if got := sanitizeLog(t, d).Status; got != nvme.SanitizeFailed {
		t.Errorf("status %#x, want failed", got)
	}
	accept(t, d, sanitizeCmd(actionExitFailure))
	if got := unchanged(before, survey(t, d)); len(got) != smallPages {
		t.Errorf("%d pages are left, want all", len(got))
	}
	accept(t, d, sanitizeCmd(actionBlock))
	if got := sanitizeLog(t, d).Status.State(); got != nvme.SanitizeCompleted {
		t.Errorf("state %d of the second one, want completed", got)
	}
}

// TestFaultStall checks erases that stand still, for a time and for ever.
func TestFaultStall(t *testing.T) {
	slow := func(p *personality) { p.work.blockErase, p.work.formatErase = 100*time.Second, 100*time.Second }
	for _, tc := range []struct {
		script string
		after  time.Duration
		want   uint16
	}{
		{`{"do":"stall","percent":1}`, 500 * time.Millisecond, 327},
		{`{"do":"stall","percent":1}`, time.Second, 655},
		{`{"do":"stall","percent":1}`, 1000 * time.Hour, 655},
		{`{"do":"stall"}`, 1000 * time.Hour, 0},
		{`{"do":"stall","percent":50,"ms":100000}`, 149 * time.Second, 32768},
		{`{"do":"stall","percent":50,"ms":100000}`, 175 * time.Second, 49152},
		{`{"do":"stall","percent":50,"ms":100000}`, 200 * time.Second, 0xFFFF},
	} {
		d, now := liar(t, nandModern(), tc.script, slow)
		accept(t, d, sanitizeCmd(actionBlock))
		*now = now.Add(tc.after)
		d.Reset()
		d.PowerCycle()
		log := sanitizeLog(t, d)
		if log.Progress != tc.want || (log.Status.State() == nvme.SanitizeInProgress) != (tc.want != 0xFFFF) {
			t.Errorf("%s after %v: progress %d, status %#x, want %d", tc.script, tc.after, log.Progress, log.Status, tc.want)
		}
	}
	d, now := liar(t, nandModern(), `{"do":"stall","percent":30}`, slow)
	d.controller.beginWith(formatCmd(1, 0, eraseUser), &d.faults.rules[0])
	*now = now.Add(time.Hour)
	if id := namespaceOf(t, d, 1); id.FPI != 0x80|70 {
		t.Errorf("FPI %#x, want 70 %% left", id.FPI)
	}
	// A drive without any speed stands still too.
	d, _ = liar(t, nandModern(), `{"do":"stall","percent":1}`, nil)
	accept(t, d, sanitizeCmd(actionBlock))
	if log := sanitizeLog(t, d); log.Progress != 655 {
		t.Errorf("progress %d, want 655", log.Progress)
	}
}

// TestBrokenLie takes the power away in the middle of a lie: the old store lives
// on, and the room of what was written comes back in the end.
func TestBrokenLie(t *testing.T) {
	d, now := liar(t, nandModern(), `{"do":"leave-scattered","ppm":500000}`, func(p *personality) { p.work.formatErase = 100 * time.Second })
	room := d.controller.room.left.Load()
	accept(t, d, writeCmd(smallPages*8-8, 8, 9))
	accept(t, d, ioCmd(nvme.IOFlush, 1, 0, 1, 0))
	before := survey(t, d)
	d.controller.beginWith(formatCmd(1, 0, eraseUser), &d.faults.rules[0])
	*now = now.Add(50 * time.Second)
	d.PowerCycle()
	if got := unchanged(before, survey(t, d)); !slices.Equal(got, pagesFrom(smallPages/2, smallPages)) {
		t.Errorf("%d pages are left, want the second half", len(got))
	}
	accept(t, d, writeCmd(smallPages*8-8, 8, 10))
	for range 3 {
		d.controller.beginWith(formatCmd(1, 0, eraseUser), &d.faults.rules[0])
		*now = now.Add(100 * time.Second)
		accept(t, d, writeCmd(0, 8, 1))
	}
	d.faults = nil
	d.controller.beginWith(formatCmd(1, 0, eraseUser), nil)
	*now = now.Add(100 * time.Second)
	accept(t, d, identifyCmd(nvme.CNSController, 0))
	if got := d.controller.room.left.Load(); got != room {
		t.Errorf("room for %d pages, want %d", got, room)
	}
	if zero, _ := nvme.IsBlankPage(blocks(t, d, 0, 8)); !zero {
		t.Error("an honest format after lies left data")
	}
}

// TestTrackForgets checks that the pages that were written last are known, and
// only so many.
func TestTrackForgets(t *testing.T) {
	tr := newTrack()
	for page := range int64(2*trackedPages + 10) {
		tr.wrote(page)
	}
	last := tr.lastWritten(0)
	if len(last) < trackedPages || len(last) > 2*trackedPages || !last[2*trackedPages+9] || last[0] {
		t.Errorf("%d pages are known as the last ones", len(last))
	}
	if one := tr.lastWritten(1); len(one) != 1 || !one[2*trackedPages+9] {
		t.Errorf("the last page is %v", one)
	}
	var none *track
	none.wrote(1)
	none.read(0, 1)
	if none.wasRead(0) || len(none.lastWritten(0)) != 0 {
		t.Error("a track that is not there knows something")
	}
}

func TestLieScriptErrors(t *testing.T) {
	for script, want := range map[string]string{
		`{"do":"leave-scattered"}`:                                    `"ppm" of 0`,
		`{"do":"leave-scattered","ppm":1000001}`:                      `"ppm" of 1000001`,
		`{"do":"leave-region","lba_from":1}`:                          "are needed",
		`{"do":"leave-region","lba_from":2,"lba_to":1}`:               "no region",
		`{"do":"leave-region","lba_from":0,"lba_to":1e30}`:            "cannot unmarshal",
		`{"do":"leave-region","lba_from":0,"lba_to":140737488355328}`: "no region",
		`{"do":"leave-rest","percent":101}`:                           `"percent" of 101`,
		`{"do":"leave-rest","percent":-1}`:                            `"percent" of -1`,
		`{"do":"leave-recent","count":-1}`:                            "negative",
		`{"do":"old-data","ms":-1}`:                                   `"ms" of -1`,
		`{"do":"leave"}`:                                              "leave-all, leave-rest",
	} {
		_, err := ParseFaults(strings.NewReader(script))
		if !errors.Is(err, ErrFaultScript) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
}
