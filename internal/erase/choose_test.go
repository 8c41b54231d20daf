package erase

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

const (
	canFormat   = nvme.OACSFormat
	gb          = 1_000_000_000
	allSanitize = sanicapBlock | sanicapCrypto | sanicapOverwrite
)

// controller returns Identify Controller with these capabilities.
func controller(oacs nvme.OACS, fna nvme.FNA, sanicap uint32) *nvme.IdentifyController {
	return &nvme.IdentifyController{OACS: oacs, FNA: fna, SANICAP: sanicap}
}

// withFormats gives a namespace the LBA formats 512+0, 512+8, 4096+0, 4096+8,
// of which it uses one.
func withFormats(n Namespace, use uint8, dps uint8) Namespace {
	n.Identify.NLBAF = 3
	n.Identify.LBAF[1] = nvme.LBAFormat{LBADS: 9, MetadataBytes: 8}
	n.Identify.LBAF[2] = nvme.LBAFormat{LBADS: 12}
	n.Identify.LBAF[3] = nvme.LBAFormat{LBADS: 12, MetadataBytes: 8}
	n.Identify.FLBAS, n.Identify.DPS = use, dps
	return n
}

func pointer(i int) *int { return &i }

// sent shows commands as NSID and CDW10.
func sent(m *Method) [][2]uint32 {
	var all [][2]uint32
	for _, c := range m.Commands {
		all = append(all, [2]uint32{uint32(c.NSID), c.CDW10})
	}
	return all
}

const everyone = uint32(nvme.BroadcastNSID)

