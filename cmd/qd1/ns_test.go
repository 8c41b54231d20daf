package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/nsjob"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// usedHost is a computer that has a device of the drive mounted.
type usedHost struct{ guard.Host }

func (usedHost) Survey(context.Context, []string) (*inuse.Survey, error) {
	return &inuse.Survey{Uses: []inuse.Use{{Kind: inuse.Mount, Device: "nvme0n1", Name: "/srv"}}}, nil
}

// inUse makes the first namespace of a drive one that is mounted.
func inUse(g *guarded) { g.host = usedHost{g.host} }

// tappedHost is a computer whose claims ask tap before each command that does not
// only read.
type tappedHost struct {
	guard.Host
	tap func(*nvme.Command) (answer *nvme.Completion, err error)
}

func (h tappedHost) Claim(device string) (guard.Claim, error) {
	c, err := h.Host.Claim(device)
	return tappedClaim{c, h.tap}, err
}

type tappedClaim struct {
	guard.Claim
	tap func(*nvme.Command) (*nvme.Completion, error)
}

func (c tappedClaim) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if nvme.EffectOf(cmd, nil).Access != nvme.Reads {
		if answer, err := c.tap(cmd); err != nil || answer != nil {
			if answer == nil {
				answer = &nvme.Completion{}
			}
			return *answer, err
		}
	}
	return c.Claim.Submit(ctx, cmd)
}

// refusing makes a drive refuse what changes it.
func refusing(g *guarded, status nvme.Status) {
	g.host = tappedHost{g.host, func(*nvme.Command) (*nvme.Completion, error) { return &nvme.Completion{Status: status}, nil }}
}

// editIdentify changes what a drive says of itself.
func editIdentify(g *guarded, edit func(page []byte)) {
	behind := g.Drive.Passthru
	g.Drive.Passthru = nvme.PassthruFunc(func(ctx context.Context, c *nvme.Command) (nvme.Completion, error) {
		done, err := behind.Submit(ctx, c)
		if c.Opcode == nvme.AdminIdentify && nvme.CNS(c.CDW10) == nvme.CNSController {
			edit(c.Data)
		}
		return done, err
	})
}

// changeOn runs a command that changes namespaces on a recorded drive.
func changeOn(t *testing.T, g *guarded, action nsjob.Action, args ...string) (map[string]any, error) {
	t.Helper()
	c := map[nsjob.Action]command{nsjob.Create: nsCreateCommand(), nsjob.Attach: nsAttachCommand(), nsjob.Detach: nsDetachCommand(), nsjob.Delete: nsDeleteCommand()}[action]
	in, out, _ := invocationOf(t, c, append(args, "--format", "json", modernSerialNumber)...)
	in.env.now = time.Now
	w := &nsWork{in: in, format: "json"}
	var err error
	if w.planner, err = in.changePlanner(action); err != nil {
		return nil, err
	}
	if w.timeout, err = in.timeout(); err != nil {
		return nil, err
	}
	if w.agreement, err = in.agreementOf(in.arg(0)); err != nil {
		return nil, err
	}
	err = w.run(t.Context(), g)
	return asObject(t, out.Bytes()), err
}

func asObject(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if len(b) > 0 {
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("%v in %s", err, b)
		}
	}
	return v
}

