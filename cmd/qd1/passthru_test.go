package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// fileOf writes a file of n bytes and returns its name.
func fileOf(t *testing.T, n int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(name, make([]byte, n), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPassthruCommand reads commands from flags, and refuses lengths and directions
// that do not fit.
func TestPassthruCommand(t *testing.T) {
	file := fileOf(t, 512)
	tests := []struct {
		name string
		args string
		want nvme.Command // But for its data.
		data int
		meta int
		err  string
	}{
		{"every field", "--opcode 0x02 --namespace-id 0xffffffff --cdw2 2 --cdw3 3 --cdw10 10 --cdw11 11 --cdw12 12 --cdw13 13 --cdw14 14 --cdw15 0xf --data-len 512 --read",
			nvme.Command{Opcode: 2, NSID: 0xFFFFFFFF, CDW2: 2, CDW3: 3, CDW10: 10, CDW11: 11, CDW12: 12, CDW13: 13, CDW14: 14, CDW15: 15}, 512, 0, ""},
		{"metadata", "--opcode 2 --data-len 512 --metadata-len 8", nvme.Command{Opcode: 2}, 512, 8, ""},
		{"data of a file", "--opcode 9 --write --input-file " + file, nvme.Command{Opcode: 9}, 512, 0, ""},
		{"data of a file of this length", "--opcode 9 --data-len 512 --input-file " + file, nvme.Command{Opcode: 9}, 512, 0, ""},
		{"data to a file", "--opcode 6 --data-len 4096 --input-file " + file, nvme.Command{Opcode: 6}, 4096, 0, ""},
		{"no data", "--opcode 0x14 --cdw10 1", nvme.Command{Opcode: 0x14, CDW10: 1}, 0, 0, ""},
		{"no opcode", "--cdw10 1", nvme.Command{}, 0, 0, "needs --opcode"},
		{"opcode too great", "--opcode 0x100", nvme.Command{}, 0, 0, "--opcode 0x100: a number from 0 to 0xff is needed"},
		{"no number", "--opcode x", nvme.Command{}, 0, 0, "--opcode x"},
		{"dword too great", "--opcode 2 --cdw10 0x100000000", nvme.Command{}, 0, 0, "0xffffffff is needed"},
		{"flags", "--opcode 2 --flags 1", nvme.Command{}, 0, 0, "the kernel takes 0 only"},
		{"reserved", "--opcode 2 --rsvd 1", nvme.Command{}, 0, 0, "the kernel takes 0 only"},
		{"read of an opcode that writes", "--opcode 1 --read --data-len 512", nvme.Command{}, 0, 0, "bits 1:0 of opcode 01h are 01, and no data come"},
		{"write of an opcode that reads", "--opcode 2 --write --data-len 512", nvme.Command{}, 0, 0, "no data go to the drive"},
		{"data of an opcode without", "--opcode 0x14 --data-len 4", nvme.Command{}, 0, 0, "opcode 14h has no data"},
		{"file of an opcode without", "--opcode 0x14 --input-file " + file, nvme.Command{}, 0, 0, "opcode 14h has no data"},
		{"length without a file", "--opcode 9 --data-len 512", nvme.Command{}, 0, 0, "the data for the drive are needed"},
		{"file of another length", "--opcode 9 --data-len 4096 --input-file " + file, nvme.Command{}, 0, 0, "has 512 bytes"},
		{"no such file", "--opcode 9 --input-file /nowhere", nvme.Command{}, 0, 0, "/nowhere"},
		{"file without a length", "--opcode 6 --input-file " + file, nvme.Command{}, 0, 0, "not known without --data-len"},
		{"too long", "--opcode 6 --data-len 0x10000000", nvme.Command{}, 0, 0, "at most"},
		{"metadata file without metadata", "--opcode 2 --data-len 512 --metadata " + file, nvme.Command{}, 0, 0, "needs --metadata-len"},
		{"no time", "--opcode 2 --timeout soon", nvme.Command{}, 0, 0, "--timeout soon"},
		{"another format", "--opcode 2 --format html", nvme.Command{}, 0, 0, "--format html"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, _, _ := invocationOf(t, adminPassthruCommand(), strings.Fields(tt.args)...)
			p, err := in.newPassthru(nvme.AdminQueue)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := *p.cmd
			if len(got.Data) != tt.data || len(got.Metadata) != tt.meta {
				t.Errorf("%d and %d bytes, want %d and %d", len(got.Data), len(got.Metadata), tt.data, tt.meta)
			}
			got.Data, got.Metadata = nil, nil
			if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", tt.want); g != w {
				t.Errorf("%s, want %s", g, w)
			}
		})
	}
}

