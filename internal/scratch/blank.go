package scratch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/rawio"
)

const (
	defaultSamples = 1000
	defaultBlock   = 4096
	// suspicious is the share of blank blocks, in percent, from which on the
	// figures are doubtful.
	suspicious = 1.0
	// fastFactor times the median of blank blocks must be below that of the
	// others, both of at least fastSamples, to say that the drive answers blank
	// blocks without looking at the medium.
	fastFactor  = 2
	fastSamples = 10
	// lostInRow failed reads end the sampling.
	lostInRow = 10
	// z95 is the two-sided 95 % quantile of the normal distribution.
	z95 = 1.959964
)

// BlankPlan says which blocks [SampleBlank] reads. The zero value and Span are
// enough.
type BlankPlan struct {
	// Start and Span are the part of the device, in bytes. Span must be given.
	Start, Span int64
	// BlockBytes of one read, a multiple of the logical block of the device. 0:
	// 4096.
	BlockBytes int
	// Samples to read. 0: 1000.
	Samples int
	// Seed of the places. 0: a random one, which stands in the result.
	Seed uint64
}

// Blank is what samples of a device show about blocks that were never written or
// were deallocated, which drives answer without reading the medium.
type Blank struct {
	Samples int64 `json:"samples"`
	// Zeros and Ones are the samples with nothing but bytes of 00h and of FFh.
	// What a drive returns for a deallocated block is in DLFEAT of Identify
	// Namespace (NVM Command Set Specification).
	Zeros int64 `json:"zeros"`
	Ones  int64 `json:"ones"`
	// Failed reads are not among the samples.
	Failed int64 `json:"failed"`
	// Percent of the samples that are blank, with its 95 % confidence interval
	// (E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
	// Inference", 1927). Nil: no sample could be read.
	Percent *float64    `json:"percent"`
	CI95    *[2]float64 `json:"percent_ci95"`
	// BlankMedianUS and DataMedianUS are the median latencies of the two kinds in
	// µs, nil below 10 samples. They are for comparison with each other only.
	BlankMedianUS *float64 `json:"blank_median_us"`
	DataMedianUS  *float64 `json:"data_median_us"`
	// Fast: blank blocks are answered in less than half the time.
	Fast bool   `json:"fast"`
	Seed uint64 `json:"seed"`
}

// SampleBlank reads random blocks of r and tells how many are blank. Places are
// independent and uniform; the same seed gives the same ones. It ends early if
// ctx ends or 10 reads in a row fail; what was found until then is returned with
// the error. The memory that it gives to r is fit for direct I/O.
func SampleBlank(ctx context.Context, r io.ReaderAt, p BlankPlan) (Blank, error) {
	p = p.complete()
	blocks := p.Span / int64(p.BlockBytes)
	if blocks < 1 || p.Start < 0 || p.BlockBytes < 1 || p.Samples < 1 {
		return Blank{}, fmt.Errorf("samples of %d bytes from %d bytes at %d are not possible", p.BlockBytes, p.Span, p.Start)
	}
	buffer, err := rawio.Alloc(p.BlockBytes)
	if err != nil {
		return Blank{}, err
	}
	defer buffer.Free()
	s := blankSampler{r: r, block: buffer.Bytes()[:p.BlockBytes], found: Blank{Seed: p.Seed}}
	for i := range p.Samples {
		if err = ctx.Err(); err != nil {
			break
		}
		pick, _ := bits.Mul64(mix(p.Seed, uint64(i)), uint64(blocks))
		if err = s.sample(p.Start + int64(pick)*int64(p.BlockBytes)); err != nil {
			break
		}
	}
	return s.result(), err
}

// complete fills in the defaults.
func (p BlankPlan) complete() BlankPlan {
	if p.BlockBytes == 0 {
		p.BlockBytes = defaultBlock
	}
	if p.Samples == 0 {
		p.Samples = defaultSamples
	}
	if p.Seed == 0 {
		p.Seed = rand.Uint64()
	}
	return p
}

// blankSampler counts the samples so far.
type blankSampler struct {
	r           io.ReaderAt
	block       []byte
	found       Blank
	lost        int // failed reads in a row
	blank, data bench.Histogram
}

// sample reads the block at an offset. The error says that it makes no sense to
// go on.
func (s *blankSampler) sample(offset int64) error {
	begin := time.Now()
	n, err := s.r.ReadAt(s.block, offset)
	took := time.Since(begin)
	if n < len(s.block) {
		s.found.Failed++
		if s.lost++; s.lost >= lostInRow {
			return fmt.Errorf("%d reads in a row failed, the last one at %d: %w", s.lost, offset, errors.Join(err, bench.ErrManyErrors))
		}
		return nil
	}
	s.lost = 0
	s.found.Samples++
	switch value, same := constant(s.block); {
	case same && value == 0:
		s.found.Zeros++
		s.blank.Add(took)
	case same && value == 0xFF:
		s.found.Ones++
		s.blank.Add(took)
	default:
		s.data.Add(took)
	}
	return nil
}

// constant reports whether all bytes of b are the same, and which.
func constant(b []byte) (byte, bool) {
	return b[0], bytes.Equal(b[1:], b[:len(b)-1])
}

// result sums up.
func (s *blankSampler) result() Blank {
	b := s.found
	if b.Samples == 0 {
		return b
	}
	b.rate()
	b.BlankMedianUS, b.DataMedianUS = medianOf(&s.blank), medianOf(&s.data)
	b.Fast = b.BlankMedianUS != nil && b.DataMedianUS != nil && *b.BlankMedianUS*fastFactor < *b.DataMedianUS
	return b
}

func medianOf(h *bench.Histogram) *float64 {
	if h.Count() < fastSamples {
		return nil
	}
	return new(float64(h.Quantile(0.5)) / 1000)
}

// wilson returns the 95 % confidence interval of a share of which k of n samples
// were found.
func wilson(k, n int64) (low, high float64) {
	share, count := float64(k)/float64(n), float64(n)
	centre := share + z95*z95/(2*count)
	half := z95 * math.Sqrt(share*(1-share)/count+z95*z95/(4*count*count))
	scale := 1 + z95*z95/count
	low, high = (centre-half)/scale, (centre+half)/scale
	if k == 0 {
		low = 0 // But for rounding.
	}
	if k == n {
		high = 1
	}
	return low, high
}

// BlankOf is what reads of random blocks show, made elsewhere: how many were
// read, how many of them held zeros, and how many failed.
func BlankOf(samples, zeros, failed int64, seed uint64) Blank {
	b := Blank{Samples: samples, Zeros: zeros, Failed: failed, Seed: seed}
	if samples > 0 {
		b.rate()
	}
	return b
}

// rate fills in the share that is blank. There are samples.
func (b *Blank) rate() {
	blank := b.Zeros + b.Ones
	b.Percent = new(100 * float64(blank) / float64(b.Samples))
	low, high := wilson(blank, b.Samples)
	b.CI95 = &[2]float64{100 * low, 100 * high}
}

// Warning says in sentences what blank blocks do to figures, "" if there are too
// few to matter.
func (b Blank) Warning() string {
	if b.Percent == nil || *b.Percent <= suspicious {
		return ""
	}
	w := fmt.Sprintf("%.1f %% of the blocks are blank (95 %% confidence: %.1f to %.1f %%), so they may be read without asking the medium: the figures may be too good.", *b.Percent, b.CI95[0], b.CI95[1])
	if b.Fast {
		w += fmt.Sprintf(" Blank blocks were answered in %.1f µs, others in %.1f µs.", *b.BlankMedianUS, *b.DataMedianUS)
	}
	return w
}
