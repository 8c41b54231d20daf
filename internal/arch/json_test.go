package arch

import (
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// jsonTypes limits a package to the types that are part of the output; a
// package with no entry is not part of it, one with an empty list is as a whole.
var jsonTypes = map[string][]string{
	"internal/report":          {},
	"internal/compare":         {},
	"internal/inuse":           {"Use", "Poller", "Survey"},
	"smart":                    {"Assessment", "Finding", "Endurance", "ErrorGroup", "Triage", "Spot", "OpcodeCount", "Rule", "Credibility", "Sign", "Percentile"},
	"nvme/vendor":              {"Log", "Reading", "Row", "Amplification"},
	"internal/erase":           {"Record", "Tool", "Command", "EstimatedTime", "Consent", "Outcome", "Interruption", "Snapshot", "Health", "NamespaceState", "Delta", "Event", "Advice", "Batch", "BatchRow"},
	"internal/firmware":        {"Record", "Plan", "Image", "Tool", "Firmware", "Reply"},
	"internal/sysfs":           {"Port", "AER", "AERCount", "Kernel", "Hidden"},
	"internal/guard":           {"Identity", "Member", "Check"},
	"internal/inuse/signature": {"Signature"},
	"internal/proof":           {"Tier", "Verification", "Comparison", "CanaryCheck", "FullRead", "Classes", "Range"},
	"internal/certificate":     {},
	"bench":                    {"Target", "Job", "Result", "Latency", "LatencyIntervals", "Half", "SlowOperation", "ErrorOffset", "ErrorKind", "Histogram"},
	"bench/profile":            {"Profile", "Row", "Figure", "Cost", "Comparison", "Sustained", "Onset", "Plateau", "Recovery", "Cause", "Drop", "Skipped"},
	"internal/conditions": {"Conditions", "Protocol", "Subject", "Host", "Frequency", "Setting", "Idle", "IdleState", "Security", "Block", "Queue", "Loop", "NVMe", "ASPM", "Interrupt",
		"DriveState", "Health", "Limits", "Power", "PowerState", "APST", "Transition", "Changes", "FileSystem", "OtherIO", "Point", "Heat"},
	"internal/protocol": {"Turn", "Noise", "Drift", "Control", "Start"},
	"bench/reference":   {"Figure", "Workload", "Neighbour", "Placement"},
	"internal/record":   {"Record", "Tool", "Subject", "Point", "Rated", "Step", "Trend", "Forecast", "History", "Unreadable", "Overview", "Kept"},
	"internal/launch":   {"Result", "Set", "Run", "Difference", "Caches", "Boot", "Phases", "Target", "KernelLog", "Controller", "Disk", "Mount"},
	"internal/surface":  {"Report", "Result", "Region", "Range", "SlowRange", "Spot", "Looked", "Target", "Extent"},
	"internal/selftest": {"Report", "Followed", "Entry", "Log", "Running"},
	"bench/stats":       {"Summary", "Interval"},
	"internal/aging":    {"Record", "Plan", "Target", "Step", "Limits", "Phase", "Probe", "Slice", "Sitting", "Interruption", "Stop", "Wear", "Status"},
	"internal/watch":    {},
	"internal/nsjob":    {"Limits", "Promise", "Trim", "Samples", "Inventory", "Format", "Namespace", "Change", "CreateRequest"},
	"internal/scratch":  {"Extents", "Blank", "Preconditioned", "Window", "CopyResult", "CopyRun", "Filesystem"},
}

// TestJSONKeysAreDocumented holds that one of the pages about JSON names every
// key.
func TestJSONKeysAreDocumented(t *testing.T) {
	doc := ""
	for _, page := range []string{"json.md", "json-bench.md", "json-erase.md", "json-page.md", "json-feature.md", "json-compare.md", "json-record.md", "watch.md", "age.md", "namespaces.md", "firmware.md", "selftest.md", "scan.md"} {
		doc += read(t, "../../docs/"+page)
	}
	report(t, undocumentedKeys(load(t), doc))
}

func undocumentedKeys(all []source, doc string) []string {
	var complaints []string
	for _, s := range all {
		only, ok := jsonTypes[s.dir()]
		if !ok || s.test() {
			continue
		}
		for name, fields := range structs(s.file) {
			if len(only) > 0 && !slices.Contains(only, name) {
				continue
			}
			for _, f := range fields {
				if key := jsonKey(f); key != "" && !strings.Contains(doc, "`"+key+"`") {
					complaints = append(complaints, fmt.Sprintf("%s: the JSON key %s is in none of docs/json*.md", s.at(f), key))
				}
			}
		}
	}
	slices.Sort(complaints)
	return complaints
}

// structs returns the fields of the struct types of a file.
func structs(file *ast.File) map[string][]*ast.Field {
	found := map[string][]*ast.Field{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if t, ok := spec.Type.(*ast.StructType); ok {
				found[spec.Name.Name] = t.Fields.List
			}
		}
		return true
	})
	return found
}

func jsonKey(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	if key == "-" {
		return ""
	}
	return key
}

func TestUndocumentedKeys(t *testing.T) {
	text := "package p\ntype T struct {\n\tA int `json:\"alpha\"`\n\tB int `json:\"beta,omitempty\"`\n\tC int `json:\"-\"`\n\tD int\n}\n"
	tests := []struct {
		file, doc string
		want      int
	}{
		{"internal/report/a.go", "", 2},
		{"internal/report/a.go", "`alpha`", 1},
		{"internal/report/a.go", "alpha `beta`", 1},
		{"internal/report/a.go", "`alpha` `beta`", 0},
		{"internal/report/a_test.go", "", 0},
		{"smart/a.go", "", 0},
		{"nvme/a.go", "", 0},
	}
	for _, tt := range tests {
		if got := undocumentedKeys(snippet(t, tt.file, text), tt.doc); len(got) != tt.want {
			t.Errorf("%s with %q: complaints %q, want %d", tt.file, tt.doc, got, tt.want)
		}
	}
}
