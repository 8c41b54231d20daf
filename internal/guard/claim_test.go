package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

func TestClaim(t *testing.T) {
	tests := []struct {
		name, profile string
		op            Operation
		want          []string
	}{
		{"one namespace", "optane-905p", formatOp(1), []string{"nvme0n1"}},
		{"all namespaces", "nand-modern?namespaces=3&fna=1", formatOp(2), []string{"nvme0n1", "nvme0n2", "nvme0n3"}},
		{"one of three", "nand-modern?namespaces=3", formatOp(2), []string{"nvme0n2"}},
		{"keeps the data", "nand-modern?namespaces=3", firmwareOp(), []string{"nvme0"}},
	}
	for _, tt := range tests {
		for _, agree := range []func(*Case) *Agreement{script, person} {
			b := newBench(t, tt.profile)
			b.nsids = map[string]nvme.NSID{"nvme0n1": 1, "nvme0n2": 2, "nvme0n3": 3}
			c := b.inspect(t, tt.op)
			p, err := c.Claim(t.Context(), agree(c))
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if diff := cmp.Diff(tt.want, b.claimed); diff != "" {
				t.Errorf("%s: claimed (-want +got):\n%s", tt.name, diff)
			}
			b.nothing(t)
			if err := errors.Join(p.Refresh(), p.Close(), p.Close()); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			b.leaks(t)
		}
	}
}

