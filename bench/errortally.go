package bench

import (
	"cmp"
	"reflect"
	"slices"
)

const (
	// maxErrorKinds is the number of kinds that are told apart.
	maxErrorKinds = 8
	// maxErrorOffsets is the number of offsets that are told apart.
	maxErrorOffsets = 64
	// maxErrorTexts is how often an error is asked for its text, which may
	// allocate. After so many, errors that are not known by their value are
	// "other".
	maxErrorTexts = 4096

	otherErrors = "other"
)

// errorTally counts failures in fixed memory, so that it can be copied while
// the run goes on, and so that a run that goes on for hours whatever fails does
// not grow.
type errorTally struct {
	total   int64
	kinds   [maxErrorKinds]ErrorKind
	values  [maxErrorKinds]error // of the same index, nil if they are not plain
	texts   int
	places  int
	offsets [maxErrorOffsets]ErrorOffset
}

// add counts one failure. Once all kinds are taken, the last one is "other".
func (t *errorTally) add(err error, offset int64) {
	t.total++
	t.place(offset, 1)
	plain := isPlain(err)
	if plain {
		for i := range t.kinds {
			if t.values[i] == err {
				t.kinds[i].Count++
				return
			}
		}
	}
	name := t.name(err)
	i := t.merge(ErrorKind{Error: name, Count: 1, FirstOffset: offset})
	if plain && t.kinds[i].Error == name {
		t.values[i] = err
	}
}

// name returns what errorName does, or "other" if too many texts were needed.
func (t *errorTally) name(err error) string {
	if name, ok := errnoName(err); ok {
		return name
	}
	if t.texts == maxErrorTexts {
		return otherErrors
	}
	t.texts++
	return err.Error()
}

// isPlain reports whether errors such as err can be compared: pointers and
// numbers can.
func isPlain(err error) bool {
	switch reflect.TypeOf(err).Kind() {
	case reflect.Pointer, reflect.Uintptr, reflect.Int, reflect.Uint16:
		return true
	}
	return false
}

// place counts failures at an offset. Once all places are taken, others are
// only in the total.
func (t *errorTally) place(offset, count int64) {
	for i := range t.offsets[:t.places] {
		if t.offsets[i].Offset == offset {
			t.offsets[i].Count += count
			return
		}
	}
	if t.places < maxErrorOffsets {
		t.offsets[t.places] = ErrorOffset{offset, count}
		t.places++
	}
}

// merge counts failures of one kind and returns the index that it has here.
func (t *errorTally) merge(k ErrorKind) int {
	for i := range t.kinds {
		have := &t.kinds[i]
		switch {
		case have.Count == 0 && i == maxErrorKinds-1:
			k.Error = otherErrors
			fallthrough
		case have.Count == 0:
			*have = k
			return i
		case have.Error == k.Error, i == maxErrorKinds-1:
			have.Count += k.Count
			return i
		}
	}
	return maxErrorKinds - 1
}

// mergeAll adds what another worker counted.
func (t *errorTally) mergeAll(o *errorTally) {
	t.total += o.total
	for _, k := range o.kinds {
		if k.Count > 0 {
			t.merge(k)
		}
	}
	for _, p := range o.offsets[:o.places] {
		t.place(p.Offset, p.Count)
	}
}

// list returns the kinds, the most frequent first.
func (t *errorTally) list() []ErrorKind {
	var kinds []ErrorKind
	for _, k := range t.kinds {
		if k.Count > 0 {
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b ErrorKind) int { return cmp.Compare(b.Count, a.Count) })
	return kinds
}

// sortedOffsets returns the places in order of their offsets.
func (t *errorTally) sortedOffsets() []ErrorOffset {
	list := slices.Clone(t.offsets[:t.places])
	slices.SortFunc(list, func(a, b ErrorOffset) int { return cmp.Compare(a.Offset, b.Offset) })
	return list
}
