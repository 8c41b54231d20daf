package firmware_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/hostpower"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// TestUpdate is the step E2010480 to E2010650 of a 905P: one slot, action 1, a
// controller reset.
func TestUpdate(t *testing.T) {
	r := newRig(t, optane)
	rec := r.update(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	r.check(rec, firmware.Changed, firmware.NoReset, "runs E2010650 from slot 1; before it ran E2010480")
	equal(t, "commits", r.commits(), []uint32{1<<3 | 1})
	equal(t, "resets", r.resets, []firmware.Reset{firmware.ControllerReset})
	equal(t, "states", r.states(), []journal.State{journal.Armed, journal.Sent, journal.Returned, journal.Verify, journal.Done})
	if rec.ChunksSent != 3 || rec.Retries != 0 || rec.Before.Revision != "E2010480" || rec.After.Slots[0] != "E2010650" || rec.Job == "" {
		t.Errorf("record %+v", rec)
	}
	if len(r.events) < 5 || r.events[1].Done != 4096 || r.events[1].Total != 12<<10 {
		t.Errorf("events %+v", r.events)
	}
	if got := firmware.RecordOf(r.jobs()[0]); got.Result != firmware.Changed || got.Plan.Image.SHA256 != rec.Plan.Image.SHA256 {
		t.Errorf("the journal has %+v", got)
	}
}

func (r *rig) jobs() []*journal.Record {
	list, _ := r.store.List()
	var all []*journal.Record
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

// TestStatuses is the table of what the drive answers to a commit, what comes of
// it, and what is done.
func TestStatuses(t *testing.T) {
	const none, controller, subsystem = firmware.NoReset, firmware.ControllerReset, firmware.SubsystemReset
	for _, tt := range []struct {
		name    string
		profile string
		needs   sim.Activation
		wanted  firmware.Reset
		users   []string
		result  firmware.Class
		reset   firmware.Reset
		resets  int
		commits int
		text    string
	}{
		{"without a reset", modern, sim.AnyReset, firmware.ResetAsNeeded, nil, firmware.Changed, none, 0, 1, "runs QD1M0200 from slot 3"},
		{"111h", modern, sim.ControllerReset, firmware.ResetAsNeeded, nil, firmware.Changed, none, 1, 1, "runs QD1M0200"},
		{"111h, in use", modern, sim.ControllerReset, firmware.ResetAsNeeded, []string{"/dev/nvme0n1 is mounted at /"}, firmware.Pending, controller, 0, 1, "mounted at /"},
		{"111h, no reset wanted", modern, sim.ControllerReset, none, nil, firmware.Pending, controller, 0, 1, "as asked for"},
		{"111h, more wanted", modern, sim.ControllerReset, subsystem, nil, firmware.Changed, none, 1, 1, "runs QD1M0200"},
		{"110h", modern, sim.SubsystemReset, firmware.ResetAsNeeded, nil, firmware.Changed, none, 1, 1, "runs QD1M0200"},
		{"110h, less wanted", modern, sim.SubsystemReset, controller, nil, firmware.Pending, subsystem, 0, 1, "an NVM subsystem reset is needed"},
		{"10Bh", modern, sim.ConventionalReset, firmware.ResetAsNeeded, nil, firmware.Pending, firmware.ConventionalReset, 0, 1, "restart the computer"},
		{"112h, then at a reset", modern, sim.TooLongActivation, firmware.ResetAsNeeded, nil, firmware.Changed, none, 1, 2, "runs QD1M0200"},
		{"112h, in use", modern, sim.TooLongActivation, firmware.ResetAsNeeded, []string{"x"}, firmware.Pending, controller, 0, 2, "in use"},
		{"113h", modern, sim.ProhibitedActivation, firmware.ResetAsNeeded, nil, firmware.Rejected, none, 0, 1, "does not activate this image"},
		{"at a reset only, 10Bh", optane, sim.ConventionalReset, firmware.ResetAsNeeded, nil, firmware.Pending, firmware.ConventionalReset, 0, 1, "conventional"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.profile)
			r.users = tt.users
			model := modernModel
			if tt.profile == optane {
				model = optaneModel
			}
			rec := r.update(firmware.Request{Image: r.image(model, "QD1M0200", tt.needs), Reset: tt.wanted})
			r.check(rec, tt.result, tt.reset, tt.text)
			if len(r.resets) != tt.resets || len(r.commits()) != tt.commits {
				t.Errorf("resets %v, commits %x, want %d and %d", r.resets, r.commits(), tt.resets, tt.commits)
			}
			if states := r.states(); states[len(states)-1] != journal.Done {
				t.Errorf("states %v", states)
			}
		})
	}
}

