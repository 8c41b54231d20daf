package capture

import (
	"context"
	"fmt"
	"io"
	"sync"

	"qd1.example/qd1/nvme"
)

// Writer writes a capture. Its methods are safe for concurrent use; each line
// is one call of the underlying Write.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewWriter writes the header and returns a Writer for the rest.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	h.Capture = Format
	cw := &Writer{w: w}
	cw.write(h)
	if cw.err != nil {
		return nil, cw.err
	}
	return cw, nil
}

// Passthru returns p with every exchange recorded. What the caller gets does
// not depend on the recording: a failure of it is kept for [Writer.Err].
//
// An exchange is recorded when it ends, so that the order of the lines is the
// order of the answers. One that failed on the host is recorded with the text
// of its error. The data of commands that do not read, or that the drive
// refused, is not recorded.
func (w *Writer) Passthru(p nvme.Passthru) nvme.Passthru {
	return nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		e := newExchange(cmd)
		c, err := p.Submit(ctx, cmd)
		e.Status, e.Result = c.Status, c.Result
		switch {
		case err != nil:
			// The buffer may still belong to the kernel: it is not looked at.
			e.Status, e.Result, e.Error = 0, 0, errorText(err)
		case c.Status == 0 && cmd.Transfer()&nvme.ControllerToHost != 0:
			e.Data = cmd.Data
		}
		w.write(e)
		return c, err
	})
}

// errorText returns the text of err, which must not be empty to be recorded.
func errorText(err error) string {
	if s := err.Error(); s != "" {
		return s
	}
	return fmt.Sprintf("%T", err)
}

// Sysfs records the text of a file. The path is relative to /sys.
func (w *Writer) Sysfs(path, text string) { w.write(sysfsLine{Path: path, Text: &text}) }

// SysfsLink records the target of a symbolic link. The path is relative to
// /sys, the target is as the link has it.
func (w *Writer) SysfsLink(path, target string) { w.write(sysfsLine{Path: path, Link: &target}) }

// Err returns the first error of writing. After it nothing more is written.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *Writer) write(v any) {
	line, err := marshal(v)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	if err == nil {
		_, err = w.w.Write(line)
	}
	if err != nil {
		w.err = fmt.Errorf("writing the capture: %w", err)
	}
}
