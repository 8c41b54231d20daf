package dump

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// TestPages compares whole pages, byte by byte, with those that another
// program packed from the same captures.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("testdata/pages/*.*.bin")
	if err != nil || len(pages) < 13 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, f := range pages {
		base := strings.TrimSuffix(filepath.Base(f), ".bin")
		dot := strings.LastIndexByte(base, '.')
		stem, kind := base[:dot], base[dot+1:]
		name := captureOf(stem)
		if name == "" {
			continue // A page without a capture.
		}
		t.Run(name, func(t *testing.T) {
			d := file(t, name)
			want := load(t, "pages/"+filepath.Base(f))
			got := make([]byte, len(want))
			if _, err := d.Submit(t.Context(), commandFor(kind, got)); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, "smartctl") && kind == "idctrl" {
				clear(want[512:514]) // SQES and CQES are not in smartctl's output.
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs: %s", kind, differences(got, want))
			}
		})
	}
}

// captureOf returns the capture with a stem.
func captureOf(stem string) string {
	for _, folder := range []string{"nvme-cli", "smartctl"} {
		for _, ext := range []string{".txt", ".json"} {
			name := folder + "/" + stem + ext
			if _, err := os.Stat("testdata/" + name); err == nil {
				return name
			}
		}
	}
	return ""
}

func commandFor(kind string, buf []byte) *nvme.Command {
	switch kind {
	case "idctrl":
		return nvme.Identify{CNS: nvme.CNSController}.Command(buf)
	case "idns":
		return nvme.Identify{CNS: nvme.CNSNamespace, NSID: 1}.Command(buf)
	case "errlog":
		return nvme.GetLogPage{LID: nvme.LIDError}.Command(buf)
	case "fwlog":
		return nvme.GetLogPage{LID: nvme.LIDFirmwareSlot}.Command(buf)
	}
	return nvme.GetLogPage{LID: nvme.LIDSMART}.Command(buf)
}

func differences(got, want []byte) string {
	var list []string
	for i := range want {
		if got[i] != want[i] && len(list) < 10 {
			list = append(list, fmt.Sprintf("byte %d is %02X, want %02X", i, got[i], want[i]))
		}
	}
	return strings.Join(list, "; ")
}

// TestRaw reads pages that nothing describes.
func TestRaw(t *testing.T) {
	smart := load(t, "pages/forms.smart.bin")
	controller := load(t, "pages/id-ctrl-crucial-CT4000P3PSSD8.idctrl.bin")
	with := func(b []byte, at int, v byte) []byte {
		b = bytes.Clone(b)
		b[at] = v
		return b
	}
	for _, tc := range []struct {
		name  string
		page  []byte
		field string // One that must be there, "" for no drive.
	}{
		{"SMART log", smart, "smart.tmt2_seconds"},
		{"Identify Controller", controller, "identify_controller.psds"},
		{"empty SMART log", make([]byte, 512), ""},
		{"hot SMART log", with(smart, 2, 9), ""},
		{"reserved byte", with(smart, 20, 1), ""},
		{"spare of 101 %", with(smart, 3, 101), ""},
		{"all ones", bytes.Repeat([]byte{0xFF}, 4096), ""},
		{"unprintable model", with(controller, 24, 1), ""},
		{"other queue entries", with(controller, 512, 0x11), ""},
		{"short", smart[:511], ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := Read(bytes.NewReader(tc.page))
			if tc.field == "" {
				if err == nil {
					t.Errorf("taken for a page: %+v", d.Drives[0])
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			drive := only(t, d)
			if !d.Guessed || d.Tool != rawTool || len(drive.Notes) != 1 || !drive.Has(tc.field) {
				t.Errorf("guessed %t, tool %q, notes %q, has %s: %t", d.Guessed, d.Tool, drive.Notes, tc.field, drive.Has(tc.field))
			}
		})
	}
}

// TestErrorLog checks that the part of the error log that a dump shows is told
// from what the drive keeps, and that all of it can be read.
func TestErrorLog(t *testing.T) {
	for _, tc := range []struct {
		name        string
		shown, kept int
		elpe        bool
	}{
		{"smartctl/optane-905P-SSDPED1D960GAY-media-errors.txt", 16, 64, true},
		{"smartctl/wd-SN770-500GB-windows.txt", 0, 256, true},
		{"smartctl/kioxia-KCM61VUL1T60-CM6-second.txt", 1, 256, true},
		{"smartctl/Sabrent_Rocket_4.0_1TB.json", 1, 63, true},
		{"smartctl/apple-AP0512Z-macOS.txt", 0, 0, false},
		{"nvme-cli/error-log-phison-ECFM22.6.txt", 1, 63, false},
	} {
		d := file(t, tc.name)
		if shown, kept := d.ErrorEntries(); shown != tc.shown || kept != tc.kept || d.Has("identify_controller.elpe") != tc.elpe {
			t.Errorf("%s: %d entries of %d, has elpe: %t", tc.name, shown, kept, d.Has("identify_controller.elpe"))
		}
		if !d.Has(PageController) || !d.Has(PageErrors) {
			continue
		}
		log, err := nvme.NewController(d).ErrorLog(t.Context(), nil)
		if err != nil || len(log) != tc.shown {
			t.Errorf("%s: read %d entries, %v", tc.name, len(log), err)
		}
	}
}

// TestErrorLogWithoutLength reads entries beside an Identify Controller that
// does not say how many there are.
func TestErrorLogWithoutLength(t *testing.T) {
	entry := "error_count : %d\nsqid : 1\ncmdid : 0x1\nstatus_field : 0x4004\n"
	d := only(t, read(t, "vid : 0x8086\nsn : A\nmn : B\n"+fmt.Sprintf(entry+entry+entry, 3, 2, 1)))
	log, err := nvme.NewController(d).ErrorLog(t.Context(), nil)
	if err != nil || len(log) != 3 || log[2].ErrorCount != 1 {
		t.Fatalf("%v, %v", log, err)
	}
	if got := log[0].StatusInfo.Status(); got != 0x2002 {
		t.Errorf("status %04Xh: without a phase tag it is not shifted", uint16(got))
	}
	if d.Has("identify_controller.elpe") {
		t.Error("the length of the error log is not in the dump")
	}
}
