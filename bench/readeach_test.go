package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// blocks4K reads n blocks of 4 KiB from the end to the start.
func blocks4K(n int64, depth int) Blocks {
	return Blocks{Bytes: 4096, Count: n, Depth: depth, Offset: func(i int64) int64 { return (n - 1 - i) * 4096 }}
}

func TestReadEachReadsEveryBlock(t *testing.T) {
	const n = 100
	psyncOf := func(t *testing.T) (Engine, Target) {
		target := Target{Kind: FileTarget, Path: directFile(t, n*4096, true), Bytes: n * 4096}
		e, err := OpenPsync(target)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e, target
	}
	readerOf := func(t *testing.T) (Engine, Target) {
		path := t.TempDir() + "/data"
		writeFile(t, path, n*4096, true)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return NewReaderAt("file", f), Target{Path: path}
	}
	for name, open := range map[string]func(t *testing.T) (Engine, Target){
		"psync":  psyncOf,
		"uring":  func(t *testing.T) (Engine, Target) { return openUring(t, n*4096) },
		"reader": readerOf,
	} {
		t.Run(name, func(t *testing.T) {
			e, target := open(t)
			want, err := os.ReadFile(target.Path)
			if err != nil {
				t.Fatal(err)
			}
			for _, depth := range []int{0, 1, 7, 32, 200} {
				got := make([]int, n)
				err := ReadEach(t.Context(), e, blocks4K(n, depth), func(b Block) error {
					got[b.Index]++
					if b.Err != nil || b.Offset != (n-1-b.Index)*4096 || !bytes.Equal(b.Data, want[b.Offset:b.Offset+4096]) {
						t.Errorf("depth %d, block %d at %d: %v, or other data", depth, b.Index, b.Offset, b.Err)
					}
					return nil
				})
				if err != nil {
					t.Fatalf("depth %d: %v", depth, err)
				}
				if i := slices.IndexFunc(got, func(k int) bool { return k != 1 }); i >= 0 {
					t.Errorf("depth %d: block %d was visited %d times", depth, i, got[i])
				}
			}
		})
	}
}

func TestReadEachReadsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, n := time.Now(), 0
		if err := ReadEach(t.Context(), NewReaderAt("sim", steady(time.Second)), blocks4K(64, 32), func(Block) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(begin); n != 64 || got != 2*time.Second {
			t.Errorf("%d blocks in %v, want 64 in 2 s", n, got)
		}
	})
}

func TestReadEachKeepsTheQueueFull(t *testing.T) {
	e := &reverse{depth: 8}
	n := 0
	if err := ReadEach(t.Context(), &struct{ Engine }{e}, blocks4K(1000, 8), func(Block) error { n++; return nil }); err != nil || n != 1000 {
		t.Errorf("%d blocks, %v", n, err)
	}
}

func TestReadEachPassesErrorsOn(t *testing.T) {
	source := drive(func(p []byte, off int64) (int, error) {
		switch off {
		case 3 * 4096:
			return 0, unix.EIO
		case 5 * 4096:
			return 512, nil
		}
		return len(p), nil
	})
	want := map[int64]error{3 * 4096: unix.EIO, 5 * 4096: io.ErrUnexpectedEOF}
	n := 0
	err := ReadEach(t.Context(), NewReaderAt("sim", source), blocks4K(50, 4), func(b Block) error {
		n++
		if !errors.Is(b.Err, want[b.Offset]) || (b.Err != nil) != (want[b.Offset] != nil) {
			t.Errorf("block at %d: %v, want %v", b.Offset, b.Err, want[b.Offset])
		}
		return nil
	})
	if err != nil || n != 50 {
		t.Errorf("%d blocks, %v", n, err)
	}
}

func TestReadEachEndsWithTheVisitor(t *testing.T) {
	enough := errors.New("enough")
	n := 0
	err := ReadEach(t.Context(), NewReaderAt("sim", steady(0)), blocks4K(1e6, 8), func(Block) error {
		if n++; n == 10 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 10 {
		t.Errorf("%d blocks, %v, want an end after 10", n, err)
	}
}

func TestReadEachNoticesGoneDrive(t *testing.T) {
	failing := func(errno error) Engine {
		return NewReaderAt("sim", drive(func([]byte, int64) (int, error) { return 0, errno }))
	}
	for name, e := range map[string]Engine{"ENODEV": failing(unix.ENODEV), "engine says so": departed{failing(unix.EIO)}} {
		err := ReadEach(t.Context(), e, blocks4K(1000, 1), func(Block) error { t.Errorf("%s: visited", name); return nil })
		if known, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, ErrGone) || known.Hint == "" {
			t.Errorf("%s: %v, want a drive that is gone", name, err)
		}
	}
}

func TestReadEachNoticesSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var over atomic.Bool
		source := drive(func(p []byte, off int64) (int, error) {
			if off < 10*4096 {
				time.Sleep(time.Hour)
			}
			return len(p), nil
		})
		begin := time.Now()
		blocks := blocks4K(100, 4)
		blocks.StallLimit = 5 * time.Second
		err := ReadEach(t.Context(), NewReaderAt("sim", source), blocks, func(Block) error {
			if over.Load() {
				t.Error("visited after the return")
			}
			return nil
		})
		over.Store(true)
		if got := time.Since(begin); !errors.Is(err, ErrStalled) || got < 5*time.Second || got > 6*time.Second {
			t.Errorf("%v after %v, want a stall after 5 s", err, got)
		}
		time.Sleep(2 * time.Hour) // The late answers come to nobody.
	})
}

