package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// A job that writes to a real drive runs in a process of its own, because a
// thread that waits in the kernel for a command of many minutes cannot be
// interrupted, and ends no process until then. The job's process has a session
// of its own: neither Ctrl-C nor the end of the terminal reaches it. Until the
// command is sent it ends with the process that started it; from then on it
// goes on alone, and the journal tells.

// jobArgument makes the program the process of a job.
const jobArgument = "job"

// isJob reports whether this process is one.
func isJob() bool { return len(os.Args) > 1 && os.Args[1] == jobArgument }

// jobRequest is what a job's process is told, as JSON on its standard input.
type jobRequest struct {
	Selector  string
	PCI       string
	Request   erase.Request
	Agreement guard.Agreement
	// Fingerprint is of the plan that the user agreed to.
	Fingerprint string
	Proof       proofChoice
	Certificate certificateChoice
	// Resume is the identifier of the job to carry on, "" for a new one. Without
	// Consent it is carried on only as far as nothing is sent.
	Resume  string
	Consent bool
	// Stops says that the work can be stopped at any time: the host overwrites.
	Stops bool
}

// jobMessage is a line of what a job's process tells: an event, or the end.
type jobMessage struct {
	Event  *erase.Event  `json:"event,omitempty"`
	Record *erase.Record `json:"record,omitempty"`
	// Certificate is the file that it was written to.
	Certificate string    `json:"certificate,omitempty"`
	Error       *jobError `json:"error,omitempty"`
}

// jobResult is what came of a job.
type jobResult struct {
	record      *erase.Record
	certificate string
}

// jobError is an error with its exit status, across the processes.
type jobError struct {
	Status int    `json:"status"`
	Text   string `json:"text"`
	Hint   string `json:"hint"`
}

// serveJob is the main function of a job's process.
func (e *env) serveJob() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in := json.NewDecoder(e.stdin)
	out := &teller{w: e.stdout}
	var req jobRequest
	if err := in.Decode(&req); err != nil {
		out.tell(jobMessage{Error: &jobError{Status: exitFailed, Text: "the job was not told what to do: " + err.Error()}})
		return exitFailed
	}
	tied := &tether{cancel: cancel, holds: req.Stops}
	tied.watch(e.stdin)
	res, err := doJob(ctx, req, func(ev erase.Event) {
		tied.observe(ev)
		out.tell(jobMessage{Event: &ev})
	})
	m := jobMessage{Record: res.record, Certificate: res.certificate}
	if err != nil {
		x := exitOf(ctx, err)
		m.Error = &jobError{Status: x.status, Text: x.Error(), Hint: x.hint}
	}
	out.tell(m)
	return exitDone
}

// teller writes messages, as long as somebody reads them.
type teller struct {
	mu sync.Mutex
	w  io.Writer
}

func (t *teller) tell(m jobMessage) {
	b, err := json.Marshal(m)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w.Write(append(b, '\n')) // The journal has it too.
}

// doJob opens the drive again, in this process, and carries the job out if it
// still is what the user agreed to.
func doJob(ctx context.Context, req jobRequest, observe func(erase.Event)) (jobResult, error) {
	g, err := openGuarded(req.Selector, req.PCI)
	if err != nil {
		return jobResult{}, refusef("qd1 list shows what is there now", "the drive that you agreed to cannot be opened any more: %w. Nothing was sent", err)
	}
	defer g.Close()
	if req.Resume != "" && !req.Consent {
		return carryOut(ctx, &prepared{guarded: g}, req, observe)
	}
	p, err := prepare(ctx, g, req.Request)
	if err != nil {
		return jobResult{}, err
	}
	if p.looked.Fingerprint() != req.Fingerprint {
		return jobResult{}, refusef("look at the plan again and start again", "the drive is not as it was when you agreed. Nothing was sent")
	}
	return carryOut(ctx, p, req, observe)
}

// carryOut does the erase, or carries one on, and certifies it.
func carryOut(ctx context.Context, p *prepared, req jobRequest, observe func(erase.Event)) (jobResult, error) {
	dir, err := stateDir()
	if err != nil {
		return jobResult{}, err
	}
	d := &erase.Deps{
		Tool: eraseTool(), Case: p.looked, Method: p.method, Journal: journal.Open(journalDir(dir)),
		Poll: nvme.ReadOnly(p.Passthru), Open: p.openNow, ControllerState: p.state, Inhibit: p.inhibit,
		Prover:  &prover{options: req.Proof.options(), host: p.Drive.Host, inProcess: p.inProcess},
		Observe: crashPoint(observe),
	}
	if p.looked != nil {
		d.Agreement = &req.Agreement
	}
	var r *erase.Record
	if req.Resume == "" {
		r, err = erase.Run(ctx, d)
	} else {
		r, err = erase.Resume(ctx, d, req.Resume)
	}
	res := jobResult{record: r}
	if r == nil || !certified(r) {
		return res, err
	}
	file, failed := certify(r, p.Drive.Host.Transport, journalOf(d.Journal, r.Job), req.Certificate, time.Now())
	if failed != nil {
		failed = &exitError{
			status: exitFailed, err: fmt.Errorf("the result is right, but no certificate was written: %w", failed),
			hint: "qd1 erase resume " + r.Identity.Serial + " writes it, when the cause is gone",
		}
	}
	r.CertificateFile, res.certificate = file, file
	return res, errors.Join(err, failed)
}

