package sata

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// healthy returns the facts of a drive without any fault.
func healthy(t *testing.T) *Facts {
	t.Helper()
	id := goldenIdentity(t)
	a := parsed(t, samsungModel, true, samsung()...)
	return &Facts{
		Host: &Host{Disk: "sda", Transport: TransportATA, SizeBytes: 480103981056}, Identity: id, Status: new(StatusPassed), Attributes: a,
		Health: HealthOf(id, a, nil), ErrorLog: &ErrorLog{ChecksumOK: true}, SelfTestLog: &SelfTestLog{ChecksumOK: true},
	}
}

func pendingOf(n, offline uint64) func(*Facts) {
	return func(f *Facts) { f.Health.PendingSectors, f.Health.OfflineUncorrectable = &n, &offline }
}

func reallocated(n uint64, solid bool) func(*Facts) {
	return func(f *Facts) { f.Health.ReallocatedSectors, f.Identity.SolidState = &n, &solid }
}

func uncorrectable(n uint64) func(*Facts) {
	return func(f *Facts) { f.Health.UncorrectableErrors = &n }
}

func crc(n uint64) func(*Facts) { return func(f *Facts) { f.Health.CRCErrors = &n } }

func used(percent int) func(*Facts) {
	return func(f *Facts) { f.Health.PercentageUsed = &percent }
}

func temperature(now, limit int) func(*Facts) {
	return func(f *Facts) {
		f.Health.TemperatureCelsius, f.Statistics = &now, &Statistics{MaximumCelsius: &limit}
	}
}

func selfTests(status ...uint8) func(*Facts) {
	return func(f *Facts) {
		for _, s := range status {
			f.SelfTestLog.Entries = append(f.SelfTestLog.Entries, SelfTest{Kind: "short", Status: s, Text: selfTestText(s)})
		}
	}
}

func failedAttribute(prefailure bool, when string) func(*Facts) {
	return func(f *Facts) {
		f.Attributes.Table[0].Prefailure, f.Attributes.Table[0].WhenFailed = prefailure, when
	}
}

func problem(section string, kind Kind) func(*Facts) {
	return func(f *Facts) {
		f.Problems = append(f.Problems, Problem{Section: section, Kind: kind, Text: "text"})
		switch section {
		case SectionIdentity:
			f.Identity = nil
		case SectionAttributes:
			f.Attributes = nil
		}
	}
}

func speeds(now, most float64) func(*Facts) {
	return func(f *Facts) { f.Identity.SpeedCurrentGbps, f.Identity.SpeedMaxGbps = &now, &most }
}

func model(name string, then func(*Facts)) func(*Facts) {
	return func(f *Facts) { f.Identity.Model = name; then(f) }
}

