package vmtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// kernelTarget makes the kernel's own NVMe/TCP target over a device without a
// medium, on port 4421.
const kernelTarget = `
mount -t configfs none /sys/kernel/config
n=/sys/kernel/config/nvmet
mkdir $n/subsystems/kernel
echo 1 > $n/subsystems/kernel/attr_allow_any_host
mkdir $n/subsystems/kernel/namespaces/1
echo -n /dev/nullb0 > $n/subsystems/kernel/namespaces/1/device_path
echo 1 > $n/subsystems/kernel/namespaces/1/enable
mkdir $n/ports/1
echo tcp > $n/ports/1/addr_trtype
echo ipv4 > $n/ports/1/addr_adrfam
echo 127.0.0.1 > $n/ports/1/addr_traddr
echo 4421 > $n/ports/1/addr_trsvcid
ln -s $n/subsystems/kernel $n/ports/1/subsystems/kernel
`

// TestServeRate prints the rate of random reads of 4 KiB at queue depth 32
// through the kernel, of a simulated drive and of the kernel's own target over
// null_blk, in interleaved rounds on one machine. Rates in an emulated machine
// mean something only beside each other, and the test has no limit; it runs
// where QD1_RATE is set.
func TestServeRate(t *testing.T) {
	if os.Getenv("QD1_RATE") == "" {
		t.Skip("QD1_RATE is not set: this measurement needs a quiet computer")
	}
	vmtest.Require(t)
	program := filepath.Join(t.TempDir(), "qd1")
	build := exec.Command("go", "build", "-o", program, "qd1.example/qd1/cmd/qd1")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // Without coverage counters.
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"nvme", "fio", "sh", "ip", "grep", "sleep", "cat", "mkdir", "mount", "ln"},
		Files:    map[string]string{qd1Path: program},
		Modules:  []string{"nvme-tcp", "crc32c_generic", "nvmet-tcp", "null_blk"},
	})
	var jobs jobList
	addServer(&jobs, "nand-modern?read_latency=1us")
	jobs.shell("kernel", kernelTarget, "nvme connect -t tcp -a 127.0.0.1 -s 4421 -n kernel"+strings.TrimPrefix(target, "-t tcp -a 127.0.0.1 -s 4420"),
		"until test -b /dev/nvme0n1; do sleep 0.05; done")
	jobs.shell("ours", "nvme connect "+target+" -n "+simNQN+modernProfile, "until test -b /dev/nvme1n1; do sleep 0.05; done")
	var rounds []string
	for i := range 5 {
		for _, node := range []string{"nvme0n1", "nvme1n1"} {
			name := node + strconv.Itoa(i)
			jobs.shell(name, "fio --name=r --filename=/dev/"+node+" --direct=1 --ioengine=io_uring --iodepth=32 --rw=randread --bs=4k"+
				" --time_based --runtime=4 --ramp_time=1 --output-format=terse --terse-version=3")
			rounds = append(rounds, name)
		}
	}
	res := vm.Run(jobs...)
	rates := map[string][]float64{}
	for _, name := range rounds {
		rates[name[:7]] = append(rates[name[:7]], terseIOPS(t, string(res.Output(name))))
	}
	kernel, ours := median(rates["nvme0n1"]), median(rates["nvme1n1"])
	t.Logf("kernel %v, median %.0f IOPS; qd1 sim serve %v, median %.0f IOPS; ratio %.2f", rates["nvme0n1"], kernel, rates["nvme1n1"], ours, ours/kernel)
}

// terseIOPS is the rate of reads in fio's terse output.
func terseIOPS(t *testing.T, text string) float64 {
	t.Helper()
	fields := strings.Split(text, ";")
	if len(fields) < 8 {
		t.Fatalf("fio says %q", text)
	}
	v, err := strconv.ParseFloat(fields[7], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
