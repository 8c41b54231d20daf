package dump

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestReadErrors(t *testing.T) {
	const smartHead = "critical_warning : 0\ntemperature : 36 C\n"
	for _, tc := range []struct {
		name, text string
		is         error
		want       string
	}{
		{"empty", "", ErrEmpty, "empty"},
		{"blank", " \r\n\n", ErrEmpty, "empty"},
		{"empty with a mark", "\xFF\xFE", ErrEmpty, "empty"},
		{"gzip", "\x1f\x8b\x08\x00", ErrCompressed, "compressed with gzip"},
		{"zstd", "\x28\xb5\x2f\xfd\x04\x00", ErrCompressed, "compressed with zstd"},
		{"xz", "\xfd7zXZ\x00\x00", ErrCompressed, "compressed with xz"},
		{"bzip2", "BZh91AY", ErrCompressed, "compressed with bzip2"},
		{"zip", "PK\x03\x04\x14\x00", ErrCompressed, "compressed with zip"},
		{"start of a mark", "\x1f", ErrNotDump, "not a dump that qd1 reads (smartctl, nvme-cli, CrystalDiskInfo)"},
		{"prose", "the drive is as good as new\n", ErrNotDump, "not a dump that qd1 reads (smartctl, nvme-cli, CrystalDiskInfo)"},
		{"other JSON", `{"schema":"qd1.report/1"}`, ErrNotDump, "not a dump that qd1 reads (smartctl, nvme-cli, CrystalDiskInfo)"},
		{"binary", "\x7fELF\x00\x01\x02", ErrNotDump, "not a dump that qd1 reads (smartctl, nvme-cli, CrystalDiskInfo): not text, and no page that can be recognised (7 bytes)"},
		{"cut JSON", "debug\n{\n\"avail_spare\": 100,\n", nil, "line 3: JSON: the file ends in the middle of the JSON"},
		{"bad JSON", "{\n\"avail_spare\": nan}", nil, "line 2: JSON: invalid character 'a' in literal null (expecting 'u')"},
		{"JSON out of range", "{\"avail_spare\": 100,\n\"percent_used\": 256}", errRange, "line 2: JSON: percent_used: percentage_used_percent: 256 does not fit its field"},
		{"JSON of words", "{\"avail_spare\": 100,\n\"power_cycles\": \"many\"}", errNumber, "line 2: JSON: power_cycles: not a number"},
		{"negative JSON", "{\"avail_spare\": 100,\n\"power_cycles\": -4}", errNumber, "line 2: JSON: power_cycles: not a number"},
		{"bad counter", smartHead + "power_cycles : 12abc\n", errNumber, `line 3: nvme-cli smart-log: power_cycles: "12abc": not a number`},
		{"too large a percentage", smartHead + "percentage_used : 300%\n", errRange, "line 3: nvme-cli smart-log: percentage_used_percent: 300 does not fit its field"},
		{"fraction", smartHead + "power_on_hours : 1.5\n", errNumber, `line 3: nvme-cli smart-log: power_on_hours: "1.5": not a number`},
		{"bad temperature", "critical_warning : 0\ntemperature : warm\n", errNumber, `line 2: nvme-cli smart-log: composite_temperature_kelvin: "warm": not a number`},
		{"identify out of range", "vid : 0x8086\noacs : 0x10000\n", errRange, "line 2: nvme-cli id-ctrl: oacs: 65536 does not fit its field"},
		{"long model", "vid : 0x8086\nmn : " + strings.Repeat("x", 41) + "\n", nil, "line 2: nvme-cli id-ctrl: mn: 41 characters, more than 40"},
		{"bad power state", "vid : 0x8086\nps    0 : mp:much operational\n", errNumber, `line 2: nvme-cli id-ctrl: power "much": not a number`},
		{"power state of none", "vid : 0x8086\nps   32 : mp:1.00W operational\n", nil, "line 2: nvme-cli id-ctrl: power state 32"},
		{"bad identifier", "nsze : 0x10\neui64 : 12xy\n", nil, `line 2: nvme-cli id-ns: eui64: "12xy" is not hexadecimal`},
		{"short identifier", "nsze : 0x10\neui64 : 1234\n", nil, "line 2: nvme-cli id-ns: eui64: 2 bytes, not 8"},
		{"list without columns", "Node SN Model \nnothing\n", nil, "line 1: nvme-cli list: no line of hyphens under the heading"},
		{"smartctl refused", "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)\n\nSmartctl open device: /dev/nvme0 failed: Permission denied\n", ErrNoDrive,
			"line 1: smartctl: no NVMe drive in this dump: Smartctl open device: /dev/nvme0 failed: Permission denied"},
		{"smartctl refused in JSON", `{"json_format_version":[1,0],"smartctl":{"version":[7,4],"messages":[{"string":"open failed: No such device","severity":"error"}]}}`, ErrNoDrive,
			"line 1: smartctl JSON: no NVMe drive in this dump: open failed: No such device"},
		{"SATA by smartctl", "smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.19.0] (local build)\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     EXAMPLE SATA\nSerial Number:    E1\n", ErrNoDrive,
			"line 1: smartctl: no NVMe drive in this dump: EXAMPLE SATA is not an NVMe drive"},
		{"SATA by smartctl in JSON", `{"smartctl":{},"device":{"protocol":"ATA"},"model_name":"EXAMPLE SATA"}`, ErrNoDrive,
			"line 1: smartctl JSON: no NVMe drive in this dump: EXAMPLE SATA is not an NVMe drive but ATA"},
		{"bad version", "=== START OF INFORMATION SECTION ===\nNVMe Version: new\n", nil, `line 2: smartctl: ver: "new" is not a version`},
		{"bad size", "=== START OF INFORMATION SECTION ===\nNamespace 1 Size/Capacity: big\n", errNumber, `line 2: smartctl: namespace size/capacity: "big": not a number`},
		{"bad transfer size", "=== START OF INFORMATION SECTION ===\nMaximum Data Transfer Size: 3 Pages\n", nil, `line 2: smartctl: mdts: "3 Pages": not a power of two of pages`},
		{"bad row", "=== START OF INFORMATION SECTION ===\nSt Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  Ex_Lat\n 0 + 9.00W -\n", nil, "line 3: smartctl: power state with 4 columns, not 11"},
		{"bad error row", "=== START OF SMART DATA SECTION ===\nError Information (NVMe Log 0x01, 16 of 64 entries)\nNum   ErrCount  SQId   CmdId  Status  PELoc          LBA  NSID    VS\n  0 x 0 0x0015  0xc005  0x028  - 0 -\n", errNumber, `line 4: smartctl: error_count "x": not a number`},
		{"SATA by CrystalDiskInfo", "CrystalDiskInfo 9.5.0 (C) 2008-2024 hiyohiyo\n\n           Model : EXAMPLE SATA\n       Interface : Serial ATA\n", ErrNoDrive, "line 3: CrystalDiskInfo: no NVMe drive in this dump: EXAMPLE SATA is not an NVMe drive"},
		{"no drive by CrystalDiskInfo", "CrystalDiskInfo 9.5.0 (C) 2008-2024 hiyohiyo\n", ErrNoDrive, "line 1: CrystalDiskInfo: no NVMe drive in this dump: no drives"},
		{"gap in hexadecimal", "           Model : EXAMPLE\n       Interface : NVM Express\n-- SMART_NVME ----\n000: 00 30\n010: 00\n", nil, "line 5: CrystalDiskInfo: SMART log: byte 16 follows byte 2"},
		{"gap in words", "           Model : EXAMPLE\n       Interface : NVM Express\n-- IDENTIFY_DEVICE ----\n010: 0000\n", nil, "line 4: CrystalDiskInfo: identify: word 10 follows word 0"},
		{"too many lines", strings.Repeat("x\n", MaxLines+1), ErrTooLarge, "line 131073: too large: more than 131072 lines"},
		{"too many drives", strings.Repeat("           Model : EXAMPLE\n       Interface : NVM Express\n", maxDrives+1), ErrTooLarge, "line 513: CrystalDiskInfo: too large: more than 256 drives and pages"},
		{"deep JSON", `{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + "}", ErrTooLarge, "line 1: JSON: too large: more than 131072 values, or 64 of them in each other"},
		{"self-test only", string(load(t, "nvme-cli/self-test-log-wd-SN750SE-empty.txt")), ErrNoDrive, `line 1: nvme-cli: no NVMe drive in this dump: "Device Self Test Log for NVME device:nvme0" has nothing that a report is made of`},
		{"nvme-cli error", `{"error":"Permission denied"}`, ErrNoDrive, "line 1: nvme-cli: no NVMe drive in this dump: Permission denied"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := Read(strings.NewReader(tc.text))
			var parse *ParseError
			if d != nil || !errors.As(err, &parse) {
				t.Fatalf("Read: %v, %v", d, err)
			}
			if err.Error() != tc.want {
				t.Errorf("got  %v\nwant %v", err, tc.want)
			}
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("%v is not %v", err, tc.is)
			}
		})
	}
}

func TestReadBounds(t *testing.T) {
	if _, err := Read(io.LimitReader(zeroReader{}, MaxBytes+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("more than %d bytes: %v", MaxBytes, err)
	}
	if _, err := Read(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("reader's error: %v", err)
	}
	many := `{"avail_spare":100,"x":[` + strings.Repeat("0,", maxNodes) + "0]}"
	if _, err := Read(strings.NewReader(many)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("many values: %v", err)
	}
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// TestTool checks what a dump says it is.
func TestTool(t *testing.T) {
	for _, tc := range []struct {
		name, tool, version string
		drives              int
		skipped             []string
	}{
		{"smartctl/kioxia-KCM61VUL1T60-CM6-second.txt", "smartctl", "7.1", 1, nil},
		{"smartctl/toshiba-KBG30ZMV256G-59C.txt", "smartctl", "7.4", 1, nil}, // "pre-7.4".
		{"smartctl/apple-macOS-internal-ssd-excerpt.txt", "smartctl", "", 1, nil},
		{"smartctl/INTEL_SSDPEK1A058GA.json", "smartctl", "7.1", 1, nil},
		{"nvme-cli/smart-log-samsung-970EVO.txt", "nvme-cli", "", 1, nil},
		{"nvme-cli/list-mixed-5-drives-issue1729.txt", "nvme-cli", "", 5, nil},
		{"nvme-cli/list-nvmecli2.11-nested.json", "nvme-cli", "", 3, nil},
		{"nvme-cli/list-nvmecli2.3-flat.json", "nvme-cli", "", 2, nil},
		{"nvme-cli/list-empty.json", "nvme-cli", "", 0, nil},
		{"crystaldiskinfo/english-utf8.txt", "CrystalDiskInfo", "9.5.0", 2, []string{"EXAMPLE SATA SSD"}},
		{"crystaldiskinfo/japanese-utf16.txt", "CrystalDiskInfo", "9.5.0", 2, []string{"EXAMPLE SATA SSD"}},
	} {
		d := read(t, string(load(t, tc.name)))
		if d.Tool != tc.tool || d.Version != tc.version || len(d.Drives) != tc.drives || d.Guessed {
			t.Errorf("%s: %s %q with %d drives, guessed: %t", tc.name, d.Tool, d.Version, len(d.Drives), d.Guessed)
		}
		if diff := cmp.Diff(tc.skipped, d.Skipped); diff != "" {
			t.Errorf("%s: skipped (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestLineEnds checks that no capture depends on how its lines end, and that
// every one that is cut anywhere gives a drive or an error that says where.
func TestLineEnds(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.[tj][xs]*")
	for _, f := range files {
		name, _ := filepath.Rel("testdata", f)
		text := string(load(t, name))
		if strings.HasSuffix(name, ".truth.json") || strings.Contains(text, "\x00") {
			continue
		}
		a, errA := Read(strings.NewReader(strings.ReplaceAll(text, "\r\n", "\n")))
		b, errB := Read(strings.NewReader(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")))
		if (errA == nil) != (errB == nil) || errA == nil && len(a.Drives) != len(b.Drives) {
			t.Errorf("%s: %v, with CR LF %v", name, errA, errB)
		}
		for i := 0; i < len(text); i += 499 {
			if _, err := Read(strings.NewReader(text[:i])); err != nil {
				var parse *ParseError
				if !errors.As(err, &parse) {
					t.Errorf("%s cut at %d: %v", name, i, err)
				}
			}
		}
	}
}
