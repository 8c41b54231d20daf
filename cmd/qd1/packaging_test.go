package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The service of the packages calls a command that there is, with flags that
// it has.
func TestServiceCallsACommand(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "packaging", "systemd", "qd1-prometheus.service"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(b), "\nExecStart=/usr/bin/qd1 ")
	line, _, _ := strings.Cut(rest, "\n")
	if !found || line == "" {
		t.Fatal("the service starts nothing")
	}
	table, at := commands(), command{}
	for _, word := range strings.Fields(line) {
		if !strings.HasPrefix(word, "-") {
			if i := slices.IndexFunc(table, func(c command) bool { return c.name == word }); i >= 0 {
				at = table[i]
				table = at.below()
			}
			continue
		}
		if !takesValue(at, word) {
			t.Errorf("%s: the command %q has no such flag with a value", word, at.name)
		}
	}
	if at.run == nil || at.access != reads {
		t.Errorf("%q is no command that only reads", line)
	}
}

// Every file of the packages is one that packaging/build stages.
func TestPackagedFilesAreStaged(t *testing.T) {
	config, err := os.ReadFile(filepath.Join("..", "..", "packaging", "nfpm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	build, err := os.ReadFile(filepath.Join("..", "..", "packaging", "build"))
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for line := range strings.Lines(string(config)) {
		_, rest, ok := strings.Cut(line, "{src: ")
		if !ok {
			continue
		}
		files++
		src, _, _ := strings.Cut(rest, ",")
		if !strings.Contains(string(build), src) {
			t.Errorf("nothing stages %s", src)
		}
	}
	if files < 8 {
		t.Errorf("only %d files", files)
	}
}
