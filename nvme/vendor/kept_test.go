package vendor

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func TestReadingComesBack(t *testing.T) {
	status := nvme.StatusInvalidLogPage
	in := []Reading{
		{
			Log: Log{LID: 0xC5, Name: "Temperature Statistics", Bytes: 512, Why: "Intel"}, Outcome: Decoded, Value: &TemperatureStatistics{Current: 40, Highest: 70, Lowest: -3},
			Rows: []Row{{"a", uint64(1 << 63), "count"}, {"b", int64(-3), "celsius"}, {"c", nvme.Uint128{Hi: 1}, "bytes"}, {"d", 0.5, "percent"}, {"e", true, ""}, {"f", "x", ""}},
			Raw:  Raw{1, 2, 0xFF},
		},
		{Log: Log{LID: 0xC1, Changes: clears}, Outcome: Refused, Problem: "no", Status: &status, Refusals: 1},
		{Outcome: Unrecognized, Raw: Raw{}},
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out []Reading
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(out)
	if diff := cmp.Diff(string(text), string(again)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(in[0].Rows, out[0].Value.Rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if *out[1].Status != status || out[1].Value != nil || out[1].Raw != nil || out[2].Raw == nil {
		t.Errorf("got %+v", out)
	}
}

func TestReadingFaults(t *testing.T) {
	for _, text := range []string{`{"raw": "0"}`, `{"raw": 1}`, `{"lid": "x"}`, `{"rows": [{"value": 1e999}]}`, `{"rows": [{"name": 1}]}`, `[]`} {
		var r Reading
		if err := json.Unmarshal([]byte(text), &r); err == nil {
			t.Errorf("%s: no error, got %+v", text, r)
		}
	}
}

func FuzzReading(f *testing.F) {
	f.Add([]byte(`{"lid": 197, "outcome": "decoded", "status": null, "value": {"a": 1}, "rows": [{"name": "a", "value": 340282366920938463463374607431768211455, "unit": ""}], "raw": "00ff"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Reading
		if json.Unmarshal(b, &r) != nil {
			return
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		var back Reading
		if err := json.Unmarshal(text, &back); err != nil {
			t.Errorf("%s became %s: %v", b, text, err)
		}
	})
}
