package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// invocationOf is a command with its flags, by their long names, as the library
// gives it.
func invocationOf(t *testing.T, c command, args ...string) (in *invocation, stdout, stderr *bytes.Buffer) {
	t.Helper()
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	e := &env{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr}
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	for _, f := range c.flags {
		if err := f.Apply(set); err != nil {
			t.Fatal(err)
		}
	}
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	ctx := cli.NewContext(e.app(), set, nil)
	ctx.Context = t.Context()
	return &invocation{Context: ctx, env: e, name: "qd1 " + c.name}, stdout, stderr
}

// commandRecorder keeps the commands that reach a drive, by whatever way.
type commandRecorder struct {
	mu   sync.Mutex
	seen []nvme.Command
}

func (r *commandRecorder) over(p nvme.Passthru) nvme.Passthru {
	return nvme.PassthruFunc(func(ctx context.Context, c *nvme.Command) (nvme.Completion, error) {
		r.mu.Lock()
		r.seen = append(r.seen, *c)
		r.mu.Unlock()
		return p.Submit(ctx, c)
	})
}

// changes are those of the commands that do not only read.
func (r *commandRecorder) changes() []nvme.Command {
	var list []nvme.Command
	for _, c := range r.seen {
		if nvme.EffectOf(&c, nil).Access != nvme.Reads {
			list = append(list, c)
		}
	}
	return list
}

// recordedHost is the computer of a simulated drive, whose claims are recorded too.
type recordedHost struct {
	simHost
	r *commandRecorder
}

func (h recordedHost) Claim(device string) (guard.Claim, error) {
	c, err := h.simHost.Claim(device)
	return recordedClaim{c, h.r.over(c)}, err
}

type recordedClaim struct {
	guard.Claim
	p nvme.Passthru
}

func (c recordedClaim) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	return c.p.Submit(ctx, cmd)
}

// recordedDrive is a simulated drive that the guard takes for one of this computer,
// so that nothing is agreed to by its name.
func recordedDrive(t *testing.T, profile string, write []byte) (*guarded, *commandRecorder) {
	t.Helper()
	s, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	if write != nil {
		if _, err := s.WriteAt(write, 0); err != nil {
			t.Fatal(err)
		}
	}
	g, err := openGuarded("sim:"+profile, "")
	if err != nil {
		t.Fatal(err)
	}
	g.Close()
	root := sysfs.Map(s.Sysfs())
	host, err := sysfs.Read(root, "nvme0")
	if err != nil {
		t.Fatal(err)
	}
	r := &commandRecorder{}
	g.Drive.Passthru, g.Drive.Host, g.Close = r.over(s), host, s.Close
	g.host, g.inProcess = recordedHost{simHost{root: root, host: host, drive: s}, r}, false
	t.Cleanup(func() { g.Close() })
	return g, r
}

// What a script gives to agree, for the modern drive.
const (
	modernSerialNumber = "QD1SIMNANDMODERN0001"
	modernModelNumber  = "QD1 SIMULATED NVMe 2.0 1TB"
)

func agreed(more ...string) []string {
	return append([]string{"--yes", "--expect-model", modernModelNumber, "--expect-bytes", "800163909632"}, more...)
}

// setOn runs feature set on a recorded drive.
func setOn(t *testing.T, g *guarded, args ...string) (stdout string, err error) {
	t.Helper()
	in, out, _ := invocationOf(t, featureSetCommand(), args...)
	fid, serial, _, err := in.featureAndDrive()
	if err != nil {
		return "", err
	}
	c, err := in.newChange(fid)
	if err != nil {
		return "", err
	}
	a, err := in.agreementOf(serial)
	if err != nil {
		return "", err
	}
	accepted := in.StringSlice("accept")
	if err := checkAccepted(c.setting.Command(), accepted); err != nil {
		return "", err
	}
	w := &featureWork{in: in, change: c, format: in.String("format"), agreement: a}
	err = w.run(t.Context(), g, readLimit, accepted)
	return out.String(), err
}

