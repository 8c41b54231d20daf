package bench

import (
	"bytes"
	"compress/flate"
	"math"
	"testing"
)

// writeBuffers returns as many buffers of writes as a worker has.
func writeBuffers(j Job) []Request {
	list := make([]Request, j.QueueDepth)
	for i := range list {
		list[i] = Request{Data: make([]byte, j.BlockBytes), Buffer: i, Write: true}
	}
	return list
}

func writer(content string) Job {
	j := QD1Read(1)
	j.Op, j.Content, j.Seed, j.QueueDepth = OpWrite, content, 7, 2
	return j
}

func TestContentNeverRepeatsASector(t *testing.T) {
	for _, content := range []string{"", "random", "50%", "1%"} {
		j := writer(content)
		seen := map[string]bool{}
		for worker := range 2 {
			buffers := writeBuffers(j)
			c := newContent(j, worker, buffers)
			for i := range 200 {
				data := buffers[i%len(buffers)].Data
				c.stamp(data)
				for at := 0; at < len(data); at += contentSector {
					seen[string(data[at:at+contentSector])] = true
				}
			}
		}
		if want := 2 * 200 * 8; len(seen) != want {
			t.Errorf("content %q: %d of %d sectors differ", content, len(seen), want)
		}
	}
}

func TestContentFollowsSeed(t *testing.T) {
	first := func(j Job, worker int) []byte {
		buffers := writeBuffers(j)
		c := newContent(j, worker, buffers)
		c.stamp(buffers[0].Data)
		return buffers[0].Data
	}
	j := writer("")
	other := j
	other.Seed++
	switch {
	case !bytes.Equal(first(j, 0), first(j, 0)):
		t.Errorf("the same seed gives other data")
	case bytes.Equal(first(j, 0), first(j, 1)):
		t.Errorf("two workers write the same")
	case bytes.Equal(first(j, 0), first(other, 0)):
		t.Errorf("two seeds give the same data")
	}
}

func TestContentCompressesAsAsked(t *testing.T) {
	for _, tt := range []struct {
		content  string
		low, top float64
	}{{"random", 1, 1.01}, {"100%", 1, 1.01}, {"75%", 0.74, 0.8}, {"50%", 0.49, 0.55}, {"10%", 0.09, 0.15}, {"zero", 0, 0.01}} {
		j := writer(tt.content)
		j.BlockBytes = 1 << 17
		buffers := writeBuffers(j)
		c := newContent(j, 0, buffers)
		c.stamp(buffers[0].Data)
		var out bytes.Buffer
		w, err := flate.NewWriter(&out, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(buffers[0].Data); err != nil {
			t.Fatal(err)
		}
		w.Close()
		ratio := float64(out.Len()) / float64(j.BlockBytes)
		if ratio < tt.low || ratio > tt.top {
			t.Errorf("content %q compresses to %.3f, want %g…%g", tt.content, ratio, tt.low, tt.top)
		}
	}
}

func TestContentLeavesReadsAlone(t *testing.T) {
	j := writer("")
	buffers := writeBuffers(j)
	buffers[0].Write = false
	newContent(j, 0, buffers)
	if !isBlank(buffers[0].Data) || isBlank(buffers[1].Data) {
		t.Errorf("a buffer of reads was filled, or one of writes was not")
	}
}

func TestContentShare(t *testing.T) {
	for content, want := range map[string]int{"": 512, "random": 512, "zero": 0, "100%": 512, "50%": 256, "33%": 168, "1%": 16} {
		got, err := contentShare(content)
		if err != nil || int(math.Abs(float64(got-want))) > 0 {
			t.Errorf("content %q: %d bytes of a sector, %v, want %d", content, got, err, want)
		}
	}
}

func FuzzContentShare(f *testing.F) {
	f.Add("50%")
	f.Add("random")
	f.Fuzz(func(t *testing.T, s string) {
		n, err := contentShare(s)
		if err == nil && (n < 0 || n > contentSector) {
			t.Fatalf("content %q: %d bytes of a sector", s, n)
		}
	})
}

func BenchmarkContentStamp(b *testing.B) {
	j := writer("")
	buffers := writeBuffers(j)
	c := newContent(j, 0, buffers)
	b.ReportAllocs()
	for b.Loop() {
		c.stamp(buffers[0].Data)
	}
}
