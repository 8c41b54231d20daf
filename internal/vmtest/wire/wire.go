// Package wire is what the host and the guest of a test machine tell each
// other: the plan that the guest finds in its initial file system, the results
// that it leaves on a disk, and the lines of the event port.
package wire

import "time"

// Where things are in the guest.
const (
	// PlanPath is the plan as JSON.
	PlanPath = "/plan.json"
	// OutDir is the folder whose files come back to the host.
	OutDir = "/out"
	// CoverDir takes coverage counters (GOCOVERDIR).
	CoverDir = OutDir + "/cov"
	// ResultsFile is the results as JSON, inside the archive that comes back.
	ResultsFile = "results.json"
	// EventPort is the serial port for events; QD1_EVENTS names it to the jobs.
	EventPort = "/dev/ttyS1"
	// EventPrefix starts a line that names an event.
	EventPrefix = "QD1-EVENT "
	// UpEvent is told before the first job: all processors have their timers.
	UpEvent = "up"
	// StatusPrefix starts the last line of the guest, "rc=0" when the results
	// are on the disk. A machine that ends without it has failed.
	StatusPrefix = "QD1-VM rc="
	// ResultsSerial is the serial number of the disk that takes the results.
	ResultsSerial = "RESULTS"
)

// Plan is what the guest does.
type Plan struct {
	Modules []string // kernel modules by guest path, in load order
	WaitFor []string // glob patterns that must match a file before the first job
	Jobs    []Job
}

// Job is one program run.
type Job struct {
	Name string // unique in the plan
	// Argv is the program, looked up in PATH, and its arguments. In each,
	// {nvme:SERIAL} stands for the name of the controller with that serial
	// number ("nvme0"), {ng:SERIAL} for "ng0", {pci:SERIAL} for its address.
	Argv []string
	Env  []string // added to the guest's own environment
	UID  int      // user and group to run as; 0 is root
	// Timeout ends the job and all its children; 0 means one minute.
	Timeout time.Duration
	// Event is told to the host when the job has run for EventAfter. Empty
	// means no event.
	Event      string
	EventAfter time.Duration
}

// Result is what came of a Job.
type Result struct {
	Name     string
	Exit     int    // exit status, -1 when a signal ended it
	Signal   string // the signal's name; empty for none
	TimedOut bool
	Error    string // why the program did not start or end; empty for none
	Stdout   []byte
	Stderr   []byte
	Started  time.Duration // since the guest's boot
	Ended    time.Duration
}
