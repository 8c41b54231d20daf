package firmware_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/internal/firmware"
)

// TestNoFirmware refuses files that are something else for certain, and no others.
func TestNoFirmware(t *testing.T) {
	at := func(offset int, magic string) []byte {
		b := bytes.Repeat([]byte{0x5A, 0xA5}, 20000)
		copy(b[offset:], magic)
		return b
	}
	windows := at(0x80, "PE\x00\x00")
	copy(windows, "MZ")
	copy(windows[0x3C:], "\x80\x00\x00\x00")
	for _, tt := range []struct {
		name, says string
		content    []byte
	}{
		{"zeros", "every byte of the image is 00h", make([]byte, 4096)},
		{"ones", "every byte of the image is FFh", bytes.Repeat([]byte{0xFF}, 4096)},
		{"a page", "web page", []byte("\xEF\xBB\xBF\n<!DOCTYPE HTML><title>Log in</title>")},
		{"a page without a type", "web page", []byte("<HTML lang=en>")},
		{"zip", "ZIP archive", at(0, "PK\x03\x04")},
		{"gzip", "gzip archive", at(0, "\x1F\x8B\x08")},
		{"cabinet", "cabinet archive", at(0, "MSCF\x00\x00\x00\x00")},
		{"tar", "tar archive", at(257, "ustar")},
		{"CD", "image of a CD", at(32769, "CD001")},
		{"program", "program for Windows", windows},
		{"MZ alone", "", at(0, "MZ")},
		{"MZ with a header beyond its end", "", slices.Concat([]byte("MZ"), at(0, "")[2:])},
		{"short", "", []byte{1, 2, 3, 4}},
		{"words", "", []byte("<htmx>..")},
	} {
		_, err := firmware.NewImage("x.img", tt.content)
		var image *firmware.ImageError
		switch {
		case tt.says == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.says != "" && (!errors.As(err, &image) || !strings.Contains(image.Text, tt.says) || image.Hint == ""):
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.says)
		}
	}
}
