package sim

import (
	"sync"
	"sync/atomic"
	"time"

	"qd1.example/qd1/nvme"
)

// controller is the model of the drive: its state, and how each command reads
// and changes it. It knows nothing of how commands reach it.
//
// Reads and writes need no lock: they take the namespaces as they are published
// in spaces. Every other command has the lock.
type controller struct {
	personality *personality
	id          nvme.IdentifyController
	medium      *medium
	activity    activity
	latency     latencies
	admin, io   [256]handler
	now         func() time.Time
	started     time.Time
	spaces      atomic.Pointer[spaces]
	events      chan Event

	mu        sync.Mutex
	page      []byte
	errors    errorLog
	thermal   thermal
	smart     nvme.SMARTLog
	warnings  nvme.CriticalWarning
	rules     map[nvme.FID]featureRule
	logs      map[nvme.LID]logPage
	features  features
	firmware  firmware
	format    formatting
	sanitize  sanitizing
	selfTest  selfTesting
	telemetry telemetry
	history   history
	changed   []nvme.NSID
	reported  map[nvme.LID]bool
	room      *room
	// generation counts erases, each of which gives the medium other data.
	generation uint64
	// heldUntil is until when every command waits for a format. Zero is not at
	// all.
	heldUntil time.Time
	// alarm ends an operation that takes time, for whoever waits for its event.
	alarm *time.Timer
	// opal is what the drive has of TCG Opal; blockSID is set while that is
	// frozen.
	opal     opalState
	blockSID bool
	// lie is the fault of the command that is being answered, nil for none.
	lie *Fault
	// keepsOld is set if the data from before an erase are kept, tracks if it is
	// noted which blocks were read and written. erasedAt is when the last erase
	// ended, nanoseconds of Unix time.
	keepsOld, tracks bool
	erasedAt         atomic.Int64
	// ghost is set once the drive is not what it was.
	ghost bool
	// shutDown is set from a shutdown notification to the next reset.
	shutDown bool
}

// handler answers one command.
type handler func(cmd *nvme.Command) reply

// reply is the answer to a command, with what the Error Information log keeps
// of it if it failed.
type reply struct {
	result uint64
	status nvme.Status
	// where is the Parameter Error Location: byte and bit of the command.
	where uint16
	lba   uint64
	// end is when the answer comes, in the medium's time. 0 is at once.
	end time.Duration
}

// Places in the command, for the Parameter Error Location.
//
// Source: NVM Express Base Specification, Revision 2.0, Common Command Format.
const (
	inOpcode  = 0
	inNSID    = 4
	inPointer = 24
	inCDW10   = 40
	inCDW11   = 44
	inCDW12   = 48
	nowhere   = 0xFFFF
)

func success(result uint64) reply { return reply{result: result} }

// refuse is an answer with a status other than success.
func refuse(s nvme.Status, where uint16) reply { return reply{status: s, where: where} }

// ok reports whether the answer is a success so far.
func (r reply) ok() bool { return r.status == nvme.StatusSuccess }

func newController(p *personality, now func() time.Time, closed <-chan struct{}) (*controller, error) {
	c := &controller{
		personality: p, now: now, started: now(), room: newRoom(), smart: p.smart,
		events: make(chan Event, maxEvents), reported: map[nvme.LID]bool{}, opal: p.opal, blockSID: p.blockSID,
	}
	if err := c.load(); err != nil {
		return nil, err
	}
	c.errors = newErrorLog(int(c.id.ELPE)+1, p.smart.ErrorLogEntries.Lo, p.errors)
	c.thermal = newThermal(p, c.started)
	c.medium = newMedium(p.medium, p.slc, &c.activity, closed)
	if p.heat.throttles {
		c.medium.tick = c.feelHeat
	}
	if p.intel != nil {
		c.latency.starts = p.intel.latencyStarts
	}
	c.features, c.rules, c.logs = newFeatures(), c.featureRules(), c.logPages()
	c.firmware = newFirmware(p, &c.id)
	c.setAdminHandlers()
	c.setIOHandlers()
	c.applyFeatures()
	c.remember(nvme.EventPowerOnOrReset, c.powerOnEvent())
	return c, nil
}

// load makes the Identify pages of this drive.
func (c *controller) load() error {
	var err error
	if c.page, err = c.personality.controllerPage(); err != nil {
		return err
	}
	if p := c.personality; p.serial != "" {
		padded(c.page[atSerial:atModel], p.serial, ' ')
		padded(c.page[atFirmware:atFirmware+8], p.firmware, ' ')
	}
	c.personality.override.controllerPage(c.page)
	if err := c.id.UnmarshalBinary(c.page); err != nil {
		return err
	}
	return c.loadNamespaces()
}

// setAdminHandlers makes the table of admin commands: those that every drive
// has, and the optional ones that Identify declares. What is not there is an
// Invalid Command Opcode.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller
// data structure, OACS and ONCS; Generic Command Status Values.
func (c *controller) setAdminHandlers() {
	for op, h := range map[uint8]handler{
		nvme.AdminGetLogPage:  c.getLogPage,
		nvme.AdminIdentify:    c.identify,
		nvme.AdminAbort:       c.abort,
		nvme.AdminSetFeatures: c.setFeatures,
		nvme.AdminGetFeatures: c.getFeatures,
	} {
		c.admin[op] = h
	}
	for _, o := range c.optionalAdmin() {
		if o.declared {
			c.admin[o.opcode] = o.handler
		}
	}
}

// setIOHandlers makes the table of I/O commands.
func (c *controller) setIOHandlers() {
	c.io[nvme.IOFlush], c.io[nvme.IOWrite], c.io[nvme.IORead] = c.ioFlush, c.ioWrite, c.ioRead
	for _, o := range c.optionalIO() {
		if o.declared {
			c.io[o.opcode] = o.handler
		}
	}
}

