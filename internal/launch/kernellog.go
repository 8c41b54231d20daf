package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// KernelLog is what the kernel noted of drives during the boot. Times are
// seconds of the kernel's clock, which starts with it.
type KernelLog struct {
	// Source is "/dev/kmsg", "journalctl" or "dmesg".
	Source string `json:"source"`
	// Complete is false if the start of the log was overwritten, so that
	// something may be missing.
	Complete    bool         `json:"complete"`
	Controllers []Controller `json:"controllers"`
	Disks       []Disk       `json:"disks"`
	// Mounts are the first mounts of file systems before the boot was finished,
	// at most 64.
	Mounts []Mount `json:"mounts"`
}

// Controller is one NVMe controller.
type Controller struct {
	Name string `json:"name"`
	// Address is that of its PCI function, "" for others.
	Address string `json:"address"`
	// Found is when the driver took it, Ready when its I/O queues were made.
	// Nil: not in the log.
	Found *float64 `json:"found_seconds"`
	Ready *float64 `json:"ready_seconds"`
	// Queues is their number by kind, as the kernel writes it, "" before Ready.
	Queues string `json:"queues"`
}

// Disk is a namespace that was read for its partitions.
type Disk struct {
	Name string `json:"name"`
	// Partitions are the names that were found, without that of the disk.
	Partitions []string `json:"partitions"`
	Seconds    float64  `json:"seconds"`
}

// Mount is a file system that was mounted.
type Mount struct {
	Device     string  `json:"device"`
	FileSystem string  `json:"file_system"`
	Seconds    float64 `json:"seconds"`
}

const maxMounts = 64

// message is one line of the kernel log.
type message struct {
	at   float64 // seconds
	text string
}

// kernelLog is a log as it was read.
type kernelLog struct {
	source   string
	complete bool
	messages []message
}

// kernelLog reads the log where it can be: from the kernel; from the journal,
// which keeps what the kernel has overwritten and is open to more users; from
// dmesg, which may have rights of its own.
func (s Sources) kernelLog(ctx context.Context) (*kernelLog, error) {
	log, err := s.kmsg()
	if err == nil && log.complete {
		return log, nil
	}
	text, journalErr := s.ask(ctx, "journalctl", "--dmesg", "--boot", "--output=short-monotonic", "--no-pager", "--quiet")
	if journal := parseLines(string(text)); journalErr == nil && len(journal) > 0 {
		return &kernelLog{source: "journalctl", complete: fromStart(journal), messages: journal}, nil
	}
	if err == nil {
		return log, nil
	}
	text, dmesgErr := s.ask(ctx, "dmesg")
	if lines := parseLines(string(text)); dmesgErr == nil && len(lines) > 0 {
		return &kernelLog{source: "dmesg", complete: fromStart(lines), messages: lines}, nil
	}
	if journalErr == nil {
		journalErr = errors.New("journalctl: no kernel messages")
	}
	return nil, fmt.Errorf("no kernel log: %w", errors.Join(err, journalErr, dmesgErr))
}

// fromStart reports whether a log begins with the kernel.
func fromStart(log []message) bool { return log[0].at == 0 }

// kmsg reads the kernel's own memory of its log.
//
// Source: Linux, Documentation/ABI/testing/dev-kmsg.
func (s Sources) kmsg() (*kernelLog, error) {
	path := s.path("dev/kmsg")
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	log := &kernelLog{source: "/dev/kmsg"}
	records := readRecords(fd)
	for _, r := range records {
		if r.kernel {
			log.messages = append(log.messages, r.message)
		}
	}
	if len(log.messages) == 0 {
		return nil, fmt.Errorf("%s: no messages", path)
	}
	log.complete = records[0].sequence == 0
	return log, nil
}

// readRecords reads until there are no more; the kernel gives one at a time.
func readRecords(fd int) []record {
	var all []record
	buffer := make([]byte, 64<<10)
	for range 1 << 20 {
		n, err := unix.Read(fd, buffer)
		// EPIPE: a record was overwritten; the next read goes on after it.
		if err == unix.EPIPE || err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		all = append(all, parseRecords(string(buffer[:n]))...)
	}
	return all
}

// record is one of /dev/kmsg.
type record struct {
	message
	sequence uint64
	kernel   bool // not written by a program
}

// parseRecords reads lines "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS[,…];TEXT" and
// leaves out those of properties that follow, which start with a space.
func parseRecords(text string) []record {
	var all []record
	for line := range strings.Lines(text) {
		if r, ok := parseRecord(strings.TrimRight(line, "\n")); ok {
			all = append(all, r)
		}
	}
	return all
}

func parseRecord(line string) (record, bool) {
	head, body, ok := strings.Cut(line, ";")
	fields := strings.Split(head, ",")
	if !ok || len(fields) < 3 {
		return record{}, false
	}
	priority, err1 := strconv.ParseUint(fields[0], 10, 32)
	sequence, err2 := strconv.ParseUint(fields[1], 10, 64)
	micros, err3 := strconv.ParseUint(fields[2], 10, 63)
	if errors.Join(err1, err2, err3) != nil {
		return record{}, false
	}
	return record{message{float64(micros) / 1e6, body}, sequence, priority>>3 == 0}, true
}

// parseLines reads the lines of dmesg, "[    1.234567] TEXT", where the kernel
// may add who wrote it ("[    T1] "), and those of the journal, which put the
// name of the host and "kernel: " before the text.
func parseLines(text string) []message {
	var log []message
	for line := range strings.Lines(text) {
		stamp, rest, ok := strings.Cut(strings.TrimRight(line, "\n"), "] ")
		stamp, bracket := strings.CutPrefix(stamp, "[")
		at, err := strconv.ParseFloat(strings.TrimSpace(stamp), 64)
		if !ok || !bracket || err != nil || !(at >= 0 && at < 1e12) {
			continue
		}
		if host, body, ok := strings.Cut(rest, " kernel: "); ok && !strings.Contains(host, " ") {
			rest = body
		}
		if caller, body, ok := strings.Cut(rest, "] "); ok && isCaller(caller) {
			rest = body
		}
		log = append(log, message{at, rest})
	}
	return log
}

// isCaller reports whether s is the start of "[    T1] " or "[    C0] ".
func isCaller(s string) bool {
	s, ok := strings.CutPrefix(s, "[")
	s = strings.TrimLeft(s, " ")
	if !ok || s == "" || s[0] != 'T' && s[0] != 'C' {
		return false
	}
	return strings.Trim(s[1:], "0123456789") == ""
}
