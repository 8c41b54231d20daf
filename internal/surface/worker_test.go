package surface

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

// TestConverse lets a worker misbehave.
func TestConverse(t *testing.T) {
	job := Job{Target: bench.Target{Path: "x", Bytes: mib}, Extents: []Extent{{0, mib}}, ChunkBytes: 64 * kib}
	none := func(*Line) error { return nil }
	for name, tc := range map[string]struct {
		answer string
		want   error
	}{
		"nothing":       {"", bench.ErrWorker},
		"nonsense":      {"{\n", bench.ErrWorker},
		"an error":      {`{"end":true,"error":"x","kind":"gone"}` + "\n", bench.ErrGone},
		"a good end":    {`{"end":true}` + "\n", nil},
		"another chunk": {`{"offset":5,"bytes":1,"ns":1}` + "\n", bench.ErrWorker},
	} {
		r, w := pipe(t)
		_, _ = io.WriteString(w, tc.answer)
		w.Close()
		take := none
		if name == "another chunk" {
			m, _ := NewMap("s", job.Target, Extent{}, time.Time{})
			take = m.take
		}
		if err := Converse(t.Context(), io.Discard, r, job, 0, take); !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	job.ChunkBytes = 1000
	if err := Converse(t.Context(), io.Discard, nil, job, 0, none); err == nil {
		t.Error("a job with odd chunks was sent")
	}
	job.ChunkBytes, job.Extents = 512, []Extent{{mib, 512}}
	if err := Converse(t.Context(), io.Discard, nil, job, 0, none); err == nil {
		t.Error("a job beyond the end was sent")
	}
}

func TestServeFails(t *testing.T) {
	refuses := errors.New("cannot open")
	for name, in := range map[string]string{
		"no job": "", "nonsense": "{\n", "an odd job": `{"chunk_bytes":1}` + "\n",
		"no engine": `{"target":{"path":"x","bytes":512},"extents":[{"offset":0,"bytes":512}],"chunk_bytes":512}` + "\n",
	} {
		var out strings.Builder
		err := Serve(strings.NewReader(in), &out, func(bench.Spec) (bench.Engine, error) { return nil, refuses })
		var l Line
		if e := json.Unmarshal([]byte(out.String()), &l); err == nil || e != nil || !l.End || l.Error == "" || l.err() == nil {
			t.Errorf("%s: %v, %v, %+v", name, err, e, l)
		}
	}
}

// TestScanFile reads a real file through the kernel.
func TestScanFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 256*kib), 0o600); err != nil {
		t.Fatal(err)
	}
	target, err := bench.OpenFileTarget(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	in, err := json.Marshal(Job{Target: target, Extents: []Extent{{0, 256 * kib}}, ChunkBytes: 64 * kib})
	if err != nil {
		t.Fatal(err)
	}
	if err := Serve(strings.NewReader(string(in)+"\n"), &out, bench.Open); err != nil {
		t.Skipf("this file system cannot be read around the cache: %v", err)
	}
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 5 || strings.Contains(out.String(), "bad") {
		t.Errorf("lines:\n%s", out.String())
	}
}

func TestRelook(t *testing.T) {
	d := &disk{bytes: mib, block: 512, bad: []Extent{{77 * 512, 512}}}
	spots := []Spot{{LBA: 77, NSID: 1}, {LBA: 78, NSID: 1}, {LBA: 1 << 40, NSID: 1}}
	if err := Relook(t.Context(), d.target(), spots, d.run(t, 0)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range spots {
		got = append(got, spots[i].Text())
	}
	want := []string{"still bad: input/output error", "readable now", "not tried: the namespace has 2048 blocks"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	l := Look(spots)
	if l.StillBad() != 1 || l.Text != "of 3 blocks of the error log 1 are still bad, 1 are readable now, 1 were not tried" {
		t.Errorf("%+v", l)
	}
	if l := Look(nil); l.Spots == nil || l.StillBad() != 0 || !strings.Contains(l.Text, "names no block") {
		t.Errorf("without spots %+v", l)
	}
	if err := Relook(t.Context(), d.target(), []Spot{{LBA: 1 << 40}}, nil); err != nil {
		t.Errorf("with nothing to read: %v", err)
	}
	for _, e := range d.reads {
		if e.Bytes != 512 {
			t.Errorf("read %+v, want single blocks", e)
		}
	}
}
