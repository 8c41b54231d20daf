// Package sim is a simulated NVMe drive.
package sim
