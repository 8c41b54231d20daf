// Package conditions reads what a measurement depends on besides the drive's
// own speed: the computer, the block layer on the way to the drive, the drive's
// state before and after, its temperature in between, and what else went to the
// device meanwhile.
//
// Trees are rooted at "/" and hold proc and sys, such as os.DirFS("/"), so that
// a recorded or an invented computer takes the place of the host. Nothing here
// writes, starts a goroutine or judges the drive: it states facts. A fact that
// the host does not show is nil.
//
// A drive that hangs can hold up the attributes of its link. Callers that must
// go on put a limit around the tree.
package conditions
