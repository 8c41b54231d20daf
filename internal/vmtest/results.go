package vmtest

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"qd1.example/qd1/internal/vmtest/wire"
)

// resultsBytes is the size of the disk for the results. The file is sparse.
const resultsBytes = 256 << 20

// Results are the results of the jobs of one machine.
type Results struct {
	t    testing.TB
	dir  string
	list []Result
}

// With returns the same results for a subtest, whose end they bring when a job
// did not do what it should.
func (r *Results) With(t testing.TB) *Results { return &Results{t: t, dir: r.dir, list: r.list} }

// Get returns the result of a job. It ends the test if the job did not run.
func (r *Results) Get(name string) Result {
	r.t.Helper()
	for _, res := range r.list {
		if res.Name == name {
			return res
		}
	}
	r.t.Fatalf("job %s did not run", name)
	return Result{}
}

// Output returns the standard output of a job that must have succeeded.
func (r *Results) Output(name string) []byte {
	r.t.Helper()
	res := r.Get(name)
	if res.Exit != 0 {
		r.t.Fatalf("job %s: %s", name, Describe(res))
	}
	return res.Stdout
}

// File returns the host path of a file that a job left in [OutDir].
func (r *Results) File(name string) string { return filepath.Join(r.dir, name) }

// Describe tells a result for a failure message.
func Describe(r Result) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "exit %d", r.Exit)
	if r.Signal != "" {
		fmt.Fprintf(&b, " (%s)", r.Signal)
	}
	if r.TimedOut {
		fmt.Fprintf(&b, ", timed out")
	}
	if r.Error != "" {
		fmt.Fprintf(&b, ", %s", r.Error)
	}
	fmt.Fprintf(&b, " after %v\nstdout:\n%s\nstderr:\n%s", r.Ended-r.Started,
		tail(string(r.Stdout), 60), tail(string(r.Stderr), 60))
	return b.String()
}

// readResults unpacks the archive of the results disk into dir and reads the
// list of results in it.
func readResults(t testing.TB, disk, dir string) (*Results, error) {
	f, err := os.Open(disk)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := unpack(f, dir); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, wire.ResultsFile))
	if err != nil {
		return nil, err
	}
	res := &Results{t: t, dir: dir}
	if err := json.Unmarshal(text, &res.list); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return res, nil
}

// unpack writes the regular files of a tar archive under dir, which confines
// them.
func unpack(r io.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := unpackFile(root, h.Name, tr); err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, name string, r io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// copyCoverage copies coverage counters to the folder given, if any. The names
// of the files are unique: they hold a hash, a process and a time. Processes
// of two machines can still share all three but the time, which counts
// nanoseconds.
func copyCoverage(from, to string) error {
	if to == "" {
		return nil
	}
	entries, err := os.ReadDir(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, e.Name()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