// TestNamespacesRefused holds for each kind of refusal that nothing reaches the
// drive but reading.
func TestNamespacesRefused(t *testing.T) {
	const gib = "1073741824"
	wrongModel := []string{"--yes", "--expect-model", "X", "--expect-bytes", "800163909632"}
	wrongSize := []string{"--yes", "--expect-model", modernModelNumber, "--expect-bytes", "1"}
	tests := []struct {
		name    string
		profile string
		action  nsjob.Action
		args    []string
		change  func(*guarded)
		boot    bool
		says    string
	}{
		{"create, nobody agreed", "nand-modern", nsjob.Create, []string{"--size", gib}, nil, false, "nobody agreed"},
		{"create, another model", "nand-modern", nsjob.Create, append(wrongModel, "--size", gib), nil, false, "the model number is"},
		{"create, another size", "nand-modern", nsjob.Create, append(wrongSize, "--size", gib), nil, false, "were expected"},
		{"create, too much", "nand-modern", nsjob.Create, agreed("--size", "1TB"), nil, false, "0x115"},
		{"create, thin", "nand-modern", nsjob.Create, agreed("--blocks", "100", "--ncap", "50"), nil, false, "0x11b"},
		{"create, no management", "optane-905p", nsjob.Create, agreed("--size", gib), nil, false, "OACS bit 3"},
		{"create, too many", "nand-modern", nsjob.Create, agreed("--size", gib), func(g *guarded) {
			editIdentify(g, func(page []byte) { binary.LittleEndian.PutUint32(page[540:], 1) })
		}, false, "0x116"},
		{"attach, nobody agreed", "nand-modern", nsjob.Attach, []string{"--namespace-id", "1"}, nil, false, "0x118"},
		{"attach what is not there", "nand-modern", nsjob.Attach, agreed("--namespace-id", "2"), nil, false, "no namespace 2"},
		{"attach to another controller", "nand-modern", nsjob.Attach, agreed("--namespace-id", "1", "--controllers", "7"), nil, false, "0x11c"},
		{"detach, nobody agreed", "nand-modern", nsjob.Detach, []string{"--namespace-id", "1"}, nil, false, "nobody agreed"},
		{"detach, in use", "nand-modern", nsjob.Detach, agreed("--namespace-id", "1"), inUse, false, "/srv"},
		{"detach, something lies on it", "nand-modern", nsjob.Detach, agreed("--namespace-id", "1"), nil, true, "MBR"},
		{"detach what is not there", "nand-modern", nsjob.Detach, agreed("--namespace-id", "2"), nil, false, "no namespace 2"},
		{"delete, nobody agreed", "nand-modern", nsjob.Delete, []string{"--namespace-id", "1"}, nil, false, "nobody agreed"},
		{"delete, another model", "nand-modern", nsjob.Delete, append(wrongModel, "--namespace-id", "1"), nil, false, "the model number is"},
		{"delete, another size", "nand-modern", nsjob.Delete, append(wrongSize, "--namespace-id", "1"), nil, false, "were expected"},
		{"delete, in use", "nand-modern", nsjob.Delete, agreed("--namespace-id", "1"), inUse, false, "/srv"},
		{"delete all, one in use", "nand-modern?namespaces=2", nsjob.Delete, agreed("--all-namespaces"), inUse, false, "/srv"},
		{"delete, something lies on it", "nand-modern", nsjob.Delete, agreed("--namespace-id", "1"), nil, true, "MBR"},
		{"delete what is not there", "nand-modern", nsjob.Delete, agreed("--namespace-id", "2"), nil, false, "no namespace 2"},
		{"delete, no management", "optane-905p", nsjob.Delete, agreed("--namespace-id", "1"), nil, false, "OACS bit 3"},
		{"another drive", "nand-modern", nsjob.Delete, agreed("--namespace-id", "1"), func(g *guarded) {
			editIdentify(g, func(page []byte) { copy(page[4:], "ANOTHER") })
		}, false, "serial number"},
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
			v, err := changeOn(t, g, tt.action, tt.args...)
			if err == nil {
				t.Fatal("no error")
			}
			if x := exitOf(t.Context(), err); x.status != exitRefused || !strings.Contains(x.Error(), tt.says) || !strings.Contains(x.Error(), "Nothing was sent") {
				t.Errorf("status %d, %q; want %d, %q", x.status, x.Error(), exitRefused, tt.says)
			}
			if sent := r.changes(); len(sent) > 0 {
				t.Errorf("sent: %+v", sent)
			}
			if v["sent"] != false || v["result"] != resultPlanned || v["schema"] != "qd1.ns/1" {
				t.Errorf("sent %v, result %v", v["sent"], v["result"])
			}
		})
	}
}

