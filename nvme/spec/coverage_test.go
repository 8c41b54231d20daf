package spec

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the table of the documentation anew")

// specified is a line of testdata/coverage.tsv: what there is in the specification.
type specified struct {
	kind       string // CNS, LID or FID
	number     uint8
	title, why string
}

func specification(t *testing.T) []specified {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "coverage.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var all []specified
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		n, err := strconv.ParseUint(f[1], 16, 8)
		if err != nil || len(f) < 3 {
			t.Fatalf("coverage.tsv: %q", line)
		}
		all = append(all, specified{f[0], uint8(n), f[2], strings.Join(f[3:], " ")})
	}
	return all
}

// covered is a page that qd1 shows.
type covered struct {
	name, peer string
	decoded    bool
}

// tables are all pages that qd1 shows, by kind and number.
func tables() map[string][]covered {
	m := map[string][]covered{}
	add := func(kind string, number uint8, c covered) {
		k := fmt.Sprintf("%s %02X", kind, number)
		m[k] = append(m[k], c)
	}
	for _, p := range IdentifyPages() {
		add("CNS", uint8(p.CNS), covered{p.Name, p.Peer, p.Structure != nil})
	}
	for _, p := range LogPages() {
		add("LID", uint8(p.LID), covered{p.Name, p.Peer, p.Structure != nil})
	}
	for _, f := range Features() {
		add("FID", uint8(f.FID), covered{f.Name, f.Peer, f.Result != nil || f.Data != nil})
	}
	return m
}

const coverageHead = `# What qd1 decodes

Every Identify data structure, log page and feature of NVM Express Base Specification, Revision 2.1,
with its command sets, and the command of nvme-cli 2.16 that shows it (–: none). Made by
` + "`go test ./nvme/spec -run Coverage -update`" + ` from the tables in ` + "`nvme/spec`" + `; do not edit.

- **decoded**: every field and bit by name, with units; ` + "`--format json`" + ` has them too.
- **bytes**: read whole and shown in hexadecimal.
- Every page is there as bytes with ` + "`-b`" + `. What a drive does not list is not asked for unless ` + "`--force`" + ` is given.
- Vendor specific log pages: ` + "`qd1 report`" + ` and ` + "`qd1 log`" + `; see [json.md](json.md).
`

var coverageParts = []struct{ kind, title, command string }{
	{"CNS", "Identify data structures", "id"}, {"LID", "Log pages", "log"}, {"FID", "Features", "feature"},
}

func coverage(all []specified, shown map[string][]covered) string {
	var b strings.Builder
	b.WriteString(coverageHead)
	for _, part := range coverageParts {
		fmt.Fprintf(&b, "\n## %s\n\n| %s | what | qd1 | how | nvme-cli |\n|---|---|---|---|---|\n", part.title, part.kind)
		for _, p := range all {
			if p.kind == part.kind {
				b.WriteString(coverageRow(p, part.command, shown[fmt.Sprintf("%s %02X", p.kind, p.number)]))
			}
		}
	}
	return b.String()
}

func coverageRow(p specified, command string, shown []covered) string {
	var ours, peers []string
	how := "decoded"
	for _, c := range shown {
		ours = append(ours, "`"+command+" "+c.name+"`")
		if c.peer != "" {
			peers = append(peers, "`"+c.peer+"`")
		}
		if !c.decoded {
			how = "bytes"
		}
	}
	if p.why != "" {
		how = "no: " + p.why
	}
	return fmt.Sprintf("| %02Xh | %s | %s | %s | %s |\n", p.number, p.title, orDash(ours), how, orDash(peers))
}

func orDash(list []string) string {
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}

// TestCoverage holds that qd1 has every page of the specification or a reason why
// not, none that the list does not know, and that the documentation says so.
func TestCoverage(t *testing.T) {
	all, shown := specification(t), tables()
	known := map[string]bool{}
	for _, p := range all {
		k := fmt.Sprintf("%s %02X", p.kind, p.number)
		known[k] = true
		if (len(shown[k]) == 0) != (p.why != "") {
			t.Errorf("%s (%s): %d pages, reason for none %q", k, p.title, len(shown[k]), p.why)
		}
	}
	for k, list := range shown {
		if !known[k] {
			t.Errorf("%s (%s) is not in testdata/coverage.tsv", k, list[0].name)
		}
	}
	path := filepath.Join("..", "..", "docs", "coverage.md")
	got := coverage(all, shown)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/coverage.md, go test -update writes it (-want +got):\n%s", diff)
	}
}

// TestCoverageRow looks at a page of each kind.
func TestCoverageRow(t *testing.T) {
	tests := []struct {
		p    specified
		list []covered
		want string
	}{
		{specified{"LID", 2, "SMART", ""}, []covered{{"smart", "smart-log", true}}, "| 02h | SMART | `log smart` | decoded | `smart-log` |\n"},
		{specified{"LID", 3, "X", ""}, []covered{{"x", "", false}}, "| 03h | X | `log x` | bytes | – |\n"},
		{specified{"LID", 0x70, "Discovery", "of others"}, nil, "| 70h | Discovery | – | no: of others | – |\n"},
	}
	for _, tt := range tests {
		if got := coverageRow(tt.p, "log", tt.list); got != tt.want {
			t.Errorf("row %q, want %q", got, tt.want)
		}
	}
}
