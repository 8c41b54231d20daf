package drivedb

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestGenerated holds that drives.json is what the tables in testdata give.
func TestGenerated(t *testing.T) {
	want := generate(t)
	if *update {
		if err := os.WriteFile("drives.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(generated, want) {
		t.Errorf("drives.json is not what testdata gives (run go generate):\n%s", gocmp.Diff(string(generated), string(want)))
	}
}

// generate writes the entries one a line, so that a change shows as one line.
func generate(t *testing.T) []byte {
	kept, err := Parse(byHand)
	if err != nil {
		t.Fatal(err)
	}
	observed := table(t, "testdata/models_observed.csv")
	var lines [][]byte
	for _, r := range table(t, "testdata/drives.csv") {
		if skipped[r["vendor"]] != "" {
			continue
		}
		e := entryOf(t, r, observed)
		if kept.Lookup(e.Example) != nil {
			continue // Known better by hand.
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, b)
	}
	return slices.Concat([]byte("[\n"), bytes.Join(lines, []byte(",\n")), []byte("\n]\n"))
}

// skipped are rows of the table that name no model line.
var skipped = map[string]string{
	"Phison generic":    "drives that were sold without a name",
	"SMI/Maxio generic": "drives that were sold without a name",
	"broken":            "the name of the controller, from a drive without firmware",
}

func table(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, r := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

var (
	verified   = regexp.MustCompile(`MN verified: '([^']*)'`)
	unverified = regexp.MustCompile(`unverified: ([a-z_]+(?:,[a-z_]+)*)`)
)

// columns has the JSON name of each column that holds a figure.
var columns = map[string]string{
	"pcie_gen": "pcie_generation", "lanes": "pcie_lanes", "rated_dwpd": "rated_drive_writes_per_day",
	"warranty_years": "warranty_years", "rated_seq_read_mbs": "rated_seq_read_mb_per_s",
	"rated_seq_write_mbs": "rated_seq_write_mb_per_s", "rated_rand_read_iops": "rated_read_iops",
	"rated_rand_write_iops": "rated_write_iops", "rated_read_latency_us": "rated_read_latency_us",
	"rated_write_latency_us": "rated_write_latency_us",
}

// unchecked is the source of a figure that could not be checked.
const unchecked = "not checked"

func entryOf(t *testing.T, r map[string]string, observed []map[string]string) *Entry {
	e := &Entry{
		Family: r["family"], Pattern: r["model_regex"], Media: medium(r["media"]), Sources: map[string]string{},
		PCIeGeneration: int(number(t, r["pcie_gen"])), PCIeLanes: int(number(t, r["lanes"])),
		RatedBytesWritten:      int64(number(t, r["rated_tbw_tb"]) * 1e12),
		RatedDriveWritesPerDay: number(t, r["rated_dwpd"]), WarrantyYears: number(t, r["warranty_years"]),
		RatedReadLatencyUS: number(t, r["rated_read_latency_us"]), RatedWriteLatencyUS: number(t, r["rated_write_latency_us"]),
		RatedSeqReadMBs: number(t, r["rated_seq_read_mbs"]), RatedSeqWriteMBs: number(t, r["rated_seq_write_mbs"]),
		RatedReadIOPS: number(t, r["rated_rand_read_iops"]), RatedWriteIOPS: number(t, r["rated_rand_write_iops"]),
	}
	e.Vendor, _, _ = strings.Cut(r["vendor"], "/")
	e.name(r["capacity_gb"])
	// Where two controllers share a model number, their revisions do too.
	known := r["latest_known_firmware"] != "" && !strings.Contains(r["notes"], "two controllers share this MN")
	if e.cite("latest_firmware_seen", known, sourceReports) {
		e.LatestFirmwareSeen = r["latest_known_firmware"]
	}
	if regexp.MustCompile(`latency (=|is the) sequential`).MatchString(r["notes"]) {
		e.RatedReadLatencyUS, e.RatedWriteLatencyUS = 0, 0 // Not of random reads.
	}
	e.exemplify(t, r)
	e.observe(observed)
	e.sources(r)
	e.capacity(t, r["capacity_gb"], observed)
	e.endOfLife()
	e.Note = remarks(r["notes"])
	slices.Sort(e.Indicative)
	return e
}

const sourceReports = "public smartctl reports (linuxhw/EnterpriseDrive and bsdhw/SMART)"

func number(t *testing.T, s string) float64 {
	if s == "" {
		return 0
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func medium(s string) string {
	switch s {
	case "":
		return ""
	case "3dxpoint":
		return "3D XPoint"
	}
	return strings.ToUpper(s) + " NAND"
}

// name builds the marketing name: vendor, family and size.
func (e *Entry) name(gb string) {
	parts := []string{e.Vendor, e.Family}
	if strings.HasPrefix(e.Family, e.Vendor) {
		parts = parts[1:]
	}
	if n, _ := strconv.Atoi(gb); n >= 1000 {
		unit := 1000.0
		if n%1024 == 0 {
			unit = 1024
		}
		parts = append(parts, strconv.FormatFloat(float64(n)/unit, 'f', -1, 64)+" TB")
	} else if n > 0 {
		parts = append(parts, gb+" GB")
	}
	e.MarketingName = strings.Join(parts, " ")
}

// cite notes the source of a figure that is there.
func (e *Entry) cite(figure string, there bool, source string) bool {
	if there {
		e.Sources[figure] = source
		if source == unchecked {
			e.Indicative = append(e.Indicative, figure)
		}
	}
	return there
}

// exemplify takes a model number that was seen, and else makes one.
func (e *Entry) exemplify(t *testing.T, r map[string]string) {
	if m := verified.FindStringSubmatch(r["notes"]); m != nil {
		e.Example = m[1]
		e.cite("pattern", true, sourceReports)
		if strings.Contains(r["notes"], m[0]+" in text") {
			e.Sources["pattern"] = "public text (configuration files, reviews and posts)"
		}
		return
	}
	re, err := syntax.Parse(e.Pattern, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	e.Example = shortest(re)
	e.cite("pattern", true, unchecked)
}

// shortest returns a string that the expression matches.
func shortest(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(re.Rune[0])
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return shortest(re.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(shortest(re.Sub[0]), re.Min)
	case syntax.OpConcat:
		var s strings.Builder
		for _, sub := range re.Sub {
			s.WriteString(shortest(sub))
		}
		return s.String()
	}
	return ""
}

// observe counts what drives of this line showed of themselves.
func (e *Entry) observe(observed []map[string]string) {
	p := regexp.MustCompile(e.Pattern)
	e.DrivesSeen, e.PCIVendorsSeen, e.OUIsSeen, e.SpareThresholdsSeen = 0, map[string]int{}, map[string]int{}, map[string]int{}
	for _, o := range observed {
		if !p.MatchString(o["model_number"]) {
			continue
		}
		n, _ := strconv.Atoi(o["drives_seen"])
		e.DrivesSeen += n
		count(e.PCIVendorsSeen, o["pci_vid_ssvid"], func(s string) string { return strings.TrimPrefix(s, "0x")[:4] })
		count(e.OUIsSeen, o["oui"], func(s string) string { return strings.TrimPrefix(s, "0x") })
		count(e.SpareThresholdsSeen, o["spare_threshold"], func(s string) string { return strings.TrimSuffix(s, "%") })
	}
}

// count adds up a list such as "0x8086:3 0x144d:1".
func count(into map[string]int, list string, key func(string) string) {
	for _, item := range strings.Fields(list) {
		name, n, _ := strings.Cut(item, ":")
		if times, err := strconv.Atoi(n); err == nil && len(name) > 1 {
			into[key(name)] += times
		}
	}
}

// sources gives each figure the sources of its row: the table has one list for
// all figures of a row, and the names of those that could not be checked.
func (e *Entry) sources(r map[string]string) {
	var listed, doubtful []string
	for _, m := range unverified.FindAllStringSubmatch(r["notes"], -1) {
		doubtful = append(doubtful, strings.Split(m[1], ",")...)
	}
	for _, s := range strings.Split(r["source"], " ; ") {
		switch s = strings.TrimSpace(s); {
		case s == unchecked+" (media,pcie_gen,lanes)":
			doubtful = append(doubtful, "pcie_gen", "lanes")
		case strings.HasPrefix(s, unchecked+" (TBW"):
			doubtful = append(doubtful, "rated_tbw_tb")
		case s != "" && !strings.HasPrefix(s, unchecked) && !strings.HasPrefix(s, "MN"):
			listed = append(listed, s)
		}
	}
	source := func(column string) string {
		if len(listed) == 0 || slices.Contains(doubtful, column) {
			return unchecked
		}
		return strings.Join(listed, "; ")
	}
	for column, figure := range columns {
		e.cite(figure, e.figures()[figure] != 0, source(column))
	}
	if e.RatedBytesWritten > 0 {
		e.Source = source("rated_tbw_tb")
		e.RatedIndicative = e.Source == unchecked
	}
}

// capacity takes the size that most drives showed, and else the one that the
// industry's formula gives for the size on the box.
func (e *Entry) capacity(t *testing.T, gb string, observed []map[string]string) {
	if gb == "" {
		return
	}
	size := number(t, gb)
	e.CapacityBytes = int64(97_696_368+1_953_504*(size-50)) * 512
	e.cite("capacity_bytes", true, "IDEMA LBA1-03 for the size on the box")
	for _, o := range observed {
		if seen, err := strconv.ParseInt(o["capacities"], 10, 64); err == nil && o["model_number"] == e.Example {
			if near := float64(seen) / (size * 1e9); near > 0.95 && near < 1.05 {
				e.CapacityBytes, e.Sources["capacity_bytes"] = seen, sourceReports
			}
		}
	}
}

// readOnlyLines were seen to stop accepting writes at the end of their life.
var readOnlyLines = regexp.MustCompile(`^(SSD 750|DC P3500|P3500/P3600-class OEM)$`)

func (e *Entry) endOfLife() {
	if readOnlyLines.MatchString(e.Family) {
		e.ReadOnlyAtPercent = 105
		e.cite("read_only_at_percent", true, "public smartctl reports: drives of this line read-only at 105 % to 109 % used")
	}
}

// remarks returns a note without the parts that the generator reads.
func remarks(notes string) string {
	notes = regexp.MustCompile(`^MN (not )?verified(: '[^']*'( \+\d+)?( \(fleet \d+\)| in text)*)?[.;]? ?`).ReplaceAllString(notes, "")
	notes = unverified.ReplaceAllString(notes, "")
	return strings.Trim(regexp.MustCompile(`[.;] *([.;]|$)`).ReplaceAllString(notes, ";"), " .;")
}

// TestShortest holds the maker of examples against expressions.
func TestShortest(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(A|B) x\w*$`: "A x", `^C{2}[0-9]$`: "CC0", `^(E1[28]S?-\d+(G|TB))$`: "E12-0G", `^a+b?$`: "a",
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := shortest(re); got != want || !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	if got := fmt.Sprint(remarks("MN verified: 'X' +1 (fleet 7). two lanes. unverified: lanes"), remarks("MN not verified")); got != "two lanes" {
		t.Errorf("remarks: %q", got)
	}
}
