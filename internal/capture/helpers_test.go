package capture

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

const header = `{"capture":"qd1/1","controller":"nvme0"}` + "\n"

// read reads a capture that must be good.
func read(t testing.TB, text string) *Capture {
	t.Helper()
	c, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return c
}

// lineOf returns v as a line of a capture.
func lineOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func identify(cns nvme.CNS, nsid nvme.NSID, data []byte) exchange {
	return exchange{Queue: "admin", Opcode: nvme.AdminIdentify, NSID: nsid, CDW10: uint32(cns), Data: data}
}

// answerer is a drive that answers every command alike.
func answerer(c nvme.Completion, data []byte, err error) nvme.Passthru {
	return nvme.PassthruFunc(func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		copy(cmd.Data, data)
		return c, err
	})
}

// The identity of the drive that the tests redact.
const (
	serial = "PHM2810300A1960CGN"
	nqn    = "nqn.2014.08.org.nvmexpress:80868086" + serial + "  INTEL SSDPE21D960GA"
)

func nguid() []byte { return []byte{0x38, 0x36, 0x37, 0x30, 1, 2, 3, 4, 0, 0x25, 0x38, 5, 6, 7, 8, 9} }
func eui64() []byte { return []byte{0, 0x25, 0x38, 0x5B, 0x71, 0xB0, 3, 0xC7} }
func uuid() []byte  { return []byte("\x11\x22\x33\x44\x55\x66\x77\x88\x99\xAA\xBB\xCC\xDD\xEE\xFF\x10") }

func controllerPage(sn, subnqn string) []byte {
	b := make([]byte, 4096)
	for i := range b {
		b[i] = byte(i * 7)
	}
	copy(b[4:24], bytes.Repeat([]byte(" "), 20))
	copy(b[4:24], sn)
	clear(b[112:128])
	clear(b[768:1024])
	copy(b[768:1024], subnqn)
	return b
}

func namespacePage() []byte {
	b := make([]byte, 4096)
	binary.LittleEndian.PutUint64(b, 1875385008)
	copy(b[104:], nguid())
	copy(b[120:], eui64())
	return b
}

func descriptorPage() []byte {
	b := make([]byte, 4096)
	list := b
	for _, d := range []struct {
		kind byte
		id   []byte
	}{{1, eui64()}, {2, nguid()}, {3, uuid()}, {4, []byte{0}}} {
		list[0], list[1] = d.kind, byte(len(d.id))
		copy(list[4:], d.id)
		list = list[4+len(d.id):]
	}
	return b
}
