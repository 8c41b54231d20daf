package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// log is what reached the devices of a test.
type log struct {
	mu       sync.Mutex
	commands []nvme.Command
	writes   int
}

func (l *log) add(cmd *nvme.Command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commands = append(l.commands, *cmd)
}

// sent returns the commands that do more than read.
func (l *log) sent() []nvme.Command {
	l.mu.Lock()
	defer l.mu.Unlock()
	reads := []uint8{nvme.AdminIdentify, nvme.AdminGetLogPage, nvme.AdminGetFeatures, nvme.AdminSecurityReceive}
	return slices.DeleteFunc(slices.Clone(l.commands), func(c nvme.Command) bool {
		return c.Queue == nvme.AdminQueue && slices.Contains(reads, c.Opcode)
	})
}

// nothing fails the test if anything was sent or written.
func (l *log) nothing(t *testing.T) {
	t.Helper()
	for _, c := range l.sent() {
		t.Errorf("was sent: %s", dwords(&c))
	}
	if l.writes > 0 {
		t.Errorf("%d writes, want none", l.writes)
	}
}

// bench is a drive in a computer, both of the test's making.
type bench struct {
	*log
	drive *sim.Drive
	// behind is what answers: the drive, unless a test puts another there.
	behind nvme.Passthru
	texts  map[string]string
	links  map[string]string

	survey    *inuse.Survey
	surveyErr error
	asked     []string
	power     []Check
	// contents is what lies on a block device, by name: one signature a line,
	// "kind partition label".
	contents map[string]string
	openErr  error
	// claimErr are errors by device, onClaim is called before each claim.
	claimErr   map[string]error
	refreshErr error
	closeErr   error
	onClaim    func(device string)
	claimed    []string
	open       map[string]int
	// through answers for some devices in the place of behind.
	through map[string]nvme.Passthru
	// nsids is what the kernel says each device is; one that is not there is
	// not asked.
	nsids map[string]nvme.NSID
	// file is the open file that each device is, "" for none.
	file string
}

// newBench opens a simulated drive and the computer that it is in.
func newBench(t *testing.T, profile string) *bench {
	t.Helper()
	if !strings.Contains(profile, "?") {
		profile += "?"
	}
	d, err := sim.Open(profile + "&speed=1000000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	b := &bench{log: &log{}, drive: d, behind: d, survey: &inuse.Survey{}, contents: map[string]string{}, open: map[string]int{}}
	b.refresh()
	return b
}

// refresh takes the tree of the drive anew.
func (b *bench) refresh() { b.texts, b.links = b.drive.Sysfs() }

// Submit is the passthru that Inspect gets.
func (b *bench) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	b.add(cmd)
	return b.behind.Submit(ctx, cmd)
}

func (b *bench) Sysfs() fs.FS { return sysfs.Map(b.texts, b.links) }

func (b *bench) Survey(_ context.Context, devices []string) (*inuse.Survey, error) {
	b.asked = devices
	if b.survey == nil || b.surveyErr != nil {
		return nil, b.surveyErr
	}
	s := *b.survey
	s.Uses = slices.DeleteFunc(slices.Clone(s.Uses), func(u inuse.Use) bool { return !slices.Contains(devices, u.Device) })
	return &s, nil
}

// use lets a device be in use.
func (b *bench) use(kind inuse.Kind, device, name string) {
	b.survey.Uses = append(b.survey.Uses, inuse.Use{Kind: kind, Device: device, Name: name, Text: device + " is used as " + string(kind) + " " + name})
}

func (b *bench) Power() []Check { return b.power }

func (b *bench) Open(block string) (BlockReader, error) {
	if b.openErr != nil {
		return nil, &fs.PathError{Op: "open", Path: block, Err: b.openErr}
	}
	b.open[block]++
	return &device{b: b, name: block}, nil
}

func (b *bench) Claim(name string) (Claim, error) {
	if b.onClaim != nil {
		b.onClaim(name)
	}
	if err := b.claimErr[name]; err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	b.claimed = append(b.claimed, name)
	b.open[name]++
	d := &device{b: b, name: name}
	if b.file != "" {
		return file{d, b.file}, nil
	}
	if _, ok := b.nsids[name]; ok {
		return named{d}, nil
	}
	return d, nil
}

// leaks fails the test if a device is still open.
func (b *bench) leaks(t *testing.T) {
	t.Helper()
	for name, n := range b.open {
		if n != 0 {
			t.Errorf("%s is open %d times", name, n)
		}
	}
}

// device is an open device of a bench.
type device struct {
	b    *bench
	name string
}

func (d *device) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if p := d.b.through[d.name]; p != nil {
		d.b.add(cmd)
		return p.Submit(ctx, cmd)
	}
	return d.b.Submit(ctx, cmd)
}

func (d *device) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if content := d.b.contents[d.name]; off < int64(len(content)) {
		copy(p, content[off:])
	}
	return len(p), nil
}

func (d *device) WriteAt(p []byte, _ int64) (int, error) {
	d.b.writes++
	return len(p), nil
}

func (d *device) Refresh() error { return d.b.refreshErr }

func (d *device) Close() error {
	d.b.open[d.name]--
	return d.b.closeErr
}

// named is a device that the kernel says the NSID of.
type named struct{ *device }

