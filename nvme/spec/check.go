package spec

import "fmt"

// Check returns what is wrong with a table: fields that overlap, lie outside or
// have no name, bits beyond their field, JSON keys that stand twice. It looks into
// the entries of lists too.
func Check(s *Structure) []string {
	c := checker{s: s, owner: make([]string, s.Bytes), keys: map[string]bool{"reserved": true, "data": true}}
	c.require(s.Name != "" && s.Source != "", "has no name or no source")
	for i := range s.Fields {
		c.field(&s.Fields[i])
	}
	for i := range s.Lists {
		c.list(&s.Lists[i])
	}
	return c.faults
}

type checker struct {
	s      *Structure
	owner  []string
	keys   map[string]bool
	faults []string
}

func (c *checker) require(ok bool, format string, a ...any) {
	if !ok {
		c.faults = append(c.faults, c.s.Name+": "+fmt.Sprintf(format, a...))
	}
}

func (c *checker) field(f *Field) {
	c.require(f.Name != "" && f.Title != "", "bytes %d: no name or no title", f.At)
	inside := f.At >= 0 && f.Len > 0 && f.At+f.Len <= len(c.owner)
	c.require(inside, "%s: bytes %d:%d lie outside %d bytes", f.Name, f.At+f.Len-1, f.At, c.s.Bytes)
	for i := f.At; inside && i < f.At+f.Len; i++ {
		c.require(c.owner[i] == "", "%s: byte %d is also of %s", f.Name, i, c.owner[i])
		c.owner[i] = f.Name
	}
	c.require(!f.Kind.number() || f.Len <= 16, "%s: %d bytes are too many for a number", f.Name, f.Len)
	c.require(f.Kind != Signed || f.Len <= 8, "%s: %d bytes are too many for a signed number", f.Name, f.Len)
	for _, k := range []string{key(f.Name, f.Unit), key(f.Name, "text"), key(f.Name, "bits")} {
		c.key(k)
	}
	c.bits(f)
}

func (c *checker) key(k string) {
	c.require(!c.keys[k], "the JSON key %s stands twice", k)
	c.keys[k] = true
}

func (c *checker) bits(f *Field) {
	var used uint64
	keys := map[string]bool{"reserved": true}
	c.require(len(f.Bits) == 0 || f.Len <= 8, "%s: %d bytes are too many for bits", f.Name, f.Len)
	for _, b := range f.Bits {
		c.require(b.Name != "", "%s: bit %d has no name", f.Name, b.Low)
		c.require(int(max(b.High, b.Low)) < 8*f.Len && (b.High == 0 || b.High > b.Low), "%s.%s: bits %d:%d of %d bytes", f.Name, b.Name, b.High, b.Low, f.Len)
		c.require(used&b.mask() == 0, "%s.%s: bits %d:%d stand twice", f.Name, b.Name, b.High, b.Low)
		c.require(b.Kind.number() && b.Kind != Signed, "%s.%s: bits are numbers", f.Name, b.Name)
		used |= b.mask()
		k := key(b.Name, b.Unit)
		c.require(!keys[k], "%s: the JSON key %s stands twice", f.Name, k)
		keys[k] = true
	}
}

func (c *checker) list(l *List) {
	c.require(l.Name != "" && l.Title != "" && l.Entry != nil, "a list has no name, no title or no entry")
	if l.Entry == nil {
		return
	}
	c.require(l.Entry.Bytes > 0, "%s: entries of no bytes", l.Name)
	c.key(key(l.Name, ""))
	c.faults = append(c.faults, Check(l.Entry)...)
}
