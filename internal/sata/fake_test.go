package sata

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// fake is a drive that answers through the memory of a call, as the kernel
// does. It checks what it is sent: a test fails on a command that is not well
// formed.
type fake struct {
	t *testing.T
	// pages are the answers by feature of SMART and log address, and by 0 for
	// IDENTIFY DEVICE; see key. A command without one is aborted.
	pages map[key][]byte
	// status is the answer to SMART RETURN STATUS.
	status Registers
	// fixed chooses the format of sense data.
	fixed bool
	// no16 and no12 are a bridge that does not know a form.
	no16, no12 bool
	// attention is how often unit attention is answered first.
	attention int
	// override, if not nil, is what the kernel writes instead of any answer.
	override func(*reply)
	// short is how many bytes of the data are missing.
	short int
	// errno is the error of the system call.
	errno unix.Errno

	commands []string
}

// key names an answer.
type key struct{ opcode, feature, log uint8 }

// reply is what the fake writes into the header.
type reply struct {
	status       uint8
	host, driver uint16
	sense        []byte
	data         []byte
}

// open returns a device whose commands go to the fake.
func (f *fake) open(host *Host) *Device {
	f.t.Helper()
	file, err := os.Open(os.DevNull)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { file.Close() })
	conn, err := file.SyscallConn()
	if err != nil {
		f.t.Fatal(err)
	}
	if host == nil {
		host = &Host{Disk: "sda", Transport: TransportATA, Vendor: "ATA", SizeBytes: 480103981056}
	}
	return &Device{path: "/dev/sda", file: file, conn: conn, host: host, call: f.call}
}

func (f *fake) call(_ uintptr, frame *frame) unix.Errno {
	b := frame.buffer.Bytes()
	cdb := bytes.Clone(b[frameCDB : frameCDB+int(b[8])])
	f.checkHeader(frame)
	if f.errno != 0 {
		return f.errno
	}
	r := f.answer(cdb)
	if f.override != nil {
		f.override(&r)
	}
	f.write(frame, r)
	return 0
}

// checkHeader checks what every call has.
func (f *fake) checkHeader(frame *frame) {
	b, h, order := frame.buffer.Bytes(), frame.header, binary.NativeEndian
	if b[0] != 'S' || order.Uint32(b[h.timeout:]) == 0 || b[9] != senseBytes {
		f.t.Errorf("header: interface %c, time-out %d, sense %d bytes", b[0], order.Uint32(b[h.timeout:]), b[9])
	}
	direction := int32(order.Uint32(b[4:]))
	if length := int(order.Uint32(b[12:])); length != frame.length || (length > 0) != (direction == directionFrom) {
		f.t.Errorf("header: %d bytes in direction %d, want %d", length, direction, frame.length)
	}
}

// fields are the registers of a command, whatever its form.
type fields struct {
	protocol, flags, feature, count, low, mid, high, opcode byte
}

func decodeCDB(cdb []byte) (fields, bool) {
	switch {
	case len(cdb) == 16 && cdb[0] == 0x85:
		return fields{cdb[1], cdb[2], cdb[4], cdb[6], cdb[8], cdb[10], cdb[12], cdb[14]}, true
	case len(cdb) == 12 && cdb[0] == 0xA1:
		return fields{cdb[1], cdb[2], cdb[3], cdb[4], cdb[5], cdb[6], cdb[7], cdb[9]}, true
	}
	return fields{}, false
}

func (f *fake) answer(cdb []byte) reply {
	c, ok := decodeCDB(cdb)
	if !ok {
		f.t.Errorf("unknown command % x", cdb)
	}
	if len(cdb) == 16 && f.no16 || len(cdb) == 12 && f.no12 {
		return reply{status: statusCheck, driver: 8, sense: f.sense(keyIllegalRequest, 0x20, 0, nil)}
	}
	if f.attention > 0 {
		f.attention--
		return reply{status: statusCheck, driver: 8, sense: f.sense(keyUnitAttention, 0x29, 0, nil)}
	}
	k := key{c.opcode, 0, 0}
	if c.opcode == opSMART {
		k.feature = c.feature
		if c.mid != 0x4F || c.high != 0xC2 {
			f.t.Errorf("SMART %02xh without its signature", c.feature)
		}
	}
	if c.feature == smartReturnStatus {
		f.check(c, 3<<1, 0x28, 0)
		return reply{status: statusCheck, driver: 8, sense: f.sense(keyRecovered, 0, 0x1D, &f.status)}
	}
	f.check(c, 4<<1, 0x0E, c.count)
	if c.feature == smartReadLog {
		k.log = c.low
	}
	page, ok := f.pages[k]
	if !ok {
		return reply{status: statusCheck, driver: 8, sense: f.sense(keyAborted, 0, 0, &Registers{Status: 0x51, Error: 0x04})}
	}
	if want := int(c.count) * sectorBytes; len(page) != want {
		f.t.Errorf("command %+v asks for %d bytes, the page has %d", k, want, len(page))
	}
	return reply{data: page}
}

