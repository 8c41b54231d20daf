package erase

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// rig is a simulated drive in a computer of the test's making, with a journal
// and a clock that the job's waiting drives.
type rig struct {
	t     *testing.T
	drive *sim.Drive
	store *journal.Store
	// behind answers instead of the drive, if it is not nil and says so.
	behind func(ctx context.Context, cmd *nvme.Command) (cpl nvme.Completion, err error, answered bool)
	// refresh is the error of looking again; live is the controller's state.
	refresh error
	live    string
	// oldBlocks is how often the kernel still says that blocks have 512 bytes, after
	// which it says newBlocks, 0 for nothing.
	oldBlocks, newBlocks int
	// swallows says that writes change nothing; unreadable is where reads fail,
	// 0 for nowhere.
	swallows   bool
	unreadable int64

	mu        sync.Mutex
	clock     time.Time
	sent      []nvme.Command
	deadlines []time.Duration
	writes    int
	events    []Event
}

// small is the 905P with a medium that can be read whole, and nothing that takes
// time.
const small = "optane-905p?size=8388608&speed=1000000"

func newRig(t *testing.T, profile string) *rig {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return &rig{
		t: t, drive: d, store: journal.Open(t.TempDir()), live: "live",
		clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clock
}

// wait lets the clock run, and the drive a little.
func (r *rig) wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	time.Sleep(20 * time.Microsecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock = r.clock.Add(d)
	return nil
}

// Submit is the drive as everybody sees it.
func (r *rig) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	reads := []uint8{nvme.AdminIdentify, nvme.AdminGetLogPage, nvme.AdminGetFeatures, nvme.AdminSecurityReceive}
	if cmd.Queue != nvme.AdminQueue || !slices.Contains(reads, cmd.Opcode) {
		r.mu.Lock()
		r.sent = append(r.sent, *cmd)
		if deadline, ok := ctx.Deadline(); ok {
			r.deadlines = append(r.deadlines, time.Until(deadline).Round(time.Minute))
		}
		r.mu.Unlock()
	}
	if r.behind != nil {
		if cpl, err, answered := r.behind(ctx, cmd); answered {
			return cpl, err
		}
	}
	return r.drive.Submit(ctx, cmd)
}

func (r *rig) Sysfs() fs.FS { return sysfs.Map(r.drive.Sysfs()) }

func (r *rig) Survey(context.Context, []string) (*inuse.Survey, error) { return &inuse.Survey{}, nil }

func (r *rig) Power() []guard.Check { return nil }

func (r *rig) Open(string) (guard.BlockReader, error) { return &node{r}, nil }

func (r *rig) openNamespace(nvme.NSID) (guard.BlockReader, error) { return &node{r}, nil }

func (r *rig) Claim(string) (guard.Claim, error) { return &node{r}, nil }

// node is the block device of the drive.
type node struct{ r *rig }

func (n *node) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	return n.r.Submit(ctx, cmd)
}

func (n *node) ReadAt(p []byte, off int64) (int, error) {
	if at := n.r.unreadable; at != 0 && off <= at && at < off+int64(len(p)) {
		return 0, syscall.EIO
	}
	return n.r.drive.ReadAt(p, off)
}

func (n *node) WriteAt(p []byte, off int64) (int, error) {
	n.r.mu.Lock()
	n.r.writes++
	n.r.mu.Unlock()
	if n.r.swallows {
		return len(p), nil
	}
	return n.r.drive.WriteAt(p, off)
}

func (n *node) Refresh() error { return n.r.refresh }

func (n *node) BlockBytes() (int, error) {
	if n.r.oldBlocks == 0 {
		return n.r.newBlocks, nil
	}
	n.r.oldBlocks--
	return 512, nil
}

func (n *node) Close() error { return nil }

