package hostpower

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// State is what the host says about its power.
type State struct {
	// OnMains tells whether the host is supplied from outside; nil if it does
	// not say, as most computers without a battery.
	OnMains *bool
	// Battery describes the batteries and uninterruptible power supplies of the
	// host, "BAT0 discharging, 43 %", "" if it has none.
	Battery string
	// Shutdown describes a shutdown that is scheduled, "poweroff at
	// 2026-03-04T05:06:07Z", "" if none is.
	Shutdown string
}

// Read reads the state from the file systems at /sys and /run. What is missing
// or cannot be read is left out.
func Read(sys, run fs.FS) State {
	supplies := readSupplies(sys)
	return State{
		OnMains:  onMains(supplies),
		Battery:  batteries(supplies),
		Shutdown: shutdown(run),
	}
}

// supply is one entry of /sys/class/power_supply that supplies the host.
//
// Source: Linux kernel, Documentation/ABI/testing/sysfs-class-power.
type supply struct {
	name string
	kind kind
	// online is whether a supply from outside delivers, status what a battery
	// does now: "Charging", "Discharging", "Not charging", "Full", "Unknown".
	online bool
	status string
	// percent is how full a battery is, -1 if it does not say.
	percent int
}

// kind is what a supply is to the host.
type kind int

const (
	other kind = iota
	outside
	battery
	ups
)

// kindOf maps the attribute type. USB has had several values, such as USB_PD.
func kindOf(text string) kind {
	switch {
	case text == "Mains", text == "Wireless", text == "BrickID", strings.HasPrefix(text, "USB"):
		return outside
	case text == "Battery":
		return battery
	case text == "UPS":
		return ups
	}
	return other
}

// readSupplies reads all that supply the host itself. Those with the scope
// Device are batteries of mice and the like; a battery may be taken out.
func readSupplies(sys fs.FS) []supply {
	const dir = "class/power_supply"
	entries, _ := fs.ReadDir(sys, dir)
	var list []supply
	for _, e := range entries {
		get := func(name string) string { return attribute(sys, path.Join(dir, e.Name(), name)) }
		s := supply{name: clean(e.Name()), kind: kindOf(get("type")), status: get("status"), percent: percent(get("capacity"))}
		if s.kind == other || get("scope") == "Device" || get("present") == "0" {
			continue
		}
		// Besides 0 there are 1, and 2 for a programmable supply.
		online := get("online")
		s.online = online != "" && online != "0"
		list = append(list, s)
	}
	return list
}

// percent returns -1 for what is no percentage.
func percent(text string) int {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || n > 100 {
		return -1
	}
	return int(n)
}

// onMains concludes from what supplies say. An uninterruptible power supply
// that discharges stands before the computer and overrules the rest. Otherwise
// a supply that delivers settles it. Without a battery one that does not
// deliver means nothing: it may be a socket for charging other devices.
func onMains(list []supply) *bool {
	yes, no := true, false
	counts := count(list)
	switch {
	case counts[ups].discharging > 0:
		return &no
	case counts[outside].online > 0:
		return &yes
	case counts[battery].discharging > 0:
		return &no
	case counts[battery].charging+counts[ups].charging > 0:
		return &yes
	case counts[battery].all > 0 && counts[outside].all > 0:
		return &no
	case counts[battery].idle+counts[ups].idle > 0:
		return &yes
	}
	return nil
}

// tally counts supplies of one kind.
type tally struct{ all, online, charging, discharging, idle int }

func count(list []supply) map[kind]tally {
	counts := map[kind]tally{}
	for _, s := range list {
		c := counts[s.kind]
		c.all++
		if s.online {
			c.online++
		}
		switch s.status {
		case "Charging":
			c.charging++
		case "Discharging":
			c.discharging++
		case "Full", "Not charging":
			c.idle++
		}
		counts[s.kind] = c
	}
	return counts
}

// batteries describes all that can run empty.
func batteries(list []supply) string {
	var parts []string
	for _, s := range list {
		if s.kind != battery && s.kind != ups {
			continue
		}
		text := s.name
		if s.status != "" {
			text += " " + strings.ToLower(s.status)
		}
		if s.percent >= 0 {
			text += fmt.Sprintf(", %d %%", s.percent)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// maxTextBytes is the length of the longest text that is shown.
const maxTextBytes = 100

// attribute reads a text attribute, "" where there is none.
func attribute(fsys fs.FS, name string) string {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return ""
	}
	return clean(string(b))
}

// clean cuts white space and puts U+FFFD for what is not printable text: it
// ends on a terminal.
func clean(s string) string {
	s = strings.TrimSpace(s[:min(len(s), maxTextBytes)])
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}
