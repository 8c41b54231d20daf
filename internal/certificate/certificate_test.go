package certificate

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/proof"
)

// erased is the record of an erase that passed.
func erased() *erase.Record {
	status := uint16(0)
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &erase.Record{
		Schema: erase.Schema, Tool: erase.Tool{Name: "qd1", Version: "1.2.3"}, Technique: erase.FormatUserData, Claim: erase.Clear,
		Identity: guard.Identity{Serial: "PHM2913000TK960CGN", Model: "INTEL SSDPE21D960GA", Bytes: 960197124096},
		Commands: []erase.Command{{Name: "Format NVM", Queue: "admin", Op: 0x80, NSID: 1, CDW10: 0x200, TimeoutMS: 1800000}},
		Outcomes: []erase.Outcome{{Seconds: 1, Status: &status, Text: "Successful Completion"}}, Started: &started,
		Verification: erase.Verification{
			Command:    proof.Tier{Verdict: proof.Pass, Text: "success"},
			Comparison: proof.Tier{Verdict: proof.Pass, Text: "0 of 460515 equal"},
			Canaries:   proof.Tier{Verdict: proof.Pass, Text: "none of 256 is left"},
			FullRead:   proof.Tier{Verdict: proof.Skipped, Text: "not asked for"},
		},
		Verdict: proof.Pass, Result: erase.Done,
	}
}