// TestRefusedByTheDrive holds what a drive that refuses leads to.
func TestRefusedByTheDrive(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opcode uint8
		status nvme.Status
		times  int
		result firmware.Class
		sent   int
		text   string
	}{
		{"106h", nvme.AdminFirmwareCommit, 0x4106, 0, firmware.Rejected, 4, "read-only"},
		{"107h", nvme.AdminFirmwareCommit, 0x2107, 0, firmware.Rejected, 4, "sha256"},
		{"unknown", nvme.AdminFirmwareCommit, 0x4120, 0, firmware.Rejected, 4, "refused"},
		{"overlap, with no retry", nvme.AdminFirmwareImageDownload, 0x0114, 0, firmware.Rejected, 1, "chunk 1 of 3 was refused: a part of an image"},
		{"length", nvme.AdminFirmwareImageDownload, 0x4002, 0, firmware.Rejected, 1, "--pad"},
		{"once, without DNR", nvme.AdminFirmwareImageDownload, 0x0006, 1, firmware.Changed, 5, "E2010650"},
		{"twice, without DNR", nvme.AdminFirmwareImageDownload, 0x0006, 2, firmware.Changed, 6, "E2010650"},
		{"always, without DNR", nvme.AdminFirmwareImageDownload, 0x0006, 0, firmware.Rejected, 3, "chunk 1 of 3"},
		{"once, with DNR", nvme.AdminFirmwareImageDownload, 0x4006, 1, firmware.Rejected, 1, "chunk 1 of 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, optane)
			r.answer(tt.opcode, tt.status, tt.times)
			rec := r.update(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
			r.check(rec, tt.result, firmware.NoReset, tt.text)
			if len(r.sent) != tt.sent {
				t.Errorf("%d commands, want %d", len(r.sent), tt.sent)
			}
		})
	}
	r := newRig(t, optane)
	r.check(r.update(firmware.Request{Image: r.image("ANOTHER MODEL", "OTHER", sim.AnyReset)}), firmware.Rejected, firmware.NoReset, "does not take the image")
}

// TestUnchanged is a drive that says yes and does nothing.
func TestUnchanged(t *testing.T) {
	r := newRig(t, optane)
	r.answer(nvme.AdminFirmwareCommit, 0, 0)
	rec := r.update(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	r.check(rec, firmware.Unchanged, firmware.NoReset, "reported success and still runs E2010480")
	r = newRig(t, modern)
	r.answer(nvme.AdminFirmwareCommit, 0, 0)
	r.check(r.update(firmware.Request{Image: r.image(modernModel, "X", sim.AnyReset)}), firmware.Unchanged, firmware.NoReset, "slot 3 has not changed either")
	// The same revision once more.
	r = newRig(t, optane)
	r.check(r.update(firmware.Request{Image: r.image(optaneModel, "E2010480", sim.AnyReset)}), firmware.Unchanged, firmware.NoReset, "has that revision too")
}

// TestResetThatDoesNotDo is a reset after which the slot still waits.
func TestResetThatDoesNotDo(t *testing.T) {
	r := newRig(t, modern)
	id := func(cmd *nvme.Command) bool { return cmd.Opcode == nvme.AdminFirmwareCommit }
	r.behind = func(cmd *nvme.Command) (nvme.Completion, error, bool) {
		if !id(cmd) {
			return nvme.Completion{}, nil, false
		}
		if _, err := r.drive.Submit(t.Context(), cmd); err != nil {
			t.Fatal(err)
		}
		return nvme.Completion{Status: nvme.StatusFirmwareNeedsControllerReset, Result: 1}, nil, true
	}
	rec := r.update(firmware.Request{Image: r.image(modernModel, "QD1M0200", sim.SubsystemReset)})
	r.check(rec, firmware.Pending, firmware.PowerCycle, "says that slot 3 waits")
	// A host that cannot do it.
	r = newRig(t, optane)
	r.refuse = errors.New("no such reset")
	r.check(r.update(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)}), firmware.Pending, firmware.ControllerReset, "was tried: no such reset")
}

// TestShutdownVendors holds that a vendor's drive is never said to be done
// without a shutdown.
func TestShutdownVendors(t *testing.T) {
	for _, profile := range []struct{ name, model string }{{optane, optaneModel}, {modern, modernModel}} {
		r := newRig(t, profile.name)
		r.vendor = 0x1987
		rec := r.update(firmware.Request{Image: r.image(profile.model, "NEW", sim.AnyReset)})
		r.check(rec, firmware.Pending, firmware.PowerCycle, "a restart is not enough")
		equal(t, "resets", r.resets, nil)
	}
}

