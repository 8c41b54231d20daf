package capture

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
)

// newRedactor invents a value for every identity.
func newRedactor(ids *identities) *redactor {
	inv := &inventor{taken: map[string]bool{}, rand: rand.New(rand.NewChaCha8([32]byte{}))}
	for _, s := range slices.Concat(ids.texts, ids.numbers, ids.nqns) {
		inv.taken[s] = true
	}
	rd := &redactor{whole: map[string]string{}}
	var pairs []pair
	for _, s := range ids.texts {
		to := inv.unused(s, inv.text)
		rd.whole[s] = to
		pairs = append(pairs, textPairs(s, to)...)
	}
	for _, s := range ids.numbers {
		to := inv.unused(s, inv.number)
		rd.whole[s] = to
		pairs = append(pairs, numberPairs(s, to)...)
	}
	known := replacer(pairs)
	for _, s := range ids.nqns {
		to := inv.nqn(s, known)
		rd.whole[s] = to
		pairs = append(pairs, nqnPairs(s, to)...)
	}
	rd.anywhere = replacer(pairs)
	return rd
}

// inventor makes up values.
type inventor struct {
	rand *rand.Rand
	// taken are the originals and the values that were given out.
	taken map[string]bool
}

// unused calls invent until the value is new. A value of one or two characters
// may have no free alternative; then it is taken as it comes.
func (inv *inventor) unused(s string, invent func(string) string) string {
	const tries = 100
	to := invent(s)
	for i := 0; inv.taken[to] && i < tries; i++ {
		to = invent(s)
	}
	inv.taken[to] = true
	return to
}

// text replaces each digit by a digit and each letter by a letter of its case.
func (inv *inventor) text(s string) string {
	b := []byte(s)
	for i, c := range b {
		switch {
		case '0' <= c && c <= '9':
			b[i] = '0' + byte(inv.rand.IntN(10))
		case 'A' <= c && c <= 'Z':
			b[i] = 'A' + byte(inv.rand.IntN(26))
		case 'a' <= c && c <= 'z':
			b[i] = 'a' + byte(inv.rand.IntN(26))
		}
	}
	return string(b)
}

// number replaces each byte that is not 0 by another that is not 0.
func (inv *inventor) number(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c != 0 {
			b[i] = 1 + byte(inv.rand.IntN(255))
		}
	}
	return string(b)
}

// nqn replaces what is known to identify, or else all that follows the naming
// authority.
func (inv *inventor) nqn(s string, known *strings.Replacer) string {
	if to := known.Replace(s); to != s {
		return to
	}
	authority, rest, ok := strings.Cut(s, ":")
	if !ok {
		return s
	}
	return authority + ":" + inv.unused(rest, inv.text)
}

// pair is a text or a run of bytes and what replaces it, of the same length.
type pair struct{ from, to string }

// replacer replaces the longest match at each place.
func replacer(pairs []pair) *strings.Replacer {
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(len(b.from), len(a.from)) })
	var args []string
	for _, p := range pairs {
		args = append(args, p.from, p.to)
	}
	return strings.NewReplacer(args...)
}

// The least that makes an identity safe to look for in any data.
const (
	minTextBytes      = 6
	minTextDistinct   = 3
	minNumberDistinct = 4
)

// textPairs returns the forms in which a serial number occurs: as it is and in
// hexadecimal. One that is too short occurs by chance, and is looked for only
// where the kernel's wwid has it, between hyphens.
func textPairs(from, to string) []pair {
	h := pair{hex.EncodeToString([]byte(from)), hex.EncodeToString([]byte(to))}
	if len(from) < minTextBytes || distinct(from) < minTextDistinct {
		return []pair{{"-" + h.from + "-", "-" + h.to + "-"}}
	}
	pairs := []pair{{from, to}, h, h.upper()}
	if named := strings.ReplaceAll(from, " ", "_"); named != from { // As in names of links.
		pairs = append(pairs, pair{named, strings.ReplaceAll(to, " ", "_")})
	}
	return append(pairs, wordPairs(from, to)...)
}

// nqnPairs returns the forms of an NVMe Qualified Name and of what follows the
// naming authority in it.
func nqnPairs(from, to string) []pair {
	pairs := append([]pair{{from, to}}, wordPairs(from, to)...)
	if _, rest, ok := strings.Cut(from, ":"); ok && len(rest) >= minTextBytes {
		pairs = append(pairs, textPairs(rest, to[len(to)-len(rest):])...)
	}
	return pairs
}

// wordPairs returns the forms of a text in base64 and in units of 16 bits: as UTF-16
// of either byte order, and with the bytes of each word exchanged, as ATA has texts. There
// the text may begin or end in the middle of a word, beside padding.
func wordPairs(from, to string) []pair {
	out := []pair{{interleave(from, 0, 1), interleave(to, 0, 1)}, {interleave(from, 1, 0), interleave(to, 1, 0)}, base64Pair(from, to)}
	for _, pad := range []string{" ", "\x00"} {
		for _, before := range []string{"", pad} {
			after := ""
			if (len(before)+len(from))%2 != 0 {
				after = pad
			}
			out = append(out, pair{exchange16(before + from + after), exchange16(before + to + after)})
		}
	}
	return out
}

// base64Pair is the form in which programs put bytes into texts.
func base64Pair(from, to string) pair {
	return pair{base64.StdEncoding.EncodeToString([]byte(from)), base64.StdEncoding.EncodeToString([]byte(to))}
}

// interleave puts zero bytes before and after each byte.
func interleave(s string, before, after int) string {
	var b strings.Builder
	for i := range len(s) {
		b.Write(make([]byte, before))
		b.WriteByte(s[i])
		b.Write(make([]byte, after))
	}
	return b.String()
}

// exchange16 exchanges the bytes of each word. The length is even.
func exchange16(s string) string {
	b := []byte(s)
	for i := 0; i+1 < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}

// numberPairs returns the forms in which a number occurs: as bytes of either
// order, and in hexadecimal as the kernel and other programs group it.
func numberPairs(from, to string) []pair {
	var out []pair
	for _, p := range []pair{{from, to}, {reverse(from), reverse(to)}} {
		if distinct(from) >= minNumberDistinct {
			out = append(out, p, base64Pair(p.from, p.to))
		}
		for _, group := range []func(string) string{hexPlain, hexSpaced, hexColons, hexUUID} {
			h := pair{group(p.from), group(p.to)}
			out = append(out, h, h.upper())
		}
	}
	return out
}

func (p pair) upper() pair { return pair{strings.ToUpper(p.from), strings.ToUpper(p.to)} }

func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func hexPlain(s string) string { return hex.EncodeToString([]byte(s)) }

func hexSpaced(s string) string { return strings.Join(hexBytes(s), " ") }

func hexColons(s string) string { return strings.Join(hexBytes(s), ":") }

func hexBytes(s string) []string {
	var out []string
	for i := range len(s) {
		out = append(out, hexPlain(s[i:i+1]))
	}
	return out
}

// hexUUID groups 16 bytes as a UUID is written, other lengths not at all.
func hexUUID(s string) string {
	h := hexPlain(s)
	if len(s) != 16 {
		return h
	}
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}
