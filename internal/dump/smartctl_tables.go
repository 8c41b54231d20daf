package dump

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"qd1.example/qd1/nvme"
)

// powerRow takes a row of "St Op Max Active Idle RL RT WL WT Ent_Lat Ex_Lat".
func (r *smartctlReader) powerRow(text string) error {
	c := strings.Fields(text)
	const columns = 11
	if len(c) != columns {
		return fmt.Errorf("power state with %d columns, not %d", len(c), columns)
	}
	i, err := strconv.Atoi(c[0])
	if err != nil || i < 0 || i >= len(r.id.PSD) {
		return fmt.Errorf("power state %q", printable(c[0]))
	}
	ps := &r.id.PSD[i]
	if err := setPower(ps, c); err != nil {
		return err
	}
	words := map[string]string{"rrl": c[5], "rrt": c[6], "rwl": c[7], "rwt": c[8], "enlat": c[9], "exlat": c[10]}
	if err := setLatencies(ps, words); err != nil {
		return err
	}
	r.drive.controller.mark(exact, "psds")
	return r.drive.controller.setUint("npss", uint64(max(i, int(r.id.NPSS))))
}

func setPower(ps *nvme.PowerState, c []string) (err error) {
	var scale uint8
	if ps.MaxPower, scale, err = watts(c[2]); err != nil {
		return err
	}
	ps.Flags = scale & 1
	if c[1] == "-" {
		ps.Flags |= 2
	}
	if ps.ActivePower, ps.ActiveScale, err = watts(c[3]); err != nil {
		return err
	}
	ps.ActiveScale <<= 6
	if ps.IdlePower, ps.IdleScale, err = watts(c[4]); err != nil {
		return err
	}
	ps.IdleScale <<= 6
	return nil
}

// formatRow takes a row of "Id Fmt Data Metadt Rel_Perf".
func (r *smartctlReader) formatRow(text string) error {
	c := strings.Fields(text)
	const columns = 5
	if len(c) != columns {
		return fmt.Errorf("LBA format with %d columns, not %d", len(c), columns)
	}
	if r.formats == nil {
		return nil
	}
	sp := r.formats
	size, err := strconv.ParseUint(c[2], 10, 32)
	if err != nil {
		return fmt.Errorf("LBA format: data size %q: %w", printable(c[2]), errNumber)
	}
	if err := setFormat(sp.page, sp.ns, []string{"", c[0], c[3], "", c[4]}, bits.Len64(size)-1); err != nil {
		return err
	}
	i, _ := strconv.ParseUint(c[0], 10, 8)
	if c[1] == "+" {
		// Bits 6:5 are the upper ones of the index.
		if err := sp.page.setUint("flbas", i&0xF|i>>4<<5); err != nil {
			return err
		}
	}
	return sp.page.setUint("nlbaf", max(i, uint64(sp.ns.NLBAF)))
}

// errorRow takes a row of "Num ErrCount SQId CmdId Status PELoc LBA NSID VS".
// A hyphen stands for all ones, except in the last, which is 0.
func (r *smartctlReader) errorRow(text string) error {
	c := strings.Fields(text)
	if r.errors == nil || strings.HasPrefix(text, "...") {
		return nil
	}
	const columns = 9
	if len(c) < columns {
		return fmt.Errorf("error log entry with %d columns, not %d", len(c), columns)
	}
	for i, f := range []struct {
		key  string
		none uint64
	}{
		{"error_count", 0}, {"sqid", math.MaxUint16}, {"cmdid", math.MaxUint16}, {"status_field", math.MaxUint16},
		{"parm_err_loc", math.MaxUint16}, {"lba", math.MaxUint64}, {"nsid", math.MaxUint32}, {"vs", 0},
	} {
		n := number{Uint128: nvme.U128(f.none)}
		var err error
		if c[i+1] != "-" {
			n, err = parseNumber(c[i+1])
		}
		if err == nil {
			err = r.errors.set(f.key, n)
		}
		if err != nil {
			return fmt.Errorf("%s %q: %w", f.key, printable(c[i+1]), err)
		}
	}
	return r.errors.end()
}

