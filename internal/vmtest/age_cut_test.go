package vmtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/vmtest"
)

// Two tests hold what a power cut leaves of records and of the journal.
//
// The one of TestAge replays the log of all writes up to 50 random entries, the
// last of them often in its middle: what no flush had followed is lost or torn,
// as on a drive whose cache loses its power. e2fsck recovers the file system as
// the next start would.
//
// TestRecordsPowerOff kills the emulator three times while records are written,
// and lets the kernel itself recover. The host keeps what the emulator had
// written, so that it is the milder of the two.

// cutState is what a power cut has left.
type cutState struct {
	// records has the record of each identifier, files what lies beside journals.
	records map[string][]byte
	files   map[string][]byte
	treated float64
}

// checkPowerCuts cuts the power at random entries of a log, the first of which
// count from when the file system was mounted.
func checkPowerCuts(t *testing.T, l *writeLog, cuts int) {
	first := slices.IndexFunc(l.entries, func(e logEntry) bool { return e.mark == "mounted" })
	if first < 0 || len(l.entries)-first < 4*cuts {
		t.Fatalf("%d entries, the first after the file system was mounted is %d", len(l.entries), first)
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	at := []int{len(l.entries)}
	for len(at) < cuts {
		at = append(at, first+random.IntN(len(l.entries)-first))
	}
	slices.Sort(at)
	t.Logf("seed %d, %d entries", seed, len(l.entries))
	image := make([]byte, stateBytes)
	acknowledged := map[string]bool{}
	was, done, torn := &cutState{}, 0, 0
	for _, n := range at {
		for ; done < n; done++ {
			e := &l.entries[done]
			l.apply(t, image, e, e.bytes)
			if id, ok := strings.CutPrefix(e.mark, "record:"); ok {
				acknowledged[id] = true
			}
		}
		cut := slices.Clone(image)
		if n < len(l.entries) && l.entries[n].bytes > 512 {
			l.apply(t, cut, &l.entries[n], 512*random.Int64N(l.entries[n].bytes/512))
			torn++
		}
		is := recoverState(t, cut)
		is.check(t, was, acknowledged)
		if t.Failed() {
			t.Fatalf("cut at entry %d of %d, seed %d", n, len(l.entries), seed)
		}
		was = is
	}
	t.Logf("%d cuts, %d of them in the middle of a write; %d records were acknowledged, %d are there at last", cuts, torn, len(acknowledged), len(was.records))
	if len(acknowledged) < 10 || was.treated == 0 {
		t.Errorf("%d records were acknowledged and %g s treated: too few to tell", len(acknowledged), was.treated)
	}
}

// recoverState starts from an image as a computer would, and reads all that is
// kept on it.
func recoverState(t *testing.T, image []byte) *cutState {
	t.Helper()
	dir := t.TempDir()
	path, out := filepath.Join(dir, "image"), filepath.Join(dir, "out")
	writeSparse(t, path, image)
	if text, err := exec.Command("e2fsck", "-fp", path).CombinedOutput(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() > 1 {
			t.Fatalf("e2fsck: %v\n%s", err, text)
		}
	}
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("debugfs", "-R", "rdump / "+out, path).CombinedOutput(); err != nil {
		t.Fatalf("debugfs: %v\n%s", err, text)
	}
	s := &cutState{}
	s.read(t, filepath.Join(out, "qd1"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	return s
}

// writeSparse writes an image without its empty blocks.
func writeSparse(t *testing.T, path string, image []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zero := make([]byte, 4096)
	for at := 0; at < len(image); at += len(zero) {
		if b := image[at : at+len(zero)]; !bytes.Equal(b, zero) {
			if _, err := f.WriteAt(b, int64(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Truncate(int64(len(image))); err != nil {
		t.Fatal(err)
	}
}

// read reads records and journals as the program does. Nothing that it finds may
// be damaged.
func (s *cutState) read(t *testing.T, dir string) {
	t.Helper()
	s.records, s.files = map[string][]byte{}, map[string][]byte{}
	records, faults := record.Open(filepath.Join(dir, "records")).List(record.Query{})
	jobs, more := journal.Open(filepath.Join(dir, "journal")).List()
	if faults = append(faults, more...); len(faults) > 0 {
		t.Errorf("what cannot be read: %v", errors.Join(faults...))
	}
	for _, r := range records {
		text, err := os.ReadFile(r.File)
		if err != nil {
			t.Fatal(err)
		}
		s.records[r.ID] = text
	}
	for i := range jobs {
		if jobs[i].Kind != aging.Kind {
			continue
		}
		status, err := aging.StatusOf(&jobs[i])
		if err != nil {
			t.Fatal(err)
		}
		s.treated = max(s.treated, status.TreatedSeconds)
	}
	files, err := filepath.Glob(filepath.Join(dir, "journal", "*.keep.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		s.files[filepath.Base(name)] = text
	}
}

// check holds that all is there that was acknowledged or was there at an earlier
// cut, unchanged, and that no file is half-written.
func (s *cutState) check(t *testing.T, was *cutState, acknowledged map[string]bool) {
	t.Helper()
	for id := range acknowledged {
		if s.records[id] == nil {
			t.Errorf("record %s was acknowledged and is lost", id)
		}
	}
	for id, text := range was.records {
		if !bytes.Equal(s.records[id], text) {
			t.Errorf("record %s was there at an earlier cut, and has %d bytes instead of %d", id, len(s.records[id]), len(text))
		}
	}
	if s.treated < was.treated {
		t.Errorf("%g s are treated, at an earlier cut %g", s.treated, was.treated)
	}
	for name, text := range s.files {
		if !json.Valid(text) && !json.Valid(s.files[resultName(name)]) { // Of a job that has its result, the steps are overwritten.
			t.Errorf("%s is half-written: %d bytes", name, len(text))
		}
	}
}

// resultName is the file of the result of the job of another file.
func resultName(name string) string {
	job, _, _ := strings.Cut(name, ".keep.")
	return job + ".keep.result"
}

// powerOffs is how often TestRecordsPowerOff kills the emulator.
const powerOffs = 3

// TestRecordsPowerOff kills the emulator while records are written, starts it
// again, and looks whether all is there that was acknowledged. The identifiers
// come on a disk of their own.
func TestRecordsPowerOff(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	disk, acks, image := vmtest.Disk(t, stateBytes), vmtest.Disk(t, 1<<20), vmtest.Disk(t, partedBytes)
	was := &cutState{}
	for n := range powerOffs + 1 {
		vm := recordsMachine(t, image, disk, acks)
		var jobs jobList
		jobs.shell("write", writeRecords(n)...)
		jobs.patient()
		vm.Start(jobs...)
		vm.WaitEvent("writing")
		if n == powerOffs {
			vm.Wait().Output("write")
		} else {
			time.Sleep(time.Duration(rand.Int64N(int64(1500 * time.Millisecond))))
			vm.PowerOff()
		}
		b, err := os.ReadFile(disk)
		if err != nil {
			t.Fatal(err)
		}
		is, known := recoverState(t, b), acknowledgedOn(t, acks)
		is.check(t, was, known)
		t.Logf("start %d: %d records, %d acknowledged", n+1, len(is.records), len(known))
		if len(known) <= len(was.records)-1 || len(known) == 0 {
			t.Errorf("start %d: %d records were acknowledged, before %d were there", n+1, len(known), len(was.records))
		}
		was = is
	}
}

func recordsMachine(t *testing.T, image, disk, acks string) *vmtest.VM {
	virtio := func(id, path string) []string {
		return []string{"-drive", "id=" + id + ",if=none,format=raw,cache=unsafe,file=" + path, "-device", "virtio-blk-pci,drive=" + id + ",serial=QD1" + strings.ToUpper(id)}
	}
	drive := vmtest.Drive{ID: "parted", Serial: partedSerial, Namespaces: []vmtest.Namespace{{Image: image}}}.Arguments()
	return vmtest.New(t, vmtest.Config{
		Devices: slices.Concat(drive, virtio("state", disk), virtio("acks", acks)), Modules: []string{"ext4", "crc32c_generic"},
		Programs: []string{"sh", "mount", "umount", "mkfs.ext4", "mkdir", "cat", "grep", "sed", "sync", "dd", "printf"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")}, WaitFor: []string{"/dev/nvme0n1"},
	})
}

// ackBytes is the room that an identifier has on the disk of the acknowledged.
const ackBytes = 512

// writeRecords writes records in the n-th start until the power goes; in the last
// one, 2.
func writeRecords(n int) []string {
	make, loop := "true", "while true"
	if n == 0 {
		make = "mkfs.ext4 -q $disk"
	}
	if n == powerOffs {
		loop = "for i in 1 2"
	}
	return slices.Concat(findState, []string{
		"for d in /sys/block/vd*; do if grep -q QD1ACKS $d/serial; then acks=/dev/${d##*/}; fi; done",
		make, "mount $disk /state", "export XDG_STATE_HOME=/state", fmt.Sprintf("n=%d", n*100),
		loop + "; do " + qd1Path + " report --save --bench=off --vendor-logs=off " + partedSerial + " >/dev/null 2>/tmp/kept",
		"sed -n 's/.*kept as record \\([^ ,]*\\).*/\\1/p' /tmp/kept | dd of=$acks bs=512 seek=$n conv=sync,notrunc oflag=direct 2>/dev/null; n=$((n+1))",
		`echo "QD1-EVENT writing" >$QD1_EVENTS; done`, "umount /state",
	})
}

// acknowledgedOn reads the identifiers.
func acknowledgedOn(t *testing.T, acks string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(acks)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for ; len(b) >= ackBytes; b = b[ackBytes:] {
		if id := strings.Trim(string(b[:ackBytes]), "\x00\n "); id != "" {
			all[id] = true
		}
	}
	return all
}
