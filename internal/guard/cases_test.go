package guard

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/nvme"
)

// readCase returns a file of a problem case.
func readCase(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCase29NamesOfNodesAreNoConsent holds that a format of what a node's name
// stands for shows model, serial number and every device, and is refused until
// the drive is named by its serial number.
func TestCase29NamesOfNodesAreNoConsent(t *testing.T) {
	for _, node := range []string{"nvme1", "/dev/nvme1", "nvme0", "/dev/nvme0n1"} {
		b := newBench(t, "nand-modern?namespaces=2")
		c := b.inspect(t, formatOp(nvme.BroadcastNSID))
		if c.Identity.Serial == "" || c.Identity.Model == "" || len(c.Radius) != 2 {
			t.Errorf("identity %+v, %d namespaces", c.Identity, len(c.Radius))
		}
		a := script(c)
		a.Serial = node
		p, err := c.Claim(t.Context(), a)
		if p != nil || !strings.Contains(fmt.Sprint(failed(refused(t, err))), "serial refuse") {
			t.Errorf("%s: permit %v, error %v", node, p, err)
		}
		b.nothing(t)
	}
}

// TestCase52FormatScopeFNA computes what a format reaches from the drive's own
// page, before anything is asked.
func TestCase52FormatScopeFNA(t *testing.T) {
	const fna = 524
	one, all := []nvme.NSID{2}, []nvme.NSID{1, 2, 3}
	plain := Operation{Name: "format", Timeout: 1, Commands: []nvme.Command{*nvme.FormatNVM{NSID: 2}.Command()}}
	for file, want := range map[string]struct{ format, erase []nvme.NSID }{
		"idctrl-fna0.bin": {one, one}, "idctrl-fna1.bin": {all, all}, "idctrl-fna5.bin": {all, all}, "idctrl-fna8.bin": {one, one},
	} {
		page := readCase(t, "52-format-scope-fna/"+file)
		profile := fmt.Sprintf("nand-modern?namespaces=3&fna=%d", page[fna])
		for op, reached := range map[*Operation][]nvme.NSID{&plain: want.format, ptr(formatOp(2)): want.erase} {
			b := newBench(t, profile)
			c := b.inspect(t, *op)
			var got []nvme.NSID
			for i := range c.Radius {
				got = append(got, c.Radius[i].NSID)
				if text := c.Radius[i].Why; text == "" || c.Radius[i].Bytes == 0 {
					t.Errorf("%s: %+v is not explained", file, c.Radius[i])
				}
			}
			if diff := cmp.Diff(reached, got); diff != "" {
				t.Errorf("%s, %s: namespaces (-want +got):\n%s", file, op.Name, diff)
			}
			b.nothing(t)
		}
	}
	if page := readCase(t, "52-format-scope-fna/idctrl-fna8.bin"); nvme.FNA(page[fna])&nvme.FNANoBroadcast == 0 {
		t.Errorf("FNA %#x allows the broadcast NSID", page[fna])
	}
}

// TestCase55BusyDeviceIsRefused takes each use of the case alone, and the kernel's
// word at the end: nothing is sent, and looking claims nothing.
func TestCase55BusyDeviceIsRefused(t *testing.T) {
	var tree map[string]json.RawMessage
	if err := json.Unmarshal(readCase(t, "55-format-busy-device/sysfs.json"), &tree); err != nil {
		t.Fatal(err)
	}
	texts := func(key string) (list []string) {
		if err := json.Unmarshal(tree[key], &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	mount := strings.Fields(texts("mounts")[0])
	uses := map[string]inuse.Use{
		"array": {Kind: inuse.MD, Device: "nvme0n1", Name: texts("nvme0n1/holders")[0]},
		"dm":    {Kind: inuse.DM, Device: "nvme0n1", Name: texts("nvme0n1p2/holders")[0]},
		"mount": {Kind: inuse.Mount, Device: "nvme0n1", Name: mount[1]},
	}
	for name, u := range uses {
		t.Run(name, (&refusalTest{
			want: []string{"in use refuse"}, says: u.Name,
			prepare: func(_ *testing.T, b *bench) { b.use(u.Kind, u.Device, u.Name) },
		}).run)
	}
	var exclusive map[string]string
	if err := json.Unmarshal(tree["open_excl"], &exclusive); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, "nand-modern")
	for node := range exclusive {
		b.claimErr = map[string]error{path.Base(node): fmt.Errorf("%w: %w", ErrInUse, syscall.EBUSY)}
	}
	c := b.inspect(t, formatOp(1))
	if len(b.claimed) != 0 {
		t.Errorf("looking claimed %q", b.claimed)
	}
	p, err := c.Claim(t.Context(), script(c))
	if p != nil || err == nil || !strings.Contains(err.Error(), "nvme0n1") {
		t.Errorf("permit %v, error %v", p, err)
	}
	b.nothing(t)
	b.leaks(t)
}
