package guard

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// reached writes a radius in short: "nvme0n1 1 named".
func reached(c *Case) []string {
	list := []string{}
	for i := range c.Radius {
		m := &c.Radius[i]
		text := fmt.Sprintf("%s %d %s: %s", m.name(), m.NSID, strings.Join(m.Controllers, ","), m.Why)
		if len(m.Aliases) > 0 {
			text += " also " + strings.Join(m.Aliases, ",")
		}
		list = append(list, text)
	}
	return list
}

// create lets the drive make a namespace of 1 GiB; attach attaches it.
func create(t *testing.T, b *bench, attach bool) {
	t.Helper()
	page := make([]byte, 4096)
	for _, at := range []int{0, 8} {
		copy(page[at:], []byte{0, 0, 0x20, 0})
	}
	done, err := b.drive.Submit(t.Context(), &nvme.Command{Opcode: nvme.AdminNamespaceManagement, Data: page})
	if err != nil || !done.Status.OK() {
		t.Fatal(done, err)
	}
	if attach {
		list := make([]byte, 4096)
		list[0] = 1
		done, err := b.drive.Submit(t.Context(), &nvme.Command{Opcode: nvme.AdminNamespaceAttachment, NSID: nvme.NSID(done.Result), Data: list})
		if err != nil || !done.Status.OK() {
			t.Fatal(done, err)
		}
	}
	b.refresh()
}

