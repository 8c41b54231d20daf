package nsjob

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// drive is a simulated drive whose answers to some Identify commands are
// replaced.
type drive struct {
	nvme.Passthru
	pages  map[nvme.CNS]func(page []byte)
	refuse map[nvme.CNS]nvme.Status
	fail   map[nvme.CNS]error
	asked  map[nvme.CNS]int
}

func (d *drive) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	cns := nvme.CNS(cmd.CDW10)
	if cmd.Opcode != nvme.AdminIdentify {
		return d.Passthru.Submit(ctx, cmd)
	}
	d.asked[cns]++
	if s, ok := d.refuse[cns]; ok {
		return nvme.Completion{Status: s}, nil
	}
	if err := d.fail[cns]; err != nil {
		return nvme.Completion{}, err
	}
	change, ok := d.pages[cns]
	if cns == nvme.CNSNamespaceGranularity && ok {
		change(cmd.Data)
		return nvme.Completion{}, nil
	}
	done, err := d.Passthru.Submit(ctx, cmd)
	if ok {
		change(cmd.Data)
	}
	return done, err
}

func open(t *testing.T, profile string) *drive {
	t.Helper()
	s, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &drive{s, map[nvme.CNS]func([]byte){}, map[nvme.CNS]nvme.Status{}, map[nvme.CNS]error{}, map[nvme.CNS]int{}}
}

// accept sends a command that has to succeed.
func (d *drive) accept(t *testing.T, cmd *nvme.Command) uint64 {
	t.Helper()
	done, err := d.Submit(t.Context(), cmd)
	if err != nil || !done.Status.OK() {
		t.Fatalf("%v, %v", done.Status, err)
	}
	return done.Result
}