func TestChooseCommands(t *testing.T) {
	one := []Namespace{space(1, 960*gb)}
	two := []Namespace{space(1, 500*gb), space(3, 500*gb)}
	mixed := []Namespace{withFormats(space(1, gb), 0, 0), withFormats(space(2, gb), 2, 0)}
	tests := []struct {
		name    string
		id      *nvme.IdentifyController
		spaces  []Namespace
		request Request
		want    Technique
		cmds    [][2]uint32
	}{
		{"user data erase", controller(canFormat, 0, 0), one, Request{}, FormatUserData, [][2]uint32{{1, 0x200}}},
		{"crypto erase", controller(canFormat, nvme.FNACryptoErase, 0), one, Request{}, FormatCrypto, [][2]uint32{{1, 0x400}}},
		{"sanitize block first", controller(canFormat, nvme.FNACryptoErase, allSanitize), one, Request{}, SanitizeBlock, [][2]uint32{{0, 0xA}}},
		{"sanitize crypto", controller(canFormat, 0, sanicapCrypto), one, Request{}, SanitizeCrypto, [][2]uint32{{0, 0xC}}},
		{"format before overwriting", controller(canFormat, 0, sanicapOverwrite), one, Request{}, FormatUserData, [][2]uint32{{1, 0x200}}},
		{"overwriting by the drive before the host", controller(0, 0, sanicapOverwrite), one, Request{}, SanitizeOverwrite, [][2]uint32{{0, 0x1B}}},
		{"host", controller(0, 0, 0), one, Request{}, Overwrite, [][2]uint32{{1, 0}}},
		{"asked for", controller(canFormat, 0, allSanitize), one, Request{Technique: FormatUserData}, FormatUserData, [][2]uint32{{1, 0x200}}},
		{"bare format", controller(canFormat, 0, allSanitize), one, Request{Technique: Format}, Format, [][2]uint32{{1, 0}}},
		{"one of two by sanitize is too far", controller(canFormat, 0, allSanitize), two, Request{NSID: 3}, FormatUserData, [][2]uint32{{3, 0x200}}},
		{"all by sanitize", controller(canFormat, 0, allSanitize), two, Request{AllNamespaces: true}, SanitizeBlock, [][2]uint32{{0, 0xA}}},
		{"sanitize needs no namespace", controller(0, 0, allSanitize), nil, Request{Technique: SanitizeBlock}, SanitizeBlock, [][2]uint32{{0, 0xA}}},
		{"all in one", controller(canFormat, 0, 0), two, Request{AllNamespaces: true}, FormatUserData, [][2]uint32{{everyone, 0x200}}},
		{"all without broadcast", controller(canFormat, nvme.FNANoBroadcast, 0), two, Request{AllNamespaces: true}, FormatUserData, [][2]uint32{{1, 0x200}, {3, 0x200}}},
		{"all of a drive that formats all", controller(canFormat, nvme.FNANoBroadcast|nvme.FNAFormatAll, 0), two, Request{AllNamespaces: true}, FormatUserData, [][2]uint32{{1, 0x200}}},
		{"one of a drive that formats all", controller(canFormat, nvme.FNAFormatAll, 0), two, Request{NSID: 3}, FormatUserData, [][2]uint32{{3, 0x200}}},
		{"all with formats of their own", controller(canFormat, 0, 0), mixed, Request{AllNamespaces: true}, FormatUserData, [][2]uint32{{1, 0x200}, {2, 0x202}}},
		{"all to one format", controller(canFormat, 0, 0), mixed, Request{Technique: Format, AllNamespaces: true, LBAF: pointer(2)}, Format, [][2]uint32{{everyone, 2}}},
		{"format of all to one format", controller(canFormat, nvme.FNAFormatAll, 0), mixed, Request{Technique: Format, NSID: 1, LBAF: pointer(2)}, Format, [][2]uint32{{1, 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Choose(Facts{Controller: tt.id, Namespaces: tt.spaces}, tt.request)
			if err != nil {
				t.Fatal(err)
			}
			if m.Technique != tt.want {
				t.Errorf("technique %s, want %s", m.Technique, tt.want)
			}
			if diff := cmp.Diff(tt.cmds, sent(m)); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			if m.Timeout < shortestTimeout || len(m.Reasons) == 0 {
				t.Errorf("time-out %v, reasons %q", m.Timeout, m.Reasons)
			}
		})
	}
}

// TestChooseKeepsFormat holds that the LBA format, the place of metadata and
// the protection information stay, unless something else is asked for.
func TestChooseKeepsFormat(t *testing.T) {
	const extended, first = 0x10, 8
	tests := []struct {
		name       string
		flbas, dps uint8
		request    Request
		want       nvme.FormatNVM
	}{
		{"plain", 0, 0, Request{}, nvme.FormatNVM{}},
		{"4096", 2, 0, Request{}, nvme.FormatNVM{LBAF: 2}},
		{"protection", 1, 1, Request{}, nvme.FormatNVM{LBAF: 1, PI: 1}},
		{"protection first, extended", 3 | extended, 2 | first, Request{}, nvme.FormatNVM{LBAF: 3, PI: 2, PIFirst: true, MetadataInLBA: true}},
		{"extended without metadata means nothing", 2 | extended, 0, Request{}, nvme.FormatNVM{LBAF: 2}},
		{"other format", 0, 0, Request{LBAF: pointer(3)}, nvme.FormatNVM{LBAF: 3}},
		{"no protection", 1, 1 | first, Request{PI: pointer(0)}, nvme.FormatNVM{LBAF: 1}},
		{"other format, no protection", 1 | extended, 1, Request{LBAF: pointer(2), PI: pointer(0)}, nvme.FormatNVM{LBAF: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Facts{Controller: controller(canFormat, 0, 0), Namespaces: []Namespace{withFormats(space(1, gb), tt.flbas, tt.dps)}}
			m, err := Choose(f, tt.request)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.NSID, tt.want.SES = 1, nvme.SecureEraseUserData
			if diff := cmp.Diff(tt.want, nvme.ParseFormatNVM(&m.Commands[0])); diff != "" {
				t.Errorf("format (-want +got):\n%s", diff)
			}
			changed := strings.Contains(strings.Join(m.Notes, "\n"), "become what was asked for")
			if asked := tt.request.LBAF != nil || tt.request.PI != nil; changed != asked {
				t.Errorf("notes %q: tells of a change %t, want %t", m.Notes, changed, asked)
			}
		})
	}
}

func TestChooseRefuses(t *testing.T) {
	one := []Namespace{withFormats(space(1, gb), 0, 0)}
	two := []Namespace{space(1, gb), space(3, 2*gb)}
	mixed := []Namespace{withFormats(space(1, gb), 0, 0), withFormats(space(2, gb), 2, 0)}
	extended := []Namespace{withFormats(space(1, gb), 0x11, 0)}
	format := controller(canFormat, 0, 0)
	tests := []struct {
		name    string
		id      *nvme.IdentifyController
		spaces  []Namespace
		request Request
		want    string
	}{
		{"no identify", nil, one, Request{}, "could not be read"},
		{"none of two", format, two, Request{}, "has 2 namespaces and none was named: namespace 1 (1000000000 bytes), namespace 3 (2000000000 bytes)"},
		{"not there", format, two, Request{NSID: 2}, "namespace 2 is not active"},
		{"broadcast by hand", format, two, Request{NSID: nvme.BroadcastNSID}, "is not active"},
		{"one and all", format, two, Request{NSID: 1, AllNamespaces: true}, "cannot both be meant"},
		{"nothing there", format, nil, Request{}, "no active namespace"},
		{"unknown", format, one, Request{Technique: "x"}, `no technique "x"`},
		{"no sanitize", format, one, Request{Technique: SanitizeBlock}, "SANICAP has none of its actions"},
		{"no such sanitize", controller(0, 0, sanicapBlock), one, Request{Technique: SanitizeCrypto}, "SANICAP does not have it"},
		{"no crypto", format, one, Request{Technique: FormatCrypto}, "FNA bit 2 is clear"},
		{"no format", controller(0, 0, 0), one, Request{Technique: Format}, "OACS bit 1 is clear"},
		{"nothing at all", controller(0, 0, 0), extended, Request{}, "no technique"},
		{"overwrite what has no device", format, extended, Request{Technique: Overwrite}, "no block device of namespace 1"},
		{"no such format", format, one, Request{LBAF: pointer(4)}, "no LBA format 4"},
		{"negative format", format, one, Request{LBAF: pointer(-1)}, "no LBA format -1"},
		{"no such protection", format, one, Request{PI: pointer(4)}, "type 4"},
		{"no room for protection", format, one, Request{PI: pointer(1)}, "no room"},
		{"format with sanitize", controller(0, 0, allSanitize), one, Request{LBAF: pointer(0)}, "does not change the LBA format"},
		{"would change another", controller(canFormat, nvme.FNAFormatAll, 0), mixed, Request{NSID: 1}, "would change namespace 2 from LBA format 2 to 0"},
		{"identify of the namespace", format, []Namespace{{NSID: 1}}, Request{}, "could not be read"},
		{"negative time-out", format, one, Request{Timeout: -1}, "time-out"},
		{"too long", format, one, Request{Timeout: 1200 * time.Hour}, "time-out"},
		{"claim", format, one, Request{Claim: "destroy"}, `no claim "destroy"`},
		{"claim of a bare format", format, one, Request{Technique: Format, Claim: Clear}, "not an erase"},
		{"claim too much", format, one, Request{Technique: Overwrite, Claim: Purge}, "clear at most"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Choose(Facts{Controller: tt.id, Namespaces: tt.spaces}, tt.request)
			var bad *RequestError
			if !errors.As(err, &bad) || !strings.Contains(bad.Error(), tt.want) {
				t.Errorf("method %v, error %v, want %q", m, err, tt.want)
			}
		})
	}
}

