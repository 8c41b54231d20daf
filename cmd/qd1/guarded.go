package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/ioctl"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// guarded is a drive that the guard looks at before anything is written to it.
type guarded struct {
	*report.Drive
	host guard.Host
	// inProcess says that the drive ends with this process.
	inProcess bool
}

// openGuarded opens what a command that writes was given. The guard has the
// last word on whether that was enough: here a short name is as good as in
// commands that read, so that the refusal can name the drive.
func openGuarded(selector, pci string) (*guarded, error) {
	if profile, ok := strings.CutPrefix(selector, "sim:"); ok {
		return openGuardedSim(selector, profile)
	}
	if strings.HasPrefix(selector, "replay:") {
		return openGuardedCapture(selector)
	}
	if pci != "" {
		selector = pci
	}
	d, err := openSelector(selector, plain)
	if err != nil {
		return nil, notOpened(selector, err, inuse.System().BoundToVFIO)
	}
	d.Selector = selector
	return &guarded{Drive: d, host: realHost{root: hostSysfs()}}, nil
}

// notOpened turns "which one?" into a refusal, and says where a drive is that
// has no node because a virtual machine has it.
func notOpened(selector string, err error, bound func(pciAddress string) bool) error {
	switch {
	case bound(selector):
		return refusef("shut the virtual machine down and give the drive back to the driver nvme", "%s is given to a virtual machine (driver vfio-pci). Nothing was sent", selector)
	case !errors.Is(err, sysfs.ErrAmbiguous):
		return err
	}
	return refusef("name the drive by its full serial number; two with the same one are told apart by --pci ADDRESS (qd1 list shows both)", "%w. Nothing was sent", err)
}

func openGuardedSim(selector, profile string) (*guarded, error) {
	s, err := sim.Open(profile)
	if err != nil {
		return nil, &exitError{status: exitUsage, err: err, hint: "write sim:PROFILE, for example sim:optane-905p"}
	}
	root := sysfs.Map(s.Sysfs())
	host, err := sysfs.Read(root, "nvme0")
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	d := &report.Drive{Selector: selector, Simulated: true, Passthru: s, Host: host, Close: s.Close}
	return &guarded{Drive: d, host: simHost{root: root, host: host, drive: s}, inProcess: true}, nil
}

// openGuardedCapture is for plans: nothing can be claimed.
func openGuardedCapture(selector string) (*guarded, error) {
	d, err := openSelector(selector, plain)
	if err != nil {
		return nil, err
	}
	d.Selector = selector
	return &guarded{Drive: d, host: absentHost{}}, nil
}

// target is the drive for the guard.
func (g *guarded) target() *guard.Drive {
	return &guard.Drive{Passthru: g.reading(), Controller: g.Drive.Host, Simulated: g.Simulated, Host: g.host}
}

// readLimit is the longest time that a command may take which only looks.
const readLimit = 30 * time.Second

// reading reads from a drive that does nothing else.
func (g *guarded) reading() nvme.Passthru {
	return nvme.WithTimeout(nvme.ReadOnly(g.Passthru), readLimit)
}

// facts reads what the choice of a technique needs.
func (g *guarded) facts(ctx context.Context) (erase.Facts, error) {
	c := nvme.NewController(g.reading())
	id, err := c.Identify(ctx)
	if err != nil {
		return erase.Facts{}, err
	}
	f := erase.Facts{Controller: id, Model: drivedb.Lookup(id.ModelNumber.String()), NSID: g.NSID}
	nsids, err := c.ActiveNamespaces(ctx, id)
	if err != nil {
		return erase.Facts{}, err
	}
	for _, nsid := range nsids {
		ns, err := c.IdentifyNamespace(ctx, nsid)
		if err != nil {
			return erase.Facts{}, err
		}
		f.Namespaces = append(f.Namespaces, erase.Namespace{NSID: nsid, Identify: ns})
	}
	if id.SANICAP != 0 {
		if f.Sanitize, err = c.SanitizeLog(ctx); err != nil {
			return erase.Facts{}, err
		}
	}
	return f, nil
}

// openNow opens the block device that a namespace of the drive has now: names
// change when the computer is restarted.
func (g *guarded) openNow(nsid nvme.NSID) (guard.BlockReader, error) {
	for _, n := range g.Drive.Host.Namespaces {
		if n.NSID == uint32(nsid) && n.Block != "" {
			return g.host.Open(n.Block)
		}
	}
	return nil, fmt.Errorf("namespace %d has no block device", nsid)
}

// state is the kernel's word for the state of the controller.
func (g *guarded) state() string {
	c, err := sysfs.Read(g.host.Sysfs(), g.Drive.Host.Name)
	if err != nil {
		return "gone"
	}
	return c.State
}

// realHost is this computer.
type realHost struct{ root fs.FS }

func (h realHost) Sysfs() fs.FS { return h.root }

// Survey does not count this process and the one that started it as a job.
func (h realHost) Survey(ctx context.Context, devices []string) (*inuse.Survey, error) {
	host := inuse.System()
	host.Ignore = []int{os.Getpid()}
	if isJob() {
		host.Ignore = append(host.Ignore, os.Getppid())
	}
	return host.Survey(ctx, devices)
}

func (h realHost) Power() []guard.Check { return hostChecks() }

func (h realHost) Open(block string) (guard.BlockReader, error) {
	return ioctl.OpenDirect(filepath.Join("/dev", block))
}

func (h realHost) Claim(device string) (guard.Claim, error) {
	d, err := ioctl.OpenExclusive(filepath.Join("/dev", device))
	if errors.Is(err, ioctl.ErrInUse) {
		return nil, fmt.Errorf("%w: %w", guard.ErrInUse, err)
	}
	if err != nil {
		return nil, err
	}
	return claim{d}, nil
}

// claim is a device that this process has for itself.
type claim struct{ *ioctl.Device }

// BlockBytes is the logical block size that the kernel has for the device.
func (c claim) BlockBytes() (int, error) {
	g, err := c.Geometry()
	return g.LogicalBlockBytes, err
}

// absentHost stands for the computer that a capture was made on.
type absentHost struct{}

var errAbsent = errors.New("a capture has no drive behind it")

func (absentHost) Sysfs() fs.FS { return sysfs.Map(nil, nil) }

func (absentHost) Survey(context.Context, []string) (*inuse.Survey, error) {
	return &inuse.Survey{Unchecked: []string{"who uses the drive is not in a capture"}}, nil
}

func (absentHost) Power() []guard.Check                   { return nil }
func (absentHost) Open(string) (guard.BlockReader, error) { return nil, errAbsent }
func (absentHost) Claim(string) (guard.Claim, error)      { return nil, errAbsent }
