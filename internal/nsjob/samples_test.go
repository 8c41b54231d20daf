package nsjob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

// spoiled is a medium of which some cannot be read.
type spoiled struct {
	io.ReaderAt
	from, to int64
}

func (s spoiled) ReadAt(b []byte, off int64) (int, error) {
	if off < s.to && off+int64(len(b)) > s.from {
		return 0, errors.New("unreadable")
	}
	return s.ReaderAt.ReadAt(b, off)
}

func TestSampler(t *testing.T) {
	const size = 1 << 20
	p, err := PlanTrim(space(size/512, 9, 0), TrimRequest{NSID: 1}, unlimited())
	if err != nil {
		t.Fatal(err)
	}
	medium := bytes.Repeat([]byte("QD1."), size/4)
	s := p.NewSampler()
	if n := len(s.places); n != mostSamples || s.places[0] != 0 || s.places[n-1] != size-sampleBytes {
		t.Fatalf("places %v", s.places)
	}
	if err := s.Before(t.Context(), bytes.NewReader(medium)); err != nil {
		t.Fatal(err)
	}
	clear(medium[:size/4])
	copy(medium[size/4:size/2], bytes.Repeat([]byte{0xFF}, size/4))
	copy(medium[size/2:], "changed")
	got, err := s.After(t.Context(), spoiled{bytes.NewReader(medium), size - 4096, size})
	if err != nil {
		t.Fatal(err)
	}
	if got.Zero < 14 || got.Ones < 14 || got.Unchanged < 28 || got.Unreadable != 1 || got.Zero+got.Ones+got.Unchanged+got.Other+got.Unreadable != got.Count {
		t.Errorf("%+v", got)
	}
	for _, tt := range []struct {
		reads string
		kept  int
		ok    bool
	}{{ReadsZeroes, 63 - got.Zero, true}, {ReadsOnes, 63 - got.Ones, true}, {NotReported, 0, false}} {
		if n, ok := got.Kept(Promise{Reads: tt.reads}); n != tt.kept || ok != tt.ok {
			t.Errorf("%s: %d, %t, want %d, %t", tt.reads, n, ok, tt.kept, tt.ok)
		}
	}
}

// TestSamplerPlaces holds that the places of small and odd ranges lie within.
func TestSamplerPlaces(t *testing.T) {
	for _, tt := range []struct {
		lbads  uint8
		r      TrimRequest
		places int
		size   uint64
	}{
		{9, TrimRequest{Start: 512, Length: 512}, 1, 512},
		{9, TrimRequest{Start: 512, Length: 4096}, 1, 4096},
		{9, TrimRequest{Length: 4608}, 2, 4096},
		{12, TrimRequest{Start: 4096, Length: 40960}, 10, 4096},
		{14, TrimRequest{Length: 1 << 20}, 64, 1 << 14},
	} {
		p, err := PlanTrim(space(1000, tt.lbads, 0), tt.r, unlimited())
		if err != nil {
			t.Fatal(err)
		}
		s := p.NewSampler()
		if len(s.places) != tt.places || s.size != tt.size {
			t.Errorf("%+v: %d places of %d bytes, want %d of %d", tt.r, len(s.places), s.size, tt.places, tt.size)
		}
		for _, at := range s.places {
			if at < p.Start || at+s.size > p.Start+p.Length || at%p.LBABytes != 0 {
				t.Errorf("%+v: place %d", tt.r, at)
			}
		}
	}
}

func TestSamplerInterrupted(t *testing.T) {
	p, err := PlanTrim(space(100, 9, 0), TrimRequest{NSID: 1}, unlimited())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, medium := p.NewSampler(), bytes.NewReader(make([]byte, 51200))
	if err := s.Before(ctx, medium); !errors.Is(err, context.Canceled) {
		t.Errorf("before: %v", err)
	}
	if _, err := s.After(ctx, medium); !errors.Is(err, context.Canceled) {
		t.Errorf("after: %v", err)
	}
	// What was not read before cannot be unchanged.
	got, err := s.After(t.Context(), bytes.NewReader(bytes.Repeat([]byte{7}, 51200)))
	if err != nil || got.Other != got.Count {
		t.Errorf("%+v, %v", got, err)
	}
}
