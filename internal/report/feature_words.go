package report

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// HostMemory is memory of the host that the drive uses in place of its own.
type HostMemory struct {
	Enabled bool `json:"enabled"`
	// PreferredBytes is what the drive wants, LeastBytes what it needs to use any.
	PreferredBytes uint64 `json:"preferred_bytes"`
	LeastBytes     uint64 `json:"least_bytes"`
	// GrantedBytes is what the kernel gave, in GrantedPieces; 0 while it is off.
	GrantedBytes  uint64 `json:"granted_bytes"`
	GrantedPieces uint32 `json:"granted_pieces"`
}

// PowerTransition is what an idle drive does by itself.
type PowerTransition struct {
	// From and To are power states, After how long the drive is idle before.
	From  int    `json:"from"`
	To    int    `json:"to"`
	After uint32 `json:"after_ms"`
	// Milliwatts is the most that the drive takes there, EntryLatency and
	// ExitLatency how long it takes to get there and back at most; 0 is not
	// reported.
	Milliwatts   float64 `json:"to_max_milliwatts"`
	EntryLatency uint32  `json:"entry_us"`
	ExitLatency  uint32  `json:"exit_us"`
}

// hostMemoryUnit is the unit of HMPRE and HMMIN, and of HSIZE with the memory
// pages of the Linux driver.
const hostMemoryUnit = 4096

// decode applies the tables to what came.
func (s *Session) decode(f *Feature) error {
	f.DataHex = hex.EncodeToString(f.Raw)
	table := spec.FeatureOf(nvme.FID(f.FID))
	if table == nil {
		f.Words = plainWords(f)
		return nil
	}
	var words []string
	if table.Result != nil {
		v, err := table.Result.Decode(binary.LittleEndian.AppendUint32(nil, *f.Value))
		if err != nil {
			return err
		}
		f.Fields = &spec.Flat{Value: v}
		if w := v.Words(); w != "" {
			words = append(words, w)
		}
	}
	if data := table.DataOf(f.CDW11); data != nil && len(f.Raw) > 0 {
		v, err := data.Decode(f.Raw)
		if err != nil {
			return err
		}
		f.Data = v
		if w := v.Words(); w != "" && len(v.Lists) == 0 {
			words = append(words, w)
		}
	}
	f.Words = strings.Join(words, "; ")
	s.explain(f)
	return nil
}

// explain says of some features what their numbers mean for this drive.
func (s *Session) explain(f *Feature) {
	switch nvme.FID(f.FID) {
	case nvme.FIDPowerManagement:
		f.Words = s.powerWords(*f.Value, f.Words)
	case nvme.FIDAutonomousTransition:
		f.Transitions = s.transitions(f.Raw)
		f.Words = transitionWords(*f.Value, f.Transitions)
	case nvme.FIDHostMemoryBuffer:
		f.HostMemory = s.hostMemory(*f.Value, f.Raw)
		f.Words = f.HostMemory.words()
	case nvme.FIDTimestamp:
		f.Words = timestampWords(f.Raw)
	}
}

// plainWords are those of a feature without a table.
func plainWords(f *Feature) string {
	text := fmt.Sprintf("0x%08x", *f.Value)
	if len(f.Raw) > 0 {
		text += fmt.Sprintf(", and %d bytes", len(f.Raw))
	}
	return text
}

// powerWords add the power of the state.
func (s *Session) powerWords(value uint32, words string) string {
	states := s.ID.PowerStates()
	ps := int(value & 0x1F)
	if ps >= len(states) {
		return words
	}
	state, rest, _ := strings.Cut(words, ", ")
	if mw := states[ps].MaxMilliwatts(); mw != 0 {
		state += " (" + milliwatts(mw) + " at most)"
	}
	if rest == "" {
		return state
	}
	return state + ", " + rest
}

// milliwatts writes a power.
func milliwatts(mw float64) string {
	if mw >= 1000 {
		return fmt.Sprintf("%.4g W", mw/1000)
	}
	return fmt.Sprintf("%.4g mW", mw)
}

