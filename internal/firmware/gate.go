package firmware

import (
	"fmt"
	"strings"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/hostpower"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// HealthGate refuses a drive that says it is failing, unless that was accepted.
func HealthGate(w nvme.CriticalWarning, accepted bool) guard.Check {
	c := guard.Check{Check: "critical warning", Result: guard.Pass, Text: "the drive reports no critical warning"}
	if w == 0 {
		return c
	}
	var what []string
	for _, x := range []struct {
		bit  nvme.CriticalWarning
		text string
	}{
		{nvme.WarningReadOnly, "its medium is read-only"},
		{nvme.WarningReliability, "its reliability is degraded"},
	} {
		if w&x.bit != 0 {
			what = append(what, x.text)
		}
	}
	if len(what) == 0 {
		what = []string{"see qd1 smart"}
	}
	c.Text = fmt.Sprintf("the drive reports a critical warning (%02Xh): %s; an update can be its last", uint8(w), strings.Join(what, ", "))
	if accepted {
		c.Warning = true
		return c
	}
	c.Result, c.Hint = guard.Refuse, "save what is on it first; if the maker prescribes this firmware for the fault, add --accept-health"
	return c
}

// PowerGate refuses while the computer runs on battery.
func PowerGate(s hostpower.State) guard.Check {
	if s.OnMains != nil && !*s.OnMains {
		return guard.Check{
			Check: "mains", Result: guard.Refuse, Hint: "connect the mains",
			Text: "this computer runs on battery, and a loss of power while the drive writes its firmware can ruin it",
		}
	}
	return guard.Check{Check: "mains", Result: guard.Pass, Text: "this computer is not known to run on battery"}
}

// JobGate refuses while another kind of job of the drive is unfinished, and says
// what is known of updates that were broken off.
func JobGate(unfinished []journal.Record, now *Firmware) (guard.Check, []string) {
	c := guard.Check{Check: "jobs", Result: guard.Pass, Text: "no job of the drive was broken off"}
	told := []string{}
	for i := range unfinished {
		j := &unfinished[i]
		if j.Kind != Kind {
			c.Result, c.Text = guard.Refuse, fmt.Sprintf("a job of the kind %q was broken off on this drive (%s)", j.Kind, j.ID)
			c.Hint = "end that first: qd1 " + j.Kind + " status"
			continue
		}
		told = append(told, Known(j, now))
	}
	if len(told) > 0 && c.Result == guard.Pass {
		c.Warning, c.Text = true, "an update of this drive was broken off"
	}
	return c, told
}

// ResetGate refuses a reset that was asked for while somebody uses the drive.
func ResetGate(r Reset, users []string) guard.Check {
	c := guard.Check{Check: "reset", Result: guard.Pass, Text: "the drive is not reset while somebody uses it"}
	if len(users) == 0 || !r.here() {
		return c
	}
	c.Result = guard.Refuse
	c.Text = fmt.Sprintf("--reset %s was asked for, and the drive is in use: %s", r, strings.Join(users, "; "))
	c.Hint = "end the use first, or leave --reset out: the firmware then waits for the next reset (exit status 9)"
	return c
}
