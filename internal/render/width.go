package render

import (
	"strings"
	"unicode"
)

// displayWidth is the number of columns that text takes on a terminal: two for
// the wide characters of East Asian writing, one for every other.
func displayWidth(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

// columnsOf is displayWidth of one character.
func columnsOf(r rune) int {
	if wide(r) {
		return 2
	}
	return 1
}

// wide reports whether a terminal shows a character on two columns: kana, CJK
// ideographs, Hangul and full-width forms (Unicode Standard Annex 11, East Asian
// Width, W and F, without emoji).
func wide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115F, // Hangul Jamo
		r >= 0x2E80 && r <= 0xA4CF && r != 0x303F, // radicals to Yi
		r >= 0xAC00 && r <= 0xD7A3,                // Hangul syllables
		r >= 0xF900 && r <= 0xFAFF,                // compatibility ideographs
		r >= 0xFE30 && r <= 0xFE6F,                // compatibility forms
		r >= 0xFF00 && r <= 0xFF60, r >= 0xFFE0 && r <= 0xFFE6,
		r >= 0x20000 && r <= 0x3FFFD:
		return true
	}
	return false
}

// Characters that begin no line and that end none (JIS X 4051, 行頭禁則 and
// 行末禁則, as far as our texts have them).
const (
	beginsNoLine = "、。，．・：；！？」』）】〕］｝ー～々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ,.;:!?)]}%" + nbsp
	endsNoLine   = "「『（【〔［｛([{" + nbsp
)

// breaks reports whether a line may end between two characters without a space
// between them: beside a wide one, and where no word of Japanese is likely to be
// cut. Words begin with another kind of character than that before them; hiragana
// mostly continue one.
func breaks(before, after rune) bool {
	switch {
	case !wide(before) && !wide(after), strings.ContainsRune(endsNoLine, before), strings.ContainsRune(beginsNoLine, after):
		return false
	case !unicode.IsLetter(before):
		return true
	}
	return !unicode.Is(unicode.Hiragana, after) && kind(before) != kind(after)
}

// kind is the script of a letter, as far as lines of Japanese break by it.
func kind(r rune) *unicode.RangeTable {
	for _, script := range []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana} {
		if unicode.Is(script, r) || script == unicode.Katakana && r == 'ー' {
			return script
		}
	}
	return nil
}

// word is what no line is broken in.
type word struct {
	text string
	// spaced says that a space parts it from the word before.
	spaced bool
}

// words splits text at spaces and beside wide characters, and words that are
// longer than width.
func words(text string, width int) []word {
	var list []word
	for part := range strings.SplitSeq(text, " ") {
		spaced, start, used, last := true, 0, 0, rune(0)
		for i, r := range part {
			if i > start && (breaks(last, r) || used+columnsOf(r) > width) {
				list = append(list, word{part[start:i], spaced})
				spaced, start, used = false, i, 0
			}
			used, last = used+columnsOf(r), r
		}
		list = append(list, word{part[start:], spaced})
	}
	return list
}
