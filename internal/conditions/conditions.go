package conditions

// Conditions are what a result depends on beside the drive's speed. null means
// that the host or the drive does not show it, or that it was not looked at.
type Conditions struct {
	Host
	// CPULatencyHeld tells whether the CPUs were kept out of idle states.
	CPULatencyHeld bool `json:"cpu_latency_held"`
	// OnMains is nil for a computer that does not say what it is supplied from.
	OnMains *bool `json:"on_mains"`
	// Scheduler is that of Block, in the place where it always was.
	Scheduler *string `json:"scheduler"`
	Block     *Block  `json:"block"`
	Subject   Subject `json:"subject"`
	// Protocol is how the runs were arranged.
	Protocol Protocol `json:"protocol"`

	Before  *DriveState `json:"drive_before"`
	After   *DriveState `json:"drive_after"`
	Changes *Changes    `json:"drive_changes"`
	// Temperatures are the readings during the runs.
	Temperatures []Point[Heat] `json:"temperatures"`
	OtherIO      *OtherIO      `json:"other_io"`
}

// Subject is what was measured, and how, as far as two results must agree in it
// to be compared. "" and 0 are not known.
type Subject struct {
	Serial   string `json:"serial"`
	Firmware string `json:"firmware"`
	// LBAFormat names the format of the namespace, such as "512+0" for the bytes
	// of data and metadata of a block.
	LBAFormat string `json:"lba_format"`
	// Kind is that of the target, "block" or "file"; FileSystem the type of that
	// which the file is on.
	Kind       string `json:"kind"`
	FileSystem string `json:"file_system"`
	// SizeBytes is the size of the target, SpanBytes the part of it that was
	// accessed, StartBytes where that begins.
	SizeBytes  int64 `json:"size_bytes"`
	SpanBytes  int64 `json:"span_bytes"`
	StartBytes int64 `json:"start_bytes"`
	// Precondition is how the target was prepared: "none", "fill" or "pts".
	Precondition string `json:"precondition"`
	Engine       string `json:"engine"`
	// Submission is "one" or "batch".
	Submission string `json:"submission"`
}

// SetBlock sets the block device, and what follows from it.
func (c *Conditions) SetBlock(b *Block) {
	c.Block, c.Scheduler = b, nil
	if b == nil {
		return
	}
	c.Scheduler = b.Scheduler
	if n := b.NVMe; n != nil {
		c.Subject.Serial, c.Subject.Firmware = orEmpty(n.Serial), orEmpty(n.Firmware)
	}
}

// SetAfter sets the state of the drive at the end and what changed.
func (c *Conditions) SetAfter(after DriveState) {
	c.After = &after
	if c.Before != nil {
		c.Changes = new(ChangesBetween(*c.Before, after))
	}
}
