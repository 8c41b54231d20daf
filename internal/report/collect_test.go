package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func TestCollect(t *testing.T) {
	f := optane(t)
	r := fakeReport(t, f, nil)
	if len(r.Problems()) != 0 {
		t.Fatalf("problems: %+v", r.Problems())
	}
	id := r.Drive
	if id.Serial != "PHM2810300A1960CGN" || id.Firmware != "E2010480" || *id.MarketingName != "Intel Optane SSD 905P 960 GB" {
		t.Errorf("identity comes from the host, not from the drive: %+v", id)
	}
	if got := (*r.Namespaces.Data)[0]; got.SizeBytes != 960197124096 || got.LBAFormat.DataBytes != 512 || *got.Block != "nvme5n1" {
		t.Errorf("namespace: %+v", got)
	}
	if s := r.SMART.Data; *s.CompositeTemperatureCelsius != 35 || s.BytesWritten.Int64() != 117398528000 {
		t.Errorf("SMART: %+v", s)
	}
	if r.Verdict.Level != smart.Keep {
		t.Errorf("verdict %s: %s", r.Verdict.Level, r.Verdict.Summary)
	}
	if r.Bench.Data != nil || r.Bench.Problem != nil {
		t.Errorf("a benchmark ran unasked: %+v", r.Bench)
	}
	if path := r.Link.Data.Path; len(path) != 1 || path[0].Address != "0000:00:06.0" {
		t.Errorf("path has the drive itself or no port: %+v", path)
	}
	want := Footprint{Commands: len(f.sent), Refused: 0, ErrorLogEntriesAdded: new(int64)}
	if diff := cmp.Diff(want, r.Footprint); diff != "" {
		t.Errorf("footprint (-want +got):\n%s", diff)
	}
}

// A drive of version 0 must not be asked for what came later: each refusal
// stands in its error log for ever.
func TestCollectAsksOnlyForWhatExists(t *testing.T) {
	f := optane(t)
	fakeReport(t, f, nil)
	for _, c := range f.sent {
		switch name := pageName(&c); name {
		case "ctrl", "ns", "list", "smart", "firmware", "errors":
		default:
			t.Errorf("sent %s, CDW10 %08x", nvme.OpcodeName(c.Queue, c.Opcode), c.CDW10)
		}
		if c.Opcode == nvme.AdminGetLogPage && c.CDW10&(1<<15) == 0 {
			t.Errorf("log %02x read without Retain Asynchronous Event", c.CDW10&0xFF)
		}
	}
}

// fails makes every command of one page fail in its own way.
func fails(page string, cpl nvme.Completion, err error) func(context.Context, *nvme.Command) (nvme.Completion, error, bool) {
	return func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		return cpl, err, pageName(cmd) == page
	}
}

func TestSectionProblems(t *testing.T) {
	refused := nvme.Completion{Status: 0x4000 | nvme.StatusInvalidLogPage}
	for _, test := range []struct {
		name, page string
		cpl        nvme.Completion
		err        error
		section    string
		kind       Kind
	}{
		{"refused log", "firmware", refused, nil, "firmware slots", KindStatus},
		{"refused identify", "ctrl", refused, nil, "Identify Controller", KindStatus},
		{"permission", "smart", nvme.Completion{}, &fs.PathError{Op: "ioctl", Path: "/dev/nvme0", Err: syscall.EACCES}, "SMART", KindPermission},
		{"host error", "errors", nvme.Completion{}, errors.New("boom"), "error log", KindHost},
		{"known problem", "smart", nvme.Completion{}, &Problem{Kind: KindNotRecorded, Text: "not in this capture"}, "SMART", KindNotRecorded},
		{"interrupted", "smart", nvme.Completion{}, context.Canceled, "SMART", KindInterrupted},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := optane(t)
			f.before = fails(test.page, test.cpl, test.err)
			r := fakeReport(t, f, nil)
			first := r.Problems()
			if len(first) == 0 || first[0].Section != test.section || first[0].Kind != test.kind {
				t.Fatalf("problems: %+v", first)
			}
			if test.kind == KindStatus && *first[0].Status != 0x4109 {
				t.Errorf("status %v", first[0].Status)
			}
			if !r.Readable() {
				t.Error("the rest of the report is gone")
			}
		})
	}
}

