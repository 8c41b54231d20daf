package vendor

import (
	"encoding/json"
	"testing"
)

// fuzz decodes with a layout: nothing panics, what is decoded has rows with
// values and a JSON form, and more bytes after a page do not make it an error.
func fuzz[T any, P interface {
	*T
	unmarshaler
}](f *testing.F, pages ...string) {
	f.Add([]byte(nil))
	for _, name := range pages {
		b := page(f, name)
		f.Add(b)
		f.Add(b[:len(b)-1])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := as[T, P](b)
		if (v == nil) == (err == nil) {
			t.Fatalf("value %v with error %v", v, err)
		}
		if err != nil {
			return
		}
		for _, r := range v.Rows() {
			if r.Name == "" || r.Value == nil {
				t.Errorf("row %+v", r)
			}
		}
		if out, err := json.Marshal(v); err != nil || !json.Valid(out) {
			t.Errorf("JSON = %q, %v", out, err)
		}
		if w, ok := v.(writer); ok {
			AmplificationOf([]Reading{{Value: v}}, first(w.written()))
		}
	})
}

func first[A, B any](a A, _ B) A { return a }

func FuzzAdditionalSMART(f *testing.F) {
	fuzz[AdditionalSMART](f, "intel-p3600.ca", "intel-p4610-oem.ca", "synthetic.ca")
}

func FuzzLatencyStatistics(f *testing.F) {
	fuzz[LatencyStatistics](f, "intel-3.0.c1", "intel-4.1.c2", "optane.c1")
}

func FuzzTemperatureStatistics(f *testing.F) { fuzz[TemperatureStatistics](f, "intel.c5") }
func FuzzLogDirectory(f *testing.F)          { fuzz[LogDirectory](f, "optane-directory.c0", "kioxia.c0") }
func FuzzMarketingName(f *testing.F)         { fuzz[MarketingName](f, "optane.dd") }
func FuzzOCPSMART(f *testing.F)              { fuzz[OCPSMART](f, "wdc-sn640.c0", "ocp-25.c0") }
func FuzzOCPErrorRecovery(f *testing.F)      { fuzz[OCPErrorRecovery](f, "ocp.c1") }
func FuzzOCPLatencyMonitor(f *testing.F)     { fuzz[OCPLatencyMonitor](f, "ocp.c3") }
func FuzzWDCExtendedSMART(f *testing.F)      { fuzz[WDCExtendedSMART](f, "wdc-extended.c0") }
func FuzzWDCEndOfLife(f *testing.F)          { fuzz[WDCEndOfLife](f, "wdc-eol.c0") }
func FuzzMicronSMART(f *testing.F)           { fuzz[MicronSMART](f, "micron-7300.d0") }
func FuzzMicronHealth(f *testing.F)          { fuzz[MicronHealth](f, "micron-2200.fb") }
func FuzzKioxiaDirectory(f *testing.F)       { fuzz[KioxiaDirectory](f, "kioxia.c0") }

// FuzzThresholds gives an Optane page any thresholds: its buckets stay in order.
func FuzzThresholds(f *testing.F) {
	f.Add(thresholds(0, 10, 20, 40, 80, 160, 320, 1000))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := decoded[LatencyStatistics](t, "optane.c1")
		if err := p.SetThresholds(b); err != nil {
			return
		}
		for _, bucket := range p.Buckets {
			if bucket.Upper != nil && *bucket.Upper <= *bucket.Lower {
				t.Errorf("bucket from %d to %d us", *bucket.Lower, *bucket.Upper)
			}
		}
		p.Rows()
	})
}

// FuzzByGUID decodes pages of which the GUID says what they are.
func FuzzByGUID(f *testing.F) {
	for _, name := range []string{"wdc-sn640.c0", "ocp.c1", "ocp.c3", "wdc-extended.c0", "wdc-eol.c0"} {
		f.Add(page(f, name))
	}
	decode := noBlank(orOCP(as[WDCEndOfLife]))
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := decode(b); (v == nil) == (err == nil) {
			t.Errorf("value %v with error %v", v, err)
		}
	})
}
