package vendor

import (
	"encoding/json"
	"fmt"
	"math/bits"

	"qd1.example/qd1/nvme"
)

// SMARTItem is one item of the Additional SMART Attributes page, 12 bytes.
//
// Source: nvme-cli, plugins intel and solidigm; FreeBSD nvmecontrol, module
// intel.
type SMARTItem struct {
	// 0:0 Identifier of the attribute. 0 is an empty slot.
	ID uint8
	_  [2]byte
	// 3:3 Normalized value, usually 100 when new.
	Normalized uint8
	_          byte
	// 10:5 Raw value; some attributes have several counters in it.
	Raw Uint48
	_   byte
}

const smartItemBytes = 12

// The attributes with a meaning of their own.
const (
	itemWearLeveling    = 0xAD
	itemMediaWear       = 0xE2
	itemHostReads       = 0xE3
	itemTimer           = 0xE4
	itemThermalThrottle = 0xEA
	itemMediaWritten    = 0xF4
	itemHostWritten     = 0xF5
)

// attribute is what an item is called and counts.
type attribute struct{ key, name, unit string }

// attributes are the items of Intel and of Solidigm drives. C7h is called Bad
// TLP Count on those that also have E7h.
var attributes = map[uint8]attribute{
	0x05:                {"reallocated_sectors", "Reallocated Sectors", "count"},
	0x0D:                {"soft_ecc_error_rate", "Soft ECC Error Rate", "count"},
	0xAB:                {"program_fail_count", "Program Fail Count", "count"},
	0xAC:                {"erase_fail_count", "Erase Fail Count", "count"},
	itemWearLeveling:    {"wear_leveling_count", "Wear Leveling Count", "cycles"},
	0xAE:                {"unexpected_power_losses", "Unexpected Power Losses", "count"},
	0xB8:                {"end_to_end_errors", "End-to-End Error Detection Count", "count"},
	0xC7:                {"crc_error_count", "CRC Error Count", "count"},
	itemMediaWear:       {"timed_workload_media_wear_percent", "Timed Workload Media Wear", "percent"},
	itemHostReads:       {"timed_workload_host_reads_percent", "Timed Workload Host Reads", "percent"},
	itemTimer:           {"timed_workload_timer_minutes", "Timed Workload Timer", "minutes"},
	0xE5:                {"read_commands_in_flight", "Read Commands in Flight", "count"},
	0xE6:                {"write_commands_in_flight", "Write Commands in Flight", "count"},
	0xE7:                {"bad_dllp_count", "Bad DLLP Count", "count"},
	0xE8:                {"receiver_error_count", "Receiver Error Count", "count"},
	itemThermalThrottle: {"thermal_throttle", "Thermal Throttle", "percent"},
	0xEE:                {"re_sku_count", "Re-SKU Count", "count"},
	0xF0:                {"retry_buffer_overflows", "Retry Buffer Overflows", "count"},
	0xF3:                {"pll_lock_losses", "PLL Lock Losses", "count"},
	itemMediaWritten:    {"nand_written_bytes", "NAND Bytes Written", "bytes"},
	itemHostWritten:     {"host_written_bytes", "Host Bytes Written", "bytes"},
	0xF6:                {"host_context_wear_used", "Host Context Wear Used", "count"},
	0xF7:                {"performance_status_indicator", "Performance Status Indicator", "count"},
	0xF8:                {"media_read", "Media Bytes Read", "count"},
	0xF9:                {"available_firmware_downgrades", "Available Firmware Downgrades", "count"},
	0xFA:                {"host_read_collisions", "Host Read Collisions", "count"},
	0xFB:                {"host_write_collisions", "Host Write Collisions", "count"},
	0xFC:                {"xor_passes", "XOR Passes", "count"},
	0xFD:                {"xor_failures", "XOR Failures", "count"},
	0xFE:                {"xor_invocations", "XOR Invocations", "count"},
}

// Name returns the name of the attribute; one that is unknown is named with its
// number.
func (i SMARTItem) Name() string {
	if a, ok := attributes[i.ID]; ok {
		return a.name
	}
	return fmt.Sprintf("Attribute %02Xh", i.ID)
}

// WearLeveling returns the counters of attribute ADh, program/erase cycles.
func (i SMARTItem) WearLeveling() (least, most, average uint16) {
	return uint16(little(i.Raw[0:2])), uint16(little(i.Raw[2:4])), uint16(little(i.Raw[4:6]))
}

// ThermalThrottle returns the counters of attribute EAh: how far the drive
// throttles now, percent, and how often it has.
func (i SMARTItem) ThermalThrottle() (percent uint8, events uint32) {
	return i.Raw[0], uint32(little(i.Raw[1:5]))
}

// notTimed is the raw value of the timed workload attributes while no workload
// has been timed.
const notTimed = 0xFFFF

