package arch

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unsafeIn lists the packages that may import package unsafe.
var unsafeIn = map[string]string{
	"ioctl":          "structures of the kernel's interface carry addresses",
	"internal/rawio": "memory outside the Go heap and bare system calls",
	"internal/uring": "rings shared with the kernel",
}

// goroutinesIn lists the packages that may start goroutines.
var goroutinesIn = map[string]string{
	"bench":                 "measuring threads and the pipe to the worker process",
	"cmd/qd1":               "terminal progress and the worker process",
	"internal/scratch":      "workers that copy files",
	"internal/report":       "several drives at once; a section that does not answer",
	"internal/sim":          "waits in real time",
	"internal/sim/nvmetcp":  "connections, and what they wait for",
	"ioctl":                 "a command that the kernel still works on when the context ends",
	"internal/sysfs":        "a file of a dead drive that does not answer",
	"internal/erase":        "progress of a drive while a command is under way",
	"internal/watch":        "a drive that does not answer holds no other",
	"internal/vmtest":       "the machine and its monitor",
	"internal/vmtest/guest": "jobs of the machine",
}

// functionLines is the longest function outside tests.
const functionLines = 80

func TestUnsafe(t *testing.T)      { report(t, unsafeUse(load(t))) }
func TestPrinting(t *testing.T)    { report(t, printing(load(t))) }
func TestInit(t *testing.T)        { report(t, initFunctions(load(t))) }
func TestGoroutines(t *testing.T)  { report(t, goroutines(load(t))) }
func TestExpressions(t *testing.T) { report(t, compiledAtStart(load(t))) }
func TestFunctions(t *testing.T)   { report(t, longFunctions(load(t))) }

func unsafeUse(all []source) []string {
	var complaints []string
	for _, s := range all {
		if _, ok := unsafeIn[s.dir()]; !ok && imports(s, "unsafe") {
			complaints = append(complaints, s.name+": must not import unsafe")
		}
	}
	return complaints
}

func imports(s source, imported string) bool {
	return slices.ContainsFunc(s.file.Imports, func(spec *ast.ImportSpec) bool {
		got, _ := strconv.Unquote(spec.Path.Value)
		return got == imported
	})
}

// printing finds what writes to the terminal or ends the program, outside
// programs and tests.
func printing(all []source) []string {
	var complaints []string
	for _, s := range all {
		if s.program() || s.test() {
			continue
		}
		if imports(s, "log") || imports(s, "log/slog") {
			complaints = append(complaints, s.name+": must not log")
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if name := selector(n); prints(name) {
				complaints = append(complaints, fmt.Sprintf("%s: must not use %s", s.at(n), name))
			}
			return true
		})
	}
	return complaints
}

// startsGoroutine reports whether n is a go statement or a call of a method Go
// with a function, as that of sync.WaitGroup.
func startsGoroutine(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		_, ok = n.(*ast.GoStmt)
		return ok
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Go" && len(call.Args) == 1
}

func prints(name string) bool {
	return strings.HasPrefix(name, "fmt.Print") || name == "os.Exit" || name == "os.Stdout" || name == "os.Stderr"
}

// selector returns "pkg.Name" for an expression of that form.
func selector(n ast.Node) string {
	e, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x, ok := e.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return x.Name + "." + e.Sel.Name
}

func initFunctions(all []source) []string {
	var complaints []string
	for _, f := range functions(all) {
		if f.decl.Name.Name == "init" && f.decl.Recv == nil {
			complaints = append(complaints, f.at(f.decl)+": must not have an init function")
		}
	}
	return complaints
}

// compiledAtStart finds regular expressions that every start of a program compiles,
// used or not; lazyregexp has others.
func compiledAtStart(all []source) []string {
	var complaints []string
	for _, s := range all {
		if s.test() || strings.HasPrefix(s.dir(), "internal/vmtest") {
			continue
		}
		for _, d := range s.file.Decls {
			if _, ok := d.(*ast.GenDecl); !ok {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if name := selector(n); name == "regexp.MustCompile" || name == "regexp.Compile" {
					complaints = append(complaints, s.at(n)+": must not compile an expression at the start")
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
		}
	}
	return complaints
}

func goroutines(all []source) []string {
	var complaints []string
	for _, s := range all {
		if _, ok := goroutinesIn[s.dir()]; ok || s.test() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if startsGoroutine(n) {
				complaints = append(complaints, s.at(n)+": must not start a goroutine")
			}
			return true
		})
	}
	return complaints
}

