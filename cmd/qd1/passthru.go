package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/ioctl"
	"qd1.example/qd1/nvme"
)

func adminPassthruCommand() command { return passthruCommand("admin-passthru", nvme.AdminQueue) }
func ioPassthruCommand() command    { return passthruCommand("io-passthru", nvme.IOQueue) }

func passthruCommand(name string, queue nvme.Queue) command {
	return command{
		name: name, args: "DRIVE", access: told, maxArgs: 1,
		short: fmt.Sprintf("send any %s command", queue),
		help: `Numbers are decimal, or hexadecimal with 0x. Data go the way that bits 1:0 of the
opcode say: to the drive from --input-file, from the drive to --input-file,
--output or the screen. A command that only reads takes any name of a drive;
every other one, and every one that is not known, takes the full serial number
and consent. Queues, which belong to the host's driver, are never changed.`,
		flags: passthruFlags(),
		run:   func(in *invocation) error { return in.passthru(queue) },
	}
}

// passthru is the command.
func (in *invocation) passthru(queue nvme.Queue) error {
	p, err := in.newPassthru(queue)
	if err != nil {
		return err
	}
	if p.effect.Access == nvme.Reads {
		return p.read(in.Context.Context)
	}
	return p.change(in.Context.Context)
}

// passing is a command under way.
type passing struct {
	in      *invocation
	format  string
	cmd     *nvme.Command
	effect  nvme.Effect
	timeout time.Duration
	// dry says that nothing is sent, shown that the command is shown before.
	dry, shown bool
	// to is the file that data from the drive go to, "" for none.
	to string

	drive   report.Identity
	sim     bool
	sending *sending
	sent    bool
	done    nvme.Completion
	took    time.Duration
}

// identityOf is what the host knows of a drive: nothing is sent to it for that.
func identityOf(d *report.Drive) report.Identity {
	id := report.Identity{Selector: d.Selector, Note: d.Note}
	if h := d.Host; h != nil {
		id.Controller, id.Transport, id.State, id.Subsystem = h.Name, h.Transport, h.State, h.Subsystem
		id.Serial, id.Model, id.Firmware = h.Serial, h.Model, h.Firmware
		if p := h.PCI; p != nil {
			id.PCI = &report.PCI{Address: p.Address, VendorID: p.VendorID, DeviceID: p.DeviceID, SubsystemVendorID: p.SubsystemVendorID, SubsystemDeviceID: p.SubsystemDeviceID}
		}
	}
	return id
}

// read sends a command that only reads, to any drive.
func (p *passing) read(ctx context.Context) error {
	d, err := openSelector(p.in.arg(0), plain)
	if err != nil {
		return err
	}
	defer d.Close()
	d.Selector = p.in.arg(0)
	p.drive, p.sim = identityOf(d), d.Simulated
	dev, closing, err := p.device(d)
	if err != nil {
		return err
	}
	defer closing()
	if p.dry {
		return p.show(nil)
	}
	p.announce()
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	began := time.Now()
	if p.done, err = onlyReads(dev).Submit(ctx, p.cmd); err != nil {
		return err
	}
	p.took, p.sent = time.Since(began), true
	return p.finish(nil)
}

// onlyReads lets commands through that only read: more of them than
// [nvme.ReadOnly], which is for what the program itself asks.
func onlyReads(dev nvme.Passthru) nvme.Passthru {
	return nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		if e := nvme.EffectOf(cmd, nil); e.Access != nvme.Reads {
			return nvme.Completion{}, fmt.Errorf("%s: %w", e.Why, nvme.ErrWouldModify)
		}
		return dev.Submit(ctx, cmd)
	})
}

// device is what carries the command: an I/O command goes through the node of its
// namespace, as the kernel wants it.
func (p *passing) device(d *report.Drive) (nvme.Passthru, func(), error) {
	nothing := func() {}
	if p.cmd.Queue != nvme.IOQueue {
		return d.Passthru, nothing, nil
	}
	if p.cmd.NSID == 0 {
		p.cmd.NSID = firstNamespace(d)
	}
	if _, real := d.Passthru.(*ioctl.Device); !real {
		return d.Passthru, nothing, nil
	}
	for _, n := range d.Host.Namespaces {
		if nvme.NSID(n.NSID) != p.cmd.NSID {
			continue
		}
		node := n.Generic
		if node == "" {
			node = n.Block
		}
		if node == "" {
			break
		}
		dev, err := ioctl.Open(filepath.Join("/dev", node))
		if err != nil {
			return nil, nil, permissionHint(filepath.Join("/dev", node), err)
		}
		return dev, func() { dev.Close() }, nil
	}
	return nil, nil, failf("qd1 list shows the namespaces of each drive", "the kernel shows no node of namespace %d of %s", p.cmd.NSID, d.Host.Name)
}

