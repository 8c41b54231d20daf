package vendor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// lids returns the pages as text.
func lids(logs []Log) string {
	var s []string
	for _, l := range logs {
		s = append(s, fmt.Sprintf("%02X", uint8(l.LID)))
	}
	return strings.Join(s, " ")
}

func TestLogs(t *testing.T) {
	const intel = "C0 CA C5 DD C1 C2"
	tests := []struct {
		vid   uint16
		model string
		want  string
	}{
		{0x8086, "INTEL SSDPE21D960GA", intel},
		{0x8086, "INTEL SSDPED1D960GAY  ", intel},
		{0x8086, "SSDPE21K375GAL", intel},
		{0x8086, "INTEL SSDPEL1D380GA", intel},
		{0x8086, "INTEL SSDPF21Q400GB", intel},
		{0x8086, "Dell Express Flash NVMe P4800X 375GB SFF", intel},
		{0x8086, "EO000375KWJUC", intel},
		{0x8086, "INTEL SSDPEDMD400G4", intel},
		{0x8086, "INTEL SSDPE2KX080T8", intel},
		{0x8086, "INTEL SSDPF2NV153TZ", intel},
		{0x8086, "Dell Express Flash NVMe P4610 1.6TB SFF", intel},
		{0x8086, "MO001600KWVUU", intel},
		{0x025E, "SOLIDIGM SSDPF2KX038T1", intel},
		{0x025E, "SOLIDIGM SB5PH27X038T", "C0 CA D5 DD"},
		{0x8086, "INTEL SSDPEKKW512G8", ""},    // 760p: another maker's controller
		{0x8086, "INTEL SSDPEKNW010T8", ""},    // 660p
		{0x8086, "INTEL MEMPEK1J016GA", ""},    // M10: nothing known
		{0x8086, "INTEL SSDPEK1A118GA", ""},    // P1600X
		{0x025E, "SOLIDIGM SSDPFKKW020X7", ""}, // P44 Pro
		{0x144D, "INTEL SSDPE21D960GA", ""},    // another vendor's device
		{0x1B96, "WUS4BB038D7P3E3", "C0 C1 C3"},
		{0x1C58, "HUSMR7632BDP301", "C0 C1 C3"},
		{0x15B7, "WDC WDS100T2B0C-00PXH0", ""},
		{0x1344, "Micron_7450_MTFDKCC1T9TFR", "C0 C1 C3"},
		{0x1344, "Micron_9300_MTFDHAL3T8TDP", "D0"},
		{0x1344, "MTFDHBA480TDF", "D0"},
		{0x1344, "Micron 2200S NVMe 512GB", "FB"},
		{0x1344, "Micron MTFDHBA512TCK", "FB"},
		{0x1344, "CT1000P5SSD8", ""},
		{0x1E0F, "KCD61LUL3T84", "C0 C1 C3"},
		{0x1179, "Dell Express Flash CD5 960G SFF", "C0 C1 C3"},
		{0x1179, "KXG60ZNV512G TOSHIBA", ""},
		{0x144D, "Samsung SSD 980 PRO 1TB", ""},
		{0, "", ""},
	}
	for _, tt := range tests {
		got := Logs(nil, tt.vid, tt.model)
		if lids(got) != tt.want {
			t.Errorf("Logs(%04x, %q) = %q, want %q", tt.vid, tt.model, lids(got), tt.want)
		}
		for _, l := range got {
			if l.Name == "" || l.Bytes <= 0 || !strings.Contains(l.Why, strings.TrimSpace(tt.model)) || l.layout == nil {
				t.Errorf("%q: %+v", tt.model, l)
			}
			if optane := strings.Contains(l.Why, "Optane"); l.Changes != "" != (optane && (l.LID == lidReadLatency || l.LID == lidWriteLatency)) {
				t.Errorf("%q: page %v changes %q", tt.model, l.LID, l.Changes)
			}
		}
	}
}

func TestLogsOfTwoVendors(t *testing.T) {
	id := identity(0x8086, "INTEL SSDPE21D960GA")
	if got := Logs(id, 0x126F, "INTEL SSDPE21D960GA"); got != nil {
		t.Errorf("a device of 126f that says 8086 has pages %s", lids(got))
	}
	if got := Logs(id, 0x8086, "INTEL SSDPE21D960GA"); got == nil {
		t.Error("no pages where both agree")
	}
}

func TestLogsAreCopies(t *testing.T) {
	Logs(nil, 0x8086, "INTEL SSDPE21D960GA")[0].Why = "changed"
	Logs(nil, 0x1B96, "WUS4BB038D7P3E3")[1].Bytes = 1
	if f := families[0]; f.logs[0].Why != "" || ocpExtra[0].Bytes != 512 {
		t.Error("the table changed with a copy")
	}
}

// seen returns the drives of models.tsv.
func seen(t *testing.T) [][2]string {
	t.Helper()
	text, err := os.ReadFile("testdata/models.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var drives [][2]string
	for line := range strings.Lines(string(text)) {
		vid, model, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("line %q", line)
		}
		drives = append(drives, [2]string{vid, model})
	}
	return drives
}

// TestDrivesOutsideTheTableAreLeftAlone sends what Read sends to every drive
// that was seen: nothing to those of vendors that are not in the table, and
// only pages of the table to the others.
func TestDrivesOutsideTheTableAreLeftAlone(t *testing.T) {
	tabled := map[string]int{}
	drives := seen(t)
	if len(drives) < 1000 {
		t.Fatalf("%d drives", len(drives))
	}
	for _, s := range drives {
		vid, err := strconv.ParseUint(s[0], 16, 16)
		if err != nil {
			t.Fatal(err)
		}
		d := new(drive)
		id := identity(uint16(vid), s[1])
		Read(t.Context(), nvme.NewController(d), id, s[1], true)
		logs := Logs(id, uint16(vid), s[1])
		if len(logs) > 0 {
			tabled[s[0]]++
		}
		if len(d.sent) > len(logs) || len(logs) == 0 && len(d.sent) > 0 {
			t.Errorf("%s %s: %d commands for %d pages", s[0], s[1], len(d.sent), len(logs))
		}
	}
	want := map[string]int{"8086": 82, "1b96": 16, "1c58": 2, "1344": 27, "1179": 5, "1e0f": 4}
	if diff := cmp.Diff(want, tabled); diff != "" {
		t.Errorf("drives with pages by vendor (-want +got):\n%s", diff)
	}
}

// TestIdentifiedDrivesOutsideTheTable does the same with the Identify pages of
// real drives.
func TestIdentifiedDrivesOutsideTheTable(t *testing.T) {
	files, err := filepath.Glob("../testdata/idctrl/*.bin")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d pages: %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		id := new(nvme.IdentifyController)
		if err := id.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		d := new(drive)
		readings := readAll(t, d, id, false)
		name := filepath.Base(f)
		pages := strings.HasPrefix(name, "optane-") && !strings.Contains(name, "H10")
		if (len(readings) > 0) != pages || (len(d.sent) > 0) != pages {
			t.Errorf("%s: %d readings, %d commands, want some: %v", name, len(readings), len(d.sent), pages)
		}
	}
}
