package inuse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// controllers gives the fixture the character devices nvme0 and ng0n1.
func (f *fixture) controllers() (nvme0, ng0n1 file) {
	f.text(f.sys, "class/nvme/nvme0/dev", "240:0\n")
	f.text(f.sys, "class/nvme-generic/ng0n1/dev", "241:0\n")
	return file{device: devno{true, 240, 0}}, file{device: devno{true, 241, 0}}
}

func TestOpenFiles(t *testing.T) {
	f := newFixture(t)
	nvme0, ng0n1 := f.controllers()
	f.process(77, "vm (1) x", "mnt:[1]", "/")
	f.open("77", 3, f.nodes["/dev/nvme0n1p2"])
	f.open("77", 4, f.nodes["/dev/nvme0n1p2"])
	f.open("77", 5, f.nodes["/dev/sda"])
	f.open("77", 6, file{device: devno{true, 259, 0}}) // the numbers of a block device
	f.process(80, "a", "mnt:[1]", "/")
	f.open("80", 0, nvme0)
	f.open("80", 1, ng0n1)
	f.open("80", 2, file{fs: number(t, "259:1")})
	f.process(81, "qd1", "mnt:[1]", "/")
	f.open("81", 3, nvme0)
	f.ignore = []int{81}
	want := []Use{
		{Kind: OpenFile, Device: "ng0n1", PID: 80, Process: "a", Text: "ng0n1 is open in a (process 80)"},
		{Kind: OpenFile, Device: "nvme0", PID: 80, Process: "a", Text: "nvme0 is open in a (process 80)"},
		{Kind: OpenFile, Device: "nvme0n1p2", PID: 77, Process: "vm (1) x", Text: "nvme0n1p2 is open in vm (1) x (process 77)"},
	}
	s := f.survey("nvme0", "nvme0n1", "ng0n1")
	if diff := cmp.Diff(&Survey{Uses: want, Pollers: []Poller{}, Unchecked: []string{}}, s); diff != "" {
		t.Errorf("survey (-want +got):\n%s", diff)
	}
}

// TestRaces has processes that end between two looks at them.
func TestRaces(t *testing.T) {
	f := newFixture(t)
	f.process(70, "a", "mnt:[2]", "/")
	delete(f.proc, "70/stat")
	f.process(71, "b", "mnt:[2]", "/")
	delete(f.proc, "71/fd")
	f.process(72, "c", "mnt:[2]", "/")
	delete(f.proc, "72/ns/mnt")
	f.open("72", 3, f.nodes["/dev/nvme0n1"])
	delete(f.nodes, "/proc/72/fd/3")
	f.process(73, "d", "mnt:[3]", "/")
	delete(f.proc, "73/mountinfo")
	f.process(74, "e", "mnt:[4]", "/")
	f.text(f.proc, "74/stat", "")
	f.check()
}

// TestEndedLeader has a process whose first thread has ended: its files and
// mounts are then those of the others.
func TestEndedLeader(t *testing.T) {
	f := newFixture(t)
	f.process(70, "a", "mnt:[2]", "/")
	f.stat("70", "a", 'Z', 0)
	f.threadLinks("70/task/70", "mnt:[2]", "/")
	f.threadLinks("70/task/75", "mnt:[2]", "/")
	delete(f.proc, "70/mountinfo")
	f.text(f.proc, "70/task/75/mountinfo", "90 1 259:1 / /data rw - ext4 /dev/x rw\n")
	f.open("70/task/75", 3, f.nodes["/dev/nvme0n1p2"])
	f.check(
		"mount /data: nvme0n1p1 is mounted on /data in the mount namespace of a (process 70)",
		"open: nvme0n1p2 is open in a (process 70)",
	)
}

func TestKernelThreads(t *testing.T) {
	f := newFixture(t)
	f.process(2, "kthreadd", "mnt:[2]", "/")
	f.stat("2", "kthreadd", 'S', 0x208040)
	f.denied = []string{"2/fd", "2/ns"}
	f.check()
}

func TestPermission(t *testing.T) {
	tests := []struct {
		name string
		host func(f *fixture)
		want []string
	}{
		{"open files of one", func(f *fixture) { f.denied = []string{"1/fd"} },
			[]string{"the open files and mounts of 1 process could not be looked at for lack of permission"}},
		{"mounts of two, and exports", func(f *fixture) {
			f.denied = []string{"1/ns"}
			f.process(70, "a", "mnt:[2]", "/")
			f.denied = append(f.denied, "70/mountinfo", "kernel/config/nvmet/subsystems")
		}, []string{
			"kernel/config/nvmet/subsystems could not be read for lack of permission",
			"the open files and mounts of 2 processes could not be looked at for lack of permission",
		}},
		{"other users are hidden", func(f *fixture) { delete(f.proc, "1/stat"); f.hide(1) },
			[]string{"the processes of other users are hidden: only root sees their open files and mounts"}},
		{"not even the name", func(f *fixture) { f.denied = []string{"1"} },
			[]string{"the open files and mounts of 1 process could not be looked at for lack of permission"}},
		{"in a container", func(f *fixture) { f.link(f.proc, "100/ns/pid", "pid:[4026532000]") },
			[]string{"this runs in a container: what the processes outside of it have open or mounted is not known"}},
		{"not in a container", func(f *fixture) { f.link(f.proc, "100/ns/pid", "pid:[4026531836]") }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			tt.host(f)
			f.check(tt.want...)
		})
	}
}

