package main

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/nsjob"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

func namespacesCommand() command {
	return command{
		name: "ns", short: "the namespaces of a drive: list, create, attach, detach, delete", access: none,
		subs: func() []command {
			return []command{nsListCommand(), nsCreateCommand(), nsAttachCommand(), nsDetachCommand(), nsDeleteCommand()}
		},
	}
}

func nsListCommand() command {
	return command{
		name: "list", args: "DRIVE", access: reads, maxArgs: 1,
		short: "all namespaces, attached or not, and the room for more",
		flags: append(outputFlags("json"), driveFlags()...),
		run:   (*invocation).listNamespaces,
	}
}

func nsCreateCommand() command {
	return command{
		name: "create", args: "SERIAL", access: told, maxArgs: 1,
		short: "create a namespace of the capacity that is unallocated",
		help: `SERIAL is the full serial number of the drive. The namespace is attached to
nothing until qd1 ns attach. Without --block-size and --lbaf it has the LBA format
of the first namespace. Says before what another block size means.`,
		flags: changeFlags(
			&cli.StringFlag{Name: "size", Usage: "`BYTES` of the namespace, such as 100GB, or all: what is unallocated"},
			&cli.StringFlag{Name: "blocks", Aliases: []string{"nsze", "s"}, Usage: "`NUMBER` of logical blocks (NSZE), in place of --size"},
			&cli.StringFlag{Name: "ncap", Aliases: []string{"c"}, DefaultText: "the size", Usage: "capacity in `BLOCKS` (NCAP), for thin provisioning"},
			&cli.IntFlag{Name: "lbaf", Aliases: []string{"f"}, DefaultText: "as the first namespace", Usage: "`INDEX` of the LBA format"},
			&cli.StringFlag{Name: "block-size", Aliases: []string{"b"}, Usage: "`BYTES` of a logical block, in place of --lbaf"},
			&cli.IntFlag{Name: "nmic", Aliases: []string{"m"}, Usage: "1: `SHARED` by several controllers, 0: private"}),
		run: func(in *invocation) error { return in.changeNamespaces(nsjob.Create) },
	}
}

func nsAttachCommand() command {
	return command{
		name: "attach", args: "SERIAL", access: told, maxArgs: 1,
		short: "attach a namespace, so that it gets a block device",
		help: `SERIAL is the full serial number of the drive. Attaches the namespace to this
controller, or to those of --controllers, lets the kernel look again and names the
block device.`,
		flags: changeFlags(namespaceFlag(), controllersFlag()),
		run:   func(in *invocation) error { return in.changeNamespaces(nsjob.Attach) },
	}
}

func nsDetachCommand() command {
	return command{
		name: "detach", args: "SERIAL", access: destroys, maxArgs: 1,
		short: "detach a namespace: its block device goes away, its data stay",
		help: `SERIAL is the full serial number of the drive. The namespace must not be in use.
Its data stay in the drive; what lies on it has to be named all the same.`,
		flags: changeFlags(namespaceFlag(), controllersFlag()),
		run:   func(in *invocation) error { return in.changeNamespaces(nsjob.Detach) },
	}
}

func nsDeleteCommand() command {
	return command{
		name: "delete", args: "SERIAL", access: destroys, maxArgs: 1,
		short: "delete a namespace with all its data: not an erase",
		help: `SERIAL is the full serial number of the drive. The namespace must not be in use.
Its capacity is unallocated afterwards. Nothing proves that its data are gone.`,
		flags: changeFlags(namespaceFlag(), &cli.BoolFlag{Name: "all-namespaces", DisableDefaultText: true, Usage: "delete all namespaces of the drive"}),
		run:   func(in *invocation) error { return in.changeNamespaces(nsjob.Delete) },
	}
}

// changeFlags are the flags of a command that changes namespaces, with its own.
func changeFlags(own ...cli.Flag) []cli.Flag {
	timeout := &cli.StringFlag{Name: "timeout", Aliases: []string{"t"}, Value: "2m", Usage: "longest `TIME` that the command may take"}
	return slices.Concat(outputFlags("json"), own, []cli.Flag{timeout}, consentFlags())
}

func namespaceFlag() cli.Flag {
	return &cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of the namespace, as qd1 ns list shows it"}
}

func controllersFlag() cli.Flag {
	return &cli.StringFlag{Name: "controllers", DefaultText: "this one", Usage: "`IDS` of controllers of the drive, such as 0,1"}
}

// listNamespaces is the command.
func (in *invocation) listNamespaces() error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	timeout, err := in.timeout()
	if err != nil {
		return err
	}
	if in.arg(0) == "" {
		return usagef("%s needs a drive; qd1 list shows them", in.name)
	}
	d, err := openSelector(in.arg(0), plain)
	if err != nil {
		return err
	}
	defer d.Close()
	d.Selector = in.arg(0)
	v, err := nsjob.Look(in.Context.Context, nvme.NewController(nvme.WithTimeout(nvme.ReadOnly(d.Passthru), timeout)))
	if err != nil {
		return err
	}
	nameBlocks(v, d.Host)
	drive := identityOf(d)
	result := struct {
		Schema    string          `json:"schema"`
		Simulated bool            `json:"simulated"`
		Drive     report.Identity `json:"drive"`
		Action    string          `json:"action"`
		*nsjob.Inventory
	}{"qd1.ns/1", d.Simulated, drive, "list", v}
	return in.show(format, result, func(w io.Writer, style render.Style) error {
		return render.Inventory(w, render.Part{Simulated: d.Simulated, Drive: &drive}, v, style)
	})
}

