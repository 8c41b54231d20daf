package conditions

import (
	"path"
	"slices"
	"strings"
)

// The words of [Security.Mitigations].
const (
	MitigationsOn        = "on"         // at least one is in effect
	MitigationsOff       = "off"        // turned off, or none is in effect though some were needed
	MitigationsNotNeeded = "not needed" // the CPU has none of the weaknesses
)

// Security is what the kernel does against weaknesses of the CPU. It makes each
// system call dearer.
//
// Source: Linux kernel, Documentation/ABI/testing/sysfs-devices-system-cpu,
// vulnerabilities.
type Security struct {
	// Mitigations is "on", "off" or "not needed".
	Mitigations *string `json:"mitigations"`
	// VulnerableTo are the weaknesses that nothing is done about, by the
	// kernel's names; nil if it does not say.
	VulnerableTo []string `json:"vulnerable_to"`
}

func (t tree) security(words []string) Security {
	dir := path.Join(cpuDir, "vulnerabilities")
	var s Security
	mitigated := false
	for _, name := range t.names(dir) {
		state := orEmpty(t.text(dir, name))
		if state != "" && s.VulnerableTo == nil {
			s.VulnerableTo = []string{}
		}
		mitigated = mitigated || strings.HasPrefix(state, "Mitigation")
		if strings.HasPrefix(state, "Vulnerable") {
			s.VulnerableTo = append(s.VulnerableTo, name)
		}
	}
	switch {
	case slices.Contains(words, "mitigations=off"), !mitigated && len(s.VulnerableTo) > 0:
		s.Mitigations = new(MitigationsOff)
	case mitigated:
		s.Mitigations = new(MitigationsOn)
	case s.VulnerableTo != nil:
		s.Mitigations = new(MitigationsNotNeeded)
	}
	return s
}