// TestActionOfVendors holds that drives that need action 3 get it, though they
// do not list it.
func TestActionOfVendors(t *testing.T) {
	r := newRig(t, optane)
	r.vendor = 0x1E4B
	r.update(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	equal(t, "commits", r.commits(), []uint32{3<<3 | 1})
}

func TestActivate(t *testing.T) {
	r := newRig(t, modern)
	rec := r.update(firmware.Request{})
	r.check(rec, firmware.Changed, firmware.NoReset, "runs QD1M0100 from slot 1; before it ran QD1M0110 from slot 2")
	equal(t, "commits", r.commits(), []uint32{3<<3 | 1})
	if len(r.sent) != 1 {
		t.Errorf("commands %+v", r.sent)
	}
}

func TestKernelIsBehind(t *testing.T) {
	r := newRig(t, optane)
	r.kernel = "E2010480"
	r.check(r.update(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)}), firmware.Changed, firmware.NoReset, "the kernel still shows E2010480")
}

// TestBusy is a drive that works on the image for a time, or for ever.
func TestBusy(t *testing.T) {
	for _, times := range []int{3, 1 << 20} {
		r := newRig(t, optane)
		n, sent := 0, false
		r.behind = func(cmd *nvme.Command) (nvme.Completion, error, bool) {
			sent = sent || cmd.Opcode == nvme.AdminFirmwareImageDownload
			if cmd.Opcode == nvme.AdminFirmwareCommit {
				sent = false
			}
			if !sent || cmd.Opcode != nvme.AdminGetLogPage || n >= times {
				return nvme.Completion{}, nil, false
			}
			n++
			cmd.Data[0] = 0x81
			return nvme.Completion{}, nil, true
		}
		rec := r.update(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
		want := ""
		if times > 3 {
			want = "an update is in progress"
		}
		r.check(rec, firmware.Changed, firmware.NoReset, want)
		if n < 3 || r.waited == 0 {
			t.Errorf("asked %d times, waited %v", n, r.waited)
		}
	}
}

// TestCancel is Ctrl-C between chunks, and during the commit.
func TestCancel(t *testing.T) {
	for opcode, want := range map[uint8]firmware.Class{nvme.AdminFirmwareImageDownload: firmware.Cancelled, nvme.AdminFirmwareCommit: firmware.Changed} {
		r := newRig(t, optane)
		rec, d := r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
		ctx, cancel := context.WithCancel(t.Context())
		r.behind = func(cmd *nvme.Command) (nvme.Completion, error, bool) {
			if cmd.Opcode == opcode {
				cancel()
			}
			return nvme.Completion{}, nil, false
		}
		if err := firmware.Run(ctx, d, rec); err != nil {
			t.Fatal(err)
		}
		r.check(rec, want, firmware.NoReset, "")
		if want == firmware.Cancelled && (len(r.sent) != 1 || rec.ChunksSent != 1 || !strings.Contains(rec.Text, "1 of 3")) {
			t.Errorf("sent %d, %+v", len(r.sent), rec)
		}
		cancel()
	}
	r := newRig(t, optane)
	rec, d := r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := firmware.Run(ctx, d, rec); err == nil || rec.Result != firmware.Cancelled || len(r.sent) != 0 {
		t.Errorf("%v, %+v", err, rec)
	}
}

// TestPowerLoss takes the power at each place, and reads what the next run says.
func TestPowerLoss(t *testing.T) {
	image := func(r *rig) firmware.Request {
		return firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)}
	}
	t.Run("in the transfer", func(t *testing.T) {
		r := newRig(t, optane)
		n := 0
		r.behind = func(cmd *nvme.Command) (nvme.Completion, error, bool) {
			if cmd.Opcode == nvme.AdminFirmwareImageDownload {
				if n++; n == 2 {
					r.drive.PowerCycle()
					return nvme.Completion{}, sim.ErrPowerLoss, true
				}
			}
			return nvme.Completion{}, nil, false
		}
		rec := r.update(image(r))
		r.check(rec, firmware.Failed, firmware.NoReset, "did not answer to chunk 2 of 3: nothing was committed")
		if rec.After == nil || rec.After.Revision != "E2010480" {
			t.Errorf("after: %+v", rec.After)
		}
	})
	for _, tt := range []struct {
		name   string
		does   bool // the drive had done it
		silent bool // and does not come back
		needs  sim.Activation
		want   firmware.Class
		text   string
		known  string
	}{
		{"before the commit", false, false, sim.AnyReset, firmware.Interrupted, "no slot has changed", "runs E2010480, as before"},
		{"after the commit", true, false, sim.AnyReset, firmware.Changed, "now runs E2010650", ""},
		{"and a power cycle is not enough", true, false, sim.ProhibitedActivation, firmware.Interrupted, "no slot has changed", "as before"},
		{"and it stays away", false, true, sim.AnyReset, firmware.Interrupted, "not known", "the answer is not known"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, optane)
			gone := false
			r.behind = func(cmd *nvme.Command) (nvme.Completion, error, bool) {
				if gone {
					return nvme.Completion{}, sim.ErrDisconnect, true
				}
				if cmd.Opcode != nvme.AdminFirmwareCommit {
					return nvme.Completion{}, nil, false
				}
				if tt.does {
					_, _ = r.drive.Submit(t.Context(), cmd)
				}
				r.drive.PowerCycle()
				gone = tt.silent
				return nvme.Completion{}, sim.ErrPowerLoss, true
			}
			rec := r.update(firmware.Request{Image: r.image(optaneModel, "E2010650", tt.needs)})
			r.check(rec, tt.want, rec.ResetNeeded, tt.text)
			if tt.want != firmware.Interrupted {
				return
			}
			gone = false
			now, err := firmware.Look(t.Context(), r.drive)
			if err != nil {
				t.Fatal(err)
			}
			check, told := firmware.JobGate(r.store.Unfinished(rec.Identity.Serial), now)
			if check.Result != guard.Pass || !check.Warning || len(told) != 1 || !strings.Contains(told[0], tt.known) || !strings.Contains(told[0], "committed") {
				t.Errorf("the next run says %+v, %q", check, told)
			}
			// The next one takes its place.
			r.behind = nil
			if next := r.update(image(r)); next.Result != firmware.Changed {
				t.Errorf("next: %+v", next)
			}
			if left := r.store.Unfinished(rec.Identity.Serial); len(left) != 0 {
				t.Errorf("%d jobs are left", len(left))
			}
		})
	}
}

