// Package sim is a simulated NVMe drive: a controller that answers commands as
// an [nvme.Passthru], and a medium that is read and written with the latency of
// the real thing, in real time.
//
// A drive is opened by the name of its profile. Parameters may follow, as in a
// URL:
//
//	optane-905p?read_latency=50us&seed=7
//
//	read_latency, write_latency  median time of a 4 KiB access, up to 1m
//	seed                         another stream of latencies and other data
//	silent=io, silent=admin      this queue never answers: Submit returns when
//	                             its context ends, ReadAt and WriteAt when the
//	                             drive is closed
//	active_list=no               the drive knows only the Identify structures of
//	                             NVMe 1.0 and refuses the list of namespaces
//
// # Model
//
// A command is looked up by queue and opcode in a table of methods, and an
// unknown one is answered Invalid Command Opcode. Every failed command adds one
// entry to the Error Information log and to the counter of the SMART log, as
// cautious drives do; so a program that asks for what a drive does not have is
// found out.
//
// Reads and writes count in the SMART log. Power on hours and controller busy
// time go on from the profile's values. The composite temperature follows the
// share of time in which the drive is busy, with a time constant of a minute.
//
// The data of a block depends on its address and the seed, until it is written.
// What is written is kept in memory, up to [MaxWrittenBytes].
package sim