func TestMilliseconds(t *testing.T) {
	for text, want := range map[string]time.Duration{"5000": 5 * time.Second, "10s": 10 * time.Second, "1": time.Millisecond, "0": 0, "-1": 0, "25h": 0, "x": 0} {
		in, _, _ := invocationOf(t, adminPassthruCommand(), "--timeout", text)
		if got, err := in.milliseconds("timeout"); got != want && err == nil || (err != nil) != (want == 0) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}

// passOn sends a command that changes something to a recorded drive.
func passOn(t *testing.T, g *guarded, c command, queue nvme.Queue, args ...string) (string, error) {
	t.Helper()
	in, out, _ := invocationOf(t, c, args...)
	p, err := in.newPassthru(queue)
	if err != nil {
		return "", err
	}
	if p.effect.Access == nvme.Reads {
		t.Fatalf("%v only reads", args)
	}
	a, err := in.agreementOf(in.arg(0))
	if err != nil {
		return "", err
	}
	accepted := in.StringSlice("accept")
	if err := checkAccepted(p.cmd, accepted); err != nil {
		return "", err
	}
	err = p.changeOn(t.Context(), g, a, accepted)
	return out.String(), err
}

// TestPassthruRefused holds for each command that changes a drive, or may, that
// without consent nothing but reading reaches it, and that what belongs to the
// host's driver is refused with all of it.
func TestPassthruRefused(t *testing.T) {
	tests := []struct {
		name   string
		queue  nvme.Queue
		args   string
		agreed bool
		says   string
	}{
		{"format", nvme.AdminQueue, "--opcode 0x80 --namespace-id 1", false, "nobody agreed"},
		{"sanitize", nvme.AdminQueue, "--opcode 0x84 --cdw10 2", false, "nobody agreed"},
		{"security send", nvme.AdminQueue, "--opcode 0x81", false, "nobody agreed"},
		{"firmware commit", nvme.AdminQueue, "--opcode 0x10 --cdw10 9", false, "nobody agreed"},
		{"self-test", nvme.AdminQueue, "--opcode 0x14 --cdw10 1", false, "nobody agreed"},
		{"delete a namespace", nvme.AdminQueue, "--opcode 0x0d --namespace-id 1 --cdw10 1", false, "nobody agreed"},
		{"a reserved opcode", nvme.AdminQueue, "--opcode 0x30", false, "nobody agreed"},
		{"a reserved opcode that says it reads", nvme.AdminQueue, "--opcode 0x32 --data-len 512", false, "nobody agreed"},
		{"a vendor's opcode", nvme.AdminQueue, "--opcode 0xc2 --data-len 512", false, "nobody agreed"},
		{"write", nvme.IOQueue, "--opcode 1 --namespace-id 1", false, "nobody agreed"},
		{"write zeroes", nvme.IOQueue, "--opcode 8 --namespace-id 1", false, "nobody agreed"},
		{"deallocate", nvme.IOQueue, "--opcode 9 --namespace-id 1 --cdw11 4", false, "nobody agreed"},
		{"flush", nvme.IOQueue, "--opcode 0 --namespace-id 1", false, "nobody agreed"},
		{"a vendor's I/O opcode", nvme.IOQueue, "--opcode 0x82 --namespace-id 1 --data-len 512", false, "nobody agreed"},
		{"write protection", nvme.AdminQueue, "--opcode 9 --cdw10 0x84 --cdw11 1 --namespace-id 1", true, "every write fails"},
		{"delete a queue", nvme.AdminQueue, "--opcode 0 --accept driver-queues", true, "belong to the host's driver"},
		{"create a queue", nvme.AdminQueue, "--opcode 5 --accept driver-queues", true, "belong to the host's driver"},
		{"doorbells", nvme.AdminQueue, "--opcode 0x7c --accept driver-queues", true, "belong to the host's driver"},
		{"an event", nvme.AdminQueue, "--opcode 0x0c --accept driver-events", true, "would not return"},
		{"fabrics", nvme.AdminQueue, "--opcode 0x7f --accept driver-connection", true, "changes the connection"},
		{"number of queues", nvme.AdminQueue, "--opcode 9 --cdw10 7 --accept queues", true, "agreed on once"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, r := recordedDrive(t, "nand-modern", nil)
			args := strings.Fields(tt.args)
			if tt.agreed {
				args = agreed(args...)
			}
			_, err := passOn(t, g, passthruCommand("x", tt.queue), tt.queue, append(args, modernSerialNumber)...)
			if err == nil {
				t.Fatal("no error")
			}
			if x := exitOf(t.Context(), err); x.status != exitRefused || !strings.Contains(x.Error(), tt.says) {
				t.Errorf("status %d, %q; want %d, %q", x.status, x.Error(), exitRefused, tt.says)
			}
			if sent := r.changes(); len(sent) > 0 {
				t.Errorf("sent: %+v", sent)
			}
		})
	}
}

