package vmtest

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programFiles returns the path of a program of the host and of the shared
// libraries that it loads, the dynamic loader among them. Libraries that a
// program opens by itself later are not found.
func programFiles(name string) (host string, libs []string, err error) {
	host, err = lookProgram(name)
	if err != nil {
		return "", nil, err
	}
	dynamic, err := isDynamic(host)
	if err != nil || !dynamic {
		return host, nil, err
	}
	out, err := exec.Command("ldd", host).CombinedOutput()
	if err != nil {
		return "", nil, fmt.Errorf("ldd %s: %w: %s", host, err, out)
	}
	libs, err = parseLdd(string(out))
	if err != nil {
		return "", nil, fmt.Errorf("ldd %s: %w", host, err)
	}
	return host, libs, nil
}

// lookProgram finds a program also in the administrator's folders, which are
// not in everybody's PATH.
func lookProgram(name string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	if p, err := exec.LookPath(name); err == nil {
		return filepath.Abs(p)
	}
	for _, dir := range []string{"/usr/sbin", "/sbin"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name), nil
		}
	}
	return "", fmt.Errorf("program %s is not installed", name)
}

// isDynamic reports whether an ELF file names a dynamic loader.
func isDynamic(path string) (bool, error) {
	f, err := elf.Open(path)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return true, nil
		}
	}
	return false, nil
}

// parseLdd takes the paths out of the output of ldd: lines of the forms
// "name => /path (address)" and "/path (address)".
func parseLdd(text string) ([]string, error) {
	var paths []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "not found") {
			return nil, errors.New(line)
		}
		if _, after, ok := strings.Cut(line, "=> "); ok {
			line = after
		}
		if p, _, ok := strings.Cut(line, " ("); ok && strings.HasPrefix(p, "/") {
			paths = append(paths, p)
		}
	}
	return paths, nil
}
