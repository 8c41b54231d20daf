package report

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func TestReportKeysOfFields(t *testing.T) {
	for field, want := range map[string]string{
		"smart":                              "smart",
		"smart.power_on_hours":               "smart.power_on_hours",
		"smart.data_units_written":           "smart.bytes_written smart.data_units_written",
		"smart.composite_temperature_kelvin": "smart.composite_temperature_celsius smart.composite_temperature_kelvin",
		"smart.tmt2_seconds":                 "smart.thermal_management.tmt2_seconds",
		"namespaces.nsze":                    "namespaces.identify.nsze namespaces.size_bytes",
		"namespaces.lbafs":                   "namespaces.lba_format.metadata_bytes namespaces.lba_format.relative_performance namespaces.lba_formats",
		"namespaces.vs":                      "",
		"errors.csi":                         "errors.entries.csi",
		"firmware.afi":                       "firmware.active_slot firmware.next_slot",
		"identify_controller.oacs":           "firmware.update.supported identify_controller.oacs",
	} {
		if got := strings.Join(reportKeys([]string{field}), " "); got != want {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
	if got := reportKeys([]string{"firmware", "identify_controller.oacs"}); slices.Contains(got, "firmware.update.supported") {
		t.Errorf("a key of a section that is missing as a whole: %v", got)
	}
}

func TestSetNull(t *testing.T) {
	p := Partial{missing: []string{"a", "b.c", "list.x", "not.there", "a.b"}}
	got, err := p.marshal(map[string]any{"a": 1, "b": map[string]int{"c": 2, "d": 3}, "list": []map[string]int{{"x": 4, "y": 5}, {"x": 6}}, "big": json.Number("340282366920938463463374607431768211455")})
	const want = `{"a":null,"b":{"c":null,"d":3},"big":340282366920938463463374607431768211455,"list":[{"x":null,"y":5},{"x":null}]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := p.marshal(func() {}); err == nil {
		t.Error("no error for what has no JSON")
	}
}

func TestPartial(t *testing.T) {
	s := &Source{Missing: []string{"smart.power_cycles", "namespaces.identify.nuse"}, Rounded: []string{"namespaces.size_bytes"}}
	sm, ns, none := s.partial("smart"), s.partial("namespaces"), (*Source)(nil).partial("smart")
	if sm.Has("power_cycles") || !sm.Has("power_on_hours") || !none.Has("power_cycles") || !ns.Rounded("size_bytes") || ns.Rounded("power_cycles") {
		t.Errorf("%+v, %+v", sm, ns)
	}
	if diff := cmp.Diff([]string{"nuse"}, ns.Inexact("identify")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"size_bytes"}, ns.Inexact("")); diff != "" {
		t.Error(diff)
	}
}

// dumped makes a report of pages of which a part is missing.
func dumped(t *testing.T, missing ...string) *Report {
	t.Helper()
	return fakeReport(t, optane(t), func(d *Drive, o *Options) {
		d.Host.Link, d.Host.PCI, o.VendorLogs = nil, nil, VendorLogsAll
		d.Source = &Source{Tool: "a tool", Platform: "an OS", Missing: missing, SizeBytes: new(int64(5e11))}
	})
}

func TestReportOfADump(t *testing.T) {
	r := dumped(t, "smart.power_on_hours", "identify_controller.sn", "firmware.afi")
	if r.Drive.Serial != "HOSTSERIAL" || r.Drive.Firmware != "E2010480" {
		t.Errorf("drive %+v: the host's words stand only for what is missing", r.Drive)
	}
	if r.Host.Kernel != "an OS" || r.Host.Arch != "" || r.Footprint != (Footprint{}) || r.VendorLogs.Data != nil {
		t.Errorf("host %+v, footprint %+v, vendor logs %+v", r.Host, r.Footprint, r.VendorLogs)
	}
	if r.Link.Problem == nil || r.Link.Problem.Kind != KindNotInDump || strings.Contains(rules(r), " sections-unreadable ") {
		t.Errorf("link %+v, rules %s", r.Link.Problem, rules(r))
	}
	if r.Plausibility.Condition != "" || strings.Contains(rules(r), " looks-new ") {
		t.Errorf("condition %q without hours", r.Plausibility.Condition)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"power_on_hours":null`, `"active_slot":null`, `"sn":null`, `"power_cycles":5`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in the JSON", want)
		}
	}
}

// A dump with a part of the SMART log cannot keep a drive.
func TestDumpWithoutMediaErrors(t *testing.T) {
	if r := dumped(t, "smart.media_errors"); r.Verdict.Level != smart.Unknown || !strings.Contains(rules(r), " smart-incomplete ") {
		t.Errorf("%s: %s", r.Verdict.Level, rules(r))
	}
}

// Where Identify Controller is not in a dump, the namespaces and the error log
// may be all the same.
func TestDumpWithoutIdentify(t *testing.T) {
	f := optane(t)
	f.before = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		return nvme.Completion{}, &Problem{Kind: KindNotInDump, Text: "not in this dump"}, pageName(cmd) == "ctrl"
	}
	r := fakeReport(t, f, func(d *Drive, _ *Options) { d.Source = &Source{Missing: []string{"identify_controller"}} })
	if r.Namespaces.Data == nil || r.Errors.Data == nil || r.Verdict.Level != smart.Keep {
		t.Errorf("namespaces %+v, errors %+v, verdict %s", r.Namespaces, r.Errors, r.Verdict.Level)
	}
}

// The size of a drive of which a dump has not all namespaces is that which is
// printed beside them.
func TestDumpWithSomeNamespaces(t *testing.T) {
	r := fakeReport(t, optane(t), func(d *Drive, _ *Options) {
		d.Source = &Source{SomeNamespaces: true, SizeBytes: new(int64(5e11)), Missing: []string{"identify_controller.oacs"}}
	})
	if !strings.Contains(rules(r), " capacity-smaller ") || strings.Contains(rules(r), " capacity-ok ") {
		t.Errorf("rules %s", rules(r))
	}
}
