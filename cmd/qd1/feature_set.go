package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

func featureSetCommand() command {
	return command{
		name: "set", args: "NAME|0xNN SERIAL", access: told, maxArgs: 2,
		short: "set a feature, and show what it was and what it is",
		help: `NAME is a word that "qd1 feature list" shows, or a number. SERIAL is the full
serial number of the drive. A value that can cripple the drive or the host needs
its risk named with --accept; those that only the host's driver can set are
refused.`,
		flags: append(append(outputFlags("json"), consentFlags()...), acceptFlag(),
			&cli.StringFlag{Name: "feature-id", Aliases: []string{"f"}, Usage: "the feature, as `NAME` or number, in place of the first argument"},
			&cli.StringFlag{Name: "value", Aliases: []string{"V"}, Usage: "`DWORD` 11 of the command: the value"},
			&cli.StringFlag{Name: "cdw12", Aliases: []string{"c"}, Usage: "`DWORD` 12 of the command, for features that have a value there"},
			&cli.StringFlag{Name: "data", Aliases: []string{"d"}, Usage: "`FILE` with the data structure of the feature"},
			&cli.StringFlag{Name: "data-len", Aliases: []string{"l"}, Usage: "`BYTES` that the file must have"},
			&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of a feature that each namespace has its own of"},
			&cli.StringFlag{Name: "uuid-index", Aliases: []string{"u", "U"}, Usage: "`INDEX` of the UUID that says what a vendor specific feature means"},
			&cli.BoolFlag{Name: "save", Aliases: []string{"s"}, DisableDefaultText: true, Usage: "keep the value over a reset and a loss of power"},
			&cli.BoolFlag{Name: "force", DisableDefaultText: true, Usage: "set what the drive does not list, too"},
			&cli.StringFlag{Name: "timeout", Value: "10s", Usage: "longest `TIME` that the command may take"}),
		run: (*invocation).setFeature,
	}
}

// change is a feature that is to be set.
type change struct {
	setting nvme.FeatureSetting
	table   *spec.Feature
	// query reads the value that is set.
	query report.FeatureQuery
}

// newChange reads from the flags what is to be set to what.
func (in *invocation) newChange(fid nvme.FID) (*change, error) {
	c := &change{setting: nvme.FeatureSetting{FID: fid, Save: in.Bool("save")}, table: spec.FeatureOf(fid)}
	var numbers [3]uint64
	for i, f := range []struct {
		flag string
		bits int
	}{{"value", 32}, {"cdw12", 32}, {"uuid-index", 7}} {
		var err error
		if numbers[i], err = in.unsigned(f.flag, f.bits); err != nil {
			return nil, err
		}
	}
	c.setting.CDW11, c.setting.CDW12, c.setting.UUIDIndex = uint32(numbers[0]), uint32(numbers[1]), uint8(numbers[2])
	var err error
	if c.setting.NSID, err = in.nsid(); err != nil {
		return nil, err
	}
	if !in.IsSet("value") && in.String("data") == "" && !in.IsSet("cdw12") {
		return nil, usagef("%s needs a value: --value, or --data for a feature with a data structure", in.name)
	}
	if c.setting.Data, err = in.featureData(c); err != nil {
		return nil, err
	}
	c.query = report.FeatureQuery{FID: fid, NSID: c.setting.NSID, UUIDIndex: c.setting.UUIDIndex, Force: in.Bool("force")}
	if c.table != nil {
		selects := c.table.Selected(c.setting.CDW11)
		c.query.CDW11 = &selects
	}
	return c, nil
}

// mostFeatureBytes is the longest data structure that a feature can have.
const mostFeatureBytes = 1 << 20

// featureData reads the data structure, and holds its length against what the
// feature has.
func (in *invocation) featureData(c *change) ([]byte, error) {
	name, title := in.String("data"), c.setting.FID.String()
	want := -1
	if c.table != nil {
		want = c.table.SetBytes(c.setting.CDW11)
	}
	given, err := in.unsigned("data-len", 24)
	if err != nil {
		return nil, err
	}
	if name == "" {
		switch {
		case want > 0:
			return nil, usagef("%s has a data structure of %d bytes: give it with --data FILE", title, want)
		case given > 0:
			return nil, usagef("--data-len %d: there are no data without --data FILE", given)
		}
		return nil, nil
	}
	b, err := in.readData(name, mostFeatureBytes)
	switch n := len(b); {
	case err != nil:
		return nil, err
	case in.IsSet("data-len") && uint64(n) != given:
		return nil, usagef("--data-len %d: %s has %d bytes", given, name, n)
	case want == 0:
		return nil, usagef("--data %s: %s has no data structure to set", name, title)
	case want > 0 && n != want:
		return nil, usagef("--data %s: it has %d bytes, and the data structure of %s has %d", name, n, title, want)
	}
	return b, nil
}

