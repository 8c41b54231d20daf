package profile

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/bench"
)

func TestLookup(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"qd1", "qd1"},
		{"cdm8", "cdm8"},
		{"CDM8", "cdm8"},
		{" cdm8 ", "cdm8"},
		{"cdm8:", "cdm8"},
		{"cdm8:default", "cdm8"},
		{"cdm8:default+mix", "cdm8:mix"},
		{"cdm8:nvme", "cdm8:nvme"},
		{"cdm8:mix+peak", "cdm8:peak+mix"},
		{"cdm8:peak,mix", "cdm8:peak+mix"},
		{"cdm8:mix+peak+nvme", "cdm8:nvme+peak+mix"},
		{"txbench:basic", "txbench:basic"},
	} {
		p, err := Lookup(tt.name)
		if err != nil {
			t.Errorf("Lookup(%q): %v", tt.name, err)
			continue
		}
		if p.ID() != tt.want {
			t.Errorf("Lookup(%q) is %s, want %s", tt.name, p.ID(), tt.want)
		}
	}
}

func TestLookupErrors(t *testing.T) {
	for _, tt := range []struct{ name, cause, hint string }{
		{"", `unknown profile ""`, "known are qd1, cdm3, cdm5, cdm6, cdm8, iometer, sweep, txbench, sustain, apps, wake"},
		{"cdm7", `unknown profile "cdm7"`, `did you mean "cdm3"?`},
		{"iomter", `unknown profile "iomter"`, `did you mean "iometer"?`},
		{"tx", `unknown profile "tx"`, `did you mean "txbench"?`},
		{"passmark", `unknown profile "passmark"`, "known are qd1"},
		{"cdm8:peek", `profile cdm8 has no variant "peek"`, `did you mean "cdm8:peak"?`},
		{"cdm8:demo+mix", `profile cdm8 has no variant "demo+mix"`, `known are cdm8, cdm8:mix, cdm8:peak`},
		{"cdm8:peak+real", `no variant "peak+real"`, "known are cdm8"},
		{"cdm5:peak", `profile cdm5 has no variant "peak"`, "it has no variants: use cdm5"},
	} {
		p, err := Lookup(tt.name)
		var e *bench.Error
		if !errors.As(err, &e) || !errors.Is(err, bench.ErrBadJob) || p != nil {
			t.Errorf("Lookup(%q) is %v, %v", tt.name, p, err)
			continue
		}
		if !strings.Contains(e.Cause, tt.cause) || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("Lookup(%q): %q, hint %q: want %q, hint %q", tt.name, e.Cause, e.Hint, tt.cause, tt.hint)
		}
	}
	if _, err := Lookup("passmark"); strings.Contains(err.(*bench.Error).Hint, "did you mean") {
		t.Error("something is suggested for a name that is like none")
	}
}

func TestAllIsComplete(t *testing.T) {
	names := Names()
	for i, p := range All() {
		if p.ID() != names[i] || slices.Index(names, p.ID()) != i {
			t.Errorf("name %d is %s, the profile %s; or it is there twice", i, names[i], p.ID())
		}
		if p.Title == "" || !strings.HasSuffix(p.Description, ".") || p.Runs < 1 || len(p.Rows) == 0 {
			t.Errorf("%s: title %q, description %q, %d runs, %d rows", p.ID(), p.Title, p.Description, p.Runs, len(p.Rows))
		}
		if p.SizeBytes == 0 && p.FileBytes == 0 {
			t.Errorf("%s does not say how large a file to make", p.ID())
		}
		for _, r := range p.Rows {
			want := bench.EnginePsync
			if r.Job.QueueDepth > 1 || r.Job.Workers > 1 {
				want = bench.EngineUring
			}
			if r.Job.Engine != want || r.Job.Name != r.Name || !r.Job.HoldCPULatency {
				t.Errorf("%s: %s: engine %s, job %q, CPU latency held %v", p.ID(), r.Name, r.Job.Engine, r.Job.Name, r.Job.HoldCPULatency)
			}
		}
	}
}

func TestLookupGivesACopy(t *testing.T) {
	first, err := Lookup("cdm8")
	if err != nil {
		t.Fatal(err)
	}
	first.Rows[0].Name, first.Runs = "changed", 77
	second, err := Lookup("cdm8")
	if err != nil {
		t.Fatal(err)
	}
	if second.Rows[0].Name == "changed" || second.Runs == 77 {
		t.Error("a change of one profile shows in the next")
	}
}

func TestLabels(t *testing.T) {
	for _, tt := range []struct {
		op    bench.Op
		reads int
		want  string
	}{
		{bench.OpRead, 0, "X read"},
		{bench.OpWrite, 0, "X write"},
		{bench.OpMix, 0, "X mix R70/W30"},
		{bench.OpMix, 67, "X mix R67/W33"},
	} {
		r := Row{Name: "X", Job: bench.Job{Op: tt.op, ReadPercent: tt.reads}}
		if got := r.Label(); got != tt.want {
			t.Errorf("label of %s is %q, want %q", tt.op, got, tt.want)
		}
	}
}

func TestWrites(t *testing.T) {
	for name, want := range map[string]bool{"qd1": false, "qd1:write": true, "txbench": false, "cdm8": true, "wake": false} {
		p, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Writes() != want {
			t.Errorf("%s writes: %v, want %v", name, p.Writes(), want)
		}
	}
}

func TestSizeName(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 512: "512 B", 1024: "1 KiB", 1000 << 20: "1000 MiB", 1 << 30: "1 GiB", 1 << 50: "1024 TiB", 1500: "1500 B"} {
		if got := sizeName(n); got != want {
			t.Errorf("sizeName(%d) = %q, want %q", n, got, want)
		}
	}
}

func FuzzLookup(f *testing.F) {
	for _, name := range append(Names(), "", "cdm8:mix+mix", "cdm8:peak,mix", "qd1:", ":", "CDM8:Default") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := Lookup(name)
		if err != nil {
			return
		}
		again, err := Lookup(p.ID())
		if err != nil || again.ID() != p.ID() || !slices.Contains(Names(), p.ID()) {
			t.Errorf("Lookup(%q) is %s, which is %v, %v", name, p.ID(), again, err)
		}
	})
}
