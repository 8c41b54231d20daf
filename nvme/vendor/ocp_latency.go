package vendor

import "fmt"

// OCPLatencyMonitor is the Latency Monitor page (LID C3h) of drives that follow
// the OCP Datacenter NVMe SSD Specification, 512 bytes. The active part counts
// now, the static part is the last that was completed.
//
// Source: Datacenter NVMe SSD Specification, Version 2.0, Latency Monitor (Log
// Identifier C3h), as nvme-cli reads it.
type OCPLatencyMonitor struct {
	// 0:0 Latency Monitor Feature Status, bit 0 enabled.
	Status uint8 `json:"status"`
	_      byte
	// 3:2 Active Bucket Timer, units of 5 minutes.
	ActiveTimer uint16 `json:"active_timer_5_minutes"`
	// 5:4 Active Bucket Timer Threshold, units of 5 minutes.
	TimerThreshold uint16 `json:"timer_threshold_5_minutes"`
	// 9:6 Active Thresholds A to D, where buckets 0 to 3 start, units of 5 ms, 0's
	// based.
	Thresholds [4]uint8 `json:"thresholds_5_ms"`
	// 11:10 Active Latency Configuration.
	Configuration uint16 `json:"configuration"`
	// 12:12 Active Latency Minimum Window, units of 100 ms.
	MinimumWindow uint8 `json:"minimum_window_100_ms"`
	_             [19]byte
	// 95:32 Active Bucket Counters 0 to 3.
	Active [4]OCPBucket `json:"active_buckets"`
	// 191:96 Active Latency Timestamps, milliseconds. All ones means none.
	ActiveStamps [4]OCPStamps `json:"active_timestamps_ms"`
	// 215:192 Active Measured Latencies, ms.
	ActiveMeasured [4]OCPMeasured `json:"active_measured_ms"`
	// 217:216 Active Latency Stamp Units.
	ActiveStampUnits uint16 `json:"active_stamp_units"`
	_                [22]byte
	// 303:240 Static Bucket Counters 0 to 3.
	Static [4]OCPBucket `json:"static_buckets"`
	// 399:304 Static Latency Timestamps, milliseconds. All ones means none.
	StaticStamps [4]OCPStamps `json:"static_timestamps_ms"`
	// 423:400 Static Measured Latencies, ms.
	StaticMeasured [4]OCPMeasured `json:"static_measured_ms"`
	// 425:424 Static Latency Stamp Units.
	StaticStampUnits uint16 `json:"static_stamp_units"`
	_                [68]byte
	// 495:494 Log Page Version.
	Version uint16 `json:"log_page_version"`
	// 511:496 Log Page GUID.
	GUID GUID `json:"-"`
}

// OCPBucket counts the commands of one bucket.
type OCPBucket struct {
	_     uint32
	Trim  uint32 `json:"trim_count"`
	Write uint32 `json:"write_count"`
	Read  uint32 `json:"read_count"`
}

// OCPStamps is when the slowest command of one bucket was, milliseconds.
type OCPStamps struct {
	Trim  uint64 `json:"trim"`
	Write uint64 `json:"write"`
	Read  uint64 `json:"read"`
}

// OCPMeasured is how long the slowest command of one bucket took, ms.
type OCPMeasured struct {
	Trim  uint16 `json:"trim"`
	Write uint16 `json:"write"`
	Read  uint16 `json:"read"`
}

// UnmarshalBinary decodes b, which must hold at least 512 bytes and the GUID of
// the page.
func (p *OCPLatencyMonitor) UnmarshalBinary(b []byte) error {
	if err := decode("OCP Latency Monitor", p, b); err != nil {
		return err
	}
	return p.GUID.expect("OCP Latency Monitor", guidOCPLatency)
}

// Enabled reports whether the drive counts.
func (p *OCPLatencyMonitor) Enabled() bool { return p.Status&1 != 0 }

// Threshold returns where bucket i starts, ms.
func (p *OCPLatencyMonitor) Threshold(i int) int { return (int(p.Thresholds[i]) + 1) * 5 }

// Rows implements [Value].
func (p *OCPLatencyMonitor) Rows() []Row {
	rows := []Row{{"Latency Monitor", p.Enabled(), ""}}
	for i := range p.Thresholds {
		rows = append(rows, p.bucketRows("active", i, p.Active[i], p.ActiveMeasured[i])...)
	}
	for i := range p.Thresholds {
		rows = append(rows, p.bucketRows("last", i, p.Static[i], p.StaticMeasured[i])...)
	}
	return rows
}

// bucketRows returns the counters of one bucket that are not 0, and the slowest
// command of each kind.
func (p *OCPLatencyMonitor) bucketRows(part string, i int, b OCPBucket, m OCPMeasured) []Row {
	var rows []Row
	for _, kind := range []struct {
		name    string
		count   uint32
		slowest uint16
	}{{"Reads", b.Read, m.Read}, {"Writes", b.Write, m.Write}, {"Trims", b.Trim, m.Trim}} {
		if kind.count == 0 {
			continue
		}
		name := fmt.Sprintf("%s from %d ms (%s)", kind.name, p.Threshold(i), part)
		rows = append(rows, Row{name, uint64(kind.count), "count"},
			Row{name + ", slowest", uint64(kind.slowest), "ms"})
	}
	return rows
}
