package nvmetcp

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// after is a drive that does nothing, and takes a time for it.
type after struct {
	nvme.PassthruFunc
	time time.Duration
}

func (d after) Schedule(*nvme.Command) (c nvme.Completion, due time.Time, ok bool) {
	return c, time.Now().Add(d.time), true
}

// BenchmarkReads has reads of 4 KiB in flight on one connection, of a drive
// that schedules, and of one that goroutines wait for.
func BenchmarkReads(b *testing.B) {
	b.Run("scheduled", func(b *testing.B) { benchmarkReads(b, after{agree, 0}, 32) })
	b.Run("waited", func(b *testing.B) { benchmarkReads(b, nvme.PassthruFunc(agree), 32) })
	b.Run("QD1", func(b *testing.B) { benchmarkReads(b, after{agree, 0}, 1) })
	b.Run("QD1 12us", func(b *testing.B) { benchmarkReads(b, after{agree, 12 * time.Microsecond}, 1) })
	b.Run("QD1 80us", func(b *testing.B) { benchmarkReads(b, after{agree, 80 * time.Microsecond}, 1) })
}

func benchmarkReads(b *testing.B, d Drive, depth int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, []Subsystem{{testNQN, d}}, Options{}) }()
	defer func() { cancel(); <-done }()
	t := new(testing.T)
	admin := &host{t: t, conn: connection(b, l), pieces: 1}
	id := admin.initialize(0, 0).admin(testNQN, 0)
	h := &host{t: t, conn: connection(b, l), pieces: 1}
	h.initialize(0, 0).join(id, 1, 64)

	const answerBytes = 24 + 4096 + 24
	in := bufio.NewReaderSize(h.conn, 1<<20)
	capsule := h.pdu(4, 0, read(0, 4096), nil)
	binary.LittleEndian.PutUint32(capsule[8+32:], 4096)
	capsule[8+39] = 0x5A
	b.ReportAllocs()
	b.ResetTimer()
	buf := make([]byte, answerBytes)
	for sent, got := 0, 0; got < b.N; {
		for ; sent < b.N && sent-got < depth; sent++ {
			binary.LittleEndian.PutUint16(capsule[8+2:], uint16(sent))
			if _, err := h.conn.Write(capsule); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := io.ReadFull(in, buf); err != nil {
			b.Fatal(err)
		}
		got++
	}
}

func connection(b *testing.B, l net.Listener) net.Conn {
	b.Helper()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn
}
