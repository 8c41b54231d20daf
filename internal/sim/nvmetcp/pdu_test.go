package nvmetcp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// stream is three PDUs as a host may send them, with both digests.
func stream() []byte {
	h := &host{header: true, data: true}
	return bytes.Join([][]byte{
		h.pdu(4, 0, sqe(nvme.IOWrite, 1), pattern(512, 1)),
		h.pdu(4, 0, sqe(nvme.IOFlush, 1), nil),
		h.pdu(6, 4, make([]byte, 16), pattern(4096, 2)),
	}, nil)
}

// readAll reads PDUs with their data until an error.
func readAll(in io.Reader) (kinds []uint8, data []int, err error) {
	r := newPDUReader(in)
	r.headerDigest, r.dataDigest = true, true
	for {
		p, err := r.next()
		if err != nil {
			return kinds, data, err
		}
		b := make([]byte, p.data)
		if err := r.data(b); err != nil {
			return kinds, data, err
		}
		if p.data > 0 {
			intact, err := r.digest(r.sum(b))
			if err == nil && !intact {
				err = errors.New("wrong digest")
			}
			if err != nil {
				return kinds, data, err
			}
		}
		kinds, data = append(kinds, p.kind), append(data, p.data)
	}
}

func TestReader(t *testing.T) {
	all := stream()
	for name, in := range map[string]io.Reader{
		"at once":      bytes.NewReader(all),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(all)),
		"by halves":    iotest.HalfReader(bytes.NewReader(all)),
	} {
		kinds, data, err := readAll(in)
		if err != io.EOF {
			t.Errorf("%s: ends with %v", name, err)
		}
		if diff := cmp.Diff([]uint8{4, 4, 6}, kinds); diff != "" {
			t.Errorf("%s: kinds (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]int{512, 0, 4096}, data); diff != "" {
			t.Errorf("%s: data bytes (-want +got):\n%s", name, diff)
		}
	}
}

// TestReaderCut cuts the stream at every byte: only between two PDUs is that
// the end, everywhere else something is missing.
func TestReaderCut(t *testing.T) {
	all := stream()
	whole := map[int]bool{0: true, 76 + 516: true, 76 + 516 + 76: true}
	for n := range all {
		want := io.ErrUnexpectedEOF
		if whole[n] {
			want = io.EOF
		}
		if _, _, err := readAll(bytes.NewReader(all[:n])); err != want {
			t.Fatalf("cut after %d bytes: got %v, want %v", n, err, want)
		}
	}
}

// TestReaderChanged changes each byte of a header: with a digest none of them
// goes unnoticed.
func TestReaderChanged(t *testing.T) {
	all := stream()
	for i := range 76 {
		changed := bytes.Clone(all)
		changed[i] ^= 0x10
		_, _, err := readAll(bytes.NewReader(changed))
		if f := (*fault)(nil); !errors.As(err, &f) {
			t.Errorf("byte %d changed: got %v, want a fault", i, err)
		}
	}
}

// TestEncodings holds what the target sends against bytes written by hand.
func TestEncodings(t *testing.T) {
	head := []byte{0x0A, 0, 8, 0, 8, 0, 0, 0}
	tests := []struct {
		name string
		got  []byte
		want string
	}{
		{"C2HTermReq", newFault(fesInvalidField, 0x01020304, head).encode(),
			"030018002000000001000403020100000000000000000000" + "0a00080008000000"},
		{"C2HTermReq of a long header", newFault(fesSequence, 0, make([]byte, 200)).encode()[:24],
			"030018009800000002000000000000000000000000000000"},
		{"ICResp", encodeICResp(3, 4096)[:16], "01008000800000000000000300100000"},
	}
	for _, tt := range tests {
		if got := hex.EncodeToString(tt.got); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	if got := (&fault{status: 3, info: 0xAB}).Error(); got != "host broke the protocol: fatal error status 03h, information ABh" {
		t.Errorf("text of a fault: %q", got)
	}
}

// batch builds the PDUs of requests and returns them joined.
func batch(digests bool, align int, requests ...*request) []byte {
	q := &queue{id: 5, reader: newPDUReader(nil)}
	q.state.size = 8
	q.reader.headerDigest, q.reader.dataDigest = digests, digests
	s := newSender(q)
	s.align = align
	s.build(requests)
	return bytes.Join(s.pieces, nil)
}

func TestBuild(t *testing.T) {
	read := func() *request {
		r := &request{cid: 0x0201}
		r.cmd.Opcode, r.cmd.Data = nvme.IORead, []byte("data")
		return r
	}
	failed := read()
	failed.answer = nvme.Completion{Result: 0x0102, Status: nvme.StatusInternalError | doNotRetry}
	const response = "050018001800000000000000000000000100050001020000"
	tests := []struct {
		name string
		got  []byte
		want string
	}{
		{"read", batch(false, 4, read()), "070418181c00000001020000" + "00000000" + "04000000" + "00000000" + "64617461" + response},
		{"alignment of 32", batch(false, 32, read()),
			"070418202400000001020000" + "00000000" + "04000000" + "00000000" + "0000000000000000" + "64617461" + response},
		{"failed read", batch(false, 4, failed), "050018001800000002010000000000000100050001020c80"},
		{"R2T", batch(false, 4, &request{cid: 0x0201, tag: 0x0403, want: 8192, ask: true}),
			"090018001800000001020304" + "00000000" + "00200000" + "00000000"},
	}
	for _, tt := range tests {
		if got := hex.EncodeToString(tt.got); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	with := batch(true, 4, read())
	if want := 24 + 4 + 4 + 4 + 24 + 4; len(with) != want || with[1] != flagLast|flagHeaderDigest|flagDataDigest || with[3] != 28 {
		t.Errorf("read with digests: %d bytes, want %d: % x", len(with), want, with)
	}
	if !bytes.Equal(with[24:28], crc(with[:24])) || !bytes.Equal(with[32:36], crc([]byte("data"))) || !bytes.Equal(with[60:], crc(with[36:60])) {
		t.Errorf("digests of % x", with)
	}
}
