package render

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"qd1.example/qd1/nvme"
)

const notReported = "not reported by this drive"

// nbsp keeps a number and its unit, or a group of digits, on one line. It
// becomes a space when a line is written.
const nbsp = "\u00a0"

// group separates groups of three digits.
func group(n *big.Int) string { return strings.ReplaceAll(humanize.BigComma(n), ",", nbsp) }

// count writes a number with digit groups.
func count[T ~int | ~int64 | ~uint64 | ~uint32](n T) string {
	return group(new(big.Int).SetUint64(uint64(n)))
}

func count128(u nvme.Uint128) string { return group(u.Big()) }

// size writes bytes in decimal units, as drives are sold: "960 GB".
func size(bytes uint64) string { return si(float64(bytes)) }

func sizeBig(bytes *big.Int) string {
	f, _ := new(big.Float).SetInt(bytes).Float64()
	return si(f)
}

func si(bytes float64) string {
	v, prefix := humanize.ComputeSI(bytes)
	return strconv.FormatFloat(round3(v), 'f', -1, 64) + nbsp + prefix + "B"
}

// terabytes writes bytes in TB whatever their size, so that figures of
// endurance compare at a glance.
func terabytes(bytes float64) string {
	tb := bytes / 1e12
	if tb >= 1000 {
		return group(big.NewInt(int64(tb+0.5))) + nbsp + "TB"
	}
	return strconv.FormatFloat(round3(tb), 'f', -1, 64) + nbsp + "TB"
}

// round3 keeps three significant digits and all digits before the point.
func round3(v float64) float64 {
	if v >= 100 || v <= -100 {
		return float64(int64(v + 0.5))
	}
	s := strconv.FormatFloat(v, 'g', 3, 64)
	r, _ := strconv.ParseFloat(s, 64)
	return r
}

// decimal writes a value with three significant digits.
func decimal(v float64) string { return strconv.FormatFloat(round3(v), 'f', -1, 64) }

// percent writes a percentage of the endurance as it is stored.
func percent(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + nbsp + "%" }

func celsius(c *int) string {
	if c == nil {
		return notReported
	}
	return fmt.Sprintf("%d"+nbsp+"°C", *c)
}

// micros writes a latency in microseconds with three significant digits.
func micros(us *float64) string {
	if us == nil {
		return "–"
	}
	return decimal(*us) + nbsp + "µs"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// link writes speed and width of a PCI Express link, "?" for what the host
// does not show.
func link(speed *float64, width *int) string {
	s, w := "?", "?"
	if speed != nil {
		s = strconv.FormatFloat(*speed, 'f', -1, 64)
	}
	if width != nil {
		w = strconv.Itoa(*width)
	}
	return s + " GT/s x" + w
}

// join joins the parts that are not empty.
func join(sep string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, sep)
}

func deref(s *string, none string) string {
	if s == nil {
		return none
	}
	return *s
}
