package nvme

// Access is what a command does at worst to what a drive holds. The zero value
// is the worst.
type Access uint8

// The kinds of access.
const (
	// Destroys: user data can be lost, changed or taken away.
	Destroys Access = iota
	// Changes: settings, firmware or the state of the drive can change, user
	// data stay as they are and where they are.
	Changes
	// Reads: nothing changes that a user would miss.
	Reads
)

// String returns "destroys", "changes" or "reads".
func (a Access) String() string {
	switch a {
	case Changes:
		return "changes"
	case Reads:
		return "reads"
	}
	return "destroys"
}

// Reach is whose user data a command can destroy. The zero value is the widest.
type Reach uint8

// The reaches.
const (
	// ReachSubsystem: all namespaces of the NVM subsystem, attached to this
	// controller or not.
	ReachSubsystem Reach = iota
	// ReachNamespace: the namespace of the command.
	ReachNamespace
	// ReachNothing: no user data; with every access but Destroys.
	ReachNothing
)

// String returns "subsystem", "namespace" or "nothing".
func (r Reach) String() string {
	switch r {
	case ReachNamespace:
		return "namespace"
	case ReachNothing:
		return "nothing"
	}
	return "subsystem"
}

// Effect is what a command does at worst, and to what. The zero value is the
// worst: it destroys everything.
type Effect struct {
	// Access is what it does.
	Access Access
	// Reach is whose user data it can destroy.
	Reach Reach
	// NSID is the namespace of ReachNamespace, else 0.
	NSID NSID
	// Why is the rule in a few words, such as "a format is one of all namespaces
	// (FNA bit 0)".
	Why string
}

// rule decides what one opcode does. The Identify data may be nil.
type rule func(c *Command, id *IdentifyController) Effect

// EffectOf returns what a command does at worst, from its opcode and fields and
// from what the controller says about Format NVM. Without Identify data (nil) a
// format reaches everything.
//
// What is not known destroys everything: reserved and vendor specific opcodes,
// reserved values of a field that decides, commands whose content another
// specification defines (Security Send, NVMe-MI Send, Fabrics), and commands that
// take the queues out of the hands of the host's driver. So does a command that
// destroys and does not name one namespace (NSID 0 or [BroadcastNSID]).
//
// The opcodes of the I/O queue are those of the NVM and the Zoned Namespace
// command sets. The Key Value command set gives some of them another meaning,
// which is no worse for any of them.
//
// Source: NVM Express Base Specification, Revision 2.0, Admin Command Set; NVM
// Command Set Specification, Revision 1.0, NVM Command Set Commands; Zoned
// Namespace Command Set Specification, Revision 1.1, Zoned Namespace Commands.
func EffectOf(c *Command, id *IdentifyController) Effect {
	rules, vendor := adminRules, uint8(firstVendorAdminOpcode)
	switch c.Queue {
	case AdminQueue:
	case IOQueue:
		rules, vendor = ioRules, firstVendorIOOpcode
	default:
		return destroysAll("the queue is not known")
	}
	if r, ok := rules[c.Opcode]; ok {
		return r(c, id)
	}
	if c.Opcode >= vendor {
		return destroysAll("what a vendor specific command does is not known")
	}
	return destroysAll("what a reserved opcode does is not known")
}

func destroysAll(why string) Effect { return Effect{Why: why} }

// destroysNamespace is destroysAll for a command without a namespace.
func destroysNamespace(nsid NSID, why string) Effect {
	switch nsid {
	case 0:
		return destroysAll(why + ", and the command names none")
	case BroadcastNSID:
		return destroysAll(why + ", and the command names all")
	}
	return Effect{Access: Destroys, Reach: ReachNamespace, NSID: nsid, Why: why}
}

func changes(why string) Effect { return Effect{Access: Changes, Reach: ReachNothing, Why: why} }

func reads(why string) Effect { return Effect{Access: Reads, Reach: ReachNothing, Why: why} }

// always is the rule of an opcode whose fields do not matter.
func always(e Effect) rule {
	return func(*Command, *IdentifyController) Effect { return e }
}

// writes is the rule of an opcode that writes to its namespace.
func writes(why string) rule {
	return func(c *Command, _ *IdentifyController) Effect { return destroysNamespace(c.NSID, why) }
}
