package capture

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestWriter pins the format to the byte.
func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Header{
		Tool: "qd1 1.0 <test>", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Kernel: "6.1.0",
		Controller: "nvme0", Transport: "pcie",
		PCI:        &PCI{Address: "0000:01:00.0", VendorID: 0x8086, DeviceID: 0x2700, SubsystemVendorID: 0x8086, SubsystemDeviceID: 0x3904},
		Namespaces: []Namespace{{NSID: 1, Bytes: 960197124096, LBABytes: 512}},
	})
	if err != nil {
		t.Fatal(err)
	}
	submit := func(p nvme.Passthru, cmd nvme.Command) {
		t.Helper()
		if _, err := w.Passthru(p).Submit(t.Context(), &cmd); err != nil && err.Error() != "no such device" {
			t.Fatal(err)
		}
	}
	good := answerer(nvme.Completion{Result: 1 << 60}, []byte{1, 2, 3}, nil)
	submit(good, nvme.Command{Opcode: 6, CDW10: 1, CDW15: 9, Data: make([]byte, 4)})
	submit(good, nvme.Command{Queue: nvme.IOQueue, Opcode: 2, NSID: 0xFFFFFFFF, CDW11: 1, CDW12: 2, CDW13: 3, CDW14: 4})
	// What goes to the drive, and a buffer that the drive did not fill.
	submit(good, nvme.Command{Queue: nvme.IOQueue, Opcode: 1, NSID: 1, Data: []byte("secret")})
	submit(answerer(nvme.Completion{Status: 0x4002}, nil, nil), nvme.Command{Opcode: 2, Data: []byte("secret")})
	submit(answerer(nvme.Completion{Status: 1}, []byte("late"), errors.New("no such device")), nvme.Command{Opcode: 2, Data: make([]byte, 4)})
	w.Sysfs("class/nvme/nvme0/state", "live\n")
	w.SysfsLink("class/nvme/nvme0", "../../devices/a&b")
	w.Sysfs("empty", "")
	want := strings.Join([]string{
		`{"capture":"qd1/1","tool":"qd1 1.0 <test>","time":"2026-01-02T03:04:05Z","kernel":"6.1.0","controller":"nvme0","transport":"pcie","pci":{"address":"0000:01:00.0","vendor_id":32902,"device_id":9984,"subsystem_vendor_id":32902,"subsystem_device_id":14596},"namespaces":[{"nsid":1,"bytes":960197124096,"lba_bytes":512}]}`,
		`{"queue":"admin","opcode":6,"nsid":0,"cdw10":1,"cdw15":9,"status":0,"result":1152921504606846976,"data":"AQIDAA=="}`,
		`{"queue":"io","opcode":2,"nsid":4294967295,"cdw11":1,"cdw12":2,"cdw13":3,"cdw14":4,"status":0,"result":1152921504606846976}`,
		`{"queue":"io","opcode":1,"nsid":1,"status":0,"result":1152921504606846976}`,
		`{"queue":"admin","opcode":2,"nsid":0,"status":16386,"result":0}`,
		`{"queue":"admin","opcode":2,"nsid":0,"status":0,"result":0,"error":"no such device"}`,
		`{"sysfs":"class/nvme/nvme0/state","text":"live\n"}`,
		`{"sysfs":"class/nvme/nvme0","link":"../../devices/a&b"}`,
		`{"sysfs":"empty","text":""}`,
		"",
	}, "\n")
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("capture (-want +got):\n%s", diff)
	}
	if err := w.Err(); err != nil {
		t.Errorf("Err: %v", err)
	}
	if _, err := Read(&out); err != nil {
		t.Errorf("Read: %v", err)
	}
}

// failing is a file on a full disk after so many writes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestWriterError(t *testing.T) {
	if _, err := NewWriter(&failing{}, Header{}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("NewWriter: %v", err)
	}
	f := &failing{left: 1}
	w, err := NewWriter(f, Header{})
	if err != nil {
		t.Fatal(err)
	}
	p := w.Passthru(answerer(nvme.Completion{Result: 7}, []byte{9}, nil))
	for range 2 {
		cmd := &nvme.Command{Opcode: 6, Data: make([]byte, 1)}
		c, err := p.Submit(t.Context(), cmd)
		if err != nil || c.Result != 7 || cmd.Data[0] != 9 {
			t.Errorf("a failed recording changed the answer: %v, %v, %v", c, err, cmd.Data)
		}
	}
	if err := w.Err(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Err: %v", err)
	}
	if f.left != -1 {
		t.Errorf("%d writes after the first error", -1-f.left)
	}
}

func TestWriterConcurrent(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Header{})
	if err != nil {
		t.Fatal(err)
	}
	p := w.Passthru(answerer(nvme.Completion{}, nil, nil))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				p.Submit(t.Context(), &nvme.Command{Opcode: 6, CDW10: uint32(i), Data: make([]byte, 64)})
				w.Sysfs("a", "b")
			}
		})
	}
	wg.Wait()
	c, err := Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, list := range c.answers {
		total += len(list)
	}
	if total != 400 {
		t.Errorf("%d exchanges, want 400", total)
	}
}

type silentError struct{}

func (silentError) Error() string { return "" }

func TestErrorWithoutText(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Header{})
	if err != nil {
		t.Fatal(err)
	}
	w.Passthru(answerer(nvme.Completion{}, nil, silentError{})).Submit(t.Context(), &nvme.Command{})
	c, err := Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	var recorded *RecordedError
	if _, err := c.Submit(t.Context(), &nvme.Command{}); !errors.As(err, &recorded) || recorded.Text == "" {
		t.Errorf("replay: %v, want a recorded error", err)
	}
}
