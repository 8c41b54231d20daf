package vmtest

import "testing"

// RunBroken boots a machine whose kernel finds no PID 1 and returns the verdict
// and the end of the console.
func RunBroken(t *testing.T) (string, error) {
	v := New(t, Config{Append: "rdinit=/absent"})
	v.Start()
	<-v.qemu.done
	return tail(v.console(), 20), v.qemu.verdict(v.console(), v.events)
}