func TestReadEachEndsWithContext(t *testing.T) {
	for name, tt := range map[string]struct{ answer, least, most time.Duration }{
		"drive answers": {10 * time.Millisecond, time.Second, 1100 * time.Millisecond},
		"drive hangs":   {time.Hour, 3 * time.Second, 3200 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begin := time.Now()
			err := ReadEach(ctx, NewReaderAt("sim", steady(tt.answer)), blocks4K(1e6, 2), func(Block) error { return nil })
			if got := time.Since(begin); !errors.Is(err, ErrInterrupted) || !errors.Is(err, context.DeadlineExceeded) || got < tt.least || got > tt.most {
				t.Errorf("%s: %v after %v", name, err, got)
			}
			time.Sleep(2 * time.Hour)
		})
	}
}

// faultyEngine is an engine that fails.
type faultyEngine struct {
	null
	submit, reap, fork error
}

func (b *faultyEngine) Submit(requests []Request) (int, error) {
	if b.submit != nil {
		return 0, b.submit
	}
	return b.null.Submit(requests)
}
func (b *faultyEngine) Reap(events []Event, least int) (int, error) {
	if b.reap != nil {
		return 0, b.reap
	}
	return b.null.Reap(events, least)
}
func (b *faultyEngine) Fork() (Engine, error) { return b, b.fork }

// lazy takes nothing.
type lazy struct{ null }

func (*lazy) Submit([]Request) (int, error) { return 0, nil }

func TestReadEachBrokenEngine(t *testing.T) {
	bad := errors.New("bad")
	for name, e := range map[string]Engine{
		"submit": &faultyEngine{submit: bad}, "reap": &faultyEngine{reap: bad}, "fork": &faultyEngine{fork: bad},
	} {
		if err := ReadEach(t.Context(), e, blocks4K(10, 2), func(Block) error { return nil }); !errors.Is(err, bad) {
			t.Errorf("%s: %v, want the engine's error", name, err)
		}
	}
	if err := ReadEach(t.Context(), &struct{ Engine }{&lazy{}}, blocks4K(10, 2), func(Block) error { return nil }); err == nil {
		t.Error("an engine that takes nothing: no error")
	}
}

func TestReadEachRefuses(t *testing.T) {
	place := func(int64) int64 { return 0 }
	for name, b := range map[string]Blocks{
		"no size":       {Count: 1, Offset: place},
		"odd size":      {Bytes: 513, Count: 1, Offset: place},
		"no places":     {Bytes: 512, Count: 1},
		"negative":      {Bytes: 512, Count: -1, Offset: place},
		"depth":         {Bytes: 512, Count: 1, Offset: place, Depth: -1},
		"much memory":   {Bytes: 1 << 30, Count: 1, Offset: place, Depth: 1 << 10},
		"too deep":      {Bytes: 512, Count: 1, Offset: place, Depth: maxQueueDepth + 1},
		"large a block": {Bytes: maxBlockBytes + 512, Count: 1, Offset: place},
	} {
		if err := ReadEach(t.Context(), NewNull(), b, nil); !errors.Is(err, ErrBadJob) {
			t.Errorf("%s: %v, want an invalid job", name, err)
		}
	}
	if err := ReadEach(t.Context(), NewNull(), Blocks{Bytes: 512}, nil); err != nil {
		t.Errorf("no blocks: %v", err)
	}
}

// TestReadEachTakesBlocksBack checks that a block is not lost that the engine
// did not take at first.
func TestReadEachTakesBlocksBack(t *testing.T) {
	seen := make([]bool, 100)
	e := &struct{ Engine }{&narrow{}}
	err := ReadEach(t.Context(), e, blocks4K(100, 16), func(b Block) error { seen[b.Index] = true; return nil })
	if err != nil || slices.Contains(seen, false) {
		t.Errorf("%v, blocks seen: %v", err, seen)
	}
}

// narrow takes three requests at a time and does not say so beforehand.
type narrow struct{ null }

func (n *narrow) Submit(requests []Request) (int, error) {
	if len(n.pending) == 3 {
		return 0, nil
	}
	return n.null.Submit(requests)
}
