package vendor

import "testing"

// TestIdentified tells pages by their GUID alone: the drives of a vendor that is in
// no table have those of the Open Compute Project, too.
func TestIdentified(t *testing.T) {
	for name, want := range map[string]string{
		"wdc-sn640.c0":        "OCP SMART / Health Information Extended",
		"ocp-25.c0":           "OCP SMART / Health Information Extended",
		"ocp.c1":              "OCP Error Recovery",
		"ocp.c3":              "OCP Latency Monitor",
		"wdc-extended.c0":     "WDC Extended SMART",
		"kioxia.c0":           "",
		"optane-directory.c0": "",
	} {
		l, ok := Identified(lidDirectory, page(t, name))
		if ok != (want != "") || l.Name != want {
			t.Errorf("%s: %q, want %q", name, l.Name, want)
			continue
		}
		if !ok {
			continue
		}
		if v, err := l.Decode(page(t, name)); err != nil || len(v.Rows()) == 0 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	if _, ok := Identified(lidDirectory, page(t, "ocp.c1")[:511]); ok {
		t.Error("a page that is cut has no GUID")
	}
}
