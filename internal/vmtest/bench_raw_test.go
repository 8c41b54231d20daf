package vmtest_test

import (
	"bytes"
	"fmt"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// The namespaces of the drive that is written to: only the first is named.
const rawBytes, otherBytes = 64 << 20, 16 << 20

// rawEngines are the engines that write, each to rawSpan MiB of its own.
var rawEngines = []string{"psync", "uring", "passthru", "ioctl"}

// rawStart and rawSpan are in MiB, of perMiB sectors.
const (
	rawSpan = 4
	perMiB  = 1 << 20 / 512
)

func rawStart(i int) int64 { return int64(8 + 8*i) }

// rawWrites is how many blocks of 4 KiB each writes.
const rawWrites = 100

// The steps of the trace of TestBenchPlaces. The engines have one each, from
// stepRaw on, and the mix the last.
const (
	stepOdd = iota + 1
	stepRefusals
	stepRaw
	stepMix    = stepRaw + 4
	stepRawEnd = stepMix + 1
)

// rawRefusals are command lines that must not write, with what they say. The
// drive of the last is in use.
var rawRefusals = []struct {
	name       string
	exit       int
	says, hint string
	args       []string
}{
	{"no consent", 5, "nobody agreed", "type the phrase", []string{rawSerial, "-n", "1"}},
	{"node", 5, "is the name of a node", largeSerial, append([]string{node(largeSerial)}, consent(32<<20)...)},
	{"wrong model", 5, `"QEMU NVMe" was expected`, "--expect-model", []string{rawSerial, "-n", "1", "--yes", "--expect-model", "QEMU NVMe", "--expect-bytes", fmt.Sprint(rawBytes)}},
	{"wrong size", 5, "bytes were expected", "--expect-bytes", append([]string{rawSerial}, consent(rawBytes+512, "-n", "1")...)},
	{"no namespace", 2, "has 2 namespaces", "", append([]string{rawSerial}, consent(rawBytes)...)},
	{"in use", 5, "is mounted on /mnt/fixed", "umount /mnt/fixed", append([]string{fixedSerial}, consent(32<<20)...)},
}

// addRaw adds benchmarks that write to a drive, or must not.
func addRaw(jobs *jobList) {
	write := func(name string, args ...string) {
		qd1Job(jobs, name, []string{"bench", "--op", "write", "--count", fmt.Sprint(rawWrites), "--warmup", "0"}, args)
	}
	step(jobs, rawSerial, stepRefusals)
	for _, r := range rawRefusals {
		write("raw "+r.name, r.args...)
	}
	agreed := consent(rawBytes, "-n", "1")
	write("raw dry run", append(agreed, rawSerial, "--dry-run")...)
	for i, engine := range rawEngines {
		step(jobs, rawSerial, stepRaw+i)
		write("raw "+engine, append(agreed, rawSerial, "--engine", engine, "--format", "json", "--start", mebibytes(rawStart(i)), "--size", mebibytes(rawSpan))...)
	}
	step(jobs, rawSerial, stepMix)
	qd1Job(jobs, "raw mix", []string{"bench", rawSerial, "--op", "mix", "--read-percent", "70", "--bs", "16KiB", "--count", "400", "--warmup", "0",
		"--engine", "uring", "--qd", "4", "--workers", "2", "--start", mebibytes(rawStart(4)), "--size", mebibytes(rawSpan), "--format", "json"}, agreed)
	step(jobs, rawSerial, stepRawEnd)
}

// checkRaw checks what was written, by the trace of the emulator and the images.
func checkRaw(t *testing.T, res *vmtest.Results, seen map[int][]string, raw, other string) {
	t.Run("Refused", func(t *testing.T) {
		for _, r := range rawRefusals {
			got := res.With(t).Get("raw " + r.name)
			checkFailure(t, got, r.exit, r.says, r.hint)
		}
		res.With(t).Output("raw dry run")
		if sent := destroying(seen[stepRefusals]); len(sent) > 0 || len(seen[stepRefusals]) < 100 {
			t.Errorf("the emulator saw %d commands that write among %d: %q", len(sent), len(seen[stepRefusals]), sent)
		}
	})
	written := map[int64]bool{}
	for i, engine := range rawEngines {
		t.Run(engine, func(t *testing.T) {
			result := object(t, res.With(t).Output("raw "+engine))
			checkValue(t, result, "results.0.operations", fmt.Sprint(rawWrites))
			checkValue(t, result, "results.0.bytes_written", fmt.Sprint(rawWrites*4096))
			checkWrites(t, seen[stepRaw+i], rawStart(i), rawWrites, 8, written)
		})
	}
	t.Run("mix", func(t *testing.T) {
		result := object(t, res.With(t).Output("raw mix"))
		reads, writes := integer(t, text(lookup(t, result, "results.0.reads.operations"))), integer(t, text(lookup(t, result, "results.0.writes.operations")))
		// 70 % of 400, give or take five standard deviations.
		if reads+writes != 400 || reads < 234 || reads > 326 {
			t.Errorf("%d reads and %d writes, want 400 in all, of which about 280 reads", reads, writes)
		}
		checkWrites(t, seen[stepMix], rawStart(4), writes, 32, written)
		n := int64(0)
		for _, a := range kindOf(accesses(t, seen[stepMix]), false, 32) {
			if a.block >= rawStart(4)*perMiB && a.block < (rawStart(4)+rawSpan)*perMiB { // The guard looks elsewhere for filesystems.
				n++
			}
		}
		if n != reads {
			t.Errorf("the emulator saw %d reads of 16 KiB, want %d", n, reads)
		}
	})
	t.Run("Images", func(t *testing.T) {
		checkWritten(t, raw, written)
		checkUntouched(t, "the other namespace", other, otherBytes)
	})
}

// checkWrites checks the writes of one benchmark: so many of its own, of so many
// blocks, where it may write, and then the first MiB and nothing else. It adds
// the sectors to those that were written to.
func checkWrites(t *testing.T, lines []string, start, want, count int64, written map[int64]bool) {
	t.Helper()
	own, wiped := int64(0), int64(0)
	for _, a := range kindOf(accesses(t, lines), true, 0) {
		switch {
		case a.nsid != 1:
			t.Errorf("a write to namespace %d: %+v", a.nsid, a)
		case a.block >= start*perMiB && a.block+a.count <= (start+rawSpan)*perMiB && a.count == count && a.block%count == 0 && wiped == 0:
			own++
			for i := range a.count {
				written[a.block+i] = true
			}
		case own == want && a.block == wiped && a.block+a.count <= perMiB:
			wiped += a.count
		default:
			t.Errorf("after %d writes and %d sectors of the first MiB: %+v", own, wiped, a)
		}
	}
	if own != want || wiped != perMiB {
		t.Errorf("the emulator saw %d writes, then %d sectors of the first MiB, want %d and %d", own, wiped, want, perMiB)
	}
	for _, line := range destroying(lines) {
		if !writeCommand.MatchString(line) {
			t.Errorf("besides writes, the emulator saw %s", line)
		}
	}
}

// checkWritten checks that the image has zeros in the first MiB, data in the
// sectors that were written to, of which no two are equal, and in all others
// what was there before.
func checkWritten(t *testing.T, image string, written map[int64]bool) {
	t.Helper()
	was, is := filled(t, rawBytes), sectors(t, image)
	data := map[string]bool{}
	for i := range is {
		kept := bytes.Equal(is[i], was[i])
		switch {
		case i < perMiB:
			if !bytes.Equal(is[i], make([]byte, 512)) {
				t.Fatalf("sector %d of the first MiB is not zero", i)
			}
		case written[int64(i)] == kept:
			t.Fatalf("sector %d: written: %t, as before: %t", i, !kept, kept)
		case !kept:
			data[string(is[i])] = true
		}
	}
	if len(data) != len(written) {
		t.Errorf("%d sectors were written to and have %d different contents", len(written), len(data))
	}
}
