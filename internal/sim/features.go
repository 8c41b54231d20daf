package sim

import (
	"context"

	"qd1.example/qd1/nvme"
)

// Feature Identifiers.
//
// Source: NVM Express Base Specification, Revision 2.0, Set Features - Feature
// Identifiers.
const (
	featureArbitration          = 0x01
	featurePowerManagement      = 0x02
	featureTemperatureThreshold = 0x04
	featureErrorRecovery        = 0x05
	featureNumberOfQueues       = 0x07
	featureInterruptCoalescing  = 0x08
	featureInterruptVector      = 0x09
	featureWriteAtomicity       = 0x0A
	featureAsynchronousEvents   = 0x0B
)

// otherThresholds are the bits of CDW11 that select a threshold other than the
// over temperature one of the composite temperature (TMPSEL, THSEL).
const otherThresholds = 0x3F << 16

// getFeatures answers the Get Features command with current values.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Features Command:
// a feature that is not supported, and a Select where Save and Select are not
// supported (ONCS), are Invalid Field in Command.
func (c *controller) getFeatures(_ context.Context, cmd *nvme.Command) (reply, error) {
	value, ok := c.personality.features[uint8(cmd.CDW10)]
	if !ok {
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	if cmd.CDW10>>8&7 != 0 && c.id.ONCS&nvme.ONCSSaveSelect == 0 {
		return refuse(nvme.StatusInvalidField, inCDW10+1)
	}
	if uint8(cmd.CDW10) == featureTemperatureThreshold && cmd.CDW11&otherThresholds != 0 {
		return refuse(nvme.StatusInvalidField, inCDW11+2)
	}
	return success(uint64(value))
}
