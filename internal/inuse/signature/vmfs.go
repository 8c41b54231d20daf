package signature

import (
	"encoding/binary"
	"fmt"
	"regexp"
)

const (
	vmfsVolumeMagic = "\x0d\xd0\x01\xc0"
	vmfsMagic       = "\x5e\xf1\xab\x2f"
)

// Places of VMFS (vmfs-tools, vmfs_volume.h and vmfs_fs.h): the volume's
// description, and the file system's, which starts 16 MiB behind it.
const (
	vmfsVolume = 1 << 20
	vmfsBare   = 2 << 20
	vmfsInside = vmfsVolume + 16<<20 + 2<<20
)

// vmfs finds an extent of a VMFS datastore, or the file system without one.
func vmfs(g region) []found {
	b := g.bytes(vmfsVolume, 1024)
	if b == nil || string(b[:4]) != vmfsVolumeMagic || !vmfsID(b[512+20:512+55]) {
		if f, ok := vmfsFS(g, vmfsBare); ok {
			f.what = named("VMFS datastore", f.label)
			return []found{f}
		}
		return nil
	}
	f := found{
		kind: VMFS, places: []int64{vmfsVolume}, uuid: clean(b[512+20 : 512+55]),
		version: fmt.Sprint(binary.LittleEndian.Uint32(b[4:])),
	}
	if fs, ok := vmfsFS(g, vmfsInside); ok {
		f.label = fs.label
	}
	f.what = named("extent of a VMFS datastore", f.label)
	return []found{f}
}

// vmfsID reports whether a text is an identifier of VMware.
func vmfsID(b []byte) bool {
	return regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}$`).Match(b)
}

// vmfsFS reads the description of the file system at an offset.
func vmfsFS(g region, at int64) (found, bool) {
	b := g.bytes(at, 512)
	if b == nil || string(b[:4]) != vmfsMagic || zero(b[9:25]) {
		return found{}, false
	}
	return found{
		kind: VMFS, places: []int64{at}, version: fmt.Sprint(b[8]), uuid: vmfsUUID(b[9:25]), label: clean(b[29:157]),
	}, true
}

// vmfsUUID writes 16 bytes as VMware has it.
func vmfsUUID(b []byte) string {
	le := binary.LittleEndian
	return fmt.Sprintf("%08x-%08x-%04x-%x", le.Uint32(b), le.Uint32(b[4:]), le.Uint16(b[8:]), b[10:16])
}
