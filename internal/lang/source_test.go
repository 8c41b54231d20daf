package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// literals returns the string literals of Go source that pick chooses by the
// expression they are in.
func literals(t *testing.T, pattern string, pick func(ast.Node) []ast.Expr) []string {
	t.Helper()
	var list []string
	for _, text := range read(t, pattern) {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, e := range pick(n) {
				list = append(list, formatOf(e)...)
			}
			return true
		})
	}
	return list
}

// formatOf is a string literal, or the format of a call with one.
func formatOf(e ast.Expr) []string {
	switch x := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(x.Value); err == nil && strings.ContainsFunc(s, unicode.IsLetter) {
			return []string{s}
		}
	case *ast.CallExpr:
		if len(x.Args) > 0 {
			return formatOf(x.Args[0])
		}
	}
	return nil
}

// keyed returns the values of a composite literal under one of the keys.
func keyed(n ast.Node, keys ...string) []ast.Expr {
	kv, ok := n.(*ast.KeyValueExpr)
	if !ok {
		return nil
	}
	for _, key := range keys {
		if id, ok := kv.Key.(*ast.Ident); ok && id.Name == key {
			return []ast.Expr{kv.Value}
		}
	}
	return nil
}

// called returns the argument of calls of a function, whatever it is a method of.
func called(n ast.Node, name string, argument int) []ast.Expr {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) <= argument {
		return nil
	}
	fun := call.Fun
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	switch f := fun.(type) {
	case *ast.Ident:
		ok = f.Name == name
	case *ast.SelectorExpr:
		ok = f.Sel.Name == name
	}
	if !ok {
		return nil
	}
	return call.Args[argument : argument+1]
}

var anyVerb = regexp.MustCompile(`%[.0-9]*[a-z]`)

// sample is a sentence that a format makes.
func sample(format string) string {
	return strings.ReplaceAll(anyVerb.ReplaceAllString(format, "1234"), "%%", "%")
}

// A sign or a problem that is added needs a sentence here too.
func TestSentencesOfSources(t *testing.T) {
	sign := func(n ast.Node) []ast.Expr { return append(called(n, "sign", 3), keyed(n, "Text")...) }
	note := func(n ast.Node) []ast.Expr { return called(n, "note", 0) }
	problem := func(n ast.Node) []ast.Expr {
		return append(called(n, "failf", 1), keyed(n, "Text", "Hint", "Cause")...)
	}
	for _, source := range []struct {
		files string
		pick  func(ast.Node) []ast.Expr
		least int
	}{
		{"../../smart/signs_*.go", sign, 15},
		{"../report/*.go", problem, 10},
		{"../sata/rules_*.go", problem, 25},
		{"../sata/bridge.go", problem, 1},
		{"../dump/*.go", note, 11},
		{"../../bench/worker.go", problem, 3},
		{"../../bench/errors.go", problem, 1},
	} {
		found := literals(t, source.files, source.pick)
		if len(found) < source.least {
			t.Errorf("%s: %d sentences, want at least %d", source.files, len(found), source.least)
		}
		for _, format := range found {
			s := sample(format)
			got := Japanese.Sentence(s)
			if !strings.ContainsFunc(got, isJapanese) && format != "%s" {
				t.Errorf("%s: %q has no Japanese: add it to sentences.tsv", source.files, format)
			}
			if strings.Count(got, "1234") < strings.Count(s, "1234") {
				t.Errorf("%s: %q lost a value: %s", source.files, format, got)
			}
		}
	}
}
