package surface

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

const kib, mib = 1 << 10, 1 << 20

// disk is a target with bad blocks and slow ones.
type disk struct {
	bytes, block int64
	bad          []Extent
	slow         []Extent
	delay        time.Duration
	// slowOnce is slow the first time it is read, atomic fails unless it is read
	// in parts, hang never ends.
	slowOnce, atomic, hang, leaves *Extent
	reads                          []Extent
	pending                        *bench.Event
	gone                           bool
	closed                         bool
}

var errMedium = errors.New("input/output error")

func overlap(a, b Extent) bool { return a.Offset < b.End() && b.Offset < a.End() }

func (d *disk) Submit(requests []bench.Request) (int, error) {
	e := Extent{requests[0].Offset, int64(len(requests[0].Data))}
	d.reads = append(d.reads, e)
	event := bench.Event{Bytes: int(e.Bytes)}
	fail := func() { event.Bytes, event.Err = 0, errMedium }
	for _, b := range d.bad {
		if overlap(b, e) {
			fail()
		}
	}
	for _, b := range d.slow {
		if overlap(b, e) {
			time.Sleep(d.delay)
		}
	}
	if s := d.slowOnce; s != nil && overlap(*s, e) {
		time.Sleep(d.delay)
		d.slowOnce = nil
	}
	if a := d.atomic; a != nil && overlap(*a, e) && e.Bytes > a.Bytes {
		event.Bytes = 512
	}
	if h := d.hang; h != nil && overlap(*h, e) {
		time.Sleep(time.Second)
	}
	if l := d.leaves; l != nil && overlap(*l, e) {
		d.gone = true
		fail()
	}
	d.pending = &event
	return 1, nil
}

func (d *disk) Reap(events []bench.Event, _ int) (int, error) {
	events[0] = *d.pending
	return 1, nil
}

func (d *disk) Gone() bool   { return d.gone }
func (d *disk) Close() error { d.closed = true; return nil }

func (d *disk) target() bench.Target {
	return bench.Target{Kind: bench.BlockTarget, Path: "/dev/test", Bytes: d.bytes, BlockBytes: int(d.block)}
}

// run is a worker in this process.
func (d *disk) run(t *testing.T, limit time.Duration) Runner {
	return func(ctx context.Context, job Job, take func(*Line) error) error {
		jobRead, jobWrite := pipe(t)
		outRead, outWrite := pipe(t)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = Serve(jobRead, outWrite, func(bench.Spec) (bench.Engine, error) { return d, nil })
			outWrite.Close()
		}()
		err := Converse(ctx, jobWrite, outRead, job, limit, take)
		outRead.Close() // A worker that goes on finds nobody to tell.
		<-done
		return err
	}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// scan scans a disk and returns what came out.
