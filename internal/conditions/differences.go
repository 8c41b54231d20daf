package conditions

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Severity says what a difference means for a comparison of two results.
type Severity string

// The severities.
const (
	// Notes is for a difference to be told beside the comparison.
	Notes Severity = "note"
	// Blocks is for one that may explain the result by itself: no conclusion
	// about the drive may be drawn without saying so.
	Blocks Severity = "blocks"
)

// Difference is one condition in which two results differ. nil is a condition
// that is not known on that side.
type Difference struct {
	What     string   `json:"what"`
	Before   *string  `json:"before"`
	After    *string  `json:"after"`
	Severity Severity `json:"severity"`
}

// StartBand is by how many °C the temperatures at the start may differ. Between
// a cold drive and a warm one latency differs by itself.
const StartBand = 5

// condition is one row of the comparison. text is nil for what is not known.
type condition struct {
	what     string
	severity Severity
	text     func(c *Conditions) *string
	// near, if it is not nil, tells whether two values are equal enough.
	near func(a, b *Conditions) bool
}

// Differences lists in which conditions b differs from a, those that block a
// comparison as they stand in the table, each with its values. What is known on
// one side only is a note; what is known on neither is left out.
func Differences(a, b Conditions) []Difference {
	list := []Difference{}
	for _, row := range table() {
		before, after := row.text(&a), row.text(&b)
		d := Difference{row.what, before, after, row.severity}
		switch {
		case before == nil && after == nil:
			continue
		case before == nil || after == nil:
			d.Severity = Notes
		case *before == *after, row.near != nil && row.near(&a, &b):
			continue
		}
		list = append(list, d)
	}
	return list
}

