package vmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// qmpClient speaks the QEMU Machine Protocol over one connection.
type qmpClient struct {
	mu  sync.Mutex
	enc *json.Encoder
	dec *json.Decoder
}

// qmpMessage is any message of the emulator: a greeting, an answer or an event.
type qmpMessage struct {
	QMP    json.RawMessage `json:"QMP"`
	Event  string          `json:"event"`
	Return json.RawMessage `json:"return"`
	Error  *qmpError       `json:"error"`
}

// qmpError is the emulator's refusal.
type qmpError struct {
	Class string `json:"class"`
	Desc  string `json:"desc"`
}

// Error returns the description.
func (e *qmpError) Error() string { return e.Desc }

// newQMP reads the greeting and enters command mode.
func newQMP(rw io.ReadWriter) (*qmpClient, error) {
	c := &qmpClient{enc: json.NewEncoder(rw), dec: json.NewDecoder(rw)}
	var greeting qmpMessage
	if err := c.dec.Decode(&greeting); err != nil {
		return nil, fmt.Errorf("qmp greeting: %w", err)
	}
	if greeting.QMP == nil {
		return nil, fmt.Errorf("qmp greeting: unexpected message")
	}
	if _, err := c.execute("qmp_capabilities", nil); err != nil {
		return nil, err
	}
	return c, nil
}

// execute sends a command and returns its answer. Events that come between are
// dropped.
func (c *qmpClient) execute(command string, arguments any) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	request := map[string]any{"execute": command}
	if arguments != nil {
		request["arguments"] = arguments
	}
	if err := c.enc.Encode(request); err != nil {
		return nil, fmt.Errorf("qmp %s: %w", command, err)
	}
	for {
		var m qmpMessage
		if err := c.dec.Decode(&m); err != nil {
			return nil, fmt.Errorf("qmp %s: %w", command, err)
		}
		switch {
		case m.Error != nil:
			return nil, fmt.Errorf("qmp %s: %w", command, m.Error)
		case m.Event == "":
			return m.Return, nil
		}
	}
}
