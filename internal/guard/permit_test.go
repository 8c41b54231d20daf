package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// permit inspects and claims.
func (b *bench) permit(t *testing.T, op Operation) *Permit {
	t.Helper()
	c := b.inspect(t, op)
	p, err := c.Claim(t.Context(), script(c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		b.leaks(t)
	})
	return p
}

func TestSubmit(t *testing.T) {
	b := newBench(t, "nand-modern")
	op := formatOp(1)
	p := b.permit(t, op)
	var order []string
	b.edit(identify(nvme.CNSController), func([]byte) { order = append(order, "identify") })
	next := b.behind
	b.behind = nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		if cmd.Opcode == nvme.AdminFormatNVM {
			order = append(order, "send")
			if end, ok := ctx.Deadline(); !ok || time.Until(end) > op.Timeout || time.Until(end) < op.Timeout/2 {
				t.Errorf("deadline %v, %t, want one in %v", end, ok, op.Timeout)
			}
		}
		return next.Submit(ctx, cmd)
	})
	done, err := p.Submit(t.Context(), nvme.FormatNVM{NSID: 1, SES: nvme.SecureEraseUserData}.Command(), func() error {
		order = append(order, "arm")
		return nil
	})
	if err != nil || !done.Status.OK() {
		t.Fatal(done, err)
	}
	if diff := cmp.Diff([]string{"identify", "arm", "send"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(op.Commands, b.sent()); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	// A second time takes a new permit.
	_, err = p.Submit(t.Context(), &op.Commands[0], nil)
	if got := failed(refused(t, err)); got[0] != "command refuse" {
		t.Errorf("refused %q", got)
	}
	if len(b.sent()) != 1 {
		t.Errorf("sent %v, want one command", b.sent())
	}
}

// TestSubmitOther tries everything that is close to the command of the permit.
func TestSubmitOther(t *testing.T) {
	b := newBench(t, "nand-modern?namespaces=2")
	p := b.permit(t, formatOp(1))
	for name, change := range map[string]func(c *nvme.Command){
		"opcode":    func(c *nvme.Command) { c.Opcode = nvme.AdminSanitize },
		"queue":     func(c *nvme.Command) { c.Queue = nvme.IOQueue },
		"nsid":      func(c *nvme.Command) { c.NSID = 2 },
		"broadcast": func(c *nvme.Command) { c.NSID = nvme.BroadcastNSID },
		"cdw2":      func(c *nvme.Command) { c.CDW2 = 1 },
		"cdw3":      func(c *nvme.Command) { c.CDW3 = 1 },
		"lbaf":      func(c *nvme.Command) { c.CDW10 |= 1 },
		"cdw11":     func(c *nvme.Command) { c.CDW11 = 1 },
		"cdw12":     func(c *nvme.Command) { c.CDW12 = 1 },
		"cdw13":     func(c *nvme.Command) { c.CDW13 = 1 },
		"cdw14":     func(c *nvme.Command) { c.CDW14 = 1 },
		"cdw15":     func(c *nvme.Command) { c.CDW15 = 1 },
		"data":      func(c *nvme.Command) { c.Data = make([]byte, 512) },
		"metadata":  func(c *nvme.Command) { c.Metadata = make([]byte, 8) },
		"read":      func(c *nvme.Command) { *c = *nvme.Identify{CNS: nvme.CNSController}.Command(make([]byte, 4096)) },
	} {
		cmd := formatOp(1).Commands[0]
		change(&cmd)
		armed := false
		_, err := p.Submit(t.Context(), &cmd, func() error { armed = true; return nil })
		if got := failed(refused(t, err)); len(got) != 1 || got[0] != "command refuse" {
			t.Errorf("%s: refused %q", name, got)
		}
		if armed {
			t.Errorf("%s: was armed", name)
		}
	}
	b.nothing(t)
}

// TestSubmitStopped has something that comes between the claim and the command.
// The command can be tried again afterwards.
func TestSubmitStopped(t *testing.T) {
	other, err := sim.Open("nand-modern?serial=OTHER")
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name    string
		ctx     context.Context
		prepare func(b *bench)
		arm     func() error
		want    error
		refused string
	}{
		{"swapped", t.Context(), func(b *bench) { b.behind = other }, nil, nil, "changed refuse"},
		{"resized", t.Context(), func(b *bench) { b.edit(identify(nvme.CNSNamespace), fill(0, 1)) }, nil, nil, "changed refuse"},
		{"gone", t.Context(), func(b *bench) { b.fail(identify(nvme.CNSController), fs.ErrNotExist) }, nil, fs.ErrNotExist, ""},
		{"ended", ended, func(*bench) {}, nil, context.Canceled, ""},
		{"not armed", t.Context(), func(*bench) {}, func() error { return boom }, boom, ""},
	}
	for _, tt := range tests {
		b := newBench(t, "nand-modern")
		op := formatOp(1)
		p := b.permit(t, op)
		behind := b.behind
		tt.prepare(b)
		_, err := p.Submit(tt.ctx, &op.Commands[0], tt.arm)
		if tt.refused != "" {
			if got := failed(refused(t, err)); got[0] != tt.refused {
				t.Errorf("%s: refused %q, want %q", tt.name, got, tt.refused)
			}
		} else if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		b.nothing(t)
		b.behind = behind
		if _, err := p.Submit(t.Context(), &op.Commands[0], nil); err != nil || len(b.sent()) != 1 {
			t.Errorf("%s: afterwards: %v, sent %v", tt.name, err, b.sent())
		}
	}
}

