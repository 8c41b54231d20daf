package sim

import (
	"context"
	"fmt"
	"sync"
	"time"

	"qd1.example/qd1/nvme"
)

// controller is the model of the drive: its state, and how each command reads
// and changes it. It knows nothing of how commands reach it.
type controller struct {
	personality *personality
	page        []byte
	id          nvme.IdentifyController
	namespace   *namespace
	medium      *medium
	activity    activity
	admin, io   map[uint8]handler
	now         func() time.Time
	started     time.Time

	mu      sync.Mutex
	errors  errorLog
	thermal thermal
}

// namespace is the one namespace, with NSID 1.
type namespace struct {
	page []byte
	id   nvme.IdentifyNamespace
}

const onlyNSID nvme.NSID = 1

func (n *namespace) blockBytes() int { return int(n.id.Format().DataBytes()) }

func (n *namespace) bytes() int64 { return int64(n.id.NSZE) * int64(n.blockBytes()) }

// handler answers one command. The error is for what keeps the drive from
// answering at all: the end of ctx, or Close.
type handler func(ctx context.Context, cmd *nvme.Command) (reply, error)

// reply is the answer to a command, with what the Error Information log keeps
// of it if it failed.
type reply struct {
	result uint64
	status nvme.Status
	// where is the Parameter Error Location: byte and bit of the command.
	where uint16
	lba   uint64
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

func success(result uint64) (reply, error) { return reply{result: result}, nil }

// refuse is an answer with a status other than success.
func refuse(s nvme.Status, where uint16) (reply, error) {
	return reply{status: s, where: where}, nil
}

func newController(p *personality, now func() time.Time) (*controller, error) {
	c := &controller{personality: p, now: now, started: now(), namespace: &namespace{}}
	if err := c.load(); err != nil {
		return nil, err
	}
	c.errors = errorLog{size: int(c.id.ELPE) + 1, count: p.smart.ErrorLogEntries.Lo}
	c.thermal = newThermal(p, c.started)
	c.admin = map[uint8]handler{
		nvme.AdminGetLogPage:  c.getLogPage,
		nvme.AdminIdentify:    c.identify,
		nvme.AdminGetFeatures: c.getFeatures,
	}
	c.io = map[uint8]handler{
		nvme.IOFlush: c.ioFlush,
		nvme.IOWrite: c.ioWrite,
		nvme.IORead:  c.ioRead,
	}
	return c, nil
}

// load makes the Identify pages of this drive.
func (c *controller) load() error {
	var err error
	if c.page, err = c.personality.page("idctrl"); err != nil {
		return err
	}
	if c.namespace.page, err = c.personality.page("idns"); err != nil {
		return err
	}
	copy(c.page[4:24], fmt.Sprintf("%-20s", c.personality.serial))
	copy(c.page[64:72], fmt.Sprintf("%-8s", c.personality.firmware))
	if err := c.id.UnmarshalBinary(c.page); err != nil {
		return err
	}
	return c.namespace.id.UnmarshalBinary(c.namespace.page)
}

// Do Not Retry and More, which the drive sets with every status: the same
// command fails again, and the Error Information log has an entry.
const failedFlags nvme.Status = 1<<14 | 1<<13

// submit answers a command and logs it if it failed.
func (c *controller) submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	table := c.admin
	if cmd.Queue == nvme.IOQueue {
		table = c.io
	}
	r, err := refuse(nvme.StatusInvalidOpcode, inOpcode)
	if h, ok := table[cmd.Opcode]; ok {
		r, err = h(ctx, cmd)
	}
	if err != nil {
		return nvme.Completion{}, err
	}
	if r.status != nvme.StatusSuccess {
		r.status |= failedFlags
		c.mu.Lock()
		c.errors.add(cmd, r)
		c.mu.Unlock()
	}
	return nvme.Completion{Result: r.result, Status: r.status}, nil
}

// fill puts a page into the buffer of a command and zero bytes behind it.
func fill(cmd *nvme.Command, page []byte) {
	n := copy(cmd.Data, page)
	clear(cmd.Data[n:])
}
