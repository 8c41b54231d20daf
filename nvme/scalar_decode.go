package nvme

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// UnmarshalText reads what MarshalText writes. A replacement character becomes
// FFh, so that the text stays the same; what the byte was is not known.
func (a *ASCII8) UnmarshalText(text []byte) error { return padded(a[:], text) }

// UnmarshalText is that of [ASCII8].
func (a *ASCII20) UnmarshalText(text []byte) error { return padded(a[:], text) }

// UnmarshalText is that of [ASCII8].
func (a *ASCII40) UnmarshalText(text []byte) error { return padded(a[:], text) }

// UnmarshalText is that of [ASCII8].
func (a *ASCII256) UnmarshalText(text []byte) error { return padded(a[:], text) }

// padded fills a string field with a text and spaces.
func padded(field, text []byte) error {
	n := utf8.RuneCount(text)
	if n > len(field) {
		return fmt.Errorf("a text of %d characters does not fit into %d", n, len(field))
	}
	next := field
	for _, r := range string(text) {
		next[0] = 0xFF
		if r >= 0x20 && r <= 0x7E {
			next[0] = byte(r)
		}
		next = next[1:]
	}
	for i := range next {
		next[i] = ' '
	}
	return nil
}

// UnmarshalJSON reads what MarshalJSON writes; null is none.
func (h *Hex64) UnmarshalJSON(b []byte) error { return identifier(h[:], b) }

// UnmarshalJSON reads what MarshalJSON writes; null is none.
func (h *Hex128) UnmarshalJSON(b []byte) error { return identifier(h[:], b) }

// identifier reads hexadecimal digits in quotation marks, as many as there are
// bytes.
func identifier(to, b []byte) error {
	clear(to)
	var text *string
	if err := json.Unmarshal(b, &text); err != nil || text == nil {
		return err
	}
	return digits(to, []byte(*text))
}

func digits(to, text []byte) error {
	if len(text) != 2*len(to) {
		return fmt.Errorf("%d hexadecimal digits, want %d", len(text), 2*len(to))
	}
	_, err := hex.Decode(to, text)
	return err
}

// UnmarshalText reads [OUI.String].
func (o *OUI) UnmarshalText(text []byte) error {
	var b [3]byte
	if err := digits(b[:], text); err != nil {
		return err
	}
	*o = OUI{b[2], b[1], b[0]}
	return nil
}