// TestSubmitArmed sends although the context ends while the command is armed.
func TestSubmitArmed(t *testing.T) {
	b := newBench(t, "nand-modern")
	op := formatOp(1)
	p := b.permit(t, op)
	ctx, cancel := context.WithCancel(t.Context())
	done, err := p.Submit(ctx, &op.Commands[0], func() error { cancel(); return nil })
	if err != nil || !done.Status.OK() || len(b.sent()) != 1 {
		t.Errorf("%v, %v, sent %v", done, err, b.sent())
	}
}

// TestSubmitList sends each command as often as it stands in the list.
func TestSubmitList(t *testing.T) {
	b := newBench(t, "nand-modern?namespaces=2")
	op := formatOp(1)
	op.Commands = append(op.Commands, *nvme.FormatNVM{NSID: 2}.Command(), op.Commands[0])
	p := b.permit(t, op)
	for i := range op.Commands {
		if _, err := p.Submit(t.Context(), &op.Commands[i], nil); err != nil {
			t.Errorf("command %d: %v", i, err)
		}
	}
	for i := range op.Commands {
		if _, err := p.Submit(t.Context(), &op.Commands[i], nil); err == nil {
			t.Errorf("command %d was sent once more", i)
		}
	}
	if got := len(b.sent()); got != len(op.Commands) {
		t.Errorf("%d commands were sent, want %d", got, len(op.Commands))
	}
}

// TestSubmitData lets data go with a command that transfers them.
func TestSubmitData(t *testing.T) {
	b := newBench(t, "nand-modern")
	p := b.permit(t, firmwareOp())
	cmd := firmwareOp().Commands[0]
	cmd.Data = make([]byte, 4096)
	if done, err := p.Submit(t.Context(), &cmd, nil); err != nil || !done.Status.OK() {
		t.Errorf("%v, %v", done, err)
	}
	if sent := b.sent(); len(sent) != 1 || len(sent[0].Data) != 4096 {
		t.Errorf("sent %v", sent)
	}
}

// TestSubmitIO sends an I/O command through the device of its namespace, or
// not at all.
func TestSubmitIO(t *testing.T) {
	zeroes := func(nsid nvme.NSID) nvme.Command {
		return nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IOWriteZeroes, NSID: nsid}
	}
	b := newBench(t, "nand-modern?namespaces=3")
	op := Operation{Name: "overwrite", Timeout: time.Minute, Commands: []nvme.Command{zeroes(2), zeroes(3)}}
	p := b.permit(t, op)
	for i := range op.Commands {
		if h := p.carrier(&op.Commands[i]); h.member.NSID != op.Commands[i].NSID {
			t.Errorf("namespace %d: carried by %s", op.Commands[i].NSID, h.device)
		}
		if done, err := p.Submit(t.Context(), &op.Commands[i], nil); err != nil || !done.Status.OK() {
			t.Errorf("%v, %v", done, err)
		}
	}
	b = newBench(t, "nand-modern")
	op = Operation{Name: "flush", Timeout: time.Minute, KeepsData: true, Commands: []nvme.Command{{Queue: nvme.IOQueue, Opcode: nvme.IOFlush, NSID: 1}}}
	p = b.permit(t, op)
	_, err := p.Submit(t.Context(), &op.Commands[0], nil)
	if got := failed(refused(t, err)); got[0] != "command refuse" {
		t.Errorf("refused %q", got)
	}
	b.nothing(t)
}

func TestMedium(t *testing.T) {
	block := make([]byte, 512)
	b := newBench(t, "nand-modern?namespaces=2&fna=1")
	b.contents["nvme0n2"] = ""
	p := b.permit(t, formatOp(1))
	m := p.Medium(2)
	if n, err := m.ReadAt(block, 0); n != 512 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	if n, err := m.WriteAt(block, 0); n != 512 || err != nil || b.writes != 1 {
		t.Errorf("write %d, %v, %d writes", n, err, b.writes)
	}
	if p.Medium(3) != nil {
		t.Error("a medium of a namespace that is not claimed")
	}
	// An operation that does not write.
	op := formatOp(1)
	op.Writes = false
	b = newBench(t, "nand-modern")
	m = b.permit(t, op).Medium(1)
	if _, err := m.WriteAt(block, 0); !errors.Is(err, ErrReadOnly) {
		t.Errorf("write: %v, want %v", err, ErrReadOnly)
	}
	if _, err := m.ReadAt(block, 0); err != nil {
		t.Errorf("read: %v", err)
	}
	b.nothing(t)
}

