package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"qd1.example/qd1/nvme"
)

// Fingerprint is a digest of identity, radius with its signatures, and
// commands: what a user saw when he agreed. Two processes that look at the same
// drive for the same operation get the same.
func (c *Case) Fingerprint() string {
	seen := struct {
		Name       string
		Identity   Identity
		Radius     []Member
		Commands   []string
		Namespaces []nvme.NSID
		Writes     bool
		KeepsData  bool
		Timeout    time.Duration
	}{c.op.Name, c.Identity, c.Radius, nil, c.op.Namespaces, c.op.Writes, c.op.KeepsData, c.op.Timeout}
	for i := range c.op.Commands {
		seen.Commands = append(seen.Commands, dwords(&c.op.Commands[i]))
	}
	text, err := json.Marshal(seen)
	if err != nil {
		// Strings and numbers only: it cannot be. A digest that is never equal
		// to another refuses.
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// dwords writes everything of a command but its data.
func dwords(c *nvme.Command) string {
	return fmt.Sprintf("%s %02Xh nsid %08X cdw2 %08X cdw3 %08X cdw10 %08X %08X %08X %08X %08X %08X",
		c.Queue, c.Opcode, uint32(c.NSID), c.CDW2, c.CDW3, c.CDW10, c.CDW11, c.CDW12, c.CDW13, c.CDW14, c.CDW15)
}

// changed says what differs between two inspections for people.
func changed(before, after *Case) string {
	switch {
	case before.stamp != after.stamp || before.Identity.Serial != after.Identity.Serial:
		return fmt.Sprintf("it is now another drive: %s %s", after.Identity.Model, after.Identity.Serial)
	case before.Identity != after.Identity:
		return fmt.Sprintf("its identity was %+v and is %+v", before.Identity, after.Identity)
	case len(before.Radius) != len(after.Radius):
		return fmt.Sprintf("%d namespaces were affected, and now %d are", len(before.Radius), len(after.Radius))
	}
	for i := range before.Radius {
		b, a := before.Radius[i], after.Radius[i]
		if !sameJSON(b.Signatures, a.Signatures) {
			return "what lies on " + b.name() + " has changed"
		}
		if !sameJSON(b, a) {
			return b.name() + " has changed"
		}
	}
	return "the operation has changed"
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
