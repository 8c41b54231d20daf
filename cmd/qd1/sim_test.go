package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sim/nvmetcp"
	"qd1.example/qd1/nvme"
)

func TestListenAddress(t *testing.T) {
	tests := []struct {
		text     string
		insecure bool
		want     string // "" is refused
	}{
		{"127.0.0.1:4420", false, "127.0.0.1:4420"},
		{"localhost:4420", false, "127.0.0.1:4420"},
		{"[::1]:1", false, "[::1]:1"},
		{"0.0.0.0:4420", false, ""},
		{"0.0.0.0:4420", true, "0.0.0.0:4420"},
		{":4420", false, ""},
		{"192.0.2.1:4420", false, ""},
		{"192.0.2.1:4420", true, "192.0.2.1:4420"},
		{"4420", true, ""},
	}
	for _, tt := range tests {
		got, err := listenAddress(tt.text, tt.insecure)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s, insecure %t: got %q, %v, want %q", tt.text, tt.insecure, got, err, tt.want)
		}
	}
}

// disconnectScript drops the connection with every I/O command.
const disconnectScript = `{"when": {"queue": "io"}, "do": "disconnect"}` + "\n"

// TestServed checks how the server sees a drive: one that drops the connection,
// and one that schedules.
func TestServed(t *testing.T) {
	script := filepath.Join(t.TempDir(), "faults")
	if err := os.WriteFile(script, []byte(disconnectScript), 0o644); err != nil {
		t.Fatal(err)
	}
	drives, err := openServed([]string{"sim:optane-905p?seed=1", "optane-905p"}, nil, script)
	if err != nil {
		t.Fatal(err)
	}
	defer closeServed(drives)
	read := &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: 1, Data: make([]byte, 512)}
	for _, d := range drives {
		if _, _, ok := d.Schedule(read); ok {
			t.Errorf("%s: a command is scheduled past the fault script", d.profile)
		}
		if _, err := d.Submit(t.Context(), read); !errors.Is(err, nvmetcp.ErrDisconnect) || !errors.Is(err, sim.ErrDisconnect) {
			t.Errorf("%s: got %v, want that the connection is dropped", d.profile, err)
		}
	}
	plain, err := openServed([]string{"optane-905p"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer closeServed(plain)
	if c, due, ok := plain[0].Schedule(read); !ok || !c.Status.OK() || due.IsZero() {
		t.Errorf("a read is answered %v, due %v, scheduled %t", c.Status, due, ok)
	}
	if _, err := plain[0].Submit(context.Background(), read); err != nil {
		t.Errorf("read: %v", err)
	}
}
