package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// identifyPage returns a page with 1000 blocks and the formats in use, by index:
// metadata in bytes and the exponent of the block size.
func identifyPage(nlbaf, flbas byte, formats map[int][2]byte) []byte {
	page := make([]byte, 4096)
	binary.LittleEndian.PutUint64(page, 1000)
	page[25], page[26] = nlbaf, flbas
	for i, f := range formats {
		page[128+4*i], page[128+4*i+2] = f[0], f[1]
	}
	return page
}

func TestDecodeNamespace(t *testing.T) {
	for _, tt := range []struct {
		name string
		page []byte
		want namespace
		err  string
	}{
		{"first format", identifyPage(1, 0, map[int][2]byte{0: {0, 9}, 1: {0, 12}}), namespace{shift: 9, blocks: 1000}, ""},
		{"second format", identifyPage(1, 1, map[int][2]byte{0: {0, 9}, 1: {0, 12}}), namespace{shift: 12, blocks: 1000}, ""},
		{"metadata at the end", identifyPage(1, 0x11, map[int][2]byte{1: {8, 12}}), namespace{shift: 12, blocks: 1000, metadata: 8}, ""},
		{"more than 16 formats", identifyPage(63, 0x65, map[int][2]byte{0x35: {0, 12}, 5: {0, 9}}), namespace{shift: 12, blocks: 1000}, ""},
		{"16 formats", identifyPage(15, 0x65, map[int][2]byte{0x35: {0, 12}, 5: {0, 9}}), namespace{shift: 9, blocks: 1000}, ""},
		{"no format", make([]byte, 4096), namespace{}, "blocks of 2^0 bytes"},
		{"huge blocks", identifyPage(0, 0, map[int][2]byte{0: {0, 31}}), namespace{}, "blocks of 2^31 bytes"},
		{"short", make([]byte, 383), namespace{}, "too short"},
	} {
		got, err := decodeNamespace(tt.page)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %+v, %v, want %+v, %q", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func FuzzDecodeNamespace(f *testing.F) {
	f.Add(identifyPage(63, 0x65, map[int][2]byte{0x35: {8, 12}}))
	f.Add(make([]byte, 384))
	f.Fuzz(func(t *testing.T, page []byte) {
		if n, err := decodeNamespace(page); err == nil && (n.shift < 9 || n.shift > 30) {
			t.Errorf("blocks of 2^%d bytes", n.shift)
		}
	})
}

func TestNamespaceCheck(t *testing.T) {
	target := Target{Path: "/dev/x", Bytes: 1000 * 4096, BlockBytes: 4096}
	for _, tt := range []struct {
		n    namespace
		want string
	}{
		{namespace{shift: 12, blocks: 1000}, ""},
		{namespace{shift: 12, blocks: 999}, "has 999 blocks"},
		{namespace{shift: 12, blocks: 1 << 63}, "blocks"},
		{namespace{shift: 9, blocks: 8000}, "blocks of 512 bytes, /dev/x of 4096"},
		{namespace{shift: 12, blocks: 1000, metadata: 8}, "8 bytes of metadata"},
	} {
		err := tt.n.check(EnginePassthru, target)
		if (err == nil) != (tt.want == "") || err != nil && (!errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: got %v, want %q", tt.n, err, tt.want)
		}
	}
}

func TestNamespaceCommand(t *testing.T) {
	n := &namespace{nsid: 3, shift: 12}
	mem := alloc(t, 64<<10)
	for _, tt := range []struct {
		r    Request
		want rawio.NVMeCommand
	}{
		{Request{Offset: 0, Data: mem[:4096]}, rawio.NVMeCommand{Opcode: 0x02, NSID: 3}},
		{Request{Offset: 8192, Data: mem, Write: true}, rawio.NVMeCommand{Opcode: 0x01, NSID: 3, CDW10: 2, CDW12: 15}},
		{Request{Offset: 0x7fff_ffff_ffff_f000, Data: mem[:8192]}, rawio.NVMeCommand{Opcode: 0x02, NSID: 3, CDW10: 0xffff_ffff, CDW11: 0x0007_ffff, CDW12: 1}},
	} {
		got := rawio.NVMeCommand{Opcode: 0xff, CDW10: 7, CDW11: 7, CDW12: 7}
		n.command(&got, tt.r.Write, tt.r.Offset, len(tt.r.Data))
		if got != tt.want {
			t.Errorf("offset %#x: got %+v, want %+v", tt.r.Offset, got, tt.want)
		}
	}
}

// TestCommandEnginesRefuse asks both engines for what they cannot do.
func TestCommandEnginesRefuse(t *testing.T) {
	path := directFile(t, 8192, true)
	block := Target{Kind: BlockTarget, Path: "/dev/nosuch", Bytes: 1 << 20, BlockBytes: 512, NSID: 1}
	part, odd := block, block
	part.NSID, odd.BlockBytes = 0, 520
	for _, tt := range []struct {
		name   string
		target Target
		job    Job
		want   string
	}{
		{"file", Target{Kind: FileTarget, Path: path, Bytes: 8192}, Job{}, "cannot know where the file"},
		{"simulated", Target{Kind: SimulatedTarget, Path: "sim:x"}, Job{}, `target of kind "sim"`},
		{"partition", part, Job{}, "needs a whole NVMe namespace"},
		{"odd blocks", odd, Job{}, "blocks of 520 bytes"},
		{"large block", block, Job{BlockBytes: 64 << 20}, "of one command"},
		{"write", block, Job{Op: OpWrite}, "must not be written to"},
		{"missing", block, Job{}, "no such file"},
	} {
		for _, engine := range []string{EnginePassthru, EngineIoctl} {
			t.Run(engine+" "+tt.name, func(t *testing.T) {
				skipWithoutCommands(t, engine)
				tt.job.Engine = engine
				e, err := Open(Spec{tt.target, tt.job})
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, %v, want an error that says %q", e, err, tt.want)
				}
			})
		}
	}
}

