package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/vendor"
)

// vendorPages reads the vendor's pages as a host does: all of them must come, and
// cost no entry in the error log.
func vendorPages(t *testing.T, d *Drive) map[nvme.LID]vendor.Value {
	t.Helper()
	before := smartLog(t, d).ErrorLogEntries
	c := nvme.NewController(d)
	id, err := c.Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	values := map[nvme.LID]vendor.Value{}
	for _, r := range vendor.Read(t.Context(), c, id, id.ModelNumber.String(), true) {
		if r.Outcome != vendor.Decoded || r.Refusals != 0 || r.Problem != "" {
			t.Fatalf("page %02Xh is %s, %d commands refused: %s", uint8(r.LID), r.Outcome, r.Refusals, r.Problem)
		}
		values[r.LID] = r.Value
	}
	if after := smartLog(t, d).ErrorLogEntries; after != before {
		t.Errorf("the error log grew from %v to %v entries", before, after)
	}
	return values
}

// rowsOf returns the rows of a page by name.
func rowsOf(v vendor.Value) map[string]string {
	rows := map[string]string{}
	for _, r := range v.Rows() {
		rows[r.Name] = fmt.Sprint(r.Value)
	}
	return rows
}

// TestIntelPages holds the vendor's pages of the profiles against their SMART
// log.
func TestIntelPages(t *testing.T) {
	for _, p := range Profiles() {
		if !strings.HasPrefix(p.Name, "optane") {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			d := open(t, p.Name)
			s, pages := smartLog(t, d), vendorPages(t, d)
			if len(pages) != len(intelLogs()) {
				t.Fatalf("%d pages, want %d", len(pages), len(intelLogs()))
			}
			got := map[string]string{}
			for _, page := range pages {
				for name, value := range rowsOf(page) {
					got[name] = value
				}
			}
			was := p.personality.intel
			written := s.DataUnitsWritten.Lo * 512_000 / (32 << 20) * (32 << 20)
			want := map[string]string{
				"Vendor Specific Log Pages": "C1h C2h C5h CAh DDh", "Marketing Name": "Intel(R) Optane(TM) SSD 905P Series",
				"Current Temperature": fmt.Sprint(s.CompositeTemperature - 273),
				"Highest Temperature": fmt.Sprint(was.hottest), "Lowest Temperature": fmt.Sprint(was.coldest),
				"Critical Overtemperature, Last Power Cycle": "false", "Critical Overtemperature, Life": "false",
				"Specified Maximum Operating Temperature": "85", "Specified Minimum Operating Temperature": "0", "Estimated Offset": "0",
				"End-to-End Error Detection Count": "0", "CRC Error Count": "0",
				"Thermal Throttle Status": "0", "Thermal Throttle Events": "0", "Host Bytes Written": fmt.Sprint(written),
				"Revision": "1000.0", "Commands": "0", "Average Latency": "0", "Latency Tracking": "false",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOtherVendorPages holds that a captured page of the same number, and a
// captured feature, are not taken for those of Intel.
func TestOtherVendorPages(t *testing.T) {
	d := modern(t, func(p *personality) {
		p.logs = append(p.logs, intelLogs()...)
		p.features[fidLatencyTracking] = 7
	})
	for _, lid := range intelLogs() {
		reject(t, d, logCmd(lid, all, 512), nvme.StatusInvalidLogPage)
	}
	if got := accept(t, d, getCmd(fidLatencyTracking, 0, 0)).Result; got != 7 {
		t.Errorf("feature E2h is %d, want 7", got)
	}
	reject(t, d, setCmd(fidLatencyTracking, 1), nvme.StatusFeatureNotChangeable)
}

// TestIntelTemperature holds that the extremes of the temperature follow the
// load, between two looks at them too.
func TestIntelTemperature(t *testing.T) {
	d, now := instant(t, func(p *personality) { p.smart.CompositeTemperature = 273 + 60 })
	c := d.controller
	step := func(busy float64, celsius ...string) {
		t.Helper()
		*now = now.Add(time.Hour)
		c.activity.busy.Add(int64(busy * float64(time.Hour)))
		rows := rowsOf(vendorPages(t, d)[lidIntelTemperature])
		got := []string{rows["Current Temperature"], rows["Highest Temperature"], rows["Lowest Temperature"]}
		if diff := cmp.Diff(celsius, got); diff != "" {
			t.Errorf("now, highest, lowest (-want +got):\n%s", diff)
		}
	}
	step(0, "60", "60", "22")
	step(1, "75", "75", "22")
	step(0, "60", "75", "22")
	cold, _ := instant(t, func(p *personality) { p.smart.CompositeTemperature = 273 - 5 })
	if got := rowsOf(vendorPages(t, cold)[lidIntelTemperature])["Lowest Temperature"]; got != "-5" {
		t.Errorf("lowest temperature %s, want -5", got)
	}
}

// TestIntelSMART holds that what is written, and how far the drive is held back,
// is counted.
func TestIntelSMART(t *testing.T) {
	d, now := instant(t, func(p *personality) { p.heat.throttles = true })
	c := d.controller
	c.setThermal(featureKey{}, featureValue{dword: 310 << 16})
	c.activity.bytesWritten.Add(1 << 30)
	c.activity.busy.Add(int64(time.Hour))
	*now = now.Add(time.Hour)
	rows := rowsOf(vendorPages(t, d)[lidIntelSMART])
	units := (977*512_000 + 1<<30) / (32 << 20)
	if got, want := rows["Host Bytes Written"], fmt.Sprint(units*(32<<20)); got != want {
		t.Errorf("%s bytes written, want %s", got, want)
	}
	if status, events := rows["Thermal Throttle Status"], rows["Thermal Throttle Events"]; status != "50" || events != "1" {
		t.Errorf("throttled by %s %%, %s times, want 50, once", status, events)
	}
}

// trackedCommands reads the latency pages, and returns what they count.
func trackedCommands(t *testing.T, d *Drive) (reads, writes *vendor.LatencyStatistics) {
	t.Helper()
	pages := vendorPages(t, d)
	return pages[lidIntelReadLatency].(*vendor.LatencyStatistics), pages[lidIntelWriteLatency].(*vendor.LatencyStatistics)
}

func TestLatencyPages(t *testing.T) {
	d := open(t, "optane-905p?read_latency=20us&write_latency=60us")
	work := func() {
		for i := range uint64(5) {
			accept(t, d, ioCmd(nvme.IORead, 1, i, 8, 4096))
			accept(t, d, ioCmd(nvme.IORead, 1, i, 8, 4096))
			accept(t, d, writeCmd(i, 8, 1))
		}
	}
	check := func(when string, wantReads, wantWrites uint64) {
		t.Helper()
		reads, writes := trackedCommands(t, d)
		if reads.Commands() != wantReads || writes.Commands() != wantWrites {
			t.Errorf("%s: %d reads and %d writes, want %d and %d", when, reads.Commands(), writes.Commands(), wantReads, wantWrites)
		}
	}
	work()
	check("without tracking", 0, 0)
	accept(t, d, setCmd(fidLatencyTracking, 1))
	if got := accept(t, d, getCmd(fidLatencyTracking, 0, 0)).Result; got != 1 {
		t.Errorf("tracking is %d, want 1", got)
	}
	work()
	reads, writes := trackedCommands(t, d)
	if reads.Commands() != 10 || *reads.AverageMicroseconds < 18 || writes.Commands() != 5 || *writes.AverageMicroseconds < 56 {
		t.Errorf("reads %+v, %d us, writes %+v, %d us", reads.Buckets, *reads.AverageMicroseconds, writes.Buckets, *writes.AverageMicroseconds)
	}
	check("after a read of the pages", 0, 0)
	work()
	accept(t, d, setCmd(fidLatencyTracking, 0))
	work()
	check("after tracking was turned off", 10, 5)
	accept(t, d, setCmd(fidLatencyTracking, 1))
	work()
	d.PowerCycle()
	check("after a power cycle", 0, 0)
	work()
	check("after the power cycle turned tracking off", 0, 0)
}

// TestLatencyBuckets holds each duration against the thresholds that the host is
// given.
func TestLatencyBuckets(t *testing.T) {
	d, _ := instant(t, nil)
	l := &d.controller.latency
	l.tracks.Store(true)
	for _, us := range []time.Duration{0, 10, 11, 49, 999, 1000, 100_000} {
		l.note(ofWrites, us*time.Microsecond)
	}
	l.note(ofWrites, 10*time.Microsecond-1)
	reads, writes := trackedCommands(t, d)
	var got []string
	for _, b := range writes.Buckets {
		got = append(got, fmt.Sprintf("%d: %d", *b.Lower, b.Count))
	}
	want := []string{"0: 2", "10: 2", "12: 0", "14: 0", "20: 1", "50: 0", "100: 1", "1000: 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if got := *writes.AverageMicroseconds; got != 12_759 || reads.Commands() != 0 {
		t.Errorf("average %d us, want 12759; %d reads", got, reads.Commands())
	}
}

func TestLatencyFeatureRules(t *testing.T) {
	selects := func(what uint32) func(*nvme.Command) { return func(c *nvme.Command) { c.CDW11 = what } }
	checkRules(t, []rule{
		{"thresholds of reads", getCmd(fidLatencyThresholds, 0, 32), nvme.StatusSuccess, 0},
		{"thresholds of writes", with(getCmd(fidLatencyThresholds, 0, 32), selects(1)), nvme.StatusSuccess, 0},
		{"thresholds of neither", with(getCmd(fidLatencyThresholds, 0, 32), selects(2)), nvme.StatusInvalidField, 44},
		{"thresholds into a short buffer", getCmd(fidLatencyThresholds, 0, 28), nvme.StatusDataSGLLengthInvalid, 24},
		{"other thresholds", withData(setCmd(fidLatencyThresholds, 0), make([]byte, 32)), nvme.StatusFeatureNotChangeable, 40},
		{"another vendor feature", getCmd(0xD5, 0, 0), nvme.StatusInvalidField, 40},
		{"whole latency page", logCmd(lidIntelReadLatency, all, latencyPageBytes), nvme.StatusSuccess, 0},
	})
}
