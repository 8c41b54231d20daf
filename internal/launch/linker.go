package launch

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// linker finds the shared libraries of a program as ld.so(8) would, without
// running anything.
type linker struct {
	environment []string // LD_LIBRARY_PATH
	configured  []string // /etc/ld.so.conf and the folders that need no entry
}

func newLinker(h host, env []string) *linker {
	l := &linker{}
	for _, v := range env {
		if list, ok := strings.CutPrefix(v, "LD_LIBRARY_PATH="); ok {
			l.environment = strings.Split(list, ":")
		}
	}
	if env == nil {
		l.environment = strings.Split(os.Getenv("LD_LIBRARY_PATH"), ":")
	}
	l.configured = append(configuredFolders(h.linkerConf, 4), "/lib64", "/usr/lib64", "/lib", "/usr/lib")
	return l
}

// closure returns the file, the interpreter that it names and all libraries
// that are needed, as far as they are found.
func (l *linker) closure(path string) []string {
	files := []string{path}
	for i := 0; i < len(files) && i < 1000; i++ {
		for _, needed := range l.needs(files[i]) {
			if !slices.Contains(files, needed) {
				files = append(files, needed)
			}
		}
	}
	return files
}

// needs returns the files that one file names.
func (l *linker) needs(path string) []string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if script := interpreters(path); script != nil {
		return script
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var found []string
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
			name, _ := io.ReadAll(p.Open())
			found = append(found, string(bytes.TrimRight(name, "\x00")))
		}
	}
	names, _ := f.ImportedLibraries()
	for _, name := range names {
		if lib := l.find(f, filepath.Dir(path), name); lib != "" {
			found = append(found, lib)
		}
	}
	return found
}

// find returns where a library of f is, "" if nowhere.
func (l *linker) find(f *elf.File, origin, name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	for _, dir := range slices.Concat(runPath(f, origin), l.environment, l.configured) {
		path := filepath.Join(dir, name)
		if dir != "" && sameMachine(f, path) {
			return path
		}
	}
	return ""
}

// runPath returns the folders that a file brings along.
func runPath(f *elf.File, origin string) []string {
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		lists, _ := f.DynString(tag)
		for _, list := range lists {
			list = strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(list)
			dirs = append(dirs, strings.Split(list, ":")...)
		}
	}
	return dirs
}

// sameMachine reports whether path is a file for the machine of f, so that a
// 32-bit library is not taken for its namesake.
func sameMachine(f *elf.File, path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	lib, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer lib.Close()
	return lib.Class == f.Class && lib.Machine == f.Machine
}

// interpreters returns the programs that the first line of a script names, nil
// if the file is none.
func interpreters(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	words := parseScript(head[:n])
	if len(words) == 0 {
		return nil
	}
	files := words[:1]
	if filepath.Base(words[0]) != "env" {
		return files
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if found, err := exec.LookPath(word); err == nil {
			files = append(files, found)
		}
		break
	}
	return files
}

// parseScript returns the words of a line "#! PROGRAM ARGUMENT", execve(2), nil
// if head does not start with one.
func parseScript(head []byte) []string {
	line, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return nil
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) == 0 || !strings.HasPrefix(words[0], "/") {
		return nil
	}
	return words
}

// configuredFolders reads a file of ldconfig(8) and those that it includes, at
// most so many deep.
func configuredFolders(conf string, deep int) []string {
	text, err := os.ReadFile(conf)
	if err != nil || deep == 0 {
		return nil
	}
	var dirs []string
	for _, entry := range parseLinkerConf(string(text)) {
		if entry.include == "" {
			dirs = append(dirs, entry.dir)
			continue
		}
		if !filepath.IsAbs(entry.include) {
			entry.include = filepath.Join(filepath.Dir(conf), entry.include)
		}
		files, _ := filepath.Glob(entry.include)
		for _, file := range files {
			dirs = append(dirs, configuredFolders(file, deep-1)...)
		}
	}
	return dirs
}

// confEntry is a folder, or a pattern of files to include.
type confEntry struct{ dir, include string }

// parseLinkerConf reads lines of folders, of "include PATTERN", of "hwcap …",
// which no longer means anything, and comments.
func parseLinkerConf(text string) []confEntry {
	var entries []confEntry
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n:,", r) })
		if len(words) > 1 && words[0] == "include" {
			for _, pattern := range words[1:] {
				entries = append(entries, confEntry{include: pattern})
			}
			continue
		}
		for _, word := range words {
			if strings.HasPrefix(word, "/") {
				entries = append(entries, confEntry{dir: word})
			}
		}
	}
	return entries
}
