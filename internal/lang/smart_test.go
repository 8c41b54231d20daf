package lang

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
	"qd1.example/qd1/smart/drivedb"
)

// A rule, a defect or an axis that is added needs a sentence here too.
func TestEverythingOfSmart(t *testing.T) {
	need := func(kind, text string) {
		if !Japanese.Knows(text) {
			t.Errorf("%s %q has no Japanese: add it to the tables", kind, text)
		}
	}
	for _, r := range smart.Rules() {
		need("the rule "+r.ID, r.Text)
		need("the severity of "+r.ID, string(r.Severity))
	}
	for _, d := range smart.Defects() {
		need("the defect "+d.ID, d.Text)
		need("the cure of "+d.ID, d.Cure)
	}
	for _, a := range smart.Axes() {
		need("the axis", string(a))
	}
	for _, word := range []string{
		string(smart.Keep), string(smart.Note), string(smart.Return), string(smart.Unknown),
		string(smart.Plausible), string(smart.Doubtful), string(smart.Implausible), string(smart.Unjudged),
		string(smart.ConditionNew), string(smart.ConditionOpened), string(smart.ConditionUsed),
	} {
		need("the word", word)
	}
}

// facts are a drive in the given state.
func facts(set func(*smart.Facts)) *smart.Facts {
	f := &smart.Facts{SMART: &nvme.SMARTLog{CompositeTemperature: 308, AvailableSpare: 100, PowerCycles: nvme.U128(20), PowerOnHours: nvme.U128(100)}}
	set(f)
	return f
}

func TestFinding(t *testing.T) {
	for _, tt := range []struct {
		name, rule, want string
		set              func(*smart.Facts)
	}{
		{"value", "media-errors", "メディアエラーあり（3 件）。読めなかった、または壊れていたデータがある。後日もう一度確認し、増えていれば返品の理由になる。",
			func(f *smart.Facts) { f.SMART.MediaErrors = nvme.U128(3) }},
		{"defect", "firmware-defect-counters", "このファームウェアのデータ量カウンターは約 2.2 TB で 0 に巻き戻る。対処: 8DV10171、8EV10171 以降に更新する。",
			func(f *smart.Facts) { f.ModelNumber, f.Firmware = "INTEL SSDPEDMD400G4", "8DV10131" }},
		{"sections", "sections-unreadable", "次の項目は読み取れず、判定に含まれていない: エラーログ、名前空間 3。",
			func(f *smart.Facts) { f.Unreadable = []string{"error log", "namespace 3"} }},
		{"signs", "doubtful", "ドライブの申告に疑わしい点がある: 書き込みコマンドの平均 0 バイトはありえない；動作時間が通電時間より長い。",
			func(f *smart.Facts) {
				f.SMART.HostWriteCommands, f.SMART.ControllerBusyTime = nvme.U128(5000), nvme.U128(9999)
			}},
		{"more signs", "implausible", "称しているとおりのドライブではないか、カウンターが改ざんされている: コントローラーが Realtek 製（Samsung は自社製を使う）；" +
			"書き込みコマンドの平均 0 バイトはありえない；動作時間が通電時間より長い（ほかの兆候 1 件）。",
			func(f *smart.Facts) {
				f.ModelNumber, f.Firmware, f.PCIVendorID = "Samsung SSD 990 PRO 2TB", "VC0S032Z", 0x10EC
				f.SMART.HostWriteCommands, f.SMART.ControllerBusyTime = nvme.U128(5000), nvme.U128(9999)
			}},
		{"unchecked", "endurance-consumed", "書き込み総量は 1.00 TB で、定格 10 TB の 10.000 %（定格は未確認）。",
			func(f *smart.Facts) {
				f.Model = &drivedb.Entry{RatedBytesWritten: 1e13, RatedIndicative: true}
				f.SMART.DataUnitsWritten, f.SMART.HostWriteCommands = nvme.U128(1_953_125), nvme.U128(100_000_000)
			}},
		{"blocks", "error-log-media", "エラーログ 2 件のうち 2 件がメディアエラー。場所: 2 か所、どちらもドライブ末尾の 90 KB 内（LBA 1 875 384 832 ～ 1 875 384 968）。",
			func(f *smart.Facts) {
				f.SizeBytes, f.SMART.MediaErrors = 960197124096, nvme.U128(2)
				for i, lba := range []uint64{1875384832, 1875384968} {
					f.Errors = append(f.Errors, nvme.ErrorLogEntry{ErrorCount: uint64(i + 1), StatusInfo: 0x281 << 1, LBA: lba, NSID: 1})
				}
			}},
		{"though", "critical-warning-spare", "予備領域が残りわずかだと、ドライブが警告している（ただし予備領域の申告値は 100 %、しきい値は 10 %）。",
			func(f *smart.Facts) {
				f.SMART.CriticalWarning, f.SMART.AvailableSpareThreshold = nvme.WarningAvailableSpare, 10
			}},
		{"at least", "percentage-used-spent", "ドライブ自身の申告では定格寿命を超えている: 使用率 255 以上 %（ドライブ自身の見解。定格の書き込み量は不明）。",
			func(f *smart.Facts) { f.SMART.PercentageUsed = 255 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := smart.Assess(facts(tt.set))
			for _, f := range a.Findings {
				if f.Rule != tt.rule {
					continue
				}
				if got := Japanese.Finding(f); got.Text != tt.want || got.Evidence != f.Evidence {
					t.Errorf("got  %s\nwant %s", got.Text, tt.want)
				}
				if got := English.Finding(f); got.Text != f.Text {
					t.Errorf("English: %s", got.Text)
				}
				return
			}
			t.Errorf("the rule did not fire: %+v", a.Findings)
		})
	}
	if got := Japanese.Finding(smart.Finding{Rule: "of-tomorrow", Text: "Something new."}); got.Text != "Something new." {
		t.Errorf("an unknown rule: %q", got.Text)
	}
}

