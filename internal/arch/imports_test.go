package arch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	sys       = "golang.org/x/sys"
	numbers   = "github.com/dswarbrick/smart/ioctl"   // request numbers only; never its nvme or scsi packages
	ataTypes  = "github.com/dswarbrick/smart/ata"     // structures and data; never its scsi package
	ataNames  = "github.com/dswarbrick/smart/drivedb" // the types of attribute names
	cli       = "github.com/urfave/cli/v2"
	colour    = "github.com/fatih/color"
	humanize  = "github.com/dustin/go-humanize"
	isatty    = "github.com/mattn/go-isatty"
	mounts    = "github.com/moby/sys/mountinfo"
	dbus      = "github.com/godbus/dbus/v5"
	gocmp     = "github.com/google/go-cmp"
	gotest    = "github.com/rogpeppe/go-internal"
	promlint  = "github.com/prometheus/client_golang/prometheus/testutil/promlint"
	prommodel = "github.com/prometheus/client_model/go"
	promtext  = "github.com/prometheus/common"
	anyOfOurs = "*" // every package of the module
)

// layer says what the files of one package may import besides the standard
// library: packages of the module by folder, others by module path.
type layer struct {
	dir    string
	may    []string
	reason string
}

// layers is the import map. A package that is not here fails the test: add it
// with its reason, here and in docs/architecture.md.
var layers = []layer{
	{"nvme", nil, "the specification: the floor, standard library only"},
	{"nvme/vendor", []string{"nvme", "internal/lazyregexp"}, "log pages of vendors; decodes and judges nothing"},
	{"nvme/spec", []string{"nvme"}, "the specification's data structures as tables"},
	{"smart", []string{"nvme", "smart/drivedb", "internal/lazyregexp"}, "pure judgement: facts in, verdict out"},
	{"smart/drivedb", []string{"internal/lazyregexp"}, "embedded data and a look-up"},
	{"bench", []string{"internal/rawio", "internal/uring", sys}, "measures any block target and knows no specification"},
	{"bench/profile", []string{"bench"}, "named sets of workloads; data, and the choice of a figure"},
	{"bench/stats", nil, "statistics of a handful of runs; numbers in, numbers out"},
	{"ioctl", []string{"nvme", "internal/rawio", sys, numbers}, "the only package that talks to the kernel's NVMe and block ioctls"},
	{"internal/lazyregexp", nil, "regular expressions that are compiled when they are used"},
	{"internal/rawio", []string{sys}, "page-aligned memory and bare read calls"},
	{"internal/sata", []string{"internal/rawio", sys, ataTypes, ataNames}, "drives that speak ATA behind the SCSI layer: reads and judges them"},
	{"internal/uring", []string{"internal/rawio", sys}, "io_uring on raw system calls"},
	{"internal/inuse", []string{"internal/lazyregexp", sys, mounts}, "who uses a block device; reads /proc and /sys"},
	{"internal/inuse/signature", nil, "what lies on a block device; reads bytes"},
	{"internal/state", []string{sys}, "where results are kept, and files that survive a crash"},
	{"internal/journal", []string{"internal/state", sys}, "what a job has done so far, on stable storage"},
	{"internal/hostpower", []string{sys, dbus}, "mains, battery, sleep and shutdown of the host"},
	{"internal/guard", []string{"nvme", "internal/sysfs", "internal/inuse", "internal/inuse/signature", "internal/hostpower", "internal/lazyregexp"}, "the one gate to every command that writes"},
	{"internal/proof", []string{"bench"}, "whether data are gone: sampling and its statistics"},
	{"internal/erase", []string{"nvme", "smart/drivedb", "bench", "internal/sysfs", "internal/inuse", "internal/inuse/signature", "internal/guard", "internal/journal", "internal/proof"}, "the erase as a job: plan, run, verify, resume"},
	{"internal/nsjob", []string{"nvme", "internal/guard"}, "namespaces and trim: plans and what an answer means; sends nothing itself"},
	{"internal/certificate", []string{"internal/erase", "internal/guard", "internal/proof", "nvme"}, "what an erase showed, signed"},
	{"internal/firmware", []string{"nvme", "internal/guard", "internal/journal", "internal/hostpower", sys}, "a firmware update as a job: plan, transfer, commit, reset, look again"},
	{"internal/sysfs", []string{sys}, "discovery; imports nothing of ours"},
	{"internal/conditions", []string{"nvme", "internal/sysfs", "internal/lazyregexp", sys}, "what a result depends on beside the drive; reads /sys, /proc and the drive's logs"},
	{"internal/scratch", []string{"bench", "internal/rawio", sys}, "files and directories to measure, and what is written before"},
	{"bench/reference", nil, "figures of drives that others measured, each with its source; data and a look-up"},
	{"internal/protocol", []string{"bench/profile", "bench/stats"}, "how runs are arranged, and what they can show; values in, values out"},
	{"internal/record", []string{"internal/state", sys}, "results that are kept, one file each; knows no type of result"},
	{"internal/compare", []string{"bench", "bench/profile", "bench/stats", "internal/report", "internal/conditions", "nvme", "smart/drivedb"}, "whether two sets of results differ; values in, verdict out"},
	{"internal/aging", []string{"bench", "bench/profile", "internal/compare", "internal/report", "internal/conditions", "internal/journal"}, "a treatment of hours as a job: measured before and after, resumed, stopped"},
	{"internal/surface", []string{"bench", "internal/rawio"}, "reads a whole surface and single blocks; maps what could not be read and what is slow"},
	{"internal/selftest", []string{"nvme"}, "a self-test: started, followed, decoded; sends nothing itself"},
	{"internal/launch", []string{"bench/stats", sys}, "what the start of a program or of the computer took"},
	{"internal/capture", []string{"nvme"}, "record and replay of exchanges"},
	{"internal/dump", []string{"nvme", "internal/lazyregexp"}, "reads what other tools print"},
	{"internal/sim", []string{"nvme"}, "simulated controllers"},
	{"internal/sim/nvmetcp", []string{"nvme"}, "serves any drive over NVMe/TCP; knows commands and no simulation"},
	{"internal/report", []string{"internal/sata", "nvme", "nvme/spec", "nvme/vendor", "smart", "smart/drivedb", "bench", "bench/profile", "bench/reference", "internal/protocol", "internal/conditions", "internal/scratch", "internal/launch", "internal/guard", "internal/sysfs", "internal/inuse"}, "collects one Report value; never sees a file or a terminal"},
	{"internal/lang", []string{"smart", "smart/drivedb", "internal/lazyregexp"}, "says in Japanese what others say in English; data and a look-up"},
	{"internal/prometheus", []string{"internal/report", "nvme", "smart"}, "reports in the text format of Prometheus"},
	{"internal/watch", []string{"nvme", "smart", "internal/sysfs", "internal/conditions"}, "drives read again and again: rows, rates, summaries"},
	{"internal/manual", nil, "manual page and completions of a table of commands; data in, text out"},
	{"internal/chart", nil, "pictures of plain numbers, as SVG; knows no value of ours"},
	{"internal/page", []string{"internal/surface", "internal/chart", "internal/aging", "internal/journal", "internal/compare", "internal/record", "internal/report", "internal/conditions", "internal/sysfs", "smart", "nvme", "bench", "bench/profile", "bench/stats"}, "results as documents of one file: HTML and Markdown"},
	{"internal/render", []string{"internal/surface", "internal/selftest", "internal/compare", "internal/lang", "internal/sata", "internal/record", "internal/report", "internal/aging", "nvme/spec", "nvme/vendor", "internal/certificate", "internal/erase", "internal/nsjob", "internal/firmware", "internal/guard", "internal/journal", "internal/proof", "internal/inuse", "internal/inuse/signature", "internal/sysfs", "smart", "smart/drivedb", "bench", "bench/profile", "bench/reference", "internal/protocol", "internal/conditions", "internal/scratch", "internal/launch", "nvme", humanize}, "formats values of report and of the packages below it"},
	{"cmd/qd1", []string{anyOfOurs, sys, cli, colour, isatty, humanize}, "the composition root; flags and colour live only here"},
	{"internal/arch", nil, "these rules"},
	{"internal/vmtest", []string{"internal/vmtest/wire"}, "the harness of the tests in machines"},
	{"internal/vmtest/guest", []string{"internal/vmtest/wire", sys}, "PID 1 of the machine"},
	{"internal/vmtest/wire", nil, "what host and guest tell each other"},
}

