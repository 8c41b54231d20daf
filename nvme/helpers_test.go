package nvme

import (
	"bytes"
	"context"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fake is a device that records commands and answers with a function, which
// fills the data and returns the status.
type fake struct {
	answer func(cmd *Command) Status

	mu   sync.Mutex
	sent []Command
}

func (f *fake) Submit(ctx context.Context, cmd *Command) (Completion, error) {
	if err := ctx.Err(); err != nil {
		return Completion{}, err
	}
	f.mu.Lock()
	f.sent = append(f.sent, *cmd)
	f.mu.Unlock()
	if f.answer == nil {
		return Completion{}, nil
	}
	return Completion{Status: f.answer(cmd)}, nil
}

// read returns a file of testdata.
func read(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// readJSON decodes a file of testdata with exact numbers.
func readJSON(t testing.TB, v any, path ...string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(read(t, path...)))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v: %v", path, err)
	}
}

// stems returns the names of the .bin files in a folder of testdata.
func stems(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.bin"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages in %s: %v", folder, err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".bin")
	}
	return files
}

// decoded returns a structure decoded from a file of testdata.
func decoded[T any, P interface {
	*T
	encoding.BinaryUnmarshaler
}](t testing.TB, path ...string) P {
	t.Helper()
	v := P(new(T))
	if err := v.UnmarshalBinary(read(t, path...)); err != nil {
		t.Fatalf("%v: %v", path, err)
	}
	return v
}

// object returns the JSON object of v with exact numbers.
func object(t testing.TB, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

// encoded returns the wire form of a structure.
func encoded(t testing.TB, v any) []byte {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// goFiles returns the source files of the package without tests.
func goFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var src []string
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			src = append(src, f)
		}
	}
	return src
}
