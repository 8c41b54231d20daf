package render

import (
	"bytes"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// notInText are the JSON leaves that the text does not show, with the reason.
// A path stands for everything below it.
var notInText = map[string]string{
	"errors.triage.media":                                   "the sum of the entries of the spots",
	"errors.triage.opcodes[0].admin":                        "the name says it",
	"verdict.findings[0].axis":                              "it sorts the findings; each sentence says what it is about",
	"smart.temperature_sensors":                             "temperature_sensors_celsius with numbers",
	"smart.*_s":                                             "decimal twins are for programs",
	"identify_controller.*_s":                               "decimal twins are for programs",
	"identify_controller.sn":                                "the drive's serial number is it",
	"identify_controller.mn":                                "the drive's model is it",
	"identify_controller.fr":                                "the drive's firmware is it",
	"*.identify.nguid":                                      "the namespace's own nguid is it",
	"*.identify.eui64":                                      "the namespace's own eui64 is it",
	"vendor_logs.pages[0].bytes":                            "how much was asked for is for programs",
	"vendor_logs.pages[0].raw":                              "the rows are it; it is shown where there are none",
	"link.path[0].class":                                    "every one is a bridge",
	"bench.qd1_read.name":                                   "the text says it in words: depth, block, pattern",
	"bench.placement.metric":                                "the line above has the median",
	"bench.placement.unit":                                  "it stands beside the values",
	"bench.placement.faster.metric":                         "for programs",
	"bench.placement.faster.software":                       "named where it is another one",
	"bench.placement.faster.source":                         "bench --against list has it",
	"bench.placement.slower.metric":                         "for programs",
	"bench.placement.slower.software":                       "named where it is another one",
	"bench.placement.slower.source":                         "bench --against list has it",
	"bench.placement.rank":                                  "the neighbours show it",
	"bench.placement.of":                                    "the neighbours show it",
	"bench.placement.text":                                  "the text says it in its own words, in both languages",
	"schema":                                                "the heading says what it is",
	"pilot[0].row":                                          "the label is it",
	"conditions.protocol.order":                             "the line of the order is it",
	"turns[0].run":                                          "the letters are of rows",
	"control.row":                                           "the label is it",
	"control.of":                                            "the label is it",
	"against.ref":                                           "the name is it",
	"against.kind":                                          "the source says it",
	"against.results":                                       "for programs",
	"rows[0].control_of":                                    "the label and the line of the control say it",
	"pilot[0].step_percent":                                 "told where it is the limit",
	"rows[0].noise.step_percent":                            "told where it is the limit",
	"rows[0].noise.runs":                                    "the figure has it",
	"rows[0].against[0].same_software":                      "a remark says it where it matters",
	"results[0].start.at_seconds":                           "for programs; the order is in the text",
	"series":                                                "points for a chart",
	"target.kind":                                           "the path says it",
	"drive":                                                 "the name and serial number are the target's",
	"target.writable":                                       "that it was written to is in the text",
	"target.descriptor":                                     "a number of this process",
	"rows[0].job":                                           "the label and the result have it",
	"rows[0].figure.row":                                    "the label is it",
	"rows[0].figure.op":                                     "the label has it",
	"rows[0].figure.size_bytes":                             "the label has it where there are several",
	"rows[0].figure.rate_run":                               "for programs that look into the run",
	"rows[0].figure.latency_run":                            "for programs that look into the run",
	"rows[0].rated.measured":                                "the figure is it",
	"rows[0].sustained.plateau.spread_percent":              "the range is it",
	"rows[0].sustained.cause.kind":                          "the sentence is it",
	"rows[0].sustained.cause.drops[0].kind":                 "the facts are it",
	"rows[0].sustained.cause.drops[0].drop_percent":         "the levels are it",
	"rows[0].sustained.cause.drops[0].bytes_written":        "the facts have it",
	"rows[0].sustained.cause.drops[0].celsius":              "the facts have it",
	"rows[0].sustained.cause.drops[0].limit_celsius":        "the facts have it",
	"rows[0].sustained.cause.drops[0].throttle_transitions": "the facts have it",
	"results[0].rated_percent":                              "the row has it",
	"copy[0].runs[0].latency_us":                            "the median and p99 of a file are enough; the rest is for programs",
	"precondition.rounds":                                   "how many, and whether the last was steady",

	"record": "standard error says it",

	"conditions.subject":                        "for comparisons; each is elsewhere in the text",
	"conditions.scheduler":                      "that of the block device is it",
	"conditions.other_io":                       "each result has its own",
	"results[0].other_io.cached":                "the result's own cached is it",
	"results[0].other_io.cached_percent":        "the reason says it",
	"conditions.microcode":                      "for comparisons",
	"conditions.isolated_cpus":                  "for comparisons",
	"conditions.scaling_driver":                 "for comparisons",
	"conditions.idle_driver":                    "for comparisons",
	"conditions.idle_governor":                  "for comparisons",
	"conditions.idle_states":                    "the deepest is shown where it counts",
	"conditions.governors":                      "the values are in the text, their CPUs for comparisons",
	"conditions.energy_performance_preferences": "the values are in the text, their CPUs for comparisons",
	"conditions.vulnerable_to":                  "for comparisons",
	"conditions.numa_nodes":                     "for comparisons",
	"conditions.block":                          "what moves a latency is in the text, the rest for comparisons",
	"conditions.drive_before":                   "temperature, power and cache are in the text, what changed too",
	"conditions.drive_after":                    "the temperature is in the text, what changed too",
	"conditions.drive_changes":                  "the facts say it in words",
	"conditions.temperatures":                   "the highest is in the text, the rest points for a chart",
	"conditions.filesystem.device":              "the block device is it",
	"conditions.extents":                        "the share that counts is in the text; warnings say the rest",
	"conditions.blank.zeros":                    "the share is it",
	"conditions.blank.ones":                     "the share is it",
	"conditions.blank.fast":                     "the medians show it",
	"conditions.blank.seed":                     "for repeating it",
}

// leaf is one value of a report that can be changed and put back.
type leaf struct {
	path   string
	change func() (restore func())
}

// leaves finds everything in v that JSON shows, by its path.
func leaves(v reflect.Value, path string) []leaf {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if b, ok := v.Interface().(*big.Int); ok {
			return []leaf{{path, func() func() { old := new(big.Int).Set(b); b.Add(b, big.NewInt(4e12)); return func() { b.Set(old) } }}}
		}
		return append(leaves(v.Elem(), path), leaf{path + " (null)", swap(v, reflect.Zero(v.Type()))})
	case reflect.Struct:
		return structLeaves(v, path)
	case reflect.Array, reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return []leaf{{path, swap(v.Index(0), reflect.ValueOf(byte('Z')).Convert(v.Type().Elem()))}}
		}
		if v.Len() == 0 {
			return nil // It would hold itself.
		}
		return leaves(v.Index(0), path+"[0]")
	case reflect.Map:
		return nil // It is a table for programs.
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return []leaf{{path, swap(v, reflect.ValueOf(any("changed")))}}
	case reflect.String:
		return []leaf{{path, swap(v, reflect.ValueOf(v.String()+"-changed").Convert(v.Type()))}}
	case reflect.Bool:
		return []leaf{{path, swap(v, reflect.ValueOf(!v.Bool()))}}
	case reflect.Float64:
		return []leaf{{path, swap(v, reflect.ValueOf(v.Float()+2))}}
	case reflect.Int, reflect.Int64:
		return []leaf{{path, swap(v, reflect.ValueOf(v.Int()+more(v)).Convert(v.Type()))}}
	}
	return []leaf{{path, swap(v, reflect.ValueOf(v.Uint()+uint64(more(v))).Convert(v.Type()))}}
}

