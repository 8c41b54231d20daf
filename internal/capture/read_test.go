package capture

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const exchangeLine = `{"queue":"admin","opcode":6,"nsid":0,"cdw10":1,"status":0,"result":0,"data":"hoCGgA=="}`

func TestReadErrors(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		is         error
		want       string
	}{
		{"empty", "", ErrNotCapture, "line 1: not a qd1 capture"},
		{"empty lines only", "\n\n\n", ErrNotCapture, "line 4: not a qd1 capture"},
		{"binary", "\x7fELF\x00\x01", ErrNotCapture, "line 1: not a qd1 capture"},
		{"other JSON", `{"schema":"qd1.report/1"}`, ErrNotCapture, "line 1: not a qd1 capture"},
		{"array", `["capture"]`, ErrNotCapture, "line 1: not a qd1 capture"},
		{"null", `null`, ErrNotCapture, "line 1: not a qd1 capture"},
		{"other capture", `{"capture":"pcap/1"}`, ErrNotCapture, "line 1: not a qd1 capture"},
		{"number", `{"capture":1}`, ErrNotCapture, "line 1: not a qd1 capture"},
		{"cut header", `{"capture":"qd1/1"`, ErrNotCapture, "line 1: not a qd1 capture"},
		{"long header", `{"capture":"qd1/1","x":"` + strings.Repeat("x", maxHeaderBytes) + `"}`, ErrNotCapture, "line 1: not a qd1 capture"},
		{"later version", `{"capture":"qd1/2"}`, ErrVersion, `line 1: made by another version of qd1: the format is "qd1/2", this version reads "qd1/1"`},
		{"cut file", header + exchangeLine + "\n" + exchangeLine + "\n" + `{"queue":"admin","op`, ErrTruncated,
			"line 4: truncated JSON: the file ends in the middle of an object; the 2 exchanges before it are whole"},
		{"cut line", header + `{"queue":"admin","op` + "\n" + exchangeLine, ErrTruncated, "line 2: truncated JSON: the line ends in the middle of an object"},
		{"not an object", header + "[1]\n", nil, "line 2: not a JSON object"},
		{"null line", header + "null\n", nil, "line 2: not a JSON object"},
		{"not JSON", header + "\n{queue}\n", nil, "line 3: not JSON: invalid character 'q' looking for beginning of object key string"},
		{"two objects", header + "{} {}\n", nil, "line 2: not JSON: invalid character '{' after top-level value"},
		{"wrong type", header + `{"queue":"admin","opcode":"6"}`, nil, "line 2: the value of opcode cannot be a string"},
		{"number too large", header + `{"queue":"admin","opcode":256}`, nil, "line 2: the value of opcode cannot be a number 256"},
		{"negative", header + `{"queue":"admin","cdw10":-1}`, nil, "line 2: the value of cdw10 cannot be a number -1"},
		{"not base64", header + `{"queue":"admin","opcode":6,"data":"!!"}`, nil, "line 2: data is not base64"},
		{"status of 16 bits", header + `{"queue":"admin","status":32768}`, nil, "line 2: status 32768 has more than 15 bits"},
		{"other queue", header + `{"queue":"discovery"}`, nil, `line 2: queue is "discovery", not "admin" or "io"`},
		{"no queue", header + `{"opcode":6}`, nil, "line 2: neither an exchange nor a sysfs line"},
		{"second header", header + header, nil, "line 2: a second header"},
		{"absolute path", header + `{"sysfs":"/sys/a","text":""}`, nil, `line 2: the sysfs path "/sys/a" is not relative to /sys`},
		{"path outside", header + `{"sysfs":"../etc/passwd","text":""}`, nil, `line 2: the sysfs path "../etc/passwd" is not relative to /sys`},
		{"sysfs alone", header + `{"sysfs":"a"}`, nil, `line 2: a sysfs line without "text" or "link"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := Read(strings.NewReader(tc.text))
			if c != nil {
				t.Error("a capture came with the error")
			}
			var parse *ParseError
			if !errors.As(err, &parse) || err.Error() != tc.want {
				t.Fatalf("error %v, want %s", err, tc.want)
			}
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("error %v is not %v", err, tc.is)
			}
		})
	}
}

func TestReadTolerates(t *testing.T) {
	for name, text := range map[string]string{
		"plain":         header + exchangeLine + "\n",
		"no last end":   header + exchangeLine,
		"BOM":           byteOrderMark + header + exchangeLine,
		"CR LF":         strings.ReplaceAll(header+exchangeLine+"\n", "\n", "\r\n"),
		"empty lines":   "\n\n" + header + "\n \t\n" + exchangeLine + "\n\n\n",
		"unknown keys":  strings.Replace(header, "{", `{"note":{"a":[1]},`, 1) + strings.Replace(exchangeLine, "{", `{"took_us":12,"x":null,`, 1),
		"other types":   `{"capture":"qd1/1","controller":"nvme0","tool":{"name":"qd1"},"time":"yesterday","pci":{"vendor_id":"0x8086","device_id":9984}}` + "\n" + exchangeLine,
		"one byte each": header + exchangeLine,
	} {
		r := io.Reader(strings.NewReader(text))
		if name == "one byte each" {
			r = iotest.OneByteReader(r)
		}
		c, err := Read(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(c.answers) != 1 || c.Header().Controller != "nvme0" {
			t.Errorf("%s: %d answers, header %+v", name, len(c.answers), c.Header())
		}
	}
}

func TestReadHeaderAndSysfs(t *testing.T) {
	c := read(t, `{"capture":"qd1/1","tool":"x","time":"2026-01-02T03:04:05Z","pci":{"address":"0000:01:00.0","vendor_id":32902},"namespaces":[{"nsid":1,"bytes":5,"lba_bytes":512}]}
{"sysfs":"class/nvme/nvme0","link":"../../devices/x"}
{"sysfs":"devices/x/state","text":"new\n"}
{"sysfs":"devices/x/state","text":"live\n"}
`)
	want := Header{
		Capture: "qd1/1", Tool: "x", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		PCI:        &PCI{Address: "0000:01:00.0", VendorID: 0x8086},
		Namespaces: []Namespace{{NSID: 1, Bytes: 5, LBABytes: 512}},
	}
	if diff := cmp.Diff(want, c.Header()); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	texts, links := c.Sysfs()
	if diff := cmp.Diff(map[string]string{"devices/x/state": "live\n"}, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"class/nvme/nvme0": "../../devices/x"}, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	clear(texts)
	if texts, _ := c.Sysfs(); len(texts) != 1 {
		t.Error("the caller can change the capture")
	}
}

func TestReadFailingReader(t *testing.T) {
	broken := errors.New("device gone")
	_, err := Read(io.MultiReader(strings.NewReader(header), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("Read: %v", err)
	}
}

// endless gives the same text again and again and counts what was taken.
type endless struct {
	text  string
	limit int
	taken int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.taken >= e.limit {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text[(e.taken+n)%len(e.text):])
	}
	e.taken += n
	return n, nil
}

// TestReadJunk checks that 100 MB of what is not a capture are refused without
// reading or keeping much of it.
func TestReadJunk(t *testing.T) {
	const mb = 1 << 20
	for _, tc := range []struct {
		name, start, text string
		is                error
		most              int // Bytes read.
	}{
		{"zero bytes", "", "\x00", ErrNotCapture, mb},
		{"text", "", "lorem ipsum ", ErrNotCapture, mb},
		{"lines", "", "lorem ipsum\n", ErrNotCapture, mb},
		{"open braces", "", "{", ErrNotCapture, mb},
		{"zero bytes after a header", header, "\x00", errNotObject, mb},
		{"an endless object", header + `{"data":"`, "AAAA", ErrTooLarge, MaxLineBytes + mb},
		{"braces after a header", header, "{", ErrTooLarge, MaxLineBytes + mb},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			src := &endless{text: tc.text, limit: 100 * mb}
			_, err := Read(io.MultiReader(strings.NewReader(tc.start), src))
			runtime.ReadMemStats(&after)
			if !errors.Is(err, tc.is) {
				t.Errorf("error %v, want %v", err, tc.is)
			}
			if src.taken > tc.most {
				t.Errorf("%d bytes read, want at most %d", src.taken, tc.most)
			}
			if got := after.HeapSys - min(after.HeapSys, before.HeapSys); got > 256*mb {
				t.Errorf("the heap grew by %d MiB", got/mb)
			}
		})
	}
}

// TestReadTooMuch checks the bounds of good lines, with smaller ones.
func TestReadTooMuch(t *testing.T) {
	const mb = 1 << 20
	if got, want := newParser().limits, (limits{MaxLineBytes, MaxDataBytes, MaxLines}); got != want {
		t.Errorf("limits %v, want %v", got, want)
	}
	data := fmt.Sprintf(`{"queue":"admin","opcode":6,"nsid":0,"status":0,"result":0,"data":"%s"}`+"\n", strings.Repeat("AAAA", 64<<10))
	for _, tc := range []struct{ name, text, want string }{
		{"exchanges", exchangeLine + "\n", "line 102: too large: more than 100 lines"},
		{"sysfs lines", `{"sysfs":"a","text":"b"}` + "\n", "line 102: too large: more than 100 lines"},
		{"data", data, "line 18: too large: more than 3 MiB of data"},
		{"texts", fmt.Sprintf(`{"sysfs":"a","text":"%s"}`+"\n", strings.Repeat("x", mb)), "line 4: too large: more than 3 MiB of data"},
		{"links", fmt.Sprintf(`{"sysfs":"a","link":"%s"}`+"\n", strings.Repeat("x", mb)), "line 4: too large: more than 3 MiB of data"},
	} {
		p := newParser()
		p.limits = limits{MaxLineBytes, 3 * mb, 100}
		err := p.parse(io.MultiReader(strings.NewReader(header), &endless{text: tc.text, limit: 64 * mb}), nil)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
}

func TestLongestLine(t *testing.T) {
	line := func(n int) string {
		const rest = len(`{"queue":"io","x":""}`)
		return `{"queue":"io","x":"` + strings.Repeat("x", n-rest) + `"}`
	}
	if _, err := Read(strings.NewReader(header + line(MaxLineBytes-1) + "\n")); err != nil {
		t.Errorf("line of 16 MiB: %v", err)
	}
	_, err := Read(strings.NewReader(header + line(MaxLineBytes+maxHeaderBytes) + "\n"))
	if err == nil || err.Error() != "line 2: too large: longer than 16 MiB" {
		t.Errorf("line of more than 16 MiB: %v", err)
	}
}
