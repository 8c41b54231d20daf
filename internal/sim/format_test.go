package sim

import (
	"bytes"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// formatCmd is a Format NVM of LBA format and Secure Erase Settings.
func formatCmd(nsid nvme.NSID, lbaf, ses uint32) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminFormatNVM, NSID: nsid, CDW10: lbaf | ses<<9}
}

func TestFormatRules(t *testing.T) {
	// Format NVM command; Identify Controller, FNA.
	checkRules(t, []rule{
		{"format", formatCmd(1, 0, eraseNone), nvme.StatusSuccess, 0},
		{"user data erase", formatCmd(1, 0, eraseUser), nvme.StatusSuccess, 0},
		{"all namespaces", formatCmd(all, 0, eraseUser), nvme.StatusSuccess, 0},
		{"cryptographic erase without FNA bit 2", formatCmd(1, 0, eraseCrypto), nvme.StatusInvalidField, 41},
		{"reserved erase", formatCmd(1, 0, 3), nvme.StatusInvalidField, 41},
		{"format that is not there", formatCmd(1, 1, eraseUser), nvme.StatusInvalidFormat, 40},
		{"protection information", with(formatCmd(1, 0, 1), func(c *nvme.Command) { c.CDW10 |= 1 << 5 }), nvme.StatusInvalidFormat, 40},
		{"reserved protection", with(formatCmd(1, 0, 1), func(c *nvme.Command) { c.CDW10 |= 4 << 5 }), nvme.StatusInvalidField, 40},
		{"no namespace", formatCmd(0, 0, eraseUser), nvme.StatusInvalidNamespace, 4},
		{"namespace above NN", formatCmd(2, 0, eraseUser), nvme.StatusInvalidNamespace, 4},
	})
	checkRulesOf(t, nandModern, []rule{
		{"cryptographic erase", formatCmd(1, 0, eraseCrypto), nvme.StatusSuccess, 0},
		{"4096 byte blocks", formatCmd(1, 1, eraseUser), nvme.StatusSuccess, 0},
		{"upper bits of the format", with(formatCmd(1, 0, 1), func(c *nvme.Command) { c.CDW10 |= 1 << 12 }), nvme.StatusInvalidFormat, 40},
		{"inactive namespace", formatCmd(2, 0, eraseUser), nvme.StatusInvalidField, 4},
	})
}

// TestFormatMetadata checks formats that the model cannot have: with metadata,
// and one that is listed but not available.
func TestFormatMetadata(t *testing.T) {
	d := modern(t, func(p *personality) {
		p.space.NLBAF = 3
		p.space.LBAF[2] = nvme.LBAFormat{LBADS: 12, MetadataBytes: 8}
	})
	reject(t, d, formatCmd(1, 2, eraseUser), nvme.StatusInvalidFormat)
	reject(t, d, formatCmd(1, 3, eraseUser), nvme.StatusInvalidFormat)
}

// TestFormatSmall checks a namespace that is not a whole number of the larger
// blocks: nothing of its capacity is lost.
func TestFormatSmall(t *testing.T) {
	d := modern(t, nil)
	for _, blocks := range []uint64{7, 15} {
		accept(t, d, createCmd(blocks, blocks, 0))
	}
	accept(t, d, attachCmd(2, 0, 1, 0))
	accept(t, d, attachCmd(3, 0, 1, 0))
	reject(t, d, formatCmd(2, 1, eraseUser), nvme.StatusInvalidFormat)
	accept(t, d, formatCmd(3, 1, eraseUser))
	accept(t, d, ioCmd(nvme.IORead, 3, 0, 1, 4096))
	reject(t, d, ioCmd(nvme.IORead, 3, 1, 1, 4096), nvme.StatusLBAOutOfRange)
	accept(t, d, formatCmd(3, 0, eraseUser))
	accept(t, d, ioCmd(nvme.IORead, 3, 14, 1, 512))
	accept(t, d, deleteCmd(all))
	if got := d.controller.id.UNVMCAP; got != nvme.U128(modernBytes) {
		t.Errorf("%v bytes unallocated, want all", got)
	}
}

func TestNoBroadcast(t *testing.T) {
	d := modern(t, func(p *personality) { p.identify.FNA |= nvme.FNANoBroadcast })
	reject(t, d, formatCmd(all, 0, eraseUser), nvme.StatusInvalidField)
}

