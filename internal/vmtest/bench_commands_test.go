package vmtest_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// countSerial is the drive of TestBenchMapped that is not mapped.
const (
	countSerial = "QD1-BENCH-COUNT"
	countBytes  = 32 << 20
)

// The steps of the trace of TestBenchMapped.
const stepCommands = 1

// commandCases are workloads by flags of qd1 and of fio, and the number of
// blocks of 512 bytes of their commands. None has the size of what qd1 reads
// besides, but for the one read by which passthru tries whether it can.
var commandCases = []struct {
	name      string
	qd1, fio  []string
	count     int64
	reordered bool // several are under way at once
	tried     int  // reads before those of the workload
}{
	// Larger reads are cut where the pages of the buffer lie apart.
	{"sequential", []string{"--bs", "256KiB", "--count", "160"},
		[]string{"--bs=256k", "--size=32m", "--io_size=40m", "--ioengine=psync"}, 512, false, 0},
	{"deep", []string{"--bs", "32KiB", "--count", "512", "--engine", "uring", "--qd", "8"},
		[]string{"--bs=32k", "--size=16m", "--ioengine=io_uring", "--iodepth=8"}, 64, true, 0},
	{"two workers", []string{"--bs", "128KiB", "--count", "256", "--workers", "2"},
		[]string{"--bs=128k", "--size=16m", "--numjobs=2", "--offset_increment=16m", "--ioengine=psync"}, 256, true, 0},
	{"passthru", []string{"--bs", "256KiB", "--count", "128", "--engine", "passthru", "--qd", "2"},
		[]string{"--bs=256k", "--size=32m", "--ioengine=io_uring", "--iodepth=2"}, 512, true, 1},
}

// addCommands adds workloads that qd1 and fio do alike, with a mark between
// them.
func addCommands(jobs *jobList) {
	number := stepCommands
	mark := func() { step(jobs, countSerial, number); number++ }
	for _, c := range commandCases {
		mark()
		qd1Job(jobs, "commands "+c.name, []string{"bench", node(countSerial), "--pattern", "sequential", "--warmup", "0", "--format", "json"}, c.qd1)
		mark()
		jobs.add("fio commands "+c.name, append([]string{"fio", "--name=r", "--filename=" + node(countSerial), "--direct=1", "--rw=read"}, c.fio...)...)
	}
	mark()
	qd1Job(jobs, "profile", []string{"bench", node(countSerial), "--profile", "cdm8", "--seconds", "0.4", "--runs", "1", "--interval", "0", "--format", "json"})
	mark()
}

// checkCommands checks that the drive was told the same by qd1 as by fio.
func checkCommands(t *testing.T, res *vmtest.Results, seen map[int][]string) {
	for i, c := range commandCases {
		t.Run(c.name, func(t *testing.T) {
			res.With(t).Output("commands " + c.name)
			res.With(t).Output("fio commands " + c.name)
			ours, theirs := kindOf(accesses(t, seen[stepCommands+2*i]), false, c.count), kindOf(accesses(t, seen[stepCommands+2*i+1]), false, c.count)
			ours = ours[min(c.tried, len(ours)):]
			if c.reordered {
				sortByBlock(ours)
				sortByBlock(theirs)
			}
			if len(theirs) == 0 {
				t.Errorf("the emulator saw no reads of %d blocks by fio", c.count)
			}
			if diff := gocmp.Diff(theirs, ours, gocmp.AllowUnexported(access{})); diff != "" {
				t.Errorf("reads, %d by fio, %d by qd1 (-fio +qd1):\n%.2000s", len(theirs), len(ours), diff)
			}
		})
	}
	t.Run("profile", func(t *testing.T) { checkProfile(t, res.With(t), seen[stepCommands+2*len(commandCases)]) })
}

func sortByBlock(all []access) {
	slices.SortFunc(all, func(a, b access) int { return cmp.Compare(a.block, b.block) })
}

// profileRows are the rows of the profile cdm8, with the blocks of 512 bytes of
// an operation.
var profileRows = []struct {
	label  string
	blocks int64
}{
	{"SEQ1M Q8T1 read", 2048}, {"SEQ1M Q1T1 read", 2048}, {"RND4K Q32T1 read", 8}, {"RND4K Q1T1 read", 8},
}

// checkProfile checks the commands of a profile's rows, which come one after the
// other: their size and their order. The drive takes 512 KiB in a command, so
// that the kernel cuts the large ones.
func checkProfile(t *testing.T, res *vmtest.Results, lines []string) {
	result := object(t, res.Output("profile"))
	all := accesses(t, lines)
	if n := len(kindOf(all, true, 0)); n > 0 {
		t.Errorf("the emulator saw %d writes", n)
	}
	want := map[bool]int64{} // blocks that were counted, of large operations or not
	for i, row := range profileRows {
		checkValue(t, result, fmt.Sprintf("rows.%d.label", i), row.label)
		want[row.blocks > 8] += row.blocks * integer(t, text(lookup(t, result, fmt.Sprintf("results.%d.operations", i))))
	}
	last := -1 // of the large reads
	got := map[bool]int64{}
	for i, a := range all {
		got[a.count != 8] += a.count
		if a.count != 8 {
			last = i
		}
	}
	// The warm-up counts no operations, the samples for blank blocks are small, and
	// so may be a piece of a large read, wherever the pages of its buffer lie.
	if got[true] < want[true] || got[false] < want[false] {
		t.Errorf("the emulator saw large reads of %d blocks and small ones of %d, want at least %v", got[true], got[false], want)
	}
	if small := int64(len(all)-last-1) * 8; small < want[false] {
		t.Errorf("after the last large read there are %d blocks, want the %d of the random rows", small, want[false])
	}
	checkProfileOrder(t, all[:last+1], all[last+1:])
}

// checkProfileOrder checks that large reads follow each other, and that the
// random ones are all over the drive.
func checkProfileOrder(t *testing.T, sequential, random []access) {
	t.Helper()
	const blocks = countBytes / 512
	quarter := map[int64]int{}
	for _, a := range random {
		quarter[a.block/(blocks/4)]++
	}
	if len(quarter) != 4 {
		t.Errorf("the random reads fall into %d quarters of the drive: %v", len(quarter), quarter)
	}
	var far, at int64
	for _, a := range sequential {
		if a.count == 8 {
			continue
		}
		// Several are under way, so that neighbours may change places.
		if ahead := (a.block - at + blocks) % blocks; ahead > 16*2048 && ahead < blocks-16*2048 {
			far++
		}
		at = a.block + a.count
	}
	if far > 4 {
		t.Errorf("%d sequential reads are far from the one before", far)
	}
}