// TestPassthruSends sends commands of each kind with consent.
func TestPassthruSends(t *testing.T) {
	file := fileOf(t, 512)
	tests := []struct {
		name  string
		queue nvme.Queue
		args  string
		want  nvme.Command
		fails bool
	}{
		{"self-test", nvme.AdminQueue, "--opcode 0x14 --cdw10 1 --namespace-id 0xffffffff", nvme.Command{Opcode: 0x14, NSID: 0xFFFFFFFF, CDW10: 1}, false},
		{"format", nvme.AdminQueue, "--opcode 0x80 --namespace-id 1", nvme.Command{Opcode: 0x80, NSID: 1}, false},
		{"set features", nvme.AdminQueue, "--opcode 9 --cdw10 4 --cdw11 340", nvme.Command{Opcode: 9, CDW10: 4, CDW11: 340}, false},
		{"a vendor's opcode", nvme.AdminQueue, "--opcode 0xc0", nvme.Command{Opcode: 0xC0}, true},
		{"write", nvme.IOQueue, "--opcode 1 --namespace-id 1 --input-file " + file, nvme.Command{Queue: nvme.IOQueue, Opcode: 1, NSID: 1}, false},
		{"flush", nvme.IOQueue, "--opcode 0 --namespace-id 1", nvme.Command{Queue: nvme.IOQueue, NSID: 1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, r := recordedDrive(t, "nand-modern?speed=100000", nil)
			args := agreed(append(strings.Fields(tt.args), "--format", "json", modernSerialNumber)...)
			out, err := passOn(t, g, passthruCommand("x", tt.queue), tt.queue, args...)
			if (err != nil) != tt.fails {
				t.Fatal(err)
			}
			if sent := r.changes(); len(sent) != 1 || sent[0].Opcode != tt.want.Opcode || sent[0].NSID != tt.want.NSID || sent[0].CDW10 != tt.want.CDW10 || sent[0].CDW11 != tt.want.CDW11 {
				t.Errorf("sent %+v, want %+v", sent, tt.want)
			}
			var v map[string]any
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Fatal(err)
			}
			if latency, _ := valueAt(v, "latency_us").(float64); latency <= 0 || valueAt(v, "sent") != true || valueAt(v, "status.sc") == nil {
				t.Errorf("latency %v, sent %v, status %v", latency, valueAt(v, "sent"), valueAt(v, "status"))
			}
		})
	}
}

// TestPassthruMetadata holds that a command that changes a drive carries no
// metadata, and says so.
func TestPassthruMetadata(t *testing.T) {
	in, _, _ := invocationOf(t, ioPassthruCommand(), "--opcode", "1", "--namespace-id", "1", "--input-file", fileOf(t, 512), "--metadata-len", "8", modernSerialNumber)
	p, err := in.newPassthru(nvme.IOQueue)
	if err != nil {
		t.Fatal(err)
	}
	if x := exitOf(t.Context(), p.change(t.Context())); x.status != exitRefused || !strings.Contains(x.Error(), "with metadata") {
		t.Errorf("%d, %v", x.status, x)
	}
}

