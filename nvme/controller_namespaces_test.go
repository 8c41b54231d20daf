package nvme

import (
	"errors"
	"slices"
	"testing"
)

// listing is a device with the active namespaces ids, which it lists page by
// page.
func listing(ids []NSID) *fake {
	return &fake{answer: func(cmd *Command) Status {
		i := 0
		for i < len(ids) && ids[i] <= cmd.NSID {
			i++
		}
		namespaceList(cmd.Data, ids[i:min(i+namespaceListEntries, len(ids))]...)
		return StatusSuccess
	}}
}

// listless is a device without a list that has the namespaces active; status
// is its answer to all others, or success with an empty page if that is 0.
func listless(list Status, active []NSID, status Status) *fake {
	return &fake{answer: func(cmd *Command) Status {
		switch {
		case CNS(cmd.CDW10) == CNSActiveNamespaces:
			return list
		case slices.Contains(active, cmd.NSID):
			cmd.Data[0] = 1
			return StatusSuccess
		}
		return status
	}}
}

func run(n NSID) []NSID {
	var ids []NSID
	for id := NSID(1); id <= n; id++ {
		ids = append(ids, id)
	}
	return ids
}

func TestActiveNamespacesList(t *testing.T) {
	tests := []struct {
		name string
		ids  []NSID
		nn   uint32
		sent int
	}{
		{"none", nil, 2, 1},
		{"one", []NSID{1}, 2, 1},
		{"with gaps", []NSID{2, 5, 128}, 128, 1},
		{"NN not known", []NSID{1, 9}, 0, 1},
		{"one short of a page", run(1023), 4096, 1},
		{"a full page", run(1024), 4096, 2},
		{"two pages", run(1030), 4096, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dev := listing(tt.ids)
			got, err := NewController(dev).ActiveNamespaces(t.Context(), &IdentifyController{NN: tt.nn})
			if err != nil || !slices.Equal(got, tt.ids) {
				t.Errorf("ActiveNamespaces = %d of them, %v, want %d", len(got), err, len(tt.ids))
			}
			if len(dev.sent) != tt.sent || dev.sent[0].NSID != 0 {
				t.Errorf("%d commands from NSID %d, want %d from 0", len(dev.sent), dev.sent[0].NSID, tt.sent)
			}
		})
	}
}

func TestActiveNamespacesListIsBounded(t *testing.T) {
	dev := &fake{answer: func(cmd *Command) Status {
		for i := range NSID(namespaceListEntries) {
			namespaceList(cmd.Data[4*i:], cmd.NSID+1+i)
		}
		return StatusSuccess
	}}
	got, err := NewController(dev).ActiveNamespaces(t.Context(), &IdentifyController{NN: 0xFFFFFFFE})
	if err != nil || len(dev.sent) != maxListPages || len(got) != maxListPages*namespaceListEntries {
		t.Errorf("%d namespaces in %d pages, %v, want an end at %d pages", len(got), len(dev.sent), err, maxListPages)
	}
}

// TestActiveNamespacesBadList checks that a list that cannot be one is not
// believed, as Identify Namespace of an NVMe 1.0 drive is.
func TestActiveNamespacesBadList(t *testing.T) {
	for name, ids := range map[string][]NSID{
		"beyond NN":  {0x6fc81ab0},
		"falling":    {2, 1},
		"repeating":  {1, 1},
		"later junk": {1, 2, 0x6fc81ab0},
	} {
		dev := &fake{answer: func(cmd *Command) Status {
			if CNS(cmd.CDW10) == CNSActiveNamespaces {
				namespaceList(cmd.Data, ids...)
			} else if cmd.NSID == 2 {
				cmd.Data[0] = 1
			}
			return StatusSuccess
		}}
		got, err := NewController(dev).ActiveNamespaces(t.Context(), &IdentifyController{NN: 3})
		if err != nil || !slices.Equal(got, []NSID{2}) {
			t.Errorf("%s: ActiveNamespaces = %v, %v, want [2]", name, got, err)
		}
	}
}

