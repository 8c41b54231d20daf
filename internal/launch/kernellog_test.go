package launch

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEvents(t *testing.T) {
	records := parseRecords(fixture(t, "kmsg.txt"))
	log := &kernelLog{source: "/dev/kmsg", complete: true}
	for _, r := range records {
		if r.kernel {
			log.messages = append(log.messages, r.message)
		}
	}
	want := &KernelLog{
		Source:   "/dev/kmsg",
		Complete: true,
		Controllers: []Controller{
			{Name: "nvme0", Address: "0000:01:00.0", Found: new(0.912345), Ready: new(1.18441), Queues: "8/0/0"},
			{Name: "nvme1", Address: "0000:41:00.0", Found: new(0.912402), Ready: new(0.93155), Queues: "31/0/0"},
		},
		Disks: []Disk{
			{Name: "nvme1n1", Partitions: []string{"p1", "p2"}, Seconds: 0.933021},
			{Name: "nvme0n1", Partitions: []string{"p1", "p2", "p3"}, Seconds: 1.190093},
		},
		Mounts: []Mount{
			{"nvme0n1p2", "ext4", 1.6444},
			{"nvme1n1p1", "xfs", 5.344871},
			{"nvme1n1p2", "btrfs", 5.4003},
		},
	}
	if diff := cmp.Diff(want, log.events(13.7)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	want.Mounts = append(want.Mounts, Mount{"sda1", "ext4", 9871.234567})
	if diff := cmp.Diff(want, log.events(0)); diff != "" {
		t.Errorf("events with no end (-want +got):\n%s", diff)
	}
}

func TestEventsOfText(t *testing.T) {
	tests := []struct {
		file string
		want KernelLog
	}{
		{"journal.txt", KernelLog{
			Complete:    true,
			Controllers: []Controller{{Name: "nvme0", Address: "10000:e1:00.0", Found: new(0.712345), Ready: new(0.74155), Queues: "8/0/0"}},
			Disks:       []Disk{{Name: "nvme0n1", Partitions: []string{"p1", "p2"}, Seconds: 0.745021}},
			Mounts:      []Mount{{"dm-0", "ext4", 1.612}},
		}},
		{"dmesg.txt", KernelLog{
			Controllers: []Controller{{Name: "nvme0", Address: "0000:03:00.0", Found: new(1.712345), Ready: new(1.74155), Queues: "4/0/0"}},
			Disks:       []Disk{{Name: "nvme0n1", Partitions: []string{"p1"}, Seconds: 1.745021}},
			Mounts:      []Mount{{"nvme0n1p1", "f2fs", 2.345678}},
		}},
	}
	for _, tt := range tests {
		lines := parseLines(fixture(t, tt.file))
		got := (&kernelLog{complete: fromStart(lines), messages: lines}).events(0)
		if diff := cmp.Diff(&tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.file, diff)
		}
	}
}

// TestNoEvents: what only looks like an event is none, and lists are empty
// rather than null.
func TestNoEvents(t *testing.T) {
	log := &kernelLog{messages: []message{
		{1, "nvme nvme0: I/O 5 QID 3 timeout, aborting"},
		{2, "nvme nvme0: 8/0/0 default/read/poll queues, or so"},
		{3, "nvme0n1: p1 is not read"},
		{4, "EXT4-fs (sda1): unmounting filesystem"},
		{5, "audit: EXT4-fs (sda1): mounted filesystem"},
		{6, "nvme nvme1: new ctrl: NQN \"nqn.2014-08.org.nvmexpress:uuid:x\", addr 10.0.0.1:4420"},
	}}
	want := &KernelLog{Controllers: []Controller{{Name: "nvme1", Found: new(6.0)}}, Disks: []Disk{}, Mounts: []Mount{}}
	if diff := cmp.Diff(want, log.events(0)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestManyMounts(t *testing.T) {
	log := &kernelLog{}
	for i := range 100 {
		log.messages = append(log.messages, message{1, "XFS (dm-" + string(rune('a'+i)) + "): Ending clean mount"})
	}
	if got := len(log.events(0).Mounts); got != maxMounts {
		t.Errorf("%d mounts, want %d", got, maxMounts)
	}
}

func TestParseRecord(t *testing.T) {
	tests := []struct {
		line string
		want record
		ok   bool
	}{
		{"6,12,1500000,-;text; with a semicolon", record{message{1.5, "text; with a semicolon"}, 12, true}, true},
		{"30,13,0,-,caller=T1;systemd[1]: text", record{message{0, "systemd[1]: text"}, 13, false}, true},
		{" SUBSYSTEM=nvme", record{}, false},
		{"", record{}, false},
		{"6,12;text", record{}, false},
		{"a,b,c,-;text", record{}, false},
	}
	for _, tt := range tests {
		got, ok := parseRecord(tt.line)
		if ok != tt.ok || got != tt.want {
			t.Errorf("parseRecord(%q) = %+v, %v, want %+v, %v", tt.line, got, ok, tt.want, tt.ok)
		}
	}
}

func TestParseLines(t *testing.T) {
	got := parseLines("[    0.000000] first\nnonsense\n[x] no time\n[ 12.5] [drm] not a caller] here\n[-1] before\n[ 3.0] a kernel: b c kernel: d\n")
	want := []message{{0, "first"}, {12.5, "[drm] not a caller] here"}, {3, "b c kernel: d"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(message{})); diff != "" {
		t.Errorf("parseLines (-want +got):\n%s", diff)
	}
}

// checkEvents holds what must be true of any log.
func checkEvents(t *testing.T, messages []message) {
	for _, m := range messages {
		if !(m.at >= 0) || math.IsInf(m.at, 0) {
			t.Fatalf("a message at %v", m.at)
		}
	}
	k := (&kernelLog{messages: messages}).events(0)
	if len(k.Mounts) > maxMounts {
		t.Errorf("%d mounts", len(k.Mounts))
	}
	for _, c := range k.Controllers {
		if c.Found == nil && c.Ready == nil || (c.Ready == nil) != (c.Queues == "") {
			t.Errorf("controller %+v", c)
		}
	}
}

func FuzzParseRecords(f *testing.F) {
	f.Add(fixture(f, "kmsg.txt"))
	f.Fuzz(func(t *testing.T, text string) {
		var messages []message
		for _, r := range parseRecords(text) {
			messages = append(messages, r.message)
		}
		checkEvents(t, messages)
	})
}

func FuzzParseLines(f *testing.F) {
	f.Add(fixture(f, "journal.txt"))
	f.Add(fixture(f, "dmesg.txt"))
	f.Fuzz(func(t *testing.T, text string) { checkEvents(t, parseLines(text)) })
}
