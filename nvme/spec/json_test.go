package spec

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSON(t *testing.T) {
	got, err := json.Marshal(decoded(t, toy(), toyPage()))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":2,"kind_text":"long","n":2,` +
		`"cap":32813,"cap_bits":{"mode":2,"mode_text":"fast","x":true,"y":true,"slots":3,"reserved":32768},` +
		`"size_bytes":32768,"left":10,"deg":-2,"time_ms":700,"sn":"AB","id":"dead0001",` +
		`"part":[513,1027],"reserved":[{"byte":18,"hex":"5a005b"},{"byte":28,"hex":"05"}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

// TestJSONOfNothing holds that what is not reported is null.
func TestJSONOfNothing(t *testing.T) {
	b := make([]byte, 32)
	o := jsonObject(t, decoded(t, toy(), b))
	for key, want := range map[string]any{"size_bytes": nil, "size_text": "no limit", "time_ms": nil, "time_text": "not reported", "id": nil,
		"sn": "", "left": json.Number("1"), "kind": json.Number("0"), "kind_text": "reserved value"} {
		if diff := cmp.Diff(want, o[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	b[7], b[4], b[8] = 0xFF, 200, 0x07
	o = jsonObject(t, decoded(t, toy(), b))
	for key, want := range map[string]any{"time_ms": nil, "time_text": "for ever", "size_bytes": nil, "size_text": "not a size: 2^200", "sn_hex": "07000000"} {
		if diff := cmp.Diff(want, o[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// TestJSONOfGreatNumbers holds that no digit is lost.
func TestJSONOfGreatNumbers(t *testing.T) {
	s := &Structure{Name: "Great", Source: "none", Bytes: 16, Fields: []Field{{Name: "G", Title: "Great", Len: 16, Unit: "bytes"}}}
	b := make([]byte, 16)
	for i := range b {
		b[i] = 0xFF
	}
	o := jsonObject(t, decoded(t, s, b))
	const all = "340282366920938463463374607431768211455"
	if o["g_bytes"] != json.Number(all) || o["g_bytes_s"] != all {
		t.Errorf("2^128-1: %v", o)
	}
}

func TestJSONOfEntries(t *testing.T) {
	s := entries(nil)
	s.Lists[0].Index = "number"
	o := jsonObject(t, decoded(t, s, []byte{1, 2, 0x34, 0x12, 9, 1, 7}))
	want := []any{
		map[string]any{"number": json.Number("0"), "type": json.Number("1"), "len": json.Number("2"), "data": map[string]any{"v": json.Number("4660")}},
		map[string]any{"number": json.Number("1"), "type": json.Number("9"), "len": json.Number("1"), "reserved": []any{map[string]any{"byte": json.Number("2"), "hex": "07"}}},
	}
	if diff := cmp.Diff(want, o["entry"]); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestUUID(t *testing.T) {
	b := make([]byte, 16)
	b[0], b[15] = 0x12, 0x34
	if got, want := identifier(&Field{Name: "UUID"}, b), "12000000-0000-0000-0000-000000000034"; got != want {
		t.Errorf("UUID %s, want %s", got, want)
	}
}
