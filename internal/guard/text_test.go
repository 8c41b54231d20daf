package guard

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
)

func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1 000 bytes", 960_197_124_096: "960 197 124 096 bytes", -1: "-1 bytes", -123_456: "-123 456 bytes",
	} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestAnd(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := and(words); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

// TestLikeIdentify compares how sysfs and Identify clean the same bytes.
func TestLikeIdentify(t *testing.T) {
	for s, want := range map[string]string{
		"SERIAL": "SERIAL", "Ä": "\uFFFD\uFFFD", "A\uFFFDB": "A\uFFFDB", " A ": "A", "\x7f": "\uFFFD",
	} {
		if got := likeIdentify(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestSignatureText(t *testing.T) {
	for _, tt := range []struct {
		s    signature.Signature
		want string
	}{
		{signature.Signature{Kind: "ext", Text: `ext4 "backup" in partition 2`, Label: "backup"}, `nvme0n1 has ext4 "backup" in partition 2`},
		{signature.Signature{Kind: "ext", Text: "ext4", Label: "backup", UUID: "1-2"}, "nvme0n1 has ext4 (label backup, UUID 1-2)"},
		{
			signature.Signature{Kind: "zfs", Text: "member of the ZFS pool tank", Name: "tank", Host: "nas-01"},
			"nvme0n1 has member of the ZFS pool tank (host nas-01)",
		},
		{signature.Signature{Kind: "gpt"}, "nvme0n1 has gpt"},
	} {
		if got := signatureText("nvme0n1", &tt.s); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestUseHints has a next step for every kind of use.
func TestUseHints(t *testing.T) {
	for _, tt := range []struct {
		use  inuse.Use
		want string
	}{
		{inuse.Use{Kind: inuse.Mount, Name: "/srv"}, "umount /srv"},
		{inuse.Use{Kind: inuse.Mount}, "unmount it"},
		{inuse.Use{Kind: inuse.Swap, Device: "nvme0n1p2"}, "swapoff /dev/nvme0n1p2"},
		{inuse.Use{Kind: inuse.ZFS, Name: "tank"}, "zpool export tank"},
		{inuse.Use{Kind: inuse.OpenFile, PID: 12}, "process 12"},
		{inuse.Use{Kind: inuse.OpenFile}, "end the use"},
		{inuse.Use{Kind: inuse.Holder}, "end the use"},
		{inuse.Use{Kind: inuse.VFIO}, "virtual machine"},
	} {
		if got := useHint(&tt.use); !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q, want %q in it", tt.use, got, tt.want)
		}
	}
}

// TestFingerprint differs with everything that a user sees, and with nothing
// else.
func TestFingerprint(t *testing.T) {
	prints := map[string]string{}
	look := func(name, profile string, op Operation, prepare func(b *bench)) string {
		b := newBench(t, profile)
		if prepare != nil {
			prepare(b)
		}
		return b.inspect(t, op).Fingerprint()
	}
	quick := formatOp(1)
	quick.Timeout--
	still := formatOp(1)
	still.Writes = false
	crypto := formatOp(1)
	crypto.Commands[0].CDW10++
	for name, got := range map[string]string{
		"905P":      look("", "optane-905p", formatOp(1), nil),
		"used":      look("", "optane-905p-used", formatOp(1), nil),
		"time":      look("", "optane-905p", quick, nil),
		"writes":    look("", "optane-905p", still, nil),
		"dwords":    look("", "optane-905p", crypto, nil),
		"signature": look("", "optane-905p", formatOp(1), func(b *bench) { b.contents["nvme0n1"] = "ext 0 a\n" }),
		"label":     look("", "optane-905p", formatOp(1), func(b *bench) { b.contents["nvme0n1"] = "ext 0 b\n" }),
		"namespace": look("", "nand-modern?namespaces=2", formatOp(1), nil),
		"another":   look("", "nand-modern?namespaces=2", formatOp(2), nil),
	} {
		if other, ok := prints[got]; ok || got == "" {
			t.Errorf("%s has the fingerprint of %s: %s", name, other, got)
		}
		prints[got] = name
	}
	same := look("", "optane-905p", formatOp(1), func(b *bench) { b.power = []Check{pass("power", "on battery")} })
	if prints[same] != "905P" {
		t.Errorf("the fingerprint depends on something else: %s", same)
	}
}

// TestJSON has the keys that other programs rely on.
func TestJSON(t *testing.T) {
	b := newBench(t, "optane-905p")
	c := b.inspect(t, formatOp(1))
	text, err := json.Marshal(map[string]any{"identity": c.Identity, "radius": c.Radius, "checks": c.Judge(nil)[:1]})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"checks":[{"check":"identity","result":"pass","text":"drive and kernel agree: INTEL SSDPE21D960GA, serial number QD1SIM905PFRESH00001, nvme0 at 0000:01:00.0"}],` +
		`"identity":{"serial":"QD1SIM905PFRESH00001","model":"INTEL SSDPE21D960GA","firmware":"E2010480","pci_address":"0000:01:00.0","controller":"nvme0","simulated":false,"bytes":960197124096},` +
		`"radius":[{"nsid":1,"size_bytes":960197124096,"lbaf":0,"lba_bytes":512,"metadata_bytes":0,"block":"nvme0n1","generic":"ng0n1","controllers":["nvme0"],"why":"named","signatures":[]}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestRefusal(t *testing.T) {
	err := refusal(pass("a", "fine"), refuse("b", "", "bad"), Check{Check: "c", Result: Consent, Text: "lost"})
	if got, want := err.Error(), "refused: bad; lost"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := refusal(pass("a", "fine")); err != nil {
		t.Errorf("%v, want nil", err)
	}
}
