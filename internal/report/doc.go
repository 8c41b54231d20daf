// Package report collects everything that qd1 says about one drive into one
// value, a Report, which renderers then show. A part that cannot be read stays
// in its place as a section with a problem; the rest of the report remains.
//
// Collect asks only for what Identify says exists, and counts what the drive
// refused all the same.
package report
