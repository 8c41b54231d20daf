package report

import (
	"context"
	"errors"
	"fmt"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// Feature is a value of a feature of the drive.
type Feature struct {
	// FID is the Feature Identifier, Name the word of the command line ("" for one
	// without a table), Title the specification's words.
	FID   uint8  `json:"fid"`
	Name  string `json:"name"`
	Title string `json:"title"`
	// Select is which value it is: current, default, saved, supported.
	Select string `json:"select"`
	// NSID and CDW11 are what the drive was asked with, 0 for nothing.
	NSID  nvme.NSID `json:"nsid"`
	CDW11 uint32    `json:"cdw11"`
	// Value is dword 0 of the completion, nil for supported capabilities.
	Value *uint32 `json:"value"`
	// Fields are the parts of Value, nil where there is no table for it.
	Fields *spec.Flat `json:"fields"`
	// Words say what the value means.
	Words string `json:"words"`
	// Data is the data structure, nil for none or one without a table; DataHex are
	// its bytes.
	Data    *spec.Value `json:"data"`
	DataHex string      `json:"data_hex,omitempty"`
	// Capabilities are nil where the drive does not tell them.
	Capabilities *FeatureCapabilities `json:"capabilities"`
	// HostMemory is of the Host Memory Buffer alone, Transitions are of Autonomous
	// Power State Transition.
	HostMemory  *HostMemory       `json:"host_memory,omitempty"`
	Transitions []PowerTransition `json:"transitions,omitempty"`
	// Problem is why there is no value.
	Problem *Problem `json:"error,omitempty"`
	// Raw are the bytes of the data as they came.
	Raw []byte `json:"-"`
}

// FeatureCapabilities say what can be done with a feature.
type FeatureCapabilities struct {
	// Saveable is whether a value can be kept over a power cycle, Changeable whether
	// it can be changed, NamespaceSpecific whether each namespace has its own.
	Saveable          bool `json:"saveable"`
	NamespaceSpecific bool `json:"namespace_specific"`
	Changeable        bool `json:"changeable"`
}

// FeatureQuery says which value of which feature is meant.
type FeatureQuery struct {
	FID    nvme.FID
	Select nvme.FeatureSelect
	// NSID is 0 for the namespace that was pointed at, or the first, where the
	// feature has one.
	NSID nvme.NSID
	// CDW11 and Bytes are nil for what the table of the feature says.
	CDW11 *uint32
	Bytes *int
	// UUIDIndex says which meaning a vendor specific feature has.
	UUIDIndex uint8
	// Force asks for what the drive does not list.
	Force bool
}

// SelectWord is the word of the command line for a value of Select.
func SelectWord(s nvme.FeatureSelect) string {
	words := []string{"current", "default", "saved", "supported"}
	if int(s) < len(words) {
		return words[s]
	}
	return fmt.Sprintf("select %d", s)
}

// ReadFeature reads a value of a feature. What the drive does not list is not
// asked for: that is a *Problem of [KindNotListed].
func (s *Session) ReadFeature(ctx context.Context, q FeatureQuery) (*Feature, error) {
	f, req, err := s.feature(ctx, q)
	if err != nil {
		return nil, err
	}
	value, data, err := s.Feature(ctx, req)
	if err != nil {
		return nil, problemOf(err)
	}
	if q.Select == nvme.FeatureCapabilities {
		f.Capabilities = capabilities(value)
		f.Words = f.Capabilities.words()
		return f, nil
	}
	f.Value, f.Raw = &value, data
	if err := s.decode(f); err != nil {
		return nil, err
	}
	if s.selects() {
		f.Capabilities = s.capabilities(ctx, req)
	}
	return f, nil
}

// feature makes the request of a query, if the drive lists what it asks for.
func (s *Session) feature(ctx context.Context, q FeatureQuery) (*Feature, nvme.FeatureRequest, error) {
	table := spec.FeatureOf(q.FID)
	f := &Feature{FID: uint8(q.FID), Title: q.FID.String(), Select: SelectWord(q.Select), NSID: q.NSID}
	req := nvme.FeatureRequest{FID: q.FID, Select: q.Select, NSID: q.NSID, UUIDIndex: q.UUIDIndex}
	if table != nil {
		f.Name, f.Title = table.Name, table.Title
		req.CDW11 = table.Selector(s.ID)
	}
	if q.CDW11 != nil {
		req.CDW11 = *q.CDW11
	}
	if table != nil {
		req.Bytes = table.Bytes(req.CDW11)
	}
	switch {
	case q.Select == nvme.FeatureCapabilities:
		req.Bytes = 0
	case q.Bytes != nil:
		req.Bytes = *q.Bytes
	}
	if !q.Force {
		if err := s.featureListed(ctx, table, q); err != nil {
			return nil, req, err
		}
	}
	if table != nil && table.NamespaceSpecific && req.NSID == 0 {
		nsid, err := s.DefaultNSID(ctx)
		if err != nil {
			return nil, req, err
		}
		req.NSID = nsid
	}
	f.NSID, f.CDW11 = req.NSID, req.CDW11
	return f, req, nil
}

// selects reports whether the drive has Save and Select.
func (s *Session) selects() bool { return s.ID.ONCS&nvme.ONCSSaveSelect != 0 }

// featureListed returns the problem of a value that the drive does not list.
func (s *Session) featureListed(ctx context.Context, table *spec.Feature, q FeatureQuery) error {
	title := q.FID.String()
	if q.Select != nvme.FeatureCurrent && !s.selects() {
		return NotListed("the "+SelectWord(q.Select)+" value of "+title, "the drive has current values only (ONCS bit 4, Save and Select)")
	}
	ok, why := false, "nothing says whether the drive has it"
	if table != nil {
		ok, why = table.When.Listed(s.ID)
	}
	if !ok {
		if supported := s.featureLog(ctx); supported == nil || !supported[q.FID] {
			return NotListed(title, why)
		}
	}
	if q.FID == nvme.FIDPredictableWindow && !s.predictable(ctx, q) {
		return NotListed(title, "Predictable Latency Mode is off, and there is no window")
	}
	return nil
}

// predictable reports whether Predictable Latency Mode is on.
func (s *Session) predictable(ctx context.Context, q FeatureQuery) bool {
	q.FID, q.Select, q.Bytes = nvme.FIDPredictableLatency, nvme.FeatureCurrent, nil
	f, err := s.ReadFeature(ctx, q)
	return err == nil && *f.Value&1 != 0
}

// The log pages that say which log pages and which features there are, 4 bytes
// for each identifier, of which bit 0 says that it is supported.
//
// Source: NVM Express Base Specification, Revision 2.1, Supported Log Pages;
// Feature Identifiers Supported and Effects.
const (
	lidSupportedLogs nvme.LID = 0x00
	lidFeatures      nvme.LID = 0x12
	identifiersBytes          = 256 * 4
)

// featureLog returns which features the drive's own log lists, nil if it has no
// such log or one that lists nothing.
func (s *Session) featureLog(ctx context.Context) map[nvme.FID]bool {
	if s.ID.LPA&nvme.LPASupportedLogs == 0 {
		return nil
	}
	logs, err := s.identifiers(ctx, lidSupportedLogs)
	if err != nil || logs[4*int(lidFeatures)]&1 == 0 {
		return nil
	}
	page, err := s.identifiers(ctx, lidFeatures)
	if err != nil {
		return nil
	}
	var listed map[nvme.FID]bool
	for fid := range 256 {
		if page[4*fid]&1 == 0 {
			continue
		}
		if listed == nil {
			listed = map[nvme.FID]bool{}
		}
		listed[nvme.FID(fid)] = true
	}
	return listed
}

func (s *Session) identifiers(ctx context.Context, lid nvme.LID) ([]byte, error) {
	return s.LogPage(ctx, nvme.GetLogPage{LID: lid, NSID: nvme.BroadcastNSID, Bytes: identifiersBytes, KeepEvent: true})
}

// capabilities asks what can be done with a feature, nil if the drive does not
// tell.
func (s *Session) capabilities(ctx context.Context, req nvme.FeatureRequest) *FeatureCapabilities {
	req.Select, req.Bytes = nvme.FeatureCapabilities, 0
	value, _, err := s.Feature(ctx, req)
	if err != nil {
		return nil
	}
	return capabilities(value)
}

func capabilities(value uint32) *FeatureCapabilities {
	c := nvme.FeatureCapability(value)
	return &FeatureCapabilities{
		Saveable: c&nvme.FeatureSaveable != 0, NamespaceSpecific: c&nvme.FeatureNamespaceSpecific != 0, Changeable: c&nvme.FeatureChangeable != 0,
	}
}

// words are the capabilities for people.
func (c *FeatureCapabilities) words() string {
	word := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	return word(c.Changeable, "changeable", "not changeable") + ", " + word(c.Saveable, "saveable", "not saveable") + ", " +
		word(c.NamespaceSpecific, "of a namespace", "of the controller")
}

// NotAsked is a feature that the drive does not list.
type NotAsked struct {
	FID   uint8  `json:"fid"`
	Name  string `json:"name"`
	Title string `json:"title"`
	// Why says what is missing.
	Why string `json:"why"`
}

// FeatureList are the features of a drive.
type FeatureList struct {
	Features []Feature  `json:"features"`
	NotAsked []NotAsked `json:"not_asked"`
}

// ReadFeatures reads the current value, or another, of every feature that the
// drive lists. One that fails stays in the list with its problem.
func (s *Session) ReadFeatures(ctx context.Context, which nvme.FeatureSelect) (*FeatureList, error) {
	if which != nvme.FeatureCurrent && !s.selects() {
		return nil, &Problem{Kind: KindNotListed, Text: "the drive has current values of features only (ONCS bit 4, Save and Select)"}
	}
	list := &FeatureList{Features: []Feature{}, NotAsked: []NotAsked{}}
	logged := s.featureLog(ctx)
	for _, table := range spec.Features() {
		fid := nvme.FID(table.FID)
		ok, why := table.When.Listed(s.ID)
		if !ok && !logged[fid] {
			list.NotAsked = append(list.NotAsked, NotAsked{table.FID, table.Name, table.Title, why})
			continue
		}
		f, err := s.ReadFeature(ctx, FeatureQuery{FID: fid, Select: which, Force: fid != nvme.FIDPredictableWindow})
		var problem *Problem
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &problem) && problem.Kind == KindNotListed:
			list.NotAsked = append(list.NotAsked, NotAsked{table.FID, table.Name, table.Title, problem.Text})
			continue
		default:
			f = &Feature{FID: table.FID, Name: table.Name, Title: table.Title, Select: SelectWord(which), Problem: problemOf(err)}
		}
		list.Features = append(list.Features, *f)
	}
	return list, nil
}