// TestClaimCharacter claims a character device where there is no other.
func TestClaimCharacter(t *testing.T) {
	for _, tt := range []struct {
		node string
		keep bool
	}{{"ng0n1", true}, {"nvme0", false}} {
		b := newBench(t, "nand-modern")
		b.text("nvme0n1/hidden", "1")
		for name := range b.texts {
			if strings.HasSuffix(name, "/nvme0n1/nsid") {
				b.texts[strings.TrimSuffix(name, "nsid")+"hidden"] = "1\n"
			}
			if !tt.keep && strings.Contains(name, "/ng0n1/") {
				delete(b.texts, name)
			}
		}
		c := b.inspect(t, formatOp(1))
		p, err := c.Claim(t.Context(), script(c))
		if err != nil {
			t.Errorf("%s: %v", tt.node, err)
			continue
		}
		if diff := cmp.Diff([]string{tt.node}, b.claimed); diff != "" {
			t.Errorf("claimed (-want +got):\n%s", diff)
		}
		if m := p.Medium(1); m != nil {
			t.Errorf("%s: medium %v of a namespace without block device", tt.node, m)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClaimConsent destroys what was consented to, by kind.
func TestClaimConsent(t *testing.T) {
	b := newBench(t, "optane-905p")
	b.contents["nvme0n1"] = "gpt 0 -\next 1 backup\next 2 photos\n"
	c := b.inspect(t, formatOp(1))
	a := script(c)
	a.Destroy = []signature.Kind{signature.Ext, signature.GPT}
	for _, check := range c.Judge(a) {
		if check.Check == checkSignatures && (check.Result != Pass || !check.Warning || !strings.HasSuffix(check.Text, "as agreed")) {
			t.Errorf("check %+v, want a pass that says what is lost", check)
		}
	}
	p, err := c.Claim(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestClaimChanged changes something between Inspect and Claim.
func TestClaimChanged(t *testing.T) {
	other, err := sim.Open("optane-905p-used")
	if err != nil {
		t.Fatal(err)
	}
	twin, err := sim.Open("optane-905p?size=1073741824")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(b *bench)
		want   string
		says   string
	}{
		{"another drive", func(b *bench) { b.behind = other }, "changed refuse", "nvme0n1 is now another drive: INTEL SSDPE21D960GA, serial number QD1SIM905PUSED000001"},
		{"a drive of the same serial and another size", func(b *bench) { b.behind = twin }, "changed refuse", "it has 1 073 741 824 bytes"},
		{"another drive, in sysfs too", func(b *bench) { b.behind = other; b.texts, b.links = other.Sysfs() }, "changed refuse", "now another drive"},
		{"another drive in sysfs", func(b *bench) { b.texts, b.links = other.Sysfs() }, "identity refuse", "not the same drive"},
		{"another vendor", func(b *bench) { b.edit(identify(nvme.CNSController), fill(0, 0x34, 0x12)) }, "changed refuse", "now another drive"},
		{"another NGUID", func(b *bench) { b.edit(identify(nvme.CNSNamespace), fill(104, 1, 2, 3)) }, "changed refuse", "nvme0n1 is not what it was"},
		{"another node", func(b *bench) { b.nsids = map[string]nvme.NSID{"nvme0n1": 2} }, "changed refuse", "nvme0n1 is now namespace 2"},
		{"other firmware", func(b *bench) {
			b.edit(identify(nvme.CNSController), fill(64, []byte("E9999999")...))
		}, "changed refuse", "its identity was"},
		{"a mount", func(b *bench) { b.use(inuse.Mount, "nvme0n1", "/srv") }, "in use refuse", "nvme0n1 is used as mount /srv"},
		{"a new signature", func(b *bench) { b.contents["nvme0n1"] = "zfs 0 tank\n" }, "signatures consent", "tank"},
		{"a partition", func(b *bench) {
			for name := range b.texts {
				if strings.HasSuffix(name, "/nvme0n1/nsid") {
					b.texts[strings.TrimSuffix(name, "nsid")+"nvme0n1p1/partition"] = "1\n"
				}
			}
		}, "changed refuse", "nvme0n1 has changed"},
		{"a reset", func(b *bench) { b.text("nvme0/state", "resetting") }, "controller refuse", "resetting"},
		{"heat", func(b *bench) { b.edit(logPage(nvme.LIDSMART), fill(0, 8)) }, "health refuse", "read-only"},
		{"the controller is gone", func(b *bench) { delete(b.links, "class/nvme/nvme0"); b.texts = nil }, "controller refuse", "does not show the controller"},
		{"a shutdown", func(b *bench) { b.power = []Check{refuse("power", "", "going down")} }, "power refuse", "going down"},
	}
	for _, tt := range tests {
		b := newBench(t, "optane-905p")
		c := b.inspect(t, formatOp(1))
		tt.change(b)
		p, err := c.Claim(t.Context(), script(c))
		if p != nil {
			t.Errorf("%s: a permit was given", tt.name)
		}
		if got := failed(refused(t, err)); len(got) == 0 || got[0] != tt.want {
			t.Errorf("%s: refused %q, want %q", tt.name, got, tt.want)
		}
		if !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.says)
		}
		b.nothing(t)
		b.leaks(t)
	}
}

// TestClaimChangedSignature changes what lies there within the kinds that were
// agreed to.
func TestClaimChangedSignature(t *testing.T) {
	b := newBench(t, "optane-905p")
	b.contents["nvme0n1"] = "ext 0 scratch\n"
	c := b.inspect(t, formatOp(1))
	b.contents["nvme0n1"] = "ext 0 photos\n"
	a := script(c)
	a.Destroy = []signature.Kind{signature.Ext}
	_, err := c.Claim(t.Context(), a)
	if text := refused(t, err)[0].Text; !strings.Contains(text, "what lies on nvme0n1 has changed") {
		t.Errorf("refused %q", text)
	}
	b.nothing(t)
	b.leaks(t)
}

// TestClaimOwn does not count what this process has open itself.
func TestClaimOwn(t *testing.T) {
	b := newBench(t, "optane-905p")
	b.survey.Uses = []inuse.Use{{Kind: inuse.OpenFile, Device: "nvme0n1", PID: os.Getpid(), Text: "own"}}
	c := b.inspect(t, formatOp(1))
	p, err := c.Claim(t.Context(), script(c))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	b.survey.Uses[0].Kind = inuse.Mount
	if got := failed(b.inspect(t, formatOp(1)).Judge(nil)); len(got) != 1 {
		t.Errorf("a mount of this process: %q, want a refusal", got)
	}
}

// TestClaimTaken has another who was faster.
func TestClaimTaken(t *testing.T) {
	taken := map[string]error{"nvme0n2": ErrInUse}
	tests := []struct {
		name    string
		prepare func(b *bench)
		says    string
	}{
		{"somebody", func(b *bench) { b.use(inuse.ZFS, "nvme0n2", "tank") }, "nvme0n2 could not be claimed: nvme0n2 is used as zfs tank"},
		{"nobody", func(*bench) {}, "could not be found out who has it"},
		{"no survey", func(b *bench) { b.surveyErr = errors.New("no /proc") }, "could not be found out who has it"},
	}
	for _, tt := range tests {
		b := newBench(t, "nand-modern?namespaces=3&fna=1")
		c := b.inspect(t, formatOp(1))
		b.claimErr = taken
		tt.prepare(b)
		_, err := c.Claim(t.Context(), script(c))
		if diff := cmp.Diff([]string{"in use refuse"}, failed(refused(t, err))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.says)
		}
		b.nothing(t)
		b.leaks(t)
	}
}

// TestClaimFails has a host that cannot do what it is asked for.
func TestClaimFails(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name    string
		prepare func(b *bench)
		want    error
	}{
		{"claim", func(b *bench) { b.claimErr = map[string]error{"nvme0n1": fs.ErrPermission} }, fs.ErrPermission},
		{"identify", func(b *bench) { b.fail(identify(nvme.CNSController), boom) }, boom},
		{"identify the namespace", func(b *bench) { b.fail(identify(nvme.CNSNamespace), boom) }, boom},
		{"survey", func(b *bench) { b.surveyErr = boom }, boom},
		{"no survey", func(b *bench) { b.survey = nil }, errNoSurvey},
		{"close", func(b *bench) { b.use(inuse.Mount, "nvme0n1", "/"); b.closeErr = boom }, boom},
		{"kernel", func(b *bench) { b.nsids = map[string]nvme.NSID{"nvme0n1": 0} }, nil},
	}
	for _, tt := range tests {
		b := newBench(t, "optane-905p")
		c := b.inspect(t, formatOp(1))
		tt.prepare(b)
		p, err := c.Claim(t.Context(), script(c))
		if p != nil || err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, %v, want %v", tt.name, p, err, tt.want)
		}
		b.nothing(t)
		b.leaks(t)
	}
}

