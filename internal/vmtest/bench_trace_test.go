package vmtest_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// benchTrace are the events that show what a drive was told to read and write,
// and the marks of step.
var benchTrace = []string{"pci_nvme_read", "pci_nvme_write", "pci_nvme_io_cmd", "pci_nvme_admin_cmd", "pci_nvme_getfeat"}

// access is a Read or Write command as the emulator saw it, in logical blocks.
type access struct {
	write        bool
	nsid         int
	block, count int64
}

var accessLine = regexp.MustCompile(`^pci_nvme_(read|write) .*\bnsid (\d+) nlb (\d+) .*\blba 0x([0-9a-f]+)`)

// accesses returns the Read and Write commands of a trace.
func accesses(t *testing.T, lines []string) []access {
	t.Helper()
	number := func(s string, base int) int64 {
		n, err := strconv.ParseInt(s, base, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var all []access
	for _, line := range lines {
		if m := accessLine.FindStringSubmatch(line); m != nil {
			all = append(all, access{m[1] == "write", int(number(m[2], 10)), number(m[4], 16), number(m[3], 10)})
		}
	}
	return all
}

// kindOf returns the reads, or the writes, of so many blocks; 0: of any number.
func kindOf(all []access, write bool, count int64) []access {
	var some []access
	for _, a := range all {
		if a.write == write && (count == 0 || a.count == count) {
			some = append(some, a)
		}
	}
	return some
}

// sectors cuts an image into pieces of 512 bytes that can be compared.
func sectors(t *testing.T, image string) [][]byte {
	t.Helper()
	b, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for len(b) >= 512 {
		all, b = append(all, b[:512:512]), b[512:]
	}
	return all
}

// filled is an image as it was before.
func filled(t *testing.T, size int64) [][]byte {
	t.Helper()
	return sectors(t, vmtest.Disk(t, size, vmtest.Filled(size)))
}

// checkUntouched checks that an image is as it was.
func checkUntouched(t *testing.T, what, image string, size int64) {
	t.Helper()
	was, is := filled(t, size), sectors(t, image)
	for i := range was {
		if !bytes.Equal(was[i], is[i]) {
			t.Errorf("%s: sector %d was changed", what, i)
			return
		}
	}
}

// mebibytes is a flag's value.
func mebibytes(n int64) string { return fmt.Sprintf("%dMiB", n) }
