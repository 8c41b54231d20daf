package sim

import (
	"encoding/binary"

	"qd1.example/qd1/nvme"
)

// The vendor specific log pages and features of Intel Optane drives.
//
// Source: nvme-cli, plugin intel; SPDK, spdk/nvme_intel.h. No document of the
// vendor was at hand.
const (
	lidIntelDirectory    nvme.LID = 0xC0
	lidIntelReadLatency  nvme.LID = 0xC1
	lidIntelWriteLatency nvme.LID = 0xC2
	lidIntelTemperature  nvme.LID = 0xC5
	lidIntelSMART        nvme.LID = 0xCA
	lidIntelName         nvme.LID = 0xDD

	fidLatencyTracking   nvme.FID = 0xE2
	fidLatencyThresholds nvme.FID = 0xF7
)

// firstVendorID is the first log page and feature of the vendor.
const firstVendorID = 0xC0

// intel is what the vendor's pages tell besides the state of the model.
type intel struct {
	// name is the name that the drive is sold under.
	name string
	// coldest and hottest are the temperatures of the drive's life before it was
	// opened, °C, maxOperating the highest that it is made for.
	coldest, hottest, maxOperating int64
	// latencyStarts are where the buckets of the latency pages start,
	// microseconds, rising from 0.
	latencyStarts [latencyBuckets]uint32
}

// intelLogs returns all the pages, for a profile.
func intelLogs() []nvme.LID {
	return []nvme.LID{
		lidIntelDirectory, lidIntelReadLatency, lidIntelWriteLatency, lidIntelTemperature, lidIntelSMART, lidIntelName,
	}
}

// intelPages returns the pages of the model; none for drives of other vendors,
// whose pages of the same numbers are something else.
func (c *controller) intelPages() map[nvme.LID]logPage {
	if c.personality.intel == nil {
		return nil
	}
	return map[nvme.LID]logPage{
		lidIntelDirectory:    {page: c.intelDirectory},
		lidIntelReadLatency:  {page: func() []byte { return c.latency.take(ofReads) }},
		lidIntelWriteLatency: {page: func() []byte { return c.latency.take(ofWrites) }},
		lidIntelTemperature:  {page: c.intelTemperature},
		lidIntelSMART:        {page: c.intelSMART},
		lidIntelName:         {page: func() []byte { return longer([]byte(c.personality.intel.name), intelPageBytes) }},
	}
}

const intelPageBytes = 512

// longer returns a page with zero bytes up to its length.
func longer(page []byte, length int) []byte { return append(page, make([]byte, length-len(page))...) }

// intelDirectory returns the Log Page Directory: a version, and two bytes for
// each log page from 1 on. They are 0 for pages that the drive does not have;
// what else they count is not known.
func (c *controller) intelDirectory() []byte {
	b := make([]byte, intelPageBytes)
	b[0] = 1
	for _, lid := range c.personality.logs {
		if lid > lidIntelDirectory {
			b[2*int(lid)] = 1
		}
	}
	return b
}

// intelTemperature returns the Temperature Statistics: all temperatures are in
// degrees Celsius. The flags of a critical temperature are 0: the model has
// none. So is the lowest operating temperature, whose place is not certain.
func (c *controller) intelTemperature() []byte {
	celsius := func(k nvme.Kelvin) int64 { return int64(k) - kelvinOfZero }
	was, t := c.personality.intel, &c.thermal
	return encode(&struct {
		Current, LastCritical, LifeCritical, Highest, Lowest int64
		_                                                    [5]int64
		MaxOperating                                         int64
		_                                                    [3]int64
	}{
		Current: celsius(t.kelvin()), MaxOperating: was.maxOperating,
		Highest: max(was.hottest, celsius(t.hottest)), Lowest: min(was.coldest, celsius(t.coldest)),
	})
}

const (
	// notTimed is the value of a timed workload attribute of which no workload
	// was timed.
	notTimed = 0xFFFF
	// writtenUnit is the unit of Host Bytes Written, 32 MiB.
	writtenUnit = 32 << 20
)

// intelSMART returns the Additional SMART Attributes. It tells of the same drive
// as the SMART log. Wear of NAND (ABh to ADh) and what was written to it (F4h)
// are not there.
func (c *controller) intelSMART() []byte {
	s, t := c.smartLog(), &c.thermal
	throttled := 100 - 100/uint64(t.slowdown())
	events := uint64(t.transitions[0]) + uint64(t.transitions[1])
	var b []byte
	for _, item := range []struct {
		id  uint8
		raw uint64
	}{
		{0xB8, 0}, // End-to-end errors.
		{0xC7, 0}, // CRC errors.
		{0xE2, notTimed}, {0xE3, notTimed}, {0xE4, notTimed},
		{0xEA, throttled | events<<8},                               // Thermal throttle.
		{0xF5, s.DataUnitsWritten.Lo * nvme.DataUnit / writtenUnit}, // Host Bytes Written.
	} {
		const normalized = 100
		b = append(b, item.id, 0, 0, normalized, 0)
		b = append(binary.LittleEndian.AppendUint64(b, item.raw)[:len(b)+6], 0)
	}
	return longer(b, intelPageBytes)
}
