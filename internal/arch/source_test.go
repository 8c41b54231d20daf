package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// module is the path of the module; packages are named by their folder in it.
const module = "qd1.example/qd1"

// source is one Go file of the module.
type source struct {
	name  string // path from the root of the module, with slashes
	lines int
	fset  *token.FileSet
	file  *ast.File
}

func (s source) dir() string { return path.Dir(s.name) }

// test reports whether the file is part of a test.
func (s source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

// program reports whether the file is part of a program.
func (s source) program() bool { return s.file.Name.Name == "main" }

// at returns "file:line" of a node.
func (s source) at(n ast.Node) string { return s.fset.Position(n.Pos()).String() }

func parse(name string, text []byte) (source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	return source{name: name, lines: bytes.Count(text, []byte("\n")), fset: fset, file: file}, err
}

// snippet parses a file for the tests of the checks.
func snippet(t *testing.T, name, text string) []source {
	t.Helper()
	s, err := parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return []source{s}
}

// load parses all Go files of the module.
func load(t *testing.T) []source {
	t.Helper()
	var all []source
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skip(name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		s, err := parse(name, text)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("found %d Go files, want the whole module", len(all))
	}
	return all
}

// skip leaves out folders that the go command does not look into either.
func skip(dir string) error {
	base := path.Base(dir)
	if dir != "." && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
		return fs.SkipDir
	}
	return nil
}

// report fails the test once for each complaint.
func report(t *testing.T, complaints []string) {
	t.Helper()
	for _, c := range complaints {
		t.Error(c)
	}
}
