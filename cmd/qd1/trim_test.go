package main

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/nvme"
)

// trimOn runs trim on a recorded drive.
func trimOn(ctx context.Context, t *testing.T, g *guarded, args ...string) (map[string]any, error) {
	t.Helper()
	in, out, _ := invocationOf(t, trimCommand(), append(args, "--format", "json", modernSerialNumber)...)
	in.env.now = time.Now
	w := &trimWork{in: in, format: "json"}
	var err error
	if w.request, err = in.trimRequest(); err != nil {
		return nil, err
	}
	if w.timeout, err = in.timeout(); err != nil {
		return nil, err
	}
	if w.agreement, err = in.agreementOf(in.arg(0)); err != nil {
		return nil, err
	}
	err = w.run(ctx, g)
	return asObject(t, out.Bytes()), err
}

// TestTrimRefused holds for each kind of refusal that nothing reaches the drive but
// reading.
func TestTrimRefused(t *testing.T) {
	tests := []struct {
		name    string
		profile string
		args    []string
		change  func(*guarded)
		boot    bool
		says    string
	}{
		{"nobody agreed", "nand-modern", nil, nil, false, "nobody agreed"},
		{"another model", "nand-modern", []string{"--yes", "--expect-model", "X", "--expect-bytes", "800163909632"}, nil, false, "the model number is"},
		{"another size", "nand-modern", []string{"--yes", "--expect-model", modernModelNumber, "--expect-bytes", "1"}, nil, false, "were expected"},
		{"in use", "nand-modern", agreed(), inUse, false, "/srv"},
		{"something lies on it", "nand-modern", agreed(), nil, true, "MBR"},
		{"a range, and something lies elsewhere", "nand-modern", agreed("--start", "1GiB", "--length", "1MiB"), nil, true, "MBR"},
		{"no Dataset Management", "nand-modern", agreed(), func(g *guarded) {
			editIdentify(g, func(page []byte) { page[520] &^= 4 })
		}, false, "ONCS bit 2"},
		{"no such namespace", "nand-modern", agreed("--namespace-id", "7"), nil, false, "namespace 7 is not one that is attached"},
		{"another serial number", "optane-905p", agreed(), nil, false, "is not the serial number of the drive"},
		{"write protected", "nand-modern", agreed(), func(g *guarded) { protectNamespace(g) }, false, "write protected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var boot []byte
			if tt.boot {
				boot = bootSector()
			}
			g, r := recordedDrive(t, tt.profile, boot)
			if tt.change != nil {
				tt.change(g)
			}
			_, err := trimOn(t.Context(), t, g, tt.args...)
			if err == nil {
				t.Fatal("no error")
			}
			if x := exitOf(t.Context(), err); x.status != exitRefused || !strings.Contains(x.Error(), tt.says) || !strings.Contains(x.Error(), "Nothing was sent") {
				t.Errorf("status %d, %q; want %d, %q", x.status, x.Error(), exitRefused, tt.says)
			}
			if sent := r.changes(); len(sent) > 0 {
				t.Errorf("sent: %+v", sent)
			}
		})
	}
}

// protectNamespace makes a drive say that its namespaces are write protected.
func protectNamespace(g *guarded) {
	behind := g.Drive.Passthru
	g.Drive.Passthru = nvme.PassthruFunc(func(ctx context.Context, c *nvme.Command) (nvme.Completion, error) {
		done, err := behind.Submit(ctx, c)
		if c.Opcode == nvme.AdminIdentify && nvme.CNS(c.CDW10) == nvme.CNSNamespace {
			c.Data[99] |= 1
		}
		return done, err
	})
}