// TestFormatData checks what each kind of erase leaves.
func TestFormatData(t *testing.T) {
	zero := make([]byte, 16*512)
	type outcome int
	const (
		same outcome = iota
		zeroes
		other
	)
	for _, tc := range []struct {
		name    string
		profile Profile
		ses     uint32
		change  func(*personality)
		want    outcome
	}{
		{"905P, no erase", optane905P(), eraseNone, nil, same},
		{"905P, user data erase", optane905P(), eraseUser, nil, zeroes},
		{"modern, no erase", nandModern(), eraseNone, nil, zeroes},
		{"modern, user data erase", nandModern(), eraseUser, nil, zeroes},
		{"modern, cryptographic erase", nandModern(), eraseCrypto, nil, other},
		{"cryptographic erase to zeroes", nandModern(), eraseCrypto, func(p *personality) { p.cryptoZeroes = true }, zeroes},
	} {
		d, _ := instantOf(t, tc.profile, tc.change)
		accept(t, d, writeCmd(0, 8, 7))
		before := blocks(t, d, 0, 16)
		room := d.controller.room.left.Load()
		accept(t, d, formatCmd(1, 0, tc.ses))
		after := blocks(t, d, 0, 16)
		got := other
		switch {
		case bytes.Equal(after, before):
			got = same
		case bytes.Equal(after, zero):
			got = zeroes
		}
		if got != tc.want {
			t.Errorf("%s: outcome %d, want %d", tc.name, got, tc.want)
		}
		if gave := d.controller.room.left.Load() - room; (gave == 1) != (tc.want != same) {
			t.Errorf("%s: %d pages of written data were given back", tc.name, gave)
		}
	}
}

// TestGenerations checks that each erase gives data that were never there.
func TestGenerations(t *testing.T) {
	d := modern(t, nil)
	seen := map[string]bool{string(blocks(t, d, 0, 1)): true}
	for range 4 {
		accept(t, d, formatCmd(1, 0, eraseCrypto))
		data := string(blocks(t, d, 0, 1))
		if seen[data] {
			t.Fatal("data came back after a cryptographic erase")
		}
		seen[data] = true
	}
}

func TestFormatBlockSize(t *testing.T) {
	d := modern(t, nil)
	accept(t, d, formatCmd(1, 1, eraseNone))
	ns, err := nvme.NewController(d).IdentifyNamespace(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if ns.NSZE != modernFirst/4096 || ns.Format().DataBytes() != 4096 || ns.NCAP != ns.NSZE {
		t.Errorf("%d blocks of %d, capacity %d", ns.NSZE, ns.Format().DataBytes(), ns.NCAP)
	}
	if d.BlockBytes() != 4096 || d.Size() != modernFirst {
		t.Errorf("size %d of blocks of %d", d.Size(), d.BlockBytes())
	}
	accept(t, d, ioCmd(nvme.IORead, 1, ns.NSZE-1, 1, 4096))
	reject(t, d, ioCmd(nvme.IORead, 1, ns.NSZE, 1, 4096), nvme.StatusLBAOutOfRange)
}

// twoNamespaces is a modern drive with a second namespace of a MiB.
func twoNamespaces(t *testing.T, change func(*personality)) *Drive {
	t.Helper()
	d := modern(t, change)
	accept(t, d, createCmd(2048, 2048, 0))
	accept(t, d, attachCmd(2, 0, 1, 0))
	accept(t, d, with(writeCmd(0, 8, 3), func(c *nvme.Command) { c.NSID = 2 }))
	return d
}

// TestFormatScope checks which namespaces FNA gives a format to.
func TestFormatScope(t *testing.T) {
	for _, tc := range []struct {
		fna        nvme.FNA
		nsid       nvme.NSID
		ses        uint32
		one, other bool
	}{
		{0, 1, eraseUser, true, false},
		{0, 2, eraseUser, false, true},
		{0, all, eraseUser, true, true},
		{nvme.FNAFormatAll, 1, eraseNone, true, true},
		{nvme.FNAEraseAll, 1, eraseUser, true, true},
		{nvme.FNAEraseAll, 1, eraseNone, true, false},
	} {
		d := twoNamespaces(t, func(p *personality) { p.identify.FNA = tc.fna })
		accept(t, d, writeCmd(0, 8, 3))
		accept(t, d, formatCmd(tc.nsid, 0, tc.ses))
		erased := func(nsid nvme.NSID) bool {
			cmd := ioCmd(nvme.IORead, nsid, 0, 1, 512)
			accept(t, d, cmd)
			return cmd.Data[0] != 3
		}
		if one, other := erased(1), erased(2); one != tc.one || other != tc.other {
			t.Errorf("FNA %d, NSID %#x, SES %d: erased %v and %v, want %v and %v", tc.fna, tc.nsid, tc.ses, one, other, tc.one, tc.other)
		}
	}
}

// TestFormatAfterFormat checks a drive that lets everything wait: a second
// format comes after the first one.
func TestFormatAfterFormat(t *testing.T) {
	d, now := instant(t, func(p *personality) { p.work.formatErase = 100 * time.Second })
	wait := func(cmd *nvme.Command) time.Duration {
		c, ready := d.Begin(cmd)
		if c.Status != 0 {
			t.Fatalf("%s: %v", nvme.OpcodeName(cmd.Queue, cmd.Opcode), c.Status)
		}
		return time.Until(ready).Round(10 * time.Second)
	}
	for i, want := range []time.Duration{100 * time.Second, 200 * time.Second} {
		if got := wait(formatCmd(1, 0, eraseUser)); got != want {
			t.Errorf("format %d ends in %v, want %v", i, got, want)
		}
	}
	*now = now.Add(150 * time.Second)
	if got := wait(ioCmd(nvme.IORead, 1, 0, 1, 512)); got != 50*time.Second {
		t.Errorf("a read comes back in %v, want in 50 s", got)
	}
	*now = now.Add(50 * time.Second)
	if d.controller.spaces.Load().busy {
		accept(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512))
	}
	if d.controller.spaces.Load().busy {
		t.Error("the drive is busy after both formats")
	}
	// A loss of power ends the waiting.
	d.Begin(formatCmd(1, 0, eraseUser))
	d.PowerCycle()
	accept(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512))
}

