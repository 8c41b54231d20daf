package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testdata/program.elf needs libqd1a.so, which it looks for in $ORIGIN/lib, and
// that needs libqd1b.so. They were made with gcc from two empty functions and
// are never run.
func TestClosure(t *testing.T) {
	program, err := filepath.Abs("testdata/program.elf")
	if err != nil {
		t.Fatal(err)
	}
	lib := filepath.Join(filepath.Dir(program), "lib")
	got := newLinker(host{}, []string{}).closure(program)
	want := []string{program, "/lib/qd1-none.so", lib + "/libqd1a.so", lib + "/libqd1b.so"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("closure (-want +got):\n%s", diff)
	}
}

// TestSearchPath: a program that has moved away from its libraries finds them
// by the environment or the configuration, and never a file for another machine.
func TestSearchPath(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program.elf")
	copyFile(t, "testdata/program.elf", program)
	lib, err := filepath.Abs("testdata/lib")
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("testdata/lib/libqd1a.so")
	if err != nil {
		t.Fatal(err)
	}
	b[18] = 3 // e_machine: 80386
	write(t, filepath.Join(foreign, "libqd1a.so"), string(b))
	conf := filepath.Join(dir, "ld.so.conf")
	write(t, conf, "include more/*.conf\n")
	write(t, filepath.Join(dir, "more", "a.conf"), lib+" # here\n")
	tests := []struct {
		name string
		host host
		env  []string
		want bool
	}{
		{"nowhere", host{}, []string{}, false},
		{"environment", host{}, []string{"LD_LIBRARY_PATH=/nowhere:" + lib}, true},
		{"configuration", host{linkerConf: conf}, []string{}, true},
		{"another machine first", host{linkerConf: conf}, []string{"LD_LIBRARY_PATH=" + foreign}, true},
		{"another machine only", host{}, []string{"LD_LIBRARY_PATH=" + foreign}, false},
	}
	for _, tt := range tests {
		got := newLinker(tt.host, tt.env).closure(program)
		if slices.Contains(got, lib+"/libqd1a.so") != tt.want || slices.Contains(got, foreign+"/libqd1a.so") {
			t.Errorf("%s: %q, want libqd1a.so: %v", tt.name, got, tt.want)
		}
	}
}

func TestClosureOfScript(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	write(t, script, "#!/usr/bin/env -S sh\n")
	got := newLinker(host{}, []string{}).closure(script)
	if len(got) < 3 || got[0] != script || got[1] != "/usr/bin/env" || !slices.ContainsFunc(got, func(p string) bool { return filepath.Base(p) == "sh" }) {
		t.Errorf("closure = %q, want the script, env and sh", got)
	}
	for _, path := range []string{dir, filepath.Join(dir, "absent")} {
		if diff := cmp.Diff([]string{path}, newLinker(host{}, nil).closure(path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestParseScript(t *testing.T) {
	tests := []struct {
		head string
		want []string
	}{
		{"#!/bin/sh\necho", []string{"/bin/sh"}},
		{"#! /usr/bin/env python3 \n", []string{"/usr/bin/env", "python3"}},
		{"#!/bin/sh", []string{"/bin/sh"}},
		{"#!\n/bin/sh", nil},
		{"#!bin/sh\n", nil},
		{"\x7fELF", nil},
		{"", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, parseScript([]byte(tt.head))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.head, diff)
		}
	}
}

func TestParseLinkerConf(t *testing.T) {
	text := "# a comment\n/usr/local/lib\n include /etc/ld.so.conf.d/*.conf\nhwcap 1 nosegneg\n/a:/b,/c /d # more\nrelative\ninclude\n"
	want := []confEntry{{dir: "/usr/local/lib"}, {include: "/etc/ld.so.conf.d/*.conf"}, {dir: "/a"}, {dir: "/b"}, {dir: "/c"}, {dir: "/d"}}
	if diff := cmp.Diff(want, parseLinkerConf(text), cmp.AllowUnexported(confEntry{})); diff != "" {
		t.Errorf("parseLinkerConf (-want +got):\n%s", diff)
	}
}

// TestIncludeLoop: a configuration that includes itself comes to an end.
func TestIncludeLoop(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "ld.so.conf")
	write(t, conf, "/x\ninclude ld.so.conf\n")
	if got := configuredFolders(conf, 4); len(got) != 4 {
		t.Errorf("folders = %q, want /x 4 times", got)
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add([]byte("#!/usr/bin/env -S python3 -u\nimport os\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if words := parseScript(head); words != nil && !strings.HasPrefix(words[0], "/") {
			t.Errorf("%q: %q", head, words)
		}
	})
}

func FuzzParseLinkerConf(f *testing.F) {
	f.Add("include /etc/ld.so.conf.d/*.conf\n/usr/local/lib # comment\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range parseLinkerConf(text) {
			if (e.dir == "") == (e.include == "") {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, string(b))
}