func TestChooseHintsAtWhatThereIs(t *testing.T) {
	_, err := Choose(Facts{Controller: controller(canFormat, 0, 0), Namespaces: []Namespace{space(1, gb)}}, Request{Technique: SanitizeBlock})
	var bad *RequestError
	if !errors.As(err, &bad) || bad.Hint != "this drive has: format-user-data, overwrite, format" {
		t.Errorf("error %#v", err)
	}
}

func TestTimeout(t *testing.T) {
	fast := &drivedb.Entry{MarketingName: "Fast", RatedSeqWriteMBs: 2200}
	tests := []struct {
		name   string
		bytes  int64
		model  *drivedb.Entry
		asked  time.Duration
		want   time.Duration
		source string
	}{
		{"small", 960_197_124_096, fast, 0, 30 * time.Minute, "the least"},
		{"1.5 TB", 1_500_301_910_016, fast, 0, 34*time.Minute + 6*time.Second, "3 times as long as writing the whole capacity at 2200 MB/s (rated for Fast)"},
		{"model without a rate", 3000 * gb, &drivedb.Entry{}, 0, 5 * time.Hour, "assumed"},
		{"unknown", 3000 * gb, nil, 0, 5 * time.Hour, "assumed"},
		{"large", 100_000 * gb, nil, 0, 24 * time.Hour, "the most"},
		{"absurd", 1 << 62, nil, 0, 24 * time.Hour, "the most"},
		{"asked for", 960 * gb, fast, 2 * time.Hour, 2 * time.Hour, "asked for"},
		{"asked for, short", 960 * gb, fast, time.Minute, time.Minute, "asked for"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Facts{Controller: controller(canFormat, 0, 0), Namespaces: []Namespace{space(1, tt.bytes)}, Model: tt.model}
			m, err := Choose(f, Request{Timeout: tt.asked})
			if err != nil {
				t.Fatal(err)
			}
			if m.Timeout != tt.want || !strings.Contains(m.TimeoutSource, tt.source) {
				t.Errorf("time-out %v, %q, want %v, %q", m.Timeout, m.TimeoutSource, tt.want, tt.source)
			}
			if op := m.Operation(); op.Timeout != tt.want {
				t.Errorf("the guard gives %v, want %v", op.Timeout, tt.want)
			}
			short := tt.asked != 0 && tt.asked < shortestTimeout
			warned := slices.ContainsFunc(m.Notes, func(s string) bool { return strings.Contains(s, "is short") })
			if warned != short {
				t.Errorf("notes %q: warns %t, want %t", m.Notes, warned, short)
			}
		})
	}
}

