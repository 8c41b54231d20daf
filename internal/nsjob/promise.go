package nsjob

import "qd1.example/qd1/nvme"

// Promise is what a drive says that deallocated blocks read as.
type Promise struct {
	// DLFEAT is the field of Identify Namespace.
	DLFEAT uint8 `json:"dlfeat"`
	// Reads is "zeroes", "ones", or "not reported".
	Reads string `json:"reads"`
	// Text is the sentence for people.
	Text string `json:"text"`
}

// What deallocated blocks read as.
const (
	ReadsZeroes = "zeroes"
	ReadsOnes   = "ones"
	NotReported = "not reported"
)

// PromiseOf returns what the drive says about a namespace.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Identify
// Namespace data structure: DLFEAT bits 2:0.
func PromiseOf(ns *nvme.IdentifyNamespace) Promise {
	p := Promise{DLFEAT: ns.DLFEAT}
	switch ns.DLFEAT & 7 {
	case 1:
		p.Reads, p.Text = ReadsZeroes, "blocks that the drive has deallocated read as zeroes (DLFEAT 1); which of them it does deallocate is left to it"
	case 2:
		p.Reads, p.Text = ReadsOnes, "blocks that the drive has deallocated read as FFh (DLFEAT 2); which of them it does deallocate is left to it"
	default:
		p.Reads, p.Text = NotReported, "the drive does not say what deallocated blocks read as (DLFEAT 0): zeroes, FFh, or what was there before"
	}
	return p
}
