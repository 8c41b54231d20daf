// Package vmtest runs programs in a virtual machine with NVMe drives, so that
// tests meet the Linux kernel's own NVMe driver without hardware and without
// danger for the drives of the host.
//
// A machine is QEMU in software emulation, an unpacked Debian kernel and an
// initial file system that [New] packs from files of the host: programs with
// their shared libraries, kernel modules, test binaries. PID 1 is the program
// in the folder guest. It runs the jobs given to [VM.Run] one after the other
// and writes what they printed, their exit statuses and coverage counters to
// a disk that the host reads when the machine is off.
//
// The jobs can tell the host a moment by writing a line to the file that
// QD1_EVENTS names ([VM.WaitEvent]), and the host can change the hardware
// at that moment ([VM.QMP]).
//
// Times measured in the machine mean nothing: the emulated processor is some
// fifty times slower than a real one.
package vmtest
