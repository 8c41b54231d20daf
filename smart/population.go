package smart

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"qd1.example/qd1/smart/drivedb"
)

//go:generate go test -run ^TestPopulationTable$ . -update

//go:embed population.json
var populationTable []byte

// fewestDrives is the number of drives of a family below which a comparison
// with them says nothing.
const fewestDrives = 5

// Reference is what drives of one family showed in public reports.
type Reference struct {
	// Family is the product line, such as "Optane 905P".
	Family string `json:"family"`
	// Drives is the number of drives seen. They are those that somebody posted:
	// no fair sample of all.
	Drives int `json:"drives"`
	// Hours, Cycles, Unsafe, TerabytesWritten and Celsius have the values of
	// these drives in rising order, each drive once. A drive that does not
	// report one is missing from it.
	Hours            []float64 `json:"power_on_hours"`
	Cycles           []float64 `json:"power_cycles"`
	Unsafe           []float64 `json:"unsafe_shutdowns"`
	TerabytesWritten []float64 `json:"terabytes_written"`
	Celsius          []float64 `json:"celsius"`
}

// Percentile is where one value of a drive stands among those of its family.
type Percentile struct {
	// Metric is the JSON name of the value in [Reference].
	Metric string `json:"metric"`
	// Value is that of the drive.
	Value float64 `json:"value"`
	// BelowPercent and AbovePercent are the shares of the drives seen whose
	// value is lower and higher, rounded down.
	BelowPercent int `json:"below_percent"`
	AbovePercent int `json:"above_percent"`
	// Drives is the number of drives compared with.
	Drives int `json:"drives"`
	// Text is one clause for people, which names the number of drives.
	Text string `json:"text"`
}

var references = sync.OnceValue(func() []Reference {
	var all []Reference
	if err := json.Unmarshal(populationTable, &all); err != nil {
		panic(err)
	}
	return all
})

// Population returns what drives of the family of this model number showed,
// and nil if fewer than five were seen.
func Population(model string) *Reference {
	e := drivedb.Lookup(model)
	if e == nil {
		return nil
	}
	return PopulationOf(e)
}

// PopulationOf is [Population] for an entry of a drive database.
func PopulationOf(e *drivedb.Entry) *Reference {
	i := slices.IndexFunc(references(), func(r Reference) bool { return r.Family == e.Family })
	if i < 0 {
		return nil
	}
	r := references()[i]
	return &r
}

// Compare returns where the drive stands. It leaves out what the drive does
// not report.
func (r *Reference) Compare(f *Facts) []Percentile {
	if f = believable(f); f.SMART == nil {
		return nil
	}
	terabytes, _ := new(big.Rat).SetFrac(bytesOf(f.SMART.DataUnitsWritten), big.NewInt(1e12)).Float64()
	list := []Percentile{
		r.place("power_on_hours", r.Hours, f.hours(), "more hours", "fewer hours"),
		r.place("power_cycles", r.Cycles, f.SMART.PowerCycles.Float64(), "more power cycles", "fewer power cycles"),
		r.place("unsafe_shutdowns", r.Unsafe, f.SMART.UnsafeShutdowns.Float64(), "more unsafe shutdowns", "fewer unsafe shutdowns"),
	}
	if !miscounts(f) && f.knows(fieldWritten) {
		list = append(list, r.place("terabytes_written", r.TerabytesWritten, terabytes, "more written", "less written"))
	}
	if c, ok := Temperature(f.SMART.CompositeTemperature); ok {
		list = append(list, r.place("celsius", r.Celsius, float64(c), "warmer", "cooler"))
	}
	return slices.DeleteFunc(list, func(p Percentile) bool { return p.Drives < fewestDrives || !f.knows(p.Metric) })
}

// place counts the drives below and above a value.
func (r *Reference) place(metric string, sorted []float64, value float64, more, less string) Percentile {
	first, _ := slices.BinarySearch(sorted, value)
	above := len(sorted) - first
	for above > 0 && sorted[len(sorted)-above] == value {
		above--
	}
	n := max(1, len(sorted))
	p := Percentile{Metric: metric, Value: value, BelowPercent: 100 * first / n, AbovePercent: 100 * above / n, Drives: len(sorted)}
	word, share := more, p.BelowPercent
	if p.AbovePercent > p.BelowPercent {
		word, share = less, p.AbovePercent
	}
	p.Text = fmt.Sprintf("%s than %d %% of %d %s seen", word, share, len(sorted), r.Family)
	return p
}
