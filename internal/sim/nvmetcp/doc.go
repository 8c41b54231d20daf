// Package nvmetcp serves simulated drives to NVMe/TCP hosts, such as the Linux
// kernel's own driver.
//
// [Serve] takes a listener and any number of subsystems. Each subsystem is one
// drive under its NVMe Qualified Name; the discovery subsystem
// ([DiscoveryNQN]) lists them all. Commands go to the drive as they are, but
// for what belongs to the transport: Connect, the properties, Keep Alive,
// Asynchronous Event Request, Abort, the number of queues and the keep alive
// timer are answered here. Keep Alive is answered also while the drive answers
// nothing, unless it is a [KeepAliver] that says otherwise.
//
// # What a host sees of the drive
//
// Every byte of every structure is the drive's own, but for the fields of
// Identify Controller that fabrics need; they are the table in overlay.go. The
// first controller also has the drive's own identifier (CNTLID); only further
// hosts at the same time get others.
//
// The Version property (VS) is the drive's own version. A drive older than
// NVMe 1.2 reports 0 in Identify, and the property then says 1.0: Linux asks
// such a drive for nothing that NVMe 1.0 does not have, so it adds no entry to
// the drive's error log.
//
// # Limits
//
// A connection is one queue. It may have [QueueEntries] commands in flight and
// holds at most [ConnectionBytes] of data; a command moves at most
// [TransferBytes]. Together with the limit on connections this bounds the
// memory. A host that breaks the protocol gets a termination request with the
// reason and is disconnected.
//
// Source: NVM Express TCP Transport Specification, Revision 1.0; NVM Express
// Base Specification, Revision 2.0, for the Fabrics commands; NVM Express over
// Fabrics, Revision 1.1.
package nvmetcp
