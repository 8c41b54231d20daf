package conditions

import (
	"crypto/rand"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// readDirect writes a file and reads it past the page cache.
func readDirect(t *testing.T, name string, block, count int) Ours {
	t.Helper()
	data := make([]byte, block*count)
	rand.Read(data)
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Skipf("direct I/O is refused here: %v", err)
	}
	unix.Close(fd)
	readNode(t, name, block, count, unix.O_DIRECT)
	return Ours{Reads: int64(count), ReadBytes: int64(count * block), BlockBytes: block, File: true}
}
