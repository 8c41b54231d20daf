package sim

import "qd1.example/qd1/nvme"

// enduranceGroups is the bit of CTRATT for endurance groups.
const enduranceGroups = 1 << 4

// checkEnduranceGroup refuses a group that the drive does not have: there is
// one, number 1.
//
// Source: NVM Express Base Specification, Revision 2.0, Endurance Group
// Information Log Page: the Log Specific Identifier is the group.
func (c *controller) checkEnduranceGroup(cmd *nvme.Command) reply {
	group := cmd.CDW11 >> 16
	if c.id.CTRATT&enduranceGroups == 0 || group == 0 || group > uint32(c.id.ENDGIDMAX) {
		return refuse(nvme.StatusInvalidField, inCDW11+2)
	}
	return reply{}
}

// billions is the unit of the counters of an endurance group.
const billions = 1_000_000_000

// mediaWriteFactor is how much more than the host writes reaches the medium,
// percent.
const mediaWriteFactor = 130

// endurancePage returns the Endurance Group Information log. It tells of the
// same medium as the SMART log.
//
// Source: NVM Express Base Specification, Revision 2.0, Endurance Group
// Information Log Page: units of a billion bytes, rounded up.
func (c *controller) endurancePage() []byte {
	s := c.smartLog()
	up := func(units uint64) nvme.Uint128 {
		return nvme.U128((units*(nvme.DataUnit/1000) + billions/1000 - 1) / (billions / 1000))
	}
	written := up(s.DataUnitsWritten.Lo)
	return encode(&nvme.EnduranceGroupLog{
		CriticalWarning: s.CriticalWarning & (nvme.WarningAvailableSpare | nvme.WarningReliability | nvme.WarningReadOnly),
		AvailableSpare:  s.AvailableSpare, AvailableSpareThreshold: s.AvailableSpareThreshold,
		PercentageUsed: s.PercentageUsed, EnduranceEstimate: nvme.U128(uint64(c.personality.enduranceBytes) / billions),
		DataUnitsRead: up(s.DataUnitsRead.Lo), DataUnitsWritten: written,
		MediaUnitsWritten: nvme.U128(written.Lo * mediaWriteFactor / 100),
		HostReadCommands:  s.HostReadCommands, HostWriteCommands: s.HostWriteCommands,
		MediaErrors: s.MediaErrors, ErrorLogEntries: s.ErrorLogEntries,
		TotalCapacity: c.id.TNVMCAP, UnallocatedCapacity: c.id.UNVMCAP,
	})
}
