package smart

import (
	"strconv"
	"strings"
	"sync"

	"qd1.example/qd1/internal/lazyregexp"
)

// maxChanging is the number of digits in which two firmware revisions of one
// line differ at most. More than that is another line.
const maxChanging = 3

// olderRevision reports whether a is an older revision of the same line as b:
// both have the same length and differ in one run of at most three digits,
// which is smaller in a. Letters do not count up, so that "8DV10131" and
// "8DV101H0" are not compared.
func olderRevision(a, b string) bool {
	if len(a) != len(b) || len(a) < 4 || a == b {
		return false
	}
	from, to := 0, len(a)
	for a[from] == b[from] {
		from++
	}
	for a[to-1] == b[to-1] {
		to--
	}
	x, errX := strconv.ParseUint(a[from:to], 10, 32)
	y, errY := strconv.ParseUint(b[from:to], 10, 32)
	return to-from <= maxChanging && errX == nil && errY == nil && x < y
}

// lineage is a line of firmware that its maker builds for one company only.
type lineage struct {
	company  string
	firmware string
	model    string
}

// lineages go by the firmware, or by the model number.
func lineages() []lineage {
	return []lineage{
		{"Dell", `^(E201D|(8[DE]|QD|VD|VC|MD)V1DP)`, ``},
		{"Lenovo", `^(E201|8DV1|VDV1|QDV1)L[PWY]`, ``},
		{"HPE", `^(HPK\d|4I\w\wHPK\d)$`, ``},
		{"Cisco", `^8DV1CP`, ``},
		{"Oracle", `^8DV1RA`, ``},
		{"Dell", ``, `^INTEL MEMPE[KI]1J0\d\dGAD$|^SSDPE21D960GAD NVME INTEL`},
		{"Lenovo", ``, `^INTEL MEMPE[KI]1J0\d\dGAL$|^SSDPE21K375GAL$|^SSDPE2KX020T8L$`},
		{"HP", ``, `^INTEL MEMPE[KI]1J0\d\dGAH$`},
	}
}

var compiledLineages = sync.OnceValue(func() [][2]*lazyregexp.Regexp {
	var all [][2]*lazyregexp.Regexp
	for _, l := range lineages() {
		all = append(all, [2]*lazyregexp.Regexp{lazyregexp.New(l.firmware), lazyregexp.New(l.model)})
	}
	return all
})

// lineageOf returns the company that the firmware or the model was made for,
// "" if it is of the maker's own line or not known.
func lineageOf(model, firmware string) string {
	for i, p := range compiledLineages() {
		l := lineages()[i]
		if (l.firmware == "" || p[0].MatchString(firmware)) && (l.model == "" || p[1].MatchString(model)) {
			return l.company
		}
	}
	return ""
}

// namedFor returns the company whose name or scheme the model number follows,
// and "". Nobody takes such a drive for one of its maker's own line.
func namedFor(model string) string {
	switch {
	case strings.HasPrefix(model, "Dell "):
		return "Dell"
	case hpeModel.MatchString(model):
		return "HPE"
	}
	return ""
}

var hpeModel = lazyregexp.New(`^[EMLV][OTK]\d{4,6}[A-Z]{4,5}$`)

// computerMaker returns the name behind a PCI Subsystem Vendor ID of a company
// that sells drives inside its computers, and "".
func computerMaker(id uint16) string {
	switch id {
	case 0x1028:
		return "Dell"
	case 0x1590:
		return "HPE"
	case 0x103C:
		return "HP"
	case 0x1D49, 0x17AA:
		return "Lenovo"
	case 0x1137:
		return "Cisco"
	case 0x108E:
		return "Oracle"
	}
	return ""
}