func TestRadius(t *testing.T) {
	const (
		formatAll = "a format is one of all namespaces (FNA bit 0)"
		eraseAll  = "a secure erase is one of all namespaces (FNA bit 1)"
		sanitize  = "a sanitize is one of the whole NVM subsystem"
	)
	plain := Operation{Name: "format", Timeout: 1, Commands: []nvme.Command{*nvme.FormatNVM{NSID: 2}.Command()}}
	zeroes := Operation{Name: "trim", Timeout: 1, Commands: []nvme.Command{{Queue: nvme.IOQueue, Opcode: nvme.IOWriteZeroes, NSID: 2}}}
	two := formatOp(1)
	two.Commands = append(two.Commands, *nvme.FormatNVM{NSID: 3}.Command())
	tests := []struct {
		name, query string
		op          Operation
		want        []string
	}{
		{"one", "fna=0", formatOp(2), []string{"nvme0n2 2 nvme0: named"}},
		{"two", "fna=0", two, []string{"nvme0n1 1 nvme0: named", "nvme0n3 3 nvme0: named"}},
		{"format all", "fna=1", plain, []string{"nvme0n1 1 nvme0: " + formatAll, "nvme0n2 2 nvme0: named", "nvme0n3 3 nvme0: " + formatAll}},
		{"erase all", "fna=2", formatOp(2), []string{"nvme0n1 1 nvme0: " + eraseAll, "nvme0n2 2 nvme0: named", "nvme0n3 3 nvme0: " + eraseAll}},
		{"erase bit without erase", "fna=2", plain, []string{"nvme0n2 2 nvme0: named"}},
		{"broadcast", "fna=0", formatOp(nvme.BroadcastNSID), []string{
			"nvme0n1 1 nvme0: a namespace is formatted, and the command names all",
			"nvme0n2 2 nvme0: a namespace is formatted, and the command names all",
			"nvme0n3 3 nvme0: a namespace is formatted, and the command names all",
		}},
		{"sanitize", "fna=0", sanitizeOp(), []string{"nvme0n1 1 nvme0: " + sanitize, "nvme0n2 2 nvme0: " + sanitize, "nvme0n3 3 nvme0: " + sanitize}},
		{"I/O", "fna=7", zeroes, []string{"nvme0n2 2 nvme0: named"}},
		{"writes without commands", "fna=0", Operation{Name: "overwrite", Writes: true}, []string{
			"nvme0n1 1 nvme0: it belongs to the drive", "nvme0n2 2 nvme0: it belongs to the drive", "nvme0n3 3 nvme0: it belongs to the drive",
		}},
		{"writes to one", "fna=0", Operation{Name: "overwrite", Writes: true, Namespaces: []nvme.NSID{3}}, []string{"nvme0n3 3 nvme0: named"}},
		{"firmware", "fna=0", firmwareOp(), []string{
			"nvme0n1 1 nvme0: it belongs to the drive", "nvme0n2 2 nvme0: it belongs to the drive", "nvme0n3 3 nvme0: it belongs to the drive",
		}},
	}
	for _, tt := range tests {
		c := newBench(t, "nand-modern?namespaces=3&"+tt.query).inspect(t, tt.op)
		if diff := cmp.Diff(tt.want, reached(c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		var sum int64
		for i := range c.Radius {
			sum += c.Radius[i].Bytes
		}
		if sum == 0 || c.Identity.Bytes != sum {
			t.Errorf("%s: %d bytes, want %d", tt.name, c.Identity.Bytes, sum)
		}
	}
}

// TestRadiusInactive reaches a namespace that is attached to nothing: it
// counts, it is named, and it has no block device.
func TestRadiusInactive(t *testing.T) {
	b := newBench(t, "nand-modern")
	create(t, b, false)
	create(t, b, true)
	c := b.inspect(t, sanitizeOp())
	const why = ": a sanitize is one of the whole NVM subsystem"
	want := []string{"nvme0n1 1 nvme0" + why, "namespace 2 2 " + why, "nvme0n3 3 nvme0" + why}
	if diff := cmp.Diff(want, reached(c)); diff != "" {
		t.Errorf("radius (-want +got):\n%s", diff)
	}
	if want := int64(800_163_909_632 + 2<<30); c.Identity.Bytes != want {
		t.Errorf("%d bytes, want %d", c.Identity.Bytes, want)
	}
	check := find(t, c.Judge(nil), checkNodes)
	if !check.Warning || check.Result != Pass || !strings.Contains(check.Text, "namespace 2 (1 073 741 824 bytes)") {
		t.Errorf("check %+v, want a warning that names namespace 2", check)
	}
	if got := reached(b.inspect(t, formatOp(1))); len(got) != 1 {
		t.Errorf("a format of namespace 1 reaches %q", got)
	}
}

// second adds a controller nvme7 to the drive of a bench. With multipath the
// namespaces are the subsystem's, and each controller has a hidden path.
func second(b *bench, multipath bool, nsids ...int) {
	const sub = "devices/virtual/nvme-subsystem/nvme-subsys0"
	const dir = "devices/pci0000:00/0000:00:07.0/0000:02:00.0/nvme/nvme7"
	const first = "devices/pci0000:00/0000:00:06.0/0000:01:00.0/nvme/nvme0"
	for name, text := range b.texts {
		if file, ok := strings.CutPrefix(name, first+"/"); ok && !strings.Contains(file, "/") {
			b.texts[dir+"/"+file] = text
		}
	}
	b.texts[dir+"/address"] = "0000:02:00.0\n"
	b.links["class/nvme/nvme7"] = "../../" + dir
	b.links[sub+"/nvme7"] = "../../../../" + dir
	for _, nsid := range nsids {
		from, to := fmt.Sprintf("%s/nvme0n%d/", first, nsid), fmt.Sprintf("%s/nvme7n%d/", dir, nsid)
		if multipath {
			to = fmt.Sprintf("%s/nvme0n%d/", sub, nsid)
		}
		for name, text := range b.texts {
			file, ok := strings.CutPrefix(name, from)
			if !ok {
				continue
			}
			b.texts[to+file] = text
			if multipath {
				delete(b.texts, name)
			}
		}
		if multipath {
			maps.DeleteFunc(b.links, func(name, _ string) bool { return strings.HasPrefix(name, from) })
			maps.DeleteFunc(b.texts, func(name, _ string) bool { return strings.HasPrefix(name, first+"/ng") })
			for i, d := range map[int]string{0: first, 7: dir} {
				b.texts[fmt.Sprintf("%s/nvme0c%dn%d/nsid", d, i, nsid)] = fmt.Sprintf("%d\n", nsid)
				b.texts[fmt.Sprintf("%s/nvme0c%dn%d/hidden", d, i, nsid)] = "1\n"
			}
		}
	}
}

// stranger adds a namespace of so many sectors that only nvme7 has.
func stranger(b *bench, nsid, sectors int) {
	dir := fmt.Sprintf("devices/pci0000:00/0000:00:07.0/0000:02:00.0/nvme/nvme7/nvme7n%d", nsid)
	b.texts[dir+"/nsid"] = fmt.Sprintf("%d\n", nsid)
	b.texts[dir+"/size"] = fmt.Sprintf("%d\n", sectors)
	b.texts[dir+"/queue/logical_block_size"] = "512\n"
	b.texts[dir+"/dev"] = "259:77\n"
}

// TestRadiusOfSubsystem has a drive with two controllers.
func TestRadiusOfSubsystem(t *testing.T) {
	shared := func(b *bench) { b.edit(identify(nvme.CNSNamespace), fill(30, 1)) }
	const why = "a sanitize is one of the whole NVM subsystem"
	tests := []struct {
		name    string
		prepare func(b *bench)
		op      Operation
		want    []string
		devices []string
	}{
		{
			"native multipath", func(b *bench) { second(b, true, 1); shared(b) }, formatOp(1),
			[]string{"nvme0n1 1 nvme0,nvme7: named"}, []string{"nvme0n1", "nvme0", "nvme7"},
		},
		{
			"a block device for each controller", func(b *bench) { second(b, false, 1); shared(b) }, formatOp(1),
			[]string{"nvme0n1 1 nvme0,nvme7: named also nvme7n1"}, []string{"nvme0n1", "nvme7n1", "ng0n1", "nvme0", "nvme7"},
		},
		{
			"private namespaces with one NSID", func(b *bench) { second(b, false, 1) }, formatOp(1),
			[]string{"nvme0n1 1 nvme0: named"}, []string{"nvme0n1", "ng0n1", "nvme0"},
		},
		{
			"private namespaces with one NSID, all reached", func(b *bench) { second(b, false, 1) }, sanitizeOp(),
			[]string{"nvme0n1 1 nvme0: " + why, "nvme7n1 1 nvme7: " + why}, []string{"nvme0n1", "ng0n1", "nvme7n1", "nvme0", "nvme7"},
		},
		{
			"a namespace of the other alone", func(b *bench) { second(b, false); stranger(b, 9, 2048) }, sanitizeOp(),
			[]string{"nvme0n1 1 nvme0: " + why, "nvme7n9 9 nvme7: " + why}, []string{"nvme0n1", "ng0n1", "nvme7n9", "nvme0", "nvme7"},
		},
	}
	for _, tt := range tests {
		b := newBench(t, "nand-modern")
		tt.prepare(b)
		c := b.inspect(t, tt.op)
		if diff := cmp.Diff(tt.want, reached(c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.devices, b.asked); diff != "" {
			t.Errorf("%s: surveyed (-want +got):\n%s", tt.name, diff)
		}
		if got := failed(c.Judge(script(c))); len(got) > 0 {
			t.Errorf("%s: %q, want nothing: one drive with two controllers is one drive", tt.name, got)
		}
	}
}

// TestSiblingSize has another controller show the namespace with another size.
func TestSiblingSize(t *testing.T) {
	b := newBench(t, "nand-modern")
	second(b, false, 1)
	b.edit(identify(nvme.CNSNamespace), fill(30, 1))
	b.text("nvme7/nvme7n1/size", "8")
	if check := find(t, b.inspect(t, formatOp(1)).Judge(nil), checkIdentity); check.Result != Refuse || !strings.Contains(check.Text, "nvme7n1 has 4 096 bytes for the kernel") {
		t.Errorf("check %+v", check)
	}
}

// TestRadiusOfSubsystemClaims takes the block devices of every controller.
func TestRadiusOfSubsystemClaims(t *testing.T) {
	b := newBench(t, "nand-modern")
	second(b, false, 1)
	b.edit(identify(nvme.CNSNamespace), fill(30, 1))
	c := b.inspect(t, formatOp(1))
	p, err := c.Claim(t.Context(), script(c))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"nvme0n1", "nvme7n1"}, b.claimed); diff != "" {
		t.Errorf("claimed (-want +got):\n%s", diff)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	b.leaks(t)
}

// TestOtherControllersFirst has the first namespace attached to another
// controller alone: the commands still go through the one that was named.
func TestOtherControllersFirst(t *testing.T) {
	b := newBench(t, "nand-modern?namespaces=2")
	list := make([]byte, 4096)
	list[0] = 1
	detach := &nvme.Command{Opcode: nvme.AdminNamespaceAttachment, NSID: 1, CDW10: 1, Data: list}
	if done, err := b.drive.Submit(t.Context(), detach); err != nil || !done.Status.OK() {
		t.Fatal(done, err)
	}
	b.refresh()
	second(b, false)
	stranger(b, 1, 800_163_909_632/2/512)
	// Through nvme7 the namespace is active.
	b.through = map[string]nvme.Passthru{"nvme7n1": nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		c := *cmd
		if identify(nvme.CNSNamespace)(cmd) {
			c.CDW10 = uint32(nvme.CNSAllocatedNamespace)
		}
		return b.drive.Submit(ctx, &c)
	})}
	op := sanitizeOp()
	c := b.inspect(t, op)
	const why = ": a sanitize is one of the whole NVM subsystem"
	if diff := cmp.Diff([]string{"nvme7n1 1 nvme7" + why, "nvme0n2 2 nvme0" + why}, reached(c)); diff != "" {
		t.Errorf("radius (-want +got):\n%s", diff)
	}
	p, err := c.Claim(t.Context(), script(c))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"nvme0n2", "nvme7n1"}, b.claimed); diff != "" {
		t.Errorf("claimed (-want +got):\n%s", diff)
	}
	if done, err := p.Submit(t.Context(), &op.Commands[0], nil); err != nil || !done.Status.OK() {
		t.Errorf("%v, %v", done, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	b.leaks(t)
}

// TestShared has a namespace that another computer may reach.
func TestShared(t *testing.T) {
	b := newBench(t, "nand-modern")
	b.edit(identify(nvme.CNSNamespace), fill(30, 1))
	check := find(t, b.inspect(t, formatOp(1)).Judge(nil), checkShared)
	if !check.Warning || !strings.Contains(check.Text, "nvme0n1 can be reached through another controller") {
		t.Errorf("check %+v", check)
	}
}

// TestDoubles has two drives with one serial number.
func TestDoubles(t *testing.T) {
	double := func(t *testing.T) *bench {
		b := newBench(t, "optane-905p")
		second(b, false)
		delete(b.links, "devices/virtual/nvme-subsystem/nvme-subsys0/nvme7")
		return b
	}
	b := double(t)
	c := b.inspect(t, formatOp(1))
	if check := find(t, c.Judge(nil), checkOneDrive); !check.Warning || check.Result != Pass || !strings.Contains(check.Text, "nvme7 at 0000:02:00.0") {
		t.Errorf("without agreement: %+v, want a warning", check)
	}
	_, err := c.Claim(t.Context(), script(c))
	if diff := cmp.Diff([]string{"one drive refuse"}, failed(refused(t, err))); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if hint := refused(t, err)[0].Hint; !strings.HasSuffix(hint, "--pci 0000:01:00.0") {
		t.Errorf("hint %q", hint)
	}
	b.nothing(t)
	for _, address := range []string{"0000:01:00.0", "01:00.0"} {
		a := script(c)
		a.PCI = address
		if got := failed(c.Judge(a)); len(got) > 0 {
			t.Errorf("with %s: %q, want nothing", address, got)
		}
	}
	// Without an address there is no way to tell them apart.
	c.Identity.PCI = ""
	a := script(c)
	if check := find(t, c.Judge(a), checkOneDrive); check.Result != Refuse || !strings.Contains(check.Hint, "take the other drives out") {
		t.Errorf("without address: %+v", check)
	}
	a.PCI = "0000:01:00.0"
	if check := find(t, c.Judge(a), checkOneDrive); check.Result != Refuse || !strings.Contains(check.Text, "not a PCI function") {
		t.Errorf("with an address of nothing: %+v", check)
	}
}
