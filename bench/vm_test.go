package bench

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The tests of this file use the emulated drives of a virtual machine: they
// write to them and run nowhere else.

// vmNamespaces finds the namespaces of the emulated drives.
func vmNamespaces(t *testing.T) []Target {
	t.Helper()
	if os.Getenv("QD1_VM") != "1" {
		t.Skip("QD1_VM is not 1: this test writes to drives and runs in the virtual machine only")
	}
	var targets []Target
	paths, err := filepath.Glob("/sys/class/block/nvme*n[0-9]")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range paths {
		name := filepath.Base(dir)
		if strings.Contains(strings.TrimPrefix(name, "nvme"), "c") {
			continue
		}
		targets = append(targets, Target{
			Kind: BlockTarget, Path: "/dev/" + name,
			Bytes: int64(sysNumber(t, dir+"/size")) * 512, BlockBytes: sysNumber(t, dir+"/queue/logical_block_size"),
			Generic: "/dev/" + strings.Replace(name, "nvme", "ng", 1), NSID: uint32(sysNumber(t, dir+"/nsid")),
		})
	}
	if len(targets) == 0 {
		t.Fatal("no NVMe namespaces")
	}
	return targets
}

func sysNumber(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// claimed returns the target as it is after the guard has claimed it.
func claimed(t *testing.T, target Target) Target {
	t.Helper()
	target.Descriptor = openFD(t, target.Path, unix.O_RDWR|unix.O_DIRECT|unix.O_EXCL)
	target.Writable = true
	return target
}

// vmEngines returns the engines that read a drive. An older kernel has one less,
// and says so.
func vmEngines(t *testing.T) []string {
	t.Helper()
	err := commandsKnown()
	if err == nil {
		return []string{EnginePsync, EngineUring, EngineIoctl, EnginePassthru}
	}
	if !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "needs Linux 5.19") || !strings.Contains(err.Error(), release()) {
		t.Fatal(err)
	}
	t.Logf("NOT TESTED: %v", err)
	return []string{EnginePsync, EngineUring, EngineIoctl}
}

// commandEngines returns those that send NVMe commands.
func commandEngines(t *testing.T) []string {
	t.Helper()
	return vmEngines(t)[2:]
}

