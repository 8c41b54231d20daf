// Package certificate makes of the record of an erase a document that can be
// shown to others: what was done to which drive, what was seen, and what that
// does not show; signed, so that a change of any byte is found.
package certificate