// TestTimeoutIsForAllThatIsReached holds that a drive that formats all
// namespaces gets the time for all of them.
func TestTimeoutIsForAllThatIsReached(t *testing.T) {
	spaces := []Namespace{space(1, gb), space(2, 3000*gb)}
	for fna, want := range map[nvme.FNA]time.Duration{0: 30 * time.Minute, nvme.FNAEraseAll: 5*time.Hour + 6*time.Second} {
		m, err := Choose(Facts{Controller: controller(canFormat, fna, 0), Namespaces: spaces, NSID: 1}, Request{})
		if err != nil {
			t.Fatal(err)
		}
		if m.Timeout != want || !slices.Equal(m.Targets, []nvme.NSID{1}) || m.Bytes != gb {
			t.Errorf("FNA %v: time-out %v, targets %v, %d bytes, want %v, [1], %d", fna, m.Timeout, m.Targets, m.Bytes, want, gb)
		}
	}
}

func TestEstimate(t *testing.T) {
	xpoint := &drivedb.Entry{RatedSeqWriteMBs: 2200, Media: "3D XPoint"}
	reported := &nvme.SanitizeLog{BlockTime: 60, CryptoTime: notReported, OverwriteTime: 1600}
	const capacity = 960_197_124_096
	tests := []struct {
		name      string
		technique Technique
		model     *drivedb.Entry
		log       *nvme.SanitizeLog
		low, high time.Duration
	}{
		{"3D XPoint", FormatUserData, xpoint, nil, 437 * time.Second, 15 * time.Minute},
		{"NAND", FormatUserData, nil, nil, 5 * time.Second, 1921 * time.Second},
		{"key", FormatCrypto, xpoint, nil, time.Second, time.Minute},
		{"bare", Format, xpoint, nil, time.Second, 437 * time.Second},
		{"block", SanitizeBlock, xpoint, reported, time.Minute, time.Minute},
		{"not reported", SanitizeCrypto, xpoint, reported, 0, 0},
		{"one pass of 16", SanitizeOverwrite, xpoint, reported, 100 * time.Second, 1600 * time.Second},
		{"no log", SanitizeBlock, xpoint, nil, 0, 0},
		{"empty log", SanitizeBlock, xpoint, &nvme.SanitizeLog{}, 0, 0},
		{"host", Overwrite, xpoint, nil, 437 * time.Second, 1311 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Facts{
				Controller: controller(canFormat, nvme.FNACryptoErase, allSanitize), Model: tt.model, Sanitize: tt.log,
				Namespaces: []Namespace{space(1, capacity)},
			}
			m, err := Choose(f, Request{Technique: tt.technique})
			if err != nil {
				t.Fatal(err)
			}
			if m.Estimate.Low != tt.low || m.Estimate.High != tt.high || m.Estimate.Source == "" {
				t.Errorf("estimate %v to %v (%s), want %v to %v", m.Estimate.Low, m.Estimate.High, m.Estimate.Source, tt.low, tt.high)
			}
		})
	}
}

