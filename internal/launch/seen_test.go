package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const someMaps = `55d0c0a00000-55d0c0a04000 r--p 00000000 fd:00 1835021                    /usr/bin/sh
55d0c0a04000-55d0c0a19000 r-xp 00004000 fd:00 1835021                    /usr/bin/sh
55d0c1a1e000-55d0c1a3f000 rw-p 00000000 00:00 0                          [heap]
7f1b2c000000-7f1b2c021000 rw-p 00000000 00:00 0 
7f1b2c200000-7f1b2c228000 r--p 00000000 fd:00 1835500                    /usr/lib/x86_64-linux-gnu/libc.so.6
7f1b2c400000-7f1b2c401000 r--s 00000000 fd:00 99                         /home/a b/c\012d
7f1b2c500000-7f1b2c501000 rw-s 00000000 00:01 12                         /memfd:x (deleted)
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`

func TestParseMaps(t *testing.T) {
	want := []string{"/usr/bin/sh", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/home/a b/c\nd", "/memfd:x (deleted)"}
	if diff := cmp.Diff(want, parseMaps(someMaps)); diff != "" {
		t.Errorf("parseMaps (-want +got):\n%s", diff)
	}
}

func FuzzParseMaps(f *testing.F) {
	f.Add(someMaps)
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range parseMaps(text) {
			if !strings.HasPrefix(path, "/") {
				t.Errorf("path %q", path)
			}
		}
	})
}

// TestLook reads a made-up /proc with a process, its child and one of another
// family.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for _, name := range []string{"mapped", "open", "childs", "strangers"} {
		files[name] = filepath.Join(dir, "files", name)
		write(t, files[name], name)
	}
	proc := filepath.Join(dir, "proc")
	write(t, proc+"/10/task/10/children", "11 ")
	write(t, proc+"/10/task/12/children", "")
	write(t, proc+"/11/task/11/children", "11 10 x")
	write(t, proc+"/10/maps", "1-2 r--p 00000000 fd:00 1 "+files["mapped"]+"\n1-2 r--p 0 fd:00 1 "+dir+"/absent\n")
	write(t, proc+"/13/maps", "1-2 r--p 00000000 fd:00 1 "+files["strangers"]+"\n")
	for link, target := range map[string]string{
		"10/fd/3": files["open"], "10/fd/4": "socket:[77]", "10/fd/5": files["open"] + " (deleted)", "10/fd/6": "/dev/null",
		"11/fd/0": files["childs"],
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(proc, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(proc, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := &seen{proc: proc, files: map[string]struct{}{}}
	s.look(10)
	s.look(99) // has ended
	want := []string{files["childs"], files["mapped"], files["open"]}
	if diff := cmp.Diff(want, s.list()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestLookForReal: a program that has a file open for a while is seen with it,
// with its libraries, and with its child's.
func TestLookForReal(t *testing.T) {
	dir := t.TempDir()
	mine, childs := filepath.Join(dir, "mine"), filepath.Join(dir, "childs")
	write(t, mine, "x")
	write(t, childs, "x")
	p, err := newProgram([]string{"sh", "-c", "exec 3<" + mine + "; (exec 4<" + childs + "; sleep 0.1); true"}, Options{Timeout: DefaultTimeout})
	if err != nil {
		t.Fatal(err)
	}
	s := newSeen(thisHost(), p)
	if _, err := p.run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{p.path, mine, childs} {
		if !slices.Contains(s.list(), want) {
			t.Errorf("%s was not seen in %q", want, s.list())
		}
	}
}
