package launch

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// session10 has made-up runs: warm ones of 10 to 19 ms, cold ones 5 ms longer.
func session10() *session {
	s := &session{program: program{argv: []string{"true", "-x"}, path: "/bin/true"}, options: Options{Time: noon, Until: "ready", Dir: "/"}}
	for i := range 10 {
		ms := 10 + float64(i)
		s.warm = append(s.warm, Run{WallMS: ms, UserMS: 2 * ms, SystemMS: 3 * ms, ReadBytes: int64(i) * 512, MajorFaults: int64(i)})
		s.cold = append(s.cold, Run{WallMS: ms + 5})
	}
	return s
}

func TestResult(t *testing.T) {
	got := session10().result(nil)
	if w := got.Warm; w.WallMS.Median != 14.5 || w.UserMS != 29 || w.SystemMS != 43.5 || w.ReadBytes != 2304 || w.MajorFaults != 4 {
		t.Errorf("warm = %+v", w)
	}
	if d := got.ColdMinusWarm; d.MS != 5 || d.CI95 == nil || d.CI95.Low != 2 || d.CI95.High != 8 || d.CI95.Coverage != 0.9567 {
		t.Errorf("difference = %+v, %+v, want 5 ms", d, d.CI95)
	}
	if got.Caches != nil || got.Partial || got.Ended != endedComplete {
		t.Errorf("result = %+v", got)
	}
}

func TestPartialResult(t *testing.T) {
	s := session10()
	s.warm, s.cold = nil, s.cold[:1]
	got := s.result(errors.New("why"))
	if !got.Partial || got.Ended != "why" || got.Warm != nil || got.ColdMinusWarm != nil || len(got.Cold.Runs) != 1 {
		t.Errorf("result = %+v", got)
	}
	if got.Cold.WallMS.MedianCI95 != nil || got.Cold.WallMS.Median != 15 {
		t.Errorf("one run = %+v", got.Cold.WallMS)
	}
}

// keys returns the keys of a JSON object, with those inside it.
func keys(t *testing.T, v any) []string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(string(b)))
	if err := d.Decode(&object); err != nil {
		t.Fatal(err)
	}
	var list []string
	collect("", object, &list)
	return list
}

func collect(prefix string, v any, list *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			*list = append(*list, prefix+key)
			collect(prefix+key+".", inner, list)
		}
	case []any:
		if len(v) > 0 {
			collect(prefix, v[0], list)
		}
	}
}

// TestKeys pins the names that scripts read.
func TestKeys(t *testing.T) {
	s := session10()
	s.caches = &caches{reason: "no", resident: new(int64)}
	set := func(name string) []string {
		list := []string{name}
		for _, key := range []string{
			"runs", "runs.wall_ms", "runs.user_ms", "runs.system_ms", "runs.read_bytes", "runs.major_faults",
			"wall_ms", "wall_ms.n", "wall_ms.min", "wall_ms.max", "wall_ms.median", "wall_ms.mean", "wall_ms.standard_deviation", "wall_ms.cv_percent",
			"wall_ms.median_ci95", "wall_ms.median_ci95.low", "wall_ms.median_ci95.high", "wall_ms.median_ci95.coverage",
			"wall_ms.mean_ci95", "wall_ms.mean_ci95.low", "wall_ms.mean_ci95.high", "wall_ms.mean_ci95.coverage",
			"median_user_ms", "median_system_ms", "median_read_bytes", "median_major_faults",
		} {
			list = append(list, name+"."+key)
		}
		return list
	}
	want := append(set("cold"), set("warm")...)
	want = append(want, "kind", "time", "program", "executable", "directory", "until", "partial", "ended",
		"cold_minus_warm", "cold_minus_warm.ms", "cold_minus_warm.ci95_ms", "cold_minus_warm.ci95_ms.low", "cold_minus_warm.ci95_ms.high", "cold_minus_warm.ci95_ms.coverage",
		"caches", "caches.method", "caches.reason", "caches.files", "caches.bytes", "caches.resident_bytes")
	if diff := cmp.Diff(sorted(want), sorted(keys(t, s.result(nil)))); diff != "" {
		t.Errorf("keys of a launch (-want +got):\n%s", diff)
	}
}

func TestBootKeys(t *testing.T) {
	a := answers{"systemctl": fixture(t, "show-uefi.txt"), "systemd-analyze": fixture(t, "analyze-uefi.txt")}
	b, err := ReadBoot(t.Context(), Sources{Root: booted(t, fixture(t, "kmsg.txt")), Command: a.run}, noon)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"kind", "time", "boot_id", "booted_at", "source",
		"firmware_seconds", "loader_seconds", "kernel_seconds", "initrd_seconds", "soft_reboot_seconds", "userspace_seconds", "total_seconds",
		"target", "target.name", "target.seconds",
		"kernel_log", "kernel_log.source", "kernel_log.complete",
		"kernel_log.controllers", "kernel_log.controllers.name", "kernel_log.controllers.address", "kernel_log.controllers.found_seconds",
		"kernel_log.controllers.ready_seconds", "kernel_log.controllers.queues",
		"kernel_log.disks", "kernel_log.disks.name", "kernel_log.disks.partitions", "kernel_log.disks.seconds",
		"kernel_log.mounts", "kernel_log.mounts.device", "kernel_log.mounts.file_system", "kernel_log.mounts.seconds",
	}
	if diff := cmp.Diff(sorted(want), sorted(keys(t, b))); diff != "" {
		t.Errorf("keys of a boot (-want +got):\n%s", diff)
	}
}

func TestOptionsComplete(t *testing.T) {
	got, err := Options{}.complete()
	if err != nil || got.Runs != DefaultRuns || got.Timeout != DefaultTimeout {
		t.Errorf("defaults = %+v, %v", got, err)
	}
	got, err = Options{Runs: MaxRuns, Timeout: 1}.complete()
	if err != nil || got.Runs != MaxRuns || got.Timeout != 1 {
		t.Errorf("own choice = %+v, %v", got, err)
	}
}

// TestCachesSummary: the method follows from whether dropping was permitted.
func TestCachesSummary(t *testing.T) {
	if got := (&caches{files: []string{"a", "b"}, bytes: 7}).summary(); got.Method != MethodDrop || got.Files != 2 || got.Bytes != 7 || got.ResidentBytes != nil {
		t.Errorf("permitted: %+v", got)
	}
	if got := (&caches{reason: "why"}).summary(); got.Method != MethodAdvise || got.Reason != "why" {
		t.Errorf("not permitted: %+v", got)
	}
	// Looking whether it is permitted writes nothing.
	file := t.TempDir() + "/drop_caches"
	write(t, file, "")
	if c := newCaches(host{dropCaches: file}, nil); c.reason != "" {
		t.Errorf("a file that can be written: %q", c.reason)
	}
	if text, err := os.ReadFile(file); err != nil || len(text) != 0 {
		t.Errorf("%q was written, %v", text, err)
	}
}

func sorted(list []string) []string {
	list = slices.Sorted(slices.Values(list))
	return slices.Compact(list)
}
