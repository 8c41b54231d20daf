package arch

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPageHasPackages holds that docs/architecture.md names every package.
func TestPageHasPackages(t *testing.T) {
	page := read(t, "../../docs/architecture.md")
	for _, l := range layers {
		if strings.HasPrefix(l.dir, "internal/vmtest/") {
			continue // parts of the harness
		}
		if !strings.Contains(page, "| `"+l.dir+"` |") {
			t.Errorf("docs/architecture.md has no row for %s", l.dir)
		}
	}
}

// TestPageHasDependencies holds that docs/architecture.md has a row with the
// version of every module that the code imports.
func TestPageHasDependencies(t *testing.T) {
	page, mods := read(t, "../../docs/architecture.md"), requirements(read(t, "../../go.mod"))
	for _, module := range imported(load(t), mods) {
		if row := "| " + module + " | " + mods[module] + " |"; !strings.Contains(page, row) {
			t.Errorf("docs/architecture.md has no row %q with a reason", row)
		}
	}
}

// requirements returns the version of each module in a go.mod file.
func requirements(text string) map[string]string {
	mods := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		f := strings.Fields(strings.TrimPrefix(lines.Text(), "require "))
		if len(f) >= 2 && strings.Contains(f[0], ".") && strings.HasPrefix(f[1], "v") {
			mods[f[0]] = f[1]
		}
	}
	return mods
}

// imported returns the modules that any file imports, sorted.
func imported(all []source, mods map[string]string) []string {
	var list []string
	for _, s := range all {
		for _, spec := range s.file.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			for module := range mods {
				if imp == module || strings.HasPrefix(imp, module+"/") {
					list = append(list, module)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestRequirements(t *testing.T) {
	got := requirements("module a.example/b\n\ngo 1.26\n\nrequire x.example/y v1.0.0\nrequire (\n\tz.example/w v0.1.0 // indirect\n)\n")
	if len(got) != 2 || got["x.example/y"] != "v1.0.0" || got["z.example/w"] != "v0.1.0" {
		t.Errorf("requirements = %v", got)
	}
}
