package render

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"qd1.example/qd1/internal/lang"
)

// englishFiles are those whose text is English only.
var englishFiles = []string{"feature.go", "passthru.go", "compare.go", "compare_cells.go", "compare_more.go", "compare_rows.go", "deltas.go", "age.go", "erase.go", "certificate.go", "bench_plan.go", "launch.go", "history.go", "namespaces.go", "firmware.go", "selftest.go", "scan.go"}

// constantText evaluates a sum of literals and of the constants of this package;
// "" if there is anything else in it.
func constantText(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(x.Value)
		return s
	case *ast.Ident:
		return map[string]string{"nbsp": nbsp, "notReported": notReported, "noSection": noSection}[x.Name]
	case *ast.BinaryExpr:
		left, right := constantText(x.X), constantText(x.Y)
		if left != "" && right != "" {
			return left + right
		}
	}
	return ""
}

// textArguments says which arguments of a function are texts, or how they become
// one.
var textArguments = map[string]struct {
	at     []int
	format string
}{
	"Text": {[]int{0}, ""}, "Textf": {[]int{0}, ""}, "title": {[]int{0}, ""}, "note": {[]int{0}, ""}, "labelled": {[]int{1}, ""},
	"section": {[]int{1, 3}, ""}, "k": {[]int{0}, ""},
	"counted": {[]int{2, 3}, "%s "}, "counted128": {[]int{2, 3}, "%s "}, "number": {[]int{2, 3}, "%s "},
}

// textsOf returns the texts that a node of the source shows.
func textsOf(n ast.Node) []string {
	switch x := n.(type) {
	case *ast.CallExpr:
		return argumentsOf(x)
	case *ast.CompositeLit:
		kind, ok := x.Type.(*ast.Ident)
		if array, isArray := x.Type.(*ast.ArrayType); isArray {
			kind, ok = array.Elt.(*ast.Ident)
		}
		if !ok {
			return nil
		}
		at := map[string]int{"pair": 0, "entry": 1}
		if i, ok := at[kind.Name]; ok {
			return labelsOf(x, i)
		}
	}
	return nil
}

func labelsOf(x *ast.CompositeLit, at int) []string {
	var list []string
	for _, e := range x.Elts {
		if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
			list = append(list, labelsOf(inner, at)...)
		}
	}
	if len(list) == 0 && len(x.Elts) > at {
		list = append(list, constantText(x.Elts[at]))
	}
	return list
}

func argumentsOf(x *ast.CallExpr) []string {
	name := ""
	switch f := x.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	var list []string
	for _, i := range textArguments[name].at {
		if i < len(x.Args) {
			if text := constantText(x.Args[i]); text != "" {
				list = append(list, textArguments[name].format+text)
			}
		}
	}
	return list
}

var hasWord = regexp.MustCompile(`[A-Za-z]{2}`)

// sameInJapanese are labels that are names.
var sameInJapanese = []string{"sn", "mn", "fr", "subnqn", "fguid", "IDENTIFY DEVICE"}

// shownTexts are all texts in the source of this package.
func shownTexts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(englishFiles, name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, text := range textsOf(n) {
				if hasWord.MatchString(verb.ReplaceAllString(text, "")) && !slices.Contains(sameInJapanese, text) {
					list = append(list, strings.ReplaceAll(text, nbsp, " "))
				}
			}
			return true
		})
	}
	slices.Sort(list)
	return slices.Compact(list)
}

var verb = regexp.MustCompile(`%[0-9.]*[a-z]`)

// A label or a sentence that is added needs its Japanese.
func TestEveryTextIsTranslated(t *testing.T) {
	list := shownTexts(t)
	if len(list) < 200 {
		t.Errorf("%d texts in the source, want at least 200", len(list))
	}
	for _, text := range list {
		if !lang.Japanese.Knows(text) {
			t.Errorf("%q has no Japanese: add it to internal/lang/texts.tsv", text)
		}
	}
}

// leftOver matches English that is no name, unit, field or evidence.
var leftOver = regexp.MustCompile(`\b[a-z]{3,}\b`)

// keptInJapanese are names in small letters, in the pages of these tests.
var keptInJapanese = regexp.MustCompile(`\[[^\]]*\]|\([^()]*nvme\d[^()]*\)|nvme\d\w*|min|dmesg|timeout|smartctl|do not retry|look at the kernel log`)

// Above the fold and in single sections, no English is left in Japanese, and no
// Japanese anywhere in English.
func TestLanguagesAreNotMixed(t *testing.T) {
	for name, r := range reports(t) {
		if name == "empty" {
			continue
		}
		brief := strings.Join(strings.Fields(text(t, func(b *bytes.Buffer) error { return Brief(b, r, Style{Lang: lang.Japanese, Width: 160}) })), " ")
		if word := leftOver.FindString(keptInJapanese.ReplaceAllString(brief, "")); word != "" {
			t.Errorf("%s: %q is left in\n%s", name, word, brief)
		}
	}
	for name, got := range everything(t, Style{}) {
		if i := strings.IndexFunc(got, wide); i >= 0 {
			t.Errorf("%s: %q", name, got[max(0, i-20):])
		}
	}
}
