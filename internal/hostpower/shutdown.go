package hostpower

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// scheduled is the file in /run in which systemd-logind notes a shutdown that
// is to come.
const scheduled = "systemd/shutdown/scheduled"

// shutdown describes a scheduled shutdown, "" for none. A note that cannot be
// read or understood still says that there is one.
func shutdown(run fs.FS) string {
	b, err := fs.ReadFile(run, scheduled)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return "shutdown at an unknown time"
	}
	return describe(string(b))
}

// describe parses the note: lines KEY=VALUE, the time in microseconds since
// 1970, the mode a word such as "poweroff". After "shutdown -k", which only
// warns the users, versions before 220 have DRY_RUN=1 in it; later ones write
// the same as for a real shutdown.
//
// Source: systemd 219, shutdownd.c, and 241, logind-dbus.c,
// update_schedule_file.
func describe(text string) string {
	mode, at := "shutdown", "an unknown time"
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "MODE":
			if value != "" {
				mode = clean(value)
			}
		case "USEC":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 {
				at = time.UnixMicro(n).UTC().Format(time.RFC3339)
			}
		case "DRY_RUN":
			if value == "1" {
				return ""
			}
		}
	}
	return mode + " at " + at
}