// more is a change that units of TB show too.
func more(v reflect.Value) int64 {
	if v.Kind() == reflect.Int64 || v.Kind() == reflect.Uint64 {
		return 4e12
	}
	return 1
}

func structLeaves(v reflect.Value, path string) []leaf {
	if _, ok := v.Interface().(time.Time); ok {
		return []leaf{{path, swap(v, reflect.ValueOf(v.Interface().(time.Time).Add(time.Hour)))}}
	}
	if strings.HasPrefix(v.Type().Name(), "Section[") {
		return leaves(v.FieldByName("Data"), path)
	}
	var all []leaf
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-":
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			all = append(all, leaves(v.Field(i).Elem(), path)...)
		case name == "":
			all = append(all, leaves(v.Field(i), path)...)
		default:
			all = append(all, leaves(v.Field(i), strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return all
}

func swap(v, to reflect.Value) func() func() {
	return func() func() {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(to)
		return func() { v.Set(old) }
	}
}

// fill gives every field a value, so that there is a leaf for each. A list of
// what it is in itself, as the devices below a device, stays empty.
func fill(v reflect.Value, in ...reflect.Type) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*report.Problem]() || v.Type() == reflect.TypeFor[*bench.Histogram]() {
			return
		}
		if v.Type() == reflect.TypeFor[*big.Int]() {
			v.Set(reflect.ValueOf(big.NewInt(3e12)))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), in...)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[time.Time]() {
				fill(v.Field(i), append(in, v.Type())...)
			}
		}
	case reflect.Slice:
		if slices.Contains(in, v.Type().Elem()) {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), in...)
		fill(v.Index(1), in...)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), in...)
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(uint64(3)))
		}
	case reflect.String:
		v.SetString("word")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(3)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(3)
	}
}

