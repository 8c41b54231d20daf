package page

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium that is told what to do through a pipe, in the
// Chrome DevTools Protocol.
type browser struct {
	t       *testing.T
	in      io.WriteCloser
	out     *bufio.Reader
	id      int
	session string
	// events are those that came while an answer was waited for.
	events []message
}

// message is an answer or an event of the protocol.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// startBrowser skips the test, and says so, where there is no Chromium.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("NOT TESTED in a browser: chromium is not installed")
	}
	if testing.Short() {
		t.Skip("NOT TESTED in a browser: -short")
	}
	theirIn, in := pipe(t)
	out, theirOut := pipe(t)
	c := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	c.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := c.Start(); err != nil {
		t.Skipf("NOT TESTED in a browser: %v", err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	late := time.AfterFunc(8*time.Minute, func() { c.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		b.in.Write([]byte(`{"id":0,"method":"Browser.close"}` + "\x00"))
		b.in.Close()
		go func() { time.Sleep(10 * time.Second); c.Process.Kill() }()
		c.Wait()
	})
	b.attach()
	return b
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// attach opens a tab.
func (b *browser) attach() {
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	b.call("Page.enable", nil, nil)
	b.call("Network.enable", nil, nil)
}

// call waits for the answer to one command.
func (b *browser) call(method string, params map[string]any, answer any) {
	b.t.Helper()
	b.id++
	m := map[string]any{"id": b.id, "method": method, "params": params}
	if params == nil {
		delete(m, "params")
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		got := b.next()
		switch {
		case got.ID != b.id:
			b.events = append(b.events, got)
		case got.Error != nil:
			b.t.Fatalf("%s: %s", method, got.Error.Message)
		default:
			if answer != nil {
				b.decode(got.Result, answer)
			}
			return
		}
	}
}

func (b *browser) next() message {
	b.t.Helper()
	text, err := b.out.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser has ended: %v", err)
	}
	var m message
	b.decode(text[:len(text)-1], &m)
	return m
}

func (b *browser) decode(text []byte, v any) {
	b.t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		b.t.Fatal(err)
	}
}

// show loads a page from a file and returns the addresses of all that was asked
// for beside it.
func (b *browser) show(text string) []string {
	b.t.Helper()
	name := filepath.Join(b.t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	own := "file://" + name
	b.call("Page.navigate", map[string]any{"url": own}, nil)
	asked := map[string]string{}
	for {
		var m message
		if len(b.events) > 0 {
			m, b.events = b.events[0], b.events[1:]
		} else {
			m = b.next()
		}
		var p struct {
			RequestID     string
			BlockedReason string
			Request       struct{ URL string }
		}
		b.decode(m.Params, &p)
		switch {
		case m.Method == "Network.requestWillBeSent" && p.Request.URL != own && !strings.HasPrefix(p.Request.URL, "data:"):
			asked[p.RequestID] = p.Request.URL
		case m.Method == "Network.loadingFailed" && p.BlockedReason == "csp":
			delete(asked, p.RequestID) // It did not leave the page.
		case m.Method == "Page.loadEventFired":
			return slices.Sorted(maps.Values(asked))
		}
	}
}

// screen sets the width of the window in pixels, and light or dark.
func (b *browser) screen(width int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// faults runs a script, which no page could, and returns the sentences that it
// finds.
func (b *browser) faults(script string) []string {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value []string }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s", answer.ExceptionDetails)
	}
	return answer.Result.Value
}

// printed returns the page as PDF.
func (b *browser) printed() []byte {
	b.t.Helper()
	var answer struct{ Data string }
	b.call("Page.printToPDF", map[string]any{"preferCSSPageSize": true, "paperWidth": 8.27, "paperHeight": 11.69}, &answer)
	pdf, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return pdf
}