// TestTrim deallocates a namespace and a range, and tells what the samples read as.
func TestTrim(t *testing.T) {
	g, r := recordedDrive(t, "nand-modern", nil)
	v, err := trimOn(t.Context(), t, g, agreed("--start", "1GiB", "--length", "1MiB")...)
	if err != nil {
		t.Fatal(err)
	}
	sent := r.changes()
	if len(sent) != 1 || sent[0].Opcode != 9 || sent[0].CDW11 != 4 || sent[0].CDW10 != 0 || binary.LittleEndian.Uint64(sent[0].Data[8:]) != 1<<21 || binary.LittleEndian.Uint32(sent[0].Data[4:]) != 2048 {
		t.Errorf("sent %+v", sent)
	}
	for key, want := range map[string]any{
		"schema": "qd1.trim/1", "erase": false, "result": resultDone, "commands_sent": 1.0, "sent_bytes": 1048576.0, "samples.count": 64.0, "samples.zero": 64.0,
		"trim.first_lba": 2097152.0, "trim.promise.reads": "zeroes", "trim.whole_namespace": false,
	} {
		if got := valueAt(v, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if v, err = trimOn(t.Context(), t, g, agreed()...); err != nil || valueAt(v, "trim.whole_namespace") != true || v["sent_bytes"] != 800163909632.0 || v["commands_sent"] != valueAt(v, "trim.commands") {
		t.Errorf("whole namespace: %v, %v", v, err)
	}
	most := valueAt(v, "trim.limits.ranges").(float64)
	for _, c := range r.changes()[1:] {
		if n := float64(c.CDW10 + 1); n > most || n < 2 || len(c.Data) != int(n)*16 {
			t.Errorf("a command of %v ranges in %d bytes, want more than one and at most %v", n, len(c.Data), most)
		}
	}
}

// TestTrimInterrupted ends between two commands, and tells how far it came.
func TestTrimInterrupted(t *testing.T) {
	g, r := recordedDrive(t, "nand-modern", nil)
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	g.host = tappedHost{g.host, func(*nvme.Command) (*nvme.Completion, error) {
		if count++; count == 2 {
			cancel()
		}
		return nil, nil
	}}
	v, err := trimOn(ctx, t, g, agreed()...)
	if err == nil || exitOf(ctx, err).status != exitInterrupted || !strings.Contains(err.Error(), "interrupted between two commands") {
		t.Fatalf("%v", err)
	}
	if len(r.changes()) != 2 || v["commands_sent"] != 2.0 || v["result"] != resultInterrupted || v["sent_bytes"] != float64(2*64<<30) {
		t.Errorf("%d commands, %v, %v, %v", len(r.changes()), v["commands_sent"], v["result"], v["sent_bytes"])
	}
}

// claimingHost is a computer where Ctrl-C comes when a device is claimed.
type claimingHost struct {
	guard.Host
	interrupt func()
}

func (h claimingHost) Claim(device string) (guard.Claim, error) {
	h.interrupt()
	return h.Host.Claim(device)
}

// TestTrimInterruptedBefore holds that Ctrl-C before the first command sends
// nothing.
func TestTrimInterruptedBefore(t *testing.T) {
	g, r := recordedDrive(t, "nand-modern", nil)
	ctx, cancel := context.WithCancel(t.Context())
	g.host = claimingHost{g.host, cancel}
	_, err := trimOn(ctx, t, g, agreed()...)
	if err == nil || exitOf(ctx, err).status != exitInterrupted {
		t.Errorf("%v", err)
	}
	if sent := r.changes(); len(sent) > 0 {
		t.Errorf("sent: %+v", sent)
	}
	if x := exitOf(t.Context(), unsent(context.Canceled)); x.status != exitInterrupted || !strings.Contains(x.Error(), "nothing was sent") {
		t.Errorf("%d, %v", x.status, x)
	}
}

// TestTrimFails tells a drive that refuses, one that is silent and a host that
// fails from each other.
func TestTrimFails(t *testing.T) {
	gone := errors.New("gone")
	tests := []struct {
		name   string
		answer nvme.Status
		err    error
		at     int
		status int
		says   string
		shown  bool
	}{
		{"the first is refused", nvme.StatusNamespaceWriteProtected, nil, 1, exitFailed, "the drive refused command 1 of", true},
		{"the third is refused", nvme.StatusLBAOutOfRange, nil, 3, exitFailed, "137438953472 of 800163909632 bytes were deallocated before", true},
		{"silent", 0, context.DeadlineExceeded, 2, exitWorking, "command 2 of", true},
		{"the host fails", 0, gone, 2, exitFailed, "gone", true},
		{"the host fails at once", 0, gone, 1, exitFailed, "gone", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, _ := recordedDrive(t, "nand-modern", nil)
			count := 0
			g.host = tappedHost{g.host, func(*nvme.Command) (*nvme.Completion, error) {
				switch count++; {
				case count < tt.at:
					return nil, nil
				case tt.err != nil:
					return nil, tt.err
				}
				return &nvme.Completion{Status: tt.answer}, nil
			}}
			v, err := trimOn(t.Context(), t, g, agreed()...)
			if err == nil || exitOf(t.Context(), err).status != tt.status || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want status %d, %q", err, tt.status, tt.says)
			}
			if tt.shown != (v["result"] == resultFailed) || tt.shown && v["commands_sent"] != float64(tt.at-1) {
				t.Errorf("result %v, %v commands", v["result"], v["commands_sent"])
			}
		})
	}
}

// TestTrimDryRun sends nothing, and judges the flags of an agreement.
func TestTrimDryRun(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want int
	}{{nil, exitDone}, {agreed(), exitDone}, {[]string{"--yes", "--expect-model", "X", "--expect-bytes", "1"}, exitRefused}} {
		g, r := recordedDrive(t, "nand-modern", nil)
		v, err := trimOn(t.Context(), t, g, append(tt.args, "--dry-run")...)
		status := exitDone
		if err != nil {
			status = exitOf(t.Context(), err).status
		}
		if status != tt.want || v["commands_sent"] != 0.0 || v["samples"] != nil || v["phrase"] != "TRIM QD1 SIMULATED NVMe 2.0 1TB RN0001" {
			t.Errorf("%q: status %d, want %d: %v", tt.args, status, tt.want, v)
		}
		if sent := r.changes(); len(sent) > 0 {
			t.Errorf("%q: sent %+v", tt.args, sent)
		}
	}
}

func TestTrimUsage(t *testing.T) {
	for args, says := range map[string]string{
		"--namespace-id 0xffffffff": "one of one namespace",
		"--namespace-id x":          "--namespace-id x",
		"--start 1":                 "multiples of a logical block",
		"--start 1g":                "1GiB",
		"--start 1PB":               "not within the namespace",
		"--length 0":                "nothing to trim",
		"--length 1PB":              "beyond the namespace",
		"--length x":                "--length x",
		"--timeout never":           "--timeout never",
	} {
		g, r := recordedDrive(t, "nand-modern", nil)
		_, err := trimOn(t.Context(), t, g, strings.Fields(args)...)
		if err == nil || exitOf(t.Context(), err).status != exitUsage || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", args, err, says)
		}
		if len(r.changes()) > 0 {
			t.Errorf("%s: something was sent", args)
		}
	}
	g, _ := recordedDrive(t, "nand-modern?namespaces=2", nil)
	if _, err := trimOn(t.Context(), t, g); err == nil || !strings.Contains(err.Error(), "namespaces 1, 2: give --namespace-id") {
		t.Errorf("two namespaces: %v", err)
	}
	if _, err := trimOn(t.Context(), t, g, "--namespace-id", "2", "--dry-run"); err != nil {
		t.Errorf("one of two: %v", err)
	}
}
