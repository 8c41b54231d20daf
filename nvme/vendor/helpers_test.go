package vendor

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"qd1.example/qd1/nvme"
)

// layouts is the decoder of each page of testdata.
var layouts = map[string]layout{
	"intel-p3600.ca":      as[AdditionalSMART],
	"intel-p4511.ca":      as[AdditionalSMART],
	"intel-p4610-oem.ca":  as[AdditionalSMART],
	"synthetic.ca":        as[AdditionalSMART],
	"intel-3.0.c1":        as[LatencyStatistics],
	"intel-4.1.c2":        as[LatencyStatistics],
	"optane.c1":           as[LatencyStatistics],
	"intel.c5":            as[TemperatureStatistics],
	"optane-directory.c0": as[LogDirectory],
	"optane.dd":           as[MarketingName],
	"wdc-sn640.c0":        as[OCPSMART],
	"ocp-25.c0":           as[OCPSMART],
	"ocp.c1":              as[OCPErrorRecovery],
	"ocp.c3":              as[OCPLatencyMonitor],
	"wdc-extended.c0":     as[WDCExtendedSMART],
	"wdc-eol.c0":          as[WDCEndOfLife],
	"micron-7300.d0":      as[MicronSMART],
	"micron-2200.fb":      as[MicronHealth],
	"kioxia.c0":           as[KioxiaDirectory],
}

// page returns a page of testdata.
func page(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".bin"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decoded returns a page of testdata as a T.
func decoded[T any, P interface {
	*T
	unmarshaler
}](t testing.TB, name string) P {
	t.Helper()
	v, err := as[T, P](page(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v.(P)
}

// object returns the JSON of v as a map with exact numbers.
func object(t testing.TB, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return m
}

// row returns the value of the row with a name.
func row(t testing.TB, rows []Row, name string) any {
	t.Helper()
	for _, r := range rows {
		if r.Name == name {
			return r.Value
		}
	}
	t.Errorf("no row %q in %v", name, rows)
	return nil
}

// drive is a simulated drive: pages by number, features by number. It records
// what it is sent; what it does not have it refuses.
type drive struct {
	pages    map[nvme.LID][]byte
	features map[uint32][]byte
	values   map[uint32]uint32
	sent     []nvme.Command
	broken   error
}

func (d *drive) Submit(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	d.sent = append(d.sent, *cmd)
	if d.broken != nil {
		return nvme.Completion{}, d.broken
	}
	key := cmd.CDW10 & 0xFF
	switch cmd.Opcode {
	case nvme.AdminGetLogPage:
		if b, ok := d.pages[nvme.LID(key)]; ok {
			copy(cmd.Data, b[min(len(b), int(cmd.CDW12)):])
			return nvme.Completion{}, nil
		}
		return nvme.Completion{Status: nvme.StatusInvalidLogPage}, nil
	case nvme.AdminGetFeatures:
		if data, ok := d.features[key|cmd.CDW11<<8]; ok {
			copy(cmd.Data, data)
			return nvme.Completion{Result: uint64(d.values[key])}, nil
		}
	}
	return nvme.Completion{Status: nvme.StatusInvalidField}, nil
}

// identity is Identify Controller of a drive.
func identity(vid uint16, model string) *nvme.IdentifyController {
	id := &nvme.IdentifyController{VID: vid, MDTS: 5}
	copy(id.ModelNumber[:], model+"                                        ")
	return id
}

// readAll reads the pages of a drive behind the guard that lets only reads
// through.
func readAll(t testing.TB, d *drive, id *nvme.IdentifyController, onRequest bool) []Reading {
	t.Helper()
	c := nvme.NewController(nvme.ReadOnly(d))
	return Read(t.Context(), c, id, id.ModelNumber.String(), onRequest)
}
