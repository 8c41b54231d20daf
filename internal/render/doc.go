// Package render writes the values of internal/report, as text for people or
// as JSON for programs. It formats; it never concludes, fetches or decides.
package render
