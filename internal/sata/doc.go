// Package sata reads drives that speak ATA behind the kernel's SCSI disk
// driver: SATA drives beside the NVMe drives that qd1 is about, so that both
// can be compared. It sends ATA commands through SCSI (SG_IO and the ATA
// PASS-THROUGH commands), only those of a short list that change nothing, and
// no NVMe command at all.
//
// [Open] finds out from sysfs what stands between the host and the drive;
// [Collect] reads a drive into a [Report]; [Assess] judges it, and is pure.
//
// Structures of github.com/dswarbrick/smart are decoded here in the byte order
// of the drive, never by a cast and never by that module's own input and
// output, and its look-up of attribute names works on data made for one call,
// since it writes into what it is given.
//
// Sources by short name: ACS-4 is ANSI INCITS 529, ATA/ATAPI Command Set 4;
// ATA8-ACS is ANSI INCITS 452; SAT-4 is ANSI INCITS 491, SCSI / ATA
// Translation 4; SPC-5 is ANSI INCITS 502, SCSI Primary Commands 5; SFF-8035i
// is the Specification for Self-Monitoring, Analysis and Reporting Technology,
// revision 2.0.
package sata
