package sim

import (
	"encoding/binary"
	"time"

	"qd1.example/qd1/nvme"
)

// applyFeatures gives the model the values of features that it acts on.
func (c *controller) applyFeatures() {
	c.thermal.warm, c.thermal.critical = c.id.WCTEMP, c.id.CCTEMP
	if _, ok := c.personality.features[nvme.FIDThermalManagement]; ok {
		c.setThermal(featureKey{}, c.feature(nvme.FIDThermalManagement))
	}
	if c.id.VWC&1 != 0 {
		c.setWriteCache(featureKey{}, c.feature(nvme.FIDVolatileWriteCache))
	}
	if c.personality.intel != nil {
		c.setLatencyTracking(featureKey{}, c.feature(fidLatencyTracking))
	}
}

// checkPowerState refuses a power state that the drive does not have.
//
// Source: NVM Express Base Specification, Revision 2.0, Power Management.
func (c *controller) checkPowerState(cmd *nvme.Command) reply {
	if cmd.CDW11&0x1F > uint32(c.id.NPSS) {
		return refuse(nvme.StatusInvalidField, inCDW11)
	}
	return reply{}
}

// Parts of CDW11 of Temperature Threshold: TMPSEL and THSEL.
const (
	thresholdSensor = 0xF << 16
	thresholdType   = 3 << 20
	// underThreshold is the bit of featureKey.sel that stands for THSEL 1.
	underThreshold = 1
)

// whichThreshold returns which temperature threshold a command means: that of
// the composite temperature, or of a sensor that the drive has; over, or since
// NVMe 1.2 also under. Setting all at once is not in the model.
//
// Source: NVM Express Base Specification, Revision 2.0, Temperature Threshold.
func (c *controller) whichThreshold(cmd *nvme.Command) (uint16, reply) {
	sensor, kind := cmd.CDW11&thresholdSensor>>16, cmd.CDW11&thresholdType>>20
	there := sensor == 0 || sensor <= 8 && c.smart.TemperatureSensors[sensor-1] != 0
	if !there || kind > 1 || kind == 1 && !c.id.Version.AtLeast(1, 2) {
		return 0, refuse(nvme.StatusInvalidField, inCDW11+2)
	}
	return uint16(sensor<<1 | kind), reply{}
}

// onlyThreshold keeps the temperature and not the selection.
func onlyThreshold(_ featureKey, v featureValue) featureValue {
	return featureValue{dword: v.dword & 0xFFFF, data: v.data}
}

// interruptVector returns the vector that a command means.
//
// Source: NVM Express Base Specification, Revision 2.0, Interrupt Vector
// Configuration.
func interruptVector(cmd *nvme.Command) (uint16, reply) { return uint16(cmd.CDW11), reply{} }

// setWriteCache turns the volatile write cache on or off.
//
// Source: NVM Express Base Specification, Revision 2.0, Volatile Write Cache.
func (c *controller) setWriteCache(_ featureKey, v featureValue) featureValue {
	for _, n := range c.spaces.Load().list {
		if n != nil {
			n.store.setCached(v.dword&1 != 0)
		}
	}
	return featureValue{dword: v.dword & 1, data: v.data}
}

// checkQueues and setQueues are the Number of Queues feature: the drive
// allocates what is asked for, up to what the profile has. Both are 0's based.
//
// Source: NVM Express Base Specification, Revision 2.0, Number of Queues:
// FFFFh is an Invalid Field in Command.
func (c *controller) checkQueues(cmd *nvme.Command) reply {
	if cmd.CDW11&0xFFFF == 0xFFFF || cmd.CDW11>>16 == 0xFFFF {
		return refuse(nvme.StatusInvalidField, inCDW11)
	}
	return reply{}
}

func (c *controller) setQueues(_ featureKey, v featureValue) featureValue {
	most := c.personality.features[nvme.FIDNumberOfQueues]
	v.dword = min(v.dword&0xFFFF, most&0xFFFF) | min(v.dword>>16, most>>16)<<16
	return v
}

// checkTransitions refuses a table of autonomous power state transitions with
// a transition to a state that is not there or is operational.
//
// Source: NVM Express Base Specification, Revision 2.0, Autonomous Power State
// Transition: ITPS, bits 7:3 of each 8-byte entry, is a non-operational state;
// ITPT, bits 31:8, of 0 turns the transition off.
func (c *controller) checkTransitions(cmd *nvme.Command) reply {
	for i := range int(c.id.NPSS) + 1 {
		entry := binary.LittleEndian.Uint64(cmd.Data[i*8:])
		to, idle := int(entry>>3&0x1F), entry>>8&0xFFFFFF
		if idle == 0 {
			continue
		}
		if to > int(c.id.NPSS) || !c.id.PSD[to].NonOperational() {
			return refuse(nvme.StatusInvalidField, inPointer)
		}
	}
	return reply{}
}

// Parts of the Timestamp feature: 6 bytes of milliseconds, and the origin in
// bits 3:1 of byte 6.
const (
	timestampSet  = 1 << 1
	timestampMask = 1<<48 - 1
)

// setTimestamp keeps a timestamp as the difference from the model's time.
//
// Source: NVM Express Base Specification, Revision 2.0, Timestamp.
func (c *controller) setTimestamp(_ featureKey, v featureValue) featureValue {
	host := binary.LittleEndian.Uint64(v.data) & timestampMask
	c.remember(nvme.EventTimestampChange, binary.LittleEndian.AppendUint64(
		binary.LittleEndian.AppendUint64(nil, c.timestamp()), uint64(c.now().Sub(c.started).Milliseconds())))
	return featureValue{data: binary.LittleEndian.AppendUint64(nil, host-uint64(c.now().Sub(c.started).Milliseconds()))}
}