func journalDir(state string) string { return filepath.Join(state, "journal") }

// journalOf reads the journal of a job, nil if it is not there.
func journalOf(s *journal.Store, id string) []byte {
	records, _ := s.List()
	for _, r := range records {
		if r.ID == id {
			b, err := os.ReadFile(r.Path)
			if err == nil {
				return b
			}
		}
	}
	return nil
}

// inJob carries a job out in a process of its own. When ctx ends, the job is
// told; it ends too if nothing was sent yet.
func (e *env) inJob(ctx context.Context, req jobRequest, observe func(erase.Event)) (jobResult, error) {
	w := &exec.Cmd{
		Path:        "/proc/self/exe", // Also after an update has replaced the file.
		Args:        []string{"qd1", jobArgument},
		Env:         os.Environ(),
		SysProcAttr: &unix.SysProcAttr{Setsid: true},
	}
	if f, ok := e.stderr.(*os.File); ok {
		w.Stderr = f
	}
	in, err := w.StdinPipe()
	if err != nil {
		return jobResult{}, err
	}
	out, err := w.StdoutPipe()
	if err != nil {
		return jobResult{}, err
	}
	if err := w.Start(); err != nil {
		return jobResult{}, fmt.Errorf("start the process of the job: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { in.Close() })
	defer stop()
	if err := json.NewEncoder(in).Encode(req); err != nil {
		return jobResult{}, fmt.Errorf("tell the process of the job: %w", err)
	}
	res, err := listen(out, observe)
	w.Wait()
	return res, err
}

var errJobDied = errors.New("the process of the job ended without a result")

// listen reads what a job's process tells until its end.
func listen(out io.Reader, observe func(erase.Event)) (jobResult, error) {
	for d := json.NewDecoder(out); ; {
		var m jobMessage
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return jobResult{}, &exitError{status: exitWorking, err: errJobDied, hint: "qd1 erase status tells what the drive was told"}
		case err != nil:
			return jobResult{}, err
		case m.Event != nil:
			observe(*m.Event)
		default:
			return jobResult{m.Record, m.Certificate}, m.err()
		}
	}
}

func (m *jobMessage) err() error {
	if m.Error == nil {
		return nil
	}
	return &exitError{status: m.Error.Status, err: errors.New(m.Error.Text), hint: m.Error.Hint}
}

// worker carries a job out, here or elsewhere.
type worker func(ctx context.Context, req jobRequest, observe func(erase.Event)) (jobResult, error)

// follow waits for the end of a job, shows how it goes, and leaves it alone if
// Ctrl-C comes after the command was sent.
func (e *env) follow(ctx context.Context, req jobRequest, work worker, show func(string)) (jobResult, error) {
	f := &follower{show: show, sent: make(chan struct{})}
	type outcome struct {
		jobResult
		err error
	}
	ended := make(chan outcome, 1)
	go func() {
		res, err := work(ctx, req, f.observe)
		ended <- outcome{res, err}
	}()
	sent := f.sent
	if req.Stops {
		sent = nil
	}
	select {
	case o := <-ended:
		if !alone(ctx, sent, o.err) {
			return o.jobResult, o.err
		}
	case <-ctx.Done():
	}
	select {
	case o := <-ended: // Nothing was sent, all was over, or it has stopped.
		if !alone(ctx, sent, o.err) {
			return o.jobResult, o.err
		}
	case <-time.After(patience): // It hangs in a read, and will send nothing any more.
		return jobResult{}, &exitError{status: exitInterrupted, err: errors.New("interrupted; the drive does not answer, and no command was sent to it")}
	case <-sent:
	}
	return jobResult{}, &exitError{
		status: exitWorking,
		err:    errors.New("interrupted; the drive keeps working, nothing is cancelled"),
		hint:   fmt.Sprintf("do not switch off or unplug the drive; qd1 erase status %s tells how it goes on", req.Agreement.Serial),
	}
}

// alone reports whether a job in this process ended by Ctrl-C after its command
// was sent: the drive goes on alone.
func alone(ctx context.Context, sent <-chan struct{}, err error) bool {
	select {
	case <-sent:
		return ctx.Err() != nil && errors.Is(err, context.Canceled)
	default:
		return false
	}
}

// patience is how long a job may take to end that was told to.
const patience = 20 * time.Second

// follower shows the events of a job.
type follower struct {
	show func(string)
	once sync.Once
	sent chan struct{}
}

func (f *follower) observe(ev erase.Event) {
	if ev.Kind == erase.StateEvent && ev.State == journal.Sent {
		f.once.Do(func() { close(f.sent) })
	}
	if text := eventText(&ev); text != "" {
		f.show(text)
	}
}

func eventText(ev *erase.Event) string {
	if ev.Kind != erase.ProgressEvent || ev.Percent == nil {
		return ev.Text
	}
	what := map[erase.Phase]string{
		erase.PhaseBefore: "reading samples of the data before", erase.PhaseErase: "erasing", erase.PhaseVerify: "verifying",
	}[ev.Phase]
	text := fmt.Sprintf("%s: %.0f %% done", what, *ev.Percent)
	if ev.Remaining != nil && *ev.Remaining >= 1 {
		text += fmt.Sprintf(", about %v left", time.Duration(*ev.Remaining*float64(time.Second)).Round(time.Second))
	}
	if ev.Estimated {
		text += " (an estimate: this drive reports no progress)"
	}
	return text
}
