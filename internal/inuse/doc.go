// Package inuse tells who uses a block device: mounts of every mount
// namespace, swap, device mapper, arrays, exports and open files.
package inuse