func (c *controller) getTimestamp(featureValue) featureValue {
	b := binary.LittleEndian.AppendUint64(nil, c.timestamp()&timestampMask)
	if _, ok := c.features.current[featureKey{fid: nvme.FIDTimestamp}]; ok {
		b[6] = timestampSet
	}
	return featureValue{data: b}
}

// timestamp returns the drive's time in milliseconds: what the host set, or
// from when it was opened.
func (c *controller) timestamp() uint64 {
	var base uint64
	if v, ok := c.features.current[featureKey{fid: nvme.FIDTimestamp}]; ok {
		base = binary.LittleEndian.Uint64(v.data)
	}
	return base + uint64(c.now().Sub(c.started)/time.Millisecond)
}

// checkThermal refuses thermal management temperatures that are out of range or
// in the wrong order. 0 turns one off.
//
// Source: NVM Express Base Specification, Revision 2.0, Host Controlled
// Thermal Management: TMT1 in bits 31:16, TMT2 in bits 15:0.
func (c *controller) checkThermal(cmd *nvme.Command) reply {
	one, two := nvme.Kelvin(cmd.CDW11>>16), nvme.Kelvin(cmd.CDW11)
	for _, k := range []nvme.Kelvin{one, two} {
		if k != 0 && (k < c.id.MNTMT || k > c.id.MXTMT) {
			return refuse(nvme.StatusInvalidField, inCDW11)
		}
	}
	if one != 0 && two != 0 && one >= two {
		return refuse(nvme.StatusInvalidField, inCDW11)
	}
	return reply{}
}

func (c *controller) setThermal(_ featureKey, v featureValue) featureValue {
	c.thermal.limits = [2]nvme.Kelvin{nvme.Kelvin(v.dword >> 16), nvme.Kelvin(v.dword)}
	return v
}

// whichSet and checkRecoveryLevel are the Read Recovery Level Config feature. A
// drive without NVM sets has set 0.
//
// Source: NVM Express Base Specification, Revision 2.0, Read Recovery Level
// Config: the level, CDW12 bits 3:0, must be one of RRLS.
func (c *controller) whichSet(cmd *nvme.Command) (uint16, reply) {
	if cmd.CDW11&0xFFFF != 0 {
		return 0, refuse(nvme.StatusInvalidField, inCDW11)
	}
	return 0, reply{}
}

func (c *controller) checkRecoveryLevel(cmd *nvme.Command) reply {
	if c.id.RRLS>>(cmd.CDW12&0xF)&1 == 0 {
		return refuse(nvme.StatusInvalidField, inCDW12)
	}
	return reply{}
}

// checkHostBehavior refuses values that are not 0 or 1.
//
// Source: NVM Express Base Specification, Revision 2.0, Host Behavior Support:
// byte 0, Advanced Command Retry Enable.
func checkHostBehavior(cmd *nvme.Command) reply {
	if cmd.Data[0] > 1 {
		return refuse(nvme.StatusInvalidField, inPointer)
	}
	return reply{}
}

// The states of namespace write protection.
const (
	protectNone        = 0
	protectYes         = 1
	protectUntilCycle  = 2
	protectPermanently = 3
)

// checkProtection refuses a state that the drive does not have, or any change
// of one that is permanent.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace Write
// Protection Config: Feature Not Changeable in the permanent state, and until
// the next power cycle; NWPC bits 1 and 2.
func (c *controller) checkProtection(cmd *nvme.Command) reply {
	state := cmd.CDW11 & 7
	if state > protectPermanently ||
		state == protectUntilCycle && c.id.NWPC&2 == 0 || state == protectPermanently && c.id.NWPC&4 == 0 {
		return refuse(nvme.StatusInvalidField, inCDW11)
	}
	now, _ := c.featureAt(featureKey{fid: nvme.FIDNamespaceWriteProtected, nsid: cmd.NSID})
	if now.dword >= protectUntilCycle {
		return refuse(nvme.StatusFeatureNotChangeable, inCDW10)
	}
	return reply{}
}

func (c *controller) setProtection(key featureKey, v featureValue) featureValue {
	v.dword &= 7
	c.edit(key.nsid, func(n *namespace) {
		switch {
		case c.personality.readOnly:
		case v.dword == protectNone:
			n.protected = 0
		default:
			n.protected = nvme.StatusNamespaceWriteProtected
			n.store.flush()
		}
	})
	return v
}

// endProtection is a power cycle: protection until then is over.
func (c *controller) endProtection() {
	for k, v := range c.features.current {
		if k.fid == nvme.FIDNamespaceWriteProtected && v.dword == protectUntilCycle {
			delete(c.features.current, k)
			if c.spaces.Load().at(k.nsid) != nil {
				c.setProtection(k, featureValue{})
			}
		}
	}
}

// anyProtected reports whether a write to some namespace of a list is refused,
// and with what.
func (c *controller) anyProtected(nsids []nvme.NSID) nvme.Status {
	for _, nsid := range nsids {
		if n := c.spaces.Load().at(nsid); n != nil && n.protected != 0 {
			return n.protected
		}
	}
	return nvme.StatusSuccess
}
