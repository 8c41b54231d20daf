package profile

import (
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/bench"
)

// family is the profiles of one name.
type family struct {
	name string
	// variants in the order of a list; the first is the default.
	variants []string
	build    func(variant string) *Profile
}

// families returns all of them, in the order of a list.
func families() []family {
	return []family{
		{"qd1", []string{"", "write"}, qd1},
		{"cdm3", []string{""}, cdm3},
		{"cdm5", []string{""}, cdm5},
		{"cdm6", []string{""}, cdm6},
		{"cdm8", []string{
			"", "mix", "peak", "peak+mix", "real", "real+mix", "demo",
			"nvme", "nvme+mix", "nvme+peak", "nvme+peak+mix",
		}, cdm8},
		{"iometer", []string{""}, iometer},
		{"sweep", []string{""}, sweep},
		{"txbench", []string{"", "write", "basic"}, txbench},
		{"sustain", []string{"", "write"}, sustain},
		{"apps", []string{""}, apps},
		{"wake", []string{""}, wake},
	}
}

// Names returns the names of all profiles and variants, as "cdm8:nvme+peak".
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.ID())
	}
	return names
}

// All returns all profiles and variants, in the order of a list.
func All() []*Profile {
	var all []*Profile
	for _, f := range families() {
		for _, v := range f.variants {
			all = append(all, f.profile(v))
		}
	}
	return all
}

// profile makes the variant.
func (f family) profile(variant string) *Profile {
	p := f.build(variant)
	p.Name, p.Variant = f.name, variant
	return p
}

// Lookup returns a new copy of the profile of that name: a name, or a name and
// the words of a variant in any order, as "cdm8:peak+mix". The word "default"
// may stand for the default. The error is a *[bench.Error] that wraps
// [bench.ErrBadJob] and says what exists.
func Lookup(name string) (*Profile, error) {
	base, rest, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), ":")
	var known []string
	for _, f := range families() {
		if f.name != base {
			known = append(known, f.name)
			continue
		}
		for _, v := range f.variants {
			if words(v) == words(rest) {
				return f.profile(v), nil
			}
		}
		return nil, f.unknown(rest)
	}
	hint := "known are " + strings.Join(known, ", ")
	if near := nearest(base, known); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return nil, &bench.Error{Cause: fmt.Sprintf("unknown profile %q", name), Hint: hint, Err: bench.ErrBadJob}
}

// unknown says that the family has no such variant.
func (f family) unknown(variant string) error {
	e := &bench.Error{Cause: fmt.Sprintf("profile %s has no variant %q", f.name, variant), Err: bench.ErrBadJob}
	if len(f.variants) == 1 {
		e.Hint = "it has no variants: use " + f.name
		return e
	}
	var known []string
	for _, v := range f.variants[1:] {
		known = append(known, f.name+":"+v)
	}
	e.Hint = "known are " + f.name + ", " + strings.Join(known, ", ")
	if near := nearest(variant, f.variants[1:]); near != "" {
		e.Hint = fmt.Sprintf("did you mean %q? %s", f.name+":"+near, e.Hint)
	}
	return e
}

// words brings the words of a variant into one order.
func words(variant string) string {
	list := strings.FieldsFunc(variant, func(r rune) bool { return r == '+' || r == ',' })
	list = slices.DeleteFunc(list, func(w string) bool { return w == "default" })
	slices.Sort(list)
	return strings.Join(list, "+")
}

// nearest returns the candidate that is at most 2 edits away, or that s is the
// beginning of; "" if there is none.
func nearest(s string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		d := edits(s, c)
		if len(s) > 1 && strings.HasPrefix(c, s) {
			d = min(d, 2)
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// edits returns the number of bytes to insert, delete or replace that turn a
// into b (Levenshtein distance).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
