// Package ioctl sends NVMe commands to Linux device nodes. It is the only
// package that knows the kernel's NVMe and block ioctls.
//
// A [Device] is a [nvme.Passthru]. The kernel returns the NVMe status as the
// positive return value of the ioctl, with no error number set; it becomes
// the status of the completion. An error number means that the command did
// not come back from the device, and becomes an error.
//
// A device that is to be written to is claimed with [OpenExclusive], and a block
// device is read and written past the page cache.
//
// The layouts and request numbers are those of <linux/nvme_ioctl.h> and
// <linux/fs.h>.
package ioctl
