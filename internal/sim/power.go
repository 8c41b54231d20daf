package sim

import (
	"time"

	"qd1.example/qd1/nvme"
)

// resetKind is how far a reset goes. A greater one does all of a lesser one.
type resetKind int

const (
	controllerReset resetKind = iota
	subsystemReset
	powerCycle
)

// Reset does a controller level reset: firmware that waits for it becomes the
// running one, features go back to their saved values, a short self-test ends,
// and events are not held back any more. Format NVM and Sanitize go on; only a
// loss of power ends a Format NVM, in the middle.
//
// Source: NVM Express Base Specification, Revision 2.0, Controller Level Reset.
func (d *Drive) Reset() { d.controller.resetLocked(controllerReset) }

// SubsystemReset does an NVM subsystem reset, which also activates firmware
// that a controller level reset does not.
//
// Source: NVM Express Base Specification, Revision 2.0, NVM Subsystem Reset.
func (d *Drive) SubsystemReset() { d.controller.resetLocked(subsystemReset) }

// Shutdown tells the drive that the power will go, as a host does: what is in
// the volatile write cache goes to the medium, and the next power cycle is not
// an unsafe shutdown. A reset takes it back.
//
// Source: NVM Express Base Specification, Revision 2.0, Controller
// Configuration, Shutdown Notification.
func (d *Drive) Shutdown() { d.controller.shutdown() }

// PowerCycle takes the power away and gives it back, as a suspend to memory does:
// the firmware of the computer does not freeze the drive again. Without [Drive.Shutdown]
// before it that is an unsafe shutdown, and what only the volatile write cache
// had is lost.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page: Power Cycles, Unsafe Shutdowns.
func (d *Drive) PowerCycle() {
	c := d.controller
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	c.breakFormat(c.format.share(c.now()))
	c.losePower()
	c.reset(powerCycle)
	d.powered.Store(time.Now().UnixNano())
}

func (c *controller) shutdown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shutDown = true
	for _, n := range c.spaces.Load().list {
		if n != nil {
			n.store.flush()
		}
	}
}

// losePower is what a loss of power does besides the reset.
func (c *controller) losePower() {
	c.smart.PowerCycles.Lo++
	if !c.shutDown {
		c.smart.UnsafeShutdowns.Lo++
	}
	c.blockSID = false
	c.latency.clear()
	for _, n := range c.spaces.Load().list {
		if n != nil {
			n.store.losePower()
		}
	}
	c.endProtection()
}

func (c *controller) resetLocked(by resetKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	c.reset(by)
}

// reset is a reset with the lock held.
//
// Source: NVM Express Base Specification, Revision 2.0, Controller Level Reset;
// Device Self-test Operations: a short self-test is aborted, an extended one
// goes on; Persistent Event Log Page: the reporting context ends; Features.
func (c *controller) reset(by resetKind) {
	if c.selfTest.code == testShort {
		c.abortSelfTest(nvme.SelfTestAbortedByReset)
	}
	c.activatePending(by)
	c.features.reset(c.rules)
	c.applyFeatures()
	c.history.context = nil
	c.shutDown = false
	clear(c.reported)
	for drained := false; !drained; {
		select {
		case <-c.events:
		default:
			drained = true
		}
	}
	c.remember(nvme.EventPowerOnOrReset, c.powerOnEvent())
}
