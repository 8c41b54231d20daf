// Package protocol arranges runs so that a comparison can rest on them, and says
// how much it can see: the order of the runs, the temperature at which they start,
// the noise from run to run, drift over them, and a control.
//
// # Order
//
// A drive that gets warm and a host that gets busy make each run a little slower
// than the one before. Row by row, that falls on the last row. In rounds that
// turn around, the second of each two in the reverse order of the first (ABBA), the
// sum of the positions of all rows is the same after each two rounds: what grows
// evenly cancels.
//
// # Noise
//
// The smallest change that so many runs a side find is that of
// [qd1.example/qd1/bench/stats.Detectable], at the level that a comparison of so
// many workloads leaves each of its primary figures (see [Level]), in 8 of 10 cases.
//
// # Drift and control
//
// Noise may be averaged away by more runs, drift may not. Drift is a trend over
// the runs of a row: its size by Theil and Sen, its test by Mann and Kendall. A
// control is a workload that is measured twice under two names (A/A): whatever
// differs between the two is not the drive's.
package protocol
