package erase

// State is a state of a job, in the words of its journal.
type State string
