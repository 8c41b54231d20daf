package vmtest

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// moduleTree is the modules of one kernel. The package of a kernel has no
// dependency list before it is installed, so the dependencies are read from
// the modules themselves.
type moduleTree struct {
	paths   map[string]string // name with underscores to .ko file
	builtin map[string]bool
}

// openModules reads the folder lib/modules/VERSION.
func openModules(dir string) (*moduleTree, error) {
	t := &moduleTree{paths: make(map[string]string), builtin: make(map[string]bool)}
	text, err := os.ReadFile(filepath.Join(dir, "modules.builtin"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		t.builtin[moduleName(line)] = true
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(d.Name(), ".ko") {
			t.paths[moduleName(path)] = path
		}
		return err
	})
	return t, err
}

// moduleName returns the name of a module by its file name: dashes and
// underscores mean the same.
func moduleName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(strings.TrimSpace(path)), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}

// resolve returns the .ko files of the modules and of all that they depend on,
// in load order.
func (t *moduleTree) resolve(names ...string) ([]string, error) {
	r := &moduleResolver{tree: t, seen: make(map[string]bool)}
	for _, name := range names {
		if err := r.visit(moduleName(name)); err != nil {
			return nil, err
		}
	}
	return r.order, nil
}

// moduleResolver is a depth-first walk.
type moduleResolver struct {
	tree  *moduleTree
	seen  map[string]bool
	order []string
}

func (r *moduleResolver) visit(name string) error {
	if r.seen[name] || r.tree.builtin[name] {
		return nil
	}
	r.seen[name] = true
	path, ok := r.tree.paths[name]
	if !ok {
		return fmt.Errorf("kernel module %s does not exist", name)
	}
	depends, err := moduleDepends(path)
	if err != nil {
		return err
	}
	for _, d := range depends {
		if err := r.visit(d); err != nil {
			return fmt.Errorf("%s needs: %w", name, err)
		}
	}
	r.order = append(r.order, path)
	return nil
}

// moduleDepends reads the names that a module file depends on.
func moduleDepends(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	section := f.Section(".modinfo")
	if section == nil {
		return nil, fmt.Errorf("%s: no .modinfo section", path)
	}
	data, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return parseModinfo(data), nil
}

// parseModinfo takes the list "depends=a,b" out of NUL-terminated strings.
func parseModinfo(data []byte) []string {
	var names []string
	for entry := range bytes.SplitSeq(data, []byte{0}) {
		list, ok := bytes.CutPrefix(entry, []byte("depends="))
		if !ok || len(list) == 0 {
			continue
		}
		for name := range strings.SplitSeq(string(list), ",") {
			names = append(names, moduleName(name))
		}
	}
	return slices.Clip(names)
}
