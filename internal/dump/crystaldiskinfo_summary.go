package dump

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// fromSummary takes the few figures of the summary.
func (c *crystalDrive) fromSummary() error {
	p := c.drive.smart
	for _, f := range []struct {
		label string
		set   func(text string) error
	}{
		{"Power On Hours", func(text string) error { return setCounted(p, "power_on_hours", text) }},
		{"Power On Count", func(text string) error { return setCounted(p, "power_cycles", text) }},
		{"Temperature", func(text string) error { return setCelsius(p, text) }},
		{"Host Reads", func(text string) error { return setGigabytes(p, "data_units_read", text) }},
		{"Host Writes", func(text string) error { return setGigabytes(p, "data_units_written", text) }},
		{"Health Status", func(text string) error { return setLife(p, text) }},
	} {
		l, ok := c.values[f.label]
		if !ok {
			continue
		}
		if err := f.set(l.text); err != nil {
			return fault(crystalTool, l.number, err)
		}
	}
	if len(p.known) == 0 {
		c.drive.smart = nil
	}
	return nil
}

var leadingDigits = lazyregexp.New(`^([0-9]{1,15})( |$)`)

// setCounted sets a counter followed by a unit in any language; one without
// digits is unknown.
func setCounted(p *page, key, text string) error {
	m := leadingDigits.FindStringSubmatch(text)
	if m == nil || p.knows(key) {
		return nil
	}
	return setLabelled(p, key, m[1])
}

var crystalTemperature = lazyregexp.New(`^-?[0-9]{1,4} C`)

func setCelsius(p *page, text string) error {
	m := crystalTemperature.FindString(text)
	if m == "" || p.knows(temperatureField) {
		return nil
	}
	return setKelvin(p, temperatureField, m)
}

// setGigabytes sets data units from whole GiB, which is what CrystalDiskInfo
// prints as GB, rounded down.
func setGigabytes(p *page, key, text string) error {
	m := leadingDigits.FindStringSubmatch(text)
	if m == nil || p.knows(key) {
		return nil
	}
	gib, err := strconv.ParseUint(m[1], 10, 32)
	if err != nil {
		return fmt.Errorf("%s: %w", key, errNumber)
	}
	return p.setNumber(key, number{nvme.U128((gib<<30 + nvme.DataUnit - 1) / nvme.DataUnit), rounded})
}

// setLife sets Percentage Used from what is left of 100 %. A life of 0 means
// 100 or more.
func setLife(p *page, text string) error {
	m := crystalHealth.FindStringSubmatch(text)
	if m == nil || p.knows("percentage_used_percent") {
		return nil
	}
	left, _ := strconv.ParseUint(m[1], 10, 8)
	if left > 100 {
		return nil
	}
	n := number{Uint128: nvme.U128(100 - left)}
	if left == 0 {
		n.how = rounded
	}
	return p.setNumber("percentage_used_percent", n)
}

// verdict returns CrystalDiskInfo's opinion as UTF-8. In a Shift_JIS export its
// four words are known by their bytes.
func verdict(text string) string {
	if utf8.ValidString(text) {
		return printable(text)
	}
	return printable(strings.NewReplacer(
		"\x90\xB3\x8F\xED", "正常", "\x92\x8D\x88\xD3", "注意", "\x88\xD9\x8F\xED", "異常", "\x95\x73\x96\xBE", "不明",
	).Replace(text))
}

// linkOf reads "PCIe 3.0 x4 | PCIe 4.0 x4": the link now, and the best that the
// drive can do. It returns nil if neither is there.
func linkOf(text string) *Link {
	now, most, _ := strings.Cut(text, "|")
	l := &Link{}
	l.SpeedGTs, l.Width = generation(now)
	l.MaxSpeedGTs, l.MaxWidth = generation(most)
	if *l == (Link{}) {
		return nil
	}
	return l
}

func generation(text string) (speedGTs float64, width int) {
	m := crystalLink.FindStringSubmatch(text)
	if m == nil {
		return 0, 0
	}
	speeds := []float64{2.5, 5, 8, 16, 32, 64}
	width, _ = strconv.Atoi(m[2])
	i := int(m[1][0] - '1')
	if i >= len(speeds) || !slices.Contains([]int{1, 2, 4, 8, 16, 32}, width) {
		return 0, 0
	}
	return speeds[i], width
}
