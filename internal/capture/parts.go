package capture

import "qd1.example/qd1/nvme"

// parts finds log pages that were read in parts, so that an identity which
// begins in one part and ends in the next is found.
type parts struct {
	open map[key]*part
	all  []*part
}

// part is a log page as far as it was read without a gap.
type part struct {
	// lines are the exchanges, by their place in the capture, and lengths the
	// bytes of each.
	lines   []int
	lengths []int
	data    []byte
	// next is the offset at which the next exchange would go on, bytes.
	next uint64
}

// add takes the exchange of a line.
func (p *parts) add(line int, e *exchange) {
	k, err := newKey(e)
	if err != nil || k.queue != nvme.AdminQueue || k.opcode != nvme.AdminGetLogPage || len(e.Data) == 0 {
		return
	}
	offset := uint64(k.cdw13)<<32 | uint64(k.cdw12)
	k.cdw12, k.cdw13 = 0, 0
	q := p.open[k]
	if q == nil || q.next != offset {
		q = &part{}
		if p.open == nil {
			p.open = map[key]*part{}
		}
		p.open[k] = q
		p.all = append(p.all, q)
	}
	q.lines, q.lengths = append(q.lines, line), append(q.lengths, len(e.Data))
	q.data = append(q.data, e.Data...)
	q.next = offset + uint64(len(e.Data))
}

// redacted returns the data of the lines that are parts of a longer page.
func (p *parts) redacted(rd *redactor) map[int][]byte {
	out := map[int][]byte{}
	for _, q := range p.all {
		if len(q.lines) < 2 {
			continue
		}
		data := []byte(rd.anywhere.Replace(string(q.data)))
		for i, line := range q.lines {
			out[line], data = data[:q.lengths[i]], data[q.lengths[i]:]
		}
	}
	return out
}
