package proof

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"qd1.example/qd1/bench"
)

var passed = Tier{Verdict: Pass, Text: "status 0"}

// erased prepares, erases and verifies a model. What is kept goes through its
// stored form.
func erasedModel(t *testing.T, m *model, o Options, erase func()) *Verification {
	t.Helper()
	k, err := Prepare(t.Context(), []Medium{m.medium()}, o)
	if err != nil {
		t.Fatal(err)
	}
	data, err := k.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	k.Destroy()
	if err := k.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	erase()
	v, err := Verify(t.Context(), []Medium{m.medium()}, k, passed, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func checkTiers(t *testing.T, v *Verification, comparison, canaries, full, all Verdict) {
	t.Helper()
	if v.Comparison.Verdict != comparison || v.Canaries.Verdict != canaries || v.FullRead.Verdict != full || v.Decide() != all {
		t.Errorf("got comparison %s (%s), canaries %s (%s), full read %s (%s), all %s\nwant %s, %s, %s, %s", v.Comparison.Verdict, v.Comparison.Text,
			v.Canaries.Verdict, v.Canaries.Text, v.FullRead.Verdict, v.FullRead.Text, v.Decide(), comparison, canaries, full, all)
	}
	if len(v.Limits) < 2 {
		t.Errorf("limits: %q", v.Limits)
	}
}

func TestVerify(t *testing.T) {
	everything := func(int64) bool { return true }
	for _, tt := range []struct {
		name                            string
		before, after                   func(int64, []byte)
		left                            func(int64) bool
		o                               Options
		comparison, canaries, full, all Verdict
	}{
		{"erased", noise(1), zeroes, nil, Options{FullRead: true}, Pass, Pass, Pass, Pass},
		{"key changed", noise(1), noise(2), nil, Options{FullRead: true}, Pass, Pass, Inconclusive, Pass},
		{"not erased", noise(1), zeroes, everything, Options{FullRead: true}, Fail, Fail, Inconclusive, Fail},
		{"blank drive", zeroes, zeroes, nil, Options{}, Inconclusive, Pass, Skipped, Pass},
		{"blank drive, not erased", zeroes, zeroes, everything, Options{}, Inconclusive, Fail, Skipped, Fail},
		{"blank drive, no canaries", zeroes, zeroes, nil, Options{Canaries: -1}, Inconclusive, Skipped, Skipped, Inconclusive},
		{"blank drive, no canaries, full read", zeroes, zeroes, nil, Options{Canaries: -1, FullRead: true}, Inconclusive, Skipped, Pass, Pass},
		{"half erased", noise(1), zeroes, func(i int64) bool { return i > 10000 }, Options{FullRead: true}, Fail, Fail, Fail, Fail},
		{"one region left", noise(1), zeroes, func(i int64) bool { return i == 7777 }, Options{FullRead: true, Samples: 3000, Seed: 1}, Pass, Pass, Fail, Fail},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(20000, tt.before)
			v := erasedModel(t, m, tt.o, func() { m.erase(tt.after, tt.left) })
			checkTiers(t, v, tt.comparison, tt.canaries, tt.full, tt.all)
		})
	}
}

// TestBlankDriveIsVerifiedByCanaries checks what is said of it.
func TestBlankDriveIsVerifiedByCanaries(t *testing.T) {
	m := newModel(20000, zeroes)
	v := erasedModel(t, m, Options{}, func() { m.erase(zeroes, nil) })
	if !strings.Contains(v.Comparison.Text, "rely on the canaries") || v.Canaries.Text != "none of 1 024 canaries has survived: the erase left out at most 0.293 % of the medium (95 %)" {
		t.Errorf("comparison: %s\ncanaries: %s", v.Comparison.Text, v.Canaries.Text)
	}
}

