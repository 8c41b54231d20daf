package nvme

// Risk is what a command can break although it leaves user data alone.
type Risk struct {
	// Name is a word that names it, with which a user agrees.
	Name string
	// Text says what can happen.
	Text string
	// Never is set for a command that only the host's driver can send: sent by
	// anybody else it takes the drive, or the memory of the host, out of the
	// driver's hands.
	Never bool
}

// RisksOf returns what a command can break besides what [EffectOf] says; none
// for most commands, and for those that only read.
//
// Source: NVM Express Base Specification, Revision 2.1, the section of each
// feature; and what the Linux driver does once, when it starts a controller, and
// never looks at again.
func RisksOf(c *Command) []Risk {
	if c.Queue != AdminQueue {
		return nil
	}
	switch c.Opcode {
	case AdminDeleteIOSQ, AdminCreateIOSQ, AdminDeleteIOCQ, AdminCreateIOCQ, AdminDoorbellBufferConfig:
		return never("driver-queues", "the queues belong to the host's driver, which would write to queues that are not there any more")
	case AdminAsynchronousEventRequest:
		return never("driver-events", "events are answered to the host's driver, which waits for them; this command would not return")
	case AdminFabrics:
		return never("driver-connection", "a fabrics command changes the connection that it came through")
	case AdminSetFeatures:
		if risk, ok := featureRisks[FID(c.CDW10)]; ok {
			return risk(c)
		}
	}
	return nil
}

func never(name, text string) []Risk { return []Risk{{Name: name, Text: text, Never: true}} }

// risky is the risk of a feature whatever its value is.
func risky(name, text string) func(*Command) []Risk {
	return func(*Command) []Risk { return []Risk{{Name: name, Text: text}} }
}

// riskyIf is risky for some values only.
func riskyIf(is func(*Command) bool, name, text string) func(*Command) []Risk {
	return func(c *Command) []Risk {
		if !is(c) {
			return nil
		}
		return []Risk{{Name: name, Text: text}}
	}
}

// featureRisks has the features of which a value can cripple a drive or a host.
var featureRisks = map[FID]func(*Command) []Risk{
	FIDLBARangeType: risky("ranges", "ranges of blocks can be hidden from the operating system"),
	FIDErrorRecovery: riskyIf(func(c *Command) bool { return c.CDW11 != 0 }, "error-recovery",
		"a time limit makes the drive give up blocks that it could still read, and DULBE makes blocks that were never written unreadable"),
	FIDVolatileWriteCache: riskyIf(func(c *Command) bool { return c.CDW11&1 != 0 }, "write-cache",
		"the kernel looks whether there is a write cache when it attaches the drive: one that is turned on later is never flushed, and what is in it is lost with the power"),
	FIDNumberOfQueues: func(*Command) []Risk {
		return never("queues", "the number of queues is agreed on once, by the host's driver, before it makes them")
	},
	FIDAsynchronousEvents: risky("events", "the kernel chose the events that it acts on, such as new namespaces, and does not choose again"),
	FIDHostMemoryBuffer:   hostMemoryRisks,
	FIDKeepAliveTimer:     risky("keep-alive", "the drive ends the connection when the host's driver, which knows another time, is late"),
	FIDHostBehavior:       risky("host-behavior", "it tells the drive what the host's driver can do, which the driver has told already: LBA formats and commands can go away"),
	FIDSanitizeConfig:     risky("sanitize-config", "it decides whether a later sanitize fails that should leave blocks allocated"),
	FIDCommandSetProfile:  risky("command-sets", "namespaces of other command sets go away"),
	FIDDataPlacement:      risky("data-placement", "the drive divides its capacity anew, and refuses writes that do not name a place"),
	FIDControllerDataQueue: func(*Command) []Risk {
		return never("data-queue", "the drive writes to the memory of the host that the queue is in, which belongs to the host's driver")
	},
	FIDHostIdentifier:          risky("host-identifier", "reservations are held by the host identifier: this host loses those that it holds"),
	FIDNamespaceWriteProtected: protectionRisks,
	FIDBootPartitionProtection: riskyIf(func(c *Command) bool { return c.CDW11&7 == bootLocked || c.CDW11>>3&7 == bootLocked }, "boot-partition-lock",
		"the boot partition cannot be written until the power was off"),
}

// bootLocked is Write Locked Until Power Cycle.
const bootLocked = 3

// hostMemoryRisks: a buffer is memory of the host, so that nobody but its driver
// can give one.
func hostMemoryRisks(c *Command) []Risk {
	const enable = 1
	if c.CDW11&enable != 0 {
		return never("host-memory", "the drive would read and write memory of the host at the addresses given, whatever is there")
	}
	return []Risk{{Name: "host-memory-off", Text: "the drive loses the memory that the kernel gave it, and is slower until it is reset"}}
}

// protectionRisks are those of the states of namespace write protection.
func protectionRisks(c *Command) []Risk {
	switch c.CDW11 & 7 {
	case 0:
		return nil
	case 1:
		return []Risk{{Name: "write-protect", Text: "every write fails until the protection is taken away again; file systems that are mounted fail with it"}}
	case 2:
		return []Risk{{Name: "write-protect-until-power-cycle", Text: "every write fails, and nothing takes the protection away until the power was off"}}
	}
	return []Risk{{Name: "write-protect-permanently", Text: "the namespace can never be written or erased again, and nothing takes the protection away"}}
}
