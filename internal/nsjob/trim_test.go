package nsjob

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// space is a namespace of so many blocks, as a power of two, that likes to
// deallocate so many at once.
func space(blocks uint64, lbads uint8, granularity uint16) *nvme.IdentifyNamespace {
	ns := &nvme.IdentifyNamespace{NSZE: blocks, NCAP: blocks}
	ns.LBAF[0].LBADS = lbads
	if granularity > 0 {
		ns.NSFEAT, ns.NPDG = optimalFields, granularity-1
	}
	return ns
}

// lbaRange is one range of a command.
type lbaRange struct{ first, blocks uint64 }

// rangesOf reads the ranges of a command back.
func rangesOf(t *testing.T, c *nvme.Command) []lbaRange {
	t.Helper()
	if len(c.Data) != (int(c.CDW10)+1)*rangeBytes {
		t.Fatalf("%d ranges in %d bytes", c.CDW10+1, len(c.Data))
	}
	var list []lbaRange
	for b := c.Data; len(b) > 0; b = b[rangeBytes:] {
		list = append(list, lbaRange{binary.LittleEndian.Uint64(b[8:]), uint64(binary.LittleEndian.Uint32(b[4:]))})
	}
	return list
}

// TestPlanTrim divides ranges among commands by what the drive takes.
func TestPlanTrim(t *testing.T) {
	small := Limits{Ranges: 2, RangeBlocks: 10, CommandBlocks: 1000, Reported: true}
	tests := []struct {
		name string
		ns   *nvme.IdentifyNamespace
		r    TrimRequest
		l    Limits
		want [][]lbaRange
	}{
		{"whole", space(100, 12, 0), TrimRequest{}, unlimited(), [][]lbaRange{{{0, 100}}}},
		{"a range", space(100, 9, 0), TrimRequest{Start: 512, Length: 1024}, unlimited(), [][]lbaRange{{{1, 2}}}},
		{"up to the end", space(100, 9, 0), TrimRequest{Start: 98 * 512}, unlimited(), [][]lbaRange{{{98, 2}}}},
		{"short ranges", space(35, 9, 0), TrimRequest{}, small, [][]lbaRange{{{0, 10}, {10, 10}}, {{20, 10}, {30, 5}}}},
		{"short commands", space(35, 9, 0), TrimRequest{}, Limits{Ranges: 256, RangeBlocks: 10, CommandBlocks: 25}, [][]lbaRange{{{0, 10}, {10, 10}}, {{20, 10}, {30, 5}}}},
		{"units", space(40, 9, 4), TrimRequest{}, small, [][]lbaRange{{{0, 8}, {8, 8}}, {{16, 8}, {24, 8}}, {{32, 8}}}},
		{"units, within one", space(40, 9, 4), TrimRequest{Start: 6 * 512, Length: 20 * 512}, small, [][]lbaRange{{{6, 6}, {12, 8}}, {{20, 6}}}},
		{"units greater than a range", space(40, 9, 32), TrimRequest{}, small, [][]lbaRange{{{0, 10}, {10, 10}}, {{20, 10}, {30, 10}}}},
		{"large", space(3<<28, 9, 0), TrimRequest{}, unlimited(), [][]lbaRange{{{0, 1 << 27}}, {{1 << 27, 1 << 27}}, {{2 << 27, 1 << 27}}, {{3 << 27, 1 << 27}}, {{4 << 27, 1 << 27}}, {{5 << 27, 1 << 27}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.NSID = 3
			p, err := PlanTrim(tt.ns, tt.r, tt.l)
			if err != nil {
				t.Fatal(err)
			}
			var got [][]lbaRange
			for i := range p.Commands {
				c := p.Command(i)
				if c.Queue != nvme.IOQueue || c.Opcode != 9 || c.NSID != 3 || c.CDW11 != 4 {
					t.Errorf("command %+v", c)
				}
				got = append(got, rangesOf(t, c))
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(lbaRange{})); diff != "" {
				t.Errorf("ranges (-want +got):\n%s", diff)
			}
			if got := p.BytesOf(p.Commands); got != p.Length || p.BytesOf(0) != 0 {
				t.Errorf("all commands are %d bytes, want %d", got, p.Length)
			}
			for i, c := range p.Bare() {
				if c.Data != nil || c.CDW10 != p.Command(i).CDW10 {
					t.Errorf("bare command %d: %+v", i, c)
				}
			}
		})
	}
}

// TestPlanTrimCovers holds for many sizes and limits that each block is
// deallocated once and no limit is passed.
func TestPlanTrimCovers(t *testing.T) {
	for _, granularity := range []uint16{0, 1, 3, 8} {
		for _, l := range []Limits{{1, 1, 1, true}, {3, 7, 1000, true}, {256, 100, 64, true}, {2, 16, 33, true}} {
			l.RangeBlocks = min(l.RangeBlocks, l.CommandBlocks)
			for first := uint64(0); first < 20; first += 3 {
				p, err := PlanTrim(space(500, 9, granularity), TrimRequest{NSID: 1, Start: first * 512, Length: 400 * 512}, l)
				if err != nil {
					t.Fatal(err)
				}
				next := first
				for i := range p.Commands {
					ranges, all := rangesOf(t, p.Command(i)), uint64(0)
					for _, r := range ranges {
						if r.first != next || r.blocks == 0 || r.blocks > l.RangeBlocks {
							t.Fatalf("%+v, granularity %d: range %+v, want it to begin at %d", l, granularity, r, next)
						}
						next, all = next+r.blocks, all+r.blocks
					}
					if len(ranges) > l.Ranges || all > l.CommandBlocks {
						t.Fatalf("%+v, granularity %d: %d ranges with %d blocks", l, granularity, len(ranges), all)
					}
				}
				if next != first+400 {
					t.Fatalf("%+v: it ends at %d, want %d", l, next, first+400)
				}
			}
		}
	}
}

func TestPlanTrimRefuses(t *testing.T) {
	huge := space(math.MaxUint64, 12, 0)
	tests := []struct {
		name string
		ns   *nvme.IdentifyNamespace
		r    TrimRequest
		l    Limits
		says string
	}{
		{"no blocks", &nvme.IdentifyNamespace{}, TrimRequest{}, unlimited(), "has no blocks"},
		{"impossible size", huge, TrimRequest{}, unlimited(), "says that it has"},
		{"start beyond the end", space(10, 9, 0), TrimRequest{Start: 5120}, unlimited(), "not within the namespace"},
		{"end beyond the end", space(10, 9, 0), TrimRequest{Start: 512, Length: 5120}, unlimited(), "ends 512 bytes beyond"},
		{"length that overflows", space(10, 9, 0), TrimRequest{Start: 512, Length: math.MaxUint64}, unlimited(), "beyond the namespace"},
		{"start within a block", space(10, 12, 0), TrimRequest{Start: 512, Length: 4096}, unlimited(), "multiples of a logical block"},
		{"length within a block", space(10, 12, 0), TrimRequest{Length: 512}, unlimited(), "multiples of a logical block"},
		{"too many commands", space(1<<20, 9, 0), TrimRequest{}, Limits{1, 8, 8, true}, "131072 commands"},
	}
	for _, tt := range tests {
		_, err := PlanTrim(tt.ns, tt.r, tt.l)
		var bad *RequestError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestTrimNotes(t *testing.T) {
	for _, tt := range []struct {
		r     TrimRequest
		notes int
	}{{TrimRequest{}, 0}, {TrimRequest{Start: 4096, Length: 8192}, 0}, {TrimRequest{Start: 512, Length: 4096}, 1}, {TrimRequest{Start: 4096, Length: 512}, 1}} {
		p, err := PlanTrim(space(100, 9, 8), tt.r, unlimited())
		if err != nil || len(p.Notes) != tt.notes || p.Granularity != 4096 {
			t.Errorf("%+v: %+v, %v, want %d notes", tt.r, p, err, tt.notes)
		}
	}
}

func TestPromise(t *testing.T) {
	for dlfeat, want := range map[uint8]string{0: NotReported, 1: ReadsZeroes, 9: ReadsZeroes, 2: ReadsOnes, 3: NotReported, 0x18: NotReported} {
		if p := PromiseOf(&nvme.IdentifyNamespace{DLFEAT: dlfeat}); p.Reads != want || p.DLFEAT != dlfeat || p.Text == "" {
			t.Errorf("DLFEAT %d: %+v, want %s", dlfeat, p, want)
		}
	}
}

// answers is a drive that answers commands one after the other.
type answers struct {
	sent    []nvme.Command
	status  []nvme.Status
	err     error
	stop    context.CancelFunc
	stopsAt int
}

func (a *answers) Submit(ctx context.Context, cmd *nvme.Command, _ func() error) (nvme.Completion, error) {
	if err := ctx.Err(); err != nil {
		return nvme.Completion{}, err
	}
	if a.err != nil {
		return nvme.Completion{}, a.err
	}
	a.sent = append(a.sent, *cmd)
	if a.stop != nil && len(a.sent) == a.stopsAt {
		a.stop()
	}
	status := nvme.StatusSuccess
	if n := len(a.sent); n <= len(a.status) {
		status = a.status[n-1]
	}
	return nvme.Completion{Status: status}, nil
}

// TestRun sends all, or stops where the drive refuses, the host fails or Ctrl-C
// comes.
func TestRun(t *testing.T) {
	p, err := PlanTrim(space(50, 9, 0), TrimRequest{NSID: 1}, Limits{1, 10, 10, true})
	if err != nil || p.Commands != 5 {
		t.Fatalf("%+v, %v", p, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := errors.New("gone")
	tests := []struct {
		name  string
		ctx   context.Context
		drive *answers
		done  int
		err   error
	}{
		{"all", t.Context(), &answers{}, 5, nil},
		{"refused", t.Context(), &answers{status: []nvme.Status{0, 0, nvme.StatusWriteToReadOnlyRange}}, 2, nvme.StatusWriteToReadOnlyRange},
		{"host", t.Context(), &answers{err: gone}, 0, gone},
		{"interrupted", ctx, &answers{stop: cancel, stopsAt: 3}, 3, context.Canceled},
	}
	for _, tt := range tests {
		seen := 0
		done, err := p.Run(tt.ctx, tt.drive, func(n int) { seen = n })
		if done != tt.done || seen != tt.done || !errors.Is(err, tt.err) {
			t.Errorf("%s: %d done, %d told, %v, want %d, %v", tt.name, done, seen, err, tt.done, tt.err)
		}
		if want := min(done+1, 5); tt.name == "refused" && len(tt.drive.sent) != want {
			t.Errorf("%s: %d commands were sent, want %d", tt.name, len(tt.drive.sent), want)
		}
	}
	if got := p.BytesOf(2); got != 20*512 {
		t.Errorf("2 commands are %d bytes", got)
	}
}

func TestParseLimits(t *testing.T) {
	page := make([]byte, 4096)
	if got := parseLimits(page); got != unlimited() {
		t.Errorf("no limits: %+v", got)
	}
	page[atDMRL] = 8
	binary.LittleEndian.PutUint32(page[atDMRSL:], 1000)
	binary.LittleEndian.PutUint64(page[atDMSL:], 100)
	if got, want := parseLimits(page), (Limits{8, 100, 100, true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// FuzzPlanTrim holds that whatever a drive says, a plan covers its range.
func FuzzPlanTrim(f *testing.F) {
	f.Add(make([]byte, 4096), uint64(0), uint64(4096), uint64(100), uint8(9), uint16(8))
	f.Fuzz(func(t *testing.T, page []byte, start, length, blocks uint64, lbads uint8, granularity uint16) {
		if len(page) < 16 {
			return
		}
		p, err := PlanTrim(space(blocks, lbads, granularity), TrimRequest{NSID: 1, Start: start, Length: length}, parseLimits(page))
		if err != nil {
			return
		}
		if p.Commands < 1 || p.BytesOf(p.Commands) != p.Length {
			t.Fatalf("%+v", p)
		}
		from, to := p.blocksOf(p.Commands - 1)
		if from >= to || to != p.FirstLBA+p.Blocks || len(p.Command(0).Data) > mostRanges*rangeBytes {
			t.Fatalf("%+v: the last command is from %d to %d", p, from, to)
		}
	})
}
