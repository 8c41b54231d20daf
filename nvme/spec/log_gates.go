package spec

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// exactly is a page of so many bytes.
func exactly(n int) func(*nvme.IdentifyController) int {
	return func(*nvme.IdentifyController) int { return n }
}

// anaBytes is the length of the Asymmetric Namespace Access log page by what
// Identify Controller counts.
//
// Source: NVM Express Base Specification, Revision 2.1, Asymmetric Namespace
// Access: the maximum size of the log page.
func anaBytes(id *nvme.IdentifyController) int {
	const most = 1 << 20
	namespaces := uint64(id.NN)
	if id.MNAN != 0 {
		namespaces = uint64(id.MNAN)
	}
	return int(min(16+32*uint64(id.NANAGRPID)+4*namespaces, most))
}

// wholeAt is a length that stands in the page.
func wholeAt(at, n int) func([]byte) uint64 { return func(b []byte) uint64 { return u(b, at, n) } }

// wholeList is a page of a fixed part and as many entries as it counts.
func wholeList(part uint64, at, n int, each uint64) func([]byte) uint64 {
	return func(b []byte) uint64 { return part + min(u(b, at, n), mostEntries)*each }
}

// ifListed is the gate of a page that no bit of Identify Controller tells of:
// only the Supported Log Pages log page does.
func ifListed(*nvme.IdentifyController) (bool, string) {
	return false, "only the Supported Log Pages log page tells of it, and does not list it"
}

// listed is a gate by one bit.
func listed(set bool, what, field string) (bool, string) {
	if set {
		return true, ""
	}
	return false, fmt.Sprintf("the drive does not list %s in %s", what, field)
}

func hasSupportedPages(id *nvme.IdentifyController) (bool, string) {
	return listed(id.LPA&nvme.LPASupportedLogs != 0, "the Supported Log Pages log page", "LPA")
}

func hasEffects(id *nvme.IdentifyController) (bool, string) {
	return listed(id.LPA&nvme.LPACommandsEffects != 0, "the Commands Supported and Effects log page", "LPA")
}

func hasTelemetry(id *nvme.IdentifyController) (bool, string) {
	return listed(id.LPA&nvme.LPATelemetry != 0, "Telemetry", "LPA")
}

func hasPersistentEvents(id *nvme.IdentifyController) (bool, string) {
	return listed(id.LPA&nvme.LPAPersistentEvent != 0, "the Persistent Event log", "LPA")
}

func hasSelfTest(id *nvme.IdentifyController) (bool, string) {
	return listed(id.OACS&nvme.OACSSelfTest != 0, "Device Self-test", "OACS")
}

func hasBlockStatus(id *nvme.IdentifyController) (bool, string) {
	return listed(id.OACS&nvme.OACSLBAStatus != 0, "Get LBA Status", "OACS")
}

func hasLockdown(id *nvme.IdentifyController) (bool, string) {
	return listed(id.OACS&nvme.OACSLockdown != 0, "Command and Feature Lockdown", "OACS")
}

// hasManagementInterface wants both: the page is about the commands of the
// management interface.
func hasManagementInterface(id *nvme.IdentifyController) (bool, string) {
	if ok, why := hasSupportedPages(id); !ok {
		return ok, why
	}
	return listed(id.OACS&nvme.OACSManagementInterface != 0, "NVMe-MI Send and Receive", "OACS")
}

func hasReservations(id *nvme.IdentifyController) (bool, string) {
	return listed(id.ONCS&nvme.ONCSReservations != 0, "Reservations", "ONCS")
}

func hasSanitize(id *nvme.IdentifyController) (bool, string) {
	const actions = 7
	return listed(id.SANICAP&actions != 0, "a sanitize operation", "SANICAP")
}

// The bits of Optional Asynchronous Events Supported, Controller Attributes and
// CMIC that say which log pages a drive has.
//
// Source: NVM Express Base Specification, Revision 2.1, Identify Controller
// data structure.
const (
	namespaceNotices      = 1 << 8
	latencyEventNotices   = 1 << 12
	enduranceEventNotices = 1 << 14
	zoneNotices           = 1 << 27

	enduranceGroups            = 1 << 4
	predictableLatencyMode     = 1 << 5
	fixedCapacityManagement    = 1 << 11
	variableCapacityManagement = 1 << 12
	flexibleDataPlacement      = 1 << 19

	anaReporting = 1 << 3
)

func hasNamespaceNotices(id *nvme.IdentifyController) (bool, string) {
	return listed(id.OAES&namespaceNotices != 0, "Namespace Attribute Notices", "OAES")
}

func hasLatencyEvents(id *nvme.IdentifyController) (bool, string) {
	return listed(id.OAES&latencyEventNotices != 0, "Predictable Latency Event Aggregate Log Change Notices", "OAES")
}

func hasEnduranceEvents(id *nvme.IdentifyController) (bool, string) {
	return listed(id.OAES&enduranceEventNotices != 0, "Endurance Group Event Aggregate Log Page Change Notices", "OAES")
}

func hasZoneNotices(id *nvme.IdentifyController) (bool, string) {
	return listed(id.OAES&zoneNotices != 0, "Zone Descriptor Changed Notices", "OAES")
}

func hasEnduranceGroups(id *nvme.IdentifyController) (bool, string) {
	return listed(id.CTRATT&enduranceGroups != 0, "Endurance Groups", "CTRATT")
}

func hasPredictableLatency(id *nvme.IdentifyController) (bool, string) {
	return listed(id.CTRATT&predictableLatencyMode != 0, "Predictable Latency Mode", "CTRATT")
}

func hasCapacityManagement(id *nvme.IdentifyController) (bool, string) {
	return listed(id.CTRATT&(fixedCapacityManagement|variableCapacityManagement) != 0, "Capacity Management", "CTRATT")
}

func hasPlacement(id *nvme.IdentifyController) (bool, string) {
	return listed(id.CTRATT&flexibleDataPlacement != 0, "Flexible Data Placement", "CTRATT")
}

func hasANA(id *nvme.IdentifyController) (bool, string) {
	return listed(id.CMIC&anaReporting != 0, "ANA Reporting", "CMIC")
}
