package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"qd1.example/qd1/nvme"
)

// node is a JSON value. A nil node is one that is not there, and all methods
// work on it.
type node struct {
	line   int
	keys   []string
	fields map[string]*node
	items  []*node
	scalar any // json.Number, string, bool, or nil for null and containers.
}

// parseJSON reads the value at the start of text, which begins on line first,
// and returns how long it is.
func parseJSON(text string, first int) (*node, int, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	p := &jsonParser{dec: d, text: text, line: first, left: maxNodes}
	n, err := p.value(maxDepth)
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file ends in the middle of the JSON")
		}
		return nil, 0, &ParseError{"JSON", p.at(), err}
	}
	return n, int(d.InputOffset()), nil
}

type jsonParser struct {
	dec  *json.Decoder
	text string
	seen int // Bytes of text before which lines are counted.
	line int
	left int
}

// at returns the line that the decoder is on.
func (p *jsonParser) at() int {
	now := int(p.dec.InputOffset())
	p.line += strings.Count(p.text[p.seen:now], "\n")
	p.seen = now
	return p.line
}

func (p *jsonParser) value(depth int) (*node, error) {
	if p.left--; p.left < 0 || depth == 0 {
		return nil, fmt.Errorf("%w: more than %d values, or %d of them in each other", ErrTooLarge, maxNodes, maxDepth)
	}
	t, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &node{line: p.at()}
	switch t {
	case json.Delim('{'):
		err = p.object(n, depth)
	case json.Delim('['):
		err = p.array(n, depth)
	default:
		n.scalar = t
	}
	return n, err
}

func (p *jsonParser) object(n *node, depth int) error {
	n.fields = map[string]*node{}
	for p.dec.More() {
		t, err := p.dec.Token()
		if err != nil {
			return err
		}
		v, err := p.value(depth - 1)
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if n.fields[key] == nil {
			n.keys = append(n.keys, key)
		}
		n.fields[key] = v
	}
	_, err := p.dec.Token()
	return err
}

func (p *jsonParser) array(n *node, depth int) error {
	for p.dec.More() {
		v, err := p.value(depth - 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
	}
	_, err := p.dec.Token()
	return err
}

// get returns the value at a path of keys, nil if there is none.
func (n *node) get(path ...string) *node {
	for _, key := range path {
		if n == nil {
			return nil
		}
		n = n.fields[key]
	}
	return n
}

// has reports whether all keys are there.
func (n *node) has(keys ...string) bool {
	for _, key := range keys {
		if n.get(key) == nil {
			return false
		}
	}
	return true
}

// text returns a string, "" for what is none.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	s, _ := n.scalar.(string)
	return s
}

// number returns a number, which may be in a string, a Boolean or the "value"
// of an object, as tools have it. It returns false where there is none.
func (n *node) number() (number, bool, error) {
	if n == nil {
		return number{}, false, nil
	}
	if v := n.get("value"); v != nil {
		return v.number()
	}
	switch v := n.scalar.(type) {
	case json.Number:
		num, err := jsonNumber(string(v))
		return num, true, err
	case string:
		num, err := parseNumber(v)
		return num, true, err
	case bool:
		if v {
			return number{Uint128: nvme.U128(1)}, true, nil
		}
		return number{}, true, nil
	}
	return number{}, false, nil
}

// jsonNumber reads a number that may have been written as a floating-point
// number, and is rounded if it is more than those can hold.
func jsonNumber(s string) (number, error) {
	if !strings.ContainsAny(s, ".eE") {
		return decimal(s)
	}
	f, _ := strconv.ParseFloat(s, 64)
	const most = 1e38
	if f < 0 || f > most {
		return number{}, errNumber
	}
	whole, _ := big.NewFloat(f).Int(nil)
	num, err := decimal(whole.String())
	const exactly = 1 << 53
	if f > exactly || f != float64(int64(f)) {
		num.how = rounded
	}
	return num, err
}

// uint returns a number of at most 64 bits, 0 where there is none.
func (n *node) uint() uint64 {
	v, _, err := n.number()
	if err != nil || v.Hi != 0 {
		return 0
	}
	return v.Lo
}

// json takes the JSON value at the start of text and returns its length.
func (s *scanner) json(text string) (int, error) {
	if err := s.endSection(); err != nil {
		return 0, err
	}
	n, size, err := parseJSON(text, s.count)
	if err != nil {
		return 0, err
	}
	return size, s.document(n)
}

// document recognises a JSON document by its keys.
func (s *scanner) document(n *node) error {
	for _, one := range n.items {
		if err := s.document(one); err != nil {
			return err
		}
	}
	switch {
	case n.has("smartctl") || n.has("json_format_version"):
		return s.smartctlJSON(n)
	case n.has("Devices"):
		return s.nvmeListJSON(n)
	case n.has("vid", "sn") || n.has("vid", "mn"):
		return s.nvmeControllerJSON(n)
	case n.has("nsze"):
		return s.nvmeNamespaceJSON(n)
	case n.has("avail_spare"):
		return s.nvmeSMARTJSON(n)
	case n.has("errors") && len(n.fields) == 1:
		return s.nvmeErrorsJSON(n)
	case n.firmwareLog() != nil:
		return s.nvmeFirmwareJSON(n)
	}
	return s.nested(n)
}

// nested looks for documents one level down, as in a collection of several.
func (s *scanner) nested(n *node) error {
	for _, key := range n.keys {
		v := n.fields[key]
		if v.has("avail_spare") || v.has("vid", "sn") || v.has("nsze") {
			if err := s.document(v); err != nil {
				return err
			}
		}
	}
	if n.has("Current Device Self-Test Operation") {
		s.useless(nvmeTool, n.line, "a self-test log has nothing that a report is made of")
	}
	if e := n.get("error").text(); e != "" {
		s.useless(nvmeTool, n.line, "%s", printable(e))
	}
	return nil
}
