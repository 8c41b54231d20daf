package report

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func TestReadRow(t *testing.T) {
	f := optane(t)
	row := ReadRow(t.Context(), &Drive{Passthru: f, Host: fakeHost()}, time.Second)
	if row.Problem != nil || row.Serial != "PHM2810300A1960CGN" || *row.SizeBytes != 960197124096 || *row.CompositeTemperatureCelsius != 35 ||
		*row.PercentageUsedPercent != 0 || *row.PCIAddress != "0000:01:00.0" || len(row.Namespaces) != 1 {
		t.Errorf("row: %+v", row)
	}
	f.before = fails("ctrl", nvme.Completion{}, &fs.PathError{Op: "ioctl", Path: "/dev/nvme0", Err: syscall.EACCES})
	row = ReadRow(t.Context(), &Drive{Passthru: f, Host: fakeHost()}, time.Second)
	if row.Problem == nil || row.Problem.Kind != KindPermission || row.Serial != "HOSTSERIAL" || *row.SizeBytes != 960197124096 {
		t.Errorf("without permission: %+v", row)
	}
	for _, page := range []string{"smart", "ns"} {
		f.before = fails(page, nvme.Completion{}, errors.New("boom"))
		if row = ReadRow(t.Context(), &Drive{Passthru: f}, time.Second); row.Problem == nil || row.Problem.Text != "boom" {
			t.Errorf("%s fails: %+v", page, row.Problem)
		}
	}
	if row = FailedRow(&Drive{Selector: "nvme9"}, errors.New("gone")); row.Problem.Text != "gone" || row.Namespaces == nil {
		t.Errorf("failed row: %+v", row)
	}
}

func TestSession(t *testing.T) {
	f := optane(t)
	s, err := Begin(t.Context(), &Drive{Passthru: f, Host: fakeHost()}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	nsid, err := s.DefaultNSID(t.Context())
	if err != nil || nsid != 1 {
		t.Errorf("default namespace %d, %v", nsid, err)
	}
	if ns, err := s.Namespace(t.Context(), 1); err != nil || *ns.Generic != "ng5n1" {
		t.Errorf("namespace %+v, %v", ns, err)
	}
	if section, err := s.ReadSMARTSection(t.Context()); err != nil || section.PowerCycles.Lo != 5 {
		t.Errorf("SMART %+v, %v", section, err)
	}
	if fw, err := s.ReadFirmware(t.Context()); err != nil || fw.ActiveSlot != 1 || len(fw.Slots) != 1 {
		t.Errorf("firmware %+v, %v", fw, err)
	}
	if e, err := s.ReadErrors(t.Context()); err != nil || len(e.Entries) != 0 {
		t.Errorf("errors %+v, %v", e, err)
	}
	s.Drive.NSID = 7
	if nsid, _ := s.DefaultNSID(t.Context()); nsid != 7 {
		t.Errorf("the namespace that was named is not used: %d", nsid)
	}
	f.pages["ns"] = make([]byte, 4096)
	if _, err := s.Namespace(t.Context(), 2); problemOf(err).Kind != KindNoData {
		t.Errorf("inactive namespace: %v", err)
	}
	f.before = func(context.Context, *nvme.Command) (nvme.Completion, error, bool) {
		return nvme.Completion{Status: nvme.StatusInvalidNamespace}, nil, true
	}
	if _, err := s.Namespace(t.Context(), 0x7777); problemOf(err).Kind != KindStatus || *problemOf(err).Status != 0x00B {
		t.Errorf("invalid namespace: %v", err)
	}
	for name, read := range map[string]func() error{
		"SMART":    func() error { _, err := s.ReadSMARTSection(t.Context()); return err },
		"firmware": func() error { _, err := s.ReadFirmware(t.Context()); return err },
		"errors":   func() error { _, err := s.ReadErrors(t.Context()); return err },
		"begin":    func() error { _, err := Begin(t.Context(), s.Drive, time.Second); return err },
		"default":  func() error { s.Drive.NSID = 0; _, err := s.DefaultNSID(t.Context()); return err },
	} {
		if err := read(); err == nil {
			t.Errorf("%s: a refused command is a success", name)
		}
	}
}

// TestBlankIdentify checks that a page without data is no identity, and that a
// drive without one gets no verdict.
func TestBlankIdentify(t *testing.T) {
	for _, fill := range []string{"\x00", "\xff"} {
		f := optane(t)
		f.pages["ctrl"] = []byte(strings.Repeat(fill, 4096))
		r := fakeReport(t, f, nil)
		if p := r.IdentifyController.Problem; p == nil || p.Kind != KindNoData {
			t.Errorf("%x: %+v", fill, p)
		}
		if r.Verdict.Level != smart.Unknown {
			t.Errorf("%x: verdict %s", fill, r.Verdict.Level)
		}
		if _, err := Begin(t.Context(), &Drive{Passthru: f}, time.Second); err == nil {
			t.Errorf("%x: a session begins", fill)
		}
	}
	f := optane(t)
	f.pages["ns"] = []byte(strings.Repeat("\xff", 4096))
	if r := fakeReport(t, f, nil); len(r.Problems()) == 0 || r.Problems()[0].Kind != KindNoData {
		t.Errorf("namespace of all ones: %+v", r.Problems())
	}
}