func longFunctions(all []source) []string {
	var complaints []string
	for _, f := range functions(all) {
		lines := f.fset.Position(f.decl.End()).Line - f.fset.Position(f.decl.Pos()).Line + 1
		if lines > functionLines && !f.test() && !table(f.decl) {
			complaints = append(complaints, fmt.Sprintf("%s: %s has %d lines, the limit is %d", f.at(f.decl), f.decl.Name.Name, lines, functionLines))
		}
	}
	return complaints
}

// table reports whether a function only returns a literal, as the tables of
// rules do.
func table(f *ast.FuncDecl) bool {
	if f.Body == nil || len(f.Body.List) == 0 {
		return false
	}
	ret, ok := f.Body.List[len(f.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	_, ok = ret.Results[0].(*ast.CompositeLit)
	return ok && len(f.Body.List) <= 3
}

type function struct {
	source
	decl *ast.FuncDecl
}

func functions(all []source) []function {
	var list []function
	for _, s := range all {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				list = append(list, function{s, f})
			}
		}
	}
	return list
}

// TestCodeChecks shows each check a file that breaks its rule, and one that
// does not.
func TestCodeChecks(t *testing.T) {
	long := "package p\nfunc f() {\n" + strings.Repeat("\tg()\n", functionLines) + "}\nfunc g() {}\n"
	tests := []struct {
		name, file, text string
		check            func([]source) []string
		bad              bool
	}{
		{"unsafe", "smart/a.go", "package p\nimport _ \"unsafe\"\n", unsafeUse, true},
		{"unsafe where it may", "ioctl/a.go", "package p\nimport _ \"unsafe\"\n", unsafeUse, false},
		{"print", "smart/a.go", "package p\nimport \"fmt\"\nvar _ = fmt.Println\n", printing, true},
		{"print to a writer", "smart/a.go", "package p\nimport \"fmt\"\nvar _ = fmt.Fprintln\n", printing, false},
		{"exit", "smart/a.go", "package p\nimport \"os\"\nfunc f() { os.Exit(1) }\n", printing, true},
		{"log", "smart/a.go", "package p\nimport \"log\"\nvar _ = log.Print\n", printing, true},
		{"stderr", "smart/a.go", "package p\nimport \"os\"\nvar w = os.Stderr\n", printing, true},
		{"print in a program", "cmd/qd1/a.go", "package main\nimport \"fmt\"\nvar _ = fmt.Println\n", printing, false},
		{"print in a test", "smart/a_test.go", "package p\nimport \"fmt\"\nvar _ = fmt.Println\n", printing, false},
		{"init", "smart/a.go", "package p\nfunc init() {}\n", initFunctions, true},
		{"method init", "smart/a.go", "package p\ntype t struct{}\nfunc (t) init() {}\n", initFunctions, false},
		{"expression", "smart/a.go", "package p\nimport \"regexp\"\nvar a = []any{regexp.MustCompile(`a`)}\n", compiledAtStart, true},
		{"expression in a function", "smart/a.go", "package p\nimport \"regexp\"\nvar a = func() any { return regexp.MustCompile(`a`) }\nfunc f() { regexp.MustCompile(`a`) }\n", compiledAtStart, false},
		{"goroutine", "smart/a.go", "package p\nfunc f() { go f() }\n", goroutines, true},
		{"goroutine of a group", "smart/a.go", "package p\nimport \"sync\"\nfunc f() { var wg sync.WaitGroup; wg.Go(func() {}) }\n", goroutines, true},
		{"goroutine where it may", "bench/a.go", "package p\nfunc f() { go f() }\n", goroutines, false},
		{"long function", "smart/a.go", long, longFunctions, true},
		{"long function of a test", "smart/a_test.go", long, longFunctions, false},
	}
	for _, tt := range tests {
		got := tt.check(snippet(t, tt.file, tt.text))
		if (len(got) > 0) != tt.bad {
			t.Errorf("%s: complaints %q, want some: %t", tt.name, got, tt.bad)
		}
	}
}
