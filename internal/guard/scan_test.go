package guard

import (
	"encoding/binary"
	"strings"
	"testing"

	"qd1.example/qd1/internal/inuse/signature"
)

// swapArea is the first page of a swap area as mkswap writes it.
func swapArea(label string) string {
	page := make([]byte, 4096)
	le := binary.LittleEndian
	le.PutUint32(page[1024:], 1)
	le.PutUint32(page[1028:], 1<<10)
	copy(page[1036:], "0123456789abcdef")
	copy(page[1052:], label)
	copy(page[4086:], "SWAPSPACE2")
	return string(page)
}

// TestScan goes the whole way with the scanner that Inspect uses, through the
// claimed device too.
func TestScan(t *testing.T) {
	b := newBench(t, "optane-905p")
	b.contents["nvme0n1"] = swapArea("spare")
	c, err := Inspect(t.Context(), b.on(t), formatOp(1))
	if err != nil {
		t.Fatal(err)
	}
	check := find(t, c.Judge(nil), checkSignatures)
	if check.Result != Consent || len(check.Kinds) != 1 || check.Kinds[0] != signature.Swap || !strings.Contains(check.Text, "spare") {
		t.Errorf("check %+v, want consent to a swap area by its label", check)
	}
	a := script(c)
	_, err = c.Claim(t.Context(), a)
	if got := failed(refused(t, err)); len(got) != 1 || got[0] != "signatures consent" {
		t.Errorf("refused %q", got)
	}
	a.Destroy = []signature.Kind{signature.Swap}
	p, err := c.Claim(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	b.nothing(t)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	b.contents["nvme0n1"] = swapArea("other")
	_, err = c.Claim(t.Context(), a)
	if got := failed(refused(t, err)); len(got) != 1 || got[0] != "changed refuse" {
		t.Errorf("after a change: refused %q", got)
	}
	b.leaks(t)
}
