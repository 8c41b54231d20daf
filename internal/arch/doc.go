// Package arch holds the rules of the house as tests: which package may import
// which, where package unsafe may stand, that nothing below cmd prints or
// exits, that exported names are documented, how long files and functions may
// be. It has no code besides its tests.
//
// A failing test names the file and the rule. The lists in the tests may be
// changed, each row with its reason; docs/architecture.md shows the import map
// to people.
package arch