// edges has for each rule facts around its limits, which start as a healthy
// drive.
var edges = []struct {
	rule, name string
	set        func(*Facts)
	fires      bool
}{
	{"sata-not-reachable", "bridge", problem(SectionIdentity, KindBridge), true},
	{"sata-not-reachable", "no ATA", problem(SectionIdentity, KindNotATA), true},
	{"sata-not-reachable", "time-out", problem(SectionIdentity, KindTimeout), false},
	{"sata-unreadable", "time-out", problem(SectionIdentity, KindTimeout), true},
	{"sata-unreadable", "attributes", problem(SectionAttributes, KindRefused), true},
	{"sata-unreadable", "attributes skipped", func(f *Facts) { f.Attributes = nil }, true},
	{"sata-unreadable", "bridge", problem(SectionIdentity, KindBridge), false},
	{"sata-unreadable", "another section", problem(SectionErrors, KindRefused), false},
	{"sata-unreadable", "no SMART", func(f *Facts) { f.Attributes, f.Identity.SMART = nil, Support{} }, false},
	{"sata-smart-off", "on", func(*Facts) {}, false},
	{"sata-smart-off", "off", func(f *Facts) { f.Identity.SMART.Enabled = false }, true},
	{"sata-smart-off", "none", func(f *Facts) { f.Identity.SMART = Support{} }, false},
	{"sata-smart-none", "none", func(f *Facts) { f.Identity.SMART = Support{} }, true},
	{"sata-smart-none", "off", func(f *Facts) { f.Identity.SMART.Enabled = false }, false},
	{"sata-checksum", "good", func(*Facts) {}, false},
	{"sata-checksum", "attributes", func(f *Facts) { f.Attributes.ChecksumOK = false }, true},
	{"sata-checksum", "identity", func(f *Facts) { f.Identity.ChecksumOK = new(false) }, true},
	{"sata-checksum", "identity without one", func(f *Facts) { f.Identity.ChecksumOK = nil }, false},
	{"sata-sections-unreadable", "none", func(*Facts) {}, false},
	{"sata-sections-unreadable", "one", problem(SectionErrors, KindRefused), true},
	{"sata-sections-unreadable", "identity", problem(SectionIdentity, KindTimeout), false},

	{"sata-smart-failed", "failed", func(f *Facts) { f.Status = new(StatusFailed) }, true},
	{"sata-smart-failed", "passed", func(*Facts) {}, false},
	{"sata-smart-failed", "not read", func(f *Facts) { f.Status = nil }, false},
	{"sata-smart-passed", "passed", func(*Facts) {}, true},
	{"sata-smart-passed", "failed", func(f *Facts) { f.Status = new(StatusFailed) }, false},
	{"sata-attribute-failing", "now", failedAttribute(true, FailedNow), true},
	{"sata-attribute-failing", "past", failedAttribute(true, FailedPast), false},
	{"sata-attribute-failing", "age", failedAttribute(false, FailedNow), false},
	{"sata-attribute-failing", "damaged page", func(f *Facts) { failedAttribute(true, FailedNow)(f); f.Attributes.ChecksumOK = false }, false},
	{"sata-attribute-aged", "age", failedAttribute(false, FailedNow), true},
	{"sata-attribute-aged", "failure", failedAttribute(true, FailedNow), false},
	{"sata-attribute-failed-past", "past", failedAttribute(true, FailedPast), true},
	{"sata-attribute-failed-past", "now", failedAttribute(true, FailedNow), false},
	{"sata-self-test-failed", "none", func(*Facts) {}, false},
	{"sata-self-test-failed", "good", selfTests(0), false},
	{"sata-self-test-failed", "read", selfTests(7), true},
	{"sata-self-test-failed", "aborted", selfTests(1), false},
	{"sata-self-test-failed", "in progress", selfTests(15), false},
	{"sata-self-test-failed", "aborted after a failure", selfTests(1, 7), true},
	{"sata-self-test-failed", "good after a failure", selfTests(0, 7), false},
	{"sata-self-test-failed", "damaged page", func(f *Facts) { selfTests(7)(f); f.SelfTestLog.ChecksumOK = false }, false},
	{"sata-locked", "open", func(*Facts) {}, false},
	{"sata-locked", "locked", func(f *Facts) { f.Identity.Security.Locked = true }, true},

	{"sata-pending-many", "below", pendingOf(manyPending-1, 0), false},
	{"sata-pending-many", "at", pendingOf(manyPending, 0), true},
	{"sata-pending-many", "offline", pendingOf(0, manyPending), true},
	{"sata-pending", "0", pendingOf(0, 0), false},
	{"sata-pending", "1", pendingOf(1, 0), true},
	{"sata-pending", "offline", pendingOf(0, 1), true},
	{"sata-pending", "below", pendingOf(manyPending-1, 0), true},
	{"sata-pending", "at", pendingOf(manyPending, 0), false},
	{"sata-pending", "defect", model("CT500MX500SSD1", pendingOf(1, 0)), false},
	{"sata-pending-known-defect", "MX500", model("CT500MX500SSD1", pendingOf(1, 0)), true},
	{"sata-pending-known-defect", "MX500, 2", model("CT500MX500SSD1", pendingOf(2, 0)), false},
	{"sata-pending-known-defect", "another model", model("CT500MX300SSD1", pendingOf(1, 0)), false},
	{"sata-pending-known-defect", "MX500, offline", model("CT500MX500SSD1", pendingOf(0, 1)), false},
	{"sata-reallocated-many", "below", reallocated(manyReallocated-1, false), false},
	{"sata-reallocated-many", "at", reallocated(manyReallocated, false), true},
	{"sata-reallocated-many", "solid-state", reallocated(manyReallocated, true), false},
	{"sata-reallocated", "0", reallocated(0, false), false},
	{"sata-reallocated", "1", reallocated(1, false), true},
	{"sata-reallocated", "at", reallocated(manyReallocated, false), false},
	{"sata-reallocated", "solid-state", reallocated(manyReallocated, true), true},
	{"sata-uncorrectable-many", "below", uncorrectable(manyErrors - 1), false},
	{"sata-uncorrectable-many", "at", uncorrectable(manyErrors), true},
	{"sata-uncorrectable", "0", uncorrectable(0), false},
	{"sata-uncorrectable", "1", uncorrectable(1), true},
	{"sata-uncorrectable", "at", uncorrectable(manyErrors), false},
	{"sata-media-ok", "good", func(*Facts) {}, true},
	{"sata-media-ok", "pending", pendingOf(1, 0), false},
	{"sata-media-ok", "not counted", func(f *Facts) { f.Health.ReallocatedSectors = nil }, false},
	{"sata-media-ok", "damaged page", func(f *Facts) { f.Attributes.ChecksumOK = false }, false},
	{"sata-media-ok", "no health", func(f *Facts) { f.Health = nil }, false},

	{"sata-wear-ok", "below", used(wearNear - 1), true},
	{"sata-wear-ok", "at", used(wearNear), false},
	{"sata-wear-high", "below", used(wearNear - 1), false},
	{"sata-wear-high", "at", used(wearNear), true},
	{"sata-wear-high", "spent", used(wearSpent), false},
	{"sata-wear-spent", "below", used(wearSpent - 1), false},
	{"sata-wear-spent", "at", used(wearSpent), true},
	{"sata-wear-spent", "most", used(255), true},
	{"sata-hot", "at", temperature(70, 70), false},
	{"sata-hot", "above", temperature(71, 70), true},
	{"sata-hot", "no limit", func(f *Facts) { f.Health.TemperatureCelsius = new(99) }, false},

	{"sata-crc", "0", crc(0), false},
	{"sata-crc", "1", crc(1), true},
	{"sata-crc", "at", crc(manyCRC), false},
	{"sata-crc-many", "below", crc(manyCRC - 1), false},
	{"sata-crc-many", "at", crc(manyCRC), true},
	{"sata-link-slow", "as fast", speeds(6, 6), false},
	{"sata-link-slow", "slower", speeds(3, 6), true},
	{"sata-link-slow", "not reported", func(f *Facts) { f.Identity.SpeedCurrentGbps = nil }, false},
	{"sata-size-differs", "same", func(*Facts) {}, false},
	{"sata-size-differs", "less", func(f *Facts) { f.Host.SizeBytes -= 512 }, true},
	{"sata-size-differs", "no medium", func(f *Facts) { f.Host.SizeBytes = 0 }, false},
	{"sata-size-differs", "no capacity", func(f *Facts) { f.Identity.CapacityBytes = 0 }, false},
	{"sata-error-log", "none", func(*Facts) {}, false},
	{"sata-error-log", "one", func(f *Facts) { f.ErrorLog.Count, f.ErrorLog.Entries = 1, []ErrorEntry{{Text: "command aborted"}} }, true},
	{"sata-error-log", "one of an unknown kind", func(f *Facts) { f.ErrorLog.Count, f.ErrorLog.Entries = 1, []ErrorEntry{{}} }, true},
	{"sata-error-log", "not read", func(f *Facts) { f.ErrorLog = nil }, false},
	{"sata-error-log", "damaged page", func(f *Facts) { f.ErrorLog = &ErrorLog{Count: 1, Entries: []ErrorEntry{{}}} }, false},
}

