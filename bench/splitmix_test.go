package bench

import "testing"

// TestSplitMix compares with the numbers that the generator gives from the
// state 1234567.
func TestSplitMix(t *testing.T) {
	s := splitMix(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := s.next(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}
