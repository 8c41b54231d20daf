package vmtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// TestServedList prints how long the list of 32 served drives takes, each of
// which answers after 50 ms, without and with one that never answers Get Log
// Page. An emulated machine adds its own time; the test has no limit and runs
// where QD1_RATE is set.
func TestServedList(t *testing.T) {
	if os.Getenv("QD1_RATE") == "" {
		t.Skip("QD1_RATE is not set: this measurement needs a quiet computer")
	}
	vmtest.Require(t)
	program := filepath.Join(t.TempDir(), "qd1")
	build := exec.Command("go", "build", "-o", program, "qd1.example/qd1/cmd/qd1")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	scripts := map[string]string{
		"slow":   `{"when":{"queue":"admin","opcode":6},"do":"delay","ms":50}` + "\n" + `{"when":{"queue":"admin","opcode":2},"do":"delay","ms":50}` + "\n",
		"silent": `{"when":{"queue":"admin","opcode":2},"do":"silence"}` + "\n",
	}
	files := map[string]string{qd1Path: program}
	for name, text := range scripts {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		files["/"+name] = path
	}
	vm := vmtest.New(t, vmtest.Config{
		Programs: []string{"nvme", "sh", "ip", "grep", "sleep", "cat", "mkdir"}, Files: files, Modules: []string{"nvme-tcp", "crc32c_generic"},
	})
	var jobs jobList
	profiles := strings.Repeat("'optane-905p?faults=/slow' ", 31)
	addServer(&jobs, profiles+"'optane-905p?faults=/silent'")
	connect := func(from, to int) {
		for i := from; i <= to; i++ {
			nqn := simNQN + "optane-905p"
			if i > 1 {
				nqn += fmt.Sprintf("-%d", i)
			}
			jobs.shell(fmt.Sprintf("connect %d", i), "nvme connect "+target+" -i 1 -n "+nqn)
		}
	}
	timed := "s=$(cat /proc/uptime); qd1 list --timeout 2s --format json >/tmp/o; e=$(cat /proc/uptime); echo ${s%% *} ${e%% *} $(grep -c '\"controller\"' /tmp/o)"
	connect(1, 31)
	jobs.shell("list 31", timed, timed)
	connect(32, 32)
	jobs.shell("list 32", timed, timed)
	res := vm.Run(jobs...)
	t.Logf("start, end (seconds of uptime), rows:\n%s%s", res.Output("list 31"), res.Output("list 32"))
}