// TestFeatureSetRefused holds for each refusal that nothing but reading reached the
// drive.
func TestFeatureSetRefused(t *testing.T) {
	protect := []string{"--value", "1", "write-protect", modernSerialNumber}
	tests := []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"nobody agreed", []string{"--value", "340", "temp-thresh", modernSerialNumber}, exitRefused, "nobody agreed"},
		{"another model", []string{"--yes", "--expect-model", "X", "--expect-bytes", "800163909632", "--value", "340", "temp-thresh", modernSerialNumber}, exitRefused, "the model number is"},
		{"another size", []string{"--yes", "--expect-model", modernModelNumber, "--expect-bytes", "1", "--value", "340", "temp-thresh", modernSerialNumber}, exitRefused, "were expected"},
		{"the end of the serial", agreed("--value", "340", "temp-thresh", "MODERN0001"), exitRefused, "only the end"},
		{"a node", agreed("--value", "340", "temp-thresh", "/dev/nvme0"), exitRefused, "name of a node"},
		{"another serial", agreed("--value", "340", "temp-thresh", "OTHER"), exitRefused, "is not the serial number"},
		{"write protection", agreed(protect...), exitRefused, "every write fails"},
		{"write protection, another one accepted", agreed(append([]string{"--accept", "write-protect-permanently"}, protect...)...), exitUsage, "no such risk, but write-protect"},
		{"write protection for ever", agreed("--value", "3", "write-protect", modernSerialNumber), exitRefused, "never be written or erased again"},
		{"queues", agreed("--value", "1", "num-queues", modernSerialNumber), exitRefused, "agreed on once"},
		{"queues, accepted", agreed("--accept", "queues", "--value", "1", "num-queues", modernSerialNumber), exitRefused, "agreed on once"},
		{"events", agreed("--value", "0", "async-event", modernSerialNumber), exitRefused, "the kernel chose the events"},
		{"cache", agreed("--value", "1", "volatile-wc", modernSerialNumber), exitRefused, "never flushed"},
		{"error recovery", agreed("--value", "0x10000", "err-recovery", modernSerialNumber), exitRefused, "DULBE"},
		{"host behavior that the drive does not list", agreed("--accept", "host-behavior", "--data", "-", "host-behavior", modernSerialNumber), exitUsage, "is empty"},
		{"sanitize config that the drive does not list", agreed("--accept", "sanitize-config", "--value", "1", "sanitize", modernSerialNumber), exitFailed, "is not asked for"},
		{"sanitize config", agreed("--force", "--value", "1", "sanitize", modernSerialNumber), exitRefused, "whether a later sanitize fails"},
		{"host memory", agreed("--force", "--accept", "host-memory", "--value", "1", "host-mem-buf", modernSerialNumber), exitRefused, "memory of the host"},
		{"host memory off", agreed("--force", "--value", "0", "host-mem-buf", modernSerialNumber), exitRefused, "slower until it is reset"},
		{"data queue", agreed("--force", "--accept", "data-queue", "--value", "1", "ctrl-data-queue", modernSerialNumber), exitRefused, "belongs to the host's driver"},
		{"a vendor's feature", []string{"--force", "--value", "1", "0xC1", modernSerialNumber}, exitRefused, "nobody agreed"},
		{"saving what is not saveable", agreed("--save", "--cdw12", "4", "rrl", modernSerialNumber), exitUsage, "not saveable"},
		{"no value", agreed("temp-thresh", modernSerialNumber), exitUsage, "needs a value"},
		{"no drive", agreed("--value", "1", "temp-thresh"), exitUsage, "full serial number"},
		{"no data", agreed("--value", "1", "auto-pst", modernSerialNumber), exitUsage, "256 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, r := recordedDrive(t, "nand-modern?size=1048576", nil)
			_, err := setOn(t, g, tt.args...)
			if err == nil {
				t.Fatal("no error")
			}
			if x := exitOf(t.Context(), err); x.status != tt.status || !strings.Contains(x.Error(), tt.says) {
				t.Errorf("status %d, %q; want %d, %q", x.status, x.Error(), tt.status, tt.says)
			}
			if sent := r.changes(); len(sent) > 0 {
				t.Errorf("sent: %+v", sent)
			}
		})
	}
}

// TestFeatureSetDestroys holds that a vendor's feature, of which nothing is known,
// takes consent to what lies on the drive.
func TestFeatureSetDestroys(t *testing.T) {
	g, r := recordedDrive(t, "nand-modern?size=1048576", bootSector())
	args := []string{"--force", "--yes", "--expect-model", modernModelNumber, "--expect-bytes", "1048576", "--value", "1", "0xC1", modernSerialNumber}
	_, err := setOn(t, g, args...)
	if x := exitOf(t.Context(), err); x.status != exitRefused || !strings.Contains(x.Error(), "has MBR") {
		t.Fatalf("without consent: %v", err)
	}
	if sent := r.changes(); len(sent) > 0 {
		t.Fatalf("sent: %+v", sent)
	}
	_, err = setOn(t, g, append([]string{"--destroy-signature", "mbr"}, args...)...)
	if x := exitOf(t.Context(), err); err == nil || x.status != exitFailed || !strings.Contains(x.Error(), "Invalid Field") {
		t.Errorf("with consent: %v, want the drive's refusal", err)
	}
	if sent := r.changes(); len(sent) != 1 || sent[0].CDW10 != 0xC1 {
		t.Errorf("sent: %+v, want the one command", sent)
	}
}

