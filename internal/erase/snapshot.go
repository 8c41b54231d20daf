package erase

import (
	"context"
	"fmt"
	"math"

	"qd1.example/qd1/nvme"
)

// Snapshot is a drive and its health at one moment.
type Snapshot struct {
	Model    string `json:"model"`
	Serial   string `json:"serial"`
	Firmware string `json:"firmware"`
	// Namespaces are the active namespaces.
	Namespaces []NamespaceState `json:"namespaces"`
	// Health is nil if the SMART log could not be read.
	Health *Health `json:"smart"`
	// NewestError is the greatest Error Count of the error log, 0 for an empty
	// log; nil if it could not be read.
	NewestError *uint64 `json:"newest_error_count"`
	// Sanitize is the Sanitize Status log, nil if the drive has none or it could
	// not be read.
	Sanitize *nvme.SanitizeLog `json:"sanitize"`
	// Unread says what could not be read.
	Unread []string `json:"unread"`

	errors nvme.ErrorLog
}

// NamespaceState is a namespace at one moment.
type NamespaceState struct {
	NSID     nvme.NSID `json:"nsid"`
	Bytes    int64     `json:"size_bytes"`
	LBAF     int       `json:"lbaf"`
	LBABytes int       `json:"lba_bytes"`
	EUI64    string    `json:"eui64,omitempty"`
	NGUID    string    `json:"nguid,omitempty"`
}

// Health is the part of the SMART log that an erase is judged by.
type Health struct {
	CriticalWarning nvme.CriticalWarning `json:"critical_warning"`
	// Temperature is the composite one, kelvins. 0 means not reported.
	Temperature      nvme.Kelvin `json:"composite_temperature_kelvin"`
	AvailableSpare   uint8       `json:"available_spare_percent"`
	PercentageUsed   uint8       `json:"percentage_used_percent"`
	DataUnitsWritten *uint64     `json:"data_units_written"`
	// The counters are nil where the drive gives a number beyond 64 bits, which
	// no drive can have counted.
	PowerCycles     *uint64 `json:"power_cycles"`
	PowerOnHours    *uint64 `json:"power_on_hours"`
	UnsafeShutdowns *uint64 `json:"unsafe_shutdowns"`
	MediaErrors     *uint64 `json:"media_errors"`
	ErrorLogEntries *uint64 `json:"error_log_entries"`
}

// TakeSnapshot looks at a drive. It reads only. The error is that of Identify
// Controller, without which nothing is known; what else could not be read is
// told in Unread.
func TakeSnapshot(ctx context.Context, p nvme.Passthru) (*Snapshot, error) {
	c := nvme.NewController(p)
	id, err := c.Identify(ctx)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{
		Model: id.ModelNumber.String(), Serial: id.SerialNumber.String(), Firmware: id.FirmwareRevision.String(),
		Unread: []string{},
	}
	s.readNamespaces(ctx, c, id)
	if log, err := c.SMARTLog(ctx); s.read("the SMART log", err) {
		s.Health = healthOf(log)
	}
	if log, err := c.ErrorLog(ctx, id); s.read("the error log", err) {
		s.errors, s.NewestError = log, newest(log)
	}
	if id.SANICAP != 0 {
		if log, err := c.SanitizeLog(ctx); s.read("the sanitize log", err) {
			s.Sanitize = log
		}
	}
	return s, nil
}

// read notes what could not be read.
func (s *Snapshot) read(what string, err error) bool {
	if err != nil {
		s.Unread = append(s.Unread, fmt.Sprintf("%s: %v", what, err))
	}
	return err == nil
}

func (s *Snapshot) readNamespaces(ctx context.Context, c *nvme.Controller, id *nvme.IdentifyController) {
	list, err := c.ActiveNamespaces(ctx, id)
	s.read("the list of namespaces", err)
	for _, nsid := range list {
		n, err := c.IdentifyNamespace(ctx, nsid)
		if !s.read(fmt.Sprintf("namespace %d", nsid), err) {
			continue
		}
		s.Namespaces = append(s.Namespaces, NamespaceState{
			NSID: nsid, Bytes: bytesOf([]Namespace{{nsid, n}}), LBAF: n.FormatIndex(),
			LBABytes: int(n.Format().DataBytes()), EUI64: n.EUI64.String(), NGUID: n.NGUID.String(),
		})
	}
}

func healthOf(l *nvme.SMARTLog) *Health {
	return &Health{
		CriticalWarning: l.CriticalWarning, Temperature: l.CompositeTemperature,
		AvailableSpare: l.AvailableSpare, PercentageUsed: l.PercentageUsed,
		DataUnitsWritten: counter(l.DataUnitsWritten), PowerCycles: counter(l.PowerCycles),
		PowerOnHours: counter(l.PowerOnHours), UnsafeShutdowns: counter(l.UnsafeShutdowns),
		MediaErrors: counter(l.MediaErrors), ErrorLogEntries: counter(l.ErrorLogEntries),
	}
}

func counter(n nvme.Uint128) *uint64 {
	if v, ok := n.Uint64(); ok {
		return &v
	}
	return nil
}

