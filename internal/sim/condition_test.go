package sim

import (
	"context"
	"errors"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

func TestTemperatureParameter(t *testing.T) {
	d := open(t, "nand-modern?temperature=84&critical_warning=0x4")
	s := smartLog(t, d)
	if s.CompositeTemperature != 357 || s.TemperatureSensors[0] != 357 || s.TemperatureSensors[1] != 371 {
		t.Errorf("temperature %v, sensors %v, want 357, 357 and 371", s.CompositeTemperature, s.TemperatureSensors)
	}
	if want := nvme.WarningReliability | nvme.WarningTemperature; s.CriticalWarning != want {
		t.Errorf("critical warning %#x, want %#x", s.CriticalWarning, want)
	}
	if s := smartLog(t, open(t, "optane-905p?temperature=0")); s.CompositeTemperature != 273 {
		t.Errorf("temperature %v, want 273", s.CompositeTemperature)
	}
}

// TestDuringFormat checks which commands wait while a drive formats, and that
// Keep Alive does so only if it is asked for.
func TestDuringFormat(t *testing.T) {
	for query, waits := range map[string]bool{
		"nand-modern?during_format=waits": true, "nand-modern": false, "nand-modern?keep_alive=waits": false,
		"optane-905p?during_format=answers": false, "optane-905p": true,
		"optane-905p?keep_alive=waits": true, "nand-modern?during_format=waits&keep_alive=waits": true,
	} {
		d := open(t, query)
		if err := d.KeepAlive(t.Context()); err != nil {
			t.Errorf("%s: KeepAlive: %v", query, err)
		}
		d.controller.begin(formatCmd(1, 0, eraseUser))
		_, ready := d.Begin(identifyCmd(nvme.CNSController, 0))
		if wait := time.Until(ready); (wait > time.Second) != waits {
			t.Errorf("%s: Identify waits for %v", query, wait)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		err := d.KeepAlive(ctx)
		cancel()
		if held := errors.Is(err, context.DeadlineExceeded); held != (waits && d.controller.personality.keepAliveWaits) {
			t.Errorf("%s: KeepAlive: %v", query, err)
		}
	}
}