// TestPassthru reads, and does nothing else.
func TestPassthru(t *testing.T) {
	b := newBench(t, "nand-modern")
	op := formatOp(1)
	p := b.permit(t, op)
	if _, err := nvme.NewController(p.Passthru()).SMARTLog(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := p.Passthru().Submit(t.Context(), &op.Commands[0]); !errors.Is(err, nvme.ErrWouldModify) {
		t.Errorf("format: %v, want %v", err, nvme.ErrWouldModify)
	}
	b.nothing(t)
}

// TestClosed uses a permit that was given back.
func TestClosed(t *testing.T) {
	b := newBench(t, "nand-modern")
	op := formatOp(1)
	p := b.permit(t, op)
	m, pass := p.Medium(1), p.Passthru()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	block := make([]byte, 512)
	_, submit := p.Submit(t.Context(), &op.Commands[0], nil)
	_, through := pass.Submit(t.Context(), nvme.Identify{CNS: nvme.CNSController}.Command(make([]byte, 4096)))
	_, read := m.ReadAt(block, 0)
	_, write := m.WriteAt(block, 0)
	for name, err := range map[string]error{"submit": submit, "passthru": through, "read": read, "write": write, "refresh": p.Refresh()} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v, want %v", name, err, fs.ErrClosed)
		}
	}
	b.nothing(t)
}

// TestRefresh tells what failed.
func TestRefresh(t *testing.T) {
	b := newBench(t, "nand-modern")
	p := b.permit(t, formatOp(1))
	b.refreshErr = errors.New("busy")
	if err := p.Refresh(); !errors.Is(err, b.refreshErr) {
		t.Errorf("%v, want %v", err, b.refreshErr)
	}
}

// file is a device that is an open file.
type file struct {
	*device
	path string
}

func (f file) Duplicate() (*os.File, error) { return os.OpenFile(f.path, os.O_RDWR, 0) }

func TestDescriptor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "namespace")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	writing := Operation{Name: "bench", Namespaces: []nvme.NSID{1}, Writes: true}
	b := newBench(t, "optane-905p")
	if _, err := b.permit(t, writing).Descriptor(t.Context(), 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("of a claim that is no file: %v, want %v", err, errors.ErrUnsupported)
	}

	b = newBench(t, "optane-905p")
	b.file = path
	p := b.permit(t, writing)
	f, err := p.Descriptor(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("x"); err != nil || f.Close() != nil {
		t.Errorf("write: %v", err)
	}
	if f, err := p.Descriptor(t.Context(), 2); f != nil || err == nil {
		t.Errorf("of a namespace that was not claimed: %v, %v, want an error", f, err)
	}
	b.edit(identify(nvme.CNSController), func(page []byte) { copy(page[4:], "ANOTHER00000") })
	var refused *Refusal
	if f, err := p.Descriptor(t.Context(), 1); f != nil || !errors.As(err, &refused) {
		t.Errorf("of a drive that was swapped: %v, %v, want a refusal", f, err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err := p.Descriptor(t.Context(), 1); f != nil || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("of a permit that was given back: %v, %v, want %v", f, err, fs.ErrClosed)
	}

	b = newBench(t, "optane-905p")
	b.file = path
	op := formatOp(1)
	op.Writes = false
	if f, err := b.permit(t, op).Descriptor(t.Context(), 1); f != nil || !errors.Is(err, ErrReadOnly) {
		t.Errorf("for an operation that does not write to the medium: %v, %v, want %v", f, err, ErrReadOnly)
	}
}

// TestAbortsSelfTest checks that a test that is running stands in the way of all
// but its abort.
func TestAbortsSelfTest(t *testing.T) {
	b := newBench(t, "nand-modern")
	b.edit(logPage(nvme.LIDSelfTest), fill(0, 1, 40))
	c, err := Inspect(t.Context(), b.on(t), selfTestOp(0xF))
	if err != nil {
		t.Fatal(err)
	}
	if check := find(t, c.Judge(script(c)), checkSelfTest); check.Result != Pass || !strings.Contains(check.Text, "is to be aborted") {
		t.Errorf("check %+v, want it passed", check)
	}
	p, err := c.Claim(t.Context(), script(c))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Submit(t.Context(), &c.op.Commands[0], nil); err != nil {
		t.Fatal(err)
	}
	if sent := b.sent(); len(sent) != 1 || sent[0].CDW10 != 0xF {
		t.Errorf("sent %v, want the abort alone", sent)
	}
}
