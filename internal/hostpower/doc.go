// Package hostpower knows the power supply of the host, whether it is about to
// shut down, and how to keep it from sleeping.
package hostpower