func TestOperation(t *testing.T) {
	tests := []struct {
		technique Technique
		want      guard.Operation
	}{
		{Format, guard.Operation{Name: "format"}},
		{FormatUserData, guard.Operation{Name: "erase", Writes: true}},
		{Overwrite, guard.Operation{Name: "erase", Writes: true}},
	}
	for _, tt := range tests {
		m := &Method{Technique: tt.technique}
		if diff := cmp.Diff(tt.want, m.Operation()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.technique, diff)
		}
	}
}

func TestClaims(t *testing.T) {
	tests := []struct {
		technique Technique
		asked     Claim
		want      Claim
		category  string
	}{
		{FormatUserData, ClaimDefault, Clear, "named by default"},
		{FormatUserData, Purge, Purge, "named by the user"},
		{SanitizeBlock, ClaimDefault, Purge, "named by default"},
		{SanitizeBlock, Clear, Clear, "named by the user"},
		{Overwrite, ClaimDefault, Clear, "named by default"},
		{Format, ClaimDefault, ClaimDefault, "not an erase"},
	}
	for _, tt := range tests {
		f := Facts{Controller: controller(canFormat, 0, allSanitize), Namespaces: []Namespace{space(1, gb)}}
		m, err := Choose(f, Request{Technique: tt.technique, Claim: tt.asked})
		if err != nil {
			t.Fatal(err)
		}
		if m.Claim != tt.want || !strings.Contains(m.Category, tt.category) {
			t.Errorf("%s, asked for %q: %q, %q, want %q, %q", tt.technique, tt.asked, m.Claim, m.Category, tt.want, tt.category)
		}
		if m.Technique.Erases() && !(strings.HasPrefix(m.Category, string(tt.want)+": what ") && strings.Contains(m.Category, "not claimed")) {
			t.Errorf("%s: %q does not say that no conformance is claimed", tt.technique, m.Category)
		}
	}
}

func TestNotes(t *testing.T) {
	two := []Namespace{space(1, gb), space(2, gb)}
	tests := []struct {
		technique Technique
		fna       nvme.FNA
		want      []string
	}{
		{Format, nvme.FNAFormatAll, []string{"SES 0 is not an erase", "FNA bit 0"}},
		{Format, nvme.FNAEraseAll, []string{"SES 0 is not an erase"}},
		{FormatUserData, nvme.FNAEraseAll, []string{"FNA bit 1"}},
		{FormatCrypto, nvme.FNACryptoErase, []string{"lost every copy of the key"}},
		{SanitizeOverwrite, 0, []string{"whole NVM subsystem", "cannot be stopped", "wears the medium"}},
		{Overwrite, 0, []string{"1000000000 bytes", "spare and retired areas"}},
	}
	for _, tt := range tests {
		f := Facts{Controller: controller(canFormat, tt.fna, allSanitize), Namespaces: two, NSID: 2}
		m, err := Choose(f, Request{Technique: tt.technique})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(m.Notes, "\n")
		for _, want := range tt.want {
			if !strings.Contains(notes, want) {
				t.Errorf("%s: notes %q, want %q", tt.technique, notes, want)
			}
		}
		if strings.Contains(notes, "FNA bit 1") != (tt.technique == FormatUserData) {
			t.Errorf("%s: notes %q", tt.technique, notes)
		}
	}
}
