package sata

import "fmt"

// Formats of raw values, as the presets of package drivedb name them.
const (
	formatRaw48     = "raw48"
	formatRaw16     = "raw16(raw16)"
	formatAverage   = "raw16(avg16)"
	formatRaw24     = "raw24(raw8)"
	formatPair32    = "raw24/raw32"
	formatMSecHours = "msec24hour32"
	formatTemp      = "tempminmax"
	formatHex48     = "hex48"
	formatWords     = "raw16"
)

// number builds a number of the bytes of the raw value that order names, the
// highest first; r is the byte after the raw value.
func (a *Attribute) number(order string) uint64 {
	var v uint64
	for _, c := range order {
		b := a.spare
		if c != 'r' {
			b = a.bytes[c-'0']
		}
		v = v<<8 | uint64(b)
	}
	return v
}

// word returns two bytes of the raw value, 0 to 2.
func (a *Attribute) word(n int) uint16 {
	return uint16(a.bytes[2*n]) | uint16(a.bytes[2*n+1])<<8
}

// decode returns the counter in the raw value, and all of it in words.
func (a *Attribute) decode() (int64, string) {
	all := a.number("543210")
	switch a.format {
	case formatRaw16:
		return a.low16(a.word(2), a.word(1))
	case formatAverage:
		if a.word(1) != 0 {
			return int64(a.word(0)), fmt.Sprintf("%d (average %d)", a.word(0), a.word(1))
		}
		return int64(a.word(0)), fmt.Sprint(a.word(0))
	case formatRaw24:
		if all>>24 != 0 {
			return int64(all & 0xFFFFFF), fmt.Sprintf("%d (%d %d %d)", all&0xFFFFFF, a.bytes[5], a.bytes[4], a.bytes[3])
		}
	case formatPair32:
		all = a.number("r543210")
		return int64(all >> 32), fmt.Sprintf("%d/%d", all>>32, all&0xFFFFFFFF)
	case formatHex48:
		return int64(all), fmt.Sprintf("0x%012x", all)
	case formatWords:
		return int64(a.word(0)), fmt.Sprintf("%d %d %d", a.word(2), a.word(1), a.word(0))
	case formatMSecHours:
		all = a.number("r543210")
		hours, ms := all&0xFFFFFFFF, all>>32
		return int64(hours), fmt.Sprintf("%dh+%02dm+%02d.%03ds", hours, ms/60000%60, ms/1000%60, ms%1000)
	case formatTemp:
		return a.temperature()
	}
	return int64(all), fmt.Sprint(all)
}

// low16 returns the lowest word, and the others in words if they are not 0.
func (a *Attribute) low16(second, third uint16) (int64, string) {
	low := a.word(0)
	if second == 0 && third == 0 {
		return int64(low), fmt.Sprint(low)
	}
	return int64(low), fmt.Sprintf("%d (%d %d)", low, second, third)
}

// celsius returns a temperature that can be true, nil for none: a raw value of
// nothing but zeros is no sensor.
func (a *Attribute) celsius() *int {
	t := int(a.Count)
	if a.format != formatTemp || t < -60 || t == 0 && a.Raw == 0 {
		return nil
	}
	return &t
}

// temperature decodes degrees Celsius, a signed byte, and the extremes beside
// it.
func (a *Attribute) temperature() (int64, string) {
	t := int8(a.bytes[0])
	if low, high, ok := a.extremes(t); ok {
		return int64(t), fmt.Sprintf("%d (min/max %d/%d)", t, low, high)
	}
	if a.number("54321") == 0 || a.number("54321") == 0xFF && t < 0 {
		return int64(t), fmt.Sprint(t)
	}
	return int64(t), fmt.Sprintf("%d (%d %d %d %d %d)", t, a.bytes[5], a.bytes[4], a.bytes[3], a.bytes[2], a.bytes[1])
}

// extremes finds the lowest and highest temperature in one of the three
// places where drives keep them, in either order.
func (a *Attribute) extremes(now int8) (low, high int8, ok bool) {
	b := a.bytes
	alone := b[1] == 0 || b[1] == 0xFF && now < 0
	for _, place := range []struct {
		first, second byte
		unused        bool
	}{
		{b[2], b[3], alone && b[4] == 0 && b[5] == 0},
		{b[1], b[2], b[3] == 0 && b[4] == 0 && b[5] == 0},
		{b[2], b[4], alone && b[3] == 0 && b[5] == 0},
	} {
		low, high = int8(place.first), int8(place.second)
		if low > high {
			low, high = high, low
		}
		if place.unused && (low != 0 || high != 0) && low >= -60 && low <= now && now <= high && high <= 120 {
			return low, high, true
		}
	}
	return 0, 0, false
}
