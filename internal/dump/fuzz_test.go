package dump

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"qd1.example/qd1/nvme"
)

// FuzzRead reads anything. What it accepts must answer every command of a
// report, name only fields that exist, and have a place for every drive.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.[tjb][xsi]*")
	if err != nil || len(files) < 30 {
		f.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		name, _ = filepath.Rel("testdata", name)
		f.Add(load(f, name))
	}
	f.Add([]byte(`{"nsze":0,"":0}`)) // A reserved field has no key.
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Read(bytes.NewReader(b))
		if err != nil {
			var parse *ParseError
			if d != nil || !errors.As(err, &parse) {
				t.Errorf("Read: %v, %v", d, err)
			}
			return
		}
		for _, drive := range d.Drives {
			checkAnswers(t, drive)
			checkFields(t, drive)
		}
	})
}

// checkAnswers asks for the pages: those that the drive has must come.
func checkAnswers(t *testing.T, d *Drive) {
	c := nvme.NewController(d)
	id, err := c.Identify(t.Context())
	if (err == nil) != d.Has(PageController) || err != nil && !errors.Is(err, ErrNotInDump) {
		t.Errorf("Identify: %v, has %t", err, d.Has(PageController))
	}
	if _, err := c.SMARTLog(t.Context()); (err == nil) != d.Has(PageSMART) {
		t.Errorf("SMART log: %v", err)
	}
	if _, err := c.FirmwareSlotLog(t.Context()); (err == nil) != d.Has(PageFirmware) {
		t.Errorf("firmware slot log: %v", err)
	}
	if id == nil {
		return
	}
	log, err := c.ErrorLog(t.Context(), id)
	if shown, _ := d.ErrorEntries(); (err == nil) != d.Has(PageErrors) || len(log) > shown {
		t.Errorf("error log: %d entries of %d, %v", len(log), shown, err)
	}
	list, err := c.ActiveNamespaces(t.Context(), id)
	if err == nil && !d.Has(PageNamespace) {
		t.Errorf("namespaces %v that are not there", list)
	}
}

func checkFields(t *testing.T, d *Drive) {
	for _, field := range d.Missing() {
		if d.Has(field) {
			t.Errorf("%s is missing and there", field)
		}
	}
	for _, field := range d.RoundedFields() {
		if !d.Has(field) {
			t.Errorf("%s is rounded and not there", field)
		}
	}
	for _, name := range []string{PageController, PageSMART, PageFirmware, PageErrors, PageNamespace} {
		for _, p := range d.pages(name) {
			for key := range p.known {
				if !p.field(key).IsValid() {
					t.Errorf("%s has %q, which is no field", name, key)
				}
			}
		}
	}
}

// FuzzNumber reads any number: what is accepted is what its digits say.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "1.234.567", "12,34,567", "0x9", "1\u00a0600\u00a0321", "[8.78 TB]", "100%", "29°C (302 Kelvin)", "-273 C", "1'000", "\xff\xfe123"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseNumber(s); err == nil {
			again, err := parseNumber(n.String())
			if err != nil || again.Uint128 != n.Uint128 {
				t.Errorf("%q is %v, which is %v, %v", s, n, again, err)
			}
		}
		if k, err := parseKelvin(s); err == nil && (k.Hi != 0 || k.Lo > 0xFFFFF) {
			t.Errorf("%q is %v K", s, k)
		}
	})
}