// finish completes the pages: what smartctl leaves out where it is zero is
// known to be zero if what comes after it was printed.
func (r *smartctlReader) finish() error {
	d, p := r.drive, r.drive.controller
	if r.capabilities {
		p.markAbsent("mdts", "wctemp", "cctemp")
		p.markAbsent("tnvmcap", "unvmcap")
	}
	if err := r.finishSpaces(); err != nil {
		return err
	}
	r.finishHealth()
	if r.errors != nil {
		d.errors = r.errors.done()
		if n := r.errors.log.kept; n > 0 && n <= maxErrors {
			if err := p.setUint("elpe", uint64(n-1)); err != nil {
				return err
			}
		}
	}
	if len(p.known) == 0 {
		d.controller = nil
		return nil
	}
	d.Host.VendorID, d.Host.SubsystemVendorID = r.id.VID, r.id.SSVID
	if n, ok := r.id.TNVMCAP.Uint64(); ok && n != 0 {
		d.Host.SizeBytes = n
	}
	d.allSpaces = r.id.NN == 1 && len(d.namespaces) == 1
	return nil
}

// finishHealth completes the SMART log. The sensors, and the times over the
// thresholds of a drive without thresholds, are left out where they are zero;
// so are the counters of thermal management since version 7.1.
func (r *smartctlReader) finishHealth() {
	p := r.smart.page
	if len(p.known) == 0 {
		return
	}
	r.drive.smart = p
	for _, text := range r.smart.misfits {
		r.drive.note(text)
	}
	if !r.health && (r.cut || !p.knows("error_log_entries", sensorsField)) {
		return
	}
	p.markAbsent(sensorsField, "warning_temperature_minutes", "critical_temperature_minutes")
	if atLeast(r.version, 7, 1) {
		p.markAbsent("tmt1_transitions", "tmt2_transitions", "tmt1_seconds", "tmt2_seconds")
	}
}

// atLeast compares a version "7.4" of smartctl. One that is not known is older.
func atLeast(version string, major, minor int) bool {
	a, b, _ := strings.Cut(version, ".")
	x, err := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	return err == nil && err2 == nil && (x > major || x == major && y >= minor)
}

func (r *smartctlReader) finishSpaces() error {
	for nsid, sp := range r.spaces {
		if err := sp.finish(); err != nil {
			return fmt.Errorf("namespace %d: %w", nsid, err)
		}
		if len(sp.page.known) > 0 {
			r.drive.namespace(nsid, sp.page)
		}
		r.drive.Host.SizeBytes += sp.size
	}
	return nil
}

// finish puts the sizes into the page, in logical blocks. Without a table of
// formats the format in use becomes LBA format 0, which is not marked as known.
// Utilization is left out where it is the capacity.
func (sp *smartctlSpace) finish() error {
	if sp.block == 0 {
		sp.block = sp.ns.Format().DataBytes()
	}
	if sp.block == 0 {
		return nil
	}
	if !sp.page.knows("lbafs") {
		if bits.OnesCount64(sp.block) != 1 || sp.block > math.MaxUint32 {
			return fmt.Errorf("logical blocks of %d bytes", sp.block)
		}
		sp.ns.LBAF[0].LBADS = uint8(bits.Len64(sp.block) - 1)
	}
	if !sp.hasUsed && sp.hasCap {
		sp.used, sp.hasUsed = sp.capacity, true
	}
	for _, f := range []struct {
		key   string
		bytes uint64
		has   bool
	}{{"nsze", sp.size, sp.hasSize}, {"ncap", sp.capacity, sp.hasCap}, {"nuse", sp.used, sp.hasUsed}} {
		if !f.has {
			continue
		}
		if err := sp.page.setUint(f.key, f.bytes/sp.block); err != nil {
			return err
		}
	}
	return nil
}
