package sysfs

import (
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzLink(f *testing.F) {
	for _, seed := range []string{"8.0 GT/s PCIe", "2.5 GT/s", "Unknown", "255", "16", "0x10 GT/s", "1e400 GT/s", "RxErr 0\nTOTAL_ERR_COR 13\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v := parseSpeed(s); v != nil && !(*v > 0 && *v <= 1000 && !math.IsNaN(*v)) {
			t.Errorf("speed of %q = %v", s, *v)
		}
		if n := parseWidth(s); n != nil && (*n < 1 || *n > 32) {
			t.Errorf("width of %q = %d", s, *n)
		}
		a := readAER(Map(map[string]string{"d/aer_dev_fatal": s}, nil), "d")
		if a != nil && a.Fatal == nil {
			t.Errorf("%q gives counters without a total: %+v", s, a)
		}
		if c := clean(s); !utf8.ValidString(c) || strings.ContainsFunc(c, unicode.IsControl) {
			t.Errorf("clean(%q) = %q", s, c)
		}
	})
}

func FuzzSelect(f *testing.F) {
	for _, seed := range []string{"", "/dev/nvme0n1", "nvme1", "ng0n1", "01:00.0", "0000:01:00.0", "50EXAMPLE", "eui.", "eui.0123456789abcdef", "MPLE", "nvme99999999999999999999n1", "a/../b", "\x00"} {
		f.Add(seed)
	}
	fsys := crossedHost()
	f.Fuzz(func(t *testing.T, selector string) {
		got, err := selectWith(fsys, selector, crossedDev.stat)
		var se *SelectError
		switch {
		case err == nil && got.Controller != "nvme0" && got.Controller != "nvme1":
			t.Errorf("%q selects %+v", selector, got)
		case err != nil && (got != nil || !errors.As(err, &se) || se.Cause == "" || se.Hint == "" || se.Selector != selector):
			t.Errorf("%q: %+v, %v", selector, got, err)
		case err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl):
			t.Errorf("%q: the message has control characters: %q", selector, err)
		}
	})
}

// FuzzTree reads trees of junk: each line is a file "path=text" or a link
// "path>target".
func FuzzTree(f *testing.F) {
	f.Add("class/nvme/nvme0>../../d/nvme/nvme0\nd/nvme/nvme0/device>../..\nclass/nvme/nvme0/nvme0n1/nsid=1")
	f.Add("class/nvme/nvme0/x=1\nclass/nvme/nvme0>nvme0\nclass/nvme-subsystem/s/nvme0>../s\nclass/nvme-subsystem/s/nvme0n1/size=18446744073709551615")
	f.Add("class>class/nvme\na>a/a\nclass/nvme/nvme00000000000000000000000/state=dead")
	f.Fuzz(func(t *testing.T, lines string) {
		texts, links := map[string]string{}, map[string]string{}
		for line := range strings.Lines(lines) {
			line = strings.TrimSuffix(line, "\n")
			if name, target, ok := strings.Cut(line, ">"); ok {
				links[name] = target
			} else if name, text, ok := strings.Cut(line, "="); ok {
				texts[name] = text
			}
		}
		fsys := Map(texts, links)
		// A file in the place of the class is an error.
		names, err := Names(fsys)
		if err != nil && !errors.Is(err, fs.ErrInvalid) {
			t.Fatalf("Names: %v", err)
		}
		for _, name := range names {
			c, err := Read(fsys, name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Read(%s): %v", name, err)
			}
			for _, s := range namespacesOf(c) {
				if s.Bytes < 0 || s.LBABytes < 0 {
					t.Errorf("%s: negative size %+v", name, s)
				}
			}
		}
	})
}

func namespacesOf(c *Controller) []Namespace {
	if c == nil {
		return nil
	}
	return c.Namespaces
}