// transitions are the entries of the table that say something, for the power
// states that the drive has.
func (s *Session) transitions(table []byte) []PowerTransition {
	states := s.ID.PowerStates()
	list := []PowerTransition{}
	for from := range states {
		if len(table) < 8*(from+1) {
			break
		}
		entry := binary.LittleEndian.Uint64(table[8*from:])
		t := PowerTransition{From: from, To: int(entry >> 3 & 0x1F), After: uint32(entry >> 8 & 0xFFFFFF)}
		if t.After == 0 {
			continue
		}
		if t.To < len(states) {
			to := &states[t.To]
			t.Milliwatts, t.EntryLatency, t.ExitLatency = to.MaxMilliwatts(), to.EntryLatency, to.ExitLatency
		}
		list = append(list, t)
	}
	return list
}

func transitionWords(value uint32, list []PowerTransition) string {
	if value&1 == 0 {
		return "disabled"
	}
	words := []string{"enabled"}
	for _, t := range list {
		words = append(words, fmt.Sprintf("PS %d to PS %d after %s", t.From, t.To, spaced(int64(t.After))))
	}
	if len(list) == 0 {
		words = append(words, "but the table has no transition")
	}
	return strings.Join(words, ", ")
}

// hostMemory compares what the drive wants with what it has.
func (s *Session) hostMemory(value uint32, attributes []byte) *HostMemory {
	m := &HostMemory{
		Enabled:        value&1 != 0,
		PreferredBytes: uint64(s.ID.HMPRE) * hostMemoryUnit,
		LeastBytes:     uint64(s.ID.HMMIN) * hostMemoryUnit,
	}
	if m.Enabled && len(attributes) >= 16 {
		m.GrantedBytes = uint64(binary.LittleEndian.Uint32(attributes)) * hostMemoryUnit
		m.GrantedPieces = binary.LittleEndian.Uint32(attributes[12:])
	}
	return m
}

func (m *HostMemory) words() string {
	wants := fmt.Sprintf("the drive wants %s, and needs %s at least", mebibytes(m.PreferredBytes), mebibytes(m.LeastBytes))
	switch {
	case !m.Enabled:
		return "off: " + wants
	case m.GrantedBytes == 0:
		return "on, of an unknown size: " + wants
	case m.GrantedBytes < m.LeastBytes:
		return fmt.Sprintf("%s granted in %d pieces, less than it can use: %s", mebibytes(m.GrantedBytes), m.GrantedPieces, wants)
	case m.GrantedBytes < m.PreferredBytes:
		return fmt.Sprintf("%s granted in %d pieces, less than it wants: %s", mebibytes(m.GrantedBytes), m.GrantedPieces, wants)
	}
	return fmt.Sprintf("%s granted in %d pieces, all that it wants", mebibytes(m.GrantedBytes), m.GrantedPieces)
}

// mebibytes writes memory, which comes in powers of two.
func mebibytes(n uint64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// spaced writes milliseconds with a space before each unit, leaving out those
// that are 0: "10 ms", "1.5 s", "1 h 2 min 3 s".
func spaced(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	var parts []string
	if h := ms / 3_600_000; h > 0 {
		parts = append(parts, fmt.Sprintf("%d h", h))
	}
	if min := ms / 60_000 % 60; min > 0 {
		parts = append(parts, fmt.Sprintf("%d min", min))
	}
	if rest := ms % 60_000; rest > 0 {
		parts = append(parts, strconv.FormatFloat(float64(rest)/1000, 'f', -1, 64)+" s")
	}
	return strings.Join(parts, " ")
}

// timestampWords read the timestamp as a time, or as a duration where nobody set
// it.
func timestampWords(b []byte) string {
	if len(b) < 8 {
		return ""
	}
	ms := int64(binary.LittleEndian.Uint64(b) & (1<<48 - 1))
	origin := b[6] >> 1 & 7
	text := spaced(ms) + " since the last reset, set by nobody"
	if origin == 1 {
		text = time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000") + " UTC, set by the host"
	}
	if b[6]&1 != 0 {
		text += ", and may have stopped in between"
	}
	return text
}
