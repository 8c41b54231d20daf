package firmware

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// containers are what firmware comes in, or what comes in place of it, by the bytes
// at an offset of the file.
var containers = []struct {
	at    int
	magic string
	what  string
}{
	{0, "PK\x03\x04", "a ZIP archive"},
	{0, "\x1F\x8B\x08", "a gzip archive"},
	{0, "BZh", "a bzip2 archive"},
	{0, "\xFD7zXZ\x00", "an xz archive"},
	{0, "7z\xBC\xAF\x27\x1C", "a 7-Zip archive"},
	{0, "Rar!\x1A\x07", "a RAR archive"},
	{0, "MSCF\x00\x00\x00\x00", "a cabinet archive"},
	{0, "%PDF-", "a PDF document"},
	{257, "ustar", "a tar archive"},
	{32769, "CD001", "the image of a CD"},
}

// checkKind refuses files of another kind.
func checkKind(b []byte) error {
	if what := containerOf(b); what != "" {
		return &ImageError{"the file is " + what + ", not a firmware image", "take the image itself out of it"}
	}
	if isWebPage(b) {
		return &ImageError{"the file is a web page, not a firmware image", "the download ended in a page of the web site, a form perhaps: open it in a browser and download the image from there"}
	}
	return nil
}

// checkFill refuses a file without content.
func checkFill(b []byte) error {
	if len(b) > 0 && bytes.Count(b, b[:1]) == len(b) {
		return &ImageError{fmt.Sprintf("every byte of the image is %02Xh", b[0]), "the download or the copy has failed: download it again from the maker of the drive, and compare its sha256"}
	}
	return nil
}

func containerOf(b []byte) string {
	for _, c := range containers {
		if len(b) > c.at && bytes.HasPrefix(b[c.at:], []byte(c.magic)) {
			return c.what
		}
	}
	const offsetOfHeader = 0x3C
	if bytes.HasPrefix(b, []byte("MZ")) && len(b) >= offsetOfHeader+4 {
		if at := binary.LittleEndian.Uint32(b[offsetOfHeader:]); uint64(at) < uint64(len(b)) && bytes.HasPrefix(b[at:], []byte("PE\x00\x00")) {
			return "a program for Windows"
		}
	}
	return ""
}

func isWebPage(b []byte) bool {
	start := bytes.ToLower(bytes.TrimLeft(b[:min(len(b), 512)], "\xEF\xBB\xBF \t\r\n"))
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}