func TestBlankSMARTPages(t *testing.T) {
	for _, test := range []struct {
		fill byte
		text string
	}{{0x00, "zeroes"}, {0xFF, "all ones"}} {
		f := optane(t)
		f.pages["smart"] = []byte(strings.Repeat(string([]byte{test.fill}), 512))
		r := fakeReport(t, f, nil)
		p := r.SMART.Problem
		if p == nil || p.Kind != KindNoData || !strings.Contains(p.Text, test.text) {
			t.Errorf("%02x: %+v", test.fill, p)
		}
		if r.Verdict.Level != smart.Unknown {
			t.Errorf("%02x: verdict %s", test.fill, r.Verdict.Level)
		}
		if r.Endurance != nil {
			t.Errorf("%02x: endurance from a page without data: %+v", test.fill, r.Endurance)
		}
	}
}

// A drive that never answers costs one time-out, not one for each section.
func TestSilentDrive(t *testing.T) {
	f := optane(t)
	f.before = func(ctx context.Context, _ *nvme.Command) (nvme.Completion, error, bool) {
		<-ctx.Done()
		return nvme.Completion{}, ctx.Err(), true
	}
	job := bench.QD1Read(1)
	r := fakeReport(t, f, func(d *Drive, o *Options) {
		o.Bench, d.Target = &job, &bench.Target{}
		o.Runner = func(context.Context, bench.Spec, bench.Observer) (*bench.Result, error) {
			t.Error("a silent drive was benchmarked")
			return nil, nil
		}
	})
	if len(f.sent) != 1 {
		t.Errorf("%d commands sent to a silent drive, want 1", len(f.sent))
	}
	kinds := map[string]Kind{}
	for _, p := range r.Problems() {
		kinds[p.Section] = p.Kind
	}
	want := map[string]Kind{"Identify Controller": KindTimeout, "namespaces": KindSkipped, "SMART": KindSkipped,
		"error log": KindSkipped, "firmware slots": KindSkipped, "benchmark": KindSkipped}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Readable() || r.Verdict.Level != smart.Unknown {
		t.Errorf("readable %v, verdict %s", r.Readable(), r.Verdict.Level)
	}
	if r.Drive.Serial != "HOSTSERIAL" {
		t.Errorf("serial %q, want what the host knows", r.Drive.Serial)
	}
}

func TestDriveGoneMidway(t *testing.T) {
	f := optane(t)
	f.before = fails("smart", nvme.Completion{}, &fs.PathError{Op: "ioctl", Path: "/dev/nvme0", Err: syscall.ENODEV})
	r := fakeReport(t, f, nil)
	if r.IdentifyController.Data == nil || r.Firmware.Problem == nil || r.Firmware.Problem.Kind != KindSkipped {
		t.Errorf("identify %v, firmware %+v", r.IdentifyController.Data != nil, r.Firmware.Problem)
	}
}

func TestInterruptedReport(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := optane(t)
	f.before = func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		if pageName(cmd) != "smart" {
			return nvme.Completion{}, nil, false
		}
		cancel()
		return nvme.Completion{}, ctx.Err(), true
	}
	d := &Drive{Passthru: f, Host: fakeHost(), Target: &bench.Target{}}
	o := fakeOptions()
	job := bench.QD1Read(1)
	o.Bench = &job
	r := Collect(ctx, d, o)
	if r.SMART.Problem == nil || r.SMART.Problem.Kind != KindInterrupted || r.Bench.Problem.Kind != KindInterrupted {
		t.Errorf("SMART %+v, benchmark %+v", r.SMART.Problem, r.Bench.Problem)
	}
}

func TestBenchSection(t *testing.T) {
	result := &bench.Result{Operations: 5, Partial: true, Ended: "the drive is gone"}
	stalled := fmt.Errorf("worker: %w", bench.ErrStalled)
	for _, test := range []struct {
		name string
		res  *bench.Result
		err  error
		data bool
		kind Kind
	}{
		{"complete", &bench.Result{Operations: 5}, nil, true, ""},
		{"partial", result, bench.ErrGone, true, ""},
		{"stalled before the first", &bench.Result{}, stalled, false, KindTimeout},
		{"not started", nil, errors.New("no such file"), false, KindHost},
		{"nothing done", &bench.Result{}, nil, false, KindHost},
		{"hint", nil, &bench.Error{Cause: "O_DIRECT refused", Hint: "use another file"}, false, KindHost},
	} {
		t.Run(test.name, func(t *testing.T) {
			job := bench.QD1Read(1)
			r := fakeReport(t, optane(t), func(d *Drive, o *Options) {
				d.Target, o.Bench = &bench.Target{Path: "/dev/nvme5n1"}, &job
				o.Runner = func(_ context.Context, s bench.Spec, _ bench.Observer) (*bench.Result, error) {
					if s.Target.Path != "/dev/nvme5n1" || s.Job.BlockBytes != 4096 {
						t.Errorf("spec: %+v", s)
					}
					return test.res, test.err
				}
			})
			if got := r.Bench.Data != nil; got != test.data {
				t.Fatalf("data %v, want %v", got, test.data)
			}
			if test.data {
				return
			}
			if r.Bench.Problem.Kind != test.kind {
				t.Errorf("problem %+v, want kind %s", r.Bench.Problem, test.kind)
			}
			if test.name == "hint" && r.Bench.Problem.Hint != "use another file" {
				t.Errorf("hint %q", r.Bench.Problem.Hint)
			}
		})
	}
	r := fakeReport(t, optane(t), func(_ *Drive, o *Options) { job := bench.QD1Read(1); o.Bench = &job })
	if r.Bench.Problem == nil || r.Bench.Problem.Text != "nothing to read" {
		t.Errorf("no target: %+v", r.Bench.Problem)
	}
}

