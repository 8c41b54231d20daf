package erase

import (
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/nvme"
)

// Bits of SANICAP.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify Controller
// data structure, Sanitize Capabilities.
const (
	sanicapCrypto    = 1 << 0
	sanicapBlock     = 1 << 1
	sanicapOverwrite = 1 << 2
)

// candidate is a technique and why it is not to be had.
type candidate struct {
	technique Technique
	// name is in the specification's words.
	name string
	// lacks says what is missing, "" if the drive has it.
	lacks string
	// avoid says why it is not chosen by itself, "" for no reason.
	avoid string
}

// candidates are all techniques, the best first.
func (c *chooser) candidates() []candidate {
	id := c.facts.Controller
	sanitize := func(t Technique, bit uint32, name string) candidate {
		found := candidate{technique: t, name: name, avoid: c.tooFar()}
		switch {
		case id.SANICAP&(sanicapCrypto|sanicapBlock|sanicapOverwrite) == 0:
			found.lacks = "no sanitize: SANICAP has none of its actions"
		case id.SANICAP&bit == 0:
			found.lacks = "no " + name + ": SANICAP does not have it"
		}
		return found
	}
	return []candidate{
		sanitize(SanitizeBlock, sanicapBlock, "Sanitize, Block Erase"),
		sanitize(SanitizeCrypto, sanicapCrypto, "Sanitize, Crypto Erase"),
		{technique: FormatCrypto, name: "Format NVM, Cryptographic Erase (SES 2)", lacks: lacksCrypto(id)},
		{technique: FormatUserData, name: "Format NVM, User Data Erase (SES 1)", lacks: lacksFormat(id)},
		sanitize(SanitizeOverwrite, sanicapOverwrite, "Sanitize, Overwrite"),
		{technique: Overwrite, name: "zeroes written by the host", lacks: c.lacksMedium()},
		{technique: ExitFailure, name: "Sanitize, Exit Failure Mode", lacks: c.lacksFailure(), avoid: "it erases nothing"},
		{technique: Format, name: "Format NVM without secure erase (SES 0)", lacks: lacksFormat(id), avoid: "it is not an erase"},
	}
}

// lacksFailure says why there is no failure mode to leave.
func (c *chooser) lacksFailure() string {
	if l := c.facts.Sanitize; l == nil || l.Status.State() != nvme.SanitizeFailed {
		return "no failure mode to leave: no sanitize operation has failed"
	}
	return ""
}

func lacksFormat(id *nvme.IdentifyController) string {
	if id.OACS&nvme.OACSFormat == 0 {
		return "no format: OACS bit 1 is clear"
	}
	return ""
}

func lacksCrypto(id *nvme.IdentifyController) string {
	if lacks := lacksFormat(id); lacks != "" {
		return lacks
	}
	if id.FNA&nvme.FNACryptoErase == 0 {
		return "no cryptographic erase by format: FNA bit 2 is clear"
	}
	return ""
}

// lacksMedium says what keeps the host from overwriting.
func (c *chooser) lacksMedium() string {
	for _, n := range c.targets {
		if n.Identify == nil || n.Identify.MetadataInLBA() || n.Identify.Format().DataBytes() == 0 {
			return fmt.Sprintf("no overwriting by the host: it has no block device of namespace %d", n.NSID)
		}
	}
	if len(c.targets) == 0 {
		return "no overwriting by the host: there is no namespace"
	}
	return ""
}

// tooFar says why sanitize would go beyond what is meant.
func (c *chooser) tooFar() string {
	if len(c.targets) == len(c.facts.Namespaces) {
		return ""
	}
	return "it would erase every namespace of the subsystem: " + list(c.facts.Namespaces)
}

// technique returns what was asked for or the best, with the reasons.
func (c *chooser) technique() (Technique, []string, error) {
	all := c.candidates()
	if c.request.Technique == Best {
		return best(all)
	}
	i := slices.IndexFunc(all, func(k candidate) bool { return k.technique == c.request.Technique })
	switch {
	case i < 0:
		return "", nil, badRequest("techniques: "+names(Techniques()), "there is no technique %q", c.request.Technique)
	case all[i].lacks != "":
		return "", nil, badRequest("this drive has: "+names(offered(all)), "the drive cannot do %s: %s", c.request.Technique, all[i].lacks)
	}
	reasons := []string{all[i].name + ": asked for"}
	if all[i].avoid != "" {
		reasons = append(reasons, "although "+all[i].avoid)
	}
	return c.request.Technique, reasons, nil
}

// best returns the first technique that the drive has and that nothing speaks
// against.
func best(all []candidate) (Technique, []string, error) {
	var not []string
	for _, k := range all {
		if k.lacks == "" && k.avoid == "" {
			why := k.name + ": the best that this drive has"
			if k.technique == Overwrite {
				why = k.name + ": the last resort, since the drive has no erase of its own"
			}
			return k.technique, append([]string{why}, not...), nil
		}
		why := k.lacks
		if why == "" {
			why = "not " + k.name + ": " + k.avoid
		}
		if !slices.Contains(not, why) {
			not = append(not, why)
		}
	}
	return "", nil, badRequest("", "the drive has no technique to erase it: %s", strings.Join(not, "; "))
}

func offered(all []candidate) []Technique {
	var have []Technique
	for _, k := range all {
		if k.lacks == "" {
			have = append(have, k.technique)
		}
	}
	return have
}

func names(all []Technique) string {
	if len(all) == 0 {
		return "none"
	}
	var parts []string
	for _, t := range all {
		parts = append(parts, string(t))
	}
	return strings.Join(parts, ", ")
}
