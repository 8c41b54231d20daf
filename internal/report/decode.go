package report

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"qd1.example/qd1/nvme"
)

// UnmarshalJSON reads a report. What its JSON does not have is missing after
// that too: the bytes of pages beside their fields, and the values of findings
// for other languages.
func (r *Report) UnmarshalJSON(b []byte) error {
	type plain Report
	var x plain
	if err := json.Unmarshal(b, &x); err != nil {
		return err
	}
	*r = Report(x)
	r.recall()
	return nil
}

// recall gives the sections what the source says of them.
func (r *Report) recall() {
	if r.Source == nil {
		return
	}
	recall := func(p *Partial, section string) {
		said := r.Source.partial(section)
		p.rounded = said.rounded
		p.missing = slices.Compact(slices.Sorted(slices.Values(append(p.missing, said.missing...))))
	}
	if x := r.SMART.Data; x != nil {
		recall(&x.Partial, "smart")
	}
	if x := r.IdentifyController.Data; x != nil {
		recall(&x.Partial, "identify_controller")
	}
	if x := r.Firmware.Data; x != nil {
		recall(&x.Partial, "firmware")
	}
	if x := r.Errors.Data; x != nil {
		recall(&x.Partial, "errors")
	}
	list := r.Namespaces.Data
	for i := range orZero(list) {
		recall(&(*list)[i].Partial, "namespaces")
	}
}

// UnmarshalJSON implements json.Unmarshaler. What is null where a number is
// expected stays unknown, see [Partial.Has]; so does a key that is not there,
// which an older version did not have.
func (s *SMART) UnmarshalJSON(b []byte) error {
	type plain SMART
	x := new(plain)
	err := x.unmarshal(b, x)
	*s = SMART(*x)
	return err
}

// UnmarshalJSON is as that of [SMART].
func (c *IdentifyController) UnmarshalJSON(b []byte) error {
	type plain IdentifyController
	x := &plain{IdentifyController: new(nvme.IdentifyController)}
	err := x.unmarshal(b, x)
	copy(x.PSD[:], x.PowerStates)
	*c = IdentifyController(*x)
	return err
}

// UnmarshalJSON is as that of [SMART].
func (n *Namespace) UnmarshalJSON(b []byte) error {
	type plain Namespace
	x := new(plain)
	err := x.unmarshal(b, x)
	*n = Namespace(*x)
	return err
}

// UnmarshalJSON is as that of [SMART].
func (e *Errors) UnmarshalJSON(b []byte) error {
	type plain Errors
	x := new(plain)
	err := x.unmarshal(b, x)
	*e = Errors(*x)
	return err
}

// UnmarshalJSON is as that of [SMART].
func (f *Firmware) UnmarshalJSON(b []byte) error {
	type plain Firmware
	x := new(plain)
	err := x.unmarshal(b, x)
	*f = Firmware(*x)
	return err
}

// unmarshal reads JSON into v, which p is a part of, and keeps what is missing.
func (p *Partial) unmarshal(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return err
	}
	back, err := json.Marshal(v)
	if err != nil {
		return err
	}
	had, err := treeOf(b)
	if err != nil {
		return err
	}
	has, err := treeOf(back)
	if err != nil {
		return err
	}
	p.missing = slices.Compact(slices.Sorted(slices.Values(invented(had, has, ""))))
	return nil
}

// treeOf is a JSON value with its numbers as they stand there.
func treeOf(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var tree any
	err := d.Decode(&tree)
	return tree, err
}

// invented returns the paths of what has has and had does not: zeros for what
// nobody said.
func invented(had, has any, path string) []string {
	switch x := has.(type) {
	case map[string]any:
		was, _ := had.(map[string]any)
		return inventedKeys(was, x, path)
	case []any:
		was, _ := had.([]any)
		var list []string
		for i := range min(len(x), len(was)) {
			list = append(list, invented(was[i], x[i], path)...)
		}
		return list
	}
	return nil
}

func inventedKeys(had, has map[string]any, path string) []string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(has)) {
		whole := key
		if path != "" {
			whole = path + "." + key
		}
		switch {
		case has[key] == nil:
		case had[key] == nil:
			list = append(list, whole)
		default:
			list = append(list, invented(had[key], has[key], whole)...)
		}
	}
	return list
}
