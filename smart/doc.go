// Package smart judges a drive: facts in, verdict out. It is pure: it reads
// no device, no clock and no file, and the same facts always give the same
// [Assessment].
//
// The judgement is a table of rules. Each rule has an identity, a severity,
// the fields that it looks at, one sentence and a source; [Rules] lists them.
// [EnduranceOf] does the arithmetic of wear, [GroupErrors] the summary of the
// Error Information log.
package smart
