package guard

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/nvme"
)

// refusal is a case in which nothing may be sent.
type refusalTest struct {
	name    string
	profile string
	// prepare changes the drive and its computer before the inspection.
	prepare func(t *testing.T, b *bench)
	op      *Operation
	// agree changes the agreement of a script.
	agree func(a *Agreement)
	// want are the checks that do not pass, and says what must be said.
	want []string
	says string
}

func (tt *refusalTest) run(t *testing.T) {
	profile := tt.profile
	if profile == "" {
		profile = "nand-modern"
	}
	b := newBench(t, profile)
	if tt.prepare != nil {
		tt.prepare(t, b)
	}
	op := formatOp(1)
	if tt.op != nil {
		op = *tt.op
	}
	c := b.inspect(t, op)
	before := len(b.sent()) // What prepare sent.
	a := script(c)
	if tt.agree != nil {
		tt.agree(a)
	}
	p, err := c.Claim(t.Context(), a)
	if p != nil {
		t.Error("a permit was given")
	}
	checks := refused(t, err)
	if diff := cmp.Diff(tt.want, failed(checks)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if text := err.Error(); !strings.Contains(text, tt.says) {
		t.Errorf("error %q, want %q in it", text, tt.says)
	}
	for _, c := range checks {
		if c.Text == "" || strings.Contains(c.Text, "%!") || strings.Contains(c.Hint, "%") {
			t.Errorf("check %+v has no proper text", c)
		}
	}
	if got := len(b.sent()); got != before {
		t.Errorf("%d commands were sent: %v", got-before, b.sent()[before:])
	}
	if b.writes != 0 || len(b.claimed) != 0 {
		t.Errorf("%d writes, claimed %q, want none", b.writes, b.claimed)
	}
	b.leaks(t)
}

func runAll(t *testing.T, tests []refusalTest) {
	t.Helper()
	for i := range tests {
		t.Run(tests[i].name, tests[i].run)
	}
}

func TestRefusesUse(t *testing.T) {
	var tests []refusalTest
	for _, kind := range []inuse.Kind{
		inuse.Mount, inuse.Swap, inuse.Hibernation, inuse.MD, inuse.LVM, inuse.Crypt, inuse.Multipath, inuse.DM, inuse.Bcache, inuse.DRBD,
		inuse.Loop, inuse.NVMet, inuse.LIO, inuse.ZFS, inuse.Btrfs, inuse.OpenFile, inuse.VFIO, inuse.Holder,
	} {
		tests = append(tests, refusalTest{
			name: string(kind), want: []string{"in use refuse"}, says: "nvme0n1 is used as " + string(kind) + " tank",
			prepare: func(_ *testing.T, b *bench) { b.use(kind, "nvme0n1", "tank") },
		})
	}
	tests = append(tests,
		refusalTest{
			name: "several at once", want: []string{"in use refuse", "in use refuse", "in use refuse"}, says: "nvme0 is used",
			prepare: func(_ *testing.T, b *bench) {
				b.use(inuse.Mount, "nvme0n1", "/srv")
				b.use(inuse.OpenFile, "ng0n1", "")
				b.use(inuse.OpenFile, "nvme0", "")
			},
		},
		refusalTest{
			name: "sibling under FNA bit 0", profile: "nand-modern?namespaces=3&fna=1", want: []string{"in use refuse"}, says: "nvme0n3 is used",
			prepare: func(_ *testing.T, b *bench) { b.use(inuse.Mount, "nvme0n3", "/home") },
		},
		refusalTest{
			name: "sibling under FNA bit 1", profile: "nand-modern?namespaces=3&fna=2", want: []string{"in use refuse"}, says: "nvme0n2 is used",
			prepare: func(_ *testing.T, b *bench) { b.use(inuse.Swap, "nvme0n2", "") },
		},
		refusalTest{
			name: "sibling of a sanitize", profile: "nand-modern?namespaces=3", want: []string{"in use refuse"}, says: "nvme0n2 is used",
			op: ptr(sanitizeOp()), prepare: func(_ *testing.T, b *bench) { b.use(inuse.MD, "nvme0n2", "md0") },
		},
		refusalTest{
			name: "not everything was seen", want: []string{"unchecked refuse"}, says: "open files of other users",
			prepare: func(_ *testing.T, b *bench) { b.survey.Unchecked = []string{"open files of other users"} },
		},
		refusalTest{
			name: "a use without words", want: []string{"in use refuse"}, says: "nvme0n1 is in use (open, process 7 dd)",
			prepare: func(_ *testing.T, b *bench) {
				b.survey.Uses = []inuse.Use{{Kind: inuse.OpenFile, Device: "nvme0n1", PID: 7, Process: "dd"}}
			},
		},
		refusalTest{
			name: "shutdown is scheduled", want: []string{"power refuse"}, says: "going down",
			prepare: func(_ *testing.T, b *bench) { b.power = []Check{refuse("power", "", "the computer is going down")} },
		},
	)
	runAll(t, tests)
}

// TestSiblingAlone has the sibling in use that is not reached.
func TestSiblingAlone(t *testing.T) {
	b := newBench(t, "nand-modern?namespaces=3&fna=0")
	b.use(inuse.Mount, "nvme0n3", "/home")
	if got := failed(b.inspect(t, formatOp(1)).Judge(nil)); len(got) > 0 {
		t.Errorf("%q, want nothing against a format of namespace 1 alone", got)
	}
}

func TestRefusesSignatures(t *testing.T) {
	content := func(text string) func(*testing.T, *bench) {
		return func(_ *testing.T, b *bench) { b.contents["nvme0n1"] = text }
	}
	runAll(t, []refusalTest{
		{name: "no consent", prepare: content("ext 2 backup\n"), want: []string{"signatures consent"}, says: `nvme0n1 has ext "backup"`},
		{
			name: "consent to one of two", prepare: content("gpt 0 -\next 1 backup\n"), want: []string{"signatures consent"}, says: "ext",
			agree: func(a *Agreement) { a.Destroy = []signature.Kind{signature.GPT} },
		},
		{
			name: "consent to another", prepare: content("zfs 0 tank\n"), want: []string{"signatures consent"}, says: "tank",
			agree: func(a *Agreement) { a.Destroy = []signature.Kind{signature.Ext, signature.LVM} },
		},
		{
			name: "may not be read", want: []string{"signatures refuse"}, says: "what lies on nvme0n1 cannot be looked at",
			prepare: func(_ *testing.T, b *bench) { b.openErr = fs.ErrPermission },
		},
		{
			name: "on a sibling", profile: "nand-modern?namespaces=2&fna=1", want: []string{"signatures consent"}, says: "nvme0n2 has luks",
			prepare: func(_ *testing.T, b *bench) { b.contents["nvme0n2"] = "luks 0 secret\n" },
		},
	})
}

func TestRefusesAgreement(t *testing.T) {
	serial := func(s string) func(*Agreement) { return func(a *Agreement) { a.Serial = s } }
	const full = "QD1SIMNANDMODERN0001"
	runAll(t, []refusalTest{
		{name: "no serial", agree: serial(""), want: []string{"serial refuse"}, says: "the drive was not named"},
		{name: "controller node", agree: serial("nvme0"), want: []string{"serial refuse"}, says: "name of a node"},
		{name: "namespace node", agree: serial("nvme0n1"), want: []string{"serial refuse"}, says: "name of a node"},
		{name: "generic node", agree: serial("ng0n1"), want: []string{"serial refuse"}, says: "name of a node"},
		{name: "path", agree: serial("/dev/nvme0n1p2"), want: []string{"serial refuse"}, says: "name of a node"},
		{name: "by-id path", agree: serial("/dev/disk/by-id/nvme-QD1_" + full), want: []string{"serial refuse"}, says: "name of a node"},
		{name: "address", agree: serial("0000:01:00.0"), want: []string{"serial refuse"}, says: "address of a slot"},
		{name: "short address", agree: serial("01:00.0"), want: []string{"serial refuse"}, says: "address of a slot"},
		{name: "suffix", agree: serial("DERN0001"), want: []string{"serial refuse"}, says: "only the end"},
		{name: "lower case", agree: serial(strings.ToLower(full)), want: []string{"serial refuse"}, says: "not the serial number"},
		{name: "padding", agree: serial(full + " "), want: []string{"serial refuse"}, says: "not the serial number"},
		{name: "another", agree: serial("OTHER"), want: []string{"serial refuse"}, says: `"OTHER" is not the serial number of the drive`},
		{name: "model", agree: func(a *Agreement) { a.Model = "OTHER" }, want: []string{"model refuse"}, says: `"OTHER" was expected`},
		{name: "no model", agree: func(a *Agreement) { a.Model = "" }, want: []string{"model refuse"}, says: "--yes needs the model"},
		{name: "size", agree: func(a *Agreement) { a.Bytes-- }, want: []string{"size refuse"}, says: "800 163 909 632 bytes are affected"},
		{name: "no size", agree: func(a *Agreement) { a.Bytes = 0 }, want: []string{"size refuse"}, says: "--yes needs the size"},
		{
			name: "size of one of two", profile: "nand-modern?namespaces=2&fna=1", want: []string{"size refuse"},
			agree: func(a *Agreement) { a.Bytes /= 2 },
		},
		{name: "nobody", agree: func(a *Agreement) { *a = Agreement{Serial: a.Serial} }, want: []string{"consent refuse"}, says: "nobody agreed"},
		{
			name: "wrong phrase", want: []string{"consent refuse"}, says: "not the phrase",
			agree: func(a *Agreement) { *a = Agreement{Serial: a.Serial, Phrase: "erase it"} },
		},
		{
			name: "wrong phrase beside --yes", want: []string{"consent refuse"}, says: "not the phrase",
			agree: func(a *Agreement) { a.Phrase = "ERASE" },
		},
		{
			name: "phrase and a wrong model", want: []string{"consent refuse", "model refuse", "size refuse"},
			agree: func(a *Agreement) { *a = Agreement{Serial: a.Serial, Phrase: "x", Model: "y", Bytes: 1} },
		},
		{name: "address of another", agree: func(a *Agreement) { a.PCI = "0000:02:00.0" }, want: []string{"one drive refuse"}, says: "at 0000:01:00.0, and not at"},
		{
			name: "everything at once", want: []string{"in use refuse", "signatures consent", "serial refuse", "one drive refuse", "model refuse", "size refuse"},
			prepare: func(_ *testing.T, b *bench) {
				b.use(inuse.Mount, "nvme0n1", "/")
				b.contents["nvme0n1"] = "ext 0 root\n"
			},
			agree: func(a *Agreement) { *a = Agreement{Yes: true, PCI: "ff:00.0"} },
		},
	})
}

// TestRefusesNilAgreement has nobody who agreed to anything.
func TestRefusesNilAgreement(t *testing.T) {
	b := newBench(t, "optane-905p")
	_, err := b.inspect(t, formatOp(1)).Claim(t.Context(), nil)
	if diff := cmp.Diff([]string{"serial refuse", "consent refuse"}, failed(refused(t, err))); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	b.nothing(t)
}

func TestRefusesState(t *testing.T) {
	log := func(lid nvme.LID, at int, value ...byte) func(*testing.T, *bench) {
		return func(_ *testing.T, b *bench) { b.edit(logPage(lid), fill(at, value...)) }
	}
	page := func(cns nvme.CNS, at int, value ...byte) func(*testing.T, *bench) {
		return func(_ *testing.T, b *bench) { b.edit(identify(cns), fill(at, value...)) }
	}
	const fpi, nsattr, wctemp = 32, 99, 266
	runAll(t, []refusalTest{
		{name: "read-only", profile: "nand-modern?critical_warning=8", want: []string{"health refuse"}, says: "read-only"},
		{name: "hot", prepare: log(nvme.LIDSMART, 1, 0x60, 1), want: []string{"temperature refuse"}, says: "79 °C, and its limit is 83 °C"},
		{
			name: "hot by the critical limit", want: []string{"temperature refuse"}, says: "its limit is 88 °C",
			prepare: func(t *testing.T, b *bench) {
				log(nvme.LIDSMART, 1, 0x65, 1)(t, b)
				page(nvme.CNSController, wctemp, 0, 0)(t, b)
			},
		},
		{name: "sanitize in progress", prepare: log(nvme.LIDSanitize, 0, 0, 0x80, 2), want: []string{"sanitize refuse"}, says: "in progress, 50.0 % are done"},
		{name: "sanitize failed", prepare: log(nvme.LIDSanitize, 0, 0xFF, 0xFF, 3), want: []string{"sanitize refuse"}, says: "failed"},
		{
			name: "self-test", want: []string{"self-test refuse"}, says: "a self-test is running",
			prepare: func(_ *testing.T, b *bench) { b.edit(logPage(nvme.LIDSelfTest), fill(0, 1, 40)) },
		},
		{
			name: "self-test over a self-test", op: ptr(selfTestOp(1)), want: []string{"self-test refuse"}, says: "40 % are done",
			prepare: func(_ *testing.T, b *bench) { b.edit(logPage(nvme.LIDSelfTest), fill(0, 1, 40)) },
		},
		{name: "format", prepare: page(nvme.CNSNamespace, fpi, 0x80|63), want: []string{"format refuse"}, says: "being formatted, 63 % are left"},
		{name: "write protected", prepare: page(nvme.CNSNamespace, nsattr, 1), want: []string{"write protection refuse"}, says: "nvme0n1 is write protected"},
		{name: "locked", profile: "nand-modern?opal=locked", want: []string{"locking refuse"}, says: "locked by its self-encryption"},
		{name: "no such namespace", op: ptr(formatOp(7)), want: []string{"block devices refuse", "size refuse"}, says: "the drive has no namespace 7"},
		{
			name: "the host cannot read a log", want: []string{"health refuse"}, says: "not known",
			prepare: func(_ *testing.T, b *bench) { b.fail(logPage(nvme.LIDSMART), errors.New("i/o error")) },
		},
		{
			name: "allocated namespaces cannot be read", op: ptr(sanitizeOp()), want: []string{"block devices refuse"}, says: "beside the active ones",
			prepare: func(_ *testing.T, b *bench) { b.fail(identify(nvme.CNSAllocatedNamespaces), errors.New("i/o error")) },
		},
	})
}

func TestRefusesIdentity(t *testing.T) {
	page := func(at int, value ...byte) func(*testing.T, *bench) {
		return func(_ *testing.T, b *bench) { b.edit(identify(nvme.CNSController), fill(at, value...)) }
	}
	text := func(suffix, value string) func(*testing.T, *bench) {
		return func(_ *testing.T, b *bench) { b.text(suffix, value) }
	}
	all := func(value byte) func(*testing.T, *bench) {
		return page(0, slices.Repeat([]byte{value}, 4096)...)
	}
	const serial, model, sqes = 4, 24, 512
	// A blank drive has no serial number that could be agreed to, either.
	blank := []string{"identity refuse", "serial refuse"}
	script := func(a *Agreement) { a.Yes, a.Model, a.Bytes, a.Phrase = false, "", 0, "ERASE  " }
	runAll(t, []refusalTest{
		{name: "another serial", prepare: text("/serial", "OTHER"), want: []string{"identity refuse"}, says: `that of nvme0 is "OTHER"`},
		{name: "another model", prepare: text("/model", "OTHER"), want: []string{"identity refuse"}, says: "they are not the same drive"},
		{name: "the kernel has none", prepare: text("/serial", ""), want: []string{"identity refuse"}, says: `is ""`},
		{name: "zeroes", prepare: all(0), agree: script, want: blank, says: "zeroes"},
		{name: "ones", prepare: all(0xFF), want: []string{"identity refuse", "size refuse"}, says: "ones"},
		{name: "no serial", prepare: page(serial, []byte(strings.Repeat(" ", 20))...), want: []string{"identity refuse", "serial refuse", "size refuse"}, says: "no serial number"},
		{name: "no model", prepare: page(model, make([]byte, 40)...), want: []string{"identity refuse", "model refuse", "size refuse"}, says: "no model number"},
		{name: "control bytes", prepare: page(serial, 7), want: []string{"identity refuse", "size refuse"}, says: "bytes that are no text"},
		{name: "no text in the model", prepare: page(model, 0xC4), want: []string{"identity refuse", "size refuse"}, says: "bytes that are no text"},
		{name: "queue entries", prepare: page(sqes, 0xFF), want: []string{"identity refuse", "size refuse"}, says: "submission queue"},
		{name: "size", prepare: text("/nvme0n1/size", "8"), want: []string{"identity refuse"}, says: "nvme0n1 has 4 096 bytes for the kernel"},
		{name: "no size", prepare: text("/nvme0n1/size", "0"), want: []string{"identity refuse"}, says: "nvme0n1 has 0 bytes for the kernel"},
		{name: "block size", prepare: text("/nvme0n1/queue/logical_block_size", "4096"), want: []string{"identity refuse"}, says: "blocks of 4 096 bytes for the kernel"},
		{
			name: "another namespace", want: []string{"identity refuse"}, says: "which the drive does not have",
			prepare: text("/nvme0n1/nsid", "5"),
		},
		{name: "no namespace", prepare: text("/nvme0n1/nsid", "x"), want: []string{"identity refuse"}, says: "does not say which namespace nvme0n1 is"},
		{name: "resetting", prepare: text("/state", "resetting"), want: []string{"controller refuse"}, says: "it is resetting"},
		{name: "dead", prepare: text("/state", "dead"), want: []string{"controller refuse"}, says: "it is dead"},
	})
}

func ptr[T any](v T) *T { return &v }

// fail lets the host fail where match says.
func (b *bench) fail(match func(*nvme.Command) bool, err error) {
	next := b.behind
	b.behind = nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		if match(cmd) {
			return nvme.Completion{}, err
		}
		return next.Submit(ctx, cmd)
	})
}
