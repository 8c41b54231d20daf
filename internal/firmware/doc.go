// Package firmware updates the firmware of a drive as a job: which slot, which
// action, which chunks and which reset, what the answers of the drive mean, and
// whether it runs the new firmware afterwards.
//
// [NewPlan] is pure: facts in, plan out. [Run] carries a plan out through a
// permit of the guard and writes each step to the journal before it is taken.
package firmware
