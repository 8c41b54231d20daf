// Package proof tells whether data are gone from a medium: it samples blocks
// before and after, plants canaries, reads everything, and says what that can
// show and what it cannot. No user data are kept.
package proof
