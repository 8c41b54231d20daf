package nvmetcp

import "time"

// Limits. Each is the same for all drives, so that the memory of a server is
// bounded whatever its hosts do.
const (
	// QueueEntries is the greatest number of entries of a queue (CAP.MQES + 1
	// and MAXCMD).
	QueueEntries = 128
	// InCapsuleBytes is how much data a command capsule may carry. A host on
	// the same computer is told of one page only; see localBytes.
	InCapsuleBytes = 8 << 10
	// TransferBytes is the greatest data transfer of one command. A drive
	// whose MDTS allows more, or has no limit, is shown with this one.
	TransferBytes = 2 << 20
	// ConnectionBytes is how much data a connection holds at most for commands
	// in flight, besides what came in capsules. Further commands wait.
	ConnectionBytes = 2 * TransferBytes
	// IOQueues is the greatest number of I/O queues of a controller.
	IOQueues = 16
	// DefaultConnections is the limit on connections if Options names none.
	DefaultConnections = 256

	// maxH2CData is how much data one PDU of a host may carry.
	maxH2CData = 128 << 10
	// localBytes is the limit on the data of one PDU of a host on the same
	// computer. Linux before 6.5 hands the pages of a write to the receiving
	// side as they are, and stops with a "kernel BUG" (hardened usercopy) when
	// a receiver copies across the border of two large pages. Data in single
	// pages never reach across one.
	localBytes = 4 << 10
	// maxEvents is how many events wait for a host that asks for none.
	maxEvents = 16
	// adminEvents is how many Asynchronous Event Requests a drive may hold at
	// most; the Identify field AERL counts up to 256.
	adminEvents = 16
)

// Times.
const (
	// handshakeTime is how long a connection may take to become a queue.
	handshakeTime = 10 * time.Second
	// writeTime is how long a host may take to receive a batch of answers.
	writeTime = 30 * time.Second
	// farewellTime is how long a host may take to close a connection after a
	// termination request.
	farewellTime = time.Second
	// learnTime is how long a drive may take to tell its version before hosts
	// take it for one of NVMe 1.0.
	learnTime = 2 * time.Second
)
