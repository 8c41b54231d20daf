package firmware_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// rig is a simulated drive in a computer of the test's making.
type rig struct {
	t     *testing.T
	drive *sim.Drive
	store *journal.Store
	// behind answers in the place of the drive, if it says so.
	behind func(cmd *nvme.Command) (nvme.Completion, error, bool)
	users  []string
	// kernel is what sysfs says, "" for nothing.
	kernel string
	// refuse is the error of a reset.
	refuse error
	vendor uint16
	resets []firmware.Reset
	sent   []nvme.Command
	events []firmware.Event
	waited time.Duration
}

const (
	optane = "optane-905p?speed=1000000"
	modern = "nand-modern?speed=1000000"

	optaneModel = "INTEL SSDPE21D960GA"
	modernModel = "QD1 SIMULATED NVMe 2.0 1TB"
)

func newRig(t *testing.T, profile string) *rig {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return &rig{t: t, drive: d, store: journal.Open(t.TempDir())}
}

// Submit is the drive as everybody sees it.
func (r *rig) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if cmd.Opcode == nvme.AdminFirmwareCommit || cmd.Opcode == nvme.AdminFirmwareImageDownload {
		r.sent = append(r.sent, *cmd)
	}
	if r.behind != nil {
		if cpl, err, ok := r.behind(cmd); ok {
			return cpl, err
		}
	}
	return r.drive.Submit(ctx, cmd)
}

func (r *rig) Sysfs() fs.FS { return sysfs.Map(r.drive.Sysfs()) }

func (r *rig) Survey(context.Context, []string) (*inuse.Survey, error) { return &inuse.Survey{}, nil }

func (r *rig) Power() []guard.Check { return nil }

func (r *rig) Open(string) (guard.BlockReader, error) { return nil, errors.ErrUnsupported }

func (r *rig) Claim(string) (guard.Claim, error) { return node{r, r.drive}, nil }

// node is the node of the drive.
type node struct {
	*rig
	*sim.Drive
}

func (n node) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	return n.rig.Submit(ctx, cmd)
}
func (n node) Sysfs() fs.FS   { return n.rig.Sysfs() }
func (n node) Refresh() error { return nil }
func (n node) Close() error   { return nil }

// image is a firmware of the simulated drives.
func (r *rig) image(model, revision string, needs sim.Activation) *firmware.Image {
	r.t.Helper()
	b, err := sim.FirmwareImage{Model: model, Revision: revision, Needs: needs}.Bytes(12 << 10)
	if err != nil {
		r.t.Fatal(err)
	}
	i, err := firmware.NewImage("image.bin", b)
	if err != nil {
		r.t.Fatal(err)
	}
	return i
}

// plan plans and inspects.
func (r *rig) plan(request firmware.Request) (*firmware.Record, *firmware.Deps) {
	r.t.Helper()
	c := nvme.NewController(r.drive)
	id, err := c.Identify(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	log, err := c.FirmwareSlotLog(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	p, err := firmware.NewPlan(firmware.Facts{Controller: id, Slots: log, VendorID: r.vendor}, request)
	if err != nil {
		r.t.Fatal(err)
	}
	host, err := sysfs.Read(r.Sysfs(), "nvme0")
	if err != nil {
		r.t.Fatal(err)
	}
	looked, err := guard.Inspect(r.t.Context(), &guard.Drive{Passthru: r, Controller: host, Simulated: true, Host: r}, p.Operation())
	if err != nil {
		r.t.Fatal(err)
	}
	a := &guard.Agreement{Serial: looked.Identity.Serial, Phrase: looked.Phrase()}
	rec := firmware.NewRecord(firmware.Tool{Name: "qd1", Version: "test"}, time.Unix(0, 0), looked, p, a, nil)
	return rec, &firmware.Deps{
		Case: looked, Agreement: a, Journal: r.store, Reset: r.reset, Kernel: func() string { return r.kernel },
		Users: func(context.Context) ([]string, error) { return r.users, nil },
		Wait: func(ctx context.Context, d time.Duration) error {
			r.waited += d
			return ctx.Err()
		},
		Observe: func(e firmware.Event) { r.events = append(r.events, e) },
	}
}

func (r *rig) reset(kind firmware.Reset) error {
	if r.refuse != nil {
		return r.refuse
	}
	r.resets = append(r.resets, kind)
	if kind == firmware.SubsystemReset {
		r.drive.SubsystemReset()
	} else {
		r.drive.Reset()
	}
	return nil
}

// update plans and runs.
func (r *rig) update(request firmware.Request) *firmware.Record {
	r.t.Helper()
	rec, d := r.plan(request)
	if err := firmware.Run(r.t.Context(), d, rec); err != nil {
		r.t.Fatal(err)
	}
	return rec
}

// commits are the actions and slots that were committed.
func (r *rig) commits() []uint32 {
	var list []uint32
	for i := range r.sent {
		if r.sent[i].Opcode == nvme.AdminFirmwareCommit {
			list = append(list, r.sent[i].CDW10)
		}
	}
	return list
}

// states are the states of the only job.
func (r *rig) states() []journal.State {
	r.t.Helper()
	list, faults := r.store.List()
	if len(list) != 1 || len(faults) > 0 {
		r.t.Fatalf("%d jobs, %v", len(list), faults)
	}
	var states []journal.State
	for _, e := range list[0].Entries {
		states = append(states, e.State)
	}
	return states
}

// check compares what came of an update.
func (r *rig) check(rec *firmware.Record, want firmware.Class, reset firmware.Reset, text string) {
	r.t.Helper()
	said := strings.Join(append([]string{rec.Text, rec.Next, rec.ResetText}, rec.Notes...), " | ")
	if rec.Result != want || rec.ResetNeeded != reset || !strings.Contains(said, text) {
		r.t.Errorf("%s, reset %s: %s; want %s, %s, %q", rec.Result, rec.ResetNeeded, said, want, reset, text)
	}
}

// answer lets the drive answer commands of one opcode with a status, the first
// times of them; 0 for always. It does not do them.
func (r *rig) answer(opcode uint8, s nvme.Status, times int) {
	n := 0
	r.behind = func(cmd *nvme.Command) (nvme.Completion, error, bool) {
		if cmd.Opcode != opcode || times > 0 && n >= times {
			return nvme.Completion{}, nil, false
		}
		n++
		return nvme.Completion{Status: s}, nil, true
	}
}

// equal compares lists.
func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
