package smart

import (
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// seen is one thing that drives with a model number showed, and how many did.
type seen struct {
	value  string
	drives int
}

// listed reads a list such as "0x8086/0x1028:3 0x144d:1".
func listed(list string) []seen {
	var all []seen
	for _, item := range strings.Fields(list) {
		if i := strings.LastIndexByte(item, ':'); i > 0 {
			n, _ := strconv.Atoi(item[i+1:])
			all = append(all, seen{item[:i], n})
		}
	}
	return all
}

// TestFleetIdentity holds which of 14 264 drives in public reports are said to
// be something else: what of each model number, one fact at a time. A sign
// that many genuine drives show is no sign.
func TestFleetIdentity(t *testing.T) {
	file, err := os.Open("drivedb/testdata/models_observed.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	hits := 0
	for _, r := range rows[1:] {
		for _, x := range factsSeen(t, r) {
			for _, s := range Plausibility(x.facts, "").Signs {
				fmt.Fprintf(&got, "%s | %s | %d drives | %s\n", r[0], s.ID, x.drives, s.Evidence)
				hits += x.drives
			}
			for _, d := range DefectsOf(x.facts.model(), x.facts.firmware()) {
				if d.Firmware != "" || d.Below != "" {
					fmt.Fprintf(&got, "%s | %s | %d drives | defect %s\n", r[0], x.facts.firmware(), x.drives, d.ID)
				}
			}
			if company := lineageOf(x.facts.model(), x.facts.firmware()); company != "" {
				fmt.Fprintf(&got, "%s | %s | %d drives | firmware for %s\n", r[0], x.facts.firmware(), x.drives, company)
			}
		}
	}
	if hits > fleet/100 {
		t.Errorf("%d of %d drives show a sign of a forgery, want at most 1 %%", hits, fleet)
	}
	golden(t, "testdata/fleet.golden", got.String())
}

// factsSeen gives facts that have one of the things seen each.
func factsSeen(t *testing.T, r []string) []struct {
	facts  *Facts
	drives int
} {
	var all []struct {
		facts  *Facts
		drives int
	}
	add := func(drives int, set func(*Facts)) {
		f := &Facts{ModelNumber: r[0], Model: drivedb.Lookup(r[0])}
		set(f)
		all = append(all, struct {
			facts  *Facts
			drives int
		}{f, drives})
	}
	for _, x := range listed(r[2]) {
		add(x.drives, func(f *Facts) { f.Firmware = x.value })
	}
	for _, x := range listed(r[3]) {
		id, err := strconv.ParseUint(x.value[2:6], 16, 16)
		if err != nil {
			t.Fatal(err)
		}
		add(x.drives, func(f *Facts) { f.PCIVendorID = uint16(id) })
	}
	for _, x := range listed(r[4]) {
		b, err := hex.DecodeString(strings.TrimPrefix(x.value, "0x"))
		if err != nil || len(b) != 3 {
			t.Fatal(r[0], x.value, err)
		}
		slices.Reverse(b)
		add(x.drives, func(f *Facts) {
			f.Controller = &nvme.IdentifyController{IEEE: nvme.OUI(b)}
			copy(f.Controller.SerialNumber[:], "S")
		})
	}
	for _, x := range listed(r[6]) {
		n, err := strconv.ParseUint(strings.TrimSuffix(x.value, "%"), 10, 8)
		if err != nil {
			t.Fatal(err)
		}
		add(x.drives, func(f *Facts) {
			f.SMART = healthy()
			f.SMART.AvailableSpareThreshold = uint8(n)
		})
	}
	return all
}