// table returns the conditions in the order in which differences are listed.
func table() []condition {
	return []condition{
		{"serial number", Blocks, func(c *Conditions) *string { return notEmpty(c.Subject.Serial) }, nil},
		{"firmware", Blocks, func(c *Conditions) *string { return notEmpty(c.Subject.Firmware) }, nil},
		{"LBA format", Blocks, func(c *Conditions) *string { return notEmpty(c.Subject.LBAFormat) }, nil},
		{"kind of target", Blocks, func(c *Conditions) *string { return notEmpty(c.Subject.Kind) }, nil},
		{"file system", Blocks, func(c *Conditions) *string { return notEmpty(c.Subject.FileSystem) }, nil},
		{"size in bytes", Blocks, func(c *Conditions) *string { return positive(c.Subject.SizeBytes) }, nil},
		{"span in bytes", Blocks, func(c *Conditions) *string { return positive(c.Subject.SpanBytes) }, nil},
		{"first byte of the span", Blocks, startByte, nil},
		{"preconditioning", Blocks, func(c *Conditions) *string { return notEmpty(c.Subject.Precondition) }, nil},
		{"engine", Blocks, func(c *Conditions) *string { return notEmpty(c.Subject.Engine) }, nil},
		{"submission", Blocks, func(c *Conditions) *string { return notEmpty(c.Subject.Submission) }, nil},

		{"architecture", Blocks, func(c *Conditions) *string { return notEmpty(c.Arch) }, nil},
		{"CPU model", Blocks, func(c *Conditions) *string { return c.CPUModel }, nil},
		{"virtualised", Blocks, func(c *Conditions) *string { return word(c.Virtualised) }, nil},
		{"kernel", Blocks, func(c *Conditions) *string { return c.Kernel }, nil},
		{"CPU latency held", Blocks, func(c *Conditions) *string { return word(&c.CPULatencyHeld) }, nil},
		{"governor", Blocks, func(c *Conditions) *string { return c.Governor }, nil},
		{"energy performance preference", Blocks, func(c *Conditions) *string { return c.Preference }, nil},
		{"turbo", Blocks, func(c *Conditions) *string { return word(c.Turbo) }, nil},
		{"mitigations", Blocks, func(c *Conditions) *string { return c.Mitigations }, nil},
		{"on mains", Blocks, func(c *Conditions) *string { return word(c.OnMains) }, nil},
		{"scheduler", Blocks, func(c *Conditions) *string { return c.Scheduler }, nil},
		{"write cache", Blocks, ofBlock(func(b *Block) *string { return b.WriteCache }), nil},
		{"volatile write cache", Blocks, ofDrive(func(d *DriveState) *string { return word(d.WriteCache) }), nil},
		{"devices below", Blocks, ofBlock(members), nil},
		{"link", Blocks, ofNVMe(link), nil},
		{"IOMMU", Blocks, ofNVMe(func(n *NVMe) *string { return n.IOMMU }), nil},
		{"composite temperature at the start in °C", Blocks, ofDrive(startTemperature), nearStart},

		{"CPUs", Notes, func(c *Conditions) *string { return digits(c.CPUs) }, nil},
		{"isolated CPUs", Notes, func(c *Conditions) *string { return c.IsolatedCPUs }, nil},
		{"SMT", Notes, func(c *Conditions) *string { return word(c.SMT) }, nil},
		{"microcode", Notes, func(c *Conditions) *string { return c.Microcode }, nil},
		{"scaling driver", Notes, func(c *Conditions) *string { return c.ScalingDriver }, nil},
		{"idle states", Notes, func(c *Conditions) *string { return idleStates(c.IdleStates) }, nil},
		{"kernel parameters", Notes, func(c *Conditions) *string { return listed(c.KernelParameters) }, nil},
		{"clock source", Notes, func(c *Conditions) *string { return c.ClockSource }, nil},
		{"requests in the queue", Notes, ofBlock(func(b *Block) *string { return digits(b.Requests) }), nil},
		{"hardware queues", Notes, ofBlock(func(b *Block) *string { return digits(b.HardwareQueues) }), nil},
		{"poll queues", Notes, ofNVMe(func(n *NVMe) *string { return digits(n.PollQueues) }), nil},
		{"largest request in KiB", Notes, ofBlock(func(b *Block) *string { return digits(b.MaxSectorsKB) }), nil},
		{"merging", Notes, ofBlock(func(b *Block) *string { return digits(b.NoMerges) }), nil},
		{"writeback throttling in µs", Notes, ofBlock(func(b *Block) *string { return digits(b.WritebackUS) }), nil},
		{"NUMA node", Notes, ofBlock(func(b *Block) *string { return digits(b.NUMANode) }), nil},
		{"ASPM", Notes, ofNVMe(aspm), nil},
		{"latency tolerance in µs", Notes, ofNVMe(func(n *NVMe) *string { return n.LatencyTolerance }), nil},
		{"autonomous power state transition", Notes, ofDrive(apst), nil},
		{"order of the runs", Notes, func(c *Conditions) *string { return notEmpty(c.Protocol.Order) }, nil},
		{"highest temperature at the start in °C", Notes, func(c *Conditions) *string { return digits(c.Protocol.StartMaxCelsius) }, nil},
		{"ambient temperature in °C", Notes, ambient, nearAmbient},
		{"other I/O during the run", Notes, disturbed, nil},
		{"cached", Blocks, cached, nil},
	}
}

// ofBlock, ofNVMe and ofDrive look into what may not be there.
func ofBlock(f func(*Block) *string) func(*Conditions) *string {
	return func(c *Conditions) *string {
		if c.Block == nil {
			return nil
		}
		return f(c.Block)
	}
}

func ofNVMe(f func(*NVMe) *string) func(*Conditions) *string {
	return ofBlock(func(b *Block) *string {
		if b.NVMe == nil {
			return nil
		}
		return f(b.NVMe)
	})
}

func ofDrive(f func(*DriveState) *string) func(*Conditions) *string {
	return func(c *Conditions) *string {
		if c.Before == nil {
			return nil
		}
		return f(c.Before)
	}
}

// startByte is known wherever the span is.
func startByte(c *Conditions) *string {
	if c.Subject.SpanBytes == 0 {
		return nil
	}
	return new(strconv.FormatInt(c.Subject.StartBytes, 10))
}

