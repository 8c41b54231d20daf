// Package record keeps the results of commands: one JSON file a record, in one
// folder a drive.
//
// A file appears under its name only when it is whole, and is never changed
// after that, so readers need no lock. Those who write or remove hold the lock
// of the folder. What a record carries is JSON of another package, which is
// kept as it is; only History looks for a few numbers in it.
package record
