package render

import "qd1.example/qd1/internal/lang"

// Role is the meaning of a piece of text, for its colour. No meaning is in
// the colour alone.
type Role int

// The roles.
const (
	Plain Role = iota
	Good
	Warn
	Bad
	Strong
	Dim
)

// Style says how text is shown: on how many columns, and with what colours.
type Style struct {
	// Width is the number of columns, 0 for 100.
	Width int
	// Lang is the language of the text, English if empty. Names of fields,
	// evidence and what comes from a drive are the same in all.
	Lang lang.Tag
	// Paint returns s in the colour of the role; nil leaves it as it is.
	Paint func(role Role, s string) string
}

func (s Style) paint(role Role, text string) string {
	if s.Paint == nil || role == Plain || text == "" {
		return text
	}
	return s.Paint(role, text)
}

// english is the style for texts that there are in English only: plans and
// results of an erase, and certificates.
func (s Style) english() Style {
	s.Lang = lang.English
	return s
}

func (s Style) width() int {
	if s.Width == 0 {
		return 100
	}
	return max(s.Width, 40)
}
