package sata

import "fmt"

// Health is what a drive counts, in the same units for every maker. null is
// what the drive does not report, or reports in a unit that is not known.
type Health struct {
	TemperatureCelsius *int    `json:"temperature_celsius"`
	PowerOnHours       *uint64 `json:"power_on_hours"`
	PowerCycles        *uint64 `json:"power_cycles"`
	UnsafeShutdowns    *uint64 `json:"unsafe_shutdowns"`
	// ReallocatedSectors counts sectors of a disk and blocks of flash that were
	// replaced, PendingSectors those that could not be read and wait for that.
	ReallocatedSectors *uint64 `json:"reallocated_sectors"`
	PendingSectors     *uint64 `json:"pending_sectors"`
	// OfflineUncorrectable counts sectors that the drive's own scan could not
	// read, UncorrectableErrors errors that were reported to the host.
	OfflineUncorrectable *uint64 `json:"offline_uncorrectable_sectors"`
	UncorrectableErrors  *uint64 `json:"uncorrectable_errors"`
	// CRCErrors counts transfers between host and drive that arrived damaged.
	CRCErrors    *uint64 `json:"interface_crc_errors"`
	BytesWritten *uint64 `json:"bytes_written"`
	BytesRead    *uint64 `json:"bytes_read"`
	// PercentageUsed is the drive's own account of its rated life.
	PercentageUsed *int `json:"percentage_used_percent"`
	// Sources says for each key where its value is from.
	Sources map[string]string `json:"sources"`
}

// statisticsSource is the origin of values of [Statistics].
const statisticsSource = "device statistics"

// HealthOf puts together what is known. The standard's own statistics come
// first; the arguments may be nil.
func HealthOf(id *Identity, a *Attributes, s *Statistics) *Health {
	h := &Health{Sources: map[string]string{}}
	if s != nil {
		h.fromStatistics(id, s)
	}
	if a != nil {
		h.fromAttributes(a)
	}
	return h
}

// set gives a value to a field that has none.
func set[T any](h *Health, field **T, key string, value *T, source string) {
	if *field != nil || value == nil {
		return
	}
	v := *value
	*field, h.Sources[key] = &v, source
}

func (h *Health) fromStatistics(id *Identity, s *Statistics) {
	set(h, &h.TemperatureCelsius, "temperature_celsius", s.TemperatureCelsius, statisticsSource)
	set(h, &h.PercentageUsed, "percentage_used_percent", s.PercentageUsed, statisticsSource)
	sector := uint64(sectorBytes)
	if id != nil {
		sector = uint64(id.LogicalSectorBytes)
	}
	for _, v := range []struct {
		field **uint64
		key   string
		value *uint64
	}{
		{&h.PowerOnHours, "power_on_hours", s.PowerOnHours},
		{&h.PowerCycles, "power_cycles", s.PowerOnResets},
		{&h.ReallocatedSectors, "reallocated_sectors", s.ReallocatedSectors},
		{&h.PendingSectors, "pending_sectors", s.CandidateSectors},
		{&h.UncorrectableErrors, "uncorrectable_errors", s.UncorrectableErrors},
		{&h.CRCErrors, "interface_crc_errors", s.InterfaceCRCErrors},
		{&h.BytesWritten, "bytes_written", times(s.SectorsWritten, sector)},
		{&h.BytesRead, "bytes_read", times(s.SectorsRead, sector)},
	} {
		set(h, v.field, v.key, v.value, statisticsSource)
	}
}

// times multiplies; nil stays nil. Sector counts have 48 bits and sectors fewer
// than 2^26 bytes, so that the product may pass 64 bits only for a count that
// cannot be true.
func times(n *uint64, unit uint64) *uint64 {
	if n == nil || *n > 1<<63/unit {
		return nil
	}
	return new(*n * unit)
}

// fromAttributes takes what the attributes say: by identifier what all makers
// mean alike, by name what only the drive's family tells.
func (h *Health) fromAttributes(a *Attributes) {
	for i := range a.Table {
		t := &a.Table[i]
		source := fmt.Sprintf("attribute %d", t.ID)
		h.counter(t, source)
		h.quantity(t, source)
	}
	// 190 is often the temperature of the air; 194 is the drive's where it exists.
	for _, id := range []uint8{194, 190} {
		if t := a.Find(id); t != nil {
			set(h, &h.TemperatureCelsius, "temperature_celsius", t.celsius(), fmt.Sprintf("attribute %d", id))
		}
	}
}

// hoursLimit is the age of the oldest drive with SMART, in hours; more is a
// counter in another unit.
const hoursLimit = 40 * 8766

// counter takes attributes that all makers mean alike.
func (h *Health) counter(t *Attribute, source string) {
	count := new(uint64(max(t.Count, 0)))
	switch t.ID {
	case 5:
		set(h, &h.ReallocatedSectors, "reallocated_sectors", count, source)
	case 9:
		if *count <= hoursLimit {
			set(h, &h.PowerOnHours, "power_on_hours", count, source)
		}
	case 12:
		set(h, &h.PowerCycles, "power_cycles", count, source)
	case 174:
		set(h, &h.UnsafeShutdowns, "unsafe_shutdowns", count, source)
	case 187:
		set(h, &h.UncorrectableErrors, "uncorrectable_errors", count, source)
	case 197:
		set(h, &h.PendingSectors, "pending_sectors", count, source)
	case 198:
		set(h, &h.OfflineUncorrectable, "offline_uncorrectable_sectors", count, source)
	case 199:
		set(h, &h.CRCErrors, "interface_crc_errors", count, source)
	}
}

// quantity takes attributes whose name tells their unit.
func (h *Health) quantity(t *Attribute, source string) {
	const mib32, gib = 32 << 20, 1 << 30
	count := new(uint64(max(t.Count, 0)))
	switch t.Name {
	case nameLBAsWritten:
		set(h, &h.BytesWritten, "bytes_written", times(count, sectorBytes), source)
	case name32MiBWritten:
		set(h, &h.BytesWritten, "bytes_written", times(count, mib32), source)
	case nameGiBWritten:
		set(h, &h.BytesWritten, "bytes_written", times(count, gib), source)
	case nameLBAsRead:
		set(h, &h.BytesRead, "bytes_read", times(count, sectorBytes), source)
	case name32MiBRead:
		set(h, &h.BytesRead, "bytes_read", times(count, mib32), source)
	case nameGiBRead:
		set(h, &h.BytesRead, "bytes_read", times(count, gib), source)
	case nameUnsafe, nameRecovery:
		set(h, &h.UnsafeShutdowns, "unsafe_shutdowns", count, source)
	case nameLifeRemaining, nameLifeLeft, nameWearout, nameFamilyWear:
		set(h, &h.PercentageUsed, "percentage_used_percent", t.used(), source)
	}
}

// used returns the part of the rated life that a normalised value has lost, nil
// for a value that is not a percentage.
func (t *Attribute) used() *int {
	if t.Value > 100 {
		return nil
	}
	return new(100 - int(t.Value))
}
