package vendor

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"qd1.example/qd1/nvme"
)

// Outcome is how trying a page ended.
type Outcome string

// The outcomes.
const (
	// Decoded is a page with values.
	Decoded Outcome = "decoded"
	// Unrecognized is a page that came but is not of the layout; Raw has it.
	Unrecognized Outcome = "unrecognized"
	// Refused is a page that the drive does not have.
	Refused Outcome = "refused"
	// Skipped is a page that was not asked for.
	Skipped Outcome = "skipped"
	// Failed is a page that the host could not read.
	Failed Outcome = "failed"
)

// Raw is the bytes of a page; in JSON hexadecimal.
type Raw []byte

// MarshalJSON writes the bytes in hexadecimal, null for none.
func (r Raw) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("null"), nil
	}
	return json.Marshal(hex.EncodeToString(r))
}

// Reading is one page as it was tried on a drive.
type Reading struct {
	Log
	// Outcome is how it ended.
	Outcome Outcome `json:"outcome"`
	// Problem says why there is no value, or what of it is missing. Empty if
	// nothing is.
	Problem string `json:"problem,omitempty"`
	// Status is what the drive refused the page with, nil unless Outcome is
	// Refused.
	Status *nvme.Status `json:"status"`
	// Refusals is how many commands of this reading the drive refused. Each one
	// added an entry to its error log.
	Refusals int `json:"refusals"`
	// Value is the decoded page, nil unless Outcome is Decoded.
	Value Value `json:"value"`
	// Rows are the values for people.
	Rows []Row `json:"rows"`
	// Raw is the page as it came. Nil if none came.
	Raw Raw `json:"raw"`
	// Err is what Problem says, for errors.Is. Nil if there is none.
	Err error `json:"-"`
}

// The vendor specific features of Intel drives.
const (
	fidLatencyTracking   nvme.FID = 0xE2
	fidLatencyThresholds nvme.FID = 0xF7
)

// Read tries the vendor specific log pages of a drive one by one: those of
// [Logs] for what id and model say. Pages that reading changes are read only
// with onRequest, which also asks for the features that explain the latency
// pages. It sends nothing to drives that are not in the table. It sends only Get
// Log Page and Get Features, and needs [nvme.Controller.Identify] of c before it
// to read pages of more than 4096 bytes.
//
// A refusal is a Reading; the caller must account for the entries in the error
// log (Refusals). After a failure of the host, or the end of ctx, the pages
// left are skipped.
func Read(ctx context.Context, c *nvme.Controller, id *nvme.IdentifyController, model string, onRequest bool) []Reading {
	if id == nil {
		return nil
	}
	r := reader{c: c, onRequest: onRequest}
	var readings []Reading
	for _, l := range Logs(id, id.VID, model) {
		readings = append(readings, r.try(ctx, l))
	}
	return readings
}

// reader is one pass over the pages of a drive, and what they showed so far.
type reader struct {
	c         *nvme.Controller
	onRequest bool
	directory *LogDirectory
	// undirected says that the drive refused the directory.
	undirected bool
	ocp        bool
	lost       error
}

// try reads one page, unless there is a reason not to.
func (r *reader) try(ctx context.Context, l Log) Reading {
	reading := Reading{Log: l}
	if why := r.skip(l); why != "" {
		reading.Outcome, reading.Problem = Skipped, why
		return reading
	}
	page, err := r.c.LogPage(ctx, nvme.GetLogPage{LID: l.LID, NSID: nvme.BroadcastNSID, Bytes: l.Bytes, KeepEvent: true})
	if err != nil {
		r.failed(&reading, err)
		return reading
	}
	reading.Raw = page
	value, err := noBlank(l.layout)(page)
	if err != nil {
		reading.Outcome, reading.Problem, reading.Err = Unrecognized, err.Error(), err
		return reading
	}
	reading.Outcome, reading.Value = Decoded, value
	r.learn(ctx, &reading)
	reading.Rows = value.Rows()
	return reading
}

// skip returns why a page is not asked for, "" if it is.
func (r *reader) skip(l Log) string {
	unlisted := r.directory != nil && !r.directory.Lists(l.LID)
	switch {
	case r.lost != nil:
		return fmt.Sprintf("not tried after: %v", r.lost)
	case l.Changes != "" && !r.onRequest:
		return l.Changes + "; only on request"
	case l.need == needListed && unlisted, l.need == needListedOrRequest && unlisted && !r.onRequest:
		return "the drive does not list this page"
	case l.need == needListed && r.undirected && !r.onRequest:
		return "the drive has no directory of such pages; only on request"
	case l.need == needOCP && !r.ocp:
		return "the drive showed no OCP page"
	}
	return ""
}

// failed records a page that did not come.
func (r *reader) failed(reading *Reading, err error) {
	reading.Problem, reading.Err = err.Error(), err
	var status nvme.Status
	if !errors.As(err, &status) {
		reading.Outcome, r.lost = Failed, err
		return
	}
	reading.Outcome, reading.Status, reading.Refusals = Refused, &status, 1
	r.undirected = r.undirected || reading.LID == lidDirectory
}

// learn keeps what a page says about those after it.
func (r *reader) learn(ctx context.Context, reading *Reading) {
	switch v := reading.Value.(type) {
	case *LogDirectory:
		r.directory = v
	case *OCPSMART:
		r.ocp = true
	case *LatencyStatistics:
		if r.onRequest {
			r.explain(ctx, reading, v)
		}
	}
}

// explain asks for what a latency page leaves out: where the buckets of an
// Optane drive start, and whether a page without commands means that nothing is
// counted. The answers are optional.
func (r *reader) explain(ctx context.Context, reading *Reading, v *LatencyStatistics) {
	if v.Major == revisionOptane {
		write := uint32(reading.LID - lidReadLatency)
		req := nvme.FeatureRequest{FID: fidLatencyThresholds, CDW11: write, Bytes: optaneBuckets * 4}
		if _, data, ok := r.feature(ctx, reading, req); ok {
			if err := v.SetThresholds(data); err != nil {
				reading.Problem, reading.Err = err.Error(), err
			}
		}
	}
	if v.Commands() == 0 {
		if value, _, ok := r.feature(ctx, reading, nvme.FeatureRequest{FID: fidLatencyTracking}); ok {
			on := value&1 != 0
			v.Tracking = &on
		}
	}
}

// feature asks for a feature and counts a refusal.
func (r *reader) feature(ctx context.Context, reading *Reading, req nvme.FeatureRequest) (uint32, []byte, bool) {
	if r.lost != nil {
		return 0, nil, false
	}
	value, data, err := r.c.Feature(ctx, req)
	var status nvme.Status
	switch {
	case err == nil:
		return value, data, true
	case errors.As(err, &status):
		reading.Refusals++
	default:
		r.lost = err
	}
	return 0, nil, false
}
