package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// commandLine is a command that a host sent, as one line of JSON.
type commandLine struct {
	Time      time.Time `json:"time"`
	Subsystem string    `json:"subsystem"`
	// Serial is empty on a connection to no drive.
	Serial string `json:"serial"`
	// Queue is admin or io, Name in the specification's words.
	Queue  string    `json:"queue"`
	Opcode uint8     `json:"opcode"`
	Name   string    `json:"name"`
	NSID   nvme.NSID `json:"nsid"`
	CDW10  uint32    `json:"cdw10"`
	CDW11  uint32    `json:"cdw11"`
	CDW12  uint32    `json:"cdw12"`
	CDW13  uint32    `json:"cdw13"`
	CDW14  uint32    `json:"cdw14"`
	CDW15  uint32    `json:"cdw15"`
}

// commandLog writes down what hosts send, each command when it comes. It is a
// witness that shares nothing with the program that sends.
type commandLog struct {
	now func() time.Time
	// serials are those of the drives by the name of their subsystem.
	serials map[string]string

	mu   sync.Mutex
	file *os.File
	err  error
}

// openCommandLog makes the log of the server, nil if name is "".
func openCommandLog(name string, drives []served, now func() time.Time) (*commandLog, error) {
	if name == "" {
		return nil, nil
	}
	if err := checkOutput(name, nil); err != nil {
		return nil, err
	}
	l := &commandLog{now: now, serials: make(map[string]string)}
	for _, d := range drives {
		c, err := sysfs.Read(sysfs.Map(d.Sysfs()), "nvme0")
		if err != nil {
			return nil, err
		}
		l.serials[d.nqn] = c.Serial
	}
	var err error
	l.file, err = os.Create(name)
	return l, err
}

// trace writes down a command. After an error nothing more is written.
func (l *commandLog) trace(subsystem string, cmd *nvme.Command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	var b []byte
	b, l.err = json.Marshal(commandLine{
		Time: l.now().UTC(), Subsystem: subsystem, Serial: l.serials[subsystem],
		Queue: cmd.Queue.String(), Opcode: cmd.Opcode, Name: nvme.OpcodeName(cmd.Queue, cmd.Opcode), NSID: cmd.NSID,
		CDW10: cmd.CDW10, CDW11: cmd.CDW11, CDW12: cmd.CDW12, CDW13: cmd.CDW13, CDW14: cmd.CDW14, CDW15: cmd.CDW15,
	})
	if l.err == nil {
		_, l.err = l.file.Write(append(b, '\n'))
	}
}

// tracer is the hook for the server, nil if there is no log.
func (l *commandLog) tracer() func(string, *nvme.Command) {
	if l == nil {
		return nil
	}
	return l.trace
}

// close ends the log. The error is the first one since it was opened: a log
// with an error is not whole.
func (l *commandLog) close() error {
	if l == nil {
		return nil
	}
	err := l.file.Close()
	if l.err != nil {
		err = l.err
	}
	if err != nil {
		return failf("the log of commands ends at the error", "--log: %w", fmt.Errorf("%s is not whole: %w", l.file.Name(), err))
	}
	return nil
}
