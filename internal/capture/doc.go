// Package capture records the commands that went to a drive with what the
// drive answered, and plays them back as an [nvme.Passthru].
//
// A capture is a text file in JSON Lines. The first line is the header:
//
//	{"capture":"qd1/1","tool":"qd1 1.0","controller":"nvme0","transport":"pcie"}
//
// Every other line is one exchange or one thing that the host's sysfs said:
//
//	{"queue":"admin","opcode":6,"nsid":0,"cdw10":1,"status":0,"result":0,"data":"hoCGgA=="}
//	{"sysfs":"class/nvme/nvme0/state","text":"live\n"}
//	{"sysfs":"class/nvme/nvme0","link":"../../devices/pci0000:00/0000:00:06.0/nvme/nvme0"}
//
// cdw10 to cdw15 are left out where they are zero, data where it is empty.
// status is the 15-bit status without the phase tag. Data is what came from
// the drive; what went to it is not recorded.
//
// Three more keys of an exchange serve drives that misbehave. "error" is the
// text of an error of the host: the drive did not answer, and replay fails
// again with a [RecordedError]. "delay_ms" makes replay wait so long before it
// answers. "silent":true makes it never answer: Submit returns when its
// context ends.
//
// Replay finds an answer by queue, opcode, nsid and cdw10 to cdw15. The number
// of dwords and Retain Asynchronous Event of Get Log Page do not take part, so
// that a program that reads more or less of a log still finds it. Several
// answers to one command come in order, and the last one repeats.
//
// Reading is bounded: see [MaxLineBytes], [MaxDataBytes] and [MaxLines].
package capture
