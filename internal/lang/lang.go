// Package lang says in Japanese what the packages below say in English. English
// is the key: a sentence that has no entry stays English. Its tables are data:
// sentences.tsv has the sentences of rules, signs and problems, with names in
// braces for their values; texts.tsv has the words and formats of the renderings,
// with the verbs of package fmt.
package lang

import (
	"slices"
	"strings"
)

// Tag is a language. The zero value is English.
type Tag string

// The languages.
const (
	English  Tag = "en"
	Japanese Tag = "ja"
)

// Tags returns all languages.
func Tags() []Tag { return []Tag{English, Japanese} }

// Parse returns the language of a name such as "ja", and false if it is none of
// ours.
func Parse(name string) (Tag, bool) {
	t := Tag(name)
	return t, slices.Contains(Tags(), t)
}

// FromEnvironment returns the language that the locale asks for (POSIX.1-2017,
// section 8.2, Internationalization Variables): that of LC_ALL, else of
// LC_MESSAGES, else of LANG; the first that is not empty decides. It is English
// for a locale that is not ours.
func FromEnvironment(getenv func(string) string) Tag {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := getenv(name); locale != "" {
			return ofLocale(locale)
		}
	}
	return English
}

// ofLocale takes the language from a name like "ja_JP.UTF-8". A character set
// that cannot show Japanese, or that nobody here writes, is answered in English.
func ofLocale(locale string) Tag {
	locale, _, _ = strings.Cut(locale, "@")
	place, charset, named := strings.Cut(locale, ".")
	language, _, _ := strings.Cut(place, "_")
	utf8 := strings.EqualFold(charset, "UTF-8") || strings.EqualFold(charset, "UTF8")
	if language == string(Japanese) && (utf8 || !named) {
		return Japanese
	}
	return English
}
