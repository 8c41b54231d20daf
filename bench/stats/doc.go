// Package stats judges a handful of runs: their middle, how sure it is, and
// whether two sets of runs differ.
//
// The unit is the run. The operations of one run share the state of the drive
// and of the host, so that half a million of them say no more about the next
// run than one of them does; every sample here is one figure of one run.
//
// Nothing assumes a normal distribution but what says so in its name or its
// documentation ([MeanInterval], [Power], [Detectable]). A statement that the
// sample is too small for is nil, never a guess: a 95 % interval of a median
// takes 6 runs, a difference of two sets takes 4 runs a side.
//
// All functions are pure: they change no argument, and what draws lots takes a
// seed. Samples must be finite numbers. A level of confidence is a share such
// as 0.95; outside 0…1 exclusive no interval has it and the result is nil.
//
// # Sources
//
// M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods,
// 3rd edition (2014), chapters 3 and 4. M. Abramowitz, I. A. Stegun, Handbook
// of Mathematical Functions (1964), chapter 26. W. J. Conover, Practical
// Nonparametric Statistics, 3rd edition (1999). Others stand where they are
// used.
package stats
