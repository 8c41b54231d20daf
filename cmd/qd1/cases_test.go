package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// caseFolder has the pages of the problem cases.
const caseFolder = "../../nvme/testdata/cases"

// casePage returns a page of a problem case.
func casePage(t *testing.T, name string) []byte {
	t.Helper()
	b := readPage(t, filepath.Join(caseFolder, name))
	if b == nil {
		t.Fatalf("%s is missing", name)
	}
	return b
}

// caseAnswer is what a drive answers to one command.
type caseAnswer struct {
	Queue  string      `json:"queue"`
	Opcode uint8       `json:"opcode"`
	NSID   nvme.NSID   `json:"nsid"`
	CDW10  uint32      `json:"cdw10"`
	Status nvme.Status `json:"status"`
	Data   []byte      `json:"data,omitempty"`
}

// caseDrive are the answers of a drive by the name of the page.
type caseDrive map[string]*caseAnswer

// newCaseDrive is a healthy drive that older tools know: the pages of a 905P,
// with those of a case by name: "ctrl", "ns", "list", "smart", "errors", "slots".
func newCaseDrive(t *testing.T, pages map[string]string) caseDrive {
	t.Helper()
	const stem = "optane-905P-SSDPE21D960GA-fresh-1h.bin"
	data := filepath.Join("..", "..", "nvme", "testdata")
	list, slots := make([]byte, 4096), make([]byte, 512)
	binary.LittleEndian.PutUint32(list, 1)
	slots[0] = 1
	copy(slots[8:], "E2010480")
	log := func(lid nvme.LID, b []byte) *caseAnswer {
		return &caseAnswer{Opcode: nvme.AdminGetLogPage, NSID: nvme.BroadcastNSID, CDW10: uint32(lid), Data: b}
	}
	identify := func(cns nvme.CNS, nsid nvme.NSID, b []byte) *caseAnswer {
		return &caseAnswer{Opcode: nvme.AdminIdentify, NSID: nsid, CDW10: uint32(cns), Data: b}
	}
	d := caseDrive{
		"ctrl":   identify(nvme.CNSController, 0, readPage(t, filepath.Join(data, "idctrl", stem))),
		"ns":     identify(nvme.CNSNamespace, 1, readPage(t, filepath.Join(data, "idns", stem))),
		"list":   identify(nvme.CNSActiveNamespaces, 0, list),
		"smart":  log(nvme.LIDSMART, readPage(t, filepath.Join(data, "smart", stem))),
		"errors": log(nvme.LIDError, make([]byte, 4096)),
		"slots":  log(nvme.LIDFirmwareSlot, slots),
	}
	for name, file := range pages {
		d[name].Data = casePage(t, file)
	}
	return d
}

// selector writes the drive as a capture and returns the selector of it.
func (d caseDrive) selector(t *testing.T) string {
	t.Helper()
	lines := `{"capture":"qd1/1","controller":"nvme0","transport":"pcie"}` + "\n"
	for _, a := range d {
		a.Queue = "admin"
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		lines += string(b) + "\n"
	}
	file := filepath.Join(t.TempDir(), "case.jsonl")
	if err := writeFile(file, []byte(lines)); err != nil {
		t.Fatal(err)
	}
	return "replay:" + file
}

// tell runs a command on a drive and returns its JSON, which is all of stdout,
// and its text.
func (d caseDrive) tell(t *testing.T, words string) (value map[string]any, text string) {
	t.Helper()
	selector := d.selector(t)
	args := append(strings.Fields(words), selector)
	status, out, msg := run(t.Context(), append(args, "--format", "json")...)
	if status != exitDone || msg != "" {
		t.Fatalf("%s: status %d: %s", words, status, msg)
	}
	status, text, msg = run(t.Context(), args...)
	if status != exitDone || msg != "" {
		t.Fatalf("%s as text: status %d: %s", words, status, msg)
	}
	return decode(t, args, out), strings.ReplaceAll(text, "\u00a0", " ")
}

// checkValues compares values of a JSON object by path, as they are printed.
func checkValues(t *testing.T, v map[string]any, want map[string]string) {
	t.Helper()
	for path, w := range want {
		if got := fmt.Sprint(at(v, path)); got != w {
			t.Errorf("%s = %s, want %s", path, got, w)
		}
	}
}

// checkSays holds that a text has all of these, and none of those after "!".
func checkSays(t *testing.T, text string, want ...string) {
	t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, w := range want {
		part, absent := strings.CutPrefix(w, "!")
		if strings.Contains(flat, part) == absent {
			t.Errorf("text has %q: %t\n%s", part, !absent, text)
		}
	}
}

// rulesOf are the rules of the findings of a report with their severities.
func rulesOf(r map[string]any) string {
	var all []string
	findings, _ := at(r, "verdict.findings").([]any)
	for _, f := range findings {
		all = append(all, fmt.Sprint(at(f, "severity"), " ", at(f, "rule")))
	}
	return strings.Join(all, ", ")
}
