package vmtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// TestProofRate prints how long the sampling of a drive takes beside fio, which
// makes as many random reads at the same depth, in interleaved rounds on one
// machine. It has no limit; it runs where QD1_RATE is set.
func TestProofRate(t *testing.T) {
	if os.Getenv("QD1_RATE") == "" {
		t.Skip("QD1_RATE is not set: this measurement needs a quiet computer")
	}
	vmtest.Require(t)
	program := filepath.Join(t.TempDir(), "proof.test")
	build := exec.Command("go", "test", "-c", "-o", program, "qd1.example/qd1/internal/proof")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // Without coverage counters.
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const size = 1 << 30
	vm := vmtest.New(t, vmtest.Config{
		Devices: vmtest.Drive{ID: "rate", Serial: firstSerial,
			Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, size, vmtest.Filled(size))}}}.Arguments(),
		Programs: []string{"fio"},
		Files:    map[string]string{"/bin/proof.test": program},
		WaitFor:  []string{"/dev/nvme0n1"},
		Timeout:  10 * time.Minute,
	})
	job := vmtest.Job{
		Name: "rate", Argv: []string{"/bin/proof.test", "-test.v", "-test.run=^TestRate$"}, Timeout: 8 * time.Minute,
		Env: []string{"QD1_RATE_TARGET=/dev/nvme0n1", "QD1_RATE_SAMPLES=30000"},
	}
	res := vm.Run(job)
	t.Log(vmtest.Describe(res.Get("rate")))
	if r := res.Get("rate"); r.Exit != 0 {
		t.Errorf("exit status %d", r.Exit)
	}
}
