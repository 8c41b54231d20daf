// Package watch reads drives again and again and says what has changed: heat,
// throttling, rates, link errors and wear.
//
// Each drive is read by itself: one that hangs or leaves costs only its own
// row. Rates are made of two readings and the time between them, never of the
// interval that was asked for.
package watch
