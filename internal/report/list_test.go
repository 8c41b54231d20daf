package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/sysfs"
)

// twoNamespaces is a controller with a namespace that has nodes and one that
// has none.
func twoNamespaces() *sysfs.Controller {
	return &sysfs.Controller{Name: "nvme3", Namespaces: []sysfs.Namespace{
		{NSID: 1, Block: "nvme5n1", Generic: "ng5n1", Partitions: []string{"nvme5n1p1", "nvme5n1p2"}}, {NSID: 2, Hidden: true},
	}}
}

func TestNodes(t *testing.T) {
	if diff := cmp.Diff([]string{"nvme3", "nvme5n1", "ng5n1"}, Nodes(twoNamespaces())); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

func TestSetInUse(t *testing.T) {
	s := &inuse.Survey{}
	for _, device := range []string{"nvme3", "nvme3n1", "nvme5n1p2", "nvme5n1p20", "ng5n1", "nvme5n2"} {
		s.Uses = append(s.Uses, inuse.Use{Kind: inuse.OpenFile, Device: device})
	}
	var r Row
	r.SetInUse(s, twoNamespaces())
	var got []string
	for _, u := range r.InUse {
		got = append(got, u.Device)
	}
	if diff := cmp.Diff([]string{"nvme3", "nvme5n1p2", "ng5n1"}, got); diff != "" {
		t.Errorf("used devices (-want +got):\n%s", diff)
	}
	if r.SetInUse(&inuse.Survey{}, twoNamespaces()); r.InUse == nil || len(r.InUse) != 0 {
		t.Errorf("nobody found gives %#v, want an empty array", r.InUse)
	}
}