func TestVerifySeveralMedia(t *testing.T) {
	one, two := newModel(1000, noise(1)), newModel(2000, noise(2))
	first, second := one.medium(), two.medium()
	second.Name, second.Writer = "namespace 2", nil
	media := []Medium{first, second}
	k, err := Prepare(t.Context(), media, Options{Canaries: 64})
	if err != nil {
		t.Fatal(err)
	}
	one.erase(zeroes, nil)
	v, err := Verify(t.Context(), media, k, passed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkTiers(t, v, Fail, Inconclusive, Skipped, Fail)
	for _, want := range []string{"namespace 1: every block was compared", "\nnamespace 2: 2 000 of 2 000 informative blocks hold what they held before"} {
		if !strings.Contains(v.Comparison.Text, want) {
			t.Errorf("%q does not say %q", v.Comparison.Text, want)
		}
	}
	if !strings.Contains(v.Canaries.Text, "namespace 2: the medium cannot be written, so no canaries were planted") || len(v.Comparison.Comparisons) != 2 {
		t.Errorf("canaries: %s; %d comparisons", v.Canaries.Text, len(v.Comparison.Comparisons))
	}
	two.erase(zeroes, nil)
	if v, err = Verify(t.Context(), media, k, passed, Options{}); err != nil || v.Decide() != Pass {
		t.Errorf("after both are erased: %s, %v", v.Decide(), err)
	}
}

func TestVerifyWithoutBefore(t *testing.T) {
	m := newModel(1000, zeroes)
	v, err := Verify(t.Context(), []Medium{m.medium()}, nil, passed, Options{FullRead: true})
	if err != nil {
		t.Fatal(err)
	}
	checkTiers(t, v, Inconclusive, Skipped, Pass, Pass)
	if v, err = Verify(t.Context(), []Medium{m.medium()}, &Kept{}, passed, Options{}); err != nil {
		t.Fatal(err)
	}
	checkTiers(t, v, Inconclusive, Skipped, Skipped, Inconclusive)
	if v, err = Verify(t.Context(), nil, nil, passed, Options{}); err != nil || v.Decide() != Inconclusive || v.Comparison.Verdict != Skipped {
		t.Errorf("no media: %+v, %v", v, err)
	}
}

func TestPrepareNotesWhyThereAreNoCanaries(t *testing.T) {
	m := newModel(1000, noise(1))
	for want, change := range map[string]func(*Medium){
		"read-only file system":                  func(d *Medium) { d.Writer = forgetful{syscall.EROFS} },
		"the canaries cannot be read back":       func(d *Medium) { d.Writer = forgetful{} },
		"input/output error":                     func(d *Medium) { d.Flush = func() error { return syscall.EIO } },
		"cannot be written":                      func(d *Medium) { d.Writer = nil },
		"63 of 63, the first at byte ":           func(d *Medium) { d.Writer = forgetful{} },
		"plant canary 1 of 125: read-only file ": func(d *Medium) { d.Writer = forgetful{syscall.EROFS} },
	} {
		d := m.medium()
		change(&d)
		k, err := Prepare(t.Context(), []Medium{d}, Options{})
		if err != nil || k.Media[0].Canaries != nil || !strings.Contains(k.Media[0].Note, want) {
			t.Errorf("%s: %+v, %v", want, k, err)
			continue
		}
		v, err := Verify(t.Context(), []Medium{d}, k, passed, Options{})
		if err != nil || v.Canaries.Verdict != Skipped || !strings.Contains(v.Canaries.Text, want) {
			t.Errorf("%s: canaries %s: %s, %v", want, v.Canaries.Verdict, v.Canaries.Text, err)
		}
	}
}

func TestPrepareEnds(t *testing.T) {
	m := newModel(1000, noise(1))
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Prepare(t.Context(), []Medium{{Name: "x"}}, Options{}); err == nil {
		t.Error("an empty medium: no error")
	}
	d := m.medium()
	d.Flush = func() error { cancel(); return nil }
	if _, err := Prepare(ctx, []Medium{d}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// TestVerifyLosesTheDrive takes the drive away after each number of reads.
func TestVerifyLosesTheDrive(t *testing.T) {
	m := newModel(5000, noise(1))
	k, err := Prepare(t.Context(), []Medium{m.medium()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.erase(zeroes, nil)
	sawPass := false
	for _, after := range []int{0, 100, 300, 500, 800} {
		d := m.medium()
		d.Engine = bench.NewReaderAt("x", &vanishing{m, after})
		v, err := Verify(t.Context(), []Medium{d}, k, passed, Options{FullRead: true, Depth: 1})
		if !errors.Is(err, bench.ErrGone) {
			t.Errorf("after %d reads: %v, want a drive that is gone", after, err)
		}
		if v.FullRead.Verdict != Inconclusive {
			t.Errorf("after %d reads: full read %s", after, v.FullRead.Verdict)
		}
		sawPass = sawPass || v.Canaries.Verdict == Pass
		if after == 0 && v.Decide() != Inconclusive {
			t.Errorf("a drive that was never read: %s", v.Decide())
		}
	}
	if !sawPass {
		t.Error("the drive never lived until the full read: the test shows less than it says")
	}
}

// vanishing is a drive that leaves after some reads.
type vanishing struct {
	*model
	left int
}

func (v *vanishing) ReadAt(p []byte, off int64) (int, error) {
	if v.left--; v.left < 0 {
		return 0, syscall.ENODEV
	}
	return v.model.ReadAt(p, off)
}

func TestLimits(t *testing.T) {
	// The numbers of a drive of 960 GB that was full of data.
	c := Comparison{Medium: "namespace 1", Bytes: 960197124096, Samples: DefaultSamples, Informative: DefaultSamples}
	c.MiBFound = percent(Found(c.Bytes, 1<<20, c.Samples))
	c.bound()
	v := Verification{Comparison: Tier{Comparisons: []Comparison{c}}}
	got := strings.Join(limits(&v), "\n")
	for _, want := range []string{
		"Over-provisioned, retired and cached areas of the drive cannot be seen",
		"none of 460 515 informative samples is as before. So what could remain is at most 0.000651 % of the blocks that held data (95 %; 99 %: 0.001 %), if it is scattered: 6.2 MB of 960 GB.",
		"one intact region of 1 MiB, such as a file, is found by 460 515 samples with a probability of only 40 %.",
		"No canaries were planted", "The medium was not read as a whole.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the limits do not say %q:\n%s", want, got)
		}
	}
	whole := Comparison{Medium: "namespace 1", Whole: true, Before: Classes{Zeroes: 1500, HighEntropy: 500}}
	v = Verification{Comparison: Tier{Comparisons: []Comparison{whole}}, Canaries: Tier{Checks: []CanaryCheck{{}}}}
	all := limits(&v)
	if len(all) != 2 || !strings.Contains(all[1], "every block was compared; those that were constant before (1 500 of 2 000) say nothing") {
		t.Errorf("whole medium: %q", all)
	}
}

func TestNumbersInText(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.00065050: "0.000651", 0.001: "0.001", 1: "1", 2.955: "2.96", 12.31: "12.4", 99.1: "99.1", 100: "100"} {
		if got := short(v); got != want {
			t.Errorf("short(%g) is %s, want %s", v, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 000", 460515: "460 515", 12345678: "12 345 678"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) is %s, want %s", n, got, want)
		}
	}
	for n, want := range map[float64]string{960e9: "960 GB", 6.24e6: "6.2 MB", 4096: "4 kB"} {
		if got := megabytes(n); got != want {
			t.Errorf("megabytes(%g) is %s, want %s", n, got, want)
		}
	}
}

func TestResultJSON(t *testing.T) {
	m := newModel(1000, noise(1))
	v := erasedModel(t, m, Options{FullRead: true}, func() { m.erase(zeroes, nil) })
	var tree map[string]map[string]any
	limits := v.Limits
	v.Limits = nil
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	for _, tier := range []string{"command", "comparison", "canaries", "full_read"} {
		if tree[tier]["verdict"] != "PASS" || tree[tier]["text"] == "" {
			t.Errorf("%s: %v", tier, tree[tier])
		}
	}
	detail := tree["comparison"]["comparisons"].([]any)[0].(map[string]any)
	for _, key := range []string{"seed", "samples", "informative", "bound_95_percent", "bound_99_percent", "equal", "equal_offsets", "classes_before", "classes_after", "unreadable_after", "power", "whole"} {
		if _, ok := detail[key]; !ok {
			t.Errorf("the comparison has no %q: %v", key, detail)
		}
	}
	if slices.Contains(limits, "") {
		t.Errorf("an empty limit: %q", limits)
	}
}
