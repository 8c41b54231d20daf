package sim

import (
	"maps"
	"slices"

	"qd1.example/qd1/nvme"
)

// featureKey says which value of a feature is meant.
type featureKey struct {
	fid nvme.FID
	// sel selects one of several values: the threshold of a temperature, an
	// interrupt vector, an NVM set.
	sel uint16
	// nsid is 0 for a feature of the controller.
	nsid nvme.NSID
}

// featureValue is the value of a feature: a dword, or data.
type featureValue struct {
	dword uint32
	data  []byte
}

// features are the values that differ from the defaults.
type features struct{ current, saved map[featureKey]featureValue }

func newFeatures() features {
	return features{current: map[featureKey]featureValue{}, saved: map[featureKey]featureValue{}}
}

// reset is a controller level reset: saved values come back, and the defaults
// elsewhere.
//
// Source: NVM Express Base Specification, Revision 2.0, Features: a value that
// was not saved does not last over a reset, but for those that the table says.
func (f *features) reset(rules map[nvme.FID]featureRule) {
	maps.DeleteFunc(f.current, func(k featureKey, _ featureValue) bool { return !rules[k.fid].lasts })
	maps.Copy(f.current, f.saved)
}

// featureRule is what is special about a feature.
type featureRule struct {
	// fixed is set for a feature that Set Features cannot change.
	fixed bool
	// saveable is set if the value can be kept over a reset.
	saveable bool
	// lasts is set if the value is kept over a reset without being saved.
	lasts bool
	// perNamespace is set for a feature of a namespace.
	perNamespace bool
	// bytes is the length of the data. 0 means that the value is a dword.
	bytes int
	// inCDW12 is set if the value is in CDW12 in place of CDW11.
	inCDW12 bool
	// where returns which value a command means; nil means that there is one.
	where func(*nvme.Command) (uint16, reply)
	// check refuses a new value. It may be nil.
	check func(*nvme.Command) reply
	// set, unless it is nil, makes a new value of the one that the host wants.
	set func(featureKey, featureValue) featureValue
	// get, unless it is nil, makes the value that the host gets.
	get func(featureValue) featureValue
}

// Lengths of the data of features.
const (
	apstBytes         = 256
	timestampBytes    = 8
	hostBehaviorBytes = 512
)

// featureRules returns the table of features. Which of them a drive has is the
// profile's matter.
//
// Source: NVM Express Base Specification, Revision 2.0, Set Features - Feature
// Identifiers, and the section of each feature.
func (c *controller) featureRules() map[nvme.FID]featureRule {
	rules := map[nvme.FID]featureRule{
		nvme.FIDArbitration:             {saveable: true},
		nvme.FIDPowerManagement:         {saveable: true, check: c.checkPowerState},
		nvme.FIDTemperatureThreshold:    {saveable: true, where: c.whichThreshold, set: onlyThreshold},
		nvme.FIDErrorRecovery:           {saveable: true, perNamespace: c.id.Version.AtLeast(2, 0)},
		nvme.FIDVolatileWriteCache:      {saveable: true, set: c.setWriteCache},
		nvme.FIDNumberOfQueues:          {check: c.checkQueues, set: c.setQueues},
		nvme.FIDInterruptCoalescing:     {saveable: true},
		nvme.FIDInterruptVector:         {where: interruptVector},
		nvme.FIDWriteAtomicity:          {saveable: true},
		nvme.FIDAsynchronousEvents:      {saveable: true},
		nvme.FIDAutonomousTransition:    {saveable: true, bytes: apstBytes, check: c.checkTransitions},
		nvme.FIDHostMemoryBuffer:        {},
		nvme.FIDTimestamp:               {bytes: timestampBytes, set: c.setTimestamp, get: c.getTimestamp},
		nvme.FIDKeepAliveTimer:          {},
		nvme.FIDThermalManagement:       {saveable: true, check: c.checkThermal, set: c.setThermal},
		nvme.FIDNonOperationalPower:     {saveable: true},
		nvme.FIDReadRecoveryLevel:       {inCDW12: true, where: c.whichSet, check: c.checkRecoveryLevel},
		nvme.FIDHostBehavior:            {bytes: hostBehaviorBytes, check: checkHostBehavior},
		nvme.FIDSanitizeConfig:          {saveable: true},
		nvme.FIDSoftwareProgressMarker:  {saveable: true, lasts: true},
		nvme.FIDNamespaceWriteProtected: {lasts: true, perNamespace: true, check: c.checkProtection, set: c.setProtection},
	}
	maps.Copy(rules, c.intelFeatures())
	return rules
}

