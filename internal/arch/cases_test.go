package arch

import (
	"fmt"
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testOfCase matches the names of tests of problem cases: TestCase31TwoControllers,
// TestCase04And05BlankPages.
var testOfCase = regexp.MustCompile(`^TestCase((?:\d\d(?:And)?)+)`)

// untestedCases are problem cases without a test of their own, with the reason.
func untestedCases() map[string]string { return map[string]string{} }

// caseTests returns the numbers of the problem cases with the tests that name them.
func caseTests(all []source) map[string][]string {
	tests := map[string][]string{}
	for _, s := range all {
		if !s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if m := testOfCase.FindStringSubmatch(f.Name.Name); m != nil {
				for _, number := range strings.Split(strings.TrimSuffix(m[1], "And"), "And") {
					tests[number] = append(tests[number], s.dir()+"."+f.Name.Name)
				}
			}
		}
	}
	return tests
}

// checkCases compares the list of problem cases with the tests.
func checkCases(names []string, tests map[string][]string, untested map[string]string) []string {
	var complaints []string
	for _, name := range names {
		number, _, _ := strings.Cut(name, "-")
		why, excused := untested[name]
		switch have := len(tests[number]) > 0; {
		case have && excused:
			complaints = append(complaints, fmt.Sprintf("%s has a test, and is excused: %s", name, why))
		case !have && !excused:
			complaints = append(complaints, fmt.Sprintf("%s has no test TestCase%s…", name, number))
		}
		delete(tests, number)
	}
	for number, of := range tests {
		complaints = append(complaints, fmt.Sprintf("there is no case %s, which %v names", number, of))
	}
	slices.Sort(complaints)
	return complaints
}

// TestEveryCaseHasATest holds that no problem case is without a test.
func TestEveryCaseHasATest(t *testing.T) {
	b, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "#") {
			names = append(names, strings.TrimSpace(line))
		}
	}
	if len(names) != 46 {
		t.Errorf("%d cases", len(names))
	}
	report(t, checkCases(names, caseTests(load(t)), untestedCases()))
}

func TestCheckCases(t *testing.T) {
	src := snippet(t, "x/a_test.go", `package x
func TestCase01A(t *testing.T) {}
func TestCase02And03(t *testing.T) {}
func TestCase04And05Both(t *testing.T) {}
func TestOther(t *testing.T) {}
func TestCaseless(t *testing.T) {}
`)
	got := checkCases([]string{"01-a", "02-b", "03-c", "04-d", "06-e", "07-f"}, caseTests(src), map[string]string{"01-a": "why", "07-f": "why"})
	want := []string{"01-a has a test, and is excused: why", "06-e has no test TestCase06…", "there is no case 05, which [x.TestCase04And05Both] names"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
