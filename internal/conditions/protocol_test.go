package conditions

import (
	"errors"
	"testing"

	"qd1.example/qd1/nvme"
)

// TestReadHeat reads what a sampler reads, with the count of the whole life.
func TestReadHeat(t *testing.T) {
	c, log := simulated(t, "nand-modern")
	got, err := ReadHeat(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "heat", Heat{Celsius: new(38), Hottest: new(52)}, got)
	if len(*log) != 1 {
		t.Errorf("%d commands, want 1", len(*log))
	}
}

// TestReadHeatFails hands the error on.
func TestReadHeatFails(t *testing.T) {
	broken := errors.New("broken")
	if _, err := ReadHeat(t.Context(), refusing(t, "nand-modern", func(*nvme.Command) error { return broken })); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestAmbientBand: air that is about as warm is no difference.
func TestAmbientBand(t *testing.T) {
	for celsius, want := range map[float64]int{28: 0, 25: 0, 31: 0, 31.5: 1, 20: 1} {
		a, b := measured(t), measured(t)
		a.Protocol.AmbientCelsius, b.Protocol.AmbientCelsius = new(28.0), new(celsius)
		if got := Differences(a, b); len(got) != want {
			t.Errorf("28 and %v °C: %+v", celsius, got)
		}
	}
}
