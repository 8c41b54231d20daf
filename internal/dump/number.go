package dump

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// number is a counter as a dump has it.
type number struct {
	nvme.Uint128
	how precision
}

var errNumber = errors.New("not a number")

// parseNumber reads a counter as people print it: hexadecimal after 0x, or
// decimal with the grouping of any locale. What follows in brackets or as a
// unit is left out; only a number that stands in brackets alone, as in
// "[8.78 TB]", is read from there, in data units, and is rounded.
func parseNumber(s string) (number, error) {
	s = strings.TrimSpace(s)
	if hex, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		return parseHex(hex)
	}
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "(") {
		return roundedUnits(strings.Trim(s, "[()]"))
	}
	digits, rest, ok := grouped(s)
	if !ok || !endsNumber(rest) {
		return number{}, errNumber
	}
	return decimal(digits)
}

// endsNumber reports whether a number can end before rest.
func endsNumber(rest string) bool {
	return rest == "" || strings.ContainsAny(rest[:1], " \t%[(")
}

func decimal(digits string) (number, error) {
	var n number
	if err := n.UnmarshalJSON([]byte(digits)); err != nil || digits == "" {
		return number{}, errNumber
	}
	return n, nil
}

func parseHex(s string) (number, error) {
	s, _, _ = strings.Cut(s, " ")
	s, _, _ = strings.Cut(s, "(")
	const most = 32 // Digits of 128 bits.
	s = strings.TrimSpace(s)
	n, ok := new(big.Int).SetString(s[:min(len(s), most)], 16)
	if !ok || n.Sign() < 0 || len(s) > most {
		return number{}, errNumber
	}
	return decimal(n.String())
}

// grouped reads digits with separators between groups of two or three, the
// last of three, and returns what follows. A separator is a comma, point,
// apostrophe, blank, or any run of bytes that are not ASCII: blanks of other
// widths, and what is left of them after a wrong decoding.
func grouped(s string) (digits, rest string, ok bool) {
	var b strings.Builder
	var groups []int
	for {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		b.WriteString(s[:n])
		groups, s = append(groups, n), s[n:]
		skip := separator(s)
		if n == 0 || skip == 0 || skip == len(s) || s[skip] < '0' || s[skip] > '9' {
			return b.String(), s, groupsOK(groups)
		}
		s = s[skip:]
	}
}

// separator returns the length of a separator at the start of s.
func separator(s string) int {
	if s != "" && strings.IndexByte(",.' ", s[0]) >= 0 {
		return 1
	}
	n := 0
	for n < len(s) && s[n] >= 0x80 {
		n++
	}
	return n
}

func groupsOK(groups []int) bool {
	if len(groups) == 1 {
		return groups[0] > 0
	}
	for _, n := range groups[1 : len(groups)-1] {
		if n != 2 && n != 3 {
			return false
		}
	}
	return groups[0] > 0 && groups[0] <= 3 && groups[len(groups)-1] == 3
}

// roundedUnits reads "8.78 TB" as data units of 512000 bytes.
func roundedUnits(s string) (number, error) {
	bytes, ok := parseSize(s)
	if !ok {
		return number{}, errNumber
	}
	return number{nvme.U128(uint64(math.Round(bytes / nvme.DataUnit))), rounded}, nil
}

var size = lazyregexp.New(`^([0-9]{1,15})(?:[.,]([0-9]{1,9}))? ?([kKMGTPE]?)(i?)B$`)

// parseSize reads a size such as "1.42 TB" or "4 KiB" in bytes, with blanks of
// any number before the unit.
func parseSize(s string) (bytes float64, ok bool) {
	m := size.FindStringSubmatch(strings.Join(strings.Fields(s), " "))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(m[1]+"."+m[2]+"0", 64)
	step := 1000.0
	if m[4] != "" {
		step = 1024
	}
	power := strings.Index("KMGTPE", strings.ToUpper(m[3])) + 1
	if m[3] == "" {
		power = 0
	}
	v *= math.Pow(step, float64(power))
	return v, err == nil && v < math.MaxUint64/2
}

var (
	kelvins = lazyregexp.New(`\(([0-9]{1,5}) ?K`)
	degrees = lazyregexp.New(`^(-?[0-9]{1,5})(?:[^0-9]*[CK].*)?$`)
)

// parseKelvin reads a temperature. Kelvins in brackets win, because they are
// what the drive said; a number with a C is in degrees Celsius, another one in
// kelvins. A hyphen is a temperature that is not reported.
func parseKelvin(s string) (number, error) {
	s = strings.TrimSpace(s)
	if m := kelvins.FindStringSubmatch(s); m != nil {
		return decimal(strings.TrimLeft(m[1][:len(m[1])-1], "0") + m[1][len(m[1])-1:])
	}
	if s == "-" || strings.HasPrefix(s, "- ") {
		return number{}, nil
	}
	m := degrees.FindStringSubmatch(s)
	if m == nil {
		return number{}, errNumber
	}
	v, _ := strconv.Atoi(m[1])
	if strings.Contains(s, "C") {
		return kelvinOf(v)
	}
	return fromInt(v)
}

// kelvinOf converts whole degrees Celsius as all tools do, by 273.
func kelvinOf(celsius int) (number, error) { return fromInt(celsius + 273) }

func fromInt(v int) (number, error) {
	if v < 0 || v > math.MaxUint16 {
		return number{}, errors.New("not a temperature")
	}
	return number{Uint128: nvme.U128(uint64(v))}, nil
}