// A capture has nothing to measure: that is not a section that failed.
func TestNothingToBenchmark(t *testing.T) {
	job := bench.QD1Read(1)
	r := fakeReport(t, optane(t), func(d *Drive, o *Options) { d.WhyNoTarget, o.Bench = "", &job })
	if r.Bench.Problem != nil || r.Bench.Data != nil {
		t.Errorf("benchmark: %+v", r.Bench)
	}
}

func TestLinkOfPCIDriveIsMissed(t *testing.T) {
	h := fakeHost()
	h.Link = nil
	if l := NewLink(h); l.Problem == nil || l.Problem.Kind != KindNotRecorded {
		t.Errorf("PCI Express drive without a link: %+v", l)
	}
	h.PCI = nil
	if l := NewLink(h); l.Problem != nil || l.Data != nil {
		t.Errorf("drive on another transport: %+v", l)
	}
	if l := NewLink(nil); l.Problem == nil {
		t.Error("no host: no problem")
	}
}

func TestUnreadableNamespaceIsAProblem(t *testing.T) {
	f := optane(t)
	asked := 0
	f.before = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		if pageName(cmd) == "ns" {
			asked++
		}
		return nvme.Completion{}, errors.New("boom"), asked > 1 && pageName(cmd) == "ns" // The first finds the namespace.
	}
	r := fakeReport(t, f, nil)
	if p := r.Problems(); len(p) != 1 || p[0].Section != "namespace 1" || p[0].Text != "boom" {
		t.Errorf("problems: %+v", p)
	}
}

func TestPartialBenchmarkIsCutShort(t *testing.T) {
	r := &Report{}
	if r.CutShort() {
		t.Error("no benchmark is cut short")
	}
	r.Bench.Data = &Bench{QD1Read: &bench.Result{}}
	if r.CutShort() {
		t.Error("a complete benchmark is cut short")
	}
	r.Bench.Data.QD1Read.Partial = true
	if !r.CutShort() {
		t.Error("a partial benchmark is complete")
	}
}

func TestReplayKeepsItsKernel(t *testing.T) {
	r := fakeReport(t, optane(t), func(d *Drive, _ *Options) { d.Kernel = "5.10" })
	if want := (HostFacts{"5.10", "amd64"}); r.Host != want {
		t.Errorf("host %+v, want %+v", r.Host, want)
	}
}

func TestFootprintCountsRefusals(t *testing.T) {
	f := optane(t)
	reads := 0
	f.before = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		if pageName(cmd) == "firmware" {
			return nvme.Completion{Status: nvme.StatusInvalidLogPage}, nil, true
		}
		if pageName(cmd) != "smart" {
			return nvme.Completion{}, nil, false
		}
		page := append([]byte{}, f.pages["smart"]...)
		page[176] += byte(reads * 3)
		reads++
		copy(cmd.Data, page)
		return nvme.Completion{}, nil, true
	}
	r := fakeReport(t, f, nil)
	if r.Footprint.Refused != 1 || *r.Footprint.ErrorLogEntriesAdded != 3 {
		t.Errorf("refused %d, added %d", r.Footprint.Refused, *r.Footprint.ErrorLogEntriesAdded)
	}
}

