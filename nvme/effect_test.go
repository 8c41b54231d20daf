package nvme

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// bare is the effect of each opcode without fields on NSID 1 of a drive whose
// FNA is 0. What is not here destroys everything.
var bare = map[Queue]map[uint8]Effect{
	AdminQueue: {
		0x02: {Access: Reads, Reach: ReachNothing},
		0x06: {Access: Reads, Reach: ReachNothing},
		0x0A: {Access: Reads, Reach: ReachNothing},
		0x82: {Access: Reads, Reach: ReachNothing},
		0x86: {Access: Reads, Reach: ReachNothing},
		0x08: {Access: Changes, Reach: ReachNothing},
		0x0C: {Access: Changes, Reach: ReachNothing},
		0x0D: {Access: Changes, Reach: ReachNothing},
		0x10: {Access: Changes, Reach: ReachNothing},
		0x11: {Access: Changes, Reach: ReachNothing},
		0x14: {Access: Changes, Reach: ReachNothing},
		0x15: {Access: Changes, Reach: ReachNothing},
		0x18: {Access: Changes, Reach: ReachNothing},
		0x19: {Access: Changes, Reach: ReachNothing},
		0x1A: {Access: Changes, Reach: ReachNothing},
		0x1C: {Access: Changes, Reach: ReachNothing},
		0x1E: {Access: Changes, Reach: ReachNothing},
		0x24: {Access: Changes, Reach: ReachNothing},
		0x80: {Access: Destroys, Reach: ReachNamespace, NSID: 1},
	},
	IOQueue: {
		0x02: {Access: Reads, Reach: ReachNothing},
		0x05: {Access: Reads, Reach: ReachNothing},
		0x0C: {Access: Reads, Reach: ReachNothing},
		0x0E: {Access: Reads, Reach: ReachNothing},
		0x7A: {Access: Reads, Reach: ReachNothing},
		0x00: {Access: Changes, Reach: ReachNothing},
		0x09: {Access: Changes, Reach: ReachNothing},
		0x0D: {Access: Changes, Reach: ReachNothing},
		0x11: {Access: Changes, Reach: ReachNothing},
		0x15: {Access: Changes, Reach: ReachNothing},
		0x01: {Access: Destroys, Reach: ReachNamespace, NSID: 1},
		0x04: {Access: Destroys, Reach: ReachNamespace, NSID: 1},
		0x08: {Access: Destroys, Reach: ReachNamespace, NSID: 1},
		0x19: {Access: Destroys, Reach: ReachNamespace, NSID: 1},
		0x79: {Access: Destroys, Reach: ReachNamespace, NSID: 1},
		0x7D: {Access: Destroys, Reach: ReachNamespace, NSID: 1},
	},
	Queue(2):   {},
	Queue(255): {},
}

func TestEffectOfEveryOpcode(t *testing.T) {
	for queue, effects := range bare {
		for op := range 256 {
			got := EffectOf(&Command{Queue: queue, Opcode: uint8(op), NSID: 1}, &IdentifyController{})
			if got.Why == "" {
				t.Errorf("queue %d, opcode %#02x: no reason", queue, op)
			}
			got.Why = ""
			if want := effects[uint8(op)]; got != want {
				t.Errorf("queue %d, opcode %#02x: %+v, want %+v", queue, op, got, want)
			}
		}
	}
}

// TestEffectOfNothingIsForgotten checks that each opcode constant has a rule, so
// that the worst is a decision and no oversight.
func TestEffectOfNothingIsForgotten(t *testing.T) {
	constants := 0
	for _, decl := range parseFiles(t, "opcode.go", []byte(read(t, "..", "opcode.go")))[0].Decls {
		ast.Inspect(decl, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && (strings.HasPrefix(spec.Names[0].Name, "Admin") || strings.HasPrefix(spec.Names[0].Name, "IO")) {
				constants++
			}
			return true
		})
	}
	for _, m := range []struct {
		names map[uint8]string
		rules map[uint8]rule
	}{{adminNames, adminRules}, {ioNames, ioRules}} {
		names, rules := slices.Sorted(maps.Keys(m.names)), slices.Sorted(maps.Keys(m.rules))
		if !slices.Equal(names, rules) {
			t.Errorf("rules for % X, want for % X", rules, names)
		}
		constants -= len(names)
	}
	if constants != 0 {
		t.Errorf("%d opcodes more than names", constants)
	}
}

