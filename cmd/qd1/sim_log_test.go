package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestCommandLog checks the lines of the log, that each is in the file at once,
// and that no log costs nothing.
func TestCommandLog(t *testing.T) {
	drives, err := openServed([]string{"nand-modern?serial=LOGGED"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer closeServed(drives)
	file := filepath.Join(t.TempDir(), "log")
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.FixedZone("", 3600))
	l, err := openCommandLog(file, drives, func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	trace := l.tracer()
	trace(drives[0].nqn, &nvme.Command{Queue: nvme.AdminQueue, Opcode: nvme.AdminFormatNVM, NSID: 1, CDW10: 0x200, CDW11: 1, CDW12: 2, CDW13: 3, CDW14: 4, CDW15: 5})
	trace("", &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IOWrite})
	want := `{"time":"2026-01-02T02:04:05.000006Z","subsystem":"` + servedPrefix + `nand-modern","serial":"LOGGED","queue":"admin","opcode":128,` +
		`"name":"Format NVM","nsid":1,"cdw10":512,"cdw11":1,"cdw12":2,"cdw13":3,"cdw14":4,"cdw15":5}` + "\n" +
		`{"time":"2026-01-02T02:04:05.000006Z","subsystem":"","serial":"","queue":"io","opcode":1,` +
		`"name":"Write","nsid":0,"cdw10":0,"cdw11":0,"cdw12":0,"cdw13":0,"cdw14":0,"cdw15":0}` + "\n"
	got, err := os.ReadFile(file)
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v, lines (-want +got):\n%s", err, diff)
	}
	if err := l.close(); err != nil {
		t.Error(err)
	}
	if l, err := openCommandLog("", drives, time.Now); l.tracer() != nil || err != nil || l.close() != nil {
		t.Errorf("without a file there is a log, or an error: %v", err)
	}
}

// TestCommandLogFails checks that a log that is not whole says so.
func TestCommandLogFails(t *testing.T) {
	l, err := openCommandLog("/dev/full", nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l.trace("", &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead})
	}
	if err := l.close(); err == nil || !strings.Contains(err.Error(), "/dev/full is not whole") {
		t.Errorf("got %v, want that the log is not whole", err)
	}
}
