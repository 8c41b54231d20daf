package nvme

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// layouts is every structure whose field order is a layout of the specification.
var layouts = []reflect.Type{
	reflect.TypeFor[IdentifyController](),
	reflect.TypeFor[PowerState](),
	reflect.TypeFor[IdentifyNamespace](),
	reflect.TypeFor[LBAFormat](),
	reflect.TypeFor[ErrorLogEntry](),
	reflect.TypeFor[FirmwareSlotLog](),
	reflect.TypeFor[SMARTLog](),
	reflect.TypeFor[SelfTestLog](),
	reflect.TypeFor[SelfTestResult](),
	reflect.TypeFor[SanitizeLog](),
	reflect.TypeFor[EnduranceGroupLog](),
	reflect.TypeFor[PersistentEventHeader](),
	reflect.TypeFor[PersistentEvent](),
}

var (
	byteRange = regexp.MustCompile(`^(\d+):(\d+) `)
	byteCount = regexp.MustCompile(`\b(\d+)\s+bytes\b`)
)

// documented is what the source of a structure says about its layout.
type documented struct {
	bytes  int
	fields map[string]string
}

func TestLayout(t *testing.T) {
	docs := parseLayouts(t, ".", nil)
	var got []string
	for _, typ := range layouts {
		doc, ok := docs[typ.Name()]
		if !ok {
			t.Errorf("%s: no field comment with a byte range", typ.Name())
			continue
		}
		got = append(got, typ.Name())
		for _, fault := range compareLayout(doc, typ) {
			t.Errorf("%s.%s", typ.Name(), fault)
		}
	}
	for name := range docs {
		if !slices.Contains(got, name) {
			t.Errorf("%s has byte ranges but is not in layouts", name)
		}
	}
}

// TestLayoutFinds proves that the comparison fails where it should.
func TestLayoutFinds(t *testing.T) {
	type page struct {
		A uint8
		B uint16
		_ [2]byte
		C uint32
	}
	tests := []struct {
		name, src string
		want      []string
	}{
		{"right", "// page is a page, 9 bytes.\ntype page struct {\n// 0:0 A.\nA uint8\n// 2:1 B.\nB uint16\n_ [2]byte\n// 8:5 C.\nC uint32\n}", nil},
		{"shifted", "// page is a page, 9 bytes.\ntype page struct {\n// 0:0 A.\nA uint8\n// 3:2 B.\nB uint16\n_ [2]byte\n// 8:5 C.\nC uint32\n}",
			[]string{"B: comment says bytes 3:2, decoder uses 2:1"}},
		{"gap", "// page is a page, 9 bytes.\ntype page struct {\n// 0:0 A.\nA uint8\n// 2:1 B.\nB uint16\n_ [2]byte\n// 7:4 C.\nC uint32\n}",
			[]string{"C: comment says bytes 7:4, decoder uses 8:5"}},
		{"no comment", "// page is a page, 9 bytes.\ntype page struct {\n// 0:0 A.\nA uint8\nB uint16\n_ [2]byte\n// 8:5 C.\nC uint32\n}",
			[]string{"B: no byte range in the comment, decoder uses 2:1"}},
		{"length", "// page is a page, 12 bytes.\ntype page struct {\n// 0:0 A.\nA uint8\n// 2:1 B.\nB uint16\n_ [2]byte\n// 8:5 C.\nC uint32\n}",
			[]string{"page: comment says 12 bytes, decoder uses 9"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs := parseLayouts(t, "page.go", []byte("package p\n"+tt.src))
			if diff := cmp.Diff(tt.want, compareLayout(docs["page"], reflect.TypeFor[page]())); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// compareLayout returns where the comments and the decoder differ. Blank fields
// have no comment: a wrong one shifts the field after it, or the length.
func compareLayout(doc documented, typ reflect.Type) []string {
	var faults []string
	offset := 0
	for f := range typ.Fields() {
		size := binary.Size(reflect.Zero(f.Type).Interface())
		uses := fmt.Sprintf("%d:%d", offset+size-1, offset)
		offset += size
		if f.Name == "_" {
			continue
		}
		switch says := doc.fields[f.Name]; says {
		case uses:
		case "":
			faults = append(faults, fmt.Sprintf("%s: no byte range in the comment, decoder uses %s", f.Name, uses))
		default:
			faults = append(faults, fmt.Sprintf("%s: comment says bytes %s, decoder uses %s", f.Name, says, uses))
		}
	}
	if doc.bytes != offset {
		faults = append(faults, fmt.Sprintf("%s: comment says %d bytes, decoder uses %d", typ.Name(), doc.bytes, offset))
	}
	return faults
}

// parseLayouts returns the structures of a source, or of the package if there is
// none, that have a byte range in a field comment.
func parseLayouts(t *testing.T, name string, src []byte) map[string]documented {
	t.Helper()
	docs := make(map[string]documented)
	for _, file := range parseFiles(t, name, src) {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				typ := spec.(*ast.TypeSpec)
				fields := fieldRanges(typ)
				if len(fields) > 0 {
					docs[typ.Name.Name] = documented{documentedBytes(gen.Doc.Text()), fields}
				}
			}
		}
	}
	return docs
}

func parseFiles(t *testing.T, name string, src []byte) []*ast.File {
	t.Helper()
	set := token.NewFileSet()
	names := []string{name}
	if src == nil {
		names = goFiles(t)
	}
	var files []*ast.File
	for _, name := range names {
		var content any
		if src != nil {
			content = src
		}
		f, err := parser.ParseFile(set, name, content, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func fieldRanges(typ *ast.TypeSpec) map[string]string {
	st, ok := typ.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	fields := make(map[string]string)
	for _, f := range st.Fields.List {
		m := byteRange.FindStringSubmatch(f.Doc.Text())
		if m == nil {
			continue
		}
		for _, n := range f.Names {
			fields[n.Name] = m[1] + ":" + m[2]
		}
	}
	return fields
}

// documentedBytes returns the length that the first sentence of a comment
// states, 0 for none.
func documentedBytes(doc string) int {
	first, _, _ := strings.Cut(doc, ".")
	if m := byteCount.FindStringSubmatch(first); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}
