package nvme

import (
	"context"
	"encoding/binary"
	"errors"
)

const (
	// namespaceListEntries is how many identifiers one list page holds.
	namespaceListEntries = identifyBytes / 4
	// maxListPages bounds the list against a drive whose list has no end.
	maxListPages = 64
	// maxProbes bounds the search for namespaces one by one.
	maxProbes = 1024
	// maxProbeGap is how many identifiers in a row may be without a namespace
	// before the search ends. A drive may log an error for each of them.
	maxProbeGap = 32
)

// errBadList is a namespace list that cannot be one.
var errBadList = errors.New("namespace list is not in order")

// ActiveNamespaces returns the identifiers of the active namespaces, in order:
// those of the active namespace list (CNS 02h) or, on a drive without one,
// those up to NN that are not inactive by Identify Namespace. That search is
// bounded: it ends at 1024 or after 32 identifiers in a row without a namespace. A nil
// id stands for [Controller.Identify].
//
// A drive with an NN of 1 is not asked for the list: it has nothing to add,
// and drives older than NVMe 1.1 log an error for it.
//
// Drives of NVMe 1.0 may take the command for Identify Namespace; a list that
// is not in order or goes beyond NN counts as none.
func (c *Controller) ActiveNamespaces(ctx context.Context, id *IdentifyController) ([]NSID, error) {
	if id == nil {
		var err error
		if id, err = c.Identify(ctx); err != nil {
			return nil, err
		}
	}
	if id.NN == 1 {
		return c.probeNamespaces(ctx, 1)
	}
	list, err := c.namespaceList(ctx, CNSActiveNamespaces, id.NN)
	if errors.Is(err, ErrNotSupported) || errors.Is(err, StatusInvalidNamespace) || errors.Is(err, errBadList) {
		return c.probeNamespaces(ctx, id.NN)
	}
	return list, err
}

// AllocatedNamespaces returns the identifiers of all namespaces of the NVM
// subsystem that exist (CNS 10h), in order, whether or not they are attached to
// this controller: what a command that reaches all namespaces reaches. Ask only
// where OACSNamespaceManagement is set, as drives without it log an error: that
// is not checked here. Such a drive has no namespaces but the active ones.
func (c *Controller) AllocatedNamespaces(ctx context.Context) ([]NSID, error) {
	return c.namespaceList(ctx, CNSAllocatedNamespaces, 0)
}

// namespaceList reads a list of namespaces until a page is not full.
func (c *Controller) namespaceList(ctx context.Context, cns CNS, nn uint32) ([]NSID, error) {
	var list []NSID
	var last NSID
	for range maxListPages {
		page, err := c.IdentifyPage(ctx, cns, last)
		if err != nil {
			return nil, err
		}
		more, err := parseNamespaceList(page, last, nn)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		if len(more) < namespaceListEntries {
			break
		}
		last = list[len(list)-1]
	}
	return list, nil
}

// parseNamespaceList returns the identifiers of one page, which must rise from
// after and not go beyond nn; an nn of 0 is not known.
func parseNamespaceList(page []byte, after NSID, nn uint32) ([]NSID, error) {
	var list []NSID
	for ; len(page) >= 4; page = page[4:] {
		nsid := NSID(binary.LittleEndian.Uint32(page))
		if nsid == 0 {
			break
		}
		if nsid <= after || nn != 0 && uint32(nsid) > nn {
			return nil, errBadList
		}
		list = append(list, nsid)
		after = nsid
	}
	return list, nil
}

// probeNamespaces asks for Identify Namespace of each identifier. Drives
// behind some bridges say that NN is 0, so the first is asked for always.
func (c *Controller) probeNamespaces(ctx context.Context, nn uint32) ([]NSID, error) {
	var list []NSID
	last := NSID(max(min(nn, maxProbes), 1))
	for nsid, gap := NSID(1), 0; nsid <= last && gap < maxProbeGap; nsid++ {
		active, err := c.isActive(ctx, nsid)
		if err != nil {
			return list, err
		}
		gap++
		if active {
			list = append(list, nsid)
			gap = 0
		}
	}
	return list, nil
}

func (c *Controller) isActive(ctx context.Context, nsid NSID) (bool, error) {
	ns, err := c.IdentifyNamespace(ctx, nsid)
	if errors.Is(err, StatusInvalidNamespace) || errors.Is(err, StatusInvalidField) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return !ns.Inactive(), nil
}
