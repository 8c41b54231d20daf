package vmtest_test

import (
	"fmt"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// formatJobs format the other drives of TestErase.
func formatJobs(jobs *jobList) {
	step(jobs, extSerial, stepMeta)
	kernelSaw(jobs, "before the formats")
	qd1Job(jobs, "meta", []string{"format", metaSerial, "--ses", "0", "--format", "json"}, consent(eraseSizes[metaSerial]))
	kernelSaw(jobs, "meta")
	qd1Job(jobs, "meta text", []string{"erase", "status", metaSerial})
	qd1Job(jobs, "meta erased", []string{"erase", "run", metaSerial, "--format", "json"}, consent(eraseSizes[metaSerial]))
	step(jobs, extSerial, stepPair)
	kernelSaw(jobs, "before the pair")
	qd1Job(jobs, "pair", []string{"format", pairSerial, "--all-namespaces", "--timeout", "45m", "--format", "json"}, consent(eraseSizes[pairSerial]))
	kernelSaw(jobs, "pair")
	jobs.shell("pair blocks", "cat /sys/block/{nvme:"+pairSerial+"}n[12]/queue/logical_block_size")
	step(jobs, extSerial, stepGPT)
	jobs.shell("gpt before", "ls "+node(gptSerial)+"p1", "cat /sys/block/{nvme:"+gptSerial+"}n1/queue/logical_block_size")
	qd1Job(jobs, "gpt refused", []string{"format", gptSerial, "--lbaf", "4"}, consent(eraseSizes[gptSerial]))
	kernelSaw(jobs, "before the blocks")
	qd1Job(jobs, "gpt", []string{"format", gptSerial, "--lbaf", "4", "--format", "json", "--destroy-signature=gpt,mbr"}, consent(eraseSizes[gptSerial]))
	kernelSaw(jobs, "gpt")
	jobs.shell("gpt after", "cat /sys/block/{nvme:"+gptSerial+"}n1/queue/logical_block_size; ls "+node(gptSerial)+"p1 || echo gone")
}

// checkMetadata checks that a format without secure erase keeps the LBA format
// with its metadata and protection information, and says what it is not.
func checkMetadata(t *testing.T, res *vmtest.Results, sent []string) {
	record := object(t, res.Output("meta"))
	checkValue(t, record, "result", "done")
	checkValue(t, record, "verdict", "SKIPPED")
	if out := string(res.Output("meta text")); !strings.Contains(out, "not an erase") {
		t.Errorf("the result does not say that it was not an erase:\n%s", out)
	}
	checkKernelSaw(t, res, "meta", record)
	for _, name := range []string{"meta", "meta erased"} {
		r := object(t, res.Output(name))
		for _, key := range []string{"lbaf", "lba_bytes", "size_bytes"} {
			checkValue(t, r, "after.namespaces.0."+key, text(lookup(t, r, "before.namespaces.0."+key)))
		}
		checkValue(t, r, "radius.0.metadata_bytes", "8")
	}
	checkValue(t, object(t, res.Output("meta erased")), "verdict", "PASS")
	// LBAF 5 is 4096 + 8 bytes, protection information of type 1.
	checkFormatSet(t, sent, "lbaf 5 mset 0 pi 1 pil 0", 2)
}

// checkFormatSet checks what the emulator took out of its Format NVM commands.
func checkFormatSet(t *testing.T, lines []string, fields string, want int) {
	t.Helper()
	n := 0
	for _, line := range lines {
		if !strings.HasPrefix(line, "pci_nvme_format_set ") {
			continue
		}
		if n++; !strings.Contains(line, fields) {
			t.Errorf("the emulator formatted with %q, want %s", line, fields)
		}
	}
	if n != want {
		t.Errorf("the emulator formatted %d namespaces, want %d with %s", n, want, fields)
	}
}

// checkPair checks that a format of all namespaces keeps their blocks.
func checkPair(t *testing.T, res *vmtest.Results, sent []string) {
	record := object(t, res.Output("pair"))
	checkKernelSaw(t, res, "pair", record)
	checkValue(t, record, "commands.0.timeout_ms", "2700000")
	checkValue(t, record, "result", "done")
	if got := strings.Fields(string(res.Output("pair blocks"))); fmt.Sprint(got) != "[4096 4096]" {
		t.Errorf("bytes of a block after the format: got %v, want 4096 twice", got)
	}
	checkFormatSet(t, sent, "lbaf 4 mset 0 pi 0 pil 0", 2)
}

// checkBlockSize checks that a change of the block size takes the old
// partitions away.
func checkBlockSize(t *testing.T, res *vmtest.Results, sent []string) {
	checkNotSent(t, res.Get("gpt refused"), "gpt")
	record := object(t, res.Output("gpt"))
	checkKernelSaw(t, res, "gpt", record)
	if before := string(res.Output("gpt before")); !strings.HasSuffix(before, "512\n") {
		t.Errorf("before the format: %s", before)
	}
	if got := strings.Fields(string(res.Output("gpt after"))); fmt.Sprint(got) != "[4096 gone]" {
		t.Errorf("block size and partition after the format: got %v, want 4096 gone", got)
	}
	checkFormatSet(t, sent, "lbaf 4 mset 0 pi 0 pil 0", 1)
	checkSent(t, sent, 1)
}

// holes are what other tools let through, as command lines of ours.
func holes() map[string][]string {
	agreed := consent(eraseSizes[mountedSerial], "--destroy-signature=ext")
	return map[string][]string{
		"hole controller node": append([]string{"format", "/dev/{nvme:" + mountedSerial + "}", "-n", "1"}, agreed...),
		"hole generic node":    append([]string{"format", "/dev/{ng:" + mountedSerial + "}n1"}, agreed...),
		"hole mounted":         append([]string{"format", mountedSerial, "-n", "1"}, agreed...),
		"hole erase mounted":   append([]string{"erase", "run", mountedSerial}, agreed...),
		"hole force":           append([]string{"format", mountedSerial, "--force"}, agreed...),
	}
}

// holeJobs let nvme-cli do to the mounted drive what qd1 refuses.
func holeJobs(jobs *jobList) {
	step(jobs, extSerial, stepOther)
	kernelSaw(jobs, "before nvme-cli")
	jobs.add("nvme-cli", "nvme", "format", "/dev/{nvme:"+mountedSerial+"}", "-n", "1", "-t", "1234567", "--force")
	kernelSaw(jobs, "nvme-cli")
	jobs.add("nvme-cli all", "nvme", "format", "/dev/{nvme:"+pairSerial+"}", "-n", "0xffffffff", "--force")
	kernelSaw(jobs, "nvme-cli all")
}

// checkHoles checks that all are refused, and tells what nvme-cli does.
func checkHoles(t *testing.T, res *vmtest.Results, sent []string) {
	for name := range holes() {
		r := res.Get(name)
		if name == "hole force" {
			if r.Exit != 2 || !strings.Contains(string(r.Stderr), "force") {
				t.Errorf("%s: want exit status 2:\n%s", name, vmtest.Describe(r))
			}
			continue
		}
		says := "serial"
		if strings.HasSuffix(name, "mounted") {
			says = "/mnt/mounted"
		}
		checkNotSent(t, r, says)
	}
	checkSent(t, sent, 0)
	for _, name := range []string{"nvme-cli", "nvme-cli all"} {
		r := res.Get(name)
		t.Logf("%s: exit status %d, %s%s; the kernel got %v", name, r.Exit, r.Stdout, r.Stderr, sentFormats(t, res, name))
	}
}
