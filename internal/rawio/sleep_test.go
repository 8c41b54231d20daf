package rawio

import (
	"testing"
	"time"
)

func TestNanosleep(t *testing.T) {
	before := time.Now()
	for left := 3 * time.Millisecond; left > 0; left = 3*time.Millisecond - time.Since(before) {
		Nanosleep(left) // A signal may end it early.
	}
	if took := time.Since(before); took < 3*time.Millisecond || took > 10*time.Second {
		t.Errorf("3 ms took %v", took)
	}
	before = time.Now()
	Nanosleep(-time.Hour)
	if took := time.Since(before); took > 10*time.Second {
		t.Errorf("a negative time took %v", took)
	}
}

func TestNanosleepDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Nanosleep(1) }); n != 0 {
		t.Errorf("%g allocations, want 0", n)
	}
}
