package inuse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configure makes folders of the kernel's configuration and writes its files,
// each "PATH=TEXT"; a path alone is a folder. It is undone at the end.
func configure(t *testing.T, root string, steps ...string) {
	t.Helper()
	for _, step := range steps {
		name, text, isFile := strings.Cut(step, "=")
		path := filepath.Join(root, name)
		if !isFile {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
			})
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRealNVMet(t *testing.T) {
	asRoot(t)
	const root = "/sys/" + nvmetSubsystems
	needs(t, root)
	name := loopOn(t, image(t, 16))
	configure(t, root, "qd1test", "qd1test/namespaces/3", "qd1test/namespaces/3/device_path=/dev/"+name)
	checkReal(t, []string{name})
	configure(t, root, "qd1test/namespaces/3/enable=1")
	checkReal(t, []string{name}, "nvmet qd1test: "+name+" is exported over fabrics as namespace 3 of qd1test")
	configure(t, root, "qd1test/namespaces/3/enable=0")
}

func TestRealLIO(t *testing.T) {
	asRoot(t)
	const root = "/sys/" + lioCore
	needs(t, root)
	name := loopOn(t, image(t, 16))
	configure(t, root, "iblock_77", "iblock_77/qd1test", "iblock_77/qd1test/control=udev_path=/dev/"+name, "iblock_77/qd1test/enable=1")
	checkReal(t, []string{name}, "lio iblock_77/qd1test: "+name+" is exported by the SCSI target as iblock_77/qd1test")
	if _, ok := parseBackstore(attribute(os.DirFS(root), "iblock_77/qd1test/info")); !ok {
		t.Error("the description of the backstore has no device number")
	}
}

func TestRealBcache(t *testing.T) {
	asRoot(t, "make-bcache", "mkfs.ext4", "mount")
	const register = "/sys/fs/bcache/register"
	needs(t, register)
	cache, backing := loopOn(t, image(t, 128)), loopOn(t, image(t, 32))
	run(t, "make-bcache", "--bucket", "64k", "-C", "/dev/"+cache)
	run(t, "make-bcache", "-B", "/dev/"+backing)
	set := run(t, "sh", "-c", "bcache-super-show /dev/"+cache+" | grep cset.uuid | grep -o '[^[:space:]]*$'")
	configure(t, "/", register+"=/dev/"+cache)
	t.Cleanup(func() { configure(t, "/", "/sys/fs/bcache/"+set+"/unregister=1") })
	checkReal(t, []string{cache}, "bcache: "+cache+" is registered with bcache")

	configure(t, "/", register+"=/dev/"+backing)
	t.Cleanup(func() { configure(t, "/", "/sys/class/block/"+backing+"/bcache/stop=1") })
	configure(t, "/", "/sys/class/block/"+backing+"/bcache/attach="+set)
	upper, err := filepath.Glob("/sys/class/block/" + backing + "/holders/bcache*")
	if err != nil || len(upper) != 1 {
		t.Fatalf("holders %q, %v", upper, err)
	}
	made := filepath.Base(upper[0])
	checkReal(t, []string{cache}, "bcache "+made+": "+cache+" is the cache of "+made)
	run(t, "mkfs.ext4", "-q", "/dev/"+made)
	dir := mountOn(t, "/dev/"+made)
	checkReal(t, []string{backing}, "mount "+dir+": "+backing+" is the backing device of "+made+", which is mounted on "+dir)
	run(t, "umount", dir)
}