// An error counter above an empty log is worth a word; an unread log is not.
func TestEmptyErrorLogIsAFact(t *testing.T) {
	f := optane(t)
	f.pages["smart"] = append([]byte{}, f.pages["smart"]...)
	f.pages["smart"][176] = 5
	named := func(r *Report) bool {
		return slices.ContainsFunc(r.Verdict.Findings, func(x smart.Finding) bool { return x.Rule == "error-log-cleared" })
	}
	if !named(fakeReport(t, f, nil)) {
		t.Error("no finding for a counter of 5 and an empty log")
	}
	f.before = fails("errors", nvme.Completion{Status: nvme.StatusInvalidLogPage}, nil)
	if named(fakeReport(t, f, nil)) {
		t.Error("a log that was not read is called empty")
	}
}

func TestSteps(t *testing.T) {
	var steps []string
	fakeReport(t, optane(t), func(_ *Drive, o *Options) { o.Step = func(s string) { steps = append(steps, s) } })
	if len(steps) < 3 {
		t.Errorf("steps: %q", steps)
	}
}

// The keys that other programs rely on.
func TestReportKeys(t *testing.T) {
	job := bench.QD1Read(1)
	r := fakeReport(t, optane(t), func(d *Drive, o *Options) {
		d.Target, o.Bench = &bench.Target{}, &job
		o.Runner = func(context.Context, bench.Spec, bench.Observer) (*bench.Result, error) {
			return &bench.Result{Operations: 1}, nil
		}
	})
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for section, keys := range map[string]string{
		"":                          "schema tool time host simulated drive verdict identify_controller namespaces smart endurance errors firmware link bench",
		"tool":                      "name version",
		"host":                      "kernel arch",
		"drive":                     "selector controller serial model marketing_name firmware pci",
		"drive.pci":                 "address vendor_id device_id subsystem_vendor_id subsystem_device_id",
		"verdict":                   "level summary findings",
		"verdict.findings.0":        "rule severity text evidence",
		"identify_controller":       "vid sn mn fr mdts ver oacs frmw lpa elpe wctemp cctemp tnvmcap sanicap nn oncs fna vwc subnqn psds",
		"namespaces.0":              "nsid size_bytes capacity_bytes utilization_bytes lba_format lba_formats eui64 nguid",
		"namespaces.0.lba_format":   "data_bytes metadata_bytes",
		"smart":                     "critical_warning composite_temperature_celsius composite_temperature_kelvin temperature_sensors_celsius available_spare_percent available_spare_threshold_percent percentage_used_percent data_units_read data_units_written bytes_read bytes_written host_read_commands host_write_commands controller_busy_minutes power_cycles power_on_hours unsafe_shutdowns media_errors error_log_entries warning_temperature_minutes critical_temperature_minutes thermal_management",
		"smart.critical_warning":    "value available_spare_low temperature reliability_degraded read_only volatile_backup_failed pmr_unreliable",
		"endurance":                 "rated_bytes rated_source written_percent bytes_to_rated years_left_at_observed_rate read_only_at_percent",
		"errors":                    "entries groups",
		"firmware":                  "active_slot next_slot slots update",
		"firmware.update":           "slots slot1_read_only activation_without_reset granularity_bytes",
		"link":                      "speed_gts width max_speed_gts max_width path attached aer",
		"bench.qd1_read":            "engine block_bytes seconds operations iops mb_per_s latency_us cpu_us_per_op cached",
		"bench.qd1_read.latency_us": "min mean p50 p90 p99 p999 p9999 max",
	} {
		object, ok := lookUp(got, section).(map[string]any)
		if !ok {
			t.Errorf("%q is not an object: %v", section, lookUp(got, section))
			continue
		}
		for _, key := range strings.Fields(keys) {
			if _, ok := object[key]; !ok {
				t.Errorf("%s.%s is missing", section, key)
			}
		}
	}
}

func lookUp(v any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			if key != "" {
				v = x[key]
			}
		case []any:
			if len(x) == 0 {
				return nil
			}
			v = x[0]
		}
	}
	return v
}

func TestSectionJSON(t *testing.T) {
	status := uint16(0x4109)
	for _, test := range []struct {
		section any
		want    string
	}{
		{Section[Link]{}, `null`},
		{Section[Bench]{Data: &Bench{}}, `{"qd1_read":null,"placement":null}`},
		{Section[Link]{Problem: &Problem{Kind: KindStatus, Text: "no", Status: &status}}, `{"error":{"kind":"status","text":"no","status":16649}}`},
	} {
		b, err := json.Marshal(test.section)
		if err != nil || string(b) != test.want {
			t.Errorf("got %s, %v; want %s", b, err, test.want)
		}
	}
}
