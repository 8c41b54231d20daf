package render

import (
	"testing"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func TestTriageTexts(t *testing.T) {
	spot := smart.Spot{NSID: 1, Entries: 16, LBAs: 2, LBAMin: 1875384832, LBAMax: 1875384968, FromEndBytes: new(uint64(88 << 10))}
	far := smart.Spot{NSID: 2, Entries: 1, LBAs: 1, LBAMin: 5, LBAMax: 5, FromEndBytes: new(uint64(1 << 40))}
	for _, tt := range []struct {
		name string
		e    smart.Triage
		want string
	}{
		{"none", smart.Triage{MediaErrors: new(nvme.U128(0))}, "no media error"},
		{"not counted", smart.Triage{}, "no media error"},
		{"lost with the power", smart.Triage{MediaErrors: new(nvme.U128(3))}, "3 media errors, of which the log shows none"},
		{"one spot", smart.Triage{MediaErrors: new(nvme.U128(2481614)), Media: 16, Spots: []smart.Spot{spot}},
			"2 481 614 media errors: one spot, 2 LBAs, in the last 88 KiB of the disk (LBA 1 875 384 832 to 1 875 384 968), 16 entries"},
		{"two spots", smart.Triage{Media: 17, Spots: []smart.Spot{far, spot}},
			"17 media errors in the log: 2 spots, the one with most entries: 1 LBA, LBA 5, namespace 2, 1 entry"},
		{"one, in the log alone", smart.Triage{Media: 1, Spots: []smart.Spot{far}}, "1 media error in the log: one spot, 1 LBA, LBA 5, namespace 2, 1 entry"},
	} {
		if got := plain(mediaText(lang.English, &tt.e)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	probes := smart.Triage{Command: 63, Path: 1, Other: 2, Opcodes: []smart.OpcodeCount{{Opcode: 2, Name: "Get Log Page", Admin: true, Entries: 60}, {Opcode: 6, Name: "Identify", Admin: true, Entries: 3}}}
	for want, got := range map[string]string{
		"63 refused commands: harmless, systems and tools try what a drive may not have": refusedText(lang.English, &probes),
		"2 internal or vendor specific errors, 1 error of the path to the drive":         faultsText(lang.English, &probes),
		"by command: Get Log Page (02h) 60, Identify (06h) 3":                            opcodesText(lang.English, &probes),
		"caused by qd1 itself: 1 entry":                                                  addedText(lang.English, new(int64(1))),
		"caused by qd1 itself: 0 entries":                                                addedText(lang.English, new(int64(0))),
	} {
		if plain(got) != want {
			t.Errorf("%q, want %q", plain(got), want)
		}
	}
	if got := refusedText(lang.English, &smart.Triage{}) + faultsText(lang.English, &smart.Triage{}) + opcodesText(lang.English, &smart.Triage{}) + addedText(lang.English, nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
