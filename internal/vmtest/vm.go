package vmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest/wire"
)

// Job is one program run in the machine.
type Job = wire.Job

// Result is what came of a job.
type Result = wire.Result

// Paths in the guest that jobs may use.
const (
	// OutDir is where jobs leave files for the host.
	OutDir   = wire.OutDir
	coverDir = wire.CoverDir
)

// defaultTimeout limits a machine that names no limit. It boots in three
// seconds, but a busy host may need several times that.
const defaultTimeout = 3 * time.Minute

// Config describes a machine.
type Config struct {
	// Devices are QEMU arguments, the drives above all (see [Drive]).
	Devices []string
	// Programs are executables of the host, by name or path. They stand at the
	// same path in the guest, with their shared libraries.
	Programs []string
	// Files are further files, guest path to host path.
	Files map[string]string
	// Kernel is another kernel than the usual one; see [OldKernel].
	Kernel string
	// Emulator is another emulator than the usual one; see [NewEmulator].
	Emulator string
	// Modules are kernel modules to load before the first job.
	Modules []string
	// WaitFor are glob patterns of files that must exist before the first job.
	WaitFor []string
	// Append is added to the kernel's command line.
	Append string
	// Trace are patterns of the emulator's trace events to write down, such as
	// "pci_nvme_admin_cmd"; see [VM.Trace].
	Trace []string
	// Timeout ends the machine; 0 means three minutes.
	Timeout time.Duration
}

// VM is one machine, which runs once.
type VM struct {
	t        testing.TB
	cfg      Config
	emulator emulator
	kernel   kernel
	dir      string
	events   *eventLog
	qemu     *qemu
}

// New prepares a machine. It ends the test where none can run (see [Require]).
func New(t testing.TB, cfg Config) *VM {
	t.Helper()
	e, k, err := prerequisites(t, cfg)
	if err != nil {
		missing(t, err)
	}
	// The path of a Unix socket is limited to 107 bytes, so not t.TempDir.
	dir, err := os.MkdirTemp("", "qd1vm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	return &VM{t: t, cfg: cfg, emulator: e, kernel: k, dir: dir, events: newEventLog()}
}

// Run boots the machine, runs the jobs and returns their results.
func (v *VM) Run(jobs ...Job) *Results {
	v.t.Helper()
	v.Start(jobs...)
	return v.Wait()
}

// bootLimit is how long the guest may take to come up, starts how often that is
// tried: the emulator has been seen to lose the timer of a processor.
const (
	bootLimit = time.Minute
	starts    = 3
)

// Start boots the machine and returns while it runs.
func (v *VM) Start(jobs ...Job) {
	v.t.Helper()
	if err := v.pack(jobs); err != nil {
		v.t.Fatalf("test machine: pack: %v", err)
	}
	for range starts {
		v.start()
		select {
		case <-v.events.seen(wire.UpEvent):
			return
		case <-v.qemu.done: // Wait says why.
			return
		case <-time.After(bootLimit):
			v.t.Logf("the machine was not up after %v and is started anew; end of the console:\n%s", bootLimit, tail(v.console(), 10))
			v.PowerOff()
			v.events = newEventLog()
		}
	}
	v.t.Fatalf("test machine: not up after %d starts", starts)
}

// start starts the emulator.
func (v *VM) start() {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), v.cfg.Timeout)
	q, err := startQEMU(ctx, v)
	if err != nil {
		cancel()
		v.t.Fatalf("test machine: start: %v", err)
	}
	v.qemu = q
	v.t.Cleanup(func() { cancel(); <-q.done })
}

// WaitEvent waits until a job has told the event, by a line "QD1-EVENT name"
// on the event port or by [Job].Event.
func (v *VM) WaitEvent(name string) {
	v.t.Helper()
	select {
	case <-v.events.seen(name):
	case <-v.qemu.done:
		v.fail(fmt.Errorf("the machine ended before the event %q", name))
	}
}

