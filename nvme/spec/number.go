package spec

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"qd1.example/qd1/nvme"
)

// figure is a number of a field or of some of its bits, with what the table says
// of it.
type figure struct {
	stored nvme.Uint128
	bits   int // width
	kind   Kind
	unit   string
	scale  uint64
	zero   string
	ones   string
	values map[uint64]string
}

func (r Row) figure() figure {
	f := r.Field
	return figure{r.Stored, 8 * f.Len, f.Kind, f.Unit, f.Scale, f.Zero, f.Ones, f.Values}
}

func (b BitRow) figure() figure {
	p := b.Bits
	width := int(max(p.High, p.Low)-p.Low) + 1
	return figure{nvme.U128(b.Stored), width, p.Kind, p.Unit, p.Scale, "", "", p.Values}
}

// value returns the number in its unit, nil where what is stored is none: not
// reported, or a power of two that no field can mean.
func (f figure) value() *big.Int {
	n := f.stored.Big()
	switch {
	case f.zero != "" && f.stored.IsZero(), f.ones != "" && f.allOnes():
		return nil
	case f.kind == Signed && n.Bit(f.bits-1) == 1:
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(f.bits)))
	case f.kind == ZeroBased:
		n.Add(n, big.NewInt(1))
	case f.kind == PowerOfTwo && (f.stored.Hi != 0 || f.stored.Lo > 127):
		return nil
	case f.kind == PowerOfTwo:
		n.Lsh(big.NewInt(1), uint(f.stored.Lo))
	}
	if f.scale > 1 {
		n.Mul(n, new(big.Int).SetUint64(f.scale))
	}
	return n
}

func (f figure) allOnes() bool {
	ones := new(big.Int).Lsh(big.NewInt(1), uint(f.bits))
	return f.stored.Big().Cmp(ones.Sub(ones, big.NewInt(1))) == 0
}

// reservedValue is the meaning of a value that a table of values does not have.
const reservedValue = "reserved value"

// meaning is what the table says of the value, "" for nothing.
func (f figure) meaning() string {
	switch {
	case f.zero != "" && f.stored.IsZero():
		return f.zero
	case f.ones != "" && f.allOnes():
		return f.ones
	}
	if text, ok := f.values[f.stored.Lo]; ok && f.stored.Hi == 0 {
		return text
	}
	switch {
	case f.value() == nil:
		return fmt.Sprintf("not a size: 2^%v", f.stored)
	case len(f.values) > 0:
		return reservedValue
	}
	return ""
}

// text is the number with its unit, or "" where there is none.
func (f figure) text() string {
	n := f.value()
	switch {
	case n == nil:
		return ""
	case f.kind == Flags:
		return fmt.Sprintf("0x%0*x", max((f.bits+3)/4, 1), n)
	}
	return withUnit(n, f.unit)
}

// withUnit writes a number as people read it.
func withUnit(n *big.Int, unit string) string {
	digits := grouped(n.String())
	switch unit {
	case "":
		return digits
	case "bytes":
		return digits + " " + singular(n, unit) + size(n)
	case "kelvin":
		return fmt.Sprintf("%s K (%d °C)", digits, new(big.Int).Sub(n, big.NewInt(273)))
	case "percent":
		return digits + " %"
	case "128_kib":
		return digits + " × 128 KiB"
	}
	if symbol, ok := symbols[unit]; ok {
		return digits + " " + symbol
	}
	return digits + " " + strings.ReplaceAll(singular(n, unit), "_", " ")
}

// symbols are how units are written that JSON spells otherwise.
var symbols = map[string]string{"us": "µs", "gb": "GB", "k": "K", "kelvins": "K", "celsius": "°C"}

// singular is a unit for so many.
func singular(n *big.Int, unit string) string {
	switch one := n.IsInt64() && n.Int64() == 1; {
	case !one || len(unit) < 3:
		return unit
	case strings.HasSuffix(unit, "ies"):
		return strings.TrimSuffix(unit, "ies") + "y"
	}
	return strings.TrimSuffix(unit, "s")
}

// size is a number of bytes in brackets: in binary units where it is a round one
// of memory, otherwise in the decimal units in which drives are sold; "" for one
// that needs neither.
func size(n *big.Int) string {
	const kib, gib = 1 << 10, 1 << 30
	switch {
	case n.CmpAbs(big.NewInt(1000)) < 0:
		return ""
	case n.Cmp(big.NewInt(gib)) < 0 && n.Int64()%(kib*kib) == 0:
		return fmt.Sprintf(" (%d MiB)", n.Int64()/(kib*kib))
	case n.Cmp(big.NewInt(gib)) < 0 && n.Int64()%kib == 0:
		return fmt.Sprintf(" (%d KiB)", n.Int64()/kib)
	}
	v, _ := new(big.Float).SetInt(n).Float64()
	prefix := -1
	for ; v >= 1000 && prefix < len(prefixes)-1; prefix++ {
		v /= 1000
	}
	return fmt.Sprintf(" (%s %cB)", strconv.FormatFloat(v, 'g', 3, 64), prefixes[prefix])
}

const prefixes = "kMGTPEZY"

// grouped parts the digits of a long number in groups of three.
func grouped(digits string) string {
	if len(digits) < 5 {
		return digits
	}
	var b strings.Builder
	for i, c := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// zero reports whether all bytes are.
func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// identifier writes bytes in hexadecimal, a UUID with its dashes.
func identifier(f *Field, b []byte) string {
	if f.Kind == OUI {
		b = slices.Clone(b)
		slices.Reverse(b)
	}
	if len(b) == 16 && strings.Contains(f.Name, "UUID") {
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	return hex.EncodeToString(b)
}