// TestNamespacesLife creates, attaches, detaches and deletes with consent.
func TestNamespacesLife(t *testing.T) {
	g, r := recordedDrive(t, "nand-modern", nil)
	steps := []struct {
		action nsjob.Action
		bytes  int64
		args   []string
		says   string
		want   map[string]any
	}{
		{nsjob.Create, 800163909632, []string{"--size", "1GiB", "--block-size", "4096"}, "namespace 2 was created", map[string]any{"created_nsid": 2.0, "create.blocks": 262144.0, "command.data_bytes": 4096.0}},
		{nsjob.Attach, 800163909632 + 1<<30, []string{"--namespace-id", "2"}, "attached", map[string]any{"nsid": 2.0, "command.cdw10": 0.0}},
		{nsjob.Detach, 1 << 30, []string{"--namespace-id", "2"}, "detached", map[string]any{"command.cdw10": 1.0, "command.opcode": 21.0}},
		{nsjob.Delete, 1 << 30, []string{"--namespace-id", "2"}, "deleted", map[string]any{"command.cdw10": 1.0, "command.opcode": 13.0}},
	}
	for i, s := range steps {
		args := append([]string{"--yes", "--expect-model", modernModelNumber, "--expect-bytes", fmt.Sprint(s.bytes)}, s.args...)
		v, err := changeOn(t, g, s.action, args...)
		if err != nil {
			t.Fatalf("%s: %v", s.action, err)
		}
		for key, want := range s.want {
			if got := valueAt(v, key); got != want {
				t.Errorf("%s: %s is %v, want %v", s.action, key, got, want)
			}
		}
		if !strings.Contains(fmt.Sprint(v["outcome"]), s.says) || v["result"] != resultDone || valueAt(v, "status.value") != 0.0 {
			t.Errorf("%s: %v, %v, %v", s.action, v["outcome"], v["result"], v["status"])
		}
		if sent := r.changes(); len(sent) != i+1 {
			t.Errorf("%s: %d commands were sent in all, want %d", s.action, len(sent), i+1)
		}
	}
	v, err := changeOn(t, g, nsjob.Delete, agreed("--all-namespaces")...)
	if err != nil || v["result"] != resultDone {
		t.Fatalf("delete all: %v, %v", v["outcome"], err)
	}
	// A drive without namespaces has no size that could be expected.
	h := g.host.(recordedHost)
	h.root = sysfs.Map(h.drive.Sysfs())
	g.host = h
	v, err = changeOn(t, g, nsjob.Create, "--yes", "--expect-model", modernModelNumber, "--size", "all")
	if err != nil || v["created_nsid"] != 1.0 {
		t.Errorf("create on an empty drive: %v, %v", v["outcome"], err)
	}
}

// TestNamespacesDryRun sends nothing, and judges the flags of an agreement.
func TestNamespacesDryRun(t *testing.T) {
	for _, tt := range []struct {
		name   string
		action nsjob.Action
		args   []string
		want   int
	}{
		{"no agreement", nsjob.Delete, []string{"--namespace-id", "1"}, exitDone},
		{"an agreement", nsjob.Delete, agreed("--namespace-id", "1"), exitDone},
		{"another model", nsjob.Delete, []string{"--namespace-id", "1", "--yes", "--expect-model", "X", "--expect-bytes", "1"}, exitRefused},
		{"what cannot be", nsjob.Create, []string{"--size", "1TB"}, exitRefused},
	} {
		g, r := recordedDrive(t, "nand-modern", nil)
		v, err := changeOn(t, g, tt.action, append(tt.args, "--dry-run")...)
		status := exitDone
		if err != nil {
			status = exitOf(t.Context(), err).status
		}
		if status != tt.want || v["sent"] != false || v["phrase"] == nil {
			t.Errorf("%s: status %d, want %d; sent %v, phrase %v", tt.name, status, tt.want, v["sent"], v["phrase"])
		}
		if sent := r.changes(); len(sent) > 0 {
			t.Errorf("%s: sent %+v", tt.name, sent)
		}
	}
}

