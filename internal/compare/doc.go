// Package compare says what two sets of results have in common and what became
// different: two sides of benchmarks ([Bench]), or two reports of one drive
// ([Reports]). It is pure: values in, a value out.
//
// # The order of questions
//
// First what else changed, because a difference of the kernel or of the
// temperature may explain a result by itself. Where something differs that
// blocks a comparison, the figures stand side by side without a P and without a
// verdict, unless the caller says that this is what was changed on purpose.
//
// Then each figure. The unit is the run, never the operation. A row is better or
// worse if the exact test of Mann and Whitney says so among all rows together;
// it is unchanged if its interval lies within the change that does not matter;
// anything else is for want of runs, with how many it would take.
//
// # Which rows are judged together
//
// Each workload has one rate and its median latency: the primary rows, which
// answer whether anything changed. The 99th and 99.9th percentiles are secondary:
// they are noisier and follow the primary ones more often than not. As equals
// they would double the price of every verdict: with n runs a side P is at least
// 2/C(2n, n), which is 0.008 for 5 runs and 0.002 for 6. All rows are corrected by
// Holm's method with weights: the primary rows share 4/5 of the level equally, the
// secondary ones 1/5, and a row that stands gives its share to the others. The
// chance of any false alarm among all rows is at most the level. Without tails,
// weights are equal and it is the plain method.
//
// Six runs a side carry 9 workloads, five only 2 (see [AdvisedRuns]).
//
// Source: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure,
// Scandinavian Journal of Statistics 6 (1979), which has the weights too.
package compare