// facts reads what the choice needs.
func (r *rig) facts() Facts {
	r.t.Helper()
	c := nvme.NewController(r)
	id, err := c.Identify(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	f := Facts{Controller: id, Model: drivedb.Lookup(id.ModelNumber.String())}
	list, err := c.ActiveNamespaces(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, nsid := range list {
		n, err := c.IdentifyNamespace(r.t.Context(), nsid)
		if err != nil {
			r.t.Fatal(err)
		}
		f.Namespaces = append(f.Namespaces, Namespace{nsid, n})
	}
	if id.SANICAP != 0 {
		if f.Sanitize, err = c.SanitizeLog(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
	}
	return f
}

// deps inspects the drive for a request and agrees to everything.
func (r *rig) deps(request Request) *Deps {
	r.t.Helper()
	m, err := Choose(r.facts(), request)
	if err != nil {
		r.t.Fatal(err)
	}
	host, err := sysfs.Read(r.Sysfs(), "nvme0")
	if err != nil {
		r.t.Fatal(err)
	}
	c, err := guard.Inspect(r.t.Context(), &guard.Drive{Passthru: r, Controller: host, Simulated: true, Host: r}, m.Operation())
	if err != nil {
		r.t.Fatal(err)
	}
	a := &guard.Agreement{Serial: c.Identity.Serial, Phrase: c.Phrase()}
	for _, member := range c.Radius {
		for _, s := range member.Signatures {
			a.Destroy = append(a.Destroy, signature.Kind(s.Kind))
		}
	}
	return &Deps{
		Tool: Tool{"qd1", "test"}, Case: c, Agreement: a, Method: m, Journal: r.store, Prover: &prover{},
		Now: r.now, Wait: r.wait, Open: r.openNamespace, ControllerState: func() string { return r.live },
		Observe: func(e Event) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, e)
		},
	}
}

// commands returns what was sent, but for reads.
func (r *rig) commands() []nvme.Command {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// record returns the only job of the journal.
func (r *rig) record() *journal.Record {
	r.t.Helper()
	list, faults := r.store.List()
	if len(faults) > 0 || len(list) != 1 {
		r.t.Fatalf("the journal has %d jobs, faults %v", len(list), faults)
	}
	return &list[0]
}

func states(j *journal.Record) []State {
	var all []State
	for _, e := range j.Entries {
		all = append(all, e.State)
	}
	return all
}

// prover compares every block of 4096 bytes with a digest of before.
type prover struct {
	onBefore, onAfter func()
	err               error
	befores, afters   int
}

func (p *prover) digests(media []Medium) ([][32]byte, error) {
	var all [][32]byte
	for _, m := range media {
		b := make([]byte, 4096)
		for at := int64(0); at < m.Bytes; at += 64 << 10 {
			if _, err := m.ReadAt(b, at); err != nil {
				return nil, err
			}
			all = append(all, sha256.Sum256(b))
		}
	}
	return all, nil
}

func (p *prover) Before(ctx context.Context, media []Medium, progress func(done, total int64)) ([]byte, error) {
	p.befores++
	if p.onBefore != nil {
		p.onBefore()
	}
	if p.err != nil {
		return nil, p.err
	}
	for _, m := range media {
		if _, err := m.WriteAt(bytes.Repeat([]byte("canary!!"), 512), 4096); err != nil {
			return nil, err
		}
	}
	progress(1, 2)
	all, err := p.digests(media)
	if err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

func (p *prover) After(ctx context.Context, media []Medium, kept []byte, command proof.Tier, progress func(done, total int64)) (*Verification, error) {
	p.afters++
	if p.onAfter != nil {
		p.onAfter()
	}
	if p.err != nil {
		return nil, p.err
	}
	v := skipped("not asked for")
	v.Command = command
	progress(1, 1)
	if kept == nil {
		return &v, nil
	}
	var before [][32]byte
	if err := json.Unmarshal(kept, &before); err != nil {
		return nil, err
	}
	now, err := p.digests(media)
	if err != nil {
		return nil, err
	}
	equal := 0
	for i := range now {
		if i < len(before) && before[i] == now[i] {
			equal++
		}
	}
	v.Comparison = proof.Tier{Verdict: proof.Pass, Text: fmt.Sprintf("%d of %d places are equal", equal, len(now))}
	if equal > 0 || len(now) == 0 {
		v.Comparison.Verdict = proof.Fail
	}
	return &v, nil
}

// answers returns a behind that gives one opcode an answer of its own.
func answers(opcode uint8, cpl nvme.Completion, err error) func(context.Context, *nvme.Command) (nvme.Completion, error, bool) {
	return func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		return cpl, err, cmd.Queue == nvme.AdminQueue && cmd.Opcode == opcode
	}
}
