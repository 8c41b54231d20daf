package sim

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

func identityOf(t *testing.T, d *Drive) *nvme.IdentifyController {
	t.Helper()
	id, err := nvme.NewController(d).Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func namespaceOf(t *testing.T, d *Drive, nsid nvme.NSID) *nvme.IdentifyNamespace {
	t.Helper()
	id, err := nvme.NewController(d).IdentifyNamespace(t.Context(), nsid)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestIdentityParameters(t *testing.T) {
	for _, profile := range []string{"optane-905p", "nand-modern", "optane-905p-media-errors"} {
		plain, d := open(t, profile), open(t, profile+"?serial=SN%201&model=A%20drive&fna=0x7")
		id, old := identityOf(t, d), identityOf(t, plain)
		if id.SerialNumber.String() != "SN 1" || id.ModelNumber.String() != "A drive" || id.FNA != 7 {
			t.Errorf("%s: serial %q, model %q, FNA %#x", profile, id.SerialNumber, id.ModelNumber, id.FNA)
		}
		if strings.Contains(id.SUBNQN.String(), old.SerialNumber.String()) {
			t.Errorf("%s: the subsystem %s has the old serial number", profile, id.SUBNQN)
		}
		if id.FirmwareRevision != old.FirmwareRevision || id.OACS != old.OACS {
			t.Errorf("%s: other fields changed too", profile)
		}
		a, b := namespaceOf(t, plain, 1), namespaceOf(t, d, 1)
		if !a.EUI64.IsZero() && (a.EUI64 == b.EUI64 || a.EUI64[2] != b.EUI64[2]) || a.EUI64.IsZero() != b.EUI64.IsZero() {
			t.Errorf("%s: EUI-64 %v, before %v", profile, b.EUI64, a.EUI64)
		}
		if a.NSZE != b.NSZE || !a.NGUID.IsZero() && a.NGUID == b.NGUID {
			t.Errorf("%s: NSZE %d, NGUID %v", profile, b.NSZE, b.NGUID)
		}
	}
}

// TestSerialTwice checks that two drives with one serial number can differ in
// the identifiers of their namespaces: a host takes no two with the same.
func TestSerialTwice(t *testing.T) {
	first, second := open(t, "nand-modern?serial=X"), open(t, "nand-modern?serial=X&seed=1")
	a, b := namespaceOf(t, first, 1), namespaceOf(t, second, 1)
	if a.EUI64 == b.EUI64 || a.NGUID == b.NGUID {
		t.Errorf("both have %v and %v", a.EUI64, a.NGUID)
	}
	if identityOf(t, first).SerialNumber != identityOf(t, second).SerialNumber {
		t.Error("the serial numbers differ")
	}
}

func TestNamespaceParameters(t *testing.T) {
	for _, tc := range []struct {
		query   string
		nsids   []nvme.NSID
		bytes   uint64
		tnvmcap uint64
	}{
		{"optane-905p?namespaces=2", []nvme.NSID{1, 2}, 937692504 * 512, 0},
		{"optane-905p?size=1048576", []nvme.NSID{1}, 1 << 20, 0},
		{"optane-905p?namespaces=1", []nvme.NSID{1}, 1875385008 * 512, 0},
		{"nand-modern?namespaces=3&size=6291456", []nvme.NSID{1, 2, 3}, 2 << 20, 6<<20 + modernBytes - modernFirst},
		{"nand-worn?namespaces=2", []nvme.NSID{1, 2}, modernFirst / 2, modernBytes},
	} {
		d := open(t, tc.query)
		c := nvme.NewController(d)
		id := identityOf(t, d)
		nsids, err := c.ActiveNamespaces(t.Context(), id)
		if err != nil || !slices.Equal(nsids, tc.nsids) {
			t.Errorf("%s: namespaces %v, %v, want %v", tc.query, nsids, err, tc.nsids)
		}
		if id.TNVMCAP != nvme.U128(tc.tnvmcap) || id.NN < uint32(len(tc.nsids)) {
			t.Errorf("%s: TNVMCAP %v, NN %d", tc.query, id.TNVMCAP, id.NN)
		}
		seen := map[nvme.Hex64]bool{}
		for _, nsid := range tc.nsids {
			n := namespaceOf(t, d, nsid)
			if n.NSZE*512 != tc.bytes || n.NCAP != n.NSZE || seen[n.EUI64] && !n.EUI64.IsZero() {
				t.Errorf("%s: namespace %d has %d blocks, EUI-64 %v, want %d bytes", tc.query, nsid, n.NSZE, n.EUI64, tc.bytes)
			}
			if !n.NVMCAP.IsZero() && n.NVMCAP != nvme.U128(tc.bytes) {
				t.Errorf("%s: NVMCAP %v", tc.query, n.NVMCAP)
			}
			seen[n.EUI64] = true
		}
	}
}

// TestFNA checks the honest drive: what FNA says is what a format does.
func TestFNA(t *testing.T) {
	for _, tc := range []struct {
		fna, ses uint32
		all      bool
	}{
		{0, eraseUser, false}, {1, eraseUser, true}, {1, eraseNone, true}, {2, eraseUser, true}, {2, eraseNone, false},
	} {
		query := map[uint32]string{0: "0", 1: "1", 2: "2"}[tc.fna]
		d := open(t, "nand-modern?namespaces=2&speed=1000000&fna="+query)
		before := sibling(t, d)
		accept(t, d, formatCmd(1, 0, tc.ses))
		if got := !bytes.Equal(sibling(t, d), before); got != tc.all {
			t.Errorf("FNA %d, SES %d: the other namespace is erased: %v, want %v", tc.fna, tc.ses, got, tc.all)
		}
	}
}

// sibling reads the second namespace.
func sibling(t *testing.T, d *Drive) []byte {
	t.Helper()
	cmd := ioCmd(nvme.IORead, 2, 8, 8, 4096)
	accept(t, d, cmd)
	return cmd.Data
}

func TestParameterErrors(t *testing.T) {
	for query, want := range map[string]string{
		"serial=":                           "not 1 to 20",
		"serial=" + strings.Repeat("x", 21): "not 1 to 20",
		"model=%C3%A4":                      "not printable",
		"fna=256":                           "not between 0 and 255",
		"fna=x":                             "invalid syntax",
		"namespaces=0":                      "not between 1 and 32",
		"namespaces=33":                     "not between 1 and 32",
		"size=1048575":                      "not between",
		"size=1GB":                          "invalid syntax",
		"temperature=-41":                   "not between",
		"critical_warning=64":               "not between",
		"opal=open":                         `"unlocked"`,
		"blocksid=2":                        `"1"`,
		"during_format=stops":               `"waits"`,
		"keep_alive=no":                     `"waits"`,
		"active_list=yes":                   `"no"`,
	} {
		if _, err := Open("nand-modern?" + query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
}