// declared reports whether Identify Controller lets a drive have a feature
// that the profile lists. A ghost has none of the vendor.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller
// data structure: VWC, APSTA, HMPRE, ONCS, KAS, HCTMA, CTRATT, SANICAP, NWPC.
func (c *controller) declared(fid nvme.FID) bool {
	switch fid {
	case nvme.FIDVolatileWriteCache:
		return c.id.VWC&1 != 0
	case nvme.FIDAutonomousTransition:
		return c.id.APSTA&1 != 0
	case nvme.FIDHostMemoryBuffer:
		return c.id.HMPRE != 0
	case nvme.FIDTimestamp:
		return c.id.ONCS&nvme.ONCSTimestamp != 0
	case nvme.FIDKeepAliveTimer:
		return c.id.KAS != 0
	case nvme.FIDThermalManagement:
		return c.id.HCTMA&1 != 0
	case nvme.FIDNonOperationalPower:
		return c.id.CTRATT&2 != 0
	case nvme.FIDReadRecoveryLevel:
		return c.id.CTRATT&8 != 0
	case nvme.FIDSanitizeConfig:
		return c.id.SANICAP&sanitizeActions != 0
	case nvme.FIDNamespaceWriteProtected:
		return c.id.NWPC&1 != 0
	}
	return !c.ghost || fid < firstVendorID
}

// findFeature returns the rule of a feature, if the drive has it.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Features command
// and Set Features command: a feature that is not supported is an Invalid
// Field in Command.
func (c *controller) findFeature(cmd *nvme.Command) (featureRule, featureKey, reply) {
	fid := nvme.FID(cmd.CDW10)
	rule, known := c.rules[fid]
	_, listed := c.personality.features[fid]
	if !known && listed { // A captured feature that the model knows nothing of.
		rule, known = featureRule{fixed: true}, true
	}
	if !known || !listed || !c.declared(fid) {
		return rule, featureKey{}, refuse(nvme.StatusInvalidField, inCDW10)
	}
	key := featureKey{fid: fid}
	if rule.where != nil {
		var bad reply
		if key.sel, bad = rule.where(cmd); !bad.ok() {
			return rule, key, bad
		}
	}
	if rule.perNamespace {
		if cmd.NSID != nvme.BroadcastNSID && c.spaces.Load().active(cmd.NSID) == nil {
			return rule, key, c.noNamespace(cmd.NSID)
		}
		key.nsid = cmd.NSID
	}
	return rule, key, reply{}
}

// defaultFeature returns the value that a feature has from the factory. The
// value of the profile is that of the first of several.
func (c *controller) defaultFeature(key featureKey) (featureValue, bool) {
	rule := c.rules[key.fid]
	dword, ok := c.personality.features[key.fid]
	if key.sel != 0 {
		dword = 0
		if key.fid == nvme.FIDTemperatureThreshold && key.sel&underThreshold == 0 {
			dword = 0xFFFF
		}
	}
	return featureValue{dword: dword, data: make([]byte, rule.bytes)}, ok
}

// featureAt returns a current value.
func (c *controller) featureAt(key featureKey) (featureValue, bool) {
	if v, ok := c.features.current[key]; ok {
		return v, true
	}
	return c.defaultFeature(key)
}

// feature returns the current value of a feature of the controller.
func (c *controller) feature(fid nvme.FID) featureValue {
	v, _ := c.featureAt(featureKey{fid: fid})
	return v
}

