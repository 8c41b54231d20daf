//go:build !crashpoints

package main

import "qd1.example/qd1/internal/erase"

// crashPoint does nothing in a program that is meant for use; see crash_on.go.
func crashPoint(observe func(erase.Event)) func(erase.Event) { return observe }
