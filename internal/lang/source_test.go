package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/scratch"
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

// inFunction returns what pick chooses in a function of that name.
func inFunction(n ast.Node, name string, pick func(ast.Node) []ast.Expr) []ast.Expr {
	f, ok := n.(*ast.FuncDecl)
	if !ok || f.Name.Name != name {
		return nil
	}
	var list []ast.Expr
	ast.Inspect(f.Body, func(n ast.Node) bool {
		list = append(list, pick(n)...)
		return true
	})
	return list
}

// returned returns the results of a return statement.
func returned(n ast.Node) []ast.Expr {
	r, ok := n.(*ast.ReturnStmt)
	if !ok {
		return nil
	}
	return r.Results
}

// assigned returns what is assigned to a field of that name, alone or in a
// literal.
func assigned(n ast.Node, field string) []ast.Expr {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != len(a.Rhs) {
		return keyed(n, field)
	}
	var list []ast.Expr
	for i, to := range a.Lhs {
		if s, ok := to.(*ast.SelectorExpr); ok && s.Sel.Name == field {
			list = append(list, a.Rhs[i])
		}
	}
	return list
}

// elements returns the strings of a list of strings, and the second one of a
// literal of that type.
func elements(n ast.Node, kind string) []ast.Expr {
	x, ok := n.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	switch t := x.Type.(type) {
	case *ast.ArrayType:
		if of, ok := t.Elt.(*ast.Ident); ok && of.Name == "string" {
			return x.Elts
		}
	case *ast.Ident:
		if t.Name == kind && len(x.Elts) > 1 {
			return x.Elts[1:2]
		}
	}
	return nil
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
	cause := func(n ast.Node) []ast.Expr { return append(keyed(n, "Cause"), called(n, "badJob", 0)...) }
	fact := func(n ast.Node) []ast.Expr {
		return slices.Concat(called(n, "fact", 0), called(n, "times", 2), called(n, "counted", 2), elements(n, ""))
	}
	appended := func(n ast.Node) []ast.Expr { return called(n, "append", 1) }
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
		{"../../bench/complete.go", problem, 3},
		{"../../bench/converse.go", cause, 1},
		{"../../bench/passthru.go", cause, 2},
		{"../../bench/namespace.go", cause, 9},
		{"../../bench/status.go", cause, 1},
		{"../../bench/errors.go", problem, 1},
		{"../../bench/profile/options.go", func(n ast.Node) []ast.Expr { return inFunction(n, "leaveOut", returned) }, 5},
		{"../../bench/profile/plan.go", func(n ast.Node) []ast.Expr { return append(appended(n), elements(n, "Skipped")...) }, 2},
		{"../conditions/changes.go", fact, 17},
		{"../conditions/drive.go", func(n ast.Node) []ast.Expr { return called(n, "Sprintf", 0) }, 1},
		{"../conditions/foreign.go", func(n ast.Node) []ast.Expr { return assigned(n, "Reason") }, 4},
		{"../conditions/filesystem.go", func(n ast.Node) []ast.Expr { return assigned(n, "Reason") }, 3},
		{"../scratch/extents.go", func(n ast.Node) []ast.Expr {
			return inFunction(n, "Warnings", func(n ast.Node) []ast.Expr { return called(n, "add", 0) })
		}, 5},
		{"../scratch/filesystem.go", func(n ast.Node) []ast.Expr { return inFunction(n, "warning", returned) }, 6},
		{"../scratch/make.go", func(n ast.Node) []ast.Expr { return inFunction(n, "inPlace", returned) }, 2},
		{"../scratch/copy.go", appended, 1},
		{"../scratch/medium.go", appended, 1},
		{"../../cmd/qd1/bench_sum.go", func(n ast.Node) []ast.Expr { return append(appended(n), called(n, "add", 0)...) }, 9},
		{"../../cmd/qd1/bench_measure.go", appended, 1},
		{"../../bench/profile/evidence.go", func(n ast.Node) []ast.Expr { return append(called(n, "fact", 0), called(n, "lacks", 0)...) }, 17},
		{"../../bench/profile/cause.go", func(n ast.Node) []ast.Expr {
			return append(assigned(n, "Text"), inFunction(n, "text", returned)...)
		}, 3},
		{"../../cmd/qd1/bench_place.go", func(n ast.Node) []ast.Expr {
			return inFunction(n, "leftoversNote", returned)
		}, 1},
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

// nameOfProgram are titles that are names in all languages.
var nameOfProgram = regexp.MustCompile(`^(CrystalDiskMark|Iometer|TxBENCH) [0-9.]+$`)

// What a profile and a sampled device say of themselves is Japanese as a whole.
func TestSentencesOfBenchmarks(t *testing.T) {
	list := []string{"a block device", "a directory", "a file on ext4", "a file made in the directory, on ext4", "serial X"}
	for _, p := range profile.All() {
		list = append(list, p.Description)
		if !nameOfProgram.MatchString(p.Title) {
			list = append(list, p.Title)
		}
	}
	for _, f := range reference.All() {
		if f.Doubtful != "" {
			list = append(list, f.Doubtful)
		}
	}
	blank := scratch.Blank{Percent: new(12.3), CI95: &[2]float64{10.4, 14.5}}
	list = append(list, blank.Warning())
	blank.Fast, blank.BlankMedianUS, blank.DataMedianUS = true, new(1.2), new(9.9)
	list = append(list, blank.Warning())
	if len(list) < 20 {
		t.Fatalf("only %d sentences", len(list))
	}
	for _, english := range list {
		got := Japanese.Sentence(english)
		if !strings.ContainsFunc(got, isJapanese) {
			t.Errorf("%q has no Japanese: add it to sentences.tsv", english)
		}
		if words := regexp.MustCompile(`\b[a-z]{3,}\b`).FindString(got); words != "" {
			t.Errorf("%q is left in %q", words, got)
		}
	}
	if got := Japanese.Sentence(blank.Warning()); !strings.Contains(got, "10.4 ～ 14.5 %") || !strings.Contains(got, "1.2 µs") || !strings.Contains(got, "9.9 µs") {
		t.Errorf("a value is lost: %s", got)
	}
}