// TestEffectOfAgreesWithReadOnly checks that whatever the guard of reading lets
// through reads.
func TestEffectOfAgreesWithReadOnly(t *testing.T) {
	for _, queue := range []Queue{AdminQueue, IOQueue, 2} {
		for op := range 256 {
			for _, cdw10 := range []uint32{0, 1, 0x01000100, 0x01000200, 0xFFFFFFFF} {
				cmd := &Command{Queue: queue, Opcode: uint8(op), NSID: 1, CDW10: cdw10}
				if e := EffectOf(cmd, nil); readsOnly(cmd) && e.Access != Reads {
					t.Errorf("queue %d, opcode %#02x, CDW10 %#x is let through and %v", queue, op, cdw10, e.Access)
				}
			}
		}
	}
}

func TestEffectOfFormat(t *testing.T) {
	const all = FNAFormatAll | FNAEraseAll
	tests := []struct {
		name string
		nsid NSID
		ses  SecureErase
		fna  FNA
		want Reach
		why  string
	}{
		{"one", 3, 0, 0, ReachNamespace, "the namespace is formatted"},
		{"one, with erase", 3, 1, 0, ReachNamespace, "the namespace is formatted"},
		{"one, with crypto erase", 3, 2, FNACryptoErase, ReachNamespace, "the namespace is formatted"},
		{"bit 0", 3, 0, FNAFormatAll, ReachSubsystem, "a format is one of all namespaces (FNA bit 0)"},
		{"bit 0 alone, with erase", 3, 1, FNAFormatAll, ReachSubsystem, "a format is one of all namespaces (FNA bit 0)"},
		{"bit 1 alone, without erase", 3, 0, FNAEraseAll, ReachNamespace, "the namespace is formatted"},
		{"bit 1, with erase", 3, 1, FNAEraseAll, ReachSubsystem, "a secure erase is one of all namespaces (FNA bit 1)"},
		{"bit 1, with crypto erase", 3, 2, FNAEraseAll, ReachSubsystem, "a secure erase is one of all namespaces (FNA bit 1)"},
		{"bit 1, with a reserved erase", 3, 7, FNAEraseAll, ReachSubsystem, "a secure erase is one of all namespaces (FNA bit 1)"},
		{"both, without erase", 3, 0, all, ReachSubsystem, "a format is one of all namespaces (FNA bit 0)"},
		{"both, with erase", 3, 2, all, ReachSubsystem, "a format is one of all namespaces (FNA bit 0)"},
		{"broadcast", BroadcastNSID, 0, 0, ReachSubsystem, "a namespace is formatted, and the command names all"},
		{"broadcast where there is none", BroadcastNSID, 0, FNANoBroadcast, ReachSubsystem, "a namespace is formatted, and the command names all"},
		{"no namespace", 0, 1, 0, ReachSubsystem, "a namespace is formatted, and the command names none"},
	}
	for _, tt := range tests {
		cmd := FormatNVM{NSID: tt.nsid, SES: tt.ses}.Command()
		want := Effect{Reach: tt.want, Why: tt.why}
		if tt.want == ReachNamespace {
			want.NSID = tt.nsid
		}
		if got := EffectOf(cmd, &IdentifyController{FNA: tt.fna}); got != want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, want)
		}
		if got := EffectOf(cmd, nil); got.Access != Destroys || got.Reach != ReachSubsystem {
			t.Errorf("%s without Identify data: %+v, want everything", tt.name, got)
		}
	}
}