func TestActiveNamespacesSearch(t *testing.T) {
	tests := []struct {
		name   string
		list   Status
		active []NSID
		status Status
		nn     uint32
		want   []NSID
		probes int
	}{
		{"invalid field", 0x4002, []NSID{1}, 0, 2, []NSID{1}, 2},
		{"invalid opcode", 0x4001, []NSID{1, 3}, 0, 3, []NSID{1, 3}, 3},
		{"invalid namespace", 0x400B, []NSID{1}, 0, 2, []NSID{1}, 2},
		{"others refused as invalid namespace", 0x4002, []NSID{2}, 0x400B, 4, []NSID{2}, 4},
		{"others refused as invalid field", 0x4002, []NSID{2}, 0x4002, 4, []NSID{2}, 4},
		{"NN of 0", 0x4002, []NSID{1}, 0, 0, []NSID{1}, 1},
		{"none at all", 0x4002, nil, 0, 8, nil, 8},
		{"ends after a gap", 0x4002, []NSID{1, 100}, 0x400B, 128, []NSID{1}, 33},
		{"a gap of 31 does not end it", 0x4002, []NSID{1, 33}, 0, 40, []NSID{1, 33}, 40},
		{"ends at 1024", 0x4002, run(2000), 0, 0xFFFFFFFF, run(1024), 1024},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dev := listless(tt.list, tt.active, tt.status)
			got, err := NewController(dev).ActiveNamespaces(t.Context(), &IdentifyController{NN: tt.nn})
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("ActiveNamespaces = %v, %v, want %v", got, err, tt.want)
			}
			if probes := len(dev.sent) - 1; probes != tt.probes {
				t.Errorf("%d searched, want %d", probes, tt.probes)
			}
		})
	}
}

// TestActiveNamespacesOnly checks that a drive that can have one namespace is
// asked for that alone: a drive of NVMe 1.0 would log the list as an error.
func TestActiveNamespacesOnly(t *testing.T) {
	for _, tt := range []struct {
		active []NSID
		want   []NSID
	}{{[]NSID{1}, []NSID{1}}, {nil, nil}} {
		dev := listless(0x4002, tt.active, 0)
		got, err := NewController(dev).ActiveNamespaces(t.Context(), &IdentifyController{NN: 1})
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("ActiveNamespaces = %v, %v, want %v", got, err, tt.want)
		}
		if len(dev.sent) != 1 || CNS(dev.sent[0].CDW10) != CNSNamespace {
			t.Errorf("sent %+v, want Identify Namespace alone", dev.sent)
		}
	}
}

func TestActiveNamespacesErrors(t *testing.T) {
	dev := listless(0x4006, []NSID{1}, 0)
	if _, err := NewController(dev).ActiveNamespaces(t.Context(), &IdentifyController{NN: 2}); !errors.Is(err, StatusInternalError) || len(dev.sent) != 1 {
		t.Errorf("list: %v after %d commands, want Internal Error after 1", err, len(dev.sent))
	}
	dev = listless(0x4002, []NSID{1}, 0x4006)
	got, err := NewController(dev).ActiveNamespaces(t.Context(), &IdentifyController{NN: 3})
	if !errors.Is(err, StatusInternalError) || !slices.Equal(got, []NSID{1}) {
		t.Errorf("search = %v, %v, want what was found and Internal Error", got, err)
	}
}

func TestActiveNamespacesIdentifies(t *testing.T) {
	page := read(t, "idctrl", "apple-AP0512Z-macOS.bin")
	dev := &fake{answer: func(cmd *Command) Status {
		if CNS(cmd.CDW10) == CNSController {
			copy(cmd.Data, page)
		} else {
			namespaceList(cmd.Data, 1, 2, 3)
		}
		return StatusSuccess
	}}
	got, err := NewController(dev).ActiveNamespaces(t.Context(), nil)
	if err != nil || !slices.Equal(got, []NSID{1, 2, 3}) {
		t.Errorf("ActiveNamespaces = %v, %v, want [1 2 3]", got, err)
	}
}

func TestAllocatedNamespaces(t *testing.T) {
	for _, ids := range [][]NSID{nil, {1, 7}, run(1030)} {
		dev := listing(ids)
		got, err := NewController(dev).AllocatedNamespaces(t.Context())
		if err != nil || !slices.Equal(got, ids) {
			t.Errorf("AllocatedNamespaces = %v, %v, want %v", got, err, ids)
		}
		for _, cmd := range dev.sent {
			if CNS(cmd.CDW10) != CNSAllocatedNamespaces {
				t.Errorf("asked for %v", CNS(cmd.CDW10))
			}
		}
	}
	for want, dev := range map[error]*fake{
		ErrNotSupported: listless(0x4002, nil, 0x4002),
		errBadList:      {answer: func(cmd *Command) Status { namespaceList(cmd.Data, 2, 1); return StatusSuccess }},
	} {
		if _, err := NewController(dev).AllocatedNamespaces(t.Context()); !errors.Is(err, want) {
			t.Errorf("AllocatedNamespaces = %v, want %v", err, want)
		}
	}
}
