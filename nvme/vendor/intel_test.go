package vendor

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestAdditionalSMARTOfRealDrives compares with the published output.
func TestAdditionalSMARTOfRealDrives(t *testing.T) {
	type wear struct{ Least, Most, Average uint16 }
	tests := []struct {
		name  string
		items int
		wear  wear
		norm  uint8
		media string
		host  string
	}{
		// The byte count of the first is that of the test that the output is from.
		{"intel-p3600.ca", 13, wear{3523, 3603, 3562}, 70, "7547837550166016", "5783618731376640"},
		{"intel-p4511.ca", 13, wear{4, 5, 4}, 100, "5226673209344", "1468610379776"},
		{"intel-p4610-oem.ca", 14, wear{1, 2, 1}, 100, "1350968541184", "1516559663104"},
	}
	for _, tt := range tests {
		p := decoded[AdditionalSMART](t, tt.name)
		if len(p.Items) != tt.items {
			t.Errorf("%s: %d items, want %d", tt.name, len(p.Items), tt.items)
		}
		item, ok := p.Item(itemWearLeveling)
		least, most, average := item.WearLeveling()
		if got := (wear{least, most, average}); !ok || got != tt.wear || item.Normalized != tt.norm {
			t.Errorf("%s: wear %+v at %d, want %+v at %d", tt.name, got, item.Normalized, tt.wear, tt.norm)
		}
		media, host := p.written()
		if media.String() != tt.media || host.String() != tt.host {
			t.Errorf("%s: %v of %v bytes, want %s of %s", tt.name, media, host, tt.media, tt.host)
		}
		for _, r := range p.Rows() {
			if strings.HasPrefix(r.Name, "Timed") {
				t.Errorf("%s: row %v of a workload that was not timed", tt.name, r)
			}
		}
	}
}

