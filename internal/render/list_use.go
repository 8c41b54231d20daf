package render

import (
	"fmt"
	"unicode/utf8"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

// rowInUse says one use of a drive and how many more there are.
func rowInUse(t lang.Tag, r *report.Row, partly bool) string {
	switch n := len(r.InUse); {
	case r.InUse == nil:
		return absent
	case n == 0 && partly:
		return t.Text("none seen")
	case n == 0:
		return t.Text("no")
	case n == 1:
		return shortUse(t, &r.InUse[0])
	default:
		return fmt.Sprintf("%s"+nbsp+"+%d", shortUse(t, firmest(r.InUse)), n-1)
	}
}

// firmest is the first use that is more than an open file, or else the first.
func firmest(uses []inuse.Use) *inuse.Use {
	for i := range uses {
		if uses[i].Kind != inuse.OpenFile {
			return &uses[i]
		}
	}
	return &uses[0]
}

// useWords say a use in front of its name; a kind that is not here is said by
// its own name.
func useWords(t lang.Tag, k inuse.Kind) string {
	words := map[inuse.Kind]string{
		inuse.Mount: "mounted", inuse.MD: "array", inuse.LVM: "LVM", inuse.Crypt: "encrypted", inuse.DM: "mapped",
		inuse.DRBD: "DRBD", inuse.NVMet: "exported", inuse.LIO: "exported", inuse.ZFS: "ZFS", inuse.OpenFile: "open in",
		inuse.VFIO: "VFIO", inuse.Holder: "held by",
	}
	if w := words[k]; w != "" {
		return t.Text(w)
	}
	return string(k)
}

// shortUse says a use in a cell.
func shortUse(t lang.Tag, u *inuse.Use) string {
	name := u.Name
	if u.Kind == inuse.OpenFile {
		name = u.Process
	}
	if name == "" {
		return useWords(t, u.Kind)
	}
	return useWords(t, u.Kind) + nbsp + tailOf(name)
}

// tailOf is the end of a name that is too long for a cell.
func tailOf(name string) string {
	const most = 24
	if n := utf8.RuneCountInString(name); n > most {
		return "…" + string([]rune(name)[n-most+1:])
	}
	return name
}