// testModules may be imported by every test.
var testModules = []string{gocmp, gotest, sys, promlint, prommodel, promtext}

func TestImports(t *testing.T) { report(t, forbiddenImports(load(t))) }

func forbiddenImports(all []source) []string {
	var complaints []string
	for _, s := range all {
		i := slices.IndexFunc(layers, func(l layer) bool { return l.dir == s.dir() })
		if i < 0 {
			complaints = append(complaints, fmt.Sprintf("%s: package %s is not in the import map", s.name, s.dir()))
			continue
		}
		for _, spec := range s.file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if !allowed(layers[i], imported, s.test()) {
				complaints = append(complaints, fmt.Sprintf("%s: %s (%s) must not import %s", s.at(spec), s.dir(), layers[i].reason, imported))
			}
		}
	}
	return complaints
}

// allowed lets tests also import any package of the module: an external test
// may put a simulated drive under the package that it tests. Cycles are the
// compiler's affair.
func allowed(l layer, imported string, test bool) bool {
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		return test || slices.Contains(l.may, ours) || slices.Contains(l.may, anyOfOurs)
	}
	if standard(imported) {
		return true
	}
	may := l.may
	if test {
		may = slices.Concat(may, testModules)
	}
	return slices.ContainsFunc(may, func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") })
}