func TestSummary(t *testing.T) {
	for _, tt := range []struct {
		want string
		set  func(*smart.Facts)
	}{
		{"重大な警告なし、読み取り専用でない、メディアエラーなし。", func(*smart.Facts) {}},
		{"重大な警告なし、読み取り専用でない、メディアエラーなし、書き込み総量は定格の 10.000 %。", func(f *smart.Facts) {
			f.Model = &drivedb.Entry{RatedBytesWritten: 1e13}
			f.SMART.DataUnitsWritten, f.SMART.HostWriteCommands = nvme.U128(1_953_125), nvme.U128(100_000_000)
		}},
		{"重大な警告なし、読み取り専用でない、メディアエラーなし、書込は未確認定格の 10.000 %、ドライブ自身の申告では使用率 12 %。", func(f *smart.Facts) {
			f.Model = &drivedb.Entry{RatedBytesWritten: 1e13, RatedIndicative: true}
			f.SMART.DataUnitsWritten, f.SMART.HostWriteCommands, f.SMART.PercentageUsed = nvme.U128(1_953_125), nvme.U128(100_000_000), 12
		}},
		{"ドライブが読み取り専用になっており、もう書き込めない。", func(f *smart.Facts) { f.SMART.CriticalWarning = nvme.WarningReadOnly }},
		{"ドライブが読み取り専用になっており、もう書き込めない（ほか 1 件）。", func(f *smart.Facts) {
			f.SMART.CriticalWarning, f.SMART.MediaErrors = nvme.WarningReadOnly, nvme.U128(1000)
		}},
		{"SMART ログを読み取れないため、ドライブの健康状態は不明。", func(f *smart.Facts) { f.SMART = nil }},
	} {
		a := smart.Assess(facts(tt.set))
		if got := Japanese.Summary(&a); got != tt.want {
			t.Errorf("%s: got %s, want %s", a.Summary, got, tt.want)
		}
		if got := English.Summary(&a); got != a.Summary {
			t.Errorf("English: %s", got)
		}
	}
}

// TestEveryComparison goes through all metrics on both sides.
func TestEveryComparison(t *testing.T) {
	r := &smart.Reference{Family: "Optane 905P", Drives: 5, Hours: []float64{9, 9, 9, 9, 9}, Cycles: []float64{9, 9, 9, 9, 9},
		Unsafe: []float64{9, 9, 9, 9, 9}, TerabytesWritten: []float64{9, 9, 9, 9, 9}, Celsius: []float64{30, 30, 30, 30, 30}}
	for _, much := range []uint64{1, 100_000} {
		f := facts(func(f *smart.Facts) {
			f.SMART.PowerOnHours, f.SMART.PowerCycles, f.SMART.UnsafeShutdowns = nvme.U128(much), nvme.U128(much), nvme.U128(much)
			f.SMART.DataUnitsWritten, f.SMART.CompositeTemperature = nvme.U128(much*1000), nvme.Kelvin(300+min(much, 10))
		})
		list := r.Compare(f)
		if len(list) != 5 {
			t.Errorf("%d comparisons, want 5", len(list))
		}
		for _, p := range list {
			if got := Japanese.Sentence(p.Text); !strings.HasPrefix(got, "既知の Optane 905P 5 台中、") || !strings.Contains(got, "100 %") {
				t.Errorf("%s: %s", p.Text, got)
			}
		}
	}
}

// A credibility's sentence is that of a rule or one of two.
func TestCredibilityText(t *testing.T) {
	for _, set := range []func(*smart.Facts){
		func(*smart.Facts) {}, func(f *smart.Facts) { f.SMART = nil },
		func(f *smart.Facts) { f.SMART.HostWriteCommands = nvme.U128(5000) },
		func(f *smart.Facts) {
			f.SMART.HostWriteCommands, f.SMART.HostReadCommands = nvme.U128(5000), nvme.U128(5000)
		},
	} {
		c := smart.Plausibility(facts(set), "")
		if got := Japanese.Sentence(c.Text); got == c.Text || strings.Contains(got, "commands") {
			t.Errorf("%s: %s", c.Text, got)
		}
	}
}

// JSON has no part in this: it is the same in all languages.
func TestValuesAreNotInJSON(t *testing.T) {
	b, err := json.Marshal(smart.Assess(facts(func(*smart.Facts) {})))
	if err != nil || strings.Contains(string(b), "alues") {
		t.Errorf("%s, %v", b, err)
	}
}

// read returns the Go files of a package without its tests.
func read(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	var list []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(b))
	}
	return list
}

func ExampleTag_Sentence() {
	fmt.Println(Japanese.Sentence("at least 4 counters are all 1000"))
	fmt.Println(Japanese.Sentence("a sentence of nobody"))
	// Output:
	// 4 個以上のカウンターがすべて 1000
	// a sentence of nobody
}