// TestVMReadsAreEqual reads the same blocks with each engine.
func TestVMReadsAreEqual(t *testing.T) {
	lockThread(t)
	targets, engines := vmNamespaces(t), vmEngines(t)
	for _, target := range targets {
		for _, block := range []int{4096, 64 << 10} {
			var first []byte
			for _, engine := range engines {
				e, err := Open(Spec{Target: target, Job: Job{Engine: engine, Op: OpRead, BlockBytes: block}})
				if err != nil {
					t.Fatalf("%s, %s: %v", target.Path, engine, err)
				}
				mem := alloc(t, 4*block)
				for i := range 4 {
					r := Request{Offset: int64(i) * target.Bytes / 8 / int64(block) * int64(block), Data: mem[i*block : (i+1)*block : (i+1)*block], Buffer: i}
					if n, err := e.Submit([]Request{r}); n != 1 || err != nil {
						t.Fatalf("submit: %d, %v", n, err)
					}
					if v := reapAll(t, e, 1)[0]; v != (Event{Buffer: i, Bytes: block}) {
						t.Errorf("%s, %s: %+v", target.Path, engine, v)
					}
				}
				if first == nil {
					first = mem
				} else if !bytes.Equal(mem, first) {
					t.Errorf("%s: %s reads other data than %s", target.Path, engine, engines[0])
				}
				if d, ok := e.(Describer); ok {
					t.Logf("%s, %s, %d bytes: %q", target.Path, engine, block, d.Flags())
				}
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestVMWrites writes with one engine and reads with the others.
func TestVMWrites(t *testing.T) {
	lockThread(t)
	targets, engines := vmNamespaces(t), vmEngines(t)
	for _, target := range targets {
		target = claimed(t, target)
		for i, engine := range engines {
			e, err := Open(writingTo(target, engine))
			if err != nil {
				t.Fatalf("%s, %s: %v", target.Path, engine, err)
			}
			data := alloc(t, 8192)
			copy(data, bytes.Repeat([]byte{byte(0xa0 + i)}, 8192))
			if _, err := e.Submit([]Request{{Offset: 8192, Data: data, Buffer: 1500 * (i % 2), Write: true}}); err != nil {
				t.Fatal(err)
			}
			if v := reapAll(t, e, 1)[0]; v.Err != nil || v.Bytes != 8192 {
				t.Errorf("%s, %s: %+v", target.Path, engine, v)
			}
			e.Close()
			got := alloc(t, 8192)
			if n, err := unix.Pread(target.Descriptor, got, 8192); n != 8192 || err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: what %s wrote is not there: %d, %v", target.Path, engine, n, err)
			}
		}
	}
}

// TestVMRuns runs a job with each engine, also with several workers and a deep
// queue.
func TestVMRuns(t *testing.T) {
	target := vmNamespaces(t)[0]
	for _, engine := range vmEngines(t) {
		for _, depth := range []int{1, 32} {
			j := plain(0)
			j.Engine, j.Operations, j.QueueDepth, j.Workers = engine, 200, depth, 2
			e, err := Open(Spec{target, j})
			if err != nil {
				t.Fatal(err)
			}
			if l, ok := e.(DepthLimiter); ok && l.MaxQueueDepth() < depth {
				e.Close()
				continue
			}
			r, err := Run(t.Context(), e, target, j, nil)
			if err != nil {
				t.Fatalf("%s Q%d: %v", engine, depth, err)
			}
			if r.Operations != 200 || r.Errors != 0 {
				t.Errorf("%s Q%d: %+v", engine, depth, r)
			}
			t.Logf("%s Q%d: mean %v µs, p50 %v µs", engine, depth, *r.Latency.Mean, *r.Latency.P50)
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestVMStatus reads behind the end of the namespace, which the drive refuses.
func TestVMStatus(t *testing.T) {
	lockThread(t)
	target := vmNamespaces(t)[0]
	for _, engine := range commandEngines(t) {
		e, err := Open(Spec{target, Job{Engine: engine}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Submit([]Request{{Offset: target.Bytes, Data: alloc(t, 4096)}}); err != nil {
			t.Fatal(err)
		}
		v := reapAll(t, e, 1)[0]
		if s, ok := errors.AsType[StatusError](v.Err); !ok || s&0x7ff != 0x80 { // LBA Out of Range
			t.Errorf("%s: %+v, want status code type 0h, status code 80h", engine, v)
		}
		e.Close()
	}
}

// TestVMTooLarge asks for blocks that one command cannot carry.
func TestVMTooLarge(t *testing.T) {
	target := vmNamespaces(t)[0]
	for _, engine := range commandEngines(t) {
		e, err := Open(Spec{target, Job{Engine: engine, BlockBytes: 16 << 20}})
		if !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "16777216 bytes") {
			t.Errorf("%s: got %v, %v, want a refusal", engine, e, err)
		}
		t.Logf("%s: %v", engine, err)
	}
}

// TestVMOtherNamespace gives the generic node of another namespace.
func TestVMOtherNamespace(t *testing.T) {
	targets := vmNamespaces(t)
	if len(targets) < 2 {
		t.Skip("NOT TESTED: one namespace only")
	}
	target := targets[0]
	target.Generic = targets[1].Generic
	if e, err := Open(Spec{target, Job{Engine: EnginePassthru}}); commandsKnown() == nil && (err == nil || !strings.Contains(err.Error(), "not of one namespace")) {
		t.Errorf("passthru: got %v, %v, want a refusal", e, err)
	}
	target = targets[0]
	target.NSID = targets[0].NSID + 1
	for _, engine := range commandEngines(t) {
		if e, err := Open(Spec{target, Job{Engine: engine}}); !errors.Is(err, ErrBadJob) {
			t.Errorf("%s: got %v, %v, want a refusal", engine, e, err)
		}
	}
}

// TestVMPoll polls where the driver was loaded with polling queues, and is
// refused elsewhere.
func TestVMPoll(t *testing.T) {
	lockThread(t)
	target := vmNamespaces(t)[0]
	text, err := os.ReadFile("/sys/module/nvme/parameters/poll_queues")
	if err != nil {
		t.Fatal(err)
	}
	queues := strings.TrimSpace(string(text))
	for _, engine := range vmEngines(t) {
		if engine != EngineUring && engine != EnginePassthru {
			continue
		}
		e, err := Open(Spec{target, Job{Engine: engine, IOPoll: true, BlockBytes: 4096}})
		if queues == "0" {
			if !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "queue/io_poll is 0") {
				t.Errorf("%s: got %v, want a refusal", engine, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s with %s queues: %v", engine, queues, err)
		}
		mem := alloc(t, 4096)
		if _, err := e.Submit([]Request{{Data: mem}}); err != nil {
			t.Fatal(err)
		}
		if v := reapAll(t, e, 1)[0]; v.Err != nil || v.Bytes != 4096 {
			t.Errorf("%s: %+v", engine, v)
		}
		if got := e.(Describer).Flags(); !slices.Contains(got, "polled completions") {
			t.Errorf("%s: flags %q", engine, got)
		}
		e.Close()
	}
}

// TestVMNobody opens the nodes as a user who may not.
func TestVMNobody(t *testing.T) {
	target := vmNamespaces(t)[0]
	if os.Geteuid() == 0 {
		t.Skip("NOT TESTED: root; another job runs this")
	}
	for _, engine := range vmEngines(t) {
		e, err := Open(Spec{target, Job{Engine: engine}})
		if bad, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, os.ErrPermission) || !strings.Contains(bad.Hint, "root") {
			t.Errorf("%s: got %v, %v, want who may", engine, e, err)
		}
	}
}