func positive(n int64) *string {
	if n == 0 {
		return nil
	}
	return new(strconv.FormatInt(n, 10))
}

func word(b *bool) *string {
	switch {
	case b == nil:
		return nil
	case *b:
		return new("yes")
	}
	return new("no")
}

func digits(n *int) *string {
	if n == nil {
		return nil
	}
	return new(strconv.Itoa(*n))
}

// listed joins a list; an empty one is "none", and nil not known.
func listed(list []string) *string {
	switch {
	case list == nil:
		return nil
	case len(list) == 0:
		return new("none")
	}
	return new(strings.Join(list, " "))
}

// idleStates names the states that CPUs may enter.
func idleStates(states []IdleState) *string {
	if states == nil {
		return nil
	}
	names := []string{}
	for _, s := range states {
		switch {
		case s.Disabled:
		case s.DisabledCPUs != nil:
			names = append(names, s.Name+" (not CPUs "+*s.DisabledCPUs+")")
		default:
			names = append(names, s.Name)
		}
	}
	return listed(names)
}

func aspm(n *NVMe) *string {
	if n.ASPM.States != nil {
		return listed(n.ASPM.States)
	}
	return n.Policy
}

func apst(d *DriveState) *string {
	if d.Power == nil || d.Power.APST == nil {
		return nil
	}
	return new(onOff(d.Power.APST.Enabled))
}

// link writes the speed and width of the drive's link and of the slowest one
// above it.
func link(n *NVMe) *string {
	if n.Link == nil {
		return nil
	}
	own := lanes(n.Link.SpeedGTs, n.Link.Width)
	if own == "" {
		return nil
	}
	slowest, at := capacity(n.Link.SpeedGTs, n.Link.Width), ""
	for _, p := range n.Link.Path {
		if c := capacity(p.SpeedGTs, p.Width); c < slowest {
			slowest, at = c, fmt.Sprintf(", %s at %s", lanes(p.SpeedGTs, p.Width), p.Address)
		}
	}
	return new(own + at)
}

func lanes(speed *float64, width *int) string {
	if speed == nil || width == nil {
		return ""
	}
	return fmt.Sprintf("%g GT/s x%d", *speed, *width)
}

// capacity orders links by speed times width; one that is not known is the
// fastest.
func capacity(speed *float64, width *int) float64 {
	if speed == nil || width == nil {
		return math.Inf(1)
	}
	return *speed * float64(*width)
}

// members lists what an md or dm device is made of, all the way down. A drive is
// named by what must be equal in it, since its name in the kernel may change
// with each start of the computer.
func members(b *Block) *string {
	if len(b.Members) == 0 {
		return nil
	}
	parts := make([]string, len(b.Members))
	for i := range b.Members {
		m := &b.Members[i]
		parts[i] = m.Device
		if m.NVMe != nil {
			parts[i] = described(m.NVMe)
		}
		if m.NVMe != nil && m.Partition != nil {
			parts[i] += " partition " + strconv.Itoa(*m.Partition)
		}
		if inner := members(m); inner != nil {
			parts[i] += " (" + *inner + ")"
		}
	}
	slices.Sort(parts)
	return new(strings.Join(parts, ", "))
}

// described names a drive below another device by what must be equal.
func described(n *NVMe) string {
	words := []string{orEmpty(n.Serial), orEmpty(n.Firmware), orEmpty(link(n))}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

func startTemperature(d *DriveState) *string {
	if d.Health == nil {
		return nil
	}
	return digits(d.Health.Celsius)
}

// nearStart is only asked where both temperatures are known.
func nearStart(a, b *Conditions) bool {
	difference := *a.Before.Health.Celsius - *b.Before.Health.Celsius
	return max(difference, -difference) <= StartBand
}

func disturbed(c *Conditions) *string {
	if c.OtherIO == nil || !c.OtherIO.Known {
		return nil
	}
	return word(&c.OtherIO.Disturbed)
}

func cached(c *Conditions) *string {
	if c.OtherIO == nil {
		return nil
	}
	return word(c.OtherIO.Cached)
}