// check checks protocol, flags and count.
func (f *fake) check(c fields, protocol, flags, count byte) {
	if c.protocol != protocol || c.flags != flags || c.count != count {
		f.t.Errorf("operation code %02xh: protocol %02xh, flags %02xh, count %d; want %02xh, %02xh, %d", c.opcode, c.protocol, c.flags, c.count, protocol, flags, count)
	}
}

// sense returns sense data in the format of the fake.
func (f *fake) sense(k, asc, ascq byte, r *Registers) []byte {
	if f.fixed {
		return fixedSense(k, asc, ascq, r)
	}
	return descriptorSense(k, asc, ascq, r)
}

func fixedSense(k, asc, ascq byte, r *Registers) []byte {
	b := make([]byte, 18)
	b[0], b[2], b[7], b[12], b[13] = 0x70, k, 10, asc, ascq
	if r != nil {
		b[3], b[4], b[5], b[6], b[9], b[10], b[11] = r.Error, r.Status, r.Device, r.Count, r.LBALow, r.LBAMid, r.LBAHigh
	}
	return b
}

func descriptorSense(k, asc, ascq byte, r *Registers) []byte {
	b := []byte{0x72, k, asc, ascq, 0, 0, 0, 0}
	if r != nil {
		b[7] = 14
		b = append(b, 0x09, 12, 0, r.Error, 0, r.Count, 0, r.LBALow, 0, r.LBAMid, 0, r.LBAHigh, r.Device, r.Status)
	}
	return b
}

// write puts the reply where the kernel does.
func (f *fake) write(frame *frame, r reply) {
	b, h, order := frame.buffer.Bytes(), frame.header, binary.NativeEndian
	b[h.status], b[h.senseLen] = r.status, byte(len(r.sense))
	copy(b[frameSense:], r.sense)
	order.PutUint16(b[h.host:], r.host)
	order.PutUint16(b[h.driver:], r.driver)
	n := copy(b[frame.data:frame.data+frame.length], r.data)
	order.PutUint32(b[h.resid:], uint32(frame.length-n+f.short))
	c, _ := decodeCDB(b[frameCDB : frameCDB+int(b[8])])
	f.commands = append(f.commands, commandName(c))
}

func commandName(c fields) string {
	switch {
	case c.opcode == opIdentifyDevice:
		return "identify"
	case c.feature == smartReadData:
		return "data"
	case c.feature == smartReadThresholds:
		return "thresholds"
	case c.feature == smartReturnStatus:
		return "status"
	}
	return string([]byte{'l', 'o', 'g', '0' + c.low})
}

// healthyDrive is a drive that has all that is read.
func healthyDrive(t *testing.T) *fake {
	data, limits := table(samsung()...)
	var statistics []byte
	for n := range uint8(8) {
		var values map[int]uint64
		switch n {
		case 1:
			values = map[int]uint64{8: valid(700), 16: valid(12350), 24: valid(23456790000), 40: valid(11111111111)}
		case 5:
			values = map[int]uint64{8: valid(29), 32: valid(48), 40: valid(0xF6), 80: valid(3), 88: valid(70)}
		case 7:
			values = map[int]uint64{8: valid(7)}
		}
		statistics = append(statistics, statisticsPage(n, values)...)
	}
	return &fake{t: t, status: Registers{Status: 0x50, LBAMid: 0x4F, LBAHigh: 0xC2}, pages: map[key][]byte{
		{opIdentifyDevice, 0, 0}:             identify(nil),
		{opSMART, smartReadData, 0}:          data,
		{opSMART, smartReadThresholds, 0}:    limits,
		{opSMART, smartReadLog, 0}:           directory(map[int]byte{1: 1, 4: 8, 6: 1}),
		{opSMART, smartReadLog, logErrors}:   seal(make([]byte, sectorBytes), 0),
		{opSMART, smartReadLog, 4}:           statistics,
		{opSMART, smartReadLog, logSelfTest}: seal(make([]byte, sectorBytes), 0),
	}}
}
