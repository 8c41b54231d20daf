package render

import (
	"io"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/launch"
	"qd1.example/qd1/internal/report"
)

// Launch writes what the starts of a program took, or the phases of a boot.
func Launch(w io.Writer, l *report.LaunchReport, style Style) error {
	p := &page{style: style.english()}
	if r := l.Launch; r != nil {
		p.launch(r, deref(l.Label, ""))
	}
	if b := l.Boot; b != nil {
		p.boot(b, deref(l.Label, ""))
	}
	return p.writeTo(w)
}

func (p *page) launch(r *launch.Result, label string) {
	p.heading(piece{Strong, strings.Join(r.Program, " ")}, piece{Plain, r.Executable}, piece{Plain, label})
	if r.Partial {
		p.labelled(Warn, "PARTIAL", r.Ended)
	}
	g := &grid{columns: []column{
		{left: true}, {head: "median ms"}, {head: "95 % from"}, {head: "to"}, {head: "min", spare: 2}, {head: "max", spare: 1},
		{head: "CPU ms", spare: 3}, {head: "read MB"}, {head: "runs"},
	}}
	for _, kind := range []struct {
		name string
		set  *launch.Set
	}{{"cold", r.Cold}, {"warm", r.Warm}} {
		if kind.set != nil {
			g.rows = append(g.rows, gridRow{cells: launchCells(kind.name, kind.set)})
		}
	}
	p.grid(g)
	if d := r.ColdMinusWarm; d != nil {
		text := decimal(round3(d.MS)) + nbsp + "ms"
		if d.CI95 != nil {
			text += ", with 95 % confidence " + decimal(round3(d.CI95.Low)) + " to " + decimal(round3(d.CI95.High)) + nbsp + "ms"
		}
		p.labelled(Strong, "drive", "costs "+text)
	}
	if c := r.Caches; c != nil {
		p.labelled(Dim, "memory", join(" · ", "emptied by "+c.Method, c.Reason, counted(p.lang(), c.Files, "file", "files")+", "+size(uint64(c.Bytes)), residentText(c)))
	}
}

// boot writes the phases, and when the drives were ready.
func (p *page) boot(b *launch.Boot, label string) {
	p.heading(piece{Strong, "boot"}, piece{Plain, b.BootedAt}, piece{Plain, label})
	p.table([]pair{
		{"firmware", phaseText(b.Firmware)},
		{"loader", phaseText(b.Loader)},
		{"kernel", phaseText(b.Kernel)},
		{"initrd", phaseText(b.Initrd)},
		{"soft reboot", phaseText(b.SoftReboot)},
		{"userspace", phaseText(b.Userspace)},
		{"in all", phaseText(b.Total)},
		{"target", bootTarget(b.Target)},
		{"source", b.Source},
		{"boot", b.BootID},
	})
	p.labelled(Warn, "not read", prefixed("the kernel log: ", b.KernelLogError))
	if k := b.KernelLog; k != nil {
		p.kernelLog(k)
	}
}

// kernelLog writes what the log says of drives, in seconds from the kernel's
// start.
func (p *page) kernelLog(k *launch.KernelLog) {
	title := "Seconds from the start of the kernel (" + k.Source + ")"
	if !k.Complete {
		title += ", the log is not complete"
	}
	p.title(title)
	var pairs []pair
	for _, c := range k.Controllers {
		pairs = append(pairs, pair{c.Name, join(" · ", prefixed("found ", phaseText(c.Found)), prefixed("ready ", phaseText(c.Ready)), c.Queues, c.Address)})
	}
	for _, d := range k.Disks {
		pairs = append(pairs, pair{d.Name, join(" · ", phaseText(&d.Seconds), strings.Join(d.Partitions, " "))})
	}
	for _, m := range k.Mounts {
		pairs = append(pairs, pair{m.Device, join(" · ", "mounted "+phaseText(&m.Seconds), m.FileSystem)})
	}
	p.table(pairs)
}

func phaseText(s *float64) string {
	if s == nil {
		return ""
	}
	return seconds(round3(*s))
}

func bootTarget(t *launch.Target) string {
	if t == nil {
		return ""
	}
	return join(" · ", t.Name, "reached "+phaseText(&t.Seconds)+" into userspace")
}

func launchCells(name string, s *launch.Set) []piece {
	low, high := absent, absent
	if ci := s.WallMS.MedianCI95; ci != nil {
		low, high = decimal(round3(ci.Low)), decimal(round3(ci.High))
	}
	var cells []piece
	for _, text := range []string{
		name, decimal(round3(s.WallMS.Median)), low, high, decimal(round3(s.WallMS.Min)), decimal(round3(s.WallMS.Max)),
		decimal(round3(s.UserMS + s.SystemMS)), decimal(round3(float64(s.ReadBytes) / 1e6)), strconv.Itoa(s.WallMS.N),
	} {
		cells = append(cells, piece{Plain, text})
	}
	return cells
}

func residentText(c *launch.Caches) string {
	if c.ResidentBytes == nil || *c.ResidentBytes == 0 {
		return ""
	}
	return size(uint64(*c.ResidentBytes)) + " of them stayed in memory"
}
