package conditions

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestHostDesktop(t *testing.T) {
	want := Host{
		Kernel:       new("6.12.43-amd64"),
		Arch:         runtime.GOARCH,
		CPUModel:     new("AMD Ryzen 7 7700 8-Core Processor"),
		Microcode:    new("0xa601206"),
		CPUs:         new(3),
		IsolatedCPUs: new("3"),
		SMT:          new(true),
		Frequency:    Frequency{ScalingDriver: new("acpi-cpufreq"), Governor: new("schedutil"), Turbo: new(true)},
		Idle: Idle{
			IdleDriver: new("acpi_idle"), IdleGovernor: new("menu"),
			IdleStates: []IdleState{
				{Name: "POLL", ExitUS: new(0), ResidencyUS: new(0)},
				{Name: "C2", ExitUS: new(18), ResidencyUS: new(36), DisabledCPUs: new("1")},
				{Name: "C3", ExitUS: new(350), ResidencyUS: new(700), DisabledCPUs: new("0"), Disabled: true},
			},
		},
		Virtualised:      new(false),
		Security:         Security{Mitigations: new(MitigationsOn), VulnerableTo: []string{}},
		KernelParameters: []string{"nvme.poll_queues=2", "processor.max_cstate=5"},
		LoadAverage:      []float64{0.12, 0.30, 0.25},
		NUMANodes:        new(1),
		ClockSource:      new("hpet"),
	}
	equal(t, "desktop", want, ReadHost(load(t, "desktop")))
}

func TestHostLaptop(t *testing.T) {
	h := ReadHost(load(t, "laptop"))
	equal(t, "frequency", Frequency{
		ScalingDriver: new("intel_pstate"),
		Governor:      new("powersave, performance"),
		Governors:     []Setting{{"powersave", "0-1,3"}, {"performance", "2"}},
		Preference:    new("balance_performance, power"),
		Preferences:   []Setting{{"balance_performance", "0-1"}, {"power", "2-3"}},
		Turbo:         new(false), // no_turbo goes before boost.
	}, h.Frequency)
	equal(t, "mitigations=off", Security{Mitigations: new(MitigationsOff), VulnerableTo: []string{}}, h.Security)
	equal(t, "parameters", []string{"mitigations=off", "isolcpus=3", "nvme_core.default_ps_max_latency_us=0"}, h.KernelParameters)
	equal(t, "idle states that are not shown", Idle{}, h.Idle)
	if h.SMT != nil || h.LoadAverage != nil || h.NUMANodes != nil || h.ClockSource != nil {
		t.Errorf("facts that the host does not show: %+v", h)
	}
}

func TestHostVM(t *testing.T) {
	h := ReadHost(load(t, "vm"))
	equal(t, "virtualised", new(true), h.Virtualised)
	equal(t, "model of the first CPU", new("AMD EPYC"), h.CPUModel)
	equal(t, "frequency", Frequency{}, h.Frequency)
	equal(t, "isolated", (*string)(nil), h.IsolatedCPUs)
	equal(t, "weaknesses", []string{"spec_rstack_overflow", "spec_store_bypass"}, h.VulnerableTo)
	if len(h.IdleStates) != 2 || h.IdleStates[1].Name != "haltpoll idle" || h.IdleStates[1].Disabled {
		t.Errorf("idle states = %+v", h.IdleStates)
	}
}

// TestHostWithoutFlags reads a computer whose CPUs do not tell of a hypervisor.
func TestHostWithoutFlags(t *testing.T) {
	m := load(t, "raid")
	h := ReadHost(m)
	if h.Virtualised != nil || h.CPUModel != nil || *h.CPUs != 64 || *h.NUMANodes != 2 || h.KernelParameters != nil || h.Mitigations != nil {
		t.Errorf("arm64 host = %+v", h)
	}
	h = ReadHost(with(m, map[string]string{"sys/hypervisor/type": "xen\n"}))
	equal(t, "virtualised under Xen", new(true), h.Virtualised)
}

