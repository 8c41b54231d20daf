// Package sysfs finds NVMe drives in the kernel's /sys tree and reads what the
// host knows about them without sending a command: identity, namespaces with
// their real identifiers, the PCI Express link and the way down to the drive.
//
// The tree is an [fs.FS] whose root is /sys, such as os.DirFS("/sys"), so that
// a recorded or an invented tree takes the place of the host's. Where a real
// path is needed, the tree must implement [fs.ReadLinkFS]; symbolic links are
// then resolved by hand.
//
// The numbers in the names nvme0, nvme0n1 and ng0n1 are three independent
// counters: of controllers, subsystems and namespaces. They never identify a
// drive or a namespace here; links and attributes do. Only attributes that the
// kernel answers from memory are read (not nuse, which sends a command), so
// that a dead or resetting drive does not hold up the others.
package sysfs