func newest(l nvme.ErrorLog) *uint64 {
	n := uint64(0)
	for _, e := range l {
		n = max(n, e.ErrorCount)
	}
	return &n
}

// at returns a namespace, nil if it is not there.
func (s *Snapshot) at(nsid nvme.NSID) *NamespaceState {
	for i := range s.Namespaces {
		if s.Namespaces[i].NSID == nsid {
			return &s.Namespaces[i]
		}
	}
	return nil
}

// Delta is what changed between two snapshots.
type Delta struct {
	// Changes are sentences about identity, sizes and formats that differ.
	Changes []string `json:"changes"`
	// The counters are of the SMART log, after minus before; null if one of
	// them is not known.
	PowerCycles     *int64 `json:"power_cycles"`
	UnsafeShutdowns *int64 `json:"unsafe_shutdowns"`
	MediaErrors     *int64 `json:"media_errors"`
	ErrorLogEntries *int64 `json:"error_log_entries"`
	// Errors are the new entries of the error log in words.
	Errors []string `json:"errors"`

	mediaError bool
}

// compare returns what changed, nil if one of the two is missing.
func compare(before, after *Snapshot) *Delta {
	if before == nil || after == nil {
		return nil
	}
	d := &Delta{Changes: changes(before, after), Errors: []string{}}
	if b, a := before.Health, after.Health; b != nil && a != nil {
		d.PowerCycles = minus(a.PowerCycles, b.PowerCycles)
		d.UnsafeShutdowns = minus(a.UnsafeShutdowns, b.UnsafeShutdowns)
		d.MediaErrors = minus(a.MediaErrors, b.MediaErrors)
		d.ErrorLogEntries = minus(a.ErrorLogEntries, b.ErrorLogEntries)
	}
	if before.NewestError == nil {
		return d
	}
	for _, e := range after.errors {
		if e.ErrorCount > *before.NewestError {
			status := e.StatusInfo.Status()
			d.Errors = append(d.Errors, fmt.Sprintf("error %d: %v", e.ErrorCount, status.Error()))
			d.mediaError = d.mediaError || status.SCT() == 2
		}
	}
	return d
}

func minus(a, b *uint64) *int64 {
	if a == nil || b == nil || *a > math.MaxInt64 || *b > math.MaxInt64 {
		return nil
	}
	d := int64(*a) - int64(*b)
	return &d
}

func changes(before, after *Snapshot) []string {
	list := []string{}
	differ := func(what, b, a string) {
		if a != b {
			list = append(list, fmt.Sprintf("%s: %s before, %s after", what, orNone(b), orNone(a)))
		}
	}
	differ("serial", before.Serial, after.Serial)
	differ("model", before.Model, after.Model)
	differ("firmware", before.Firmware, after.Firmware)
	for _, b := range before.Namespaces {
		a := after.at(b.NSID)
		if a == nil {
			list = append(list, fmt.Sprintf("namespace %d is not there any more", b.NSID))
			continue
		}
		name := fmt.Sprintf("namespace %d ", b.NSID)
		differ(name+"size", fmt.Sprintf("%d bytes", b.Bytes), fmt.Sprintf("%d bytes", a.Bytes))
		differ(name+"LBA format", fmt.Sprint(b.LBAF), fmt.Sprint(a.LBAF))
		differ(name+"EUI-64", b.EUI64, a.EUI64)
		differ(name+"NGUID", b.NGUID, a.NGUID)
	}
	for _, a := range after.Namespaces {
		if before.at(a.NSID) == nil {
			list = append(list, fmt.Sprintf("namespace %d is new", a.NSID))
		}
	}
	return list
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// ghost says why a drive does not look like itself: one that was cut off in the
// middle of a format was seen to come back with another model, a fraction of
// its size and counters that nobody can have counted. Nil means that it looks
// all right.
func ghost(before, now *Snapshot) []string {
	if before == nil || now == nil {
		return nil
	}
	var signs []string
	sign := func(when bool, format string, args ...any) {
		if when {
			signs = append(signs, fmt.Sprintf(format, args...))
		}
	}
	sign(now.Model != before.Model, "its model was %s and is %s", orNone(before.Model), orNone(now.Model))
	sign(now.Serial != before.Serial, "its serial was %s and is %s", orNone(before.Serial), orNone(now.Serial))
	was, is := total(before), total(now)
	sign(is < was/2, "its size was %d bytes and is %d", was, is)
	if h := now.Health; h != nil {
		celsius, reported := h.Temperature.Celsius()
		sign(!reported && before.Health != nil && before.Health.Temperature != 0, "it reports no temperature any more")
		sign(reported && (celsius < -60 || celsius > 200), "it reports %d °C", celsius)
		sign(h.PowerCycles == nil || h.PowerOnHours == nil || h.DataUnitsWritten == nil, "its counters are beyond what can be counted")
	}
	return signs
}

func total(s *Snapshot) int64 {
	var sum int64
	for _, n := range s.Namespaces {
		sum += min(n.Bytes, math.MaxInt64-sum)
	}
	return sum
}
