package conditions

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Frequency is how the kernel chooses the speed of the CPUs.
//
// Source: Linux kernel, Documentation/admin-guide/pm/cpufreq.rst and
// intel_pstate.rst.
type Frequency struct {
	// ScalingDriver is the driver, such as "intel_pstate".
	ScalingDriver *string `json:"scaling_driver"`
	// Governor is that of all CPUs; several are joined by ", ", and Governors
	// says which CPUs have which.
	Governor  *string   `json:"governor"`
	Governors []Setting `json:"governors,omitempty"`
	// Preference is the hint between energy and performance, several as above.
	Preference  *string   `json:"energy_performance_preference"`
	Preferences []Setting `json:"energy_performance_preferences,omitempty"`
	// Turbo tells whether CPUs may exceed their nominal frequency.
	Turbo *bool `json:"turbo"`
}

// Setting is a value that some CPUs have.
type Setting struct {
	Value string `json:"value"`
	// CPUs is a list such as "0-3,8".
	CPUs string `json:"cpus"`
}

func (t tree) frequency(cpus []int) Frequency {
	var f Frequency
	f.ScalingDriver, _ = t.ofCPUs(cpus, "cpufreq/scaling_driver")
	f.Governor, f.Governors = t.ofCPUs(cpus, "cpufreq/scaling_governor")
	f.Preference, f.Preferences = t.ofCPUs(cpus, "cpufreq/energy_performance_preference")
	f.Turbo = t.turbo(cpus)
	return f
}

// turbo asks the driver of Intel, then the switch of all CPUs, then the
// switches of each CPU; those may differ, which is nil.
func (t tree) turbo(cpus []int) *bool {
	if no := t.flag(cpuDir, "intel_pstate/no_turbo"); no != nil {
		return new(!*no)
	}
	if boost := t.flag(cpuDir, "cpufreq/boost"); boost != nil {
		return boost
	}
	boost, _ := t.ofCPUs(cpus, "cpufreq/boost")
	return switched(boost)
}

// ofCPUs reads an attribute of each CPU. all is its value, several joined by
// ", "; differing is nil unless there are several.
func (t tree) ofCPUs(cpus []int, attribute string) (all *string, differing []Setting) {
	var values []string
	have := map[string][]int{}
	for _, cpu := range cpus {
		v := t.text(ofCPU(cpu), attribute)
		if v == nil {
			continue
		}
		if have[*v] == nil {
			values = append(values, *v)
		}
		have[*v] = append(have[*v], cpu)
	}
	if len(values) == 0 {
		return nil, nil
	}
	for _, v := range values {
		differing = append(differing, Setting{v, formatCPUs(have[v])})
	}
	if len(differing) == 1 {
		differing = nil
	}
	return new(strings.Join(values, ", ")), differing
}

func ofCPU(cpu int) string { return path.Join(cpuDir, "cpu"+strconv.Itoa(cpu)) }

// Idle is what CPUs do that have nothing to do. The time that they take to wake
// up is part of each latency at queue depth 1.
//
// Source: Linux kernel, Documentation/admin-guide/pm/cpuidle.rst.
type Idle struct {
	IdleDriver   *string `json:"idle_driver"`
	IdleGovernor *string `json:"idle_governor"`
	// IdleStates are in order, the shallowest first; nil if the host shows none.
	IdleStates []IdleState `json:"idle_states"`
}

// IdleState is one idle state of the CPUs.
type IdleState struct {
	Name string `json:"name"`
	// ExitUS is the time to wake up, ResidencyUS the shortest stay that is worth
	// it, both in µs.
	ExitUS      *int `json:"exit_latency_us"`
	ResidencyUS *int `json:"residency_us"`
	// DisabledCPUs is the list of CPUs that must not enter the state, nil if
	// all may. Disabled says that no CPU may.
	DisabledCPUs *string `json:"disabled_cpus"`
	Disabled     bool    `json:"disabled"`
}

func (t tree) idle(cpus []int) Idle {
	governor := t.text(cpuDir, "cpuidle/current_governor")
	if governor == nil {
		governor = t.text(cpuDir, "cpuidle/current_governor_ro")
	}
	return Idle{
		IdleDriver:   t.text(cpuDir, "cpuidle/current_driver"),
		IdleGovernor: governor,
		IdleStates:   t.idleStates(cpus),
	}
}

// idleStates gathers the states of all CPUs by name. CPUs of different kinds
// may have different states; the first CPU with a state describes it.
func (t tree) idleStates(cpus []int) []IdleState {
	var states []IdleState
	var having, barred [][]int
	for _, cpu := range cpus {
		for _, dir := range t.stateDirs(cpu) {
			name := t.text(dir, "name")
			if name == nil {
				continue
			}
			i := slices.IndexFunc(states, func(s IdleState) bool { return s.Name == *name })
			if i < 0 {
				i = len(states)
				states = append(states, IdleState{Name: *name, ExitUS: t.number(dir, "latency"), ResidencyUS: t.number(dir, "residency")})
				having, barred = append(having, nil), append(barred, nil)
			}
			having[i] = append(having[i], cpu)
			if off := t.flag(dir, "disable"); off != nil && *off {
				barred[i] = append(barred[i], cpu)
			}
		}
	}
	for i := range states {
		states[i].DisabledCPUs = notEmpty(formatCPUs(barred[i]))
		states[i].Disabled = len(barred[i]) == len(having[i])
	}
	return states
}

// stateDirs returns the directories of the idle states of a CPU in order.
func (t tree) stateDirs(cpu int) []string {
	dir := path.Join(ofCPU(cpu), "cpuidle")
	numbers := map[string]int{}
	var dirs []string
	for _, name := range t.names(dir) {
		digits, ok := strings.CutPrefix(name, "state")
		if n, err := strconv.Atoi(digits); ok && err == nil {
			full := path.Join(dir, name)
			numbers[full] = n
			dirs = append(dirs, full)
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return dirs
}