// TestLife creates, attaches, detaches and deletes by the commands that are
// planned, on a simulated drive, and looks at what it has.
func TestLife(t *testing.T) {
	d := open(t, "nand-modern")
	look := func() *Inventory {
		t.Helper()
		v, err := Look(t.Context(), nvme.NewController(d))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := look()
	if v.Most != 32 || len(v.Formats) != 2 || len(v.Namespaces) != 1 || !v.Namespaces[0].Attached || v.Thin || *v.Unallocated == 0 || v.Namespaces[0].NGUID == "" {
		t.Fatalf("%+v", v)
	}
	before := *v.Unallocated
	c, err := PlanCreate(v, CreateRequest{Bytes: 1 << 20, LBABytes: 4096, Shared: true})
	if err != nil || c.Refused() {
		t.Fatalf("%+v, %v", c, err)
	}
	nsid := nvme.NSID(d.accept(t, c.Command))
	v = look()
	n := v.At(nsid)
	if n == nil || n.Attached || len(n.Controllers) != 0 || n.Bytes != 1<<20 || n.LBABytes != 4096 || !n.Shared || *v.Unallocated != before-1<<20 {
		t.Fatalf("created %+v, %d bytes unallocated", n, *v.Unallocated)
	}
	c = PlanAttachment(v, Attach, nsid, nil)
	d.accept(t, c.Command)
	v = look()
	if n = v.At(nsid); c.Refused() || !n.Attached || len(n.Controllers) != 1 {
		t.Fatalf("attached %+v", n)
	}
	if c = PlanAttachment(v, Attach, nsid, nil); !c.Refused() {
		t.Error("it is attached twice")
	}
	d.accept(t, PlanAttachment(v, Detach, nsid, nil).Command)
	v = look()
	if n = v.At(nsid); n.Attached {
		t.Errorf("detached %+v", n)
	}
	d.accept(t, PlanDelete(v, nvme.BroadcastNSID).Command)
	if v = look(); len(v.Namespaces) != 0 || *v.Unallocated != *v.Total {
		t.Errorf("deleted: %+v", v.Namespaces)
	}
	if d.asked[nvme.CNSNamespaceGranularity] != 0 {
		t.Error("the drive was asked for a list that it does not have")
	}
}

// TestLookWithout holds that a drive without management is asked for nothing
// else.
func TestLookWithout(t *testing.T) {
	d := open(t, "optane-905p")
	v, err := Look(t.Context(), nvme.NewController(d))
	if err != nil || v.Management || len(v.Namespaces) != 1 || !v.Namespaces[0].Attached || v.Total != nil || v.Unallocated != nil {
		t.Errorf("%+v, %v", v, err)
	}
	for cns := range d.asked {
		if cns != nvme.CNSController && cns != nvme.CNSNamespace {
			t.Errorf("it was asked for %v", cns)
		}
	}
}

// granular makes a drive tell its granularity.
func granular(d *drive, attributes uint32) {
	d.pages[nvme.CNSController] = func(page []byte) { binary.LittleEndian.PutUint32(page[96:], 0x9A) }
	d.pages[nvme.CNSNamespaceGranularity] = func(page []byte) {
		binary.LittleEndian.PutUint32(page, attributes)
		page[4] = 1
		for i, n := range []uint64{1, 2, 3, 4} {
			binary.LittleEndian.PutUint64(page[32+8*i:], n<<20)
		}
	}
}

func TestGranularity(t *testing.T) {
	for attributes, want := range map[uint32][2]uint64{0: {1 << 20, 2 << 20}, 1: {3 << 20, 4 << 20}} {
		d := open(t, "nand-modern")
		granular(d, attributes)
		v, err := Look(t.Context(), nvme.NewController(d))
		if err != nil {
			t.Fatal(err)
		}
		f := v.Formats[1]
		if got := [2]uint64{f.SizeStep, f.CapacityStep}; got != want || v.Formats[0].SizeStep != 1<<20 {
			t.Errorf("attributes %d: %+v, want %v", attributes, v.Formats, want)
		}
	}
	if s, c := granularityOf(make([]byte, 4096), 300); s != 0 || c != 0 {
		t.Errorf("a format beyond the list: %d, %d", s, c)
	}
}

// TestLookRefused holds what is not known without an answer, and what ends it.
func TestLookRefused(t *testing.T) {
	for _, cns := range []nvme.CNS{nvme.CNSAttachedControllers, nvme.CNSControllers, nvme.CNSNamespaceGranularity} {
		d := open(t, "nand-modern")
		granular(d, 0)
		d.refuse[cns] = nvme.StatusInvalidField
		v, err := Look(t.Context(), nvme.NewController(d))
		if err != nil {
			t.Errorf("%v: %v", cns, err)
			continue
		}
		if told := []bool{v.Namespaces[0].Controllers != nil, v.Controllers != nil, v.Formats[0].SizeStep != 0}; told[0] == (cns == nvme.CNSAttachedControllers) || told[1] == (cns == nvme.CNSControllers) || told[2] == (cns == nvme.CNSNamespaceGranularity) {
			t.Errorf("%v: told %v", cns, told)
		}
	}
	gone := errors.New("gone")
	for _, cns := range []nvme.CNS{
		nvme.CNSController, nvme.CNSActiveNamespaces, nvme.CNSAllocatedNamespaces, nvme.CNSAllocatedNamespace, nvme.CNSAttachedControllers,
		nvme.CNSControllers, nvme.CNSNamespace, nvme.CNSNamespaceGranularity,
	} {
		d := open(t, "nand-modern")
		granular(d, 0)
		d.fail[cns] = gone
		if _, err := Look(t.Context(), nvme.NewController(d)); !errors.Is(err, gone) {
			t.Errorf("%v: %v", cns, err)
		}
	}
	d := open(t, "optane-905p")
	d.fail[nvme.CNSNamespace] = gone
	if _, err := Look(t.Context(), nvme.NewController(d)); !errors.Is(err, gone) {
		t.Errorf("without management: %v", err)
	}
}

func TestReadLimits(t *testing.T) {
	d := open(t, "nand-modern")
	dev := nvme.NewController(d)
	id, err := dev.Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.pages[nvme.CNSCommandSetController] = func(page []byte) { page[atDMRL] = 7 }
	if l, err := ReadLimits(t.Context(), dev, id); err != nil || l.Ranges != 7 || !l.Reported {
		t.Errorf("%+v, %v", l, err)
	}
	d.refuse[nvme.CNSCommandSetController] = nvme.StatusInvalidField
	if l, err := ReadLimits(t.Context(), dev, id); err != nil || l != unlimited() {
		t.Errorf("refused: %+v, %v", l, err)
	}
	delete(d.refuse, nvme.CNSCommandSetController)
	d.fail[nvme.CNSCommandSetController] = errors.New("gone")
	if _, err := ReadLimits(t.Context(), dev, id); err == nil {
		t.Error("no error without an answer")
	}
	asked := d.asked[nvme.CNSCommandSetController]
	id.Version = 0x10400
	if l, err := ReadLimits(t.Context(), dev, id); err != nil || l != unlimited() || d.asked[nvme.CNSCommandSetController] != asked {
		t.Errorf("an older drive: %+v, %v", l, err)
	}
}

func TestParseControllers(t *testing.T) {
	for _, tt := range []struct {
		page []byte
		want []uint16
	}{{nil, []uint16{}}, {[]byte{2, 0, 1, 0, 5, 1}, []uint16{1, 0x105}}, {[]byte{9, 0, 1, 0}, []uint16{1}}, {make([]byte, 4096), []uint16{}}} {
		if diff := cmp.Diff(tt.want, ParseControllers(tt.page)); diff != "" {
			t.Errorf("% x: %s", tt.page[:min(8, len(tt.page))], diff)
		}
	}
}
