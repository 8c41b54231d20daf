// Package proof tells whether data are gone from a medium: it samples blocks
// before and after, plants canaries, reads everything, and says what that can
// show and what it cannot. No user data are kept.
//
// [Prepare] does what comes before an erase and [Verify] what comes after it,
// for all namespaces of a drive; [Sample], [Plant] and [ReadAll] are the parts.
//
// # What a verdict means
//
// Equality with before is the only sign of failure that holds for every
// technique: after a cryptographic erase the blocks may read as anything. So the
// comparison fails when one informative block, one that was not constant before,
// is what it was. Zeroes afterwards are reported and not asked for.
package proof
