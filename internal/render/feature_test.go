package render

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

var featurePart = Part{Simulated: true, Drive: &report.Identity{Model: "MODEL", Serial: "SERIAL"}}

// dword is a value of a feature by its table.
func dword(t *testing.T, word string, value uint32) *report.Feature {
	t.Helper()
	f := spec.FeatureByName(word)
	v, err := f.Result.Decode(binary.LittleEndian.AppendUint32(nil, value))
	if err != nil {
		t.Fatal(err)
	}
	return &report.Feature{FID: f.FID, Name: f.Name, Title: f.Title, Select: "current", Value: &value, Fields: &spec.Flat{Value: v}, Words: v.Words()}
}

func transitionFeature(t *testing.T) *report.Feature {
	f := dword(t, "auto-pst", 1)
	f.Words, f.Raw = "enabled", make([]byte, 256)
	f.Capabilities = &report.FeatureCapabilities{Saveable: true, Changeable: true}
	f.Transitions = []report.PowerTransition{
		{From: 0, To: 3, After: 100, Milliwatts: 50, EntryLatency: 5000, ExitLatency: 10_000},
		{From: 3, To: 4, After: 12_000},
	}
	v, err := spec.FeatureByName("auto-pst").Data.Decode(f.Raw)
	if err != nil {
		t.Fatal(err)
	}
	f.Data = v
	return f
}

func featureText(t *testing.T, f *report.Feature, full bool, style Style) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error { return Feature(b, featurePart, f, full, style) })
}

func TestFeature(t *testing.T) {
	golden(t, "feature-transitions.txt", featureText(t, transitionFeature(t), false, Style{}))
	cache := dword(t, "volatile-wc", 1)
	cache.NSID, cache.CDW11 = 2, 0x10
	cache.Capabilities = &report.FeatureCapabilities{}
	golden(t, "feature-full.txt", featureText(t, cache, true, Style{}))
	vendor := &report.Feature{FID: 0xC1, Title: "Vendor Specific C1h", Select: "default", Value: new(uint32), Raw: []byte{1, 2, 3}, Words: "0x00000000, and 3 bytes"}
	golden(t, "feature-vendor.txt", featureText(t, vendor, false, Style{}))
	told := &report.Feature{FID: 2, Title: "Power Management", Select: "supported", Words: "changeable", Capabilities: &report.FeatureCapabilities{Changeable: true}}
	golden(t, "feature-supported.txt", featureText(t, told, false, Style{}))
}

func TestFeatures(t *testing.T) {
	failed := dword(t, "irq-config", 0)
	failed.Problem, failed.Value = &report.Problem{Text: "the drive did not answer", Hint: "wait"}, nil
	list := &report.FeatureList{
		Features: []report.Feature{*dword(t, "temp-thresh", 356), *transitionFeature(t), *failed},
		NotAsked: []report.NotAsked{{Name: "kato"}, {Name: "rrl"}},
	}
	show := func(full bool, style Style) string {
		return text(t, func(b *bytes.Buffer) error { return Features(b, featurePart, list, full, style) })
	}
	golden(t, "features.txt", show(false, Style{}))
	golden(t, "features-60.txt", show(false, Style{Width: 60}))
	golden(t, "features-full.txt", show(true, Style{}))
}

// changedGuard is a check of each kind.
func changedGuard() Guarded {
	return Guarded{
		Checks: []guard.Check{
			{Check: "queues", Result: guard.Refuse, Text: "never", Hint: "do not"},
			{Check: "write-protect", Result: guard.Consent, Text: "writes fail", Hint: "accept it"},
			{Check: "simulated", Result: guard.Pass, Warning: true, Text: "SIMULATED"},
			{Check: "serial", Result: guard.Pass, Text: "fine"},
		},
		Identity: guard.Identity{Model: "MODEL", Bytes: 1000}, Phrase: "SET MODEL SERIAL",
	}
}

func TestFeatureChanged(t *testing.T) {
	c := &FeatureChange{
		Command: nvme.FeatureSetting{FID: 6, CDW11: 1, Save: true}.Command(),
		Before:  dword(t, "volatile-wc", 0), Guarded: changedGuard(), Outcome: "nothing was sent",
	}
	show := func() string {
		return text(t, func(b *bytes.Buffer) error { return FeatureChanged(b, featurePart, c, Style{}) })
	}
	golden(t, "feature-plan.txt", show())
	c.After, c.Guarded, c.Outcome, c.Failed = &report.Feature{Problem: &report.Problem{Text: "gone"}}, Guarded{}, "not read back", true
	golden(t, "feature-changed.txt", show())
}

func TestPassthru(t *testing.T) {
	r := &PassthruResult{
		Command: &nvme.Command{Opcode: nvme.AdminIdentify, CDW10: 1, Data: make([]byte, 16), Metadata: make([]byte, 8)},
		Effect:  nvme.Effect{Access: nvme.Reads, Why: "an identify structure is read"}, Sent: true,
		Completion: nvme.Completion{Result: 0x1_0000_0002}, LatencyMicroseconds: 123.456, Data: []byte("sixteen bytes..."), Metadata: []byte{1},
	}
	show := func() string {
		return text(t, func(b *bytes.Buffer) error { return Passthru(b, featurePart, r, Style{}) })
	}
	golden(t, "passthru.txt", show())
	r.Kept, r.Completion.Status = "file", 0x4002
	if got := show(); strings.Contains(got, "sixteen") || !strings.Contains(got, "Invalid Field in Command (0x002, do not retry)") {
		t.Errorf("data in a file:\n%s", got)
	}
	r = &PassthruResult{
		Command: &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IOWrite, NSID: 1, CDW2: 2, CDW3: 3, CDW10: 10, CDW11: 11, CDW12: 12, CDW13: 13, CDW14: 14, CDW15: 15, Data: make([]byte, 512)},
		Effect:  nvme.Effect{Why: "blocks of the namespace are written"}, Guarded: changedGuard(),
	}
	golden(t, "passthru-plan.txt", show())
}

func TestTransferText(t *testing.T) {
	for opcode, want := range map[uint8]string{0: "without a direction", 1: "to the drive", 2: "from the drive", 3: "both ways"} {
		if got := transferText(&nvme.Command{Opcode: opcode}); got != want {
			t.Errorf("%d: %q, want %q", opcode, got, want)
		}
	}
}
