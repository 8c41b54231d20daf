package bench

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStatusError(t *testing.T) {
	for status, want := range map[StatusError]string{
		0x0281: "NVMe status code type 2h, status code 81h",
		0x4004: "NVMe status code type 0h, status code 04h",
		0x6371: "NVMe status code type 3h, status code 71h",
	} {
		if got := status.Error(); got != want {
			t.Errorf("%#x: got %q, want %q", uint16(status), got, want)
		}
	}
}

// TestStatusErrorsAreKept: the same failure again costs no memory.
func TestStatusErrorsAreKept(t *testing.T) {
	var s statusErrors
	for _, status := range []uint16{0x281, 0x4002, 0x281} {
		if err := s.of(status); !errors.Is(err, StatusError(status)) {
			t.Errorf("%#x: got %v", status, err)
		}
	}
	if len(s.seen) != 2 {
		t.Errorf("%d errors are kept, want 2", len(s.seen))
	}
	if n := testing.AllocsPerRun(10, func() { s.of(0x4002) }); n != 0 {
		t.Errorf("%g allocations for a status that was seen before", n)
	}
}

func TestCommandErrorHints(t *testing.T) {
	target := Target{Path: "/dev/ng0n1"}
	for errno, want := range map[unix.Errno]string{
		unix.EACCES:     "CAP_SYS_ADMIN",
		unix.EINVAL:     "smaller block",
		unix.ENOTTY:     "takes no commands",
		unix.EOPNOTSUPP: "takes no commands",
		unix.ENODEV:     "",
	} {
		err := commandError(EnginePassthru, target, 1<<20, errno)
		e, ok := errors.AsType[*Error](err)
		if !ok || !errors.Is(err, errno) || !strings.Contains(e.Hint, want) || (e.Hint == "") != (want == "") || !strings.Contains(e.Cause, target.Path) {
			t.Errorf("%v: got %+v", errno, err)
		}
	}
}
