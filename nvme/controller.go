package nvme

import (
	"context"
	"sync/atomic"
)

// Controller sends commands to one controller through a [Passthru]. A status
// other than success is a [CommandError]. It is safe for concurrent use.
//
// No method looks whether the drive has what it asks for: a drive refuses an
// optional command and counts an error. Callers ask only where the capability
// that a method names (OACS, ONCS, LPA, SANICAP, the version) says so.
//
// The commands that read logs depend on what the controller can transfer; see
// [Controller.LogPage].
type Controller struct {
	dev    Passthru
	limits atomic.Pointer[logLimits]
}

// NewController returns a Controller on top of p.
func NewController(p Passthru) *Controller { return &Controller{dev: p} }

// do submits a command and turns a status other than success into an error.
func (c *Controller) do(ctx context.Context, cmd *Command) error {
	_, err := c.result(ctx, cmd)
	return err
}

// result is do for a command whose completion carries a value.
func (c *Controller) result(ctx context.Context, cmd *Command) (uint64, error) {
	done, err := c.dev.Submit(ctx, cmd)
	if err != nil {
		return 0, err
	}
	if done.Status.OK() {
		return done.Result, nil
	}
	return 0, &CommandError{
		Command: cmd.name(),
		Queue:   cmd.Queue,
		Opcode:  cmd.Opcode,
		NSID:    cmd.NSID,
		Status:  done.Status,
	}
}

// IdentifyPage returns an Identify data structure as it came, 4096 bytes. The
// NSID is 0 for structures that have none.
func (c *Controller) IdentifyPage(ctx context.Context, cns CNS, nsid NSID) ([]byte, error) {
	page := make([]byte, identifyBytes)
	if err := c.do(ctx, Identify{CNS: cns, NSID: nsid}.Command(page)); err != nil {
		return nil, err
	}
	return page, nil
}

// Identify returns Identify Controller, and keeps what it says about the
// transfer of logs for [Controller.LogPage].
func (c *Controller) Identify(ctx context.Context) (*IdentifyController, error) {
	page, err := c.IdentifyPage(ctx, CNSController, 0)
	if err != nil {
		return nil, err
	}
	id := new(IdentifyController)
	if err := id.UnmarshalBinary(page); err != nil {
		return nil, err
	}
	c.limits.Store(logLimitsOf(id))
	return id, nil
}

// IdentifyNamespace returns Identify Namespace of the NVM command set. The
// page of an inactive namespace is all zero, which is not an error; see
// [IdentifyNamespace.Inactive].
func (c *Controller) IdentifyNamespace(ctx context.Context, nsid NSID) (*IdentifyNamespace, error) {
	page, err := c.IdentifyPage(ctx, CNSNamespace, nsid)
	if err != nil {
		return nil, err
	}
	ns := new(IdentifyNamespace)
	return ns, ns.UnmarshalBinary(page)
}

// NamespaceDescriptors returns the Namespace Identification Descriptor list.
// Drives older than NVMe 1.3 do not have it and log an error when asked, so
// ask only where [Version.AtLeast] says 1.3. On an error of the list itself,
// what came before it is returned too.
func (c *Controller) NamespaceDescriptors(ctx context.Context, nsid NSID) (NamespaceDescriptors, error) {
	var d NamespaceDescriptors
	page, err := c.IdentifyPage(ctx, CNSNamespaceDescriptors, nsid)
	if err != nil {
		return d, err
	}
	err = d.UnmarshalBinary(page)
	return d, err
}
