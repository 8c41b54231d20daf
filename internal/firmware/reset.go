package firmware

// Reset is a reset that activates firmware.
type Reset string

// The resets, from nothing to the most. ResetAsNeeded is a wish, not a reset.
//
// Source: NVM Express Base Specification, Revision 2.1, Firmware Commit
// command, Command Specific Status Values; Controller Level Reset; NVM
// Subsystem Reset.
const (
	ResetAsNeeded     Reset = "as-needed"
	NoReset           Reset = "none"
	ControllerReset   Reset = "controller"
	SubsystemReset    Reset = "subsystem"
	ConventionalReset Reset = "conventional"
	PowerCycle        Reset = "power-cycle"
)

// rank orders the resets: one does what those of a lower rank do.
func (r Reset) rank() int {
	switch r {
	case ControllerReset:
		return 1
	case SubsystemReset:
		return 2
	case ConventionalReset:
		return 3
	case PowerCycle:
		return 4
	}
	return 0
}

// here reports whether this program can do the reset.
func (r Reset) here() bool { return r == ControllerReset || r == SubsystemReset }

// Words says what the user has to do.
func (r Reset) Words() string {
	switch r {
	case NoReset:
		return "no reset"
	case ControllerReset:
		return "a controller reset: nvme reset does it, and a restart of the computer too"
	case SubsystemReset:
		return "an NVM subsystem reset (nvme subsystem-reset), or a restart of the computer"
	case ConventionalReset:
		return "a conventional reset of the PCI Express slot: restart the computer; if that does not do, switch its power off"
	case PowerCycle:
		return "a power cycle: shut the computer down and switch its power off; a restart is not enough"
	}
	return string(r)
}

// name names it in a sentence.
func (r Reset) name() string {
	switch r {
	case NoReset:
		return "no reset"
	case ControllerReset:
		return "a controller reset"
	case SubsystemReset:
		return "an NVM subsystem reset"
	case ConventionalReset:
		return "a conventional reset"
	}
	return "a power cycle"
}

// most returns the greater of two resets.
func most(a, b Reset) Reset {
	if b.rank() > a.rank() {
		return b
	}
	return a
}