func TestAdditionalSMARTRows(t *testing.T) {
	got := decoded[AdditionalSMART](t, "synthetic.ca").Rows()
	want := []Row{
		{"Thermal Throttle Status", uint64(25), "percent"},
		{"Thermal Throttle Events", uint64(7), "count"},
		{"Timed Workload Media Wear", 1.5, "percent"},
		{"Timed Workload Host Reads", uint64(42), "percent"},
		{"Timed Workload Timer", uint64(120864), "minutes"},
		{"Attribute 99h", uint64(7), ""},
		{"Media Bytes Read", uint64(9), "count"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestAdditionalSMARTJSON(t *testing.T) {
	p := decoded[AdditionalSMART](t, "intel-p4511.ca")
	wear, _ := p.Item(itemWearLeveling)
	written, _ := p.Item(itemMediaWritten)
	timer, _ := p.Item(itemTimer)
	throttle, _ := p.Item(itemThermalThrottle)
	for _, tt := range []struct {
		item SMARTItem
		want string
	}{
		{wear, `{"average_cycles":4,"id":173,"max_cycles":5,"min_cycles":4,"normalized":100,"raw":17180196868}`},
		{written, `{"id":244,"nand_written_bytes":5226673209344,"normalized":100,"raw":155767}`},
		{timer, `{"id":228,"normalized":100,"raw":65535}`},
		{throttle, `{"id":234,"normalized":100,"raw":0,"throttle_events":0,"throttle_percent":0}`},
		{SMARTItem{ID: 0x99}, `{"id":153,"normalized":0,"raw":0}`},
	} {
		got, err := json.Marshal(tt.item)
		if err != nil || string(got) != tt.want {
			t.Errorf("JSON = %s, %v, want %s", got, err, tt.want)
		}
	}
}

func TestAdditionalSMARTOfOtherVendor(t *testing.T) {
	var p AdditionalSMART
	for _, b := range [][]byte{page(t, "wdc-sn640.c0"), make([]byte, 240), {0xAB}} {
		if err := p.UnmarshalBinary(b); !errors.Is(err, ErrLayout) {
			t.Errorf("%d bytes: %v, want ErrLayout", len(b), err)
		}
	}
}

func TestLatencyOfLinearBuckets(t *testing.T) {
	p := decoded[LatencyStatistics](t, "intel-3.0.c1")
	if len(p.Buckets) != 94 || p.Beyond != 6 || p.Commands() != 5+6+7+8+9+10+6 {
		t.Errorf("%d buckets, %d beyond, %d commands", len(p.Buckets), p.Beyond, p.Commands())
	}
	type bucket struct{ lower, upper, count uint64 }
	for i, want := range map[int]bucket{
		0: {0, 32, 5}, 31: {992, 1024, 6}, 32: {1024, 2048, 7}, 62: {31744, 32768, 8},
		63: {32768, 65536, 9}, 93: {1015808, 1048576, 10},
	} {
		b := p.Buckets[i]
		if got := (bucket{*b.Lower, *b.Upper, b.Count}); got != want {
			t.Errorf("bucket %d = %+v, want %+v", i, got, want)
		}
	}
	if got := row(t, p.Rows(), "Commands, 31744 us to below 32768 us"); got != uint64(8) {
		t.Errorf("row = %v, want 8", got)
	}
}

// TestLatencyOfLogarithmicBuckets uses a published page of a benchmark whose
// host saw a median of 6.6 us.
func TestLatencyOfLogarithmicBuckets(t *testing.T) {
	p := decoded[LatencyStatistics](t, "intel-4.1.c2")
	if len(p.Buckets) != fineBuckets || p.AverageMicroseconds != nil {
		t.Errorf("%d buckets, average %v", len(p.Buckets), p.AverageMicroseconds)
	}
	if got := p.Commands(); got != 1403621566 {
		t.Errorf("Commands = %d, want 1403621566", got)
	}
	if got, ok := p.Within(0.5); !ok || got != 7 {
		t.Errorf("Within(0.5) = %d, %v, want 7", got, ok)
	}
	if last := p.Buckets[fineBuckets-1]; last.Upper != nil {
		t.Errorf("last bucket ends at %d", *last.Upper)
	}
}

// TestBucketEdges compares with the middles that nvme-cli gives.
func TestBucketEdges(t *testing.T) {
	middle := func(i, width int) float64 {
		if i < 2<<width {
			return float64(i)
		}
		e := i>>width - 1
		return float64(int(1)<<(e+width)) + (float64(i%(1<<width))+0.5)*float64(int(1)<<e)
	}
	for _, width := range []int{coarseBits, fineBits} {
		for i := range 152 {
			lower, upper := float64(bucketEdge(i, width)), float64(bucketEdge(i+1, width))
			if want := middle(i, width); want < lower || want >= upper {
				t.Errorf("bucket %d of width %d: %g to %g, want %g in it", i, width, lower, upper, want)
			}
		}
	}
	if got := bucketEdge(fineBuckets, fineBits); got != 1<<24 {
		t.Errorf("end of the last bucket = %d, want %d", got, 1<<24)
	}
}

func TestLatencyRevision40(t *testing.T) {
	b := make([]byte, latencyBytes)
	binary.LittleEndian.PutUint16(b, 4)
	b[latencyHeaderBytes+4*151] = 1
	var p LatencyStatistics
	if err := p.UnmarshalBinary(b); err != nil || len(p.Buckets) != coarseBuckets || *p.Buckets[151].Lower != 15<<17 {
		t.Errorf("%d buckets, %v", len(p.Buckets), err)
	}
	if _, ok := p.Within(0.5); ok {
		t.Error("a bucket without bound has an upper bound")
	}
	b[latencyHeaderBytes+4*152] = 1
	if err := p.UnmarshalBinary(b); err != nil || len(p.Buckets) != fineBuckets {
		t.Errorf("%d buckets with the next one in use, %v", len(p.Buckets), err)
	}
}

func TestLatencyAverage(t *testing.T) {
	b := make([]byte, latencyBytes)
	b[0], b[2], b[4] = 4, averageRevision, 1
	binary.LittleEndian.PutUint64(b[latencyBytes-8:], 77)
	var p LatencyStatistics
	if err := p.UnmarshalBinary(b); err != nil || p.AverageMicroseconds == nil || *p.AverageMicroseconds != 77 {
		t.Errorf("average %v, %v, want 77", p.AverageMicroseconds, err)
	}
	if err := p.UnmarshalBinary(b[:latencyBytes-8]); err != nil || p.AverageMicroseconds != nil {
		t.Errorf("average %v of a page without it, %v", p.AverageMicroseconds, err)
	}
}

func TestLatencyOfOptane(t *testing.T) {
	p := decoded[LatencyStatistics](t, "optane.c1")
	if p.Commands() != 1000000 || *p.AverageMicroseconds != 11 || p.Buckets[1].Lower != nil {
		t.Errorf("%d commands, %d us, %+v", p.Commands(), *p.AverageMicroseconds, p.Buckets[1])
	}
	if _, ok := p.Within(0.5); ok {
		t.Error("buckets without bounds have a median")
	}
	if got := row(t, p.Rows(), "Commands, bucket 1"); got != uint64(900000) {
		t.Errorf("row = %v", got)
	}
	if err := p.SetThresholds(thresholds(0, 10, 20, 40, 80, 160, 320, 1000)); err != nil {
		t.Fatal(err)
	}
	if got, ok := p.Within(0.5); !ok || got != 20 {
		t.Errorf("Within(0.5) = %d, %v, want 20", got, ok)
	}
	if got := row(t, p.Rows(), "Commands, 1000 us and more"); got != uint64(1) {
		t.Errorf("row = %v, want 1", got)
	}
}

func thresholds(starts ...uint32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, starts)
	return b
}

func TestBadThresholds(t *testing.T) {
	p := decoded[LatencyStatistics](t, "optane.c1")
	for _, b := range [][]byte{nil, thresholds(1, 2, 3), thresholds(0, 0, 0, 0, 0, 0, 0, 0), thresholds(0, 1, 2, 3, 4, 5, 6, 6)} {
		if err := p.SetThresholds(b); !errors.Is(err, ErrLayout) || p.Buckets[0].Lower != nil {
			t.Errorf("%d bytes: %v, bucket %+v", len(b), err, p.Buckets[0])
		}
	}
	if err := decoded[LatencyStatistics](t, "intel-3.0.c1").SetThresholds(thresholds(0, 1, 2, 3, 4, 5, 6, 7)); err == nil {
		t.Error("revision 3 takes thresholds")
	}
}

func TestLatencyErrors(t *testing.T) {
	optane := page(t, "optane.c1")
	tests := []struct {
		name string
		b    []byte
		want error
	}{
		{"no header", []byte{3}, nvme.ErrShort},
		{"no bucket", []byte{3, 0, 0, 0}, nvme.ErrShort},
		{"zero", make([]byte, latencyBytes), ErrLayout},
		{"revision 5", []byte{5, 0, 0, 0, 0, 0, 0, 0}, ErrLayout},
		{"revision 1000.1", append([]byte{0xE8, 3, 1, 0}, optane[4:]...), ErrLayout},
		{"Optane, short", optane[:optaneBytes-1], nvme.ErrShort},
	}
	for _, tt := range tests {
		var p LatencyStatistics
		if err := p.UnmarshalBinary(tt.b); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestTemperatureLimits(t *testing.T) {
	type limits struct {
		minimum, offset int64
		ok              bool
	}
	tests := []struct {
		tail [3]int64
		want limits
	}{
		{[3]int64{0, 0, 0}, limits{0, 0, true}},
		{[3]int64{0, 5, 2}, limits{5, 2, true}},
		{[3]int64{0, 0, 2}, limits{0, 2, true}},
		{[3]int64{-5, 2, 0}, limits{-5, 2, true}},
		{[3]int64{0, 2, 0}, limits{}},
		{[3]int64{1, 2, 3}, limits{}},
	}
	for _, tt := range tests {
		minimum, offset, ok := (&TemperatureStatistics{Tail: tt.tail}).Limits()
		if got := (limits{minimum, offset, ok}); got != tt.want {
			t.Errorf("Limits of %v = %+v, want %+v", tt.tail, got, tt.want)
		}
	}
}

func TestTemperatureRows(t *testing.T) {
	rows := decoded[TemperatureStatistics](t, "intel.c5").Rows()
	if got := row(t, rows, "Highest Temperature"); got != int64(71) {
		t.Errorf("highest = %v", got)
	}
	if got := row(t, rows, "Critical Overtemperature, Life"); got != true {
		t.Errorf("life flag = %v", got)
	}
	if got := row(t, rows, "Critical Overtemperature, Last Power Cycle"); got != false {
		t.Errorf("last flag = %v", got)
	}
	s := TemperatureStatistics{Tail: [3]int64{0, 3, 0}}
	if got := len(s.Rows()); got != 6 {
		t.Errorf("%d rows where the layouts disagree, want 6", got)
	}
}

func TestTemperaturePlausibility(t *testing.T) {
	tests := []struct {
		name string
		off  int
		v    uint64
	}{
		{"kelvins", 0, 310},
		{"cold", 32, ^uint64(99)},
		{"highest below lowest", 24, 3},
	}
	for _, tt := range tests {
		b := page(t, "intel.c5")
		binary.LittleEndian.PutUint64(b[tt.off:], tt.v)
		var s TemperatureStatistics
		if err := s.UnmarshalBinary(b); !errors.Is(err, ErrLayout) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	var s TemperatureStatistics
	if err := s.UnmarshalBinary(page(t, "intel.c5")[:88]); err != nil || s.MaxOperating != 70 {
		t.Errorf("88 bytes: %+v, %v", s, err)
	}
}

func TestLogDirectory(t *testing.T) {
	d := decoded[LogDirectory](t, "optane-directory.c0")
	if got := row(t, d.Rows(), "Vendor Specific Log Pages"); got != "C1h C2h C5h CAh DDh" {
		t.Errorf("pages = %q", got)
	}
	if !d.Lists(lidSMART) || d.Lists(lidMonitor) || d.Lists(0) {
		t.Errorf("lists CAh %v, C3h %v, 00h %v", d.Lists(lidSMART), d.Lists(lidMonitor), d.Lists(0))
	}
	b := page(t, "optane-directory.c0")
	b[0] = 0
	if err := d.UnmarshalBinary(b); !errors.Is(err, ErrLayout) {
		t.Errorf("version 0: %v", err)
	}
	none := make([]byte, logDirectoryBytes)
	none[0] = 1
	if err := d.UnmarshalBinary(none); !errors.Is(err, ErrLayout) {
		t.Errorf("no pages: %v", err)
	}
}

func TestMarketingName(t *testing.T) {
	for text, want := range map[string]string{
		"Intel(R) Optane(TM) SSD 905P Series\x00junk": "Intel(R) Optane(TM) SSD 905P Series",
		"  padded  ":       "padded",
		"\x00after":        "",
		"\xff\xfe\x01name": "",
	} {
		var m MarketingName
		err := m.UnmarshalBinary([]byte(text))
		if (err != nil) != (want == "") || err == nil && m.Name != want {
			t.Errorf("%q = %q, %v, want %q", text, m.Name, err, want)
		}
	}
}
