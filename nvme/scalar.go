package nvme

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kelvin is a temperature in kelvins. 0 means that it is not reported.
type Kelvin uint16

// Celsius returns the temperature in whole degrees Celsius, as the fields of
// the specification are commonly read (273, not 273.15), and false if it is
// not reported.
func (k Kelvin) Celsius() (int, bool) { return int(k) - 273, k != 0 }

// Uint128 is a 128-bit unsigned counter: Lo is the less significant half.
type Uint128 struct{ Lo, Hi uint64 }

// U128 returns v as a Uint128.
func U128(v uint64) Uint128 { return Uint128{Lo: v} }

// Uint64 returns the value and whether it fits.
func (u Uint128) Uint64() (uint64, bool) { return u.Lo, u.Hi == 0 }

// IsZero reports whether the value is 0.
func (u Uint128) IsZero() bool { return u.Lo == 0 && u.Hi == 0 }

// Float64 returns the nearest float64.
func (u Uint128) Float64() float64 {
	if u.Hi == 0 {
		return float64(u.Lo)
	}
	f, _ := new(big.Float).SetInt(u.Big()).Float64()
	return f
}

// Big returns the value as a new big.Int.
func (u Uint128) Big() *big.Int {
	n := new(big.Int).SetUint64(u.Hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(u.Lo))
}

// String returns the decimal value.
func (u Uint128) String() string {
	if u.Hi == 0 {
		return strconv.FormatUint(u.Lo, 10)
	}
	return u.Big().String()
}

// MarshalJSON writes the exact decimal integer.
func (u Uint128) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// maxUint128Digits is the length of 2^128-1 in decimal.
const maxUint128Digits = 39

// UnmarshalJSON reads a decimal integer of at most 128 bits. As usual, null
// changes nothing.
func (u *Uint128) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, ok := new(big.Int), false
	if len(b) <= maxUint128Digits {
		n, ok = n.SetString(string(b), 10)
	}
	if !ok || n.Sign() < 0 || n.BitLen() > 128 {
		return &json.UnmarshalTypeError{Value: "number " + string(b), Type: reflect.TypeFor[Uint128]()}
	}
	lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	u.Lo, u.Hi = lo.Uint64(), n.Rsh(n, 64).Uint64()
	return nil
}

// ASCII8, ASCII20, ASCII40 and ASCII256 are fixed strings of the
// specification, padded on the right with spaces or zero bytes. Drives also
// pad on the left, and put control and 8-bit bytes in them.
type (
	ASCII8   [8]byte
	ASCII20  [20]byte
	ASCII40  [40]byte
	ASCII256 [256]byte
)

// String returns the text without padding, as valid UTF-8 without control
// characters; see [CleanASCII].
func (a ASCII8) String() string   { return CleanASCII(a[:]) }
func (a ASCII20) String() string  { return CleanASCII(a[:]) }
func (a ASCII40) String() string  { return CleanASCII(a[:]) }
func (a ASCII256) String() string { return CleanASCII(a[:]) }

// MarshalText writes the cleaned text.
func (a ASCII8) MarshalText() ([]byte, error)   { return []byte(a.String()), nil }
func (a ASCII20) MarshalText() ([]byte, error)  { return []byte(a.String()), nil }
func (a ASCII40) MarshalText() ([]byte, error)  { return []byte(a.String()), nil }
func (a ASCII256) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// CleanASCII returns the text of a fixed string field: padding (spaces and
// zero bytes) is cut at both ends, and every byte outside 20h to 7Eh becomes
// the replacement character U+FFFD.
func CleanASCII(b []byte) string {
	b = bytes.Trim(b, " \x00")
	var s strings.Builder
	for _, c := range b {
		if c < 0x20 || c > 0x7E {
			s.WriteRune(utf8.RuneError)
			continue
		}
		s.WriteByte(c)
	}
	return s.String()
}

// RawHex returns the bytes of a fixed string field in hexadecimal if
// [CleanASCII] changed more than padding, and "" otherwise.
func RawHex(b []byte) string {
	if strings.ContainsRune(CleanASCII(b), utf8.RuneError) {
		return hex.EncodeToString(b)
	}
	return ""
}

// Hex64 and Hex128 are identifiers shown in hexadecimal in wire order. All
// zero means that there is none.
type (
	Hex64  [8]byte
	Hex128 [16]byte
)

// IsZero reports whether there is no identifier.
func (h Hex64) IsZero() bool  { return h == Hex64{} }
func (h Hex128) IsZero() bool { return h == Hex128{} }

// String returns the bytes in hexadecimal, "" for none.
func (h Hex64) String() string  { return hexOrEmpty(h[:], h.IsZero()) }
func (h Hex128) String() string { return hexOrEmpty(h[:], h.IsZero()) }

// MarshalJSON writes the hexadecimal string, null for none.
func (h Hex64) MarshalJSON() ([]byte, error)  { return quoteOrNull(h.String()) }
func (h Hex128) MarshalJSON() ([]byte, error) { return quoteOrNull(h.String()) }

func hexOrEmpty(b []byte, zero bool) string {
	if zero {
		return ""
	}
	return hex.EncodeToString(b)
}

func quoteOrNull(s string) ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return []byte(`"` + s + `"`), nil
}

// OUI is an IEEE organisation identifier as it lies on the wire, least
// significant byte first.
type OUI [3]byte

// String returns the six hexadecimal digits in the usual order.
func (o OUI) String() string { return hex.EncodeToString([]byte{o[2], o[1], o[0]}) }

// MarshalText writes [OUI.String].
func (o OUI) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