// TestOnlyReads holds that the way of the commands that only read lets no other
// through.
func TestOnlyReads(t *testing.T) {
	for opcode := range 256 {
		for _, queue := range []nvme.Queue{nvme.AdminQueue, nvme.IOQueue} {
			reached := false
			dev := onlyReads(nvme.PassthruFunc(func(context.Context, *nvme.Command) (nvme.Completion, error) {
				reached = true
				return nvme.Completion{}, nil
			}))
			c := &nvme.Command{Queue: queue, Opcode: uint8(opcode), NSID: 1}
			_, err := dev.Submit(t.Context(), c)
			reads := nvme.EffectOf(c, nil).Access == nvme.Reads
			if reached != reads || (err == nil) != reads || err != nil && !errors.Is(err, nvme.ErrWouldModify) {
				t.Errorf("%v %02Xh: reached %t, %v; it reads: %t", queue, opcode, reached, err, reads)
			}
		}
	}
}

func TestFirstNamespace(t *testing.T) {
	host := &sysfs.Controller{Namespaces: []sysfs.Namespace{{NSID: 3}, {NSID: 4}}}
	for want, d := range map[nvme.NSID]*report.Drive{1: {}, 3: {Host: host}, 4: {Host: host, NSID: 4}} {
		if got := firstNamespace(d); got != want {
			t.Errorf("namespace %d, want %d", got, want)
		}
	}
}

// TestDryOutcome holds that a dry run judges the flags of an agreement, and
// tells without them what would be asked.
func TestDryOutcome(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want int
	}{
		{"no agreement", nil, exitDone},
		{"an agreement", agreed(), exitDone},
		{"an agreement to another drive", []string{"--yes", "--expect-model", "X", "--expect-bytes", "1"}, exitRefused},
	}
	for _, tt := range tests {
		g, r := recordedDrive(t, "nand-modern", nil)
		args := append(append([]string{"--opcode", "0x80", "--namespace-id", "1", "--dry-run", "--format", "json"}, tt.args...), modernSerialNumber)
		out, err := passOn(t, g, adminPassthruCommand(), nvme.AdminQueue, args...)
		status := exitDone
		if err != nil {
			status = exitOf(t.Context(), err).status
		}
		if status != tt.want {
			t.Errorf("%s: status %d, want %d: %v", tt.name, status, tt.want, err)
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			t.Fatal(err)
		}
		if valueAt(v, "sent") != false || valueAt(v, "status") != nil || valueAt(v, "phrase") != "SEND QD1 SIMULATED NVMe 2.0 1TB RN0001" {
			t.Errorf("%s: sent %v, status %v, phrase %v", tt.name, valueAt(v, "sent"), valueAt(v, "status"), valueAt(v, "phrase"))
		}
		if sent := r.changes(); len(sent) > 0 {
			t.Errorf("%s: sent %+v", tt.name, sent)
		}
	}
}

// TestDeviceOfNamespace holds that an I/O command that reads has a namespace, and
// that a drive that is not real carries it itself.
func TestDeviceOfNamespace(t *testing.T) {
	dev := nvme.PassthruFunc(func(context.Context, *nvme.Command) (nvme.Completion, error) { return nvme.Completion{}, nil })
	d := &report.Drive{Passthru: dev, Host: &sysfs.Controller{Name: "nvme0", Namespaces: []sysfs.Namespace{{NSID: 3}}}}
	for _, tt := range []struct {
		c    nvme.Command
		want nvme.NSID
	}{
		{nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead}, 3},
		{nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: 9}, 9},
		{nvme.Command{Opcode: nvme.AdminIdentify}, 0},
	} {
		p := &passing{cmd: &tt.c}
		got, done, err := p.device(d)
		if err != nil || got == nil || p.cmd.NSID != tt.want {
			t.Errorf("%+v: namespace %d, %v; want %d", tt.c, p.cmd.NSID, err, tt.want)
			continue
		}
		done()
	}
}
