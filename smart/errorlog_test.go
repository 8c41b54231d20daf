package smart

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"qd1.example/qd1/nvme"
)

func TestGroupErrors(t *testing.T) {
	other := entry(9, 0x4281, 7)
	other.NSID = 2
	tests := []struct {
		name string
		log  nvme.ErrorLog
		want []ErrorGroup
	}{
		{"not read", nil, []ErrorGroup{}},
		{"empty entry", nvme.ErrorLog{entry(0, 0x281, 1)}, []ErrorGroup{}},
		{"refused commands have no block", nvme.ErrorLog{entry(1, 0x002, 0), entry(2, 0x4002, 0)}, []ErrorGroup{
			{Status: "Invalid Field in Command", StatusCode: 0x002, Category: CategoryCommand, NSID: 1, Entries: 2},
		}},
		{
			"media first, one group a status and namespace",
			nvme.ErrorLog{entry(1, 0x002, 0), entry(2, 0x002, 0), entry(3, 0x002, 0), entry(4, 0x6281, 90), entry(5, 0x281, 40), entry(6, 0x281, 70), other},
			[]ErrorGroup{
				{Status: "Unrecovered Read Error", StatusCode: 0x281, Category: CategoryMedia, NSID: 1, Entries: 3, LBAMin: new(uint64(40)), LBAMax: new(uint64(90))},
				{Status: "Unrecovered Read Error", StatusCode: 0x281, Category: CategoryMedia, NSID: 2, Entries: 1, LBAMin: new(uint64(7)), LBAMax: new(uint64(7))},
				{Status: "Invalid Field in Command", StatusCode: 0x002, Category: CategoryCommand, NSID: 1, Entries: 3},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, GroupErrors(tt.log)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestCategoryOf(t *testing.T) {
	tests := []struct {
		code nvme.Status
		want Category
	}{
		{0x001, CategoryCommand}, {0x004, CategoryOther}, {0x006, CategoryOther}, {0x109, CategoryCommand},
		{0x280, CategoryMedia}, {0x281, CategoryMedia}, {0x284, CategoryMedia}, {0x285, CategoryCommand},
		{0x286, CategoryCommand}, {0x287, CategoryCommand}, {0x288, CategoryMedia},
		{0x300, CategoryPath}, {0x7C0, CategoryOther}, {0x400, CategoryCommand},
	}
	for _, tt := range tests {
		if got := categoryOf(tt.code); got != tt.want {
			t.Errorf("categoryOf(%#x) = %s, want %s", tt.code, got, tt.want)
		}
	}
}

func TestErrorGroupJSON(t *testing.T) {
	got, err := json.Marshal(GroupErrors(nvme.ErrorLog{entry(1, 0x281, 5)}))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"status":"Unrecovered Read Error","status_code":641,"category":"media","nsid":1,"entries":1,"lba_min":5,"lba_max":5}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhere(t *testing.T) {
	const mebibyte = 1 << 20
	for _, tt := range []struct {
		blocks   []uint64
		capacity int64
		want     string
	}{
		{[]uint64{5_000_000}, 1e12, "1 address (LBA 5 000 000)"},
		{[]uint64{5_000_000, 6_000_000, 7_000_000}, 1e12, "3 addresses (LBA 5 000 000 to 7 000 000)"},
		{[]uint64{5_000_000}, 0, "1 address (LBA 5 000 000)"},
		{[]uint64{10 * 2048}, 11 * mebibyte, "1 address, in the last 1049 KB of the drive (LBA 20 480)"},
		{[]uint64{10*2048 - 1}, 11 * mebibyte, "1 address (LBA 20 479)"},
		{[]uint64{11*2048 - 1}, 11 * mebibyte, "1 address, in the last 1 KB of the drive (LBA 22 527)"},
		{[]uint64{11 * 2048}, 11 * mebibyte, "1 address (LBA 22 528)"},
		{[]uint64{244_190_000, 244_190_001, 244_190_010}, 244_190_646 * 4096, "3 addresses (LBA 244 190 000 to 244 190 010)"},
		{[]uint64{244_190_600, 244_190_601, 244_190_610}, 244_190_646 * 4096, "3 addresses, all in the last 188 KB of the drive (LBA 244 190 600 to 244 190 610)"},
		{[]uint64{0, 2047}, 1e12, "2 addresses, both in the first 2 048 blocks of the drive (LBA 0 to 2 047)"},
		{[]uint64{0, 2048}, 1e12, "2 addresses (LBA 0 to 2 048)"},
	} {
		if got := where(tt.blocks, tt.capacity); got != tt.want {
			t.Errorf("where(%v, %d) = %q, want %q", tt.blocks, tt.capacity, got, tt.want)
		}
	}
}
