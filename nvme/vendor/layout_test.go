package vendor

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var byteRange = regexp.MustCompile(`^(\d+):(\d+) `)

// TestLayout holds that the byte ranges in the comments are those of the decoder.
func TestLayout(t *testing.T) {
	ranges := commentedRanges(t)
	for _, v := range []any{
		SMARTItem{}, LogDirectory{}, TemperatureStatistics{}, OCPSMART{}, OCPLatencyMonitor{}, OCPErrorRecovery{},
		WDCExtendedSMART{}, WDCEndOfLife{}, MicronSMART{}, MicronHealth{}, KioxiaDirectory{},
	} {
		typ := reflect.TypeOf(v)
		offset := 0
		for f := range typ.Fields() {
			size := binary.Size(reflect.Zero(f.Type).Interface())
			uses := fmt.Sprintf("%d:%d", offset+size-1, offset)
			offset += size
			if says := ranges[typ.Name()+"."+f.Name]; f.Name != "_" && says != uses {
				t.Errorf("%s.%s: comment says bytes %q, decoder uses %s", typ.Name(), f.Name, says, uses)
			}
		}
		delete(ranges, typ.Name())
	}
	for name := range ranges {
		if !strings.Contains(name, ".") {
			t.Errorf("%s has byte ranges but is not tested", name)
		}
	}
}

// commentedRanges returns the byte ranges by "Type.Field", and "" by "Type".
func commentedRanges(t *testing.T) map[string]string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	ranges := map[string]string{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				addRanges(ranges, spec.Name.Name, s)
			}
			return true
		})
	}
	return ranges
}

func addRanges(ranges map[string]string, typ string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		if m := byteRange.FindStringSubmatch(f.Doc.Text()); m != nil {
			ranges[typ] = ""
			for _, name := range f.Names {
				ranges[typ+"."+name.Name] = m[1] + ":" + m[2]
			}
		}
	}
}