// TestGoneAfterwards is a drive that does not come back from its reset.
func TestGoneAfterwards(t *testing.T) {
	r := newRig(t, optane)
	rec, d := r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	d.Live = func() bool { return false }
	if err := firmware.Run(t.Context(), d, rec); err != nil {
		t.Fatal(err)
	}
	r.check(rec, firmware.Interrupted, firmware.ControllerReset, "does not answer since")
	if left := r.store.Unfinished(rec.Identity.Serial); len(left) != 1 || !strings.Contains(firmware.Known(&left[0], nil), "had answered") {
		t.Errorf("unfinished: %+v", left)
	}
}

// TestNothingIsSent holds that a job that may not begin sends nothing.
func TestNothingIsSent(t *testing.T) {
	no := false
	gates := map[string]guard.Check{
		"on battery":            firmware.PowerGate(hostpower.State{OnMains: &no}),
		"a critical warning":    firmware.HealthGate(nvme.WarningReadOnly, false),
		"a reset of one in use": firmware.ResetGate(firmware.ControllerReset, []string{"swap"}),
		"an unfinished erase":   first(firmware.JobGate([]journal.Record{{Kind: "erase"}}, nil)),
	}
	for name, gate := range gates {
		r := newRig(t, optane)
		rec, d := r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
		rec.Checks = append(rec.Checks, gate)
		var refused *guard.Refusal
		if err := firmware.Run(t.Context(), d, rec); !errors.As(err, &refused) || rec.Result != firmware.Refused || len(r.sent) != 0 || len(r.jobs()) != 0 {
			t.Errorf("%s: %v, sent %d, %s", name, err, len(r.sent), rec.Result)
		}
	}
	for name, spoil := range map[string]func(r *rig, d *firmware.Deps){
		"no consent":     func(_ *rig, d *firmware.Deps) { d.Agreement = &guard.Agreement{Serial: d.Agreement.Serial} },
		"another serial": func(_ *rig, d *firmware.Deps) { d.Agreement.Serial = "OTHER" },
		"the end of the serial": func(_ *rig, d *firmware.Deps) {
			d.Agreement.Serial = d.Agreement.Serial[len(d.Agreement.Serial)-5:]
		},
		"another phrase": func(_ *rig, d *firmware.Deps) { d.Agreement.Phrase = "UPDATE OTHER" },
		"another model": func(_ *rig, d *firmware.Deps) {
			*d.Agreement = guard.Agreement{Serial: d.Agreement.Serial, Yes: true, Model: "OTHER", Bytes: 960197124096}
		},
		"another size": func(_ *rig, d *firmware.Deps) {
			*d.Agreement = guard.Agreement{Serial: d.Agreement.Serial, Yes: true, Model: optaneModel, Bytes: 1}
		},
		"another job": func(r *rig, d *firmware.Deps) {
			job, err := r.store.Create("erase", d.Agreement.Serial, nil, time.Unix(0, 0))
			if err != nil {
				r.t.Fatal(err)
			}
			r.t.Cleanup(func() { _ = job.Close() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, optane)
			rec, d := r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
			spoil(r, d)
			err := firmware.Run(t.Context(), d, rec)
			if err == nil || len(r.sent) != 0 || rec.Result != firmware.Refused && name != "another job" || rec.Error == "" {
				t.Errorf("%v, sent %d, %s", err, len(r.sent), rec.Result)
			}
		})
	}
}