// firstNamespace is the namespace that was pointed at, or the first of the drive.
func firstNamespace(d *report.Drive) nvme.NSID {
	if d.NSID != 0 {
		return d.NSID
	}
	if d.Host != nil && len(d.Host.Namespaces) > 0 {
		return nvme.NSID(d.Host.Namespaces[0].NSID)
	}
	return 1
}

// change sends a command that changes the drive, or may, through the guard.
func (p *passing) change(ctx context.Context) error {
	a, err := p.in.agreementOf(p.in.arg(0))
	if err != nil {
		return err
	}
	accepted := p.in.StringSlice("accept")
	if err := checkAccepted(p.cmd, accepted); err != nil {
		return err
	}
	if len(p.cmd.Metadata) > 0 {
		return refusef("read the drive's protection information with a command that only reads", "a command that changes a drive is not sent with metadata. Nothing was sent")
	}
	if p.cmd.Queue == nvme.IOQueue && p.cmd.NSID == 0 {
		return usagef("%s needs --namespace-id for a command that changes the drive", p.in.name)
	}
	g, err := openGuarded(a.Serial, a.PCI)
	if err != nil {
		return err
	}
	defer g.Close()
	return p.changeOn(ctx, g, a, accepted)
}

// changeOn is change for an open drive.
func (p *passing) changeOn(ctx context.Context, g *guarded, a *guard.Agreement, accepted []string) error {
	var err error
	p.drive, p.sim = identityOf(g.Drive), g.Simulated
	if p.sending, err = prepareSending(ctx, g, p.cmd, "send", p.timeout, accepted); err != nil {
		return err
	}
	p.effect = p.sending.effect
	if g.inProcess {
		a.Serial = p.sending.looked.Identity.Serial
	}
	if p.dry {
		judged := a
		if !a.Yes {
			judged = nil
		}
		if err := p.show(judged); err != nil {
			return err
		}
		return p.sending.dryOutcome(a)
	}
	err = p.sending.agree(ctx, p.in, a,
		func() error { return p.text(p.in.env.stderr, p.in.messageStyle(), nil) },
		func() error { return p.show(a) })
	if err != nil {
		return err
	}
	p.announce()
	if p.done, p.took, err = p.sending.send(ctx, p.in.env, a); err != nil {
		return err
	}
	p.sent = true
	return p.finish(a)
}

// announce shows the command before it is sent, if that was asked for.
func (p *passing) announce() {
	if p.shown {
		p.in.env.say("sends %s", render.CommandLine(p.cmd))
	}
}

// finish delivers the answer. A status other than success is an error, and the
// result tells it too.
func (p *passing) finish(a *guard.Agreement) error {
	ok := p.done.Status.OK()
	if p.cmd.Transfer() == nvme.HostToController || !ok {
		p.to = ""
	}
	if name := p.in.String("metadata"); name != "" && ok {
		if err := writeFile(name, p.cmd.Metadata); err != nil {
			return err
		}
	}
	switch {
	case p.to != "":
		if err := writeFile(p.to, p.cmd.Data); err != nil {
			return err
		}
		fallthrough
	case p.format != "binary":
		if err := p.show(a); err != nil {
			return err
		}
	case ok:
		return p.in.deliver(p.incoming())
	}
	if ok {
		return nil
	}
	err := &nvme.CommandError{
		Command: nvme.OpcodeName(p.cmd.Queue, p.cmd.Opcode), Queue: p.cmd.Queue, Opcode: p.cmd.Opcode, NSID: p.cmd.NSID, Status: p.done.Status,
	}
	if hint := lengthHint(p.cmd); hint != "" && (p.done.Status.Is(nvme.StatusDataSGLLengthInvalid) || p.done.Status.Is(nvme.StatusInvalidField)) {
		return failf(hint, "%w", err)
	}
	return err
}

// lengthHint says how many data a command has, "" where they may well be those
// that it was given.
func lengthHint(c *nvme.Command) string {
	const identifyBytes = 4096
	switch {
	case c.Queue == nvme.AdminQueue && c.Opcode == nvme.AdminIdentify && len(c.Data) != identifyBytes:
		return "Identify has 4096 bytes of data: --data-len 4096"
	case c.Queue == nvme.IOQueue && slices.Contains([]uint8{nvme.IORead, nvme.IOWrite, nvme.IOCompare}, c.Opcode):
		blocks := c.CDW12&0xFFFF + 1
		unit := "blocks"
		if blocks == 1 {
			unit = "block"
		}
		return fmt.Sprintf("the command is of %d %s: --data-len is the number of blocks (--cdw12 bits 15:0, plus 1) times the bytes of one, with its metadata where they are in one buffer; qd1 id ns shows them", blocks, unit)
	}
	return ""
}