// Values of Select in Get Features.
const (
	selectCurrent      = 0
	selectDefault      = 1
	selectSaved        = 2
	selectCapabilities = 3
)

// getFeatures answers the Get Features command.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Features Command:
// a feature that is not supported, and a Select where Save and Select are not
// supported (ONCS), are Invalid Field in Command. Without a saved value Select
// gives the default.
func (c *controller) getFeatures(cmd *nvme.Command) reply {
	rule, key, bad := c.findFeature(cmd)
	if !bad.ok() {
		return bad
	}
	sel := cmd.CDW10 >> 8 & 7
	if sel != selectCurrent && c.id.ONCS&nvme.ONCSSaveSelect == 0 || sel > selectCapabilities {
		return refuse(nvme.StatusInvalidField, inCDW10+1)
	}
	if sel == selectCapabilities {
		return success(uint64(c.capabilities(rule)))
	}
	value, _ := c.defaultFeature(key)
	switch saved, ok := c.features.saved[key]; {
	case sel == selectSaved && ok:
		value = saved
	case sel == selectCurrent:
		value, _ = c.featureAt(key)
		if rule.get != nil {
			value = rule.get(value)
		}
	}
	if rule.bytes > 0 {
		if len(cmd.Data) < rule.bytes {
			return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
		}
		fill(cmd, value.data)
	}
	return success(uint64(value.dword))
}

// capabilities returns the result of Select 3.
func (c *controller) capabilities(rule featureRule) uint32 {
	var bits uint32
	for i, set := range []bool{c.saveable(rule), rule.perNamespace, !rule.fixed} {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}

func (c *controller) saveable(rule featureRule) bool {
	return rule.saveable && c.id.ONCS&nvme.ONCSSaveSelect != 0
}

// saveFeature is the Save bit in CDW10.
const saveFeature = 1 << 31

// setFeatures answers the Set Features command.
//
// Source: NVM Express Base Specification, Revision 2.0, Set Features Command:
// Feature Identifier Not Saveable, Feature Not Changeable, Feature Not
// Namespace Specific.
func (c *controller) setFeatures(cmd *nvme.Command) reply {
	rule, key, bad := c.findFeature(cmd)
	switch {
	case !bad.ok():
		return bad
	case rule.fixed:
		return refuse(nvme.StatusFeatureNotChangeable, inCDW10)
	case cmd.CDW10&saveFeature != 0 && !c.saveable(rule):
		return refuse(nvme.StatusFeatureNotSaveable, inCDW10+3)
	case !rule.perNamespace && c.spaces.Load().active(cmd.NSID) != nil && c.id.Version.AtLeast(1, 2):
		return refuse(nvme.StatusFeatureNotNamespaceSpecific, inNSID)
	case len(cmd.Data) < rule.bytes:
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	if rule.check != nil {
		if bad := rule.check(cmd); !bad.ok() {
			return bad
		}
	}
	return c.keepFeature(rule, key, cmd)
}

// keepFeature keeps a new value.
func (c *controller) keepFeature(rule featureRule, key featureKey, cmd *nvme.Command) reply {
	v := featureValue{dword: cmd.CDW11, data: slices.Clone(cmd.Data[:rule.bytes])}
	if rule.inCDW12 {
		v.dword = cmd.CDW12
	}
	keys := []featureKey{key}
	if key.nsid == nvme.BroadcastNSID {
		keys = nil
		for _, nsid := range c.spaces.Load().ids(0, true) {
			keys = append(keys, featureKey{key.fid, key.sel, nsid})
		}
	}
	for _, k := range keys {
		if rule.set != nil {
			v = rule.set(k, v)
		}
		c.features.current[k] = v
		if cmd.CDW10&saveFeature != 0 {
			c.features.saved[k] = v
		}
	}
	if key.fid == nvme.FIDNumberOfQueues {
		return success(uint64(v.dword))
	}
	return success(0)
}
