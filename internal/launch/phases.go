package launch

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Properties of org.freedesktop.systemd1.Manager, in µs. Those of firmware and
// loader count back from the start of the kernel, the others on from it; 0 is
// "did not happen".
//
// Source: org.freedesktop.systemd1(5), Manager Object, Properties.
const (
	propFirmware  = "FirmwareTimestampMonotonic"
	propLoader    = "LoaderTimestampMonotonic"
	propInitrd    = "InitRDTimestampMonotonic"
	propUserspace = "UserspaceTimestampMonotonic"
	propFinish    = "FinishTimestampMonotonic"
	// propSecurity is 0 only in a container, which loads no policy.
	propSecurity = "SecurityStartTimestampMonotonic"
	// A soft reboot is noted under one name or the other, by version.
	propSoftReboot = "SoftRebootStartTimestampMonotonic"
	propShutdown   = "ShutdownStartTimestampMonotonic"
)

func properties() []string {
	return []string{propFirmware, propLoader, propInitrd, propUserspace, propFinish, propSecurity, propSoftReboot, propShutdown}
}

// parseShow takes the phases from lines "NAME=NUMBER" of systemctl show.
func parseShow(text string) (Phases, error) {
	p := Phases{Source: "systemctl show"}
	at := parseProperties(text)
	finish, known := at[propFinish]
	switch {
	case !known || at[propUserspace] == 0:
		return Phases{}, fmt.Errorf("%w: no %s", ErrBootUnknown, propFinish)
	case finish == 0:
		return Phases{}, ErrBootUnfinished
	}
	start := 0.0 // of the total, before the kernel negative
	soft := max(at[propSoftReboot], at[propShutdown])
	security, told := at[propSecurity]
	switch {
	case soft > 0:
		p.SoftReboot = phase(soft, at[propUserspace])
		start = soft
	case told && security == 0:
		start = at[propUserspace]
	default:
		start = -p.early(at)
	}
	p.Userspace = phase(at[propUserspace], finish)
	p.Total = phase(start, finish)
	return p, nil
}

// early fills in what comes before the userspace and returns how long before
// the kernel the boot began.
func (p *Phases) early(at map[string]float64) float64 {
	before := max(at[propFirmware], at[propLoader])
	if at[propFirmware] > 0 {
		p.Firmware = phase(at[propLoader], at[propFirmware])
	}
	if at[propLoader] > 0 {
		p.Loader = phase(0, at[propLoader])
	}
	kernelDone := at[propUserspace]
	if at[propInitrd] > 0 {
		kernelDone = at[propInitrd]
		p.Initrd = phase(at[propInitrd], at[propUserspace])
	}
	p.Kernel = phase(0, kernelDone)
	return before
}

// phase gives the seconds between two times in µs, nil if they are in the wrong
// order.
func phase(from, to float64) *float64 {
	if to < from {
		return nil
	}
	return new(math.Round(to-from) / 1e6)
}

// parseProperties reads the lines that hold a number.
func parseProperties(text string) map[string]float64 {
	at := map[string]float64{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		// All ones is systemd's "never".
		if n, err := strconv.ParseUint(value, 10, 64); ok && err == nil && n != math.MaxUint64 {
			at[name] = float64(n)
		}
	}
	return at
}

// parseAnalyze takes the phases and the target from the text of systemd-analyze
// time:
//
//	Startup finished in 4.283s (firmware) + 1.034s (loader) + … = 1min 9.036s
//	graphical.target reached after 8.896s in userspace.
func parseAnalyze(text string) (Phases, *Target, error) {
	var target *Target
	p := Phases{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "Startup finished in "); ok {
			p = parseStartup(rest)
		}
		if name, rest, ok := strings.Cut(line, " reached after "); ok {
			span, _, _ := strings.Cut(rest, " in userspace")
			if seconds, ok := parseSpan(span); ok {
				target = &Target{Name: name, Seconds: seconds}
			}
		}
	}
	if p.Userspace == nil {
		return Phases{}, target, fmt.Errorf("%w: no phases in the text of systemd-analyze", ErrBootUnknown)
	}
	return p, target, nil
}

// parseStartup reads the phases of one line.
func parseStartup(line string) Phases {
	p := Phases{Source: "systemd-analyze time"}
	fields := map[string]**float64{
		"firmware": &p.Firmware, "loader": &p.Loader, "kernel": &p.Kernel, "initrd": &p.Initrd,
		"soft reboot": &p.SoftReboot, "userspace": &p.Userspace,
	}
	parts, total, _ := strings.Cut(line, "=")
	sum := 0.0
	for part := range strings.SplitSeq(parts, "+") {
		span, name, _ := strings.Cut(strings.TrimSpace(part), " (")
		seconds, ok := parseSpan(span)
		if field := fields[strings.TrimSuffix(name, ")")]; ok && field != nil {
			*field = &seconds
			sum += seconds
		}
	}
	if seconds, ok := parseSpan(total); ok {
		sum = seconds
	}
	p.Total = new(math.Round(sum*1e6) / 1e6)
	return p
}

// parseSpan reads a time span of systemd, such as "1min 34.685s", in seconds.
//
// Source: systemd.time(7), Parsing Time Spans.
func parseSpan(text string) (seconds float64, ok bool) {
	units := map[string]float64{
		"us": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400,
		"month": 2629800, "y": 31557600,
	}
	for word := range strings.FieldsSeq(text) {
		if word == "0" {
			ok = true
			continue
		}
		digits := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyzμ")
		n, err := strconv.ParseFloat(digits, 64)
		unit := units[word[len(digits):]]
		if err != nil || unit == 0 || n < 0 || n > 1e9 {
			return 0, false
		}
		seconds, ok = seconds+n*unit, true
	}
	return math.Round(seconds*1e6) / 1e6, ok
}
