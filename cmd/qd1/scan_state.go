package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/state"
	"qd1.example/qd1/internal/surface"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// scanState is where the map of one scan is kept until it is complete.
type scanState struct {
	path string
	lock io.Closer
}

// openScanState takes the place of the scan of a subject for this process.
func openScanState(subject string) (*scanState, error) {
	dir, err := stateDir()
	if err != nil {
		return nil, failf("set XDG_STATE_HOME", "there is no place to keep what was read: %w", err)
	}
	dir = filepath.Join(dir, "scans")
	if err := state.Make(dir); err != nil {
		return nil, failf("set XDG_STATE_HOME to a folder that only you can write to", "there is no place to keep what was read: %w", err)
	}
	sum := sha256.Sum256([]byte(subject))
	s := &scanState{path: filepath.Join(dir, hex.EncodeToString(sum[:8])+".json")}
	s.lock, err = state.Lock(s.path + ".lock")
	if errors.Is(err, state.ErrLocked) {
		return nil, failf("wait for it, or end it with Ctrl-C", "another scan of it is under way")
	}
	return s, err
}

// load returns the map that was kept, nil for none.
func (s *scanState) load() (*surface.Map, error) {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := new(surface.Map)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, failf("remove the file to begin anew", "%s: %w", s.path, err)
	}
	return m, nil
}

func (s *scanState) save(m *surface.Map) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := state.WriteFile(s.path, b, 0o600); err != nil {
		return fmt.Errorf("what was read could not be kept: %w", err)
	}
	return nil
}

// remove forgets a map that is complete.
func (s *scanState) remove() { _ = os.Remove(s.path) }

func (s *scanState) close() { _ = s.lock.Close() }

// spotsOf are the blocks that an error log names as not readable, or not
// writable: those of errors of the medium and of the integrity of data.
func spotsOf(log nvme.ErrorLog) []surface.Spot {
	spots := []surface.Spot{}
	for i := range log {
		e := &log[i]
		status := e.StatusInfo.Status()
		if e.ErrorCount == 0 || status.SCT() != mediaErrors || e.NSID == 0 || e.NSID == nvme.BroadcastNSID {
			continue
		}
		at := slices.IndexFunc(spots, func(s surface.Spot) bool { return s.LBA == e.LBA && s.NSID == uint32(e.NSID) })
		if at < 0 { // The newest comes first.
			spots = append(spots, surface.Spot{LBA: e.LBA, NSID: uint32(e.NSID), Status: status.String()})
			at = len(spots) - 1
		}
		spots[at].Entries++
	}
	slices.SortFunc(spots, func(a, b surface.Spot) int { return cmp.Or(cmp.Compare(a.NSID, b.NSID), cmp.Compare(a.LBA, b.LBA)) })
	return spots
}

// mediaErrors is the Status Code Type of Media and Data Integrity Errors.
const mediaErrors = 2

// relook reads the blocks again, one namespace after the other.
func (s *scanRun) relook(ctx context.Context, session *report.Session, spots []surface.Spot) error {
	for from := 0; from < len(spots); {
		to := from
		for to < len(spots) && spots[to].NSID == spots[from].NSID {
			to++
		}
		group := spots[from:to]
		t, why := relookTarget(session, group[0].NSID)
		if t == nil {
			for i := range group {
				group[i].Error = why
			}
		} else if err := surface.Relook(ctx, *t, group, s.in.env.scanWorker(s.limit)); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// relookTarget is the whole namespace, nil with a reason where it cannot be read.
func relookTarget(session *report.Session, nsid uint32) (*bench.Target, string) {
	d := session.Drive
	switch first := d.Host.Namespaces; {
	case d.Target == nil:
		return nil, cmp.Or(d.WhyNoTarget, "a capture has no data to read")
	case d.Target.Kind != bench.SimulatedTarget:
		return blockTarget(d.Host, &sysfs.Selection{NSID: nsid})
	case len(first) == 0 || first[0].NSID != nsid:
		return nil, "of a simulated drive only the first namespace is read"
	}
	return d.Target, ""
}
