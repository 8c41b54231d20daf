package nvme

// adminRules has every opcode of the admin queue that is in this package.
var adminRules = map[uint8]rule{
	AdminGetLogPage:     always(reads("a log page is read")),
	AdminIdentify:       always(reads("an identify structure is read")),
	AdminGetFeatures:    always(reads("a feature is read")),
	AdminGetLBAStatus:   always(reads("the status of blocks is read")),
	AdminKeepAlive:      always(changes("a timer starts again")),
	AdminAbort:          always(changes("another command is ended")),
	AdminDeviceSelfTest: always(changes("a test runs, which leaves user data alone")),

	AdminAsynchronousEventRequest: always(changes("an event is taken from the host's driver")),
	AdminSetFeatures:              setFeatures,
	AdminFirmwareCommit:           always(changes("firmware is changed")),
	AdminFirmwareImageDownload:    always(changes("firmware is transferred")),
	AdminDirectiveSend:            always(changes("directives are changed")),
	AdminDirectiveReceive:         always(changes("resources of directives can be allocated")),
	AdminVirtualizationManagement: always(changes("resources of controllers are changed")),
	AdminNVMeMIReceive:            always(changes("a management message is received")),
	AdminLockdown:                 always(changes("commands are prohibited")),

	AdminFormatNVM:           formatNVM,
	AdminSanitize:            always(destroysAll("a sanitize is one of the whole NVM subsystem")),
	AdminNamespaceManagement: namespaceManagement,
	AdminNamespaceAttachment: namespaceAttachment,
	AdminCapacityManagement:  always(destroysAll("endurance groups and NVM sets are changed with their namespaces")),

	AdminSecurityReceive: securityReceive,
	AdminSecuritySend:    always(destroysAll("a security protocol can erase the drive")),
	AdminNVMeMISend:      always(destroysAll("what a management message does is not known")),
	AdminFabrics:         always(destroysAll("what a fabrics command does is not known")),

	AdminDeleteIOSQ:           always(destroysAll(driverQueues)),
	AdminCreateIOSQ:           always(destroysAll(driverQueues)),
	AdminDeleteIOCQ:           always(destroysAll(driverQueues)),
	AdminCreateIOCQ:           always(destroysAll(driverQueues)),
	AdminDoorbellBufferConfig: always(destroysAll(driverQueues)),
}

const driverQueues = "the queues of the host's driver are changed"

// ioRules has every opcode of the I/O queue that is in this package.
var ioRules = map[uint8]rule{
	IORead:                  always(reads("blocks are read")),
	IOCompare:               always(reads("blocks are compared")),
	IOVerify:                always(reads("blocks are read within the drive")),
	IOReservationReport:     always(reads("reservations are read")),
	IOZoneManagementReceive: always(reads("the state of zones is read")),

	IOFlush:               always(changes("what was written goes to the medium")),
	IOReservationRegister: always(changes("reservations are changed")),
	IOReservationAcquire:  always(changes("reservations are changed")),
	IOReservationRelease:  always(changes("reservations are changed")),

	IOWrite:              writes("blocks of the namespace are written"),
	IOWriteZeroes:        writes("blocks of the namespace are written"),
	IOWriteUncorrectable: writes("blocks of the namespace are made unreadable"),
	IODatasetManagement:  datasetManagement,
	IOCopy:               writes("blocks of the namespace are written"),
	IOZoneManagementSend: writes("zones of the namespace can be reset"),
	IOZoneAppend:         writes("blocks of the namespace are written"),
}

// formatNVM follows FNA: bit 0 makes a format one of all namespaces, bit 1 does
// that for the secure erase of a format. With a secure erase and bit 0 alone the
// specification erases the one namespace, but the format that goes with it is
// still one of all namespaces, which have one LBA format together; drives differ
// in what they do, so that everything counts as reached. Without a secure erase
// bit 1 means nothing.
//
// A format of [BroadcastNSID] is one of the namespaces that are attached to the
// controller, of all where the bits say so; it counts as one of all.
func formatNVM(c *Command, id *IdentifyController) Effect {
	switch {
	case c.NSID == 0 || c.NSID == BroadcastNSID:
		return destroysNamespace(c.NSID, "a namespace is formatted")
	case id == nil:
		return destroysAll("how far a format reaches is not known")
	case id.FNA&FNAFormatAll != 0:
		return destroysAll("a format is one of all namespaces (FNA bit 0)")
	case id.FNA&FNAEraseAll != 0 && ParseFormatNVM(c).SES != SecureEraseNone:
		return destroysAll("a secure erase is one of all namespaces (FNA bit 1)")
	}
	return destroysNamespace(c.NSID, "the namespace is formatted")
}

// namespaceManagement follows Select (SEL): 0 creates, 1 deletes.
func namespaceManagement(c *Command, _ *IdentifyController) Effect {
	switch c.CDW10 & 0xF {
	case 0:
		return changes("a namespace is created")
	case 1:
		return destroysNamespace(c.NSID, "the namespace is deleted")
	}
	return destroysAll("what this kind of namespace management does is not known")
}

// namespaceAttachment follows Select (SEL): 0 attaches, 1 detaches, which takes
// the namespace away from whoever uses it.
func namespaceAttachment(c *Command, _ *IdentifyController) Effect {
	switch c.CDW10 & 0xF {
	case 0:
		return changes("a namespace is attached")
	case 1:
		return destroysNamespace(c.NSID, "the namespace is detached")
	}
	return destroysAll("what this kind of namespace attachment does is not known")
}

// setFeatures knows the features of the specification; those of a vendor can
// change the size of a namespace and more.
func setFeatures(c *Command, _ *IdentifyController) Effect {
	fid := FID(c.CDW10)
	if fid >= firstVendorFID {
		return destroysAll("what a vendor specific feature does is not known")
	}
	if _, ok := fidNames[fid]; !ok {
		return destroysAll("what this feature does is not known")
	}
	return changes("a feature is set")
}

// securityReceive knows what a drive always says. The answer to an earlier
// Security Send goes away when it is read.
func securityReceive(c *Command, _ *IdentifyController) Effect {
	if discovers(c) {
		return reads("security protocols are listed")
	}
	return changes("the answer of a security protocol is taken")
}

// datasetManagement follows Attribute - Deallocate (AD); the other attributes are
// hints.
func datasetManagement(c *Command, _ *IdentifyController) Effect {
	const deallocate = 1 << 2
	if c.CDW11&deallocate == 0 {
		return changes("hints about blocks are given")
	}
	return destroysNamespace(c.NSID, "blocks of the namespace are deallocated")
}