// readData reads a file, a pipe or standard input as a whole.
func (in *invocation) readData(name string, most int) ([]byte, error) {
	f, err := in.openText(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(b) > most:
		return nil, usagef("%s: it has more than %d bytes", name, most)
	case len(b) == 0:
		return nil, usagef("%s: the file is empty", name)
	}
	return b, nil
}

// setFeature is the command.
func (in *invocation) setFeature() error {
	fid, serial, found, err := in.featureAndDrive()
	if err != nil {
		return err
	}
	if !found {
		return usagef("%s needs a feature; qd1 feature list shows them", in.name)
	}
	c, err := in.newChange(fid)
	if err != nil {
		return err
	}
	format, err := in.format("json")
	if err != nil {
		return err
	}
	timeout, err := in.timeout()
	if err != nil {
		return err
	}
	a, err := in.agreementOf(serial)
	if err != nil {
		return err
	}
	accepted := in.StringSlice("accept")
	if err := checkAccepted(c.setting.Command(), accepted); err != nil {
		return err
	}
	g, err := openGuarded(a.Serial, a.PCI)
	if err != nil {
		return err
	}
	defer g.Close()
	w := &featureWork{in: in, change: c, format: format, agreement: a}
	return w.run(in.Context.Context, g, timeout, accepted)
}

// agreementOf is the agreement of the flags for a drive that is not the first
// argument.
func (in *invocation) agreementOf(serial string) (*guard.Agreement, error) {
	a, err := in.agreement()
	if err != nil {
		return nil, err
	}
	if a.Serial = serial; serial == "" {
		return nil, usagef("%s needs the full serial number of the drive; qd1 list shows it", in.name)
	}
	return a, nil
}

// featureWork is a setting under way.
type featureWork struct {
	in *invocation
	*change
	format    string
	agreement *guard.Agreement
	session   *report.Session
	sending   *sending
	before    *report.Feature
	after     *report.Feature
	status    *nvme.Status
	outcome   string
	failed    bool
}

// run looks, asks, sends and looks again.
func (w *featureWork) run(ctx context.Context, g *guarded, timeout time.Duration, accepted []string) error {
	if err := w.look(ctx, g, timeout); err != nil {
		return err
	}
	var err error
	if w.sending, err = prepareSending(ctx, g, w.setting.Command(), "set", timeout, accepted); err != nil {
		return err
	}
	if g.inProcess {
		w.agreement.Serial = w.sending.looked.Identity.Serial
	}
	w.outcome = "nothing was sent"
	if w.in.Bool("dry-run") {
		if err := w.show(w.planned()); err != nil {
			return err
		}
		return w.sending.dryOutcome(w.agreement)
	}
	err = w.sending.agree(ctx, w.in, w.agreement,
		func() error { return w.text(w.in.env.stderr, w.in.messageStyle(), nil) },
		func() error { return w.show(w.agreement) })
	if err != nil {
		return err
	}
	return w.send(ctx)
}

// planned is the agreement that a dry run is judged by.
func (w *featureWork) planned() *guard.Agreement {
	if w.agreement.Yes {
		return w.agreement
	}
	return nil
}

// look reads who the drive is and the value before.
func (w *featureWork) look(ctx context.Context, g *guarded, timeout time.Duration) error {
	d := *g.Drive
	d.Passthru = g.reading()
	var err error
	if w.session, err = report.Begin(ctx, &d, timeout); err != nil {
		return err
	}
	w.before, err = w.session.ReadFeature(ctx, w.query)
	var problem *report.Problem
	switch {
	case err == nil:
	case errors.As(err, &problem) && problem.Kind == report.KindNotListed:
		return err
	default:
		w.before = &report.Feature{FID: uint8(w.setting.FID), Title: w.setting.FID.String(), Problem: asProblem(err)}
	}
	if w.before.NSID != 0 {
		w.setting.NSID = w.before.NSID
	}
	if c := w.before.Capabilities; c != nil && w.setting.Save && !c.Saveable {
		return usagef("--save: the drive says that %s is not saveable", w.setting.FID)
	}
	return nil
}

