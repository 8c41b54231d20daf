// Package sim is a simulated NVMe drive: a controller that answers commands as
// an [nvme.Passthru], and a medium that is read and written with the latency of
// the real thing, in real time.
//
// A drive is opened by the name of its profile, or made of captured pages by
// [FromPages]. Parameters may follow, as in a URL:
//
//	optane-905p?read_latency=50us&seed=7
//
//	read_latency, write_latency  median time of a 4 KiB access, up to 1m
//	seed                         another stream of latencies and other data
//	speed                        how many times faster formats, sanitizes and
//	                             self-tests are, up to 1000000
//	sanitize=fails               no sanitize operation succeeds
//	faults                       a file with a fault script, see below
//	silent=io, silent=admin      this queue never answers: Submit returns when
//	                             its context ends, ReadAt and WriteAt when the
//	                             drive is closed
//	active_list=no               the drive knows only the Identify structures of
//	                             NVMe 1.0 and refuses the list of namespaces
//	serial, model                others than the profile's; with another serial
//	                             number the namespaces get other identifiers,
//	                             which the seed changes too
//	size                         bytes of all namespaces together
//	namespaces                   among how many the first one is divided, up to 32
//	fna                          Format NVM Attributes; the drive keeps to them
//	temperature                  without load, °C, -40 to 150
//	heating                      time constant of heating and cooling, 1ms to 24h
//	cache                        how much is written at full speed, as 8GiB; 0: all
//	critical_warning             bits that the SMART log has besides its own
//	opal=none                    no Level 0 Discovery
//	opal=off                     locking is supported and not enabled
//	opal=unlocked                locking is enabled
//	opal=locked                  reads, writes and Format NVM get Access Denied,
//	                             Sanitize gets Command Sequence Error
//	blocksid=1                   Block SID froze the drive until the power goes:
//	                             Format NVM and Sanitize are Invalid Command
//	                             Opcode
//	during_format=waits          all commands are answered after a format
//	during_format=answers        I/O commands are refused during a format, others
//	                             answered
//	keep_alive=waits             on a served drive whose commands wait for a
//	                             format, Keep Alive does so too
//
// Numbers may be hexadecimal with 0x, but for the seed and the size.
//
// # Model
//
// A command is looked up by queue and opcode in a table of methods, which has
// the optional commands that Identify declares; another one is answered Invalid
// Command Opcode. Every failed command adds one entry to the Error Information
// log and to the counter of the SMART log, as cautious drives do; so a program
// that asks for what a drive does not have is found out.
//
// Reads and writes count in the SMART log. Power on hours and controller busy
// time go on from the profile's values. The composite temperature follows the
// share of time in which the drive is busy; a drive that throttles gets slower
// when it reaches its thermal management temperatures. A NAND drive writes its
// pseudo-SLC cache full at full speed and then goes on slower; a second after the
// last write it begins to empty it. [Drive.Telemetry] tells the temperature and
// the throttling while the drive is in use.
//
// Format NVM, Sanitize and Device Self-test take the time of the profile. While
// a drive formats, other commands wait or are refused with Format In Progress,
// as the profile says; while it sanitizes, they are refused with Sanitize In
// Progress.
//
// The data of a block depend on its address, the seed and the erases so far,
// until it is written. What is written is kept in memory, up to
// [MaxWrittenBytes]; blocks of zeroes cost nothing. The model keeps no metadata
// and thus refuses formats that have them.
//
// # Fault scripts
//
// A script is JSON Lines. A line says when, and what the drive then does:
//
//	{"when":{"queue":"io","opcode":2,"lba_from":1000,"lba_to":1999},"do":"status","status":641,"times":3}
//	{"when":{"opcode":128,"queue":"admin"},"do":"status","status":0}
//	{"when":{"queue":"admin","opcode":2,"log_id":2,"after_count":5},"do":"delay","ms":200}
//
// The first line that is about a command acts on it. The keys are those of
// [When] and [Fault].
//
// A drive can also lie about erasing. These are about Format NVM and Sanitize,
// which take their time, tell their progress and end with success:
//
//	{"do":"leave-all"}
//	{"when":{"ses":2},"do":"leave-all"}
//	{"do":"leave-rest","percent":75}
//	{"do":"leave-scattered","ppm":10,"seed":1}
//	{"do":"leave-region","lba_from":80000,"lba_to":82047}
//	{"do":"leave-recent","count":64}
//	{"do":"leave-unread"}
//	{"do":"all-namespaces"}
//	{"do":"one-namespace"}
//
// These go wrong:
//
//	{"do":"fail","percent":50,"status":6}
//	{"when":{"opcode":132},"do":"stall","percent":1}
//	{"when":{"opcode":128},"do":"no-answer"}
//	{"do":"reset","percent":50,"times":1}
//	{"do":"power-loss","percent":50,"times":1}
//	{"do":"ghost","percent":50,"times":1}
//
// And this is about reads after an erase:
//
//	{"when":{"blocks":8},"do":"old-data","ms":5000}
//
// What a lie leaves stays until another erase. An outage in the middle of an
// erase ends a format where it is, and every command that is under way; a
// sanitize operation goes on.
package sim