func TestEdges(t *testing.T) {
	for _, tt := range edges {
		f := healthy(t)
		tt.set(f)
		a := Assess(f)
		fired := slices.ContainsFunc(a.Findings, func(x Finding) bool { return x.Rule == tt.rule })
		if fired != tt.fires {
			t.Errorf("%s, %s: fires %t, want %t; %+v", tt.rule, tt.name, fired, tt.fires, a.Findings)
		}
	}
}

// TestEachRuleHasEdges checks that every rule is shown firing and not firing,
// and is complete.
func TestEachRuleHasEdges(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "sata-") || r.Source == "" || len(r.Fields) == 0 || !strings.HasSuffix(r.Text, ".") && !strings.HasSuffix(r.Text, "}") || r.Severity.rank() < 0 {
			t.Errorf("rule %+v is incomplete or stands twice", r)
		}
		seen[r.ID] = true
		for _, fires := range []bool{true, false} {
			if !slices.ContainsFunc(edges, func(e struct {
				rule, name string
				set        func(*Facts)
				fires      bool
			}) bool {
				return e.rule == r.ID && e.fires == fires
			}) {
				t.Errorf("%s: no facts with fires %t", r.ID, fires)
			}
		}
	}
	for _, e := range edges {
		if !seen[e.rule] {
			t.Errorf("edge of an unknown rule %s", e.rule)
		}
	}
}

