package sim

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// fakePages are captured pages.
type fakePages struct {
	identify map[nvme.CNS]map[nvme.NSID][]byte
	logs     map[nvme.LID][]byte
	features map[nvme.FID]uint32
}

func (f fakePages) Identify(cns nvme.CNS, nsid nvme.NSID) []byte { return f.identify[cns][nsid] }
func (f fakePages) Log(lid nvme.LID) []byte                      { return f.logs[lid] }
func (f fakePages) Feature(fid nvme.FID) (uint32, bool)          { v, ok := f.features[fid]; return v, ok }

// page returns a file of testdata.
func page(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// samsung is a real drive as far as its pages were published, with some that
// were made: bytes that only its maker knows.
func samsung(t testing.TB) fakePages {
	id, ns := page(t, "samsung.idctrl.bin"), page(t, "samsung.idns.bin")
	for at := 3072; at < 4096; at += 7 {
		id[at], ns[at] = byte(at), byte(at)
	}
	vendor := []byte("what only the maker knows, of 64 bytes, all of which must be there")
	errors := make([]byte, 64*64)
	binary.LittleEndian.PutUint64(errors, 5)
	return fakePages{
		identify: map[nvme.CNS]map[nvme.NSID][]byte{
			nvme.CNSController:           {0: id},
			nvme.CNSNamespace:            {1: ns},
			nvme.CNSNamespaceDescriptors: {1: append([]byte{1, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, make([]byte, 4084)...)},
		},
		logs: map[nvme.LID][]byte{
			nvme.LIDSMART: page(t, "samsung.smart.bin"), nvme.LIDError: errors,
			nvme.LIDFirmwareSlot: page(t, "samsung.fwlog.bin"), 0xCA: vendor,
		},
		features: map[nvme.FID]uint32{nvme.FIDArbitration: 3, 0xC5: 9},
	}
}

// TestFromPages checks that a captured drive answers with its own pages, to the
// byte.
func TestFromPages(t *testing.T) {
	source := samsung(t)
	d, err := FromPages(source, "speed=1000000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	for name, tc := range map[string]struct {
		cmd  *nvme.Command
		want []byte
	}{
		"Identify Controller": {identifyCmd(nvme.CNSController, 0), source.identify[nvme.CNSController][0]},
		"Identify Namespace":  {identifyCmd(nvme.CNSNamespace, 1), source.identify[nvme.CNSNamespace][1]},
		"descriptors":         {identifyCmd(nvme.CNSNamespaceDescriptors, 1), source.identify[nvme.CNSNamespaceDescriptors][1]},
		"SMART":               {logCmd(nvme.LIDSMART, all, 512), source.logs[nvme.LIDSMART]},
		"firmware slots":      {logCmd(nvme.LIDFirmwareSlot, all, 512), source.logs[nvme.LIDFirmwareSlot]},
		"vendor log":          {logCmd(0xCA, all, 64), source.logs[0xCA][:64]},
	} {
		accept(t, d, tc.cmd)
		if diff := cmp.Diff(tc.want, tc.cmd.Data); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := accept(t, d, getCmd(nvme.FIDArbitration, 0, 0)).Result; got != 3 {
		t.Errorf("arbitration %d, want 3", got)
	}
	if got := accept(t, d, getCmd(0xC5, 0, 0)).Result; got != 9 {
		t.Errorf("vendor feature %d, want 9", got)
	}
	if log := errorLogOf(t, d); len(log) != 1 || log[0].ErrorCount != 5 {
		t.Errorf("error log %+v", log)
	}
	reject(t, d, logCmd(0xCB, all, 512), nvme.StatusInvalidLogPage)
	reject(t, d, logCmd(nvme.LIDSanitize, all, 512), nvme.StatusInvalidLogPage)
}

// TestCaptureLives checks that a captured drive does not stay as it was.
func TestCaptureLives(t *testing.T) {
	d, err := FromPages(samsung(t), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	before := smartLog(t, d)
	blocks(t, d, 0, 8)
	reject(t, d, logCmd(0xCB, all, 512), nvme.StatusInvalidLogPage)
	after := smartLog(t, d)
	if after.HostReadCommands.Lo-before.HostReadCommands.Lo != 1 || after.ErrorLogEntries.Lo-before.ErrorLogEntries.Lo != 1 {
		t.Errorf("reads %v to %v, errors %v to %v", before.HostReadCommands, after.HostReadCommands, before.ErrorLogEntries, after.ErrorLogEntries)
	}
	_, log := firmwareOf(t, d)
	download(t, d, image(t, d, "NEW", AnyReset))
	slot := uint32(log.ActiveSlot())
	accept(t, d, commitCmd(commitReplaceAndReset, slot))
	d.Reset()
	if revision, log := firmwareOf(t, d); revision != "NEW" || log.Revisions[slot-1].String() != "NEW" {
		t.Errorf("firmware %s, slots %v", revision, log.Revisions)
	}
}

// TestCaptureOfMany makes a drive of several captured namespaces, one of which is
// not active, and manages them.
func TestCaptureOfMany(t *testing.T) {
	source := samsung(t)
	id := source.identify[nvme.CNSController][0]
	binary.LittleEndian.PutUint32(id[516:], 8)
	source.identify[nvme.CNSNamespace][2] = make([]byte, 4096)
	source.identify[nvme.CNSNamespace][3] = page(t, "samsung.idns.bin")
	source.logs[nvme.LIDSanitize] = append([]byte{0xFF, 0xFF, 1, 1}, make([]byte, 508)...)
	d, err := FromPages(source, "speed=1000000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	list := identifyCmd(nvme.CNSActiveNamespaces, 0)
	accept(t, d, list)
	if got := [3]byte{list.Data[0], list.Data[4], list.Data[8]}; got != [3]byte{1, 3, 0} {
		t.Errorf("active namespaces %v, want 1 and 3", got)
	}
	read := ioCmd(nvme.IORead, 3, 0, 1, 512)
	accept(t, d, read)
	reject(t, d, ioCmd(nvme.IORead, 2, 0, 1, 512), nvme.StatusInvalidField)
	// OACS of this drive has namespace management.
	accept(t, d, deleteCmd(3))
	if got := accept(t, d, createCmd(4096, 4096, 0)).Result; got != 2 {
		t.Errorf("created namespace %d, want 2", got)
	}
	if got := sanitizeLog(t, d).Status; got != 0x101 {
		t.Errorf("sanitize status %#x, want the captured one", got)
	}
	accept(t, d, sanitizeCmd(actionBlock))
	accept(t, d, &nvme.Command{Opcode: nvme.AdminAsynchronousEventRequest})
	if got := sanitizeLog(t, d); got.CDW10 != actionBlock || got.Status.State() != nvme.SanitizeCompleted {
		t.Errorf("sanitize log %+v, want that of the model", got)
	}
}

// TestFromPagesErrors checks captures that no drive can be made of, and the
// least that is needed.
func TestFromPagesErrors(t *testing.T) {
	if _, err := FromPages(fakePages{}, ""); !errors.Is(err, ErrPages) {
		t.Errorf("nothing: %v, want ErrPages", err)
	}
	if _, err := FromPages(samsung(t), "speed=0"); err == nil {
		t.Error("a wrong parameter: no error")
	}
	only := fakePages{identify: map[nvme.CNS]map[nvme.NSID][]byte{nvme.CNSController: {0: page(t, "samsung.idctrl.bin")}}}
	d, err := FromPages(only, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if d.Size() != 0 {
		t.Errorf("a drive without a namespace page has %d bytes", d.Size())
	}
	if got := smartLog(t, d); got.CompositeTemperature != 0 || got.CriticalWarning != 0 {
		t.Errorf("SMART log of nothing: %+v", got)
	}
	accept(t, d, identifyCmd(nvme.CNSActiveNamespaces, 0))
	reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512), nvme.StatusInvalidField)
}

// TestPagesOf makes a drive of what another one answers: a simulated drive is
// as good a recording as any.
func TestPagesOf(t *testing.T) {
	source := modern(t, nil)
	d, err := FromPages(PagesOf(t.Context(), source), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	for name, cmd := range map[string]func() *nvme.Command{
		"Identify Controller": func() *nvme.Command { return identifyCmd(nvme.CNSController, 0) },
		"Identify Namespace":  func() *nvme.Command { return identifyCmd(nvme.CNSNamespace, 1) },
		"SMART":               func() *nvme.Command { return logCmd(nvme.LIDSMART, all, 512) },
		"effects":             func() *nvme.Command { return logCmd(nvme.LIDCommandsEffects, all, 4096) },
		"self-test":           func() *nvme.Command { return logCmd(nvme.LIDSelfTest, all, 564) },
		"sanitize":            func() *nvme.Command { return logCmd(nvme.LIDSanitize, all, 512) },
		"firmware slots":      func() *nvme.Command { return logCmd(nvme.LIDFirmwareSlot, all, 512) },
	} {
		want, got := cmd(), cmd()
		accept(t, source, want)
		accept(t, d, got)
		if name == "SMART" {
			clear(want.Data[176:192]) // Asking for what the source does not have counts as errors.
			clear(got.Data[176:192])
		}
		if diff := cmp.Diff(want.Data, got.Data); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := accept(t, d, getCmd(nvme.FIDNumberOfQueues, 0, 0)).Result; got != 63<<16|63 {
		t.Errorf("number of queues %#x, want that of the source", got)
	}
	if errors := smartLog(t, source).ErrorLogEntries; errors.Lo == 0 {
		t.Error("the source was not asked for what it does not have")
	}
}

// FuzzFromPages makes drives of any Identify pages.
func FuzzFromPages(f *testing.F) {
	f.Add(page(f, "samsung.idctrl.bin"), page(f, "samsung.idns.bin"), page(f, "samsung.smart.bin"))
	f.Add(make([]byte, 4096), make([]byte, 4096), []byte{})
	ones := make([]byte, 4096)
	for i := range ones {
		ones[i] = 0xFF
	}
	f.Add(ones, ones, ones[:512])
	f.Fuzz(func(t *testing.T, idctrl, idns, smart []byte) {
		d, err := FromPages(fakePages{
			identify: map[nvme.CNS]map[nvme.NSID][]byte{nvme.CNSController: {0: idctrl}, nvme.CNSNamespace: {1: idns}},
			logs:     map[nvme.LID][]byte{nvme.LIDSMART: smart},
		}, "speed=1000000")
		if err != nil {
			return
		}
		defer d.Close()
		d.Begin(identifyCmd(nvme.CNSController, 0))
		d.Begin(identifyCmd(nvme.CNSNamespace, 1))
		d.Begin(logCmd(nvme.LIDSMART, all, 512))
		d.Begin(logCmd(nvme.LIDFirmwareSlot, all, 512))
		d.Begin(ioCmd(nvme.IORead, 1, 0, 1, 4096))
		d.Begin(writeCmd(0, 8, 1))
		d.Begin(formatCmd(1, 0, 1))
		d.Begin(ioCmd(nvme.IOWriteZeroes, 1, 3, 100, 0))
		d.Begin(identifyCmd(nvme.CNSNamespace, 1))
		d.Sysfs()
		d.PowerCycle()
	})
}
