// Package smart judges a drive: facts in, verdict out. It is pure: it reads
// no device, no clock and no file, and the same facts always give the same
// [Assessment].
//
// The judgement is a table of rules on separate axes. Each rule has an
// identity, an axis, a severity, the fields that it looks at, one sentence and
// a source; [Rules] lists them. [Facts.Endurance] does the arithmetic of wear,
// [GroupErrors] the summary of the Error Information log, [Plausibility]
// weighs the signs of a forgery, [Population] knows what other drives of the
// family showed, and [Defects] lists the known defects of firmware.
//
// To add a rule, add a function and its row to one of the rules_ files; to add
// a sign, a function to one of the signs_ files; to add a defect, a row to
// defects.go. The tests then ask for rows on each side of its limits.
package smart
