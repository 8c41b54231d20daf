package signature

import (
	"encoding/binary"
	"strings"
)

// tuxOnIce is what TuxOnIce wrote at the start of a swap space that it had put
// an image of memory into.
const tuxOnIce = "\xed\xc3\x02\xe9\x98\x56\xe5\x0c"

// swapMagics are the magic numbers at the end of the first page, with the
// version that they stand for; all but the first two say that the memory of a
// computer that sleeps is in it.
func swapMagics() []struct{ magic, version string } {
	return []struct{ magic, version string }{
		{"SWAPSPACE2", "1"}, {"SWAP-SPACE", "0"},
		{"S1SUSPEND", "s1suspend"}, {"S2SUSPEND", "s2suspend"},
		{"ULSUSPEND", "ulsuspend"}, {"LINHIB0001", "linhib0001"},
	}
}

// swap finds a swap space of Linux, whose magic number ends the first page,
// which has 4 to 64 KiB (Linux, include/linux/swap.h, union swap_header).
func swap(g region) []found {
	if g.size < 10*4096 {
		return nil
	}
	for page := int64(4096); page <= 64<<10; page *= 2 {
		b := g.bytes(page-10, 10)
		for _, m := range swapMagics() {
			if !strings.HasPrefix(string(b), m.magic) {
				continue
			}
			if f, ok := swapHeader(g, m.version); ok {
				f.places = []int64{page - 10}
				return []found{f}
			}
		}
	}
	return nil
}

// swapHeader reads the header behind the room for a boot loader. Version 0 has
// none.
func swapHeader(g region, version string) (found, bool) {
	f := found{kind: Swap, version: version, what: "swap space"}
	if version == "0" {
		return f, true
	}
	b := g.bytes(1024, 512)
	if b == nil {
		return found{}, false
	}
	if !swapVersion(b, binary.LittleEndian) && !swapVersion(b, binary.BigEndian) {
		return found{}, false
	}
	f.uuid, f.label = uuid(b[12:28]), clean(b[28:44])
	f.what = named(f.what, f.label)
	if g.has(0, tuxOnIce) {
		f.version = "tuxonice"
	}
	if f.version != "1" {
		f.what += " with the memory of a hibernated computer"
	}
	return f, true
}

// swapVersion reports whether the header has version 1 and a last page.
func swapVersion(b []byte, order binary.ByteOrder) bool {
	return order.Uint32(b) == 1 && order.Uint32(b[4:]) != 0
}
