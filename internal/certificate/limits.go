package certificate

import (
	"fmt"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/proof"
)

// limits say what the verification cannot show, then what is particular to
// this erase.
func limits(r *erase.Record) []string {
	list := []string{
		"Only blocks that a host can address were looked at. Spare, retired and reserved areas of the drive cannot be read from outside; what happened to them is the word of the drive's maker.",
		"That the drive carried out the command as its specification says is the word of the drive and of its maker.",
	}
	if r.Technique.Cryptographic() {
		list = append(list, "The data were made unreadable by a change of the key. That rests on the maker's encryption, and on all data having been written through it.")
	}
	v := r.Verification
	list = append(list, v.Limits...)
	for _, t := range []struct {
		name string
		tier proof.Tier
	}{{"command evidence", v.Command}, {"comparison with before", v.Comparison}, {"canaries", v.Canaries}, {"full read", v.FullRead}} {
		if t.tier.Verdict == "" || t.tier.Verdict == proof.Skipped {
			list = append(list, fmt.Sprintf("Not done: %s.", t.name))
		}
	}
	if len(r.Interruptions) == 0 {
		return append(list, "Interruptions: none recorded.")
	}
	for _, x := range r.Interruptions {
		list = append(list, "Interruption: "+x.Text)
	}
	return list
}

// standards says whose words are used.
func standards() []string {
	return []string{
		"Vocabulary follows NIST SP 800-88 Revision 2 (September 2025): verification is what the tool saw; validation is a decision of the organisation, which is left open here.",
		"A category (clear or purge) is a decision of the user's policy; one that is named by default is a proposal. Conformance with IEEE 2883-2022 or another technique standard is not claimed.",
	}
}
