// Package erase is the erase of a drive as a job: which technique and why
// ([Choose]), what is going to happen ([NewPlan]), the run with its journal
// ([Run]), what a status means ([Advise]), and how to go on after an
// interruption ([Next], [Resume]).
//
// Everything that writes goes through [guard.Permit]. That a drive reports
// success is not taken for an erase: the verdict comes from what was read
// afterwards.
package erase
