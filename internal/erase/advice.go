package erase

// Advice is what an outcome means and what can be done about it.
type Advice struct {
	// Saw is what the drive or the host said.
	Saw string `json:"saw"`
	// Cause is what it usually means.
	Cause string `json:"cause"`
	// Do are the next steps, the first to be tried first.
	Do []string `json:"do"`
}