// incoming are the data that came from the drive, none with an error.
func (p *passing) incoming() []byte {
	if !p.done.Status.OK() || p.cmd.Transfer()&nvme.ControllerToHost == 0 {
		return nil
	}
	return p.cmd.Data
}

func (p *passing) incomingMetadata() []byte {
	if !p.done.Status.OK() || p.cmd.Transfer()&nvme.ControllerToHost == 0 {
		return nil
	}
	return p.cmd.Metadata
}

// commandJSON is a command as JSON.
type commandJSON struct {
	Queue         string `json:"queue"`
	Opcode        uint8  `json:"opcode"`
	Name          string `json:"name"`
	NSID          uint32 `json:"nsid"`
	CDW2          uint32 `json:"cdw2"`
	CDW3          uint32 `json:"cdw3"`
	CDW10         uint32 `json:"cdw10"`
	CDW11         uint32 `json:"cdw11"`
	CDW12         uint32 `json:"cdw12"`
	CDW13         uint32 `json:"cdw13"`
	CDW14         uint32 `json:"cdw14"`
	CDW15         uint32 `json:"cdw15"`
	DataBytes     int    `json:"data_bytes"`
	MetadataBytes int    `json:"metadata_bytes"`
}

func newCommandJSON(c *nvme.Command) commandJSON {
	return commandJSON{
		c.Queue.String(), c.Opcode, nvme.OpcodeName(c.Queue, c.Opcode), uint32(c.NSID), c.CDW2, c.CDW3,
		c.CDW10, c.CDW11, c.CDW12, c.CDW13, c.CDW14, c.CDW15, len(c.Data), len(c.Metadata),
	}
}

// statusJSON is a status as JSON.
type statusJSON struct {
	Value      uint16 `json:"value"`
	Text       string `json:"text"`
	SCT        uint8  `json:"sct"`
	SC         uint8  `json:"sc"`
	More       bool   `json:"more"`
	DoNotRetry bool   `json:"do_not_retry"`
}

func newStatusJSON(s nvme.Status) *statusJSON {
	return &statusJSON{uint16(s), s.String(), s.SCT(), s.SC(), s.More(), s.DNR()}
}

// passthruJSON is the result as JSON.
type passthruJSON struct {
	Schema      string          `json:"schema"`
	Simulated   bool            `json:"simulated"`
	Drive       report.Identity `json:"drive"`
	Command     commandJSON     `json:"command"`
	Effect      string          `json:"effect"`
	Why         string          `json:"why"`
	Checks      []guard.Check   `json:"checks,omitempty"`
	Phrase      string          `json:"phrase,omitempty"`
	Sent        bool            `json:"sent"`
	Status      *statusJSON     `json:"status"`
	Result      *uint64         `json:"result"`
	Latency     *float64        `json:"latency_us"`
	DataHex     *string         `json:"data_hex"`
	MetadataHex *string         `json:"metadata_hex"`
	DataFile    string          `json:"data_file,omitempty"`
}

// show writes the command and its answer as the result.
func (p *passing) show(a *guard.Agreement) error {
	v := passthruJSON{
		Schema: "qd1.passthru/1", Simulated: p.sim, Drive: p.drive, Command: newCommandJSON(p.cmd),
		Effect: p.effect.Access.String(), Why: p.effect.Why, Sent: p.sent,
	}
	if p.sending != nil {
		v.Checks = p.sending.checks(a)
		if !p.sent {
			v.Phrase = p.sending.looked.Phrase()
		}
	}
	if p.sent {
		latency := float64(p.took.Nanoseconds()) / 1000
		v.Status, v.Result, v.Latency = newStatusJSON(p.done.Status), &p.done.Result, &latency
		if v.DataFile = p.to; p.to == "" {
			v.DataHex = hexOf(p.incoming())
		}
		v.MetadataHex = hexOf(p.incomingMetadata())
	}
	format := p.format
	if format == "binary" {
		format = "text"
	}
	return p.in.show(format, v, func(w io.Writer, style render.Style) error { return p.text(w, style, a) })
}

func hexOf(b []byte) *string {
	if len(b) == 0 {
		return nil
	}
	text := hex.EncodeToString(b)
	return &text
}

func (p *passing) text(w io.Writer, style render.Style, a *guard.Agreement) error {
	r := &render.PassthruResult{
		Command: p.cmd, Effect: p.effect, Sent: p.sent, Completion: p.done, Kept: p.to,
		LatencyMicroseconds: float64(p.took.Nanoseconds()) / 1000,
	}
	if p.sending != nil && !p.sent {
		r.Guarded = p.sending.told(a)
	}
	if p.sent {
		r.Data, r.Metadata = p.incoming(), p.incomingMetadata()
	}
	return render.Passthru(w, render.Part{Simulated: p.sim, Drive: &p.drive}, r, style)
}