// skipWithoutCommands skips the test where the kernel refuses the engine before
// anything else.
func skipWithoutCommands(t *testing.T, engine string) {
	t.Helper()
	if err := commandsKnown(); engine == EnginePassthru && err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
}

// TestCommandsToOtherDisk sends commands to a disk that is not an NVMe drive.
func TestCommandsToOtherDisk(t *testing.T) {
	target, _ := loopTarget(t, 64<<10)
	target.NSID = 1
	for _, tt := range []struct{ engine, generic, want string }{
		{EngineIoctl, "", "is not namespace 1"},
		{EnginePassthru, "", "needs the generic node"},
		{EnginePassthru, "/dev/nosuch", "no such file"},
		{EnginePassthru, os.DevNull, "not of one namespace"},
	} {
		t.Run(tt.engine+tt.generic, func(t *testing.T) {
			skipWithoutCommands(t, tt.engine)
			target.Generic = tt.generic
			e, err := Open(writingTo(target, tt.engine))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v, want an error that says %q", e, err, tt.want)
			}
		})
	}
	if _, err := unix.FcntlInt(uintptr(target.Descriptor), unix.F_GETFL, 0); err != nil {
		t.Errorf("the descriptor of the target: %v", err)
	}
}

func TestSameNamespace(t *testing.T) {
	null, zero := openFD(t, "/dev/null", unix.O_RDONLY), openFD(t, "/dev/zero", unix.O_RDONLY)
	for _, tt := range []struct {
		generic, block string
		want           bool
	}{
		{"nvme0/ng0n1", "nvme0/nvme0n1", true},
		{"nvme-subsys1/ng1n12", "nvme-subsys1/nvme1n12", true},
		{"nvme0/ng0n1", "nvme0/nvme0n2", false},
		{"nvme0/ng0n1", "nvme1/nvme0n1", false},
		{"nvme0/ng0n1", "nvme0/ng0n1", false},
		{"nvme0/nvme0n1", "nvme0/nvme0n1", false},
		{"nvme0/ng0n1", "nvme0/nvme0n1/nvme0n1p1", false},
	} {
		sys := t.TempDir()
		link := func(fd int, place string) {
			var st unix.Stat_t
			if err := unix.Fstat(fd, &st); err != nil {
				t.Fatal(err)
			}
			node := filepath.Join(sys, "dev/char", fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev)))
			for _, dir := range []string{filepath.Dir(node), filepath.Join(sys, "devices", place)} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("../../devices/"+place, node); err != nil {
				t.Fatal(err)
			}
		}
		link(null, tt.generic)
		link(zero, tt.block)
		if got, err := sameNamespace(sys, null, zero); err != nil || got != tt.want {
			t.Errorf("%s and %s: %t, %v, want %t", tt.generic, tt.block, got, err, tt.want)
		}
	}
	if _, err := sameNamespace(t.TempDir(), null, zero); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("unknown to sysfs: %v", err)
	}
	if _, err := sameNamespace("/sys", -1, zero); !errors.Is(err, unix.EBADF) {
		t.Errorf("no file: %v", err)
	}
}
