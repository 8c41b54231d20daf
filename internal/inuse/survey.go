package inuse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// survey is a survey under way. The gatherers fill ends and edges for all
// devices of the host; then the ways up from each root are walked.
type survey struct {
	*Host
	ctx    context.Context
	blocks blocks
	// chars are the character devices that were asked for.
	chars map[devno]bool
	// groups are the processes that see the same mounts, ours first.
	groups []*group
	// mounts are all mounts, each once; own are those of our namespace.
	mounts, own []mount
	// denied counts processes that could not be looked into.
	denied int
	habits []habit

	ends  map[devno][]end
	edges map[devno][]edge
	out   Survey
}

// end is a use that leads no further.
type end struct {
	kind    Kind
	name    string
	pid     int
	process string
	// clause says it after the name of the device: "is mounted on /srv".
	clause string
}

// edge is a device that lies on another.
type edge struct {
	to devno
	end
	// label is what Use.Through has for it.
	label string
	// partition says that the edge alone is no use.
	partition bool
}

// root is a device that was asked for, or a partition of one.
type root struct {
	name string
	devno
}

func newSurvey(ctx context.Context, h *Host) *survey {
	return &survey{
		Host: h.complete(), ctx: ctx, habits: habits(), chars: map[devno]bool{},
		ends: map[devno][]end{}, edges: map[devno][]edge{},
		out: Survey{Uses: []Use{}, Pollers: []Poller{}, Unchecked: []string{}},
	}
}

// addEnd notes a use, once.
func (s *survey) addEnd(n devno, e end) {
	if !slices.Contains(s.ends[n], e) {
		s.ends[n] = append(s.ends[n], e)
	}
}

// addEdge notes a device on another, once.
func (s *survey) addEdge(from devno, e edge) {
	same := func(other edge) bool { return other.to == e.to }
	if from != e.to && !slices.ContainsFunc(s.edges[from], same) {
		s.edges[from] = append(s.edges[from], e)
	}
}

// unchecked notes what could not be looked at.
func (s *survey) unchecked(format string, args ...any) {
	s.out.Unchecked = append(s.out.Unchecked, clean(fmt.Sprintf(format, args...)))
}

// way is the way from a root up to a device.
type way struct {
	root    root
	at      devno
	through []string
	clauses []string
	visited map[devno]bool
}

// walk finds the uses of a root and of all that lies on it.
func (s *survey) walk(r root) {
	s.climb(way{root: r, at: r.devno, visited: map[devno]bool{r.devno: true}})
}

// climb adds the uses at the end of a way and of all ways that go on from
// there. It reports whether there are lasting ones: a device that only a
// process has open is named itself too, since it outlives the process.
func (s *survey) climb(w way) bool {
	lasting := false
	for _, e := range s.ends[w.at] {
		s.emit(w, e)
		lasting = lasting || e.kind != OpenFile
	}
	for _, e := range s.edges[w.at] {
		lasting = s.follow(w, e) || lasting
	}
	return lasting
}

// follow climbs over one edge. A device that was reached on another way from
// the same root counts as used and is not walked again. The partitions of a
// root are roots themselves.
func (s *survey) follow(w way, e edge) bool {
	if e.partition && w.at == w.root.devno {
		return false
	}
	if w.visited[e.to] {
		return true
	}
	w.visited[e.to] = true
	next := w
	next.at = e.to
	next.through = append(slices.Clone(w.through), e.label)
	next.clauses = append(slices.Clone(w.clauses), e.clause)
	if s.climb(next) {
		return true
	}
	if e.partition {
		return false
	}
	s.emit(w, e.end)
	return true
}

// emit adds one use.
func (s *survey) emit(w way, e end) {
	text := w.root.name + " " + strings.Join(append(slices.Clone(w.clauses), e.clause), ", which ")
	s.out.Uses = append(s.out.Uses, Use{
		Kind: e.kind, Device: w.root.name, Through: w.through, Name: clean(e.name),
		PID: e.pid, Process: clean(e.process), Text: clean(text),
	})
}

// result returns the survey in order.
func (s *survey) result() *Survey {
	if s.denied > 0 {
		s.unchecked("the open files and mounts of %s could not be looked at for lack of permission", count(s.denied, "process", "processes"))
	}
	slices.SortStableFunc(s.out.Uses, compareUses)
	slices.SortStableFunc(s.out.Pollers, func(a, b Poller) int { return cmp.Compare(a.PID, b.PID) })
	slices.Sort(s.out.Unchecked)
	s.out.Unchecked = slices.Compact(s.out.Unchecked)
	return &s.out
}

func compareUses(a, b Use) int {
	return cmp.Or(
		natural(a.Device, b.Device),
		cmp.Compare(rank(a.Kind), rank(b.Kind)),
		natural(a.Name, b.Name),
		cmp.Compare(a.PID, b.PID),
		natural(strings.Join(a.Through, " "), strings.Join(b.Through, " ")),
		cmp.Compare(a.Text, b.Text),
	)
}

// rank puts what holds a device most firmly first.
func rank(k Kind) int {
	order := []Kind{Mount, Swap, Hibernation, Btrfs, ZFS, MD, LVM, Crypt, Multipath, DM, Bcache, DRBD, Holder, NVMet, LIO, Loop, VFIO, OpenFile}
	return slices.Index(order, k)
}
