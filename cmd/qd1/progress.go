package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"qd1.example/qd1/bench"
)

// progress shows on a terminal what is being done and for how long. It has a
// goroutine of its own, so that it goes on while a drive is silent.
type progress struct {
	w    io.Writer
	now  func() time.Time
	stop chan struct{}
	done chan struct{}

	mu     sync.Mutex
	words  string
	since  time.Time
	hidden bool
}

const clearLine = "\r\x1b[K"

// startProgress returns a progress on standard error, one that shows nothing
// if that is not a terminal.
func (e *env) startProgress() *progress {
	p := &progress{w: e.stderr, now: e.now, stop: make(chan struct{}), done: make(chan struct{})}
	if _, ok := terminal(e.stderr); !ok {
		close(p.done)
		return p
	}
	go p.loop()
	return p
}

func (p *progress) loop() {
	defer close(p.done)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			fmt.Fprint(p.w, clearLine)
			return
		case <-tick.C:
			p.draw()
		}
	}
}

// draw shows the line unless it is hidden.
func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hidden {
		return
	}
	width, _ := terminal(p.w)
	fmt.Fprint(p.w, clearLine+cut(p.line(), width-1))
}

func (p *progress) line() string {
	if p.words == "" {
		return ""
	}
	return fmt.Sprintf("qd1: %s (%.0f s)", p.words, p.now().Sub(p.since).Seconds())
}

// hide takes the line away while others write to the terminal, until shown
// again.
func (p *progress) hide(hidden bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if hidden && !p.hidden {
		if _, ok := terminal(p.w); ok {
			fmt.Fprint(p.w, clearLine)
		}
	}
	p.hidden = hidden
}

// cut keeps a line from wrapping, which could not be cleared.
func cut(line string, width int) string {
	if runes := []rune(line); width > 0 && len(runes) > width {
		return string(runes[:width])
	}
	return line
}

// step says what is being done from now on.
func (p *progress) step(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.words, p.since = text, p.now()
}

// text says how far the present step is.
func (p *progress) text(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.words = text
}

// bench shows the current figures of a benchmark, after what it is, if there
// are several.
func (p *progress) bench(what string, b bench.Progress) {
	text := benchText(b)
	if what != "" {
		text = what + ": " + text
	}
	p.text(text)
}

func benchText(b bench.Progress) string {
	switch {
	case b.SilentSeconds >= 1:
		return fmt.Sprintf("no answer from the drive for %.1f s", b.SilentSeconds)
	case b.WarmingUp:
		return "warming up"
	}
	p50 := ""
	if b.Latency.P50 != nil {
		p50 = fmt.Sprintf(", p50 %.1f µs", *b.Latency.P50)
	}
	errors := ""
	if b.Errors > 0 {
		errors = fmt.Sprintf(", %d errors", b.Errors)
	}
	return fmt.Sprintf("measuring: %.0f IOPS, %.1f MB/s%s%s, %s", b.IOPS, b.MBPerS, p50, errors, done(b))
}

// done says how far a run is.
func done(b bench.Progress) string {
	if b.PlannedSeconds > 0 {
		return fmt.Sprintf("%.0f of %.0f s", b.Seconds, b.PlannedSeconds)
	}
	return fmt.Sprintf("%d of %d operations", b.Operations, b.PlannedOperations)
}

// end takes the line away.
func (p *progress) end() {
	close(p.stop)
	<-p.done
}
