package spec

import (
	"slices"
	"strconv"
	"strings"

	"qd1.example/qd1/nvme"
)

// LogPages returns every log page that a PCIe drive of the NVM and Zoned
// Namespace command sets can have, by identifier.
func LogPages() []LogPage {
	pages := slices.Concat(healthPages(), stateLogPages(), groupLogPages(), rareLogPages(), placementPages(), setPages())
	for _, p := range pages {
		p.Structure.Title = p.Structure.Name
	}
	return pages
}

// FindLogPage returns the page of a name, an alias or a number such as 0x02, and
// false if the table has none.
func FindLogPage(name string) (LogPage, bool) {
	name = strings.ToLower(name)
	for _, p := range LogPages() {
		if p.Name == name || slices.Contains(p.Aliases, name) {
			return p, true
		}
	}
	n, err := strconv.ParseUint(name, 0, 8)
	if err != nil {
		return LogPage{}, false
	}
	return LogPageOf(nvme.LID(n))
}

// LogPageOf returns the page of an identifier, and false if the table has none.
func LogPageOf(lid nvme.LID) (LogPage, bool) {
	for _, p := range LogPages() {
		if p.LID == lid {
			return p, true
		}
	}
	return LogPage{}, false
}

func healthPages() []LogPage {
	return []LogPage{
		{LID: 0x00, Name: "supported-pages", Peer: "supported-log-pages", Aliases: words("supported-log-pages supported"), Structure: supportedPagesLog(), Length: exactly(1024), When: hasSupportedPages},
		{LID: 0x01, Name: "error", Peer: "error-log", Aliases: words("error-log"), Structure: errorLog(),
			Length: func(id *nvme.IdentifyController) int { return (int(id.ELPE) + 1) * 64 }},
		{LID: 0x02, Name: "smart", Peer: "smart-log", Aliases: words("smart-log"), Structure: smartLog(), Length: exactly(512)},
		{LID: 0x03, Name: "firmware", Peer: "fw-log", Aliases: words("fw fw-log"), Structure: firmwareLog(), Length: exactly(512)},
		{LID: 0x04, Name: "changed-namespaces", Peer: "changed-ns-list-log", Aliases: words("changed-ns-list changed-ns-list-log"), Length: exactly(4096), When: hasNamespaceNotices,
			Structure: changedNamespacesLog("Changed Attached Namespace List", "Changed Attached Namespace List (Log Page Identifier 04h)")},
		{LID: 0x05, Name: "effects", Peer: "effects-log", Aliases: words("effects-log"), Structure: effectsLog(), Length: exactly(4096), When: hasEffects},
		{LID: 0x06, Name: "self-test", Peer: "self-test-log", Aliases: words("self-test-log"), Structure: selfTestLog(), Length: exactly(564), When: hasSelfTest},
		{LID: 0x07, Name: "telemetry-host", Peer: "telemetry-log", Aliases: words("telemetry telemetry-log"), Structure: telemetryHostLog(), Length: exactly(512), When: hasTelemetry},
		{LID: 0x08, Name: "telemetry-controller", Peer: "telemetry-log -c", Aliases: words("telemetry-ctrl"), Structure: telemetryControllerLog(), Length: exactly(512), When: hasTelemetry},
	}
}

func stateLogPages() []LogPage {
	return []LogPage{
		{LID: 0x09, Name: "endurance", Peer: "endurance-log", Aliases: words("endurance-log endurance-group"), Structure: enduranceGroupLog(), Length: exactly(512),
			Needs: NeedLSI, Selects: enduranceGroup, When: hasEnduranceGroups},
		{LID: 0x0A, Name: "predictable-latency", Peer: "predictable-lat-log", Aliases: words("predictable-lat predictable-lat-log"), Structure: predictableLatencyLog(), Length: exactly(512),
			Needs: NeedLSI, Selects: "NVM set", When: hasPredictableLatency},
		{LID: 0x0B, Name: "predictable-latency-events", Peer: "pred-lat-event-agg-log", Aliases: words("pred-lat-event-agg pred-lat-event-agg-log"), Structure: latencyEventsLog(),
			Length: exactly(8), Whole: wholeList(8, 0, 8, 2), When: hasLatencyEvents},
		{LID: 0x0C, Name: "ana", Peer: "ana-log", Aliases: words("ana-log"), Structure: accessLog(), When: hasANA, Length: anaBytes},
		{LID: 0x0D, Name: "persistent-event", Peer: "persistent-event-log", Aliases: words("persistent-event-log"), Structure: persistentEventLog(), Length: exactly(512), Whole: wholeAt(8, 8), When: hasPersistentEvents},
		{LID: 0x0E, Name: "lba-status", Peer: "lba-status-log", Aliases: words("lba-status-log"), Structure: blockStatusLog(), Length: exactly(16), Whole: wholeAt(0, 4), When: hasBlockStatus},
		{LID: 0x0F, Name: "endurance-events", Peer: "endurance-event-agg-log", Aliases: words("endurance-event-agg endurance-event-agg-log"), Structure: enduranceEventsLog(),
			Length: exactly(8), Whole: wholeList(8, 0, 8, 2), When: hasEnduranceEvents},
	}
}

