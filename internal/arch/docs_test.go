package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// fileLines is the longest file that is not listed in longFiles.
const fileLines = 500

// longFiles lists the files that may be longer, with their reason.
var longFiles = map[string]string{}

// interfaceMethods are methods of the standard library's interfaces; they need
// no comment.
var interfaceMethods = []string{
	"String", "Error", "Is", "IsZero", "As", "Unwrap", "Format", "Close", "Len", "Less", "Swap",
	"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary",
}

func TestFileLength(t *testing.T)      { report(t, longFileNames(load(t))) }
func TestPackageComments(t *testing.T) { report(t, barePackages(load(t))) }
func TestNameComments(t *testing.T)    { report(t, bareNames(load(t))) }

func longFileNames(all []source) []string {
	var complaints []string
	for _, s := range all {
		if _, ok := longFiles[s.name]; !ok && s.lines > fileLines {
			complaints = append(complaints, fmt.Sprintf("%s: has %d lines, the limit is %d", s.name, s.lines, fileLines))
		}
	}
	return complaints
}

// barePackages finds packages in which no file has a package comment.
func barePackages(all []source) []string {
	commented := map[string]bool{}
	for _, s := range all {
		if !s.test() {
			commented[s.dir()] = commented[s.dir()] || opens(s)
		}
	}
	var complaints []string
	for dir, ok := range commented {
		if !ok {
			complaints = append(complaints, dir+": has no package comment")
		}
	}
	slices.Sort(complaints)
	return complaints
}

// opens reports whether the file has the package comment in its usual form.
func opens(s source) bool {
	return s.file.Doc != nil && (s.program() || strings.HasPrefix(s.file.Doc.Text(), "Package "+s.file.Name.Name+" "))
}

// bareNames finds exported names without a comment, outside programs and
// tests.
func bareNames(all []source) []string {
	var complaints []string
	for _, s := range all {
		if s.program() || s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				complaints = append(complaints, fmt.Sprintf("%s: %s has no comment", s.at(name), name.Name))
			}
		}
	}
	return complaints
}

func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && !internalMethod(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		return undocumentedSpecs(d)
	}
	return nil
}

// internalMethod reports whether f needs no comment: a method of an
// unexported type, or of an interface of the standard library.
func internalMethod(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return false
	}
	return slices.Contains(interfaceMethods, f.Name.Name) || !receiver(f).IsExported()
}

func receiver(f *ast.FuncDecl) *ast.Ident {
	e := f.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x
		default:
			return ast.NewIdent("")
		}
	}
}

// undocumentedSpecs takes the comment of a group for its members: constants,
// variables and small types are often described together.
func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	if d.Tok == token.IMPORT || d.Doc != nil {
		return nil
	}
	var bare []*ast.Ident
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
				bare = append(bare, spec.Name)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if spec.Doc == nil && spec.Comment == nil && name.IsExported() {
					bare = append(bare, name)
				}
			}
		}
	}
	return bare
}

// TestDocsChecks shows each check a file that breaks its rule, and one that
// does not.
func TestDocsChecks(t *testing.T) {
	tests := []struct {
		name, file, text string
		check            func([]source) []string
		bad              bool
	}{
		{"long file", "smart/a.go", "package p\n" + strings.Repeat("//\n", fileLines), longFileNames, true},
		{"file at the limit", "smart/a.go", "package p\n" + strings.Repeat("//\n", fileLines-1), longFileNames, false},
		{"no package comment", "smart/a.go", "package p\n", barePackages, true},
		{"package comment of another form", "smart/a.go", "// Hello.\npackage p\n", barePackages, true},
		{"package comment", "smart/a.go", "// Package p is p.\npackage p\n", barePackages, false},
		{"program", "cmd/qd1/a.go", "// qd1 is a program.\npackage main\n", barePackages, false},
		{"bare function", "smart/a.go", "package p\nfunc F() {}\n", bareNames, true},
		{"documented function", "smart/a.go", "package p\n// F is F.\nfunc F() {}\n", bareNames, false},
		{"bare method", "smart/a.go", "package p\n// T is T.\ntype T struct{}\nfunc (t *T) M() {}\n", bareNames, true},
		{"bare generic method", "smart/a.go", "package p\n// T is T.\ntype T[A any] struct{}\nfunc (t *T[A]) M() {}\n", bareNames, true},
		{"interface method", "smart/a.go", "package p\n// T is T.\ntype T struct{}\nfunc (t T) String() string { return \"\" }\n", bareNames, false},
		{"method of an unexported type", "smart/a.go", "package p\ntype t struct{}\nfunc (t) M() {}\n", bareNames, false},
		{"bare type", "smart/a.go", "package p\ntype T int\n", bareNames, true},
		{"bare constant", "smart/a.go", "package p\nconst (\n\tA = 1\n)\n", bareNames, true},
		{"constant of a group", "smart/a.go", "package p\n// All.\nconst (\n\tA = 1\n)\n", bareNames, false},
		{"unexported", "smart/a.go", "package p\ntype t int\nfunc f() {}\nvar v = 1\n", bareNames, false},
		{"program", "cmd/qd1/a.go", "package main\nfunc F() {}\n", bareNames, false},
	}
	for _, tt := range tests {
		got := tt.check(snippet(t, tt.file, tt.text))
		if (len(got) > 0) != tt.bad {
			t.Errorf("%s: complaints %q, want some: %t", tt.name, got, tt.bad)
		}
	}
}
