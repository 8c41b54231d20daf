package erase

import "qd1.example/qd1/internal/journal"

// State is a state of a job, in the words of its journal.
type State = journal.State