// TestFormatLosesPower checks that a format that loses its power leaves a part of
// the data, and the old block size.
func TestFormatLosesPower(t *testing.T) {
	d, now := instantOf(t, nandModern(), func(p *personality) { p.work.formatErase = 100 * time.Second })
	const last = modernFirst/512 - 8
	accept(t, d, writeCmd(last, 8, 7))
	accept(t, d, ioCmd(nvme.IOFlush, 1, 0, 1, 0))
	if c, _ := d.Begin(formatCmd(1, 1, eraseUser)); c.Status != 0 {
		t.Fatal(c.Status)
	}
	*now = now.Add(30 * time.Second)
	d.Reset()
	reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 4096), nvme.StatusFormatInProgress)
	d.PowerCycle()
	if d.BlockBytes() != 512 {
		t.Errorf("blocks of %d, want the old ones", d.BlockBytes())
	}
	for _, tc := range []struct {
		lba  uint64
		zero bool
	}{{0, true}, {last * 29 / 100, true}, {last * 31 / 100, false}, {last, false}} {
		if zero, _ := nvme.IsBlankPage(blocks(t, d, tc.lba, 8)); zero != tc.zero {
			t.Errorf("LBA %d is erased: %v, want %v", tc.lba, zero, tc.zero)
		}
	}
	if got := blocks(t, d, last, 1); got[0] != 7 {
		t.Error("data behind the break are not the old ones")
	}
	// The next format goes through.
	if c, _ := d.Begin(formatCmd(1, 0, eraseUser)); c.Status != 0 {
		t.Fatal(c.Status)
	}
	*now = now.Add(100 * time.Second)
	if zero, _ := nvme.IsBlankPage(blocks(t, d, last, 8)); !zero {
		t.Error("the second format left data")
	}
	if got := d.controller.room.left.Load() * pageBytes; got != MaxWrittenBytes {
		t.Errorf("room for %d bytes, want %d", got, MaxWrittenBytes)
	}
}

// TestFormatTime checks what a drive does while it formats: either commands
// wait, or they are refused and progress is shown.
func TestFormatTime(t *testing.T) {
	slow := func(p *personality) { p.work.formatErase = 100 * time.Second }
	rest := func(d *Drive, cmd *nvme.Command) (nvme.Status, time.Duration) {
		c, ready := d.Begin(cmd)
		return c.Status.Code(), time.Until(ready)
	}
	read := ioCmd(nvme.IORead, 1, 0, 1, 512)
	identify := identifyCmd(nvme.CNSController, 0)

	d, now := instant(t, slow)
	for _, cmd := range []*nvme.Command{formatCmd(1, 0, eraseUser), read, identify} {
		if s, wait := rest(d, cmd); s != 0 || wait < 90*time.Second || wait > 100*time.Second {
			t.Errorf("905P: %v, answer in %v, want in 100 s", s, wait)
		}
	}
	*now = now.Add(40 * time.Second)
	if _, wait := rest(d, read); wait < 50*time.Second || wait > 60*time.Second {
		t.Errorf("905P after 40 s: answer in %v, want in 60 s", wait)
	}
	*now = now.Add(60 * time.Second)
	for _, cmd := range []*nvme.Command{read, identify} {
		if _, wait := rest(d, cmd); wait > time.Second {
			t.Errorf("905P after the format: answer in %v", wait)
		}
	}

	d, now = instantOf(t, nandModern(), slow)
	fpi := func() byte {
		cmd := identifyCmd(nvme.CNSNamespace, 1)
		accept(t, d, cmd)
		return cmd.Data[32]
	}
	if s, wait := rest(d, formatCmd(1, 0, eraseUser)); s != 0 || wait < 90*time.Second {
		t.Errorf("modern: %v, answer in %v", s, wait)
	}
	*now = now.Add(25 * time.Second)
	for _, cmd := range []*nvme.Command{read, formatCmd(1, 0, 1), {Opcode: nvme.AdminSanitize, CDW10: actionBlock},
		{Opcode: nvme.AdminDeviceSelfTest, CDW10: 1}, createCmd(8, 8, 0)} {
		reject(t, d, cmd, nvme.StatusFormatInProgress)
	}
	if got := fpi(); got != 0x80|75 {
		t.Errorf("FPI %#x after a quarter, want 75 %% left", got)
	}
	if _, err := d.ReadAt(make([]byte, 512), 0); err == nil {
		t.Error("ReadAt succeeds during a format")
	}
	*now = now.Add(75 * time.Second)
	if got := fpi(); got != 0x80 {
		t.Errorf("FPI %#x after the format, want 80h", got)
	}
	accept(t, d, read)
}