func groupLogPages() []LogPage {
	return []LogPage{
		{LID: 0x10, Name: "media-unit", Peer: "media-unit-stat-log", Aliases: words("media-unit-stat media-unit-stat-log"), Structure: mediaUnitLog(), Length: exactly(4096),
			Needs: NeedLSI, Selects: "domain", When: hasCapacityManagement},
		{LID: 0x11, Name: "capacity-configurations", Peer: "supported-cap-config-log", Aliases: words("supported-cap-config supported-cap-config-log"), Structure: capacityLog(), Length: exactly(4096),
			Needs: NeedLSI, Selects: "domain", When: hasCapacityManagement},
		{LID: 0x12, Name: "features-effects", Peer: "fid-support-effects-log", Aliases: words("fid-support-effects fid-support-effects-log"), Structure: featuresEffectsLog(), Length: exactly(1024), When: hasSupportedPages},
		{LID: 0x13, Name: "mi-effects", Peer: "mi-cmd-support-effects-log", Aliases: words("mi-cmd-support-effects mi-cmd-support-effects-log"), Structure: managementEffectsLog(), Length: exactly(4096), When: hasManagementInterface},
		{LID: 0x14, Name: "lockdown", Peer: "lockdown-log", Structure: lockdownLog(), Length: exactly(512), When: hasLockdown},
		{LID: 0x15, Name: "boot-partition", Peer: "boot-part-log", Aliases: words("boot-part boot-part-log"), Structure: bootPartitionLog(), Length: exactly(16), When: ifListed},
		{LID: 0x16, Name: "rotational-media", Peer: "rotational-media-info-log", Aliases: words("rotational-media-info rotational-media-info-log"), Structure: rotationalLog(), Length: exactly(512),
			Needs: NeedLSI, Selects: enduranceGroup, When: ifListed},
	}
}

func rareLogPages() []LogPage {
	return []LogPage{
		{LID: 0x17, Name: "dispersed-namespace", Peer: "dispersed-ns-participating-nss-log", Aliases: words("dispersed-ns-participating-nss dispersed-ns-participating-nss-log"), Structure: dispersedLog(),
			Length: exactly(256), Whole: wholeList(256, 8, 8, 256), Needs: NeedNSID, When: ifListed},
		{LID: 0x18, Name: "management-address", Peer: "mgmt-addr-list-log", Aliases: words("mgmt-addr-list mgmt-addr-list-log"), Structure: managementAddressLog(), Length: exactly(4096), When: ifListed},
		{LID: 0x19, Name: "eye-opening", Peer: "phy-rx-eom-log", Aliases: words("phy-rx-eom phy-rx-eom-log"), Structure: eyeLog(), Length: exactly(64), Whole: wholeAt(4, 4),
			Needs: NeedLSI, Selects: "controller", When: ifListed},
		{LID: 0x1A, Name: "reachability-groups", Peer: "reachability-groups-log", Aliases: words("reachability-groups-log"), Structure: reachabilityGroupsLog(), Length: exactly(4096), When: ifListed},
		{LID: 0x1B, Name: "reachability-associations", Peer: "reachability-associations-log", Aliases: words("reachability-associations-log"), Structure: reachabilityAssociationsLog(), Length: exactly(4096), When: ifListed},
		{LID: 0x1C, Name: "changed-allocated-namespaces", Peer: "changed-alloc-ns-list-log", Aliases: words("changed-alloc-ns-list changed-alloc-ns-list-log"), Length: exactly(4096), When: ifListed,
			Structure: changedNamespacesLog("Changed Allocated Namespace List", "Changed Allocated Namespace List (Log Page Identifier 1Ch)")},
	}
}

func placementPages() []LogPage {
	return []LogPage{
		{LID: 0x20, Name: "fdp-configurations", Peer: "fdp configs", Aliases: words("fdp-configs"), Structure: placementConfigurationsLog(), Length: exactly(16), Whole: wholeAt(4, 4), Needs: NeedLSI, Selects: enduranceGroup, When: hasPlacement},
		{LID: 0x21, Name: "fdp-usage", Peer: "fdp usage", Structure: handleUsageLog(), Length: exactly(8), Whole: wholeList(8, 0, 2, 8), Needs: NeedLSI, Selects: enduranceGroup, When: hasPlacement},
		{LID: 0x22, Name: "fdp-statistics", Peer: "fdp stats", Aliases: words("fdp-stats"), Structure: placementStatisticsLog(), Length: exactly(64), Needs: NeedLSI, Selects: enduranceGroup, When: hasPlacement},
		{LID: 0x23, Name: "fdp-events", Peer: "fdp events", Structure: placementEventsLog(), Length: exactly(64), Whole: wholeList(64, 0, 4, 64), Needs: NeedLSI, Selects: enduranceGroup, When: hasPlacement},
	}
}

func setPages() []LogPage {
	const zoned = 2
	return []LogPage{
		{LID: 0x80, Name: "reservation", Peer: "resv-notif-log", Aliases: words("resv-notif resv-notif-log"), Structure: reservationLog(), Length: exactly(64), When: hasReservations},
		{LID: 0x81, Name: "sanitize", Peer: "sanitize-log", Aliases: words("sanitize-log"), Structure: sanitizeLog(), Length: exactly(512), When: hasSanitize},
		{LID: 0xBF, Name: "changed-zones", Peer: "zns changed-zone-list", Aliases: words("changed-zone-list"), Structure: changedZonesLog(), Length: exactly(4096),
			Needs: NeedNSID, CSI: zoned, When: hasZoneNotices},
	}
}

func words(text string) []string { return strings.Fields(text) }

// enduranceGroup is what the Log Specific Identifier of many pages selects.
const enduranceGroup = "endurance group"
