package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// TestLies goes through what can go wrong with an erase, each as a fault script
// of a drive, and checks what a host sees: the answer to Format NVM, and
// whether the old data are still there.
func TestLies(t *testing.T) {
	const format = `{"when":{"queue":"admin","opcode":128},`
	for _, tc := range []struct {
		name, script string
		status       nvme.Status
		err          error
		erased       bool
	}{
		{"none", ``, 0, nil, true},
		{"succeeds without erasing", format + `"do":"status","status":0}`, 0, nil, false},
		{"is not there", format + `"do":"status","status":1}`, nvme.StatusInvalidOpcode, nil, false},
		{"is locked", format + `"do":"status","status":646}`, nvme.StatusAccessDenied, nil, false},
		{"refuses the format", format + `"do":"status","status":266}`, nvme.StatusInvalidFormat, nil, false},
		{"times out", format + `"do":"silence"}`, 0, context.DeadlineExceeded, false},
		{"loses the connection", format + `"do":"disconnect"}`, 0, ErrDisconnect, false},
		{"resets", format + `"do":"reset"}`, 0, ErrReset, false},
		{"loses power", format + `"do":"power-loss"}`, 0, ErrPowerLoss, false},
		{"answers late", format + `"do":"delay","ms":20}`, 0, nil, true},
	} {
		d := faulty(t, tc.script)
		secret := bytes.Repeat([]byte("secret! "), 512)
		accept(t, d, withData(writeCmd(64, 8, 0), secret))
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		c, err := d.Submit(ctx, formatCmd(1, 0, eraseUser))
		cancel()
		if c.Status.Code() != tc.status || !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, %v, want %v, %v", tc.name, c.Status, err, tc.status, tc.err)
		}
		if erased := !bytes.Equal(blocks(t, d, 64, 8), secret); erased != tc.erased {
			t.Errorf("%s: erased %v, want %v", tc.name, erased, tc.erased)
		}
	}
}

// TestFaultsOfReads checks faults of the reads that a verification does.
func TestFaultsOfReads(t *testing.T) {
	d := faulty(t, `{"when":{"queue":"io","opcode":2,"lba_from":1000,"lba_to":1007},"do":"status","status":641}
		{"when":{"queue":"io","opcode":2,"lba_from":2000,"lba_to":2007},"do":"corrupt"}`)
	accept(t, d, formatCmd(1, 0, eraseUser))
	for lba, want := range map[uint64]string{0: "zero", 1000: "error", 2000: "data", 3000: "zero"} {
		p := make([]byte, 4096)
		_, err := d.ReadAt(p, int64(lba)*512)
		zero, _ := nvme.IsBlankPage(p)
		got := "data"
		switch {
		case err != nil:
			got = "error"
		case zero:
			got = "zero"
		}
		if got != want {
			t.Errorf("LBA %d: %s, want %s", lba, got, want)
		}
	}
}

func number[T any](v T) *T { return &v }

// TestWhen checks which commands each condition is about.
func TestWhen(t *testing.T) {
	read := ioCmd(nvme.IORead, 1, 100, 8, 4096)
	far := ioCmd(nvme.IORead, 1, 1<<40, 8, 4096)
	flush := ioCmd(nvme.IOFlush, 1, 0, 1, 0)
	smart := logCmd(nvme.LIDSMART, all, 512)
	identify := identifyCmd(nvme.CNSController, 0)
	for name, tc := range map[string]struct {
		when When
		yes  []*nvme.Command
		no   []*nvme.Command
	}{
		"any":           {When{}, []*nvme.Command{read, far, flush, smart, identify}, nil},
		"admin queue":   {When{Queue: "admin"}, []*nvme.Command{smart, identify}, []*nvme.Command{read, flush}},
		"I/O queue":     {When{Queue: "io"}, []*nvme.Command{read, flush}, []*nvme.Command{smart, identify}},
		"opcode":        {When{Opcode: number[uint8](2)}, []*nvme.Command{read, smart}, []*nvme.Command{flush, identify}},
		"namespace":     {When{NSID: number[uint32](1)}, []*nvme.Command{read, flush}, []*nvme.Command{smart, identify}},
		"log page":      {When{LogID: number[uint8](2)}, []*nvme.Command{smart}, []*nvme.Command{read, identify, logCmd(nvme.LIDError, all, 512)}},
		"from":          {When{LBAFrom: number[uint64](107)}, []*nvme.Command{read, far}, []*nvme.Command{flush, smart}},
		"from behind":   {When{LBAFrom: number[uint64](108)}, []*nvme.Command{far}, []*nvme.Command{read}},
		"to":            {When{LBATo: number[uint64](100)}, []*nvme.Command{read}, []*nvme.Command{far, flush, identify}},
		"to before":     {When{LBATo: number[uint64](99)}, nil, []*nvme.Command{read, far}},
		"far":           {When{LBAFrom: number[uint64](1 << 40), LBATo: number[uint64](1 << 40)}, []*nvme.Command{far}, []*nvme.Command{read}},
		"all at once":   {When{Queue: "io", Opcode: number[uint8](2), NSID: number[uint32](1), LBAFrom: number[uint64](1)}, []*nvme.Command{read}, []*nvme.Command{smart, flush}},
		"contradiction": {When{Queue: "io", LogID: number[uint8](2)}, nil, []*nvme.Command{read, smart}},
	} {
		for expected, cmds := range map[bool][]*nvme.Command{true: tc.yes, false: tc.no} {
			for _, cmd := range cmds {
				if got := tc.when.about(cmd, 512); got != expected {
					t.Errorf("%s is about %s %02Xh: %v, want %v", name, cmd.Queue, cmd.Opcode, got, expected)
				}
			}
		}
	}
}

// TestFaultsRepeat checks that the same commands meet the same faults.
func TestFaultsRepeat(t *testing.T) {
	run := func() string {
		d := faulty(t, `{"when":{"queue":"io","opcode":2,"after_count":3},"do":"corrupt","times":4}
			{"when":{"queue":"io","opcode":2,"after_count":2},"do":"status","status":6,"times":2}`)
		seen := ""
		for range 10 {
			cmd := ioCmd(nvme.IORead, 1, 0, 1, 512)
			seen += fmt.Sprintf("%v %x\n", submit(t, d, cmd).Status, cmd.Data)
		}
		return seen
	}
	if first, second := run(), run(); first != second {
		t.Errorf("two runs differ:\n%s\n%s", first, second)
	}
}
