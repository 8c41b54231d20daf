package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/certificate"
	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/proof"
)

func signedCertificate(t testing.TB, change func(*erase.Record)) SignedCertificate {
	t.Helper()
	r := eraseResult()
	change(r)
	c, err := certificate.New(r, certificate.Subject{
		Media:  certificate.Media{Manufacturer: "Intel", MarketingName: "Optane SSD 905P 960 GB", Type: "3D XPoint", Transport: "pcie", PropertyNumber: "A-17"},
		People: certificate.People{Operator: certificate.Person{Name: "A. Operator", Position: "technician"}, Place: "Building 3"},
		Tool:   certificate.Tool{Name: "qd1", Version: "1.2.3", Revision: "0123abc", BinarySHA256: strings.Repeat("ab", 32)},
		Host:   certificate.Host{Name: "bench", MachineID: "0011", Kernel: "6.1.0", Arch: "amd64"},
	}, time.Date(2026, 1, 2, 5, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	c.ID = "0123456789abcdef"
	return SignedCertificate{c, &certificate.Signature{Algorithm: "Ed25519", KeyID: "00112233aabbccdd", PublicKey: "AAAA"}}
}

func certificateText(t testing.TB, change func(*erase.Record), style Style) string {
	return text(t, func(b *bytes.Buffer) error { return Certificate(b, signedCertificate(t, change), style) })
}

func TestCertificateGolden(t *testing.T) {
	golden(t, "certificate.txt", certificateText(t, func(*erase.Record) {}, Style{}))
	golden(t, "certificate.html", text(t, func(b *bytes.Buffer) error {
		return CertificateHTML(b, signedCertificate(t, func(r *erase.Record) { r.Simulated = true }))
	}))
}

// A certificate of something else than a pass says so first, in each rendering.
func TestCertificateSaysItFirst(t *testing.T) {
	for _, tt := range []struct {
		verdict proof.Verdict
		class   erase.Class
	}{{proof.Pass, erase.Done}, {proof.Fail, erase.NotErased}, {proof.Inconclusive, erase.Unproven}} {
		change := func(r *erase.Record) { r.Verdict, r.Result = tt.verdict, tt.class }
		if got := certificateText(t, change, Style{}); !strings.HasPrefix(got, string(tt.verdict)+"  ") {
			t.Errorf("text of %s begins %q", tt.verdict, strings.SplitN(got, "\n", 2)[0])
		}
		page := text(t, func(b *bytes.Buffer) error { return CertificateHTML(b, signedCertificate(t, change)) })
		body := page[strings.Index(page, "<body>"):]
		if i := strings.Index(body, ">"+string(tt.verdict)+"</h1>"); i < 0 || i > 120 {
			t.Errorf("the page of %s begins %.200s", tt.verdict, body)
		}
		if !strings.Contains(page, "<title>"+string(tt.verdict)+" ") {
			t.Errorf("the title of the page of %s does not say it", tt.verdict)
		}
	}
}

// What a drive says of itself cannot become part of the page.
func TestCertificateHTMLIsClean(t *testing.T) {
	page := text(t, func(b *bytes.Buffer) error {
		return CertificateHTML(b, signedCertificate(t, func(r *erase.Record) { r.Identity.Model = "<script>alert(1)</script>" }))
	})
	if strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;") {
		t.Error("the model number is not escaped")
	}
	for _, outside := range []string{"http://", "https://", "src=", "url("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page needs something else: %s", outside)
		}
	}
}