// TestFeatureSet sets features of each kind, and compares what was sent.
func TestFeatureSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	apst := make([]byte, 256)
	copy(apst, []byte{3 << 3, 100, 0, 0})
	if err := os.WriteFile(file, apst, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		sent nvme.Command
		want map[string]any
	}{
		{"threshold", []string{"--value", "0x154", "temp-thresh"}, nvme.Command{CDW10: 4, CDW11: 0x154}, map[string]any{"before.value": 356.0, "after.value": 340.0, "failed": false}},
		{"threshold of a sensor", []string{"--value", "0x20152", "temp-thresh"}, nvme.Command{CDW10: 4, CDW11: 0x20152}, map[string]any{"after.value": 338.0, "after.cdw11": float64(0x20000), "failed": false}},
		{"saved", []string{"--save", "--value", "1", "power-mgmt"}, nvme.Command{CDW10: 0x8000_0002, CDW11: 1}, map[string]any{"after.fields.ps": 1.0, "outcome": "set, and saved"}},
		{"data", []string{"--value", "1", "--data", file, "auto-pst"}, nvme.Command{CDW10: 0xC, CDW11: 1}, map[string]any{"after.words": "enabled, PS 0 to PS 3 after 100 ms", "failed": false}},
		{"dword 12", []string{"--cdw12", "15", "rrl"}, nvme.Command{CDW10: 0x12, CDW12: 15}, map[string]any{"after.fields.rrl": 15.0, "failed": false}},
		{"of a namespace", []string{"--accept", "write-protect", "--value", "1", "write-protect"}, nvme.Command{NSID: 1, CDW10: 0x84, CDW11: 1}, map[string]any{"after.fields.wps_text": "write protect", "command.nsid": 1.0}},
		{"cache off", []string{"--value", "0", "6"}, nvme.Command{CDW10: 6}, map[string]any{"after.fields.wce": false, "before.fields.wce": true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, r := recordedDrive(t, "nand-modern", nil)
			out, err := setOn(t, g, agreed(append(append([]string{"--format", "json"}, tt.args...), modernSerialNumber)...)...)
			if err != nil {
				t.Fatal(err)
			}
			checkSent(t, r, tt.sent)
			var v map[string]any
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Fatal(err)
			}
			for path, want := range tt.want {
				if got := valueAt(v, path); got != want {
					t.Errorf("%s: %v, want %v", path, got, want)
				}
			}
		})
	}
}

// checkSent compares the only command that changes something.
func checkSent(t *testing.T, r *commandRecorder, want nvme.Command) {
	t.Helper()
	sent := r.changes()
	if len(sent) != 1 {
		t.Fatalf("%d commands were sent: %+v", len(sent), sent)
	}
	got := sent[0]
	if want.Opcode == 0 {
		want.Opcode = nvme.AdminSetFeatures
	}
	got.Data = nil
	if got.Queue != want.Queue || got.Opcode != want.Opcode || got.NSID != want.NSID || got.CDW10 != want.CDW10 || got.CDW11 != want.CDW11 || got.CDW12 != want.CDW12 {
		t.Errorf("sent %+v, want %+v", got, want)
	}
}

// valueAt returns the value at a path of keys.
func valueAt(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// TestFeatureSetTold holds that a drive that says success and does something else
// is not believed.
func TestFeatureSetTold(t *testing.T) {
	g, _ := recordedDrive(t, "nand-modern", nil)
	w := &featureWork{change: &change{setting: nvme.FeatureSetting{FID: nvme.FIDVolatileWriteCache, CDW11: 0}, table: spec.FeatureByName("volatile-wc"),
		query: report.FeatureQuery{FID: nvme.FIDVolatileWriteCache}}, in: &invocation{}}
	if err := w.look(t.Context(), g, readLimit); err != nil {
		t.Fatal(err)
	}
	if w.after = w.before; w.after.Value == nil || *w.after.Value != 1 {
		t.Fatalf("before: %+v", w.before)
	}
	if w.judge(nvme.StatusSuccess); !w.failed || !strings.Contains(w.outcome, "WCE is enabled and not disabled") {
		t.Errorf("failed %t: %s", w.failed, w.outcome)
	}
	if w.judge(nvme.StatusInvalidField); !w.failed || !strings.Contains(w.outcome, "refused") {
		t.Errorf("failed %t: %s", w.failed, w.outcome)
	}
}
