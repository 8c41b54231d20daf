package sim

import (
	"testing"

	"qd1.example/qd1/nvme"
)

// FuzzSubmit sends any command to any profile: the drive must answer, must not
// touch what is behind the buffer, and must log what it refuses.
func FuzzSubmit(f *testing.F) {
	f.Add(uint8(0), false, uint8(2), uint32(0xFFFFFFFF), uint32(0x7F0002), uint32(0), uint32(0), uint32(0), uint16(512))
	f.Add(uint8(0), false, uint8(6), uint32(1), uint32(0), uint32(0), uint32(0), uint32(0), uint16(4096))
	f.Add(uint8(1), true, uint8(2), uint32(1), uint32(0xFFFFFFFF), uint32(0xFFFFFFFF), uint32(0xFFFF), uint32(0), uint16(512))
	f.Add(uint8(2), true, uint8(1), uint32(1), uint32(8), uint32(0), uint32(7), uint32(0), uint16(4096))
	for op := range uint8(0x85) {
		f.Add(uint8(3), false, op, uint32(1), uint32(0x1), uint32(0), uint32(0), uint32(0), uint16(4096))
		f.Add(uint8(3), true, op, uint32(1), uint32(0), uint32(4), uint32(7), uint32(0), uint16(4096))
	}
	f.Fuzz(func(t *testing.T, profile uint8, io bool, op uint8, nsid, cdw10, cdw11, cdw12, cdw13 uint32, size uint16) {
		all := Profiles()
		d, _ := instantOf(t, all[int(profile)%len(all)], func(p *personality) { p.dead = false })
		buf := make([]byte, int(size)+1)
		buf[size] = 0xEE
		cmd := &nvme.Command{
			Opcode: op, NSID: nvme.NSID(nsid), CDW10: cdw10, CDW11: cdw11, CDW12: cdw12, CDW13: cdw13,
			Data: buf[:size:size],
		}
		if io {
			cmd.Queue = nvme.IOQueue
		}
		before := smartLog(t, d).ErrorLogEntries.Lo
		c, _ := d.Begin(cmd)
		if buf[size] != 0xEE {
			t.Error("the drive wrote behind the buffer")
		}
		want := before
		if c.Status != 0 {
			want++
		}
		if got := smartLog(t, d).ErrorLogEntries.Lo; got != want {
			t.Errorf("status %v and %d entries in the error log, want %d", c.Status, got, want)
		}
		d.PowerCycle()
	})
}

// FuzzParameters opens drives by any text.
func FuzzParameters(f *testing.F) {
	f.Add("read_latency=50us&seed=1&silent=io")
	f.Add("active_list=no;%")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseParameters(text)
		if err == nil && (p.readLatency < 0 || p.readLatency > maxLatency) {
			t.Errorf("%q gives a latency of %v", text, p.readLatency)
		}
	})
}

// FuzzStore compares overlapping writes and reads with a plain slice.
func FuzzStore(f *testing.F) {
	f.Add(uint16(4090), uint16(20), uint16(0), uint16(9000))
	f.Add(uint16(1), uint16(3), uint16(5), uint16(1))
	f.Fuzz(func(t *testing.T, woff, wlen, roff, rlen uint16) {
		const size = 1 << 17
		s := newStore(size, 1)
		want := make([]byte, size)
		s.generate(want, 0)
		data := make([]byte, wlen)
		for i := range data {
			data[i] = byte(i*7 + 1)
		}
		copy(want[woff:], data)
		if err := s.writeAt(data, int64(woff)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, rlen)
		s.readAt(got, int64(roff))
		if string(got) != string(want[roff:int(roff)+int(rlen)]) {
			t.Errorf("read of %d at %d after a write of %d at %d differs", rlen, roff, wlen, woff)
		}
	})
}
