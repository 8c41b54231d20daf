package nvme

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestReadOnlyHoldsEveryOtherOpcodeBack(t *testing.T) {
	allowed := map[Queue]map[uint8]bool{
		AdminQueue: {0x06: true, 0x02: true, 0x0A: true, 0x82: true},
		IOQueue:    {0x02: true},
		Queue(2):   {},
		Queue(255): {},
	}
	for queue, opcodes := range allowed {
		for op := range 256 {
			dev := new(fake)
			_, err := ReadOnly(dev).Submit(t.Context(), &Command{Queue: queue, Opcode: uint8(op)})
			if opcodes[uint8(op)] {
				if err != nil || len(dev.sent) != 1 {
					t.Errorf("queue %d, opcode %#02x: %v, %d commands sent, want 1", queue, op, err, len(dev.sent))
				}
				continue
			}
			if !errors.Is(err, ErrWouldModify) || len(dev.sent) != 0 {
				t.Errorf("queue %d, opcode %#02x: %v, %d commands sent, want ErrWouldModify and none", queue, op, err, len(dev.sent))
			}
		}
	}
}

// TestReadOnlyHoldsOtherSecurityReceivesBack tries every value of each field of
// the two that pass, one field at a time.
func TestReadOnlyHoldsOtherSecurityReceivesBack(t *testing.T) {
	passes := map[uint32]bool{0x00000000: true, 0x01000100: true}
	for base := range passes {
		for shift := 0; shift < 32; shift += 8 {
			for v := range uint32(256) {
				cdw10 := base&^(0xFF<<shift) | v<<shift
				dev := new(fake)
				_, err := ReadOnly(dev).Submit(t.Context(), &Command{Opcode: 0x82, CDW10: cdw10})
				if sent := len(dev.sent) == 1; sent != passes[cdw10] || sent != (err == nil) {
					t.Errorf("Security Receive with CDW10 %#08x: sent %v, %v", cdw10, sent, err)
				}
			}
		}
	}
	dev := new(fake)
	if _, err := ReadOnly(dev).Submit(t.Context(), &Command{Opcode: 0x81}); !errors.Is(err, ErrWouldModify) || len(dev.sent) != 0 {
		t.Errorf("Security Send: %v, %d commands sent", err, len(dev.sent))
	}
}

func TestReadOnlyMessage(t *testing.T) {
	_, err := ReadOnly(new(fake)).Submit(t.Context(), &Command{Opcode: AdminFormatNVM})
	if got, want := err.Error(), "Format NVM, admin command 80h: would modify the drive"; got != want {
		t.Errorf("error = %q, want %q", got, want)
	}
}

func TestReadOnlyPassesTheAnswer(t *testing.T) {
	dev := &fake{answer: func(cmd *Command) Status {
		cmd.Data[0] = 0xA5
		return 0x4002
	}}
	buf := make([]byte, 4)
	done, err := ReadOnly(dev).Submit(t.Context(), &Command{Opcode: AdminIdentify, Data: buf})
	if err != nil || done.Status != 0x4002 || buf[0] != 0xA5 {
		t.Errorf("Submit = %+v, %v, data %#x, want status 0x4002 and the data", done, err, buf[0])
	}
}

func TestWithTimeout(t *testing.T) {
	var deadline time.Time
	var has bool
	dev := PassthruFunc(func(ctx context.Context, _ *Command) (Completion, error) {
		deadline, has = ctx.Deadline()
		return Completion{Result: 7}, nil
	})
	submit := func(ctx context.Context, d time.Duration) {
		t.Helper()
		if done, err := WithTimeout(dev, d).Submit(ctx, &Command{}); err != nil || done.Result != 7 {
			t.Fatalf("Submit = %+v, %v", done, err)
		}
	}
	before := time.Now()
	submit(t.Context(), time.Hour)
	if !has || deadline.Before(before.Add(time.Hour)) || deadline.After(time.Now().Add(time.Hour)) {
		t.Errorf("deadline %v, %v, want an hour from now", deadline, has)
	}

	earlier := before.Add(time.Minute)
	ctx, cancel := context.WithDeadline(t.Context(), earlier)
	defer cancel()
	if submit(ctx, time.Hour); !deadline.Equal(earlier) {
		t.Errorf("deadline %v, want the earlier %v", deadline, earlier)
	}
	later, cancel := context.WithDeadline(t.Context(), before.Add(24*time.Hour))
	defer cancel()
	if submit(later, time.Hour); deadline.After(time.Now().Add(time.Hour)) {
		t.Errorf("deadline %v, want the earlier hour", deadline)
	}
	if submit(t.Context(), 0); has {
		t.Errorf("time-out of 0 gives the deadline %v", deadline)
	}
}

func TestWithTimeoutEndsACommand(t *testing.T) {
	dev := PassthruFunc(func(ctx context.Context, _ *Command) (Completion, error) {
		<-ctx.Done()
		return Completion{}, ctx.Err()
	})
	_, err := NewController(WithTimeout(dev, time.Nanosecond)).SMARTLog(t.Context())
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "Completion") {
		t.Errorf("error = %v, want the deadline", err)
	}
}
