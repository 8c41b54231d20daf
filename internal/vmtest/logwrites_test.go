package vmtest_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"strings"
	"testing"
)

// The format of the log of the kernel's device-mapper target log-writes.
//
// Source: Linux, Documentation/admin-guide/device-mapper/log-writes.rst and
// drivers/md/dm-log-writes.c.
const (
	logMagic   = 0x6a736677736872
	logDiscard = 1 << 2
	logMark    = 1 << 3
)

// logEntry is a write that reached the disk, or a mark. The order is that in
// which a disk may have made them durable: a write that no flush had followed
// stands behind the flush.
type logEntry struct {
	flags uint64
	// offset and bytes are where it wrote, data where they stand in the log.
	offset, bytes, data int64
	mark                string
}

// writeLog is the log of a device.
type writeLog struct {
	file    *os.File
	entries []logEntry
}

// openLog reads the log on a disk image.
func openLog(t *testing.T, path string) *writeLog {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	super := readAt(t, f, 0, 32)
	if got := binary.LittleEndian.Uint64(super); got != logMagic {
		t.Fatalf("the log begins with %#x, want %#x", got, uint64(logMagic))
	}
	n, sector := binary.LittleEndian.Uint64(super[16:]), int64(binary.LittleEndian.Uint32(super[24:]))
	l := &writeLog{file: f}
	at := sector
	for range n {
		b := readAt(t, f, at, int(sector))
		e := logEntry{
			flags: binary.LittleEndian.Uint64(b[16:]), data: at + sector,
			offset: int64(binary.LittleEndian.Uint64(b)) * sector, bytes: int64(binary.LittleEndian.Uint64(b[8:])) * sector,
		}
		at = e.data
		if e.flags&logMark != 0 {
			e.mark = strings.TrimRight(string(b[32:32+min(binary.LittleEndian.Uint64(b[24:]), uint64(sector-32))]), "\x00")
		} else if e.flags&logDiscard == 0 {
			at += e.bytes
		}
		l.entries = append(l.entries, e)
	}
	return l
}

func readAt(t *testing.T, r io.ReaderAt, off int64, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if _, err := r.ReadAt(b, off); err != nil {
		t.Fatal(err)
	}
	return b
}

// apply does the first bytes of a write on an image.
func (l *writeLog) apply(t *testing.T, image []byte, e *logEntry, bytes int64) {
	t.Helper()
	switch {
	case e.flags&logMark != 0:
	case e.flags&logDiscard != 0:
		clear(image[e.offset : e.offset+bytes])
	case bytes > 0:
		copy(image[e.offset:], readAt(t, l.file, e.data, int(bytes)))
	}
}

// TestOpenLog reads a log of two writes, a mark and a discard.
func TestOpenLog(t *testing.T) {
	var b bytes.Buffer
	sector := func(words ...any) {
		at := b.Len()
		for _, w := range words {
			if err := binary.Write(&b, binary.LittleEndian, w); err != nil {
				t.Fatal(err)
			}
		}
		b.Write(make([]byte, at+512-b.Len()))
	}
	one := bytes.Repeat([]byte{1}, 512)
	sector(uint64(logMagic), uint64(1), uint64(4), uint32(512))
	sector(uint64(2), uint64(1), uint64(0), uint64(0))
	sector(one)
	sector(uint64(0), uint64(0), uint64(logMark), uint64(4), []byte("here"))
	sector(uint64(0), uint64(2), uint64(1), uint64(0))
	sector(one)
	sector(one)
	sector(uint64(2), uint64(1), uint64(logDiscard), uint64(0))
	path := t.TempDir() + "/log"
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	l := openLog(t, path)
	image := make([]byte, 2048)
	var seen []string
	for i := range l.entries {
		e := &l.entries[i]
		l.apply(t, image, e, e.bytes)
		used := ""
		for at := 0; at < len(image); at += 512 {
			used += string('0' + rune(image[at]))
		}
		seen = append(seen, used+e.mark)
	}
	if got := strings.Join(seen, " "); got != "0010 0010here 1110 1100" {
		t.Errorf("after each entry: %s", got)
	}
}
