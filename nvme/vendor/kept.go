package vendor

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"qd1.example/qd1/nvme"
)

// Kept is a decoded page that was read back from JSON: what it says, without its
// type.
type Kept struct {
	// JSON is the page as it was written.
	JSON json.RawMessage

	rows []Row
}

// Rows implements [Value].
func (k *Kept) Rows() []Row { return k.rows }

// MarshalJSON writes the page as it was read.
func (k *Kept) MarshalJSON() ([]byte, error) { return k.JSON, nil }

// UnmarshalJSON reads a page of a report. Its value is then a [Kept], and Err is
// not known.
func (r *Reading) UnmarshalJSON(b []byte) error {
	type plain Reading
	x := struct {
		*plain
		Value json.RawMessage `json:"value"`
	}{plain: new(plain)}
	if err := json.Unmarshal(b, &x); err != nil {
		return err
	}
	*r = Reading(*x.plain)
	if len(x.Value) > 0 && string(x.Value) != "null" {
		r.Value = &Kept{JSON: bytes.Clone(x.Value), rows: r.Rows}
	}
	return nil
}

// UnmarshalJSON reads hexadecimal digits; null is none.
func (r *Raw) UnmarshalJSON(b []byte) error {
	var text *string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	*r = nil
	if text == nil {
		return nil
	}
	page, err := hex.DecodeString(*text)
	*r = page
	return err
}

// UnmarshalJSON reads a row. A number becomes the first of the types of Value
// that holds it exactly.
func (r *Row) UnmarshalJSON(b []byte) error {
	type plain Row
	var x plain
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&x); err != nil {
		return err
	}
	*r = Row(x)
	if n, ok := x.Value.(json.Number); ok {
		value, err := number(n.String())
		r.Value = value
		return err
	}
	return nil
}

// number returns a number as one of the types of [Row.Value].
func number(text string) (any, error) {
	if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		return v, nil
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, nil
	}
	var wide nvme.Uint128
	if wide.UnmarshalJSON([]byte(text)) == nil {
		return wide, nil
	}
	return strconv.ParseFloat(text, 64)
}