// optional is a command that a drive may have.
type optional struct {
	opcode   uint8
	declared bool
	handler  handler
}

func (c *controller) optionalAdmin() []optional {
	has := func(bit nvme.OACS) bool { return c.id.OACS&bit != 0 }
	return []optional{
		{nvme.AdminSecuritySend, has(nvme.OACSSecurity), c.securitySend},
		{nvme.AdminSecurityReceive, has(nvme.OACSSecurity), c.securityReceive},
		{nvme.AdminFormatNVM, has(nvme.OACSFormat), c.formatNVM},
		{nvme.AdminFirmwareImageDownload, has(nvme.OACSFirmware), c.firmwareDownload},
		{nvme.AdminFirmwareCommit, has(nvme.OACSFirmware), c.firmwareCommit},
		{nvme.AdminNamespaceManagement, has(nvme.OACSNamespaceManagement), c.manageNamespace},
		{nvme.AdminNamespaceAttachment, has(nvme.OACSNamespaceManagement), c.attachNamespace},
		{nvme.AdminDeviceSelfTest, has(nvme.OACSSelfTest), c.deviceSelfTest},
		{nvme.AdminSanitize, c.id.SANICAP&sanitizeActions != 0, c.sanitizeNVM},
		{nvme.AdminKeepAlive, c.id.KAS != 0, c.keepAlive},
	}
}

func (c *controller) optionalIO() []optional {
	has := func(bit nvme.ONCS) bool { return c.id.ONCS&bit != 0 }
	return []optional{
		{nvme.IOCompare, has(nvme.ONCSCompare), c.ioCompare},
		{nvme.IOWriteUncorrectable, has(nvme.ONCSWriteUncorrectable), c.ioWriteUncorrectable},
		{nvme.IODatasetManagement, has(nvme.ONCSDatasetManagement), c.ioDatasetManagement},
		{nvme.IOWriteZeroes, has(nvme.ONCSWriteZeroes), c.ioWriteZeroes},
		{nvme.IOVerify, has(nvme.ONCSVerify), c.ioVerify},
	}
}

// Do Not Retry and More, which the drive sets with a status: the same command
// fails again, and the Error Information log has an entry.
//
// Source: NVM Express Base Specification, Revision 2.0, Status Field.
const (
	doNotRetry nvme.Status = 1 << 14
	more       nvme.Status = 1 << 13

	failedFlags = doNotRetry | more
)

// begin does all that a command does, and says when its answer comes.
func (c *controller) begin(cmd *nvme.Command) (nvme.Completion, time.Duration) {
	return c.beginWith(cmd, nil)
}

// beginWith is begin with the fault of an erase, nil for none.
func (c *controller) beginWith(cmd *nvme.Command, lie *Fault) (nvme.Completion, time.Duration) {
	var r reply
	if cmd.Queue == nvme.IOQueue {
		r = c.beginIO(cmd)
	} else {
		r = c.beginAdmin(cmd, lie)
	}
	return nvme.Completion{Result: r.result, Status: r.status}, r.end
}

// beginAdmin answers an admin command. They come one after the other.
func (c *controller) beginAdmin(cmd *nvme.Command, lie *Fault) reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lie = lie
	c.settle()
	hold := c.hold()
	r := refuse(nvme.StatusInvalidOpcode, inOpcode)
	if h := c.admin[cmd.Opcode]; h != nil {
		if hold > 0 && rebuilds(cmd.Opcode) {
			c.endFormat() // The command comes after the format, and waits.
		}
		if r = c.admits(cmd); r.ok() {
			r = h(cmd)
		}
	}
	return c.finish(cmd, r, hold)
}

// beginIO answers an I/O command.
func (c *controller) beginIO(cmd *nvme.Command) reply {
	h := c.io[cmd.Opcode]
	if h == nil {
		return c.failIO(cmd, refuse(nvme.StatusInvalidOpcode, inOpcode))
	}
	var hold time.Duration
	if c.spaces.Load().busy {
		var r reply
		if hold, r = c.gate(cmd.Opcode, cmd.NSID); !r.ok() {
			return c.failIO(cmd, r)
		}
	}
	r := h(cmd)
	r.end = max(r.end, hold)
	if !r.ok() {
		return c.failIO(cmd, r)
	}
	return r
}

// transient reports whether a command may succeed if it is sent again later.
func transient(s nvme.Status) bool {
	switch s {
	case nvme.StatusFormatInProgress, nvme.StatusSanitizeInProgress, nvme.StatusSelfTestInProgress:
		return true
	}
	return false
}

// failIO takes the lock to log a command that failed.
func (c *controller) failIO(cmd *nvme.Command, r reply) reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.finish(cmd, r, 0)
}

// finish logs a command that failed. The lock must be held.
func (c *controller) finish(cmd *nvme.Command, r reply, hold time.Duration) reply {
	r.end = max(r.end, hold)
	if !r.ok() {
		if !transient(r.status) {
			r.status |= doNotRetry
		}
		r.status |= more
		c.errors.add(cmd, r)
	}
	return r
}

// keepAlive answers Keep Alive. The timer is the transport's.
func (c *controller) keepAlive(*nvme.Command) reply { return success(0) }

// abort answers Abort: nothing is ever waiting in the model, so the command was
// not aborted.
//
// Source: NVM Express Base Specification, Revision 2.0, Abort Command: bit 0 of
// the result.
func (c *controller) abort(*nvme.Command) reply { return success(1) }

// fill puts a page into the buffer of a command and zero bytes behind it.
func fill(cmd *nvme.Command, page []byte) {
	n := copy(cmd.Data, page)
	clear(cmd.Data[n:])
}