// untimed reports whether the item is a timed workload attribute without a
// value.
func (i SMARTItem) untimed() bool {
	return i.ID >= itemMediaWear && i.ID <= itemTimer && i.Raw.Uint64() == notTimed
}

// writtenUnit is the unit of attributes F4h and F5h, bytes, as a power of two:
// 32 MiB. The Intel plugin prints raw values; the same unit stands in the
// memblaze plugin, which follows the identifiers of Intel, and agrees with the
// erase cycles of drives: 2.25*10^8 units at 3562 cycles is one raw capacity of
// a 1.6 TB drive a cycle.
const writtenUnit = 25

// bytesWritten returns the value of attributes F4h and F5h, bytes.
func (i SMARTItem) bytesWritten() nvme.Uint128 {
	hi, lo := bits.Mul64(i.Raw.Uint64(), 1<<writtenUnit)
	return nvme.Uint128{Lo: lo, Hi: hi}
}

// value returns the raw value in the unit of the attribute.
func (i SMARTItem) value() any {
	switch i.ID {
	case itemMediaWear:
		return float64(i.Raw.Uint64()) / 1024
	case itemMediaWritten, itemHostWritten:
		return i.bytesWritten()
	}
	return i.Raw.Uint64()
}

// rows returns the rows of one item: several for those with several counters,
// none for a timed workload that was not timed.
func (i SMARTItem) rows() []Row {
	switch {
	case i.untimed():
		return nil
	case i.ID == itemWearLeveling:
		least, most, average := i.WearLeveling()
		return []Row{
			{"Wear Leveling Count, Minimum", uint64(least), "cycles"},
			{"Wear Leveling Count, Maximum", uint64(most), "cycles"},
			{"Wear Leveling Count, Average", uint64(average), "cycles"},
			{"Wear Leveling Count, Normalized", uint64(i.Normalized), "count"},
		}
	case i.ID == itemThermalThrottle:
		percent, events := i.ThermalThrottle()
		return []Row{
			{"Thermal Throttle Status", uint64(percent), "percent"},
			{"Thermal Throttle Events", uint64(events), "count"},
		}
	}
	return []Row{{i.Name(), i.value(), attributes[i.ID].unit}}
}

// MarshalJSON writes the identifier, the key, the normalized value, the raw
// value and its meaning.
func (i SMARTItem) MarshalJSON() ([]byte, error) {
	o := map[string]any{"id": i.ID, "normalized": i.Normalized, "raw": i.Raw}
	a, known := attributes[i.ID]
	switch {
	case !known || i.untimed():
	case i.ID == itemWearLeveling:
		o["min_cycles"], o["max_cycles"], o["average_cycles"] = i.WearLeveling()
	case i.ID == itemThermalThrottle:
		o["throttle_percent"], o["throttle_events"] = i.ThermalThrottle()
	default:
		o[a.key] = i.value()
	}
	return json.Marshal(o)
}

// AdditionalSMART is the Additional SMART Attributes page (LID CAh) of Intel
// and Solidigm drives: a list of items in no order that could be relied on.
type AdditionalSMART struct {
	// Items are the items of the page without the empty slots.
	Items []SMARTItem `json:"items"`
}

// Item returns the first item with an identifier.
func (p *AdditionalSMART) Item(id uint8) (SMARTItem, bool) {
	for _, i := range p.Items {
		if i.ID == id {
			return i, true
		}
	}
	return SMARTItem{}, false
}

// UnmarshalBinary decodes b, any number of items. What is over after the last
// whole item is not looked at. A page without a known attribute, or with more
// unknown ones than known, is an error.
func (p *AdditionalSMART) UnmarshalBinary(b []byte) error {
	p.Items = nil
	known := 0
	for ; len(b) >= smartItemBytes; b = b[smartItemBytes:] {
		var item SMARTItem
		if err := decode("Additional SMART Attributes item", &item, b); err != nil {
			return err
		}
		if item.ID == 0 {
			continue
		}
		if _, ok := attributes[item.ID]; ok {
			known++
		}
		p.Items = append(p.Items, item)
	}
	if known == 0 || known*2 < len(p.Items) {
		return fmt.Errorf("%w: Additional SMART Attributes: %d of %d attributes known", ErrLayout, known, len(p.Items))
	}
	return nil
}

// Rows implements [Value].
func (p *AdditionalSMART) Rows() []Row {
	var rows []Row
	for _, i := range p.Items {
		rows = append(rows, i.rows()...)
	}
	return rows
}

// written implements writer: both sides are counted by the page itself.
func (p *AdditionalSMART) written() (media, host nvme.Uint128) {
	m, _ := p.Item(itemMediaWritten)
	h, _ := p.Item(itemHostWritten)
	return m.bytesWritten(), h.bytesWritten()
}
