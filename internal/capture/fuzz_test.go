package capture

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

func seeds(f *testing.F) {
	for _, s := range []string{
		header,
		header + exchangeLine + "\n",
		header + `{"sysfs":"class/nvme/nvme0/serial","text":"PHM2810300A1960CGN\n"}` + "\n" + `{"sysfs":"a","link":"../PHM2810300A1960CGN"}` + "\n",
		header + `{"sysfs":"a/wwid","text":"nvme.8086-303132333435-41-00000001"}` + "\n",
		header + `{"queue":"admin","opcode":10,"cdw10":129,"status":0,"result":0,"data":"AQIDBAUGBwg="}`,
		header + `{"queue":"io","opcode":2,"nsid":1,"delay_ms":1,"error":"gone","x":[{"a":1e5}]}`,
		byteOrderMark + header + "\r\n{",
	} {
		f.Add([]byte(s))
	}
}

// FuzzRead reads anything, and asks a capture that is good for what it has.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Read(bytes.NewReader(b))
		if err != nil {
			var parse *ParseError
			if c != nil || !errors.As(err, &parse) || parse.Line < 1 {
				t.Errorf("Read: %v, %v", c, err)
			}
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		for k := range c.answers {
			cmd := &nvme.Command{
				Queue: k.queue, Opcode: k.opcode, NSID: k.nsid, CDW10: k.cdw10, CDW11: k.cdw11,
				CDW12: k.cdw12, CDW13: k.cdw13, CDW14: k.cdw14, CDW15: k.cdw15, Data: make([]byte, 64),
			}
			if _, err := c.Submit(ctx, cmd); errors.Is(err, ErrNotRecorded) {
				t.Errorf("%+v is not found", k)
			}
		}
	})
}

// FuzzRedact redacts anything: the result must read as well as the original,
// with the same shape, and the same result once more.
func FuzzRedact(f *testing.F) {
	seeds(f)
	f.Add([]byte(identified(f)))
	f.Fuzz(func(t *testing.T, b []byte) {
		before, readErr := Read(bytes.NewReader(b))
		var out bytes.Buffer
		err := Redact(bytes.NewReader(b), &out)
		if (err != nil) != (readErr != nil) && !errors.Is(err, ErrTooLarge) {
			t.Fatalf("Redact: %v, Read: %v", err, readErr)
		}
		if err != nil {
			return
		}
		after, err := Read(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatalf("the redacted capture: %v\n%s", err, out.Bytes())
		}
		if len(after.answers) != len(before.answers) || len(after.texts) > len(before.texts) {
			t.Errorf("%d answers and %d texts, want %d and %d", len(after.answers), len(after.texts), len(before.answers), len(before.texts))
		}
		for k, list := range before.answers {
			for i, a := range list {
				if got := after.answers[k]; i >= len(got) || len(got[i].data) != len(a.data) || got[i].completion != a.completion {
					t.Fatalf("answer %d to %+v changed its shape", i, k)
				}
			}
		}
		var again bytes.Buffer
		if err := Redact(bytes.NewReader(b), &again); err != nil || !bytes.Equal(again.Bytes(), out.Bytes()) {
			t.Errorf("redacting again differs (%v)", err)
		}
		if n := strings.Count(out.String(), "\n"); n < 1 {
			t.Error("no lines")
		}
	})
}