func TestGates(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name   string
		check  guard.Check
		result guard.Result
		text   string
	}{
		{"healthy", firmware.HealthGate(0, false), guard.Pass, "no critical"},
		{"read-only", firmware.HealthGate(nvme.WarningReadOnly, false), guard.Refuse, "read-only"},
		{"degraded", firmware.HealthGate(nvme.WarningReliability, false), guard.Refuse, "degraded"},
		{"something else", firmware.HealthGate(0x10, false), guard.Refuse, "10h"},
		{"accepted", firmware.HealthGate(nvme.WarningReadOnly, true), guard.Pass, "read-only"},
		{"battery", firmware.PowerGate(hostpower.State{OnMains: &no}), guard.Refuse, "battery"},
		{"mains", firmware.PowerGate(hostpower.State{OnMains: &yes}), guard.Pass, ""},
		{"no battery", firmware.PowerGate(hostpower.State{}), guard.Pass, ""},
		{"reset, unused", firmware.ResetGate(firmware.ControllerReset, nil), guard.Pass, ""},
		{"reset, used", firmware.ResetGate(firmware.SubsystemReset, []string{"swap"}), guard.Refuse, "swap"},
		{"as needed, used", firmware.ResetGate(firmware.ResetAsNeeded, []string{"swap"}), guard.Pass, ""},
		{"none, used", firmware.ResetGate(firmware.NoReset, []string{"swap"}), guard.Pass, ""},
	} {
		if tt.check.Result != tt.result || !strings.Contains(tt.check.Text, tt.text) || tt.result == guard.Refuse && tt.check.Hint == "" {
			t.Errorf("%s: %+v", tt.name, tt.check)
		}
	}
	c, told := firmware.JobGate([]journal.Record{{Kind: "erase", ID: "E"}}, nil)
	if c.Result != guard.Refuse || len(told) != 0 || !strings.Contains(c.Hint, "qd1 erase status") {
		t.Errorf("an unfinished erase: %+v", c)
	}
	c, told = firmware.JobGate([]journal.Record{{Kind: firmware.Kind, Entries: []journal.Entry{{State: journal.Armed}}}}, nil)
	if c.Result != guard.Pass || !c.Warning || len(told) != 1 || !strings.Contains(told[0], "not committed") {
		t.Errorf("an unfinished update: %+v, %q", c, told)
	}
	if _, told = firmware.JobGate([]journal.Record{{Kind: firmware.Kind}}, nil); !strings.Contains(told[0], "nothing was sent") {
		t.Errorf("one that had not begun: %q", told)
	}
}

// TestInhibit holds that the computer is kept awake, and that a computer that
// cannot be asked is told of.
func TestInhibit(t *testing.T) {
	r := newRig(t, optane)
	rec, d := r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	d.Inhibit = func(context.Context, string) (io.Closer, error) { return nil, errors.New("nobody to ask") }
	if err := firmware.Run(t.Context(), d, rec); err != nil {
		t.Fatal(err)
	}
	r.check(rec, firmware.Changed, firmware.NoReset, "nobody to ask")
	closed := &counter{}
	r = newRig(t, optane)
	rec, d = r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	d.Inhibit = func(context.Context, string) (io.Closer, error) { return closed, nil }
	if err := firmware.Run(t.Context(), d, rec); err != nil || closed.n != 1 {
		t.Errorf("%v, closed %d times", err, closed.n)
	}
}

type counter struct{ n int }

// Close counts.
func (c *counter) Close() error {
	c.n++
	return nil
}

func first(c guard.Check, _ []string) guard.Check { return c }
