package spec

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// layout is what a file says of structures: name and length in bytes of each, and
// its lines.
type layout map[string][]string

// typedLayout reads a file of testdata that was typed from the specification.
func typedLayout(t *testing.T, name string) layout {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, structure := layout{}, ""
	for s := bufio.NewScanner(f); s.Scan(); {
		switch line := strings.TrimSpace(s.Text()); {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			structure = strings.Trim(line, "[]")
			if _, ok := l[structure]; ok {
				t.Fatalf("%s: [%s] stands twice", name, structure)
			}
			l[structure] = nil
		default:
			l[structure] = append(l[structure], line)
		}
	}
	return l
}

// add adds what the tables say of a structure and of the entries of its lists.
func (l layout) add(s *Structure) {
	var lines []string
	fields := slices.Clone(s.Fields)
	slices.SortFunc(fields, func(a, b Field) int { return a.At - b.At })
	for _, f := range fields {
		lines = append(lines, fmt.Sprintf("%s %d %d", f.Name, f.At, f.At+f.Len-1))
	}
	for _, x := range s.Lists {
		lines = append(lines, fmt.Sprintf("list %s %d %d", x.Name, x.At, max(x.Stride, x.Entry.Bytes)))
		l.add(x.Entry)
	}
	l[fmt.Sprintf("%s %d", s.Name, s.Bytes)] = lines
}

// checkLayout compares tables with a file that was typed from the specification.
func checkLayout(t *testing.T, file string, tables ...*Structure) {
	t.Helper()
	got := layout{}
	for _, s := range tables {
		got.add(s)
	}
	if diff := cmp.Diff(typedLayout(t, file), got); diff != "" {
		t.Errorf("%s: fields with first and last byte (-file +tables):\n%s", file, diff)
	}
}
