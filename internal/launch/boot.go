package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// BootKind is the kind of a record that holds a [Boot].
const BootKind = "boot"

// Errors of [ReadBoot].
var (
	// ErrNoSystemd is a host that systemd does not run, whose boot nobody noted.
	ErrNoSystemd = errors.New("this host was not booted with systemd, which alone notes the phases of a boot")
	// ErrBootUnfinished is a boot that still goes on.
	ErrBootUnfinished = errors.New("the boot is not finished: systemd still starts units")
	// ErrBootUnknown is an answer of systemd without the phases.
	ErrBootUnknown = errors.New("systemd does not say how long the boot took")
)

// Boot is how the last boot went.
type Boot struct {
	Kind string `json:"kind"`
	// Time is when it was read, RFC 3339, "" for none.
	Time string `json:"time"`
	// BootID tells this boot from others, "" if the kernel does not show it.
	BootID string `json:"boot_id"`
	// BootedAt is when the kernel started, RFC 3339, "" if not known.
	BootedAt string `json:"booted_at"`
	Phases
	// Target is the goal of the boot, nil if systemd does not say.
	Target *Target `json:"target"`
	// KernelLog is nil if it cannot be read; KernelLogError says why.
	KernelLog      *KernelLog `json:"kernel_log"`
	KernelLogError string     `json:"kernel_log_error,omitempty"`
}

// Phases are the parts of a boot, one after the other, in seconds. A phase that
// did not happen or is not noted is nil: only a boot loader that tells systemd
// makes firmware and loader known, a container knows neither these nor the
// kernel, and after a soft reboot only the userspace is new.
type Phases struct {
	Firmware   *float64 `json:"firmware_seconds"`
	Loader     *float64 `json:"loader_seconds"`
	Kernel     *float64 `json:"kernel_seconds"`
	Initrd     *float64 `json:"initrd_seconds"`
	SoftReboot *float64 `json:"soft_reboot_seconds"`
	Userspace  *float64 `json:"userspace_seconds"`
	Total      *float64 `json:"total_seconds"`
	// Source is the program that gave them: "systemctl show" or
	// "systemd-analyze time".
	Source string `json:"source"`
}

// Target is the unit that a boot aims at.
type Target struct {
	Name string `json:"name"`
	// Seconds from the start of the userspace until it was reached.
	Seconds float64 `json:"seconds"`
}

// Sources are where a boot is read from. The zero value is this host.
type Sources struct {
	// Root is the folder with proc, run and dev, "" for "/".
	Root string
	// Command runs a program and returns what it wrote to standard output. Nil:
	// it is run, in the locale C.
	Command func(ctx context.Context, name string, args ...string) ([]byte, error)
}

// commandTime is how long a program may take to answer.
const commandTime = 10 * time.Second

// ReadBoot reads the phases of the last boot, from systemd and from the kernel
// log. It needs no rights, but many hosts show the kernel log only to root or to
// the group systemd-journal; then KernelLog is nil.
//
// at is noted in the result. Errors match ErrNoSystemd, ErrBootUnfinished,
// ErrBootUnknown or the context's.
func ReadBoot(ctx context.Context, s Sources, at time.Time) (*Boot, error) {
	if s.Command == nil {
		s.Command = runCommand
	}
	// The test of sd_booted(3).
	if info, err := os.Lstat(s.path("run/systemd/system")); err != nil || !info.IsDir() {
		return nil, ErrNoSystemd
	}
	b := &Boot{Kind: BootKind, BootID: s.line("proc/sys/kernel/random/boot_id"), BootedAt: s.bootedAt()}
	if !at.IsZero() {
		b.Time = at.Format(time.RFC3339)
	}
	if err := b.readPhases(ctx, s); err != nil {
		return nil, err
	}
	log, err := s.kernelLog(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		b.KernelLogError = err.Error()
		return b, nil
	}
	b.KernelLog = log.events(b.end())
	return b, nil
}

// readPhases asks systemctl for the phases and systemd-analyze for the target,
// and for the phases as well if systemctl does not say.
func (b *Boot) readPhases(ctx context.Context, s Sources) error {
	shown, showErr := s.ask(ctx, "systemctl", "show", "--property="+strings.Join(properties(), ","))
	text, timeErr := s.ask(ctx, "systemd-analyze", "time")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	phases, target, textErr := parseAnalyze(string(text))
	b.Target = target
	err := showErr
	if err == nil {
		if b.Phases, err = parseShow(string(shown)); err == nil || errors.Is(err, ErrBootUnfinished) {
			return err
		}
	}
	if timeErr == nil && textErr == nil {
		b.Phases = phases
		return nil
	}
	return fmt.Errorf("%w: %w", ErrBootUnknown, errors.Join(err, timeErr))
}

// end returns the end of the boot in seconds of the kernel's clock, 0 if it is
// not known.
func (b *Boot) end() float64 {
	if b.Kernel == nil || b.Userspace == nil {
		return 0
	}
	end := *b.Kernel + *b.Userspace
	if b.Initrd != nil {
		end += *b.Initrd
	}
	return end
}

func (s Sources) path(name string) string {
	return filepath.Join("/", s.Root, name)
}

// line returns the only line of a file, "" if there is none.
func (s Sources) line(name string) string {
	text, _ := os.ReadFile(s.path(name))
	return strings.TrimSpace(string(text))
}

// bootedAt returns the time of "btime" in /proc/stat, proc_stat(5).
func (s Sources) bootedAt() string {
	text, _ := os.ReadFile(s.path("proc/stat"))
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "btime "); ok {
			if sec, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil {
				return time.Unix(sec, 0).UTC().Format(time.RFC3339)
			}
		}
	}
	return ""
}

// ask runs a program with a limit of time.
func (s Sources) ask(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	out, err := s.Command(ctx, name, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// runCommand runs a program from the folders of the system, so that a search
// path cannot lead root elsewhere. The error holds what it complained of.
func runCommand(ctx context.Context, name string, args ...string) ([]byte, error) {
	var path string
	for _, dir := range []string{"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"} {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, exec.ErrNotFound
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER=", "TZ=UTC"}
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		first, _, _ := strings.Cut(strings.TrimSpace(string(failed.Stderr)), "\n")
		return nil, fmt.Errorf("%w: %s", err, first)
	}
	return out, err
}
