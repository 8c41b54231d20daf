package guard

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// fault is one thing that speaks against an operation, and when it comes.
type fault struct {
	name  string
	apply func(b *bench, a *Agreement)
}

// faults are what may come before the inspection, or between two steps.
func faults(other nvme.Passthru) []fault {
	onBench := func(name string, f func(b *bench)) fault {
		return fault{name, func(b *bench, _ *Agreement) { f(b) }}
	}
	onAgreement := func(name string, f func(a *Agreement)) fault {
		return fault{name, func(_ *bench, a *Agreement) { f(a) }}
	}
	return []fault{
		onBench("mounted", func(b *bench) { b.use(inuse.Mount, "nvme0n1", "/") }),
		onBench("sibling mounted", func(b *bench) { b.use(inuse.Mount, "nvme0n2", "/") }),
		onBench("unchecked", func(b *bench) { b.survey.Unchecked = []string{"much"} }),
		onBench("signature", func(b *bench) { b.contents["nvme0n2"] = "zfs 0 tank\n" }),
		onBench("swapped", func(b *bench) { b.behind = other }),
		onBench("read-only", func(b *bench) { b.edit(logPage(nvme.LIDSMART), fill(0, 8)) }),
		onBench("resetting", func(b *bench) { b.text("nvme0/state", "resetting") }),
		onBench("power", func(b *bench) { b.power = []Check{refuse("power", "", "going down")} }),
		onBench("resized", func(b *bench) { b.edit(identify(nvme.CNSNamespace), fill(0, 1)) }),
		onAgreement("serial", func(a *Agreement) { a.Serial = a.Serial[1:] }),
		onAgreement("model", func(a *Agreement) { a.Model += " " }),
		onAgreement("bytes", func(a *Agreement) { a.Bytes++ }),
		onAgreement("nobody", func(a *Agreement) { a.Yes = false }),
		onAgreement("phrase", func(a *Agreement) { a.Phrase = "ERASE" }),
		onAgreement("address", func(a *Agreement) { a.PCI = "0000:99:00.0" }),
		onAgreement("consent", func(a *Agreement) { a.Destroy = nil }),
	}
}

// TestNeverSends lets random faults come at random steps: the command goes if
// and only if there was none before it was armed.
func TestNeverSends(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	other, err := sim.Open("nand-modern?serial=OTHER&namespaces=2&fna=1")
	if err != nil {
		t.Fatal(err)
	}
	all := faults(other)
	went := 0
	for range 200 {
		b := newBench(t, "nand-modern?namespaces=2&fna=1")
		b.contents["nvme0n1"] = "ext 0 backup\n"
		var a *Agreement
		var came []string
		// Each step may bring a fault; those of the agreement only count until
		// it was judged, and between claim and command only the drive does.
		step := func(name string, kinds []fault) {
			for _, f := range kinds {
				if random.IntN(len(all)*3) == 0 {
					f.apply(b, a)
					came = append(came, fmt.Sprintf("%s: %s", name, f.name))
				}
			}
		}
		step("inspect", all[:9])
		op := formatOp(1)
		sent := func() bool {
			c, err := b.tryInspect(t, op)
			if err != nil {
				return false
			}
			a = script(c)
			a.Destroy = []signature.Kind{signature.Ext}
			step("claim", all)
			p, err := c.Claim(t.Context(), a)
			if err != nil {
				return false
			}
			step("submit", []fault{all[4], all[8]})
			_, err = p.Submit(t.Context(), &op.Commands[0], nil)
			if closing := p.Close(); closing != nil {
				t.Error(closing)
			}
			return err == nil
		}()
		if sent != (len(came) == 0) || sent != (len(b.sent()) == 1) || b.writes != 0 {
			t.Errorf("faults %q: permitted %t, sent %v, %d writes", came, sent, b.sent(), b.writes)
		}
		if sent {
			went++
		}
		b.leaks(t)
	}
	if went < 20 || went > 180 {
		t.Errorf("%d of 200 went: the faults are not balanced", went)
	}
}