func asProblem(err error) *report.Problem {
	var problem *report.Problem
	if errors.As(err, &problem) {
		return problem
	}
	return &report.Problem{Kind: report.KindHost, Text: err.Error()}
}

// send sends the command, reads the value after it, and shows both.
func (w *featureWork) send(ctx context.Context) error {
	done, _, err := w.sending.send(ctx, w.in.env, w.agreement)
	if err != nil {
		return err
	}
	w.status = &done.Status
	after, problem := w.session.ReadFeature(ctx, w.query)
	if problem != nil {
		after = &report.Feature{FID: uint8(w.setting.FID), Title: w.setting.FID.String(), Problem: asProblem(problem)}
	}
	w.after = after
	w.judge(done.Status)
	if err := w.show(w.agreement); err != nil || !w.failed {
		return err
	}
	return failf("qd1 feature get shows what the drive has now", "%s", w.outcome)
}

// judge says what became of the setting.
func (w *featureWork) judge(status nvme.Status) {
	differences := w.differences()
	switch {
	case !status.OK():
		w.outcome, w.failed = "the drive refused it: "+status.Error(), true
	case w.after.Problem != nil:
		w.outcome, w.failed = "the drive reports success, and the value could not be read back", true
	case len(differences) > 0:
		w.outcome, w.failed = "the drive reports success, and the value is not the one asked for: "+strings.Join(differences, ", "), true
	case w.setting.Save:
		w.outcome = "set, and saved"
	default:
		w.outcome = "set until the next reset, unless the drive keeps it by itself"
	}
}

// differences are what the value is and was not asked to be.
func (w *featureWork) differences() []string {
	if w.table == nil || w.after.Value == nil {
		return nil
	}
	var set []byte
	for _, d := range []uint32{w.setting.CDW11, w.setting.CDW12, 0, 0, 0} {
		set = binary.LittleEndian.AppendUint32(set, d)
	}
	list := w.table.Differences(set, *w.after.Value)
	if keepsBytes(w.setting.FID) && !bytes.Equal(w.after.Raw, w.setting.Data) {
		list = append(list, "the data are others")
	}
	return list
}

// keepsBytes reports whether the data of a feature are read back as they were set.
func keepsBytes(fid nvme.FID) bool {
	return slices.Contains([]nvme.FID{
		nvme.FIDAutonomousTransition, nvme.FIDHostBehavior, nvme.FIDNamespaceLabel, nvme.FIDManagementController, nvme.FIDManagementAgent, nvme.FIDHostIdentifier,
	}, fid)
}

// settingJSON is the JSON of a setting.
type settingJSON struct {
	Schema    string          `json:"schema"`
	Simulated bool            `json:"simulated"`
	Drive     report.Identity `json:"drive"`
	Command   commandJSON     `json:"command"`
	Checks    []guard.Check   `json:"checks"`
	Sent      bool            `json:"sent"`
	Status    *statusJSON     `json:"status"`
	Before    *report.Feature `json:"before"`
	After     *report.Feature `json:"after"`
	Outcome   string          `json:"outcome"`
	Failed    bool            `json:"failed"`
	Phrase    string          `json:"phrase,omitempty"`
}

// show writes the setting as the result. A nil agreement leaves out what needs one.
func (w *featureWork) show(a *guard.Agreement) error {
	v := settingJSON{
		Schema: "qd1.feature_set/1", Simulated: w.session.Drive.Simulated, Drive: w.session.Identity, Command: newCommandJSON(w.sending.cmd),
		Checks: w.sending.checks(a), Sent: w.status != nil, Before: w.before, After: w.after, Outcome: w.outcome, Failed: w.failed,
	}
	if w.status != nil {
		v.Status = newStatusJSON(*w.status)
	} else {
		v.Phrase = w.sending.looked.Phrase()
	}
	return w.in.show(w.format, v, func(out io.Writer, style render.Style) error { return w.text(out, style, a) })
}

func (w *featureWork) text(out io.Writer, style render.Style, a *guard.Agreement) error {
	c := &render.FeatureChange{Command: w.sending.cmd, Before: w.before, After: w.after, Outcome: w.outcome, Failed: w.failed, Guarded: w.sending.told(a)}
	if w.status != nil {
		c.Guarded = render.Guarded{}
	}
	return render.FeatureChanged(out, partOf(w.session), c, style)
}
