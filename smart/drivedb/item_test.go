package drivedb

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestIndex holds that the files of this package are found entry by entry.
func TestIndex(t *testing.T) {
	for name, file := range map[string][]byte{"intel_optane.json": byHand, "drives.json": generated} {
		want, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want.Entries(), (&DB{index(file)}).Entries()); diff != "" || len(want.items) < 10 {
			t.Errorf("%s: %d entries (-want +got):\n%s", name, len(want.items), diff)
		}
	}
}
