package nsjob

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/nvme"
)

const free = 100 << 20

// stock is a drive with two namespaces, of which the second is attached to
// controller 2 alone.
func stock(change ...func(*Inventory)) *Inventory {
	total, unallocated := uint64(1<<30), uint64(free)
	v := &Inventory{
		Management: true, Controller: 1, Controllers: []uint16{1, 2}, Total: &total, Unallocated: &unallocated, Most: 8,
		Formats: []Format{{LBAF: 0, LBABytes: 512}, {LBAF: 1, LBABytes: 4096}, {LBAF: 2, LBABytes: 4096, MetadataBytes: 8}, {LBAF: 17, LBABytes: 1 << 16}},
		Namespaces: []Namespace{
			{NSID: 1, Attached: true, Controllers: []uint16{1}, Blocks: 1000, LBABytes: 512},
			{NSID: 5, Controllers: []uint16{2}, Blocks: 1000, LBABytes: 512},
			{NSID: 6, Controllers: []uint16{}, Blocks: 1000, LBABytes: 512, Shared: true},
		},
	}
	for _, c := range change {
		c(v)
	}
	return v
}

// refusals are the texts of what refuses a change, warnings of what it warns.
func textsOf(c *Change, result guard.Result) string {
	var texts []string
	for _, x := range c.Checks {
		if x.Result == result {
			texts = append(texts, x.Check+": "+x.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func TestPlanCreate(t *testing.T) {
	two, seventeen := 2, 17
	granular := func(v *Inventory) {
		v.Formats[0].SizeStep, v.Formats[0].CapacityStep = 1<<20, 1<<20
	}
	full := func(v *Inventory) { v.Most = 3 }
	tests := []struct {
		name   string
		v      *Inventory
		r      CreateRequest
		want   [3]uint64 // NSZE, NCAP, FLBAS
		refuse string
		warn   string
	}{
		{"as the first", stock(granular), CreateRequest{Bytes: 1 << 20}, [3]uint64{2048, 2048, 0}, "", ""},
		{"in blocks", stock(), CreateRequest{Blocks: 100}, [3]uint64{100, 100, 0}, "", "does not report in what units it allocates"},
		{"all", stock(granular), CreateRequest{All: true}, [3]uint64{free / 512, free / 512, 0}, "", ""},
		{"all of less than a unit", stock(granular, func(v *Inventory) { *v.Unallocated = 1<<20 + 512 }), CreateRequest{All: true}, [3]uint64{2048, 2048, 0}, "", ""},
		{"another block size", stock(), CreateRequest{Bytes: 1 << 20, LBABytes: 4096}, [3]uint64{256, 256, 1}, "", "does not fit the other"},
		{"another format of all", stock(func(v *Inventory) { v.OneFormat = true }), CreateRequest{Bytes: 1 << 20, LBABytes: 4096}, [3]uint64{256, 256, 1}, "", "FNA bit 0"},
		{"metadata", stock(), CreateRequest{Bytes: 1 << 20, LBAF: &two}, [3]uint64{256, 256, 2}, "", "8 bytes of metadata"},
		{"a format above 15", stock(), CreateRequest{Bytes: 1 << 20, LBAF: &seventeen}, [3]uint64{16, 16, 0x21}, "", "65536 bytes"},
		{"without namespaces", stock(func(v *Inventory) { v.Namespaces = nil }), CreateRequest{Bytes: 1 << 20}, [3]uint64{2048, 2048, 0}, "", ""},
		{"thin", stock(func(v *Inventory) { v.Thin = true }), CreateRequest{Blocks: 100, CapacityBlocks: 50}, [3]uint64{100, 50, 0}, "", ""},
		{"thin where it cannot be", stock(), CreateRequest{Blocks: 100, CapacityBlocks: 50}, [3]uint64{100, 50, 0}, "0x11b", ""},
		{"too much", stock(), CreateRequest{Bytes: free + 512}, [3]uint64{free/512 + 1, free/512 + 1, 0}, "0x115", ""},
		{"too much in units", stock(granular, func(v *Inventory) { *v.Unallocated = 1<<20 + 1024 }), CreateRequest{Bytes: 1<<20 + 512}, [3]uint64{2049, 2049, 0}, "0x115", "in units of 1048576 bytes: the namespace takes 2097152 bytes, and 1048064 of them"},
		{"too many", stock(full), CreateRequest{Bytes: 1 << 20}, [3]uint64{2048, 2048, 0}, "0x116", ""},
		{"capacity not reported", stock(func(v *Inventory) { v.Unallocated = nil }), CreateRequest{Bytes: 1 << 40}, [3]uint64{1 << 31, 1 << 31, 0}, "", "does not report its capacity"},
		{"shared by one", stock(func(v *Inventory) { v.Controllers = []uint16{1} }), CreateRequest{Bytes: 1 << 20, Shared: true}, [3]uint64{2048, 2048, 0}, "", "nothing can share"},
		{"no management", stock(func(v *Inventory) { v.Management = false }), CreateRequest{Bytes: 1 << 20}, [3]uint64{}, "OACS bit 3", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := PlanCreate(tt.v, tt.r)
			if err != nil {
				t.Fatal(err)
			}
			b := c.Command.Data
			got := [3]uint64{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), uint64(b[26])}
			if got != tt.want || len(b) != 4096 || c.Command.Opcode != 0x0D || c.Command.CDW10 != 0 || c.Command.NSID != 0 {
				t.Errorf("command %+v, fields %v, want %v", c.Command.CDW10, got, tt.want)
			}
			if b[30] == 1 != tt.r.Shared {
				t.Errorf("NMIC %d", b[30])
			}
			if got := textsOf(c, guard.Refuse); !strings.Contains(got, tt.refuse) || (got == "") != (tt.refuse == "") || c.Refused() != (got != "") {
				t.Errorf("refused by %q, want %q", got, tt.refuse)
			}
			if got := textsOf(c, guard.Pass); !strings.Contains(got, tt.warn) {
				t.Errorf("warned of %q, want %q", got, tt.warn)
			}
		})
	}
}

func TestPlanCreateRequests(t *testing.T) {
	three, two := 3, 2
	tests := []struct {
		name string
		v    *Inventory
		r    CreateRequest
		says string
	}{
		{"no such format", stock(), CreateRequest{Bytes: 1 << 20, LBAF: &three}, "no such LBA format"},
		{"no such block size", stock(), CreateRequest{Bytes: 1 << 20, LBABytes: 1024}, "no such LBA format"},
		{"two that differ", stock(), CreateRequest{Bytes: 1 << 20, LBAF: &two, LBABytes: 512}, "and not of 512"},
		{"part of a block", stock(), CreateRequest{Bytes: 1000}, "no multiple of a block of 512 bytes"},
		{"nothing", stock(), CreateRequest{}, "needs a size"},
		{"all of nothing", stock(func(v *Inventory) { *v.Unallocated = 100 }), CreateRequest{All: true}, "nothing unallocated"},
		{"all of what is not reported", stock(func(v *Inventory) { v.Unallocated = nil }), CreateRequest{All: true}, "does not report"},
		{"more capacity than size", stock(), CreateRequest{Blocks: 8, CapacityBlocks: 9}, "more than the size"},
		{"more than can be", stock(), CreateRequest{Blocks: math.MaxUint64}, "more than a drive can have"},
	}
	for _, tt := range tests {
		_, err := PlanCreate(tt.v, tt.r)
		var bad *RequestError
		if !errors.As(err, &bad) || !strings.Contains(bad.Text, tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
	_, err := PlanCreate(stock(), CreateRequest{Bytes: 1, LBABytes: 7})
	var bad *RequestError
	if !errors.As(err, &bad) || bad.Hint != "it has: 0 (512 bytes), 1 (4096 bytes), 2 (4096 bytes + 8 of metadata), 17 (65536 bytes)" {
		t.Errorf("hint %+v", bad)
	}
}

func TestPlanDelete(t *testing.T) {
	for _, tt := range []struct {
		name   string
		v      *Inventory
		nsid   nvme.NSID
		refuse string
	}{
		{"one", stock(), 5, ""},
		{"all", stock(), nvme.BroadcastNSID, ""},
		{"none", stock(), 2, "no namespace 2"},
		{"all of none", stock(func(v *Inventory) { v.Namespaces = nil }), nvme.BroadcastNSID, "has no namespace"},
		{"no management", stock(func(v *Inventory) { v.Management = false }), 1, "OACS bit 3"},
	} {
		c := PlanDelete(tt.v, tt.nsid)
		if c.Command.Opcode != 0x0D || c.Command.CDW10 != 1 || c.Command.NSID != tt.nsid || c.Command.Data != nil {
			t.Errorf("%s: command %+v", tt.name, c.Command)
		}
		if e := nvme.EffectOf(c.Command, nil); e.Access != nvme.Destroys {
			t.Errorf("%s: the guard takes it for one that %s", tt.name, e.Access)
		}
		if got := textsOf(c, guard.Refuse); !strings.Contains(got, tt.refuse) || (got == "") != (tt.refuse == "") {
			t.Errorf("%s: refused by %q, want %q", tt.name, got, tt.refuse)
		}
		if warned := strings.Contains(textsOf(c, guard.Pass), "not an erase"); warned != (tt.refuse == "") {
			t.Errorf("%s: warned: %t", tt.name, warned)
		}
	}
}

func TestPlanAttachment(t *testing.T) {
	untold := func(v *Inventory) {
		v.Controllers = nil
		for i := range v.Namespaces {
			v.Namespaces[i].Controllers = nil
		}
	}
	tests := []struct {
		name        string
		v           *Inventory
		action      Action
		nsid        nvme.NSID
		controllers []uint16
		want        []uint16
		refuse      string
	}{
		{"attach to this one", stock(), Attach, 6, nil, []uint16{1}, ""},
		{"attach to both", stock(), Attach, 6, []uint16{2, 1, 2}, []uint16{1, 2}, ""},
		{"attach what is attached", stock(), Attach, 1, nil, []uint16{1}, "0x118"},
		{"attach what is private", stock(), Attach, 5, nil, []uint16{1}, "0x119"},
		{"attach to a controller that is not there", stock(), Attach, 6, []uint16{3}, []uint16{3}, "0x11c"},
		{"attach what is not there", stock(), Attach, 2, nil, []uint16{1}, "no namespace 2"},
		{"detach", stock(), Detach, 1, nil, []uint16{1}, ""},
		{"detach from another", stock(), Detach, 5, []uint16{2}, []uint16{2}, ""},
		{"detach what is not attached", stock(), Detach, 6, nil, []uint16{1}, "0x11a"},
		{"no management", stock(func(v *Inventory) { v.Management = false }), Attach, 1, nil, []uint16{1}, "OACS bit 3"},
		{"attach where it is not told", stock(untold), Attach, 6, []uint16{9}, []uint16{9}, ""},
		{"detach where it is not told", stock(untold), Detach, 5, []uint16{9}, []uint16{9}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := PlanAttachment(tt.v, tt.action, tt.nsid, tt.controllers)
			sel := map[Action]uint32{Attach: 0, Detach: 1}[tt.action]
			if c.Command.Opcode != 0x15 || c.Command.CDW10 != sel || c.Command.NSID != tt.nsid || len(c.Command.Data) != 4096 {
				t.Errorf("command %+v", c.Command)
			}
			if diff := cmp.Diff(tt.want, ParseControllers(c.Command.Data)); diff != "" {
				t.Errorf("controllers (-want +got):\n%s", diff)
			}
			if got := textsOf(c, guard.Refuse); !strings.Contains(got, tt.refuse) || (got == "") != (tt.refuse == "") {
				t.Errorf("refused by %q, want %q", got, tt.refuse)
			}
		})
	}
}

// TestExplain holds that each status that these commands have by the
// specification is explained.
func TestExplain(t *testing.T) {
	for _, s := range []nvme.Status{0x10A, 0x115, 0x116, 0x118, 0x119, 0x11A, 0x11B, 0x11C, 0x124, 0x125, 0x127, 0x129, 0x4115} {
		if text, _ := Explain(s); text == "" {
			t.Errorf("%v is not explained", s)
		}
	}
	if text, hint := Explain(nvme.StatusInternalError); text != "" || hint != "" {
		t.Errorf("an internal error is explained: %q, %q", text, hint)
	}
}

// FuzzControllers holds that no list is longer than its page.
func FuzzControllers(f *testing.F) {
	f.Add([]byte{1, 0, 7, 0})
	f.Add([]byte{255, 255})
	f.Fuzz(func(t *testing.T, page []byte) {
		list := ParseControllers(page)
		if 2*len(list) > max(len(page)-2, 0) || len(list) > mostControllers {
			t.Fatalf("%d controllers in %d bytes", len(list), len(page))
		}
	})
}
