package render

import (
	"fmt"
	"io"
	"strings"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/nvme"
)

// CommandLine is a command in a line, with the dwords that are not zero, for a
// message.
func CommandLine(c *nvme.Command) string { return strings.ReplaceAll(commandLine(c), nbsp, " ") }

// commandLine is CommandLine with numbers that stay beside their names.
func commandLine(c *nvme.Command) string {
	parts := []string{fmt.Sprintf("%s opcode%s%02Xh", c.Queue, nbsp, c.Opcode)}
	if c.NSID != 0 {
		parts = append(parts, fmt.Sprintf("NSID%s0x%x", nbsp, uint32(c.NSID)))
	}
	for _, d := range []struct {
		name  string
		value uint32
	}{
		{"CDW2", c.CDW2}, {"CDW3", c.CDW3}, {"CDW10", c.CDW10}, {"CDW11", c.CDW11},
		{"CDW12", c.CDW12}, {"CDW13", c.CDW13}, {"CDW14", c.CDW14}, {"CDW15", c.CDW15},
	} {
		if d.value != 0 {
			parts = append(parts, fmt.Sprintf("%s%s0x%08x", d.name, nbsp, d.value))
		}
	}
	if n := len(c.Data); n > 0 {
		parts = append(parts, fmt.Sprintf("%s of data %s", with(n, "bytes"), transferText(c)))
	}
	if n := len(c.Metadata); n > 0 {
		parts = append(parts, with(n, "bytes")+" of metadata")
	}
	return strings.Join(parts, ", ")
}

// transferText is the direction of the data.
func transferText(c *nvme.Command) string {
	switch c.Transfer() {
	case nvme.HostToController:
		return "to the drive"
	case nvme.ControllerToHost:
		return "from the drive"
	case nvme.Bidirectional:
		return "both ways"
	}
	return "without a direction"
}

// PassthruResult is a command and its answer for [Passthru].
type PassthruResult struct {
	Command *nvme.Command
	// Effect is what the command does at worst.
	Effect nvme.Effect
	// Guarded is what the guard says of it; nothing for a command that only reads.
	Guarded Guarded
	// Sent is false for a dry run and for a refusal.
	Sent bool
	// Completion is the answer.
	Completion nvme.Completion
	// LatencyMicroseconds is how long the answer took; 0 is not shown.
	LatencyMicroseconds float64
	// Data are what the drive sent; Kept names the file that has them, "" for none.
	Data     []byte
	Metadata []byte
	Kept     string
}

// Passthru writes a command and its answer. Like all pages of a technical kind it
// is English only.
func Passthru(w io.Writer, d Part, r *PassthruResult, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	p.heading(piece{Strong, nvme.OpcodeName(r.Command.Queue, r.Command.Opcode)}, piece{Plain, r.Effect.Access.String() + ": " + r.Effect.Why})
	rows := []pair{{"command", commandLine(r.Command)}}
	if r.Sent {
		rows = append(rows, pair{"status", statusText(r.Completion.Status)}, pair{"result", fmt.Sprintf("0x%08x", r.Completion.Result)})
		if r.LatencyMicroseconds > 0 {
			rows = append(rows, pair{"latency", decimal(r.LatencyMicroseconds) + nbsp + "µs"})
		}
	} else {
		rows = append(rows, pair{"sent", "no"})
	}
	if r.Kept != "" {
		rows = append(rows, pair{"data", r.Kept})
	}
	p.table(rows)
	p.guarded(&r.Guarded)
	if r.Kept == "" {
		p.bytesOf("data", r.Data)
	}
	p.bytesOf("metadata", r.Metadata)
	return p.writeTo(w)
}

func (p *page) bytesOf(what string, b []byte) {
	if len(b) == 0 {
		return
	}
	p.title(what)
	p.hexDump(b)
}

// statusText is the status with its code and what its other bits say.
func statusText(s nvme.Status) string {
	if s.OK() {
		return s.String()
	}
	return s.Error()
}

// Guarded is what the guard says of a command that changes a drive.
type Guarded struct {
	// Checks are all checks, nil where there are none.
	Checks []guard.Check
	// Identity and Phrase are what a user agrees to; Phrase is "" where nobody is
	// asked.
	Identity guard.Identity
	Phrase   string
}

// guarded writes the checks that say something, and how to agree.
func (p *page) guarded(g *Guarded) {
	if len(g.Checks) == 0 {
		return
	}
	p.line("")
	p.checks(Bad, "REFUSED", g.Checks, func(c *guard.Check) bool { return c.Result == guard.Refuse })
	p.checks(Warn, "CONSENT", g.Checks, func(c *guard.Check) bool { return c.Result == guard.Consent })
	p.checks(Warn, "warning", g.Checks, func(c *guard.Check) bool { return c.Result == guard.Pass && c.Warning })
	p.labelled(Plain, "agree", consentText(g.Phrase, &g.Identity, g.Checks))
}
