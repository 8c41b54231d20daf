package nvme

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestCase19And20And22Strings(t *testing.T) {
	const bad = "\uFFFD"
	tests := []struct {
		path                    []string
		serial, model, firmware string
		serialHex               string
	}{
		{[]string{"19-serial-leading-spaces", "idctrl.bin"}, "86AS109TYUVH", "THNSN5512GPU7 TOSHIBA", "57MS4109", ""},
		{[]string{"19-serial-leading-spaces", "idctrl-nul-padded.bin"}, "ABC123", "MODEL X", "FW000001", ""},
		{[]string{"20-strings-with-control-bytes", "idctrl-newline.bin"}, "0cc47ad37b71-3" + bad, "NVMF-XX-XXX" + bad, "0101" + bad,
			"30636334376164333762" + "37312d330a2020202020"},
		{[]string{"20-strings-with-control-bytes", "idctrl-junk.bin"}, "AB" + bad + bad + "[31m" + bad + bad + `CD"\`, "M" + bad + "odel" + bad, "FW000001",
			"4142011b5b33316dfffe4344225c000000000000"},
		{[]string{"20-strings-with-control-bytes", "idctrl-empty.bin"}, "", "", "", ""},
		{[]string{"22-model-with-separator", "idctrl.bin"}, "S4EVNX0M123456", "7335943:ICDPC5ED2ORA6.4T", "FW000001", ""},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.path, "/"), func(t *testing.T) {
			id := decoded[IdentifyController](t, append([]string{"cases"}, tt.path...)...)
			got := []string{id.SerialNumber.String(), id.ModelNumber.String(), id.FirmwareRevision.String(), RawHex(id.SerialNumber[:])}
			if diff := cmp.Diff([]string{tt.serial, tt.model, tt.firmware, tt.serialHex}, got); diff != "" {
				t.Errorf("sn, mn, fr, hex of sn (-want +got):\n%s", diff)
			}
			if sn := object(t, id)["sn"]; sn != tt.serial || !utf8.ValidString(tt.serial) {
				t.Errorf("JSON sn = %q, want %q", sn, tt.serial)
			}
		})
	}
}

func TestCase22VendorsDiffer(t *testing.T) {
	id := decoded[IdentifyController](t, "cases", "22-model-with-separator", "idctrl.bin")
	if id.VID != 0x8086 || id.SSVID != 0x108e {
		t.Errorf("VID %#x, SSVID %#x, want 0x8086, 0x108e", id.VID, id.SSVID)
	}
}

func TestCase23OUIByteOrder(t *testing.T) {
	id := decoded[IdentifyController](t, "cases", "23-oui-byte-order", "idctrl.bin")
	if got, want := id.IEEE.String(), "0d0800"; got != want {
		t.Errorf("OUI = %s, want bytes 75, 74, 73: %s", got, want)
	}
}

func TestCase25InactivePage(t *testing.T) {
	if ns := decoded[IdentifyNamespace](t, "cases", "25-nn-many-one-active", "idns-nsid2.bin"); !ns.Inactive() {
		t.Error("a page of zero is a namespace")
	}
	if ns := decoded[IdentifyNamespace](t, "cases", "25-nn-many-one-active", "idns-nsid1.bin"); ns.Inactive() {
		t.Error("namespace 1 is inactive")
	}
}

func TestCase25NNManyOneActive(t *testing.T) {
	dir := "25-nn-many-one-active"
	dev := &fake{answer: func(cmd *Command) Status {
		if CNS(cmd.CDW10) != CNSActiveNamespaces {
			return StatusInvalidNamespace
		}
		copy(cmd.Data, read(t, "cases", dir, "nslist.bin"))
		return StatusSuccess
	}}
	got, err := NewController(dev).ActiveNamespaces(t.Context(), decoded[IdentifyController](t, "cases", dir, "idctrl.bin"))
	if err != nil || !slices.Equal(got, []NSID{1}) {
		t.Errorf("ActiveNamespaces = %v, %v, want [1]", got, err)
	}
	if len(dev.sent) != 1 {
		t.Errorf("%d commands sent, want the list alone", len(dev.sent))
	}
}

func TestCase26ActiveListUnsupported(t *testing.T) {
	dir := "26-active-list-unsupported"
	dev := &fake{answer: func(cmd *Command) Status {
		if CNS(cmd.CDW10) != CNSNamespace || cmd.NSID != 1 {
			return 0x4002
		}
		copy(cmd.Data, read(t, "cases", dir, "idns.bin"))
		return StatusSuccess
	}}
	c := NewController(dev)
	got, err := c.ActiveNamespaces(t.Context(), decoded[IdentifyController](t, "cases", dir, "idctrl.bin"))
	if err != nil || !slices.Equal(got, []NSID{1}) {
		t.Errorf("ActiveNamespaces = %v, %v, want [1]", got, err)
	}
	if len(dev.sent) != 1 {
		t.Errorf("%d commands sent, want NSID 1 alone: NN is 1", len(dev.sent))
	}
	if _, err := c.NamespaceDescriptors(t.Context(), 1); !errors.Is(err, ErrNotSupported) {
		t.Errorf("NamespaceDescriptors: %v, want ErrNotSupported", err)
	}
}

func TestCase32IdentifiersZero(t *testing.T) {
	zero := object(t, decoded[IdentifyNamespace](t, "cases", "32-ids-zero-or-duplicate", "idns-zero.bin"))
	dummy := object(t, decoded[IdentifyNamespace](t, "cases", "32-ids-zero-or-duplicate", "idns-dummy.bin"))
	if zero["eui64"] != nil || zero["nguid"] != nil || dummy["nguid"] != nil {
		t.Errorf("identifiers of zero are shown: %v, %v, %v", zero["eui64"], zero["nguid"], dummy["nguid"])
	}
	if got, want := dummy["eui64"], "efcdab8967452301"; got != want {
		t.Errorf("eui64 = %v, want %v", got, want)
	}
}

func TestCase34And35And37Sizes(t *testing.T) {
	tests := []struct {
		path  []string
		bytes uint64
	}{
		{[]string{"34-sizes-over-32-bit", "idns.bin"}, 8001563222016},
		{[]string{"35-tb-versus-tib", "idns.bin"}, 281474976710656},
		{[]string{"37-metadata-extended-lba", "idns.bin"}, 0x1bf1fc56 << 12},
	}
	for _, tt := range tests {
		ns := decoded[IdentifyNamespace](t, append([]string{"cases"}, tt.path...)...)
		for name, got := range map[string]Uint128{"size": ns.SizeBytes(), "capacity": ns.CapacityBytes(), "utilization": ns.UtilizationBytes()} {
			if got != U128(tt.bytes) {
				t.Errorf("%v: %s = %v, want %d", tt.path, name, got, tt.bytes)
			}
		}
	}
}

func TestCase37MetadataExtendedLBA(t *testing.T) {
	ns := decoded[IdentifyNamespace](t, "cases", "37-metadata-extended-lba", "idns.bin")
	if got, want := ns.Format(), (LBAFormat{MetadataBytes: 16, LBADS: 12}); got != want {
		t.Errorf("Format = %+v, want %+v", got, want)
	}
	if !ns.MetadataInLBA() {
		t.Error("metadata are not in the LBA")
	}
	if f := ns.Formats()[1]; f.MetadataBytes != 0 || f.DataBytes() != 4096 {
		t.Errorf("format 1 = %+v, want 4096 bytes without metadata", f)
	}
}

func TestCase38FLBAS(t *testing.T) {
	dir := "38-flbas-reserved-and-upper-bits"
	ns := decoded[IdentifyNamespace](t, "cases", dir, "idns-11h.bin")
	if ns.FormatIndex() != 1 || ns.Format().DataBytes() != 4096 || ns.MetadataInLBA() {
		t.Errorf("FLBAS 11h: index %d, %d bytes, metadata in LBA %v, want 1, 4096, false", ns.FormatIndex(), ns.Format().DataBytes(), ns.MetadataInLBA())
	}
	bad := decoded[IdentifyNamespace](t, "cases", dir, "idns-bad-index.bin")
	if bad.FormatIndex() != 15 || bad.Format() != (LBAFormat{}) || !bad.SizeBytes().IsZero() {
		t.Errorf("bad index: index %d, format %+v, size %v, want 15, none, 0", bad.FormatIndex(), bad.Format(), bad.SizeBytes())
	}
}
