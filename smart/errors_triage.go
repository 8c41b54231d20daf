package smart

import (
	"cmp"
	"slices"

	"qd1.example/qd1/nvme"
)

// Triage is what the error log of a drive comes to: media errors apart from
// commands that the drive refused, and where on the medium they are.
type Triage struct {
	// MediaErrors is the counter of media errors over the life of the drive, nil if
	// the SMART log was not read. The log shows its latest ones at most.
	MediaErrors *nvme.Uint128 `json:"media_errors"`
	// Media, Command, Path and Other are how many entries of the log are of each
	// category. Those of Command are harmless.
	Media   int `json:"media"`
	Command int `json:"command"`
	Path    int `json:"path"`
	Other   int `json:"other"`
	// Spots are where the media errors of the log are, the one with most entries
	// first.
	Spots []Spot `json:"spots"`
	// Opcodes are the commands of the entries, where the drive notes them: drives
	// before NVMe 2.1 do not.
	Opcodes []OpcodeCount `json:"opcodes"`
}

// Spot is logical blocks with media errors that lie close together: no more than
// a mebibyte apart.
type Spot struct {
	// NSID is the namespace.
	NSID nvme.NSID `json:"nsid"`
	// Entries is how many entries of the log are about it, LBAs how many different
	// blocks they name.
	Entries int `json:"entries"`
	LBAs    int `json:"lbas"`
	// LBAMin and LBAMax are the first and the last of the blocks.
	LBAMin uint64 `json:"lba_min"`
	LBAMax uint64 `json:"lba_max"`
	// FromEndBytes is the distance from the first block to the end of the
	// namespace, nil if the size is not known or the blocks lie behind the end.
	FromEndBytes *uint64 `json:"from_end_bytes"`
}

// OpcodeCount is how many entries name a command.
type OpcodeCount struct {
	// Opcode is the opcode, Name its name. Admin says that it is one of the admin
	// queue.
	Opcode  uint8  `json:"opcode"`
	Name    string `json:"name"`
	Admin   bool   `json:"admin"`
	Entries int    `json:"entries"`
}

// Blocks is the size of a namespace.
type Blocks struct {
	// Count is the number of logical blocks, Bytes the data bytes of one.
	Count, Bytes uint64
}

// TriageErrors looks through an error log. The SMART log may be nil. sizes are
// those of the namespaces by their NSID, as far as they are known.
func TriageErrors(log nvme.ErrorLog, s *nvme.SMARTLog, sizes map[nvme.NSID]Blocks) *Triage {
	t := &Triage{Spots: []Spot{}, Opcodes: []OpcodeCount{}}
	if s != nil {
		t.MediaErrors = new(s.MediaErrors)
	}
	media := map[nvme.NSID][]uint64{}
	for _, e := range log {
		if e.ErrorCount == 0 {
			continue
		}
		category := categoryOf(e.StatusInfo.Status().Code())
		*t.counter(category)++
		if category == CategoryMedia {
			media[e.NSID] = append(media[e.NSID], e.LBA)
		}
		t.addOpcode(&e)
	}
	for nsid, lbas := range media {
		t.Spots = append(t.Spots, spots(nsid, lbas, sizes[nsid])...)
	}
	slices.SortFunc(t.Spots, func(a, b Spot) int {
		return cmp.Or(b.Entries-a.Entries, cmp.Compare(a.NSID, b.NSID), cmp.Compare(a.LBAMin, b.LBAMin))
	})
	slices.SortFunc(t.Opcodes, func(a, b OpcodeCount) int { return cmp.Or(b.Entries-a.Entries, int(a.Opcode)-int(b.Opcode)) })
	return t
}

func (t *Triage) counter(c Category) *int {
	switch c {
	case CategoryMedia:
		return &t.Media
	case CategoryCommand:
		return &t.Command
	case CategoryPath:
		return &t.Path
	}
	return &t.Other
}

// addOpcode counts the command of an entry. 0 is none: a drive that does not note
// it has that.
func (t *Triage) addOpcode(e *nvme.ErrorLogEntry) {
	if e.Opcode == 0 {
		return
	}
	queue, admin := nvme.IOQueue, e.SQID == 0
	if admin {
		queue = nvme.AdminQueue
	}
	i := slices.IndexFunc(t.Opcodes, func(o OpcodeCount) bool { return o.Opcode == e.Opcode && o.Admin == admin })
	if i < 0 {
		i = len(t.Opcodes)
		t.Opcodes = append(t.Opcodes, OpcodeCount{Opcode: e.Opcode, Name: nvme.OpcodeName(queue, e.Opcode), Admin: admin})
	}
	t.Opcodes[i].Entries++
}

// spotBytes is how far apart blocks of one spot are at most.
const spotBytes = 1 << 20

// spots gathers the blocks of one namespace.
func spots(nsid nvme.NSID, lbas []uint64, size Blocks) []Spot {
	slices.Sort(lbas)
	apart := uint64(edgeBlocks)
	if size.Bytes != 0 {
		apart = spotBytes / size.Bytes
	}
	var list []Spot
	for i, lba := range lbas {
		if i == 0 || lba-lbas[i-1] > apart {
			list = append(list, Spot{NSID: nsid, LBAMin: lba, FromEndBytes: fromEndOf(lba, size)})
		}
		s := &list[len(list)-1]
		s.Entries++
		if s.LBAs == 0 || lba != s.LBAMax {
			s.LBAs++
		}
		s.LBAMax = lba
	}
	for i := range list {
		if list[i].LBAMax >= size.Count {
			list[i].FromEndBytes = nil
		}
	}
	return list
}

func fromEndOf(lba uint64, size Blocks) *uint64 {
	if size.Bytes == 0 || lba >= size.Count || size.Count-lba > 1<<63/size.Bytes {
		return nil
	}
	return new((size.Count - lba) * size.Bytes)
}

// AtEnd reports whether the spot lies in the last mebibyte of the namespace.
func (s *Spot) AtEnd() bool { return s.FromEndBytes != nil && *s.FromEndBytes <= spotBytes }
