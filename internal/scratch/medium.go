package scratch

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// leastMedium is the share, in percent, of what was copied that must have been
// fetched from storage. Small files may lie in the metadata.
const leastMedium = 90

// doubt warns, once, if the files came from memory.
func (w *copyWork) doubt(run CopyRun) {
	if run.Partial || *run.MediumPercent >= leastMedium || w.doubted {
		return
	}
	w.doubted = true
	w.result.Warnings = append(w.result.Warnings, fmt.Sprintf("Only %.0f %% of the bytes were fetched from storage, the rest came from memory: the figures may be too good.", *run.MediumPercent))
}

// readBytes returns the bytes that this process has made the kernel fetch from
// storage, if it can be known.
func readBytes() (int64, bool) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, false
	}
	return findReadBytes(string(text))
}

// findReadBytes looks up read_bytes in the format of /proc/PID/io
// (proc_pid_io(5)).
func findReadBytes(text string) (int64, bool) {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, "read_bytes: "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
