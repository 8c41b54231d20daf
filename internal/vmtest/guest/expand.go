package main

import (
	"os"
	"path/filepath"
	"strings"
)

// expander returns a replacer for the placeholders of a job, made from the
// controllers that are there now. The kernel probes controllers in parallel,
// so their numbers differ from boot to boot, but not their serial numbers.
func expander() *strings.Replacer {
	var pairs []string
	controllers, _ := filepath.Glob("/sys/class/nvme/nvme*")
	for _, dir := range controllers {
		name, serial := filepath.Base(dir), attribute(dir, "serial")
		pairs = append(pairs,
			"{nvme:"+serial+"}", name,
			"{ng:"+serial+"}", "ng"+strings.TrimPrefix(name, "nvme"),
			"{pci:"+serial+"}", attribute(dir, "address"))
	}
	return strings.NewReplacer(pairs...)
}

// expand replaces the placeholders in all arguments.
func expand(argv []string) []string {
	r := expander()
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = r.Replace(a)
	}
	return out
}

// attribute reads a file of sysfs, without the spaces around it.
func attribute(dir, name string) string {
	text, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(text))
}