func (n named) NSID() (nvme.NSID, error) {
	if nsid := n.b.nsids[n.name]; nsid != 0 {
		return nsid, nil
	}
	return 0, errors.New("not a namespace")
}

// textScan reads what the contents of a bench say.
func textScan(ctx context.Context, r ioReaderAt, _ int64, _ int) ([]signature.Signature, error) {
	page := make([]byte, 4096)
	if _, err := r.ReadAt(page, 0); err != nil {
		return nil, err
	}
	var found []signature.Signature
	for line := range strings.Lines(strings.TrimRight(string(page), "\x00")) {
		var s signature.Signature
		if _, err := fmt.Sscan(line, &s.Kind, &s.Partition, &s.Label); err != nil {
			return found, fmt.Errorf("bad block: %s", line)
		}
		s.Text = fmt.Sprintf("%s %q", s.Kind, s.Label)
		found = append(found, s)
	}
	return found, ctx.Err()
}

// edit changes what the drive answers to the reads that match asks for.
func (b *bench) edit(match func(cmd *nvme.Command) bool, change func(data []byte)) {
	next := b.behind
	b.behind = nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		done, err := next.Submit(ctx, cmd)
		if err == nil && done.Status.OK() && match(cmd) {
			change(cmd.Data)
		}
		return done, err
	})
}

// identify and logPage match the reads of a structure and of a log.
func identify(cns nvme.CNS) func(*nvme.Command) bool {
	return func(c *nvme.Command) bool {
		return c.Queue == nvme.AdminQueue && c.Opcode == nvme.AdminIdentify && nvme.CNS(c.CDW10) == cns
	}
}

func logPage(lid nvme.LID) func(*nvme.Command) bool {
	return func(c *nvme.Command) bool {
		return c.Queue == nvme.AdminQueue && c.Opcode == nvme.AdminGetLogPage && nvme.LID(c.CDW10) == lid
	}
}

// fill returns a change that writes bytes.
func fill(at int, value ...byte) func([]byte) {
	return func(data []byte) { copy(data[at:], value) }
}

// text changes a file of the tree, wherever it stands.
func (b *bench) text(suffix, value string) {
	for name := range b.texts {
		if strings.HasSuffix(name, suffix) {
			b.texts[name] = value + "\n"
		}
	}
}

// on returns the drive for Inspect, as the host shows it now.
func (b *bench) on(t *testing.T) *Drive {
	t.Helper()
	c, err := sysfs.Read(b.Sysfs(), "nvme0")
	if err != nil {
		t.Fatal(err)
	}
	return &Drive{Passthru: b, Controller: c, Host: b}
}

// inspect looks at the drive with the scanner of the tests.
func (b *bench) inspect(t *testing.T, op Operation) *Case {
	t.Helper()
	c, err := b.tryInspect(t, op)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (b *bench) tryInspect(t *testing.T, op Operation) (*Case, error) {
	t.Helper()
	d := b.on(t)
	return inspect(t.Context(), d, op, eyes{passthru: b, open: b.Open, scan: textScan})
}

// script is the agreement of a script that means the case.
func script(c *Case) *Agreement {
	return &Agreement{Serial: c.Identity.Serial, Yes: true, Model: c.Identity.Model, Bytes: c.Identity.Bytes}
}

// person is that of a person who typed the phrase.
func person(c *Case) *Agreement { return &Agreement{Serial: c.Identity.Serial, Phrase: c.Phrase()} }

// formatOp is a format of one namespace with a secure erase.
func formatOp(nsid nvme.NSID) Operation {
	return Operation{
		Name: "erase", Timeout: time.Minute, Writes: true,
		Commands: []nvme.Command{*nvme.FormatNVM{NSID: nsid, SES: nvme.SecureEraseUserData}.Command()},
	}
}

func sanitizeOp() Operation {
	return Operation{
		Name: "erase", Timeout: time.Minute,
		Commands: []nvme.Command{*nvme.Sanitize{Action: nvme.SanitizeBlockErase}.Command()},
	}
}

// firmwareOp is a download and a commit, which keep the data.
func firmwareOp() Operation {
	return Operation{
		Name: "update", Timeout: time.Minute, KeepsData: true,
		Commands: []nvme.Command{{Opcode: nvme.AdminFirmwareImageDownload, CDW10: 1023}, {Opcode: nvme.AdminFirmwareCommit, CDW10: 0x08}},
	}
}

// selfTestOp is Device Self-test with a code: 1 starts a short one, Fh aborts.
func selfTestOp(code uint32) Operation {
	return Operation{
		Name: "self-test", Timeout: time.Minute, KeepsData: true,
		Commands: []nvme.Command{{Opcode: nvme.AdminDeviceSelfTest, NSID: nvme.BroadcastNSID, CDW10: code}},
	}
}

// failed returns the checks that did not pass, as "name result".
func failed(checks []Check) []string {
	list := []string{}
	for _, c := range checks {
		if c.Result != Pass {
			list = append(list, c.Check+" "+string(c.Result))
		}
	}
	return list
}

// find returns the first check of this name.
func find(t *testing.T, checks []Check, name string) Check {
	t.Helper()
	for _, c := range checks {
		if c.Check == name {
			return c
		}
	}
	t.Fatalf("no check %q in %+v", name, checks)
	return Check{}
}

// refused returns the checks of a refusal.
func refused(t *testing.T, err error) []Check {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("error %v, want a refusal", err)
	}
	return r.Checks
}
