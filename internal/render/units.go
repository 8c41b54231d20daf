package render

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"qd1.example/qd1/internal/lang"
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
	b, _ := new(big.Int).SetString(fmt.Sprint(n), 10)
	return group(b)
}

func count128(u nvme.Uint128) string { return group(u.Big()) }

// with writes a number and its unit.
func with[T ~int | ~int64 | ~uint64 | ~uint32](n T, unit string) string {
	return count(n) + nbsp + unit
}

// counted writes a number of things: "1 entry", "2 entries".
func counted[T ~int | ~int64 | ~uint64 | ~uint32](t lang.Tag, n T, one, many string) string {
	return plural(t, count(n), one, many)
}

func counted128(t lang.Tag, u nvme.Uint128, one, many string) string {
	return plural(t, count128(u), one, many)
}

func plural(t lang.Tag, number, one, many string) string {
	if number == "1" {
		return t.Textf("%s"+nbsp+one, number)
	}
	return t.Textf("%s"+nbsp+many, number)
}

// size writes bytes in decimal units, as drives are sold: "960 GB".
func size(bytes uint64) string { return si(float64(bytes)) }

func sizeBig(bytes *big.Int) string {
	f, _ := new(big.Float).SetInt(bytes).Float64()
	return si(f)
}

func si(bytes float64) string {
	v, prefix := humanize.ComputeSI(bytes)
	return decimal(v) + nbsp + prefix + "B"
}

// exactly writes a number of bytes.
func exactly[T ~int | ~int64 | ~uint64 | ~uint32](t lang.Tag, bytes T) string {
	return t.Textf("%s"+nbsp+"bytes", count(bytes))
}

// sizeBoth writes bytes exactly and in decimal units.
func sizeBoth(t lang.Tag, bytes uint64) string {
	if bytes < 1000 {
		return exactly(t, bytes)
	}
	return exactly(t, bytes) + " (" + size(bytes) + ")"
}

// sizeInAll is sizeBoth with the binary unit too, which partitioning programs use:
// "281 474 976 710 656 bytes (281 TB, 256 TiB)".
func sizeInAll(t lang.Tag, bytes uint64) string {
	if bytes < 1<<20 {
		return sizeBoth(t, bytes)
	}
	return exactly(t, bytes) + " (" + size(bytes) + ", " + strings.ReplaceAll(humanize.IBytes(bytes), " ", nbsp) + ")"
}

// blockSize writes the size of a block: "4 KiB", or bytes.
func blockSize(t lang.Tag, bytes int) string {
	if bytes >= 1024 && bytes%1024 == 0 {
		return strings.Replace(strings.ReplaceAll(humanize.IBytes(uint64(bytes)), " ", nbsp), ".0"+nbsp, nbsp, 1)
	}
	return exactly(t, bytes)
}

// terabytes writes bytes in TB whatever their size, so that figures of
// endurance compare at a glance.
func terabytes(bytes float64) string { return decimal(bytes/1e12) + nbsp + "TB" }

// round3 keeps three significant digits and all digits before the point.
func round3(v float64) float64 {
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if v >= 100 || v <= -100 {
		s = strconv.FormatFloat(v, 'f', 0, 64)
	}
	r, _ := strconv.ParseFloat(s, 64)
	return r
}

// decimal writes a value with three significant digits and with digit groups.
func decimal(v float64) string {
	v = round3(v)
	if v >= 1000 && v < 1e18 {
		return count(int64(v))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// percent writes a percentage as it is stored.
func percent(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + nbsp + "%" }

func celsius(t lang.Tag, c *int) string {
	if c == nil {
		return t.Text(notReported)
	}
	return strconv.Itoa(*c) + nbsp + "°C"
}

// micros writes a latency in microseconds with three significant digits.
func micros(us float64) string { return decimal(us) + nbsp + "µs" }

// link writes speed and width of a PCI Express link.
func link(t lang.Tag, speed *float64, width *int) string {
	switch {
	case speed == nil && width == nil:
		return t.Text("not shown by this host")
	case speed == nil:
		return t.Textf("x%d at a speed that this host does not show", *width)
	case width == nil:
		return t.Textf("%s on a width that this host does not show", gts(*speed))
	}
	return fmt.Sprintf("%s"+nbsp+"x%d", gts(*speed), *width)
}

func gts(speed float64) string { return strconv.FormatFloat(speed, 'f', -1, 64) + nbsp + "GT/s" }

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

// comma is what parts the members of a list.
func comma(t lang.Tag) string {
	if t == lang.Japanese {
		return "、"
	}
	return ", "
}

// semicolon is what parts clauses.
func semicolon(t lang.Tag) string {
	if t == lang.Japanese {
		return "；"
	}
	return "; "
}

// commas lists the parts that are not empty.
func commas(t lang.Tag, parts ...string) string { return join(comma(t), parts...) }

func deref(s *string, none string) string {
	if s == nil {
		return none
	}
	return *s
}

func orUnknown(t lang.Tag, s string) string {
	if s == "" {
		return t.Text("unknown")
	}
	return s
}
