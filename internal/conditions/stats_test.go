package conditions

import (
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestParseStats(t *testing.T) {
	all := Counters{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}
	noFlush, oldest := all, all
	noFlush.Flushes, noFlush.FlushMS = 0, 0
	oldest = Counters{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0}
	tests := []struct {
		line string
		want Counters
		ok   bool
	}{
		{"   1 2 3 4   5 6 7 8 9 10 11 12 13 14 15 16 17\n", all, true},
		{"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 new\n", all, true},
		{"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", noFlush, true},
		{"1 2 3 4 5 6 7 8 9 10 11", oldest, true},
		{"1 2 3 4", Counters{}, false},
		{"", Counters{}, false},
		{"1 2 3 4 5 6 7 8 9 10 x", Counters{}, false},
		{"-1 2 3 4 5 6 7 8 9 10 11", Counters{}, false},
		{"18446744073709551616 2 3 4 5 6 7 8 9 10 11", Counters{}, false},
	}
	for _, tt := range tests {
		got, err := parseStats(tt.line)
		if (err == nil) != tt.ok {
			t.Errorf("parseStats(%q): %v", tt.line, err)
		}
		equal(t, tt.line, tt.want, got)
	}
}

func TestReadStats(t *testing.T) {
	whole := Counters{1000, 10, 80000, 500, 2000, 20, 160000, 900, 0, 700, 1500, 5, 0, 40, 1, 30, 60}
	part := Counters{600, 6, 48000, 300, 1200, 12, 96000, 540, 0, 420, 900, 0, 0, 0, 0, 0, 0}
	desktop, raid := load(t, "desktop"), load(t, "raid")
	const queue = "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/nvme/nvme0/nvme0n1/queue/iostats"
	off := with(desktop, map[string]string{queue: "0\n"})
	silent := with(desktop, map[string]string{queue: ""})
	tests := []struct {
		name, device string
		root         fs.FS
		want         Stats
	}{
		{"disk", "nvme0n1", desktop, Stats{Counters: whole, Kept: true}},
		{"partition", "259:2", desktop, Stats{Counters: part, Disk: &whole, Kept: true}},
		{"not counted", "nvme0n1", off, Stats{Counters: whole}},
		{"partition, not counted", "nvme0n1p2", off, Stats{Counters: part, Disk: &whole}},
		{"old kernel without the switch", "nvme0n1", silent, Stats{Counters: whole, Kept: true}},
		{"sum of two ways", "nvme1n1", raid, Stats{Counters: Counters{11, 1, 808, 6, 22, 2, 1616, 10, 0, 8, 16, 0, 0, 0, 0, 3, 6}, Kept: true}},
		{"md", "md0", raid, Stats{Counters: Counters{15, 0, 120, 1, 26, 0, 208, 1, 0, 2, 2, 0, 0, 0, 0, 0, 0}, Kept: true}},
	}
	for _, tt := range tests {
		got, err := ReadStats(tt.root, tt.device)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		equal(t, tt.name, tt.want, got)
	}
}

func TestReadStatsFails(t *testing.T) {
	m := load(t, "desktop")
	if _, err := ReadStats(m, "nvme7n1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such device: %v", err)
	}
	if _, err := ReadStats(m, "nvme0n1p1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no statistics: %v", err)
	}
	const disk = "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/nvme/nvme0/nvme0n1/stat"
	broken := with(m, map[string]string{disk: "1 2 3\n"})
	for _, device := range []string{"nvme0n1", "nvme0n1p2"} {
		if _, err := ReadStats(broken, device); err == nil || !strings.HasPrefix(err.Error(), "nvme0n1: 3 fields") {
			t.Errorf("%s with broken statistics: %v", device, err)
		}
	}
}

func TestSub(t *testing.T) {
	const half = 1 << 31
	base := Counters{Reads: 10, ReadSectors: 80, ReadMS: 1<<32 - 5, InFlight: 7}
	later := Counters{Reads: 15, ReadSectors: 120, ReadMS: 3, InFlight: 2, Flushes: 1}
	added := Counters{Reads: 5, ReadSectors: 40, ReadMS: 8, InFlight: 2, Flushes: 1}
	tests := []struct {
		name          string
		before, after Stats
		want          Stats
	}{
		{"grown, times started over", Stats{base, nil, true}, Stats{later, nil, true}, Stats{added, nil, true}},
		{"partition", Stats{base, &base, true}, Stats{later, &later, true}, Stats{added, &added, true}},
		{"not counted before", Stats{base, nil, false}, Stats{later, nil, true}, Stats{added, nil, false}},
		{"never counted anything", Stats{Kept: true}, Stats{Kept: true}, Stats{Kept: false}},
		{"nothing in between", Stats{base, nil, true}, Stats{base, nil, true}, Stats{Counters{InFlight: 7}, nil, true}},
		{"began anew", Stats{later, nil, true}, Stats{Counters{Reads: 1}, nil, true}, Stats{Counters{}, nil, false}},
		{"disk began anew", Stats{base, &later, true}, Stats{later, &Counters{Reads: 20}, true}, Stats{added, &Counters{Reads: 5}, false}},
		{"device replaced by a busier one", Stats{Counters{Reads: half - 1}, nil, true}, Stats{Counters{Reads: 9}, nil, true}, Stats{Counters{}, nil, false}},
	}
	for _, tt := range tests {
		equal(t, tt.name, tt.want, tt.after.Sub(tt.before))
	}
}

// FuzzStats checks that each line that can be read is read as it stands.
func FuzzStats(f *testing.F) {
	for _, seed := range []string{
		"1 2 3 4 5 6 7 8 9 10 11", "23030452   264073 215383939  4015984   676733   519804 105468208   729744        0  1004436  4838773   517199       26 126774248    82816    94791    10228",
		"1 2 3", "18446744073709551615 0 0 0 0 0 0 0 0 0 0", "a b c d e f g h i j k", "",
	} {
		f.Add(seed, "1 2 3 4 5 6 7 8 9 10 11")
	}
	f.Fuzz(func(t *testing.T, line, before string) {
		c, err := parseStats(line)
		if err != nil {
			if c != (Counters{}) {
				t.Errorf("%q: %v with %+v", line, err, c)
			}
			return
		}
		for i, field := range c.fields()[:fewestFields] {
			if n, err := strconv.ParseUint(strings.Fields(line)[i], 10, 64); err != nil || n != *field {
				t.Errorf("%q: field %d = %d", line, i, *field)
			}
		}
		was, _ := parseStats(before)
		d := Stats{c, nil, true}.Sub(Stats{was, nil, true})
		if d.Kept && d.Reads > c.Reads && d.Reads > math.MaxUint32 {
			t.Errorf("%q after %q: %d reads", line, before, d.Reads)
		}
		o := Foreign(nil, d, Ours{Reads: 1, ReadBytes: 4096, BlockBytes: 4096})
		if o.Reads < 0 || o.ReadBytes < 0 || o.Writes < 0 || o.WriteBytes < 0 {
			t.Errorf("%q after %q: %+v", line, before, o)
		}
	})
}