// QMP executes a command of the QEMU Machine Protocol.
func (v *VM) QMP(command string, arguments map[string]any) json.RawMessage {
	v.t.Helper()
	answer, err := v.qemu.execute(command, arguments)
	if err != nil {
		v.fail(err)
	}
	return answer
}

// Wait waits for the end of the machine and returns the results of its jobs.
func (v *VM) Wait() *Results {
	v.t.Helper()
	<-v.qemu.done
	if err := v.qemu.verdict(v.console(), v.events); err != nil {
		v.fail(err)
	}
	res, err := readResults(v.t, v.path("results.img"), v.path("out"))
	if err != nil {
		v.fail(err)
	}
	if err := copyCoverage(v.path("out", "cov"), os.Getenv("QD1_COVERDIR")); err != nil {
		v.fail(err)
	}
	return res
}

// PowerOff takes the power away: nothing that the guest has not flushed to its
// disks is kept, and what a drive was working on stays as it is. There are no
// results.
func (v *VM) PowerOff() {
	v.t.Helper()
	if err := v.qemu.cmd.Cancel(); err != nil {
		v.fail(err)
	}
	<-v.qemu.done
}

// Trace returns the lines that the emulator wrote for the events of
// [Config].Trace, once the machine has ended. It is a witness that shares no
// code with what runs in the guest.
func (v *VM) Trace() []string {
	v.t.Helper()
	text, err := os.ReadFile(v.path("trace.log"))
	if err != nil {
		v.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// fail ends the test with all that is known about the machine.
func (v *VM) fail(err error) {
	v.t.Helper()
	v.t.Fatalf("test machine: %v\nemulator: %s\nend of the console:\n%s",
		err, v.qemu.messages(), tail(v.console(), 60))
}

func (v *VM) path(elem ...string) string {
	return filepath.Join(append([]string{v.dir}, elem...)...)
}

func (v *VM) console() string {
	text, err := os.ReadFile(v.path("console.log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// pack writes the initial file system and the empty disk for the results.
func (v *VM) pack(jobs []Job) error {
	im := newImage()
	if err := v.fill(im, jobs); err != nil {
		return err
	}
	if err := writeImage(im, v.path("initrd.img")); err != nil {
		return err
	}
	return sparse(v.path("results.img"), resultsBytes)
}

// fill puts the guest, the plan and all configured files into the image.
func (v *VM) fill(im *image, jobs []Job) error {
	if err := im.file("/init", buildGuest(v.t)); err != nil {
		return err
	}
	for _, name := range v.cfg.Programs {
		if err := im.program(name); err != nil {
			return err
		}
	}
	for guest, host := range v.cfg.Files {
		if err := im.file(guest, host); err != nil {
			return err
		}
	}
	modules, err := v.fillModules(im)
	if err != nil {
		return err
	}
	plan, err := json.Marshal(wire.Plan{Modules: modules, WaitFor: v.cfg.WaitFor, Jobs: jobs})
	if err != nil {
		return err
	}
	im.text(wire.PlanPath, string(plan))
	return checkJobs(jobs)
}

// fillModules adds the modules and returns their guest paths in load order.
func (v *VM) fillModules(im *image) ([]string, error) {
	tree, err := openModules(v.kernel.modules)
	if err != nil {
		return nil, err
	}
	// The disk of the results is a virtio disk, so that the only NVMe drives
	// of the machine are those under test.
	files, err := tree.resolve(append([]string{"virtio_pci", "virtio_blk"}, v.cfg.Modules...)...)
	if err != nil {
		return nil, err
	}
	var guest []string
	for _, host := range files {
		path := "/modules/" + filepath.Base(host)
		if err := im.file(path, host); err != nil {
			return nil, err
		}
		guest = append(guest, path)
	}
	return guest, nil
}

// checkJobs refuses two jobs of one name, which could not be told apart.
func checkJobs(jobs []Job) error {
	seen := make(map[string]bool)
	for _, j := range jobs {
		if j.Name == "" || seen[j.Name] {
			return fmt.Errorf("job name %q is empty or used twice", j.Name)
		}
		seen[j.Name] = true
	}
	return nil
}

func writeImage(im *image, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := im.write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