// standard reports whether a path is of the standard library: its first
// element has no dot.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func TestForbiddenImports(t *testing.T) {
	tests := []struct {
		name, imported string
		bad            bool
	}{
		{"nvme/a.go", "fmt", false},
		{"nvme/a.go", "encoding/binary", false},
		{"nvme/a.go", module + "/ioctl", true},
		{"nvme/a.go", "golang.org/x/sys/unix", true},
		{"nvme/a_test.go", "github.com/google/go-cmp/cmp", false},
		{"nvme/a.go", "github.com/google/go-cmp/cmp", true},
		{"nvme/a_test.go", "github.com/stretchr/testify/require", true},
		{"ioctl/a.go", "golang.org/x/sys/unix", false},
		{"ioctl/a.go", "golang.org/x/system", true},
		{"smart/a.go", module + "/nvme", false},
		{"smart/a.go", module + "/bench", true},
		{"internal/render/a.go", "github.com/urfave/cli/v2", true},
		{"cmd/qd1/a.go", "github.com/urfave/cli/v2", false},
		{"cmd/qd1/a.go", module + "/internal/sim", false},
		{"internal/util/a.go", "fmt", true},
	}
	for _, tt := range tests {
		got := forbiddenImports(snippet(t, tt.name, fmt.Sprintf("package p\nimport _ %q\n", tt.imported)))
		if (len(got) > 0) != tt.bad {
			t.Errorf("%s imports %s: complaints %q, want some: %t", tt.name, tt.imported, got, tt.bad)
		}
	}
}

func TestLayersHaveReasons(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range layers {
		if l.reason == "" || seen[l.dir] {
			t.Errorf("package %s has no reason or stands twice", l.dir)
		}
		seen[l.dir] = true
	}
}