// TestNamespacesRefusedByDrive explains what a drive answers.
func TestNamespacesRefusedByDrive(t *testing.T) {
	for status, says := range map[nvme.Status]string{
		nvme.StatusNamespaceInsufficientCapacity: "less unallocated capacity", nvme.StatusNamespaceIdentifierUnavailable: "as many namespaces as it can have",
		nvme.StatusInvalidFormat: "cannot make a namespace with this LBA format", nvme.StatusInternalError: "Internal",
	} {
		g, r := recordedDrive(t, "nand-modern", nil)
		refusing(g, status)
		v, err := changeOn(t, g, nsjob.Create, agreed("--size", "1GiB")...)
		if err == nil || exitOf(t.Context(), err).status != exitFailed || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", status, err, says)
		}
		if valueAt(v, "status.value") != float64(status) || v["result"] != resultFailed || len(r.changes()) != 0 {
			t.Errorf("%v: status %v, result %v", status, v["status"], v["result"])
		}
	}
}

// TestNamespacesLies holds a drive to what it has afterwards.
func TestNamespacesLies(t *testing.T) {
	for _, tt := range []struct {
		name   string
		action nsjob.Action
		args   []string
		says   string
	}{
		{"created and not listed", nsjob.Create, []string{"--size", "1GiB"}, "does not list it"},
		{"deleted and there", nsjob.Delete, []string{"--namespace-id", "1"}, "still there"},
	} {
		g, _ := recordedDrive(t, "nand-modern", nil)
		g.host = tappedHost{g.host, func(*nvme.Command) (*nvme.Completion, error) { return &nvme.Completion{Result: 9}, nil }}
		if _, err := changeOn(t, g, tt.action, agreed(tt.args...)...); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

// TestNamespacesNoAnswer tells a host that fails from a drive that is silent.
func TestNamespacesNoAnswer(t *testing.T) {
	for err, want := range map[error]int{context.DeadlineExceeded: exitWorking, errors.New("gone"): exitFailed} {
		g, _ := recordedDrive(t, "nand-modern", nil)
		g.host = tappedHost{g.host, func(*nvme.Command) (*nvme.Completion, error) { return nil, err }}
		if _, got := changeOn(t, g, nsjob.Delete, agreed("--namespace-id", "1")...); got == nil || exitOf(t.Context(), got).status != want {
			t.Errorf("%v: %v, want status %d", err, got, want)
		}
	}
}

func TestNamespacesUsage(t *testing.T) {
	for _, tt := range []struct {
		action nsjob.Action
		args   string
		says   string
	}{
		{nsjob.Create, "", "needs a size"},
		{nsjob.Create, "--size 1GiB --blocks 8", "needs a size"},
		{nsjob.Create, "--size 0", "needs a size"},
		{nsjob.Create, "--size 1g", "1GiB"},
		{nsjob.Create, "--blocks x", "--blocks x"},
		{nsjob.Create, "--blocks 8 --ncap x", "--ncap x"},
		{nsjob.Create, "--blocks 8 --block-size x", "--block-size x"},
		{nsjob.Create, "--blocks 8 --lbaf 64", "--lbaf 64"},
		{nsjob.Create, "--blocks 8 --nmic 2", "--nmic 2"},
		{nsjob.Create, "--blocks 8 --lbaf 9", "no such LBA format"},
		{nsjob.Delete, "", "needs --namespace-id"},
		{nsjob.Delete, "--namespace-id 0", "--namespace-id 0"},
		{nsjob.Delete, "--namespace-id 0xffffffff", "one namespace is needed"},
		{nsjob.Delete, "--namespace-id 1 --all-namespaces", "give one of both"},
		{nsjob.Attach, "--namespace-id 1 --controllers x", "--controllers x"},
		{nsjob.Attach, "--namespace-id 1 --controllers ,", "--controllers"},
		{nsjob.Detach, "--namespace-id 1 --timeout soon", "--timeout soon"},
		{nsjob.Detach, "--namespace-id 1 --expect-bytes -1", "--expect-bytes -1"},
	} {
		g, r := recordedDrive(t, "nand-modern", nil)
		_, err := changeOn(t, g, tt.action, strings.Fields(tt.args)...)
		if err == nil || exitOf(t.Context(), err).status != exitUsage || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s %s: %v, want %q", tt.action, tt.args, err, tt.says)
		}
		if len(r.changes()) > 0 {
			t.Errorf("%s %s: something was sent", tt.action, tt.args)
		}
	}
}
