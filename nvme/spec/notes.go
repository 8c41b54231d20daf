package spec

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"qd1.example/qd1/nvme"
)

// concat joins parts of a table.
func concat(parts ...[]Field) []Field { return slices.Concat(parts...) }

// version returns a note for a version of the specification at offset at.
func version(at int) func([]byte) string {
	return func(b []byte) string {
		v := u(b, at, 4)
		if v == 0 {
			return ""
		}
		return fmt.Sprintf("%d.%d.%d", v>>16, v>>8&0xFF, v&0xFF)
	}
}

// watts writes a power that is stored in units of 0.0001 W.
func watts(tenthMilliwatts uint64) string {
	return strconv.FormatFloat(float64(tenthMilliwatts)/10000, 'f', -1, 64) + " W"
}

// maximumPower is the note of MP: the scale is a bit of byte 3.
func maximumPower(b []byte) string {
	mp := u(b, 0, 2)
	switch {
	case mp == 0:
		return ""
	case u(b, 3, 1)&1 != 0:
		return watts(mp)
	}
	return watts(mp * 100)
}

// power returns a note for a power at offset at whose scale is bits 7:6 of byte
// scale.
func power(at, scale int) func([]byte) string {
	return func(b []byte) string {
		p := u(b, at, 2)
		switch s := u(b, scale, 1) >> 6; {
		case p == 0:
			return ""
		case s == 1:
			return watts(p)
		case s == 2:
			return watts(p * 100)
		}
		return "of no known scale"
	}
}

// activePower is the note of ACTP, with its workload.
func activePower(b []byte) string {
	text := power(20, 22)(b)
	if w := u(b, 22, 1) & 7; text != "" && w != 0 {
		text += fmt.Sprintf(" with workload %d", w)
	}
	return text
}

// blocks returns a note for a number of 8 bytes at offset at that counts logical
// blocks of the format in use.
func blocks(at int) func([]byte) string {
	return func(b []byte) string {
		lbads := u(b, 128+4*formatIndex(b)+2, 1)
		n := u(b, at, 8)
		if lbads < 9 || lbads > 31 || n == 0 {
			return ""
		}
		f := figure{stored: product(n, 1<<lbads), bits: 128, unit: "bytes"}
		return f.text()
	}
}

func product(a, b uint64) nvme.Uint128 {
	hi, lo := bits.Mul64(a, b)
	return nvme.Uint128{Lo: lo, Hi: hi}
}

// formatIndex is the index of the LBA format in use of Identify Namespace: bits
// 6:5 and 3:0 of FLBAS, of which 6:5 count only where there are more than 16
// formats.
func formatIndex(b []byte) int {
	flbas := u(b, 26, 1)
	i := int(flbas & 0x0F)
	if formatCount(b) > 16 {
		i |= int(flbas>>5&3) << 4
	}
	return i
}

// formatCount is the number of LBA formats of Identify Namespace: NLBAF, which is
// 0's based, and NULBAF, which is not.
func formatCount(b []byte) int { return min(int(u(b, 25, 1))+1+int(u(b, 82, 1)), 64) }

// formatLabel names an LBA format.
func formatLabel(b []byte, i int) string {
	if i == formatIndex(b) {
		return fmt.Sprintf("LBAF %d, in use", i)
	}
	return fmt.Sprintf("LBAF %d", i)
}
