package vendor

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPagesHaveLayouts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bin")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".bin")
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(layouts)), slices.Sorted(slices.Values(files))); diff != "" {
		t.Errorf("pages (-layouts +files):\n%s", diff)
	}
}

func TestStructuresOfPages(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var expected map[string]map[string]any
	if err := d.Decode(&expected); err != nil {
		t.Fatal(err)
	}
	if len(expected) < 10 {
		t.Fatalf("%d pages expected", len(expected))
	}
	for name, want := range expected {
		v, err := layouts[name](page(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := object(t, v)
		maps.DeleteFunc(got, func(key string, _ any) bool { _, ok := want[key]; return !ok })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestEachFieldIsTested holds that the pages made up from a layout give every
// field a value, so that TestStructuresOfPages sees a field at a wrong place.
func TestEachFieldIsTested(t *testing.T) {
	for _, name := range []string{"ocp-25.c0", "wdc-extended.c0", "wdc-eol.c0", "micron-7300.d0", "micron-2200.fb"} {
		v, err := layouts[name](page(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range object(t, v) {
			if n, ok := value.(json.Number); ok && n == "0" {
				t.Errorf("%s: %s is 0", name, key)
			}
		}
	}
}

func TestRowsOfStructures(t *testing.T) {
	for name, decode := range layouts {
		v, err := decode(page(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows := v.Rows()
		if len(rows) == 0 {
			t.Errorf("%s: no rows", name)
		}
		for _, r := range rows {
			if r.Name == "" || r.Value == nil {
				t.Errorf("%s: row %+v", name, r)
			}
		}
	}
}

// TestRowTags holds that fields with a JSON key that names a unit have that unit
// in their row.
func TestRowTags(t *testing.T) {
	units := map[string]string{"_bytes": "bytes", "_percent": "percent", "_cycles": "cycles", "_celsius": "celsius", "_blocks": ""}
	for _, v := range []any{OCPSMART{}, OCPErrorRecovery{}, WDCExtendedSMART{}, WDCEndOfLife{}, MicronSMART{}, MicronHealth{}, KioxiaDirectory{}} {
		typ := reflect.TypeOf(v)
		for f := range typ.Fields() {
			key := f.Tag.Get("json")
			if f.Name == "_" || key == "-" || f.Tag.Get("row") == "" {
				continue
			}
			for suffix, unit := range units {
				if got := f.Tag.Get("unit"); strings.HasSuffix(key, suffix) && unit != "" && got != unit {
					t.Errorf("%s.%s: key %s, unit %s", typ.Name(), f.Name, key, got)
				}
			}
		}
	}
}

func TestShortPages(t *testing.T) {
	for name, decode := range layouts {
		b := page(t, name)
		if _, err := decode(nil); err == nil {
			t.Errorf("%s: no error for no bytes", name)
		}
		if _, err := decode(b[:2]); err == nil && name != "optane.dd" {
			t.Errorf("%s: no error for 2 bytes", name)
		}
		long := append(slices.Clone(b), make([]byte, 4096)...)
		if _, err := decode(long); err != nil {
			t.Errorf("%s: %v with 4096 bytes after it", name, err)
		}
	}
}

func TestBlankPages(t *testing.T) {
	for name, decode := range layouts {
		for _, fill := range []byte{0, 0xFF} {
			if v, err := noBlank(decode)(bytes.Repeat([]byte{fill}, 4868)); err == nil {
				t.Errorf("%s: page of %02Xh decodes as %+v", name, fill, v)
			}
		}
	}
}

func TestWrongGUID(t *testing.T) {
	for _, name := range []string{"wdc-sn640.c0", "ocp.c1", "ocp.c3", "wdc-extended.c0"} {
		b := page(t, name)
		b[511] ^= 1
		_, err := layouts[name](b)
		if err == nil || !strings.Contains(err.Error(), "GUID") {
			t.Errorf("%s with another GUID: %v", name, err)
		}
	}
}