// TestSentences checks that no name in braces is left, and that each finding
// has its evidence.
func TestSentences(t *testing.T) {
	braces := regexp.MustCompile(`[{}]`)
	for _, e := range edges {
		f := healthy(t)
		e.set(f)
		a := Assess(f)
		for _, x := range a.Findings {
			if braces.MatchString(x.Text) || x.Evidence == "" {
				t.Errorf("%s, %s: text %q, evidence %q", e.rule, e.name, x.Text, x.Evidence)
			}
		}
		if !strings.HasSuffix(a.Summary, ".") || strings.Contains(a.Summary, "..") {
			t.Errorf("%s, %s: summary %q", e.rule, e.name, a.Summary)
		}
	}
}

func TestLevels(t *testing.T) {
	both := func(all ...func(*Facts)) func(*Facts) {
		return func(f *Facts) {
			for _, set := range all {
				set(f)
			}
		}
	}
	tests := []struct {
		name    string
		set     func(*Facts)
		level   Level
		summary string
	}{
		{"healthy", func(*Facts) {}, Keep, "No SMART threshold is exceeded; no bad sector is counted; by its own account 7 % of the rated life is used."},
		{"info alone", crc(3), Keep, ""},
		{"nothing found", func(f *Facts) { f.Status, f.Health = nil, &Health{} }, Keep, "No rule found anything against the drive."},
		{"note", used(95), Note, "By its own account the drive is near the end of its rated life: 95 % used."},
		{"two notes", both(used(95), speeds(3, 6)), Note, "By its own account the drive is near the end of its rated life: 95 % used (and 1 more)."},
		{"return", pendingOf(50, 0), Return, "50 sectors cannot be read and wait to be replaced: the medium fails."},
		{"failing and note", both(used(95), func(f *Facts) { f.Status = new(StatusFailed) }), Return, "The drive itself says that it is about to fail: a SMART threshold is exceeded."},
		{"unknown", problem(SectionAttributes, KindRefused), Unknown, "The drive could not be read (SMART attributes: refused)."},
		{"unknown before note", both(problem(SectionAttributes, KindRefused), speeds(3, 6)), Unknown, "The drive could not be read (SMART attributes: refused)."},
		{"return before unknown", both(problem(SectionAttributes, KindRefused), func(f *Facts) { f.Status = new(StatusFailed) }), Return, ""},
		{"checksum", both(pendingOf(50, 0), func(f *Facts) { f.Attributes.ChecksumOK = false }), Unknown, ""},
	}
	for _, tt := range tests {
		f := healthy(t)
		tt.set(f)
		a := Assess(f)
		if a.Level != tt.level || tt.summary != "" && a.Summary != tt.summary {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, a.Level, a.Summary, tt.level, tt.summary)
		}
		if !slices.IsSortedFunc(a.Findings, func(x, y Finding) int { return x.Severity.rank() - y.Severity.rank() }) {
			t.Errorf("%s: findings are not sorted: %+v", tt.name, a.Findings)
		}
	}
	if a := Assess(&Facts{}); a.Level != Unknown {
		t.Errorf("no facts at all: %+v", a)
	}
}
