package bench

import "testing"

// TestEnginesDoNotAllocate reads and writes through every engine that can do so
// here, after each buffer has been used once.
func TestEnginesDoNotAllocate(t *testing.T) {
	file := Target{Kind: FileTarget, Path: directFile(t, 64<<10, true), Bytes: 64 << 10, Writable: true}
	open := func(target Target, engine string) func(*testing.T) Engine {
		return func(t *testing.T) Engine {
			e, err := Open(writingTo(target, engine))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.Close() })
			return e
		}
	}
	device := func(engine string) func(*testing.T) Engine {
		return func(t *testing.T) Engine {
			target, _ := loopTarget(t, 64<<10)
			return open(target, engine)(t)
		}
	}
	for name, engine := range map[string]func(*testing.T) Engine{
		"psync file":   open(file, EnginePsync),
		"psync device": device(EnginePsync),
		"uring file":   open(file, EngineUring),
		"uring device": device(EngineUring),
		"null":         open(file, EngineNull),
		"ram":          open(file, EngineRAM),
		"passthru": func(t *testing.T) Engine {
			u := nullCommands(t)
			u.mayWrite = true
			return u
		},
	} {
		t.Run(name, func(t *testing.T) {
			lockThread(t)
			e := engine(t)
			mem := alloc(t, 8192)
			requests := []Request{{Data: mem[:4096:4096]}, {Offset: 8192, Data: mem[4096:], Buffer: 1, Write: true}}
			events := make([]Event, 1)
			one := func() {
				for i := range requests {
					if n, err := e.Submit(requests[i : i+1]); n != 1 || err != nil {
						t.Fatalf("submit: %d, %v", n, err)
					}
					for n := 0; n == 0; {
						var err error
						if n, err = e.Reap(events, 1); err != nil {
							t.Fatalf("reap: %v", err)
						}
					}
					if events[0].Err != nil || events[0].Bytes != 4096 {
						t.Fatalf("%+v", events[0])
					}
				}
			}
			if n := testing.AllocsPerRun(200, one); n != 0 {
				t.Errorf("%g allocations for a read and a write, want 0", n)
			}
		})
	}
}