// TestInspectFails cannot look at the drive at all.
func TestInspectFails(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name    string
		prepare func(b *bench)
		op      Operation
		want    error
	}{
		{"identify", func(b *bench) { b.fail(identify(nvme.CNSController), boom) }, formatOp(1), boom},
		{"identify the namespace", func(b *bench) { b.fail(identify(nvme.CNSNamespace), boom) }, formatOp(1), boom},
		{"list", func(b *bench) { b.fail(identify(nvme.CNSActiveNamespaces), boom) }, formatOp(1), boom},
		{"survey", func(b *bench) { b.surveyErr = boom }, formatOp(1), boom},
		{"no name", func(*bench) {}, Operation{Writes: true}, ErrOperation},
		{"nothing to do", func(*bench) {}, Operation{Name: "erase"}, ErrOperation},
		{"no time", func(*bench) {}, Operation{Name: "erase", Commands: sanitizeOp().Commands}, ErrOperation},
		{"data", func(*bench) {}, Operation{Name: "erase", Timeout: 1, Commands: []nvme.Command{{Data: []byte{1}}}}, ErrOperation},
		{"keeps and writes", func(*bench) {}, Operation{Name: "erase", Writes: true, KeepsData: true}, ErrOperation},
		{"keeps and erases", func(*bench) {}, Operation{Name: "erase", Timeout: 1, KeepsData: true, Commands: sanitizeOp().Commands}, ErrOperation},
		{"keeps and is not known", func(*bench) {}, Operation{Name: "erase", Timeout: 1, KeepsData: true, Commands: []nvme.Command{{Opcode: 0xC1}}}, ErrOperation},
	}
	for _, tt := range tests {
		b := newBench(t, "nand-modern")
		tt.prepare(b)
		if c, err := b.tryInspect(t, tt.op); c != nil || !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, %v, want %v", tt.name, c, err, tt.want)
		}
		b.nothing(t)
		b.leaks(t)
	}
}