func scan(t *testing.T, d *disk) (*Map, *Result) {
	t.Helper()
	m, err := NewMap("test", d.target(), Extent{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Scan(t.Context(), m, Options{Target: d.target(), Run: d.run(t, 0), Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	return m, m.Result()
}

// places are ranges as first block and number of blocks.
func places(list []Range) [][2]int64 {
	var out [][2]int64
	for _, r := range list {
		out = append(out, [2]int64{r.LBA, r.Blocks})
	}
	return out
}

func TestScanWhole(t *testing.T) {
	d := &disk{bytes: 2*mib + 4*kib, block: 512}
	_, r := scan(t, d)
	if !r.Complete || r.DoneBytes != d.bytes || len(r.Unreadable)+len(r.Slow)+len(r.NoAnswer) != 0 || r.Text != "everything could be read" {
		t.Errorf("%+v", r)
	}
	if r.Median == nil || r.Max == nil || len(r.Regions) != 33 || r.Regions[32].Bytes != 4*kib || r.Regions[0].Median == nil {
		t.Errorf("latency %v %v, %d regions", r.Median, r.Max, len(r.Regions))
	}
	if !d.closed {
		t.Error("the engine was not closed")
	}
}

// TestScanFinds checks that exactly the bad blocks are found, wherever they are.
func TestScanFinds(t *testing.T) {
	for name, tc := range map[string]struct {
		block int64
		bad   []Extent
		want  [][2]int64
	}{
		"the first block":            {512, []Extent{{0, 512}}, [][2]int64{{0, 1}}},
		"the last block":             {512, []Extent{{mib - 512, 512}}, [][2]int64{{2047, 1}}},
		"a range over two chunks":    {512, []Extent{{64*kib - 1024, 2048}}, [][2]int64{{126, 4}}},
		"a whole chunk":              {512, []Extent{{128 * kib, 64 * kib}}, [][2]int64{{256, 128}}},
		"two in a chunk":             {512, []Extent{{1024, 512}, {5120, 1024}}, [][2]int64{{2, 1}, {10, 2}}},
		"blocks of 4096 bytes":       {4096, []Extent{{40960, 8192}}, [][2]int64{{10, 2}}},
		"a block within another one": {4096, []Extent{{41000, 1}}, [][2]int64{{10, 1}}},
	} {
		_, r := scan(t, &disk{bytes: mib, block: tc.block, bad: tc.bad})
		if diff := cmp.Diff(tc.want, places(r.Unreadable)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if !r.Complete || r.Unreadable[0].Error != errMedium.Error() || !strings.Contains(r.Text, "cannot be read") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestScanFindsSlow checks that what is slow is found, and what was slow once is
// not.
func TestScanFindsSlow(t *testing.T) {
	d := &disk{bytes: 2 * mib, block: 512, slow: []Extent{{192 * kib, 128 * kib}, {mib, 64 * kib}}, delay: 30 * time.Millisecond, slowOnce: &Extent{64 * kib, 512}}
	m, r := scan(t, d)
	var got []Range
	for _, s := range r.Slow {
		got = append(got, s.Range)
		if s.Median < 30000 || s.Again < 30000 || s.Max < s.Median {
			t.Errorf("slow %+v", s)
		}
	}
	if diff := cmp.Diff([][2]int64{{384, 256}, {2048, 128}}, places(got)); diff != "" {
		t.Errorf("slow (-want +got):\n%s", diff)
	}
	if r.SlowOnce < 1 || !strings.Contains(r.Text, "2 ranges are slow") {
		t.Errorf("slow once %d, %q", r.SlowOnce, r.Text)
	}
	slow := 0
	for _, g := range r.Regions {
		slow += g.Slow
	}
	if slow != 3 {
		t.Errorf("%d slow chunks in the regions, want 3", slow)
	}
	if reads := slices.DeleteFunc(slices.Clone(d.reads), func(e Extent) bool { return e.Offset != mib }); m.Rounds != againRounds || len(reads) != 1+againRounds {
		t.Errorf("%d rounds, a slow chunk was read %d times, want %d", m.Rounds, len(reads), 1+againRounds)
	}
}

func TestScanRecovers(t *testing.T) {
	_, r := scan(t, &disk{bytes: mib, block: 512, atomic: &Extent{8 * kib, 32 * kib}})
	if r.Recovered != 1 || r.UnreadableBlocks != 0 || !r.Complete {
		t.Errorf("%+v, want one chunk that could be read in parts", r)
	}
}

// TestSplitsAreBounded checks that a drive that is dead from some place on takes
// no read for each block.
func TestSplitsAreBounded(t *testing.T) {
	d := &disk{bytes: mib, block: 512, bad: []Extent{{0, mib}}}
	r := &reader{engine: d, memory: make([]byte, mib), unit: 512, splits: 10}
	line, err := r.chunk(Extent{0, mib})
	if err != nil || len(d.reads) > 30 {
		t.Errorf("%v, %d reads", err, len(d.reads))
	}
	var bytes int64
	whole := false
	for _, b := range line.Bad {
		bytes += b.Bytes
		whole = whole || b.Whole
	}
	if bytes != mib || !whole {
		t.Errorf("%d bytes, %+v: want all, and told that not every block was tried", bytes, line.Bad)
	}
}

// TestScanHangs lets a drive not answer: the chunk is noted, and a resumed scan
// goes on after it.
func TestScanHangs(t *testing.T) {
	d := &disk{bytes: mib, block: 512, hang: &Extent{256 * kib, 512}}
	m, err := NewMap("test", d.target(), Extent{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Target: d.target(), Run: d.run(t, 200*time.Millisecond), Now: time.Now}
	if err := Scan(t.Context(), m, o); !errors.Is(err, bench.ErrStalled) {
		t.Fatalf("error %v, want that it does not answer", err)
	}
	r := m.Result()
	if diff := cmp.Diff([][2]int64{{512, 128}}, places(r.NoAnswer)); diff != "" || r.Complete || r.DoneBytes != 320*kib {
		t.Errorf("no answer (-want +got):\n%s%+v", diff, r)
	}
	d.hang = nil
	d.reads = nil
	if err := Scan(t.Context(), m, o); err != nil {
		t.Fatal(err)
	}
	if r := m.Result(); !r.Complete || r.Sittings != 2 || len(r.NoAnswer) != 1 {
		t.Errorf("after the resume: %+v", r)
	}
	if slices.ContainsFunc(d.reads, func(e Extent) bool { return e.Offset <= 256*kib }) {
		t.Error("the resume has read again what was read")
	}
}

func TestScanGone(t *testing.T) {
	d := &disk{bytes: mib, block: 512, leaves: &Extent{256 * kib, 512}}
	m, _ := NewMap("test", d.target(), Extent{}, time.Time{})
	saved := 0
	err := Scan(t.Context(), m, Options{Target: d.target(), Run: d.run(t, 0), Now: time.Now, Save: func(*Map) error { saved++; return nil }})
	if r := m.Result(); !errors.Is(err, bench.ErrGone) || r.DoneBytes != 256*kib || saved == 0 {
		t.Errorf("%v, %d bytes, saved %d times", err, r.DoneBytes, saved)
	}
}

// TestScanInterrupted keeps what was read, and goes on from there.
func TestScanInterrupted(t *testing.T) {
	d := &disk{bytes: mib, block: 512, bad: []Extent{{0, 512}, {mib - 512, 512}}, slow: []Extent{{512 * kib, 512}}, delay: 300 * time.Millisecond}
	m, _ := NewMap("test", d.target(), Extent{}, time.Time{})
	ctx, cancel := context.WithCancel(t.Context())
	var kept []byte
	o := Options{Target: d.target(), Run: d.run(t, 0), Now: time.Now, Observe: func(Progress) { cancel() }, Save: func(m *Map) error {
		var err error
		kept, err = json.Marshal(m)
		return err
	}}
	if err := Scan(ctx, m, o); !errors.Is(err, bench.ErrInterrupted) {
		t.Fatalf("error %v, want that it was interrupted", err)
	}
	var again Map
	if err := json.Unmarshal(kept, &again); err != nil {
		t.Fatal(err)
	}
	if r := again.Result(); r.Complete || r.DoneBytes == 0 || !strings.Contains(r.Text, "% were read") {
		t.Fatalf("kept %+v", r)
	}
	o.Observe = nil
	if err := Scan(t.Context(), &again, o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][2]int64{{0, 1}, {2047, 1}}, places(again.Result().Unreadable)); diff != "" || !again.Result().Complete {
		t.Errorf("after the resume (-want +got):\n%s", diff)
	}
}

func TestScanSaveFails(t *testing.T) {
	d := &disk{bytes: mib, block: 512}
	m, _ := NewMap("test", d.target(), Extent{}, time.Time{})
	full := errors.New("no space left")
	if err := Scan(t.Context(), m, Options{Target: d.target(), Run: d.run(t, 0), Now: time.Now, Save: func(*Map) error { return full }}); !errors.Is(err, full) || !m.Result().Complete {
		t.Errorf("error %v, want that of saving, and a whole map", err)
	}
}

func TestNewMap(t *testing.T) {
	target := bench.Target{Path: "x", Bytes: mib + 100, BlockBytes: 4096}
	for _, tc := range []struct {
		part, want Extent
		bad        bool
	}{
		{Extent{}, Extent{0, mib}, false},
		{Extent{4096, 0}, Extent{4096, mib - 4096}, false},
		{Extent{4096, 10000}, Extent{4096, 8192}, false},
		{Extent{0, 1 << 40}, Extent{0, mib}, false},
		{Extent{4100, 0}, Extent{4096, mib - 4096}, false},
		{Extent{2 * mib, 0}, Extent{}, true},
		{Extent{-4096, 0}, Extent{}, true},
	} {
		m, err := NewMap("s", target, tc.part, time.Time{})
		if tc.bad != errors.Is(err, ErrPart) || err == nil && m.Part != tc.want {
			t.Errorf("%+v: %v, %+v", tc.part, err, m)
		}
	}
}

func TestChunkFor(t *testing.T) {
	for bytes, want := range map[int64]int{1: 64 * kib, 64 * mib: 64 * kib, 1 << 30: 256 * kib, 960 << 30: mib, 4 << 40: mib, 30 << 40: 8 * mib} {
		if got := chunkFor(bytes); got != want {
			t.Errorf("%d bytes: chunks of %d, want %d", bytes, got, want)
		}
	}
}

func TestCells(t *testing.T) {
	for _, d := range []time.Duration{1, time.Microsecond, 37 * time.Microsecond, 5 * time.Millisecond, time.Minute, 100 * time.Hour} {
		us, ok := cellOf(d).read()
		want := max(float64(d)/1e3, 1)
		if !ok || us < 0.999*want || us > 1.001*want {
			t.Errorf("%v became %.2f µs", d, us)
		}
	}
	for _, c := range []cell{unread, failed, noAnswer} {
		if _, ok := c.read(); ok {
			t.Errorf("cell %d has a time", c)
		}
	}
}

func TestInsertBad(t *testing.T) {
	var list []Bad
	for _, at := range []int64{5, 1, 3, 2, 9} {
		list = insertBad(list, Bad{Extent: Extent{at * 512, 512}, Error: "x"})
	}
	want := []Extent{{512, 3 * 512}, {5 * 512, 512}, {9 * 512, 512}}
	var got []Extent
	for _, b := range list {
		got = append(got, b.Extent)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMapState holds that a map is the same after it was kept, and that a damaged
// one is refused.
func TestMapState(t *testing.T) {
	d := &disk{bytes: mib, block: 512, bad: []Extent{{0, 512}}}
	m, _ := scan(t, d)
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var got Map
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, &got, cmp.AllowUnexported(Map{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, change := range [][2]string{
		{storedSchema, "qd1.other/1"}, {`"chunk_bytes":65536`, `"chunk_bytes":0`}, {`"block_bytes":512`, `"block_bytes":0`},
		{`"bytes":1048576,"block`, `"bytes":1,"block`}, {`"cells":"`, `"cells":"AAAA`}, {`"cells":"`, `"cells":"!`}, {`"bad":[{"offset":0`, `"bad":[{"offset":-512`}, {`{`, `[`},
	} {
		changed := strings.Replace(string(b), change[0], change[1], 1)
		if changed == string(b) {
			t.Fatalf("%q is not there", change[0])
		}
		if err := new(Map).UnmarshalJSON([]byte(changed)); !errors.Is(err, ErrState) {
			t.Errorf("%q for %q: error %v, want %v", change[1], change[0], err, ErrState)
		}
	}
}

func FuzzMapState(f *testing.F) {
	m, err := NewMap("s", bench.Target{Bytes: 256 * kib, BlockBytes: 512}, Extent{}, time.Time{})
	if err != nil {
		f.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(Map)
		if m.UnmarshalJSON(b) != nil || m.chunks() > 1<<16 {
			return
		}
		if r := m.Result(); r.DoneBytes < 0 || r.DoneBytes > r.Part.Bytes {
			t.Errorf("%+v", r)
		}
	})
}

// TestSuspects bounds what is read again.
func TestSuspects(t *testing.T) {
	m, err := NewMap("s", bench.Target{Bytes: 128 * mib, BlockBytes: 512}, Extent{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.cells {
		m.cells[i] = cellOf(100 * time.Microsecond)
	}
	for i := range 510 {
		m.cells[i] = cellOf(time.Duration(20+i) * time.Millisecond)
	}
	m.cells[1023] = cellOf(time.Second)
	m.cells[1022] = cellOf(time.Second)
	m.cells[1021] = cellOf(time.Millisecond)
	list := m.suspects()
	if len(list) != againChunks || list[againChunks-1].Offset != 1023*64*kib {
		t.Errorf("%d suspects, the last at %d", len(list), list[len(list)-1].Offset)
	}
	m.Rounds = 1
	m.Again[0], m.Again[1], m.Again[1023] = time.Millisecond, 30*time.Millisecond, time.Second
	var chunks []int64
	for _, e := range m.suspects() {
		chunks = append(chunks, m.at(e.Offset))
	}
	if diff := cmp.Diff([]int64{1, 1023}, chunks); diff != "" {
		t.Errorf("of the second round (-want +got):\n%s", diff)
	}
	reads := 0
	run := func(context.Context, Job, func(*Line) error) error { reads++; return nil }
	for i := range int64(fewSuspects + 1) {
		m.Again[i] = time.Second
	}
	s := &scanning{Options: &Options{Run: run}, m: m}
	if err := s.again(t.Context()); err != nil || reads != 0 || m.Rounds != againRounds {
		t.Errorf("%v, %d rounds were read, want none: so many are no disturbance", err, reads)
	}
}