func TestEffectOfFields(t *testing.T) {
	all := Effect{}
	one := Effect{Reach: ReachNamespace, NSID: 5}
	changes := Effect{Access: Changes, Reach: ReachNothing}
	tests := []struct {
		name string
		cmd  Command
		want Effect
	}{
		{"create a namespace", Command{Opcode: 0x0D}, changes},
		{"delete a namespace", Command{Opcode: 0x0D, NSID: 5, CDW10: 1}, one},
		{"delete all", Command{Opcode: 0x0D, NSID: BroadcastNSID, CDW10: 1}, all},
		{"another namespace management", Command{Opcode: 0x0D, NSID: 5, CDW10: 2}, all},
		{"attach", Command{Opcode: 0x15, NSID: 5}, changes},
		{"detach", Command{Opcode: 0x15, NSID: 5, CDW10: 1}, one},
		{"another attachment", Command{Opcode: 0x15, NSID: 5, CDW10: 15}, all},
		{"sanitize", *Sanitize{Action: SanitizeCryptoErase}.Command(), all},
		{"sanitize, whatever the namespace", Command{Opcode: 0x84, NSID: 5, CDW10: 4}, all},
		{"end the failure mode", *Sanitize{Action: SanitizeExitFailureMode}.Command(), all},
		{"set the write cache", Command{Opcode: 0x09, CDW10: 0x06}, changes},
		{"set and save", Command{Opcode: 0x09, CDW10: 0x80000006}, changes},
		{"set a feature without a name here", Command{Opcode: 0x09, CDW10: 0x19}, changes},
		{"set feature 0", Command{Opcode: 0x09}, all},
		{"set a reserved feature", Command{Opcode: 0x09, CDW10: 0x22}, all},
		{"set a feature of a vendor", Command{Opcode: 0x09, CDW10: 0xC1}, all},
		{"take another security answer", Command{Opcode: 0x82, CDW10: 0x01000200}, changes},
		{"security send", Command{Opcode: 0x81, CDW10: 0x01000100}, all},
		{"write", Command{Queue: IOQueue, Opcode: 0x01, NSID: 5}, one},
		{"write to none", Command{Queue: IOQueue, Opcode: 0x01}, all},
		{"write to all", Command{Queue: IOQueue, Opcode: 0x01, NSID: BroadcastNSID}, all},
		{"hint", Command{Queue: IOQueue, Opcode: 0x09, NSID: 5, CDW11: 3}, changes},
		{"deallocate", Command{Queue: IOQueue, Opcode: 0x09, NSID: 5, CDW11: 4}, one},
		{"deallocate with hints", Command{Queue: IOQueue, Opcode: 0x09, NSID: 5, CDW11: 7}, one},
	}
	for _, tt := range tests {
		got := EffectOf(&tt.cmd, &IdentifyController{})
		if got.Why == "" {
			t.Errorf("%s: no reason", tt.name)
		}
		if got.Why = ""; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestEffectOfFeatures checks that each feature with a name is one that is set,
// and that no other is.
func TestEffectOfFeatures(t *testing.T) {
	for fid := range 256 {
		_, named := fidNames[FID(fid)]
		got := EffectOf(&Command{Opcode: AdminSetFeatures, CDW10: uint32(fid)}, nil)
		if named != (got.Access == Changes) {
			t.Errorf("feature %02Xh: %v", fid, got.Access)
		}
	}
}

// TestEffectZero checks that an effect that nobody filled in is the worst.
func TestEffectZero(t *testing.T) {
	var e Effect
	if e.Access != Destroys || e.Reach != ReachSubsystem || e.Access >= Changes || e.Reach >= ReachNamespace {
		t.Errorf("zero value: %v, %v", e.Access, e.Reach)
	}
	got := []string{Destroys.String(), Changes.String(), Reads.String(), Access(9).String(),
		ReachSubsystem.String(), ReachNamespace.String(), ReachNothing.String(), Reach(9).String()}
	want := []string{"destroys", "changes", "reads", "destroys", "subsystem", "namespace", "nothing", "subsystem"}
	if !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}
