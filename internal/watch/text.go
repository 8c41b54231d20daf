package watch

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// heads are the columns of the text.
func heads() []string {
	return []string{"drive", "serial", "°C", "hottest", "read MB/s", "reads/s", "written MB/s", "writes/s", "throttle", "link errors", "used", "media errors"}
}

// Table writes rows as lines for people, the first one the heads of the
// columns. What is not known is "-".
func Table(rows []Row) []string {
	cells := [][]string{heads()}
	for i := range rows {
		cells = append(cells, rows[i].cells())
	}
	widths := make([]int, len(heads()))
	for _, line := range cells {
		for i, c := range line {
			if len(line) == len(widths) {
				widths[i] = max(widths[i], utf8.RuneCountInString(c))
			}
		}
	}
	var lines []string
	for n, line := range cells {
		text := columns(line, widths)
		if n > 0 && rows[n-1].Simulated {
			text += "  SIMULATED"
		}
		lines = append(lines, text)
	}
	return lines
}

func columns(line []string, widths []int) string {
	var b strings.Builder
	for i, c := range line {
		pad := ""
		if i < len(widths) {
			pad = strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c)))
		}
		switch {
		case i == 0:
			b.WriteString(c + pad)
		case i == 1 || i == len(line)-1 && len(line) < len(widths):
			b.WriteString("  " + c + pad)
		default:
			b.WriteString("  " + pad + c)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// cells are the columns of a row, or only who and why not.
func (r *Row) cells() []string {
	if r.Error != "" {
		return []string{r.Device, or(r.Serial), r.Error}
	}
	read, reads := r.HostReadBytesPerSecond, r.HostReadsPerSecond
	written, writes := r.HostWrittenBytesPerSecond, r.HostWritesPerSecond
	if read == nil {
		read, reads, written, writes = r.DriveReadBytesPerSecond, r.DriveReadsPerSecond, r.DriveWrittenBytesPerSecond, r.DriveWritesPerSecond
	}
	const mega = 1e6
	return []string{
		r.Device, or(r.Serial), text(r.CompositeTemperatureCelsius), text(r.HottestSensorCelsius),
		decimal(read, mega, 1), decimal(reads, 1, 0), decimal(written, mega, 1), decimal(writes, 1, 0),
		text(r.ThrottleTransitions), linkErrors(r), text(r.PercentageUsedPercent) + " %", text(r.MediaErrors),
	}
}

func linkErrors(r *Row) string {
	var sum *uint64
	for _, n := range []*uint64{r.LinkCorrectable, r.LinkNonFatal, r.LinkFatal} {
		if n != nil {
			total := *n
			if sum != nil {
				total += *sum
			}
			sum = &total
		}
	}
	return text(sum)
}

func or(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func text[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

func decimal(v *float64, unit float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, *v/unit)
}

// Lines writes a summary for people: each figure with its least, mean and
// greatest value, and the counters that grew.
func (s *Summary) Lines() []string {
	lines := []string{fmt.Sprintf("%s  serial %s: rows %d, without values %d, in %.0f s", s.Device, or(s.Serial), s.Rows, s.Failed, s.Seconds)}
	if s.Simulated {
		lines[0] += "  SIMULATED"
	}
	for _, f := range s.Figures {
		words, unit, by := words(f.Name)
		digits := 0
		if by != 1 {
			digits = 1
		}
		lines = append(lines, fmt.Sprintf("  %-26s min %.*f  mean %.*f  max %.*f %s", words, digits, f.Min/by, 1, f.Mean/by, digits, f.Max/by, unit))
	}
	var grown []string
	for name, n := range s.Grown {
		grown = append(grown, fmt.Sprintf("%s +%d", strings.ReplaceAll(name, "_", " "), n))
	}
	slices.Sort(grown)
	if len(grown) > 0 {
		lines = append(lines, "  grew: "+strings.Join(grown, ", "))
	}
	return lines
}

// words splits the name of a figure into words and unit, and says by what it
// is divided for it.
func words(name string) (text, unit string, by float64) {
	for _, u := range []struct {
		suffix, unit string
		by           float64
	}{{"_bytes_per_second", "MB/s", 1e6}, {"_per_second", "a second", 1}, {"_celsius", "°C", 1}} {
		if rest, ok := strings.CutSuffix(name, u.suffix); ok {
			return strings.ReplaceAll(rest, "_", " "), u.unit, u.by
		}
	}
	return name, "", 1
}

// WriteCSV writes rows, and before them the keys of a Row if head is set. What
// is not known is empty.
func WriteCSV(w io.Writer, rows []Row, head bool) error {
	c := csv.NewWriter(w)
	if head {
		if err := c.Write(Keys()); err != nil {
			return err
		}
	}
	for i := range rows {
		record, err := rows[i].record()
		if err == nil {
			err = c.Write(record)
		}
		if err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Keys are the JSON keys of a Row in order, but for the schema.
func Keys() []string { return keys(reflect.TypeFor[Row]())[1:] }

func keys(t reflect.Type) []string {
	var list []string
	for f := range t.Fields() {
		if f.Anonymous {
			list = append(list, keys(f.Type)...)
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		list = append(list, key)
	}
	return list
}

// record is the row as its JSON has it.
func (r *Row) record() ([]string, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &values); err != nil {
		return nil, err
	}
	var list []string
	for _, key := range Keys() {
		list = append(list, plain(values[key]))
	}
	return list, nil
}

// plain is a JSON value without quotes; null and what is missing are empty.
func plain(b json.RawMessage) string {
	var s string
	switch {
	case len(b) == 0 || string(b) == "null":
		return ""
	case json.Unmarshal(b, &s) == nil:
		return s
	}
	return string(b)
}
