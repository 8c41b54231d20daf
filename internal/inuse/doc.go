// Package inuse tells who uses a block device: mounts of every mount
// namespace, swap, device mapper, arrays, exports and open files.
//
// It reads /proc and /sys and changes nothing. Devices are told apart by
// their numbers; a name is followed only where the kernel gives nothing else,
// and then only to find one more use, never to rule one out. Whatever could
// not be looked at is said, so that "nobody uses it" is never a guess.
//
// A survey is a snapshot: what is opened or mounted later is found only by
// whoever claims the device.
package inuse