// TestInterrupted ends the context at each thing that reaches a device, from
// the first read to the command: nothing is sent, and nothing stays open. Once
// the command is armed it goes.
func TestInterrupted(t *testing.T) {
	op := formatOp(1)
	done := false
	for k := 0; !done; k++ {
		if k > 200 {
			t.Fatal("never got through")
		}
		b := newBench(t, "nand-modern?namespaces=2&fna=1")
		ctx, cancel := context.WithCancel(t.Context())
		left := k
		tick := func() {
			if left == 0 {
				cancel()
			}
			left--
		}
		next := b.behind
		b.behind = nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
			tick()
			return next.Submit(context.WithoutCancel(ctx), cmd)
		})
		b.onClaim = func(string) { tick() }
		armed := false
		err := func() error {
			c, err := inspect(ctx, b.on(t), op, eyes{passthru: b, open: b.Open, scan: textScan})
			if err != nil {
				return err
			}
			p, err := c.Claim(ctx, script(c))
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				t.Errorf("step %d: a permit after the context ended", k)
			}
			_, err = p.Submit(ctx, &op.Commands[0], func() error { armed = ctx.Err() == nil; return nil })
			return errors.Join(err, p.Close())
		}()
		done = err == nil
		if done != armed || done != (len(b.sent()) == 1) {
			t.Errorf("step %d: error %v, armed %t, sent %v", k, err, armed, b.sent())
		}
		if !done && !errors.Is(err, context.Canceled) {
			t.Errorf("step %d: %v, want %v", k, err, context.Canceled)
		}
		b.leaks(t)
		cancel()
	}
}

// crossedBench has two drives whose controllers and namespaces have crossed
// numbers: nvme1n1 belongs to nvme0.
func crossedBench(t *testing.T) (b *bench, other *sim.Drive) {
	t.Helper()
	b = newBench(t, "optane-905p")
	other, err := sim.Open("optane-905p-used")
	if err != nil {
		t.Fatal(err)
	}
	texts, links := other.Sysfs()
	rename := func(in map[string]string, swap *strings.Replacer) map[string]string {
		out := map[string]string{}
		for name, value := range in {
			out[swap.Replace(name)] = swap.Replace(value)
		}
		return out
	}
	own := strings.NewReplacer("nvme0n1", "nvme1n1")
	theirs := strings.NewReplacer("nvme0n1", "nvme0n1", "nvme0", "nvme1", "ng0", "ng1", "nvme-subsys0", "nvme-subsys1",
		"0000:00:06.0", "0000:00:07.0", "0000:01:00.0", "0000:02:00.0", "241:0", "241:1", "259:0", "259:1", "240:0", "240:1")
	b.texts, b.links = rename(b.texts, own), rename(b.links, own)
	for name, text := range rename(texts, theirs) {
		b.texts[name] = text
	}
	for name, link := range rename(links, theirs) {
		b.links[name] = link
	}
	return b, other
}

// TestCrossedNumbers does not take a number for a drive.
func TestCrossedNumbers(t *testing.T) {
	b, other := crossedBench(t)
	c := b.inspect(t, formatOp(1))
	if diff := cmp.Diff([]string{"nvme1n1 1 nvme0: named"}, reached(c)); diff != "" {
		t.Errorf("radius (-want +got):\n%s", diff)
	}
	p, err := c.Claim(t.Context(), script(c))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"nvme1n1"}, b.claimed); diff != "" {
		t.Errorf("claimed (-want +got):\n%s", diff)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	// The other drive behind the controller of this name is refused.
	b.behind = other
	c = b.inspect(t, formatOp(1))
	_, err = c.Claim(t.Context(), script(c))
	if got := failed(refused(t, err)); len(got) != 1 || got[0] != "identity refuse" {
		t.Errorf("refused %q", got)
	}
	b.nothing(t)
	b.leaks(t)
}

// TestOldController has a caller whose picture of the host is old.
func TestOldController(t *testing.T) {
	b := newBench(t, "optane-905p")
	d := b.on(t)
	d.Controller = &sysfs.Controller{Name: "nvme0", Serial: "OLD", Model: "OLD MODEL"}
	c, err := inspect(t.Context(), d, formatOp(1), eyes{passthru: b, open: b.Open, scan: textScan})
	if err != nil {
		t.Fatal(err)
	}
	if check := find(t, c.Judge(nil), checkIdentity); check.Result != Refuse || !strings.Contains(check.Text, "nvme0 was OLD MODEL OLD and is now") {
		t.Errorf("check %+v", check)
	}
}