// nameBlocks adds the block devices that the kernel has.
func nameBlocks(v *nsjob.Inventory, host *sysfs.Controller) {
	if host == nil {
		return
	}
	for i := range v.Namespaces {
		v.Namespaces[i].Block = blockOf(host, v.Namespaces[i].NSID)
	}
}

// blockOf is the kernel's name of the block device of a namespace, "" for none.
func blockOf(host *sysfs.Controller, nsid nvme.NSID) string {
	for _, n := range host.Namespaces {
		if nvme.NSID(n.NSID) == nsid {
			return n.Block
		}
	}
	return ""
}

// planner makes a change from what the drive has.
type planner func(*nsjob.Inventory) (*nsjob.Change, error)

// changePlanner reads from the flags what is to be changed.
func (in *invocation) changePlanner(action nsjob.Action) (planner, error) {
	if action == nsjob.Create {
		r, err := in.createRequest()
		return func(v *nsjob.Inventory) (*nsjob.Change, error) { return nsjob.PlanCreate(v, r) }, err
	}
	nsid, err := in.nsid()
	all := action == nsjob.Delete && in.Bool("all-namespaces")
	switch {
	case err != nil:
		return nil, err
	case all && nsid != 0:
		return nil, usagef("--namespace-id and --all-namespaces: give one of both")
	case nsid == nvme.BroadcastNSID:
		return nil, usagef("--namespace-id 0x%x: one namespace is needed", uint32(nsid))
	case all:
		nsid = nvme.BroadcastNSID
	case nsid == 0:
		return nil, usagef("%s needs --namespace-id; qd1 ns list shows the namespaces", in.name)
	}
	if action == nsjob.Delete {
		return func(v *nsjob.Inventory) (*nsjob.Change, error) { return nsjob.PlanDelete(v, nsid), nil }, nil
	}
	ids, err := in.controllerIDs()
	return func(v *nsjob.Inventory) (*nsjob.Change, error) {
		return nsjob.PlanAttachment(v, action, nsid, ids), nil
	}, err
}

// createRequest reads from the flags what is to be created.
func (in *invocation) createRequest() (r nsjob.CreateRequest, err error) {
	size := in.String("size")
	if r.All = size == "all"; !r.All {
		if r.Bytes, err = in.sizeFlag("size"); err != nil {
			return r, err
		}
	}
	if r.Blocks, err = in.unsigned("blocks", 64); err != nil {
		return r, err
	}
	if r.CapacityBlocks, err = in.unsigned("ncap", 64); err != nil {
		return r, err
	}
	if r.LBABytes, err = in.sizeFlag("block-size"); err != nil {
		return r, err
	}
	if r.LBAF, err = in.index("lbaf", 63); err != nil {
		return r, err
	}
	shared, err := in.index("nmic", 1)
	r.Shared = shared != nil && *shared == 1
	switch {
	case err != nil:
		return r, err
	case (size != "") == (r.Blocks != 0):
		return r, usagef("%s needs a size: --size, such as 100GB or all, or --blocks", in.name)
	case size != "" && !r.All && r.Bytes == 0:
		return r, usagef("--size 0: a namespace needs a size")
	}
	return r, nil
}

// controllerIDs reads a list of controllers, nil where none was given.
func (in *invocation) controllerIDs() ([]uint16, error) {
	var ids []uint16
	for _, word := range strings.FieldsFunc(in.String("controllers"), func(r rune) bool { return r == ',' || r == ' ' }) {
		id, err := strconv.ParseUint(word, 0, 16)
		if err != nil || id >= 0xFFF0 { // Above are no identifiers of controllers.
			return nil, usagef("--controllers %s: identifiers of controllers are needed, such as 0,1; qd1 ns list shows them", in.String("controllers"))
		}
		ids = append(ids, uint16(id))
	}
	if len(ids) == 0 && in.IsSet("controllers") {
		return nil, usagef("--controllers: identifiers of controllers are needed, such as 0,1")
	}
	return ids, nil
}

// changeNamespaces is a command that changes them.
func (in *invocation) changeNamespaces(action nsjob.Action) error {
	w := &nsWork{in: in}
	var err error
	if w.planner, err = in.changePlanner(action); err != nil {
		return err
	}
	if w.format, err = in.format("json"); err != nil {
		return err
	}
	if w.timeout, err = in.timeout(); err != nil {
		return err
	}
	if w.agreement, err = in.agreementOf(in.arg(0)); err != nil {
		return err
	}
	g, err := openGuarded(w.agreement.Serial, w.agreement.PCI)
	if err != nil {
		return err
	}
	defer g.Close()
	return w.run(in.Context.Context, g)
}