// excused returns the entry of notInText that a path falls under.
func excused(path string) (string, bool) {
	path = strings.TrimSuffix(path, " (null)")
	for key := range notInText {
		before, after, star := strings.Cut(key, "*")
		if path == key || strings.HasPrefix(path, key+".") || strings.HasPrefix(path, key+"[") ||
			star && strings.HasPrefix(path, before) && strings.HasSuffix(path, after) {
			return key, true
		}
	}
	return "", false
}

// checkLeaves changes each leaf of v and demands that the text changes too,
// unless it is excused; and that no excuse is idle.
func checkLeaves(t *testing.T, v any, render func() string, used map[string]bool) {
	t.Helper()
	before := render()
	all := leaves(reflect.ValueOf(v).Elem(), "")
	if len(all) < 30 {
		t.Fatalf("only %d leaves", len(all))
	}
	for _, l := range all {
		restore := l.change()
		same := render() == before
		restore()
		key, ok := excused(l.path)
		if same && !ok {
			t.Errorf("%s is not in the text", l.path)
		}
		if same && ok {
			used[key] = true
		}
	}
	if render() != before {
		t.Error("a change was not taken back")
	}
}

// The text shows everything that JSON has, but for what is listed.
func TestTextShowsEverything(t *testing.T) {
	used := map[string]bool{}
	r := new(report.Report)
	fill(reflect.ValueOf(r).Elem())
	disk := &report.Report{SATA: r.SATA}
	r.SATA = nil // A report is on one kind of drive.
	checkLeaves(t, r, func() string { return reportText(t, r, Style{Width: 160}) }, used)
	checkLeaves(t, disk.SATA, func() string { return reportText(t, disk, Style{Width: 160}) }, used)
	b := new(report.BenchReport)
	fill(reflect.ValueOf(b).Elem())
	for i := range b.Results {
		b.Results[i].Row = i
	}
	checkLeaves(t, b, func() string { return benchText(t, b) + benchText(t, alone(b)) }, used)
	for key := range notInText {
		if !used[key] {
			t.Errorf("%s need not be in the list", key)
		}
	}
}

// alone is a benchmark of one run, whose page has all of it.
func alone(b *report.BenchReport) *report.BenchReport {
	one := *b
	one.Profile, one.Rows, one.Results = nil, b.Rows[:1], b.Results[:1]
	return &one
}

func benchText(t *testing.T, b *report.BenchReport) string {
	t.Helper()
	return text(t, func(w *bytes.Buffer) error { return Bench(w, b, Style{Width: 160}) })
}

// Every problem is in the text, with its hint.
func TestTextShowsProblems(t *testing.T) {
	r := mediaErrors(t)
	v := reflect.ValueOf(r).Elem()
	sections := 0
	for i := range v.NumField() {
		f := v.Field(i)
		if !strings.HasPrefix(f.Type().Name(), "Section[") {
			continue
		}
		sections++
		name := v.Type().Field(i).Name
		old := reflect.New(f.Type()).Elem()
		old.Set(f)
		f.Set(reflect.Zero(f.Type()))
		f.FieldByName("Problem").Set(reflect.ValueOf(&report.Problem{Text: "cause-of-" + name, Hint: "hint-for-" + name}))
		got := reportText(t, r, Style{})
		if strings.Count(got, "cause-of-"+name) != 2 || strings.Count(got, "hint-for-"+name) != 2 {
			t.Errorf("%s: its problem is not above and below the fold", name)
		}
		f.Set(old)
	}
	if sections != 8 {
		t.Errorf("%d sections, want 8", sections)
	}
}
