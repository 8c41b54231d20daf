// Package signature finds what lies on a block device: partition tables, file
// systems, members of arrays, volume groups and pools, and encrypted volumes.
package signature
