package sysfs

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
)

const (
	classNVMe      = "class/nvme"
	classSubsystem = "class/nvme-subsystem"
)

// Controller is what the host knows about one NVMe controller. Strings are
// without padding and "" if the kernel does not have them.
type Controller struct {
	// Name is the kernel's name, such as "nvme0".
	Name string
	// State is the kernel's word: "live", "resetting", "connecting",
	// "deleting", "dead". "" on kernels that do not say.
	State string
	// Transport is "pcie", "tcp", "rdma", "fc", "loop" or "apple-nvme".
	Transport string
	// Address is the PCI address or the address of the transport.
	Address string
	// Subsystem is the kernel's name of the NVM subsystem, such as
	// "nvme-subsys0". Controllers of one subsystem are ways to one drive.
	Subsystem string
	// SubsystemNQN, Serial, Model and Firmware are SUBNQN, SN, MN and FR of
	// Identify Controller, as the kernel read them.
	SubsystemNQN, Serial, Model, Firmware string
	// CNTLID is the controller identifier; -1 if the kernel does not say. It
	// has nothing to do with the number in Name.
	CNTLID int
	// PCI is nil for a controller that is not a PCI function.
	PCI *PCI
	// Link is nil if nothing is known of a PCI Express link.
	Link *Link
	// NUMANode is the node that the drive is attached to; nil if the host
	// has only one or does not say.
	NUMANode *int
	// Kernel is how the kernel drives the controller.
	Kernel Kernel
	// Namespaces are the namespaces that this controller reaches, in order of
	// NSID.
	Namespaces []Namespace
}

// Names returns the names of the controllers in order of their number. A host
// without any, or without NVMe at all, gives none and no error.
func Names(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, classNVMe)
	if err != nil && !isNotExist(err) {
		return nil, fmt.Errorf("list controllers: %w", err)
	}
	var names []string
	for _, e := range entries {
		if isController(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(trailing(a), trailing(b)) })
	return names, nil
}

// Read returns the controller of this name. An attribute that cannot be read
// is left empty; the only error is that there is no such controller.
func Read(fsys fs.FS, name string) (*Controller, error) {
	f, err := whole(fsys, func(fsys fs.FS) (*found, error) {
		f, err := read(fsys, name)
		if err == nil {
			f.Link = linkOf(fsys, f.dir, f.PCI)
			f.Kernel = kernelOf(fsys, f.dir, f.Namespaces)
		}
		return f, err
	})
	if err != nil {
		return nil, err
	}
	return f.Controller, nil
}

// found is a controller with the directories of its namespaces.
type found struct {
	*Controller
	dir    string
	spaces []space
}

// read reads what tells drives apart: all but the link, which is most of what
// there is to read, and how the kernel drives the controller.
func read(fsys fs.FS, name string) (*found, error) {
	dir := path.Join(classNVMe, name)
	if !isController(name) {
		return nil, &fs.PathError{Op: "read controller", Path: name, Err: fs.ErrNotExist}
	}
	if _, err := fs.ReadDir(fsys, dir); isNotExist(err) {
		return nil, &fs.PathError{Op: "read controller", Path: name, Err: fs.ErrNotExist}
	}
	c := &Controller{
		Name:         name,
		State:        attribute(fsys, dir, "state"),
		Transport:    attribute(fsys, dir, "transport"),
		Address:      attribute(fsys, dir, "address"),
		Subsystem:    subsystemOf(fsys, name),
		SubsystemNQN: attribute(fsys, dir, "subsysnqn"),
		Serial:       attribute(fsys, dir, "serial"),
		Model:        attribute(fsys, dir, "model"),
		Firmware:     attribute(fsys, dir, "firmware_rev"),
		CNTLID:       controllerID(fsys, dir),
		NUMANode:     numaNode(fsys, dir),
	}
	c.PCI = pciOf(fsys, dir, c.Address)
	f := &found{Controller: c, dir: dir, spaces: spacesOf(fsys, dir, c.Subsystem)}
	for _, s := range f.spaces {
		c.Namespaces = append(c.Namespaces, s.Namespace)
	}
	return f, nil
}

func controllerID(fsys fs.FS, dir string) int {
	if id, ok := unsigned(fsys, 16, dir, "cntlid"); ok {
		return int(id)
	}
	return -1
}

// numaNode returns the node; the kernel writes -1 for none.
func numaNode(fsys fs.FS, dir string) *int {
	for _, name := range []string{"numa_node", "device/numa_node"} {
		if n, ok := unsigned(fsys, 31, dir, name); ok {
			node := int(n)
			return &node
		}
	}
	return nil
}

// subsystemOf returns the subsystem that lists the controller, "" if none
// does.
func subsystemOf(fsys fs.FS, controller string) string {
	for _, subsystem := range children(fsys, classSubsystem) {
		if isMember(fsys, subsystem, controller) {
			return subsystem
		}
	}
	return ""
}

// isMember reports whether a subsystem lists the controller. In the kernel's
// tree the entry is a link.
func isMember(fsys fs.FS, subsystem, controller string) bool {
	entry := path.Join(classSubsystem, subsystem, controller)
	if _, err := fs.ReadLink(fsys, entry); err == nil {
		return true
	}
	_, exists := readAttribute(fsys, entry+"/state")
	return exists
}

// membersOf returns the controllers that a subsystem lists.
func membersOf(fsys fs.FS, subsystem string) []string {
	return slices.DeleteFunc(children(fsys, path.Join(classSubsystem, subsystem)), func(name string) bool {
		return !isController(name) || !isMember(fsys, subsystem, name)
	})
}

// trailing returns the last number in a name, -1 if it does not end in one.
func trailing(name string) int {
	i := len(name)
	for i > 0 && '0' <= name[i-1] && name[i-1] <= '9' {
		i--
	}
	n, err := strconv.Atoi(name[i:])
	if err != nil {
		return -1
	}
	return n
}