func issue(t testing.TB, r *erase.Record) *Certificate {
	t.Helper()
	c, err := New(r, Subject{Media: Media{Manufacturer: "Intel", PropertyNumber: "A-1"}, Journal: []byte("journal")}, time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func signed(t testing.TB, c *Certificate) ([]byte, ed25519.PrivateKey) {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	file, err := Sign(c, key)
	if err != nil {
		t.Fatal(err)
	}
	return file, key
}

func TestVerify(t *testing.T) {
	c := issue(t, erased())
	file, key := signed(t, c)
	got, s, err := Verify(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.KeyID != KeyID(key.Public().(ed25519.PublicKey)) {
		t.Errorf("key %s", s.KeyID)
	}
	want, _ := json.Marshal(c)
	have, _ := json.Marshal(got)
	if diff := cmp.Diff(string(want), string(have)); diff != "" {
		t.Errorf("the certificate changed on its way (-want +got):\n%s", diff)
	}
	if _, _, err := Verify(file, key.Public().(ed25519.PublicKey)); err != nil {
		t.Errorf("with its own key: %v", err)
	}
	other, _ := NewKey()
	if _, _, err := Verify(file, other.Public().(ed25519.PublicKey)); err == nil || errors.Is(err, ErrTampered) {
		t.Errorf("another key is trusted: %v, want an error that is not tampering", err)
	}
}

// Every byte counts: each one is changed in each bit, left out, and doubled.
func TestEveryByteCounts(t *testing.T) {
	file, _ := signed(t, issue(t, erased()))
	for i := range file {
		for bit := range 8 {
			changed := bytes.Clone(file)
			changed[i] ^= 1 << bit
			mustFail(t, changed, i)
		}
		mustFail(t, append(bytes.Clone(file[:i]), file[i+1:]...), i)
		mustFail(t, append(append(bytes.Clone(file[:i]), file[i]), file[i:]...), i)
	}
	mustFail(t, append(bytes.Clone(file), '\n'), len(file))
	mustFail(t, append(bytes.Clone(file), "{}"...), len(file))
}

func mustFail(t *testing.T, file []byte, at int) {
	t.Helper()
	if _, _, err := Verify(file, nil); !errors.Is(err, ErrTampered) {
		t.Fatalf("a change at byte %d was not found: %v", at, err)
	}
}

// A signature by another key over a changed certificate is no forgery that can
// be found, but the key tells.
func TestForeignSignature(t *testing.T) {
	r := erased()
	c := issue(t, r)
	_, key := signed(t, c)
	c.Result = proof.Fail
	file, _ := signed(t, c)
	if _, _, err := Verify(file, key.Public().(ed25519.PublicKey)); err == nil {
		t.Error("a certificate by a foreign key was trusted")
	}
}

func TestResult(t *testing.T) {
	tests := []struct {
		name    string
		change  func(r *erase.Record)
		want    proof.Verdict
		says    string
		refuses bool
	}{
		{"pass", func(*erase.Record) {}, proof.Pass, "found nothing of the data", false},
		{"fail", func(r *erase.Record) { r.Verdict, r.Result = proof.Fail, erase.NotErased }, proof.Fail, "NOT ERASED", false},
		{"inconclusive", func(r *erase.Record) { r.Verdict, r.Result = proof.Inconclusive, erase.Unproven }, proof.Inconclusive, "NOT PROVEN", false},
		{"failed command", func(r *erase.Record) { r.Verdict, r.Result = proof.Skipped, erase.Failed }, proof.Fail, "NOT ERASED", false},
		{"interrupted", func(r *erase.Record) { r.Verdict, r.Result = proof.Skipped, erase.Interrupted }, proof.Inconclusive, "NOT PROVEN", false},
		{"a verdict that its class contradicts", func(r *erase.Record) { r.Result = erase.Interrupted }, proof.Inconclusive, "NOT PROVEN", false},
		{"not verified", func(r *erase.Record) { r.Verdict = proof.Skipped }, proof.Inconclusive, "NOT PROVEN", false},
		{"simulated", func(r *erase.Record) { r.Simulated = true }, proof.Pass, "SIMULATED", false},
		{"bare format", func(r *erase.Record) { r.Technique = erase.Format }, "", "", true},
		{"nothing sent", func(r *erase.Record) { r.Outcomes = nil }, "", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := erased()
			tt.change(r)
			c, err := New(r, Subject{}, time.Time{})
			if (err != nil) != tt.refuses {
				t.Fatalf("error %v, want one: %t", err, tt.refuses)
			}
			if err != nil {
				return
			}
			if c.Result != tt.want || !strings.Contains(c.Statement, tt.says) {
				t.Errorf("%s: %s, want %s with %q", c.Result, c.Statement, tt.want, tt.says)
			}
			file, _ := signed(t, c)
			if line, _, _ := strings.Cut(string(file), "\n"); !strings.HasPrefix(line, `{"result": "`+string(tt.want)+`: `) {
				t.Errorf("the first line of the file is %q", line)
			}
		})
	}
}

// The limits are never empty, and name what was not done.
func TestLimits(t *testing.T) {
	plain := strings.Join(limits(erased()), "\n")
	for _, want := range []string{"reserved areas", "word of the drive", "Not done: full read.", "Interruptions: none recorded."} {
		if !strings.Contains(plain, want) {
			t.Errorf("the limits lack %q:\n%s", want, plain)
		}
	}
	r := erased()
	r.Technique = erase.SanitizeCrypto
	r.Interruptions = []erase.Interruption{{Text: "the host lost its power"}}
	r.Verification = erase.Verification{}
	got := strings.Join(limits(r), "\n")
	for _, want := range []string{"change of the key", "Interruption: the host lost its power", "Not done: command evidence.", "Not done: canaries."} {
		if !strings.Contains(got, want) {
			t.Errorf("the limits lack %q:\n%s", want, got)
		}
	}
}

func TestKeys(t *testing.T) {
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := EncodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseKey(text); err != nil || !got.Equal(key) {
		t.Errorf("private key: %v", err)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	for _, form := range []string{string(public), signature(t, key).PublicKey, " " + signature(t, key).PublicKey + "\n"} {
		if got, err := ParsePublicKey([]byte(form)); err != nil || !got.Equal(key.Public()) {
			t.Errorf("public key %q: %v", form, err)
		}
	}
	for _, wrong := range []string{"", "x", string(public), strings.Replace(string(text), "M", "N", 1)} {
		if _, err := ParseKey([]byte(wrong)); err == nil {
			t.Errorf("%q passed for a private key", wrong)
		}
	}
	for _, wrong := range []string{"", "x", string(text), "AAAA"} {
		if _, err := ParsePublicKey([]byte(wrong)); err == nil {
			t.Errorf("%q passed for a public key", wrong)
		}
	}
}

func signature(t *testing.T, key ed25519.PrivateKey) *Signature {
	t.Helper()
	file, err := Sign(issue(t, erased()), key)
	if err != nil {
		t.Fatal(err)
	}
	_, s, err := Verify(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func FuzzVerify(f *testing.F) {
	// The processes that fuzz must all have the same file.
	file, err := Sign(issue(f, erased()), ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte(`{"result":"","certificate":{},"signature":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, _, err := Verify(b, nil)
		if err == nil && !bytes.Equal(b, file) && c.Record.Identity.Serial == "PHM2913000TK960CGN" {
			t.Errorf("another file passed:\n%s", b)
		}
	})
}