// hide takes a process away.
func (f *fixture) hide(pid int) {
	for name := range f.proc {
		if strings.HasPrefix(name, fmt.Sprintf("%d/", pid)) {
			delete(f.proc, name)
		}
	}
}

func TestDescriptorErrors(t *testing.T) {
	tests := []struct {
		err  error
		want bool
	}{
		{fs.ErrNotExist, true}, {unix.ENOENT, true}, {unix.ESRCH, true}, {unix.EACCES, false}, {unix.ENOSYS, false},
	}
	for _, tt := range tests {
		if got := gone(&fs.PathError{Op: "stat", Path: "x", Err: tt.err}); got != tt.want {
			t.Errorf("gone(%v) = %t, want %t", tt.err, got, tt.want)
		}
	}
}

func TestPollers(t *testing.T) {
	tests := []struct {
		comm, cmdline, want string
	}{
		{"smartd", "/usr/sbin/smartd\x00-n\x00", "smartd reads the SMART log"},
		{"smartctl_export", "/bin/smartctl_exporter\x00", "smartctl_export reads SMART data by smartctl once a minute"},
		{"prometheus-node", "/usr/bin/prometheus-node-exporter\x00", "prometheus-node reads temperatures"},
		{"python3", "/usr/bin/python3.11\x00/opt/nvme_exporter\x00--port\x009900\x00", "python3 reads SMART data at each scrape"},
		{"thread-1", "/usr/sbin/multipathd\x00-d\x00", "thread-1 checks the paths"},
		{"nvme", "nvme\x00format\x00", "nvme sends commands"},
		{"vim", "vim\x00/etc/smartd\x00", ""},
		{"bash", "-bash\x00", ""},
		{"smart", "", ""},
		{"nvme-wq", "", ""},
		{"grep", "grep\x00smartd\x00", ""},
	}
	for _, tt := range tests {
		f := newFixture(t)
		f.process(70, tt.comm, "mnt:[1]", "/")
		f.text(f.proc, "70/cmdline", tt.cmdline)
		got := ""
		for _, p := range f.survey("nvme0n1").Pollers {
			if got += p.Text; p.PID != 70 || p.Process != tt.comm {
				t.Errorf("%s: poller %+v", tt.comm, p)
			}
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: poller %q, want %q", tt.comm, got, tt.want)
		}
		f.ignore = []int{70}
		if n := len(f.survey("nvme0n1").Pollers); n != 0 {
			t.Errorf("%s: %d pollers though it is ignored", tt.comm, n)
		}
	}
}

func TestContext(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := f.host().Survey(ctx, []string{"nvme0n1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("survey %+v, %v, want the error of the context", s, err)
	}
}

func TestUnreadable(t *testing.T) {
	for _, denied := range []string{"class/block", "."} {
		f := newFixture(t)
		f.denied = []string{denied}
		if s, err := f.host().Survey(t.Context(), []string{"nvme0n1"}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: survey %+v, %v, want an error", denied, s, err)
		}
	}
}

func TestParseStat(t *testing.T) {
	for text, want := range map[string]processStat{
		"1 (a b) c) S 1 1 1 0 -1 4194560 0 0\n": {comm: "a b) c", state: 'S'},
		"2 (kthreadd) I 0 0 0 0 -1 2129984 0":   {comm: "kthreadd", state: 'I', kernel: true},
		"3 (t) t 0 0 0 0 -1 0":                  {comm: "t", state: 't'},
		"()\x00 0 0 0 0 0 0":                    {},
		"4 (sh) SS 0 0 0 0 -1 0":                {},
		"5 (sh) 1 0 0 0 0 -1 0":                 {},
		"6 (sh) S 0 0 0 0 -1 flags":             {},
		"7 (sh) S 0 0 0 0 -1":                   {},
		"8 )sh( S 0 0 0 0 -1 0":                 {},
		"":                                      {},
	} {
		if st, ok := parseStat(text); st != want || ok != (want != processStat{}) {
			t.Errorf("%q gives %+v, %v, want %+v", text, st, ok, want)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("1 (a b) c) S 1 1 1 0 -1 4194560 0 0\n")
	f.Add("2 (kthreadd) S 0 0 0 0 -1 2129984 0")
	f.Fuzz(func(t *testing.T, text string) {
		st, ok := parseStat(text)
		if ok && (!isState(string(st.state)) || !strings.Contains(text, "("+st.comm+")")) {
			t.Errorf("%q gives %+v", text, st)
		}
	})
}
