package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// Opcodes: Identify of the admin queue (NVM Express Base Specification 2.0,
// Opcodes for Admin Commands), Write and Read of the I/O queues (NVM Command Set
// Specification 1.0, Opcodes for NVM Commands).
const (
	opcodeIdentify = 0x06
	opcodeWrite    = 0x01
	opcodeRead     = 0x02
)

// mostBlocks is the number of logical blocks that one command can address.
const mostBlocks = 1 << 16

// namespace is what the commands of an engine need to know of the drive.
type namespace struct {
	nsid   uint32
	shift  uint8  // a logical block has 1<<shift bytes
	blocks uint64 // Namespace Size, in logical blocks
	// metadata is in bytes a logical block.
	metadata uint16
}

// errShortPage says that an Identify page is cut off.
var errShortPage = errors.New("the Identify Namespace page is too short")

// decodeNamespace reads what is needed of Identify Namespace (NVM Command Set
// Specification 1.0, Identify Namespace Data Structure): NSZE, FLBAS and the LBA
// format in use.
func decodeNamespace(page []byte) (namespace, error) {
	if len(page) < 384 {
		return namespace{}, errShortPage
	}
	flbas := page[26]
	index := flbas & 0xf
	if page[25] >= 16 { // NLBAF, 0's based: more than 16 formats have two more bits.
		index |= flbas >> 1 & 0x30
	}
	format := page[128+4*int(index):]
	n := namespace{
		blocks:   binary.LittleEndian.Uint64(page),
		metadata: binary.LittleEndian.Uint16(format),
		shift:    format[2],
	}
	if n.shift < 9 || n.shift > 30 {
		return namespace{}, fmt.Errorf("the LBA format in use has blocks of 2^%d bytes", n.shift)
	}
	return n, nil
}

// identify asks the drive behind fd how the namespace of t is addressed. A drive
// that is given a wrong length would write beyond the buffer, so what the target
// says must be what the drive says.
func identify(fd int, engine string, t Target) (namespace, error) {
	id, errno := rawio.NVMeNamespace(fd)
	if errno != 0 || id != t.NSID {
		return namespace{}, badJob("engine %q: %s is not namespace %d of an NVMe drive", engine, t.Path, t.NSID)
	}
	page, err := rawio.Alloc(4096)
	if err != nil {
		return namespace{}, err
	}
	defer page.Free()
	e := &rawio.NVMeExchange{NVMeCommand: rawio.NVMeCommand{Opcode: opcodeIdentify, NSID: t.NSID}}
	status, errno := rawio.NVMe(fd, rawio.NVMeAdmin, e, page.Bytes()[:4096])
	if errno != 0 {
		return namespace{}, commandError(engine, t, 4096, errno)
	}
	if status != 0 {
		return namespace{}, fmt.Errorf("identify namespace %d: %w", t.NSID, StatusError(status))
	}
	n, err := decodeNamespace(page.Bytes())
	if err != nil {
		return namespace{}, fmt.Errorf("identify namespace %d: %w", t.NSID, err)
	}
	n.nsid = t.NSID
	return n, n.check(engine, t)
}

// check compares the namespace with the target.
func (n namespace) check(engine string, t Target) error {
	switch {
	case n.metadata != 0:
		return &Error{
			Cause: fmt.Sprintf("engine %q: the namespace has %d bytes of metadata a block, which the engine does not transfer", engine, n.metadata),
			Hint:  "use the engine psync or uring",
			Err:   ErrBadJob,
		}
	case t.unit() != 1<<n.shift:
		return badJob("engine %q: the drive has blocks of %d bytes, %s of %d", engine, 1<<n.shift, t.Path, t.unit())
	case n.blocks > 1<<(62-n.shift) || t.Bytes > int64(n.blocks<<n.shift):
		return badJob("engine %q: the namespace has %d blocks, %s has %d bytes", engine, n.blocks, t.Path, t.Bytes)
	}
	return nil
}

// command fills in what differs between the commands for two requests.
//
//go:nosplit
func (n *namespace) command(c *rawio.NVMeCommand, write bool, offset int64, bytes int) {
	lba := uint64(offset) >> n.shift
	c.Opcode, c.NSID = opcodeRead, n.nsid
	if write {
		c.Opcode = opcodeWrite
	}
	c.CDW10, c.CDW11 = uint32(lba), uint32(lba>>32)
	c.CDW12 = uint32(bytes>>n.shift) - 1 // Number of Logical Blocks, 0's based.
}

// wholeNamespace refuses targets that NVMe commands cannot be sent to.
func wholeNamespace(engine string, s Spec) error {
	t := s.Target
	hint := "use the engine psync or uring, or name the whole namespace (/dev/nvme0n1)"
	switch {
	case t.Kind == FileTarget:
		return &Error{Cause: fmt.Sprintf("engine %q sends NVMe commands: it cannot know where the file %s lies on the drive", engine, t.Path), Hint: hint, Err: ErrBadJob}
	case t.Kind != BlockTarget:
		return badJob("engine %q cannot open a target of kind %q", engine, t.Kind)
	case t.NSID == 0:
		return &Error{Cause: fmt.Sprintf("engine %q needs a whole NVMe namespace, and %s is none: a partition, a volume (md, dm) or another kind of disk", engine, t.Path), Hint: hint, Err: ErrBadJob}
	case s.Job.BlockBytes > mostBlocks*t.unit():
		return badJob("engine %q: a block of %d bytes has more than the %d logical blocks of one command", engine, s.Job.BlockBytes, mostBlocks)
	case bits.OnesCount(uint(t.unit())) != 1:
		return badJob("%s: blocks of %d bytes", t.Path, t.unit())
	}
	return nil
}

// sameNamespace reports whether a generic node and a block device are of one
// namespace: sysfs has both in one folder, under names that differ in the
// beginning.
func sameNamespace(sys string, generic, block int) (bool, error) {
	var places [2]string
	for i, fd := range []int{generic, block} {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return false, err
		}
		class := map[uint32]string{unix.S_IFCHR: "char", unix.S_IFBLK: "block"}[st.Mode&unix.S_IFMT]
		number := fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev))
		place, err := filepath.EvalSymlinks(filepath.Join(sys, "dev", class, number))
		if err != nil {
			return false, err
		}
		places[i] = place
	}
	g, ok := strings.CutPrefix(filepath.Base(places[0]), "ng")
	b, isNVMe := strings.CutPrefix(filepath.Base(places[1]), "nvme")
	return ok && isNVMe && g == b && filepath.Dir(places[0]) == filepath.Dir(places[1]), nil
}