func TestHostThatShowsNothing(t *testing.T) {
	equal(t, "host", Host{Arch: runtime.GOARCH}, ReadHost(fstest.MapFS{}))
	b, err := json.Marshal(ReadHost(fstest.MapFS{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kernel", "cpu_model", "cpus", "governor", "turbo", "idle_states", "load_average", "mitigations", "vulnerable_to"} {
		if !strings.Contains(string(b), `"`+key+`":null`) {
			t.Errorf("%s of a host that shows nothing is not null: %s", key, b)
		}
	}
}

func TestTurbo(t *testing.T) {
	const dir = "sys/devices/system/cpu/"
	tests := []struct {
		name  string
		texts map[string]string
		want  *bool
	}{
		{"none", nil, nil},
		{"intel on", map[string]string{"intel_pstate/no_turbo": "0", "cpufreq/boost": "0"}, new(true)},
		{"boost off", map[string]string{"cpufreq/boost": "0"}, new(false)},
		{"each CPU on", map[string]string{"cpu0/cpufreq/boost": "1", "cpu1/cpufreq/boost": "1"}, new(true)},
		{"CPUs differ", map[string]string{"cpu0/cpufreq/boost": "1", "cpu1/cpufreq/boost": "0"}, nil},
	}
	for _, tt := range tests {
		m := fstest.MapFS{dir + "online": {Data: []byte("0-1\n")}}
		for name, text := range tt.texts {
			m[dir+name] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
		equal(t, tt.name, tt.want, ReadHost(m).Turbo)
	}
}

func TestMitigations(t *testing.T) {
	tests := []struct {
		name, line string
		states     []string
		want       *string
		vulnerable int
	}{
		{"unknown", "", nil, nil, 0},
		{"not needed", "", []string{"Not affected"}, new(MitigationsNotNeeded), 0},
		{"on", "mitigations=auto", []string{"Not affected", "Mitigation: PTI"}, new(MitigationsOn), 0},
		{"some", "", []string{"Vulnerable", "Mitigation: PTI"}, new(MitigationsOn), 1},
		{"none in effect", "", []string{"Vulnerable: no microcode", "Not affected"}, new(MitigationsOff), 1},
		{"told to", "quiet mitigations=off", []string{"Mitigation: built in"}, new(MitigationsOff), 0},
		{"told to, and nothing shown", "mitigations=off", nil, new(MitigationsOff), 0},
	}
	for _, tt := range tests {
		m := fstest.MapFS{"proc/cmdline": {Data: []byte(tt.line)}}
		for i, s := range tt.states {
			m["sys/devices/system/cpu/vulnerabilities/v"+string(rune('a'+i))] = &fstest.MapFile{Data: []byte(s + "\n")}
		}
		h := ReadHost(m)
		equal(t, tt.name, tt.want, h.Mitigations)
		if len(h.VulnerableTo) != tt.vulnerable || (h.VulnerableTo == nil) != (tt.states == nil) {
			t.Errorf("%s: vulnerable to %q", tt.name, h.VulnerableTo)
		}
	}
}

func TestParseLoad(t *testing.T) {
	for text, want := range map[string][]float64{
		"1.5 0.25 0.00 2/345 678": {1.5, 0.25, 0}, "1 2": nil, "": nil, "a 1 2": nil, "-1 0 0": nil, "NaN 0 0": nil, "Inf 1 1": nil,
	} {
		if got := parseLoad(text); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("parseLoad(%q) = %v, want %v", text, got, want)
		}
	}
}

// FuzzHost reads junk in the place of the files with a form of their own.
func FuzzHost(f *testing.F) {
	f.Add("processor\t: 0\nmodel name\t: x\nflags : hypervisor", "0.1 0.2 0.3 1/2 3", "mitigations=off idle=poll", "0-3", "1")
	f.Add(":\n\n: :", "1e308 NaN -0 ", "=", "9-8", "\x00")
	f.Fuzz(func(t *testing.T, info, load, line, cpus, flag string) {
		h := ReadHost(fstest.MapFS{
			"proc/cpuinfo":                      {Data: []byte(info)},
			"proc/loadavg":                      {Data: []byte(load)},
			"proc/cmdline":                      {Data: []byte(line)},
			"sys/devices/system/cpu/online":     {Data: []byte(cpus)},
			"sys/devices/system/cpu/smt/active": {Data: []byte(flag)},
		})
		if _, err := json.Marshal(h); err != nil {
			t.Errorf("host = %+v: %v", h, err)
		}
		if h.CPUs != nil && *h.CPUs < 1 {
			t.Errorf("%q are %d CPUs", cpus, *h.CPUs)
		}
	})
}
