package drivedb

import "slices"

// Entry is what is known about one model line. Figures are of the maker and
// for the whole line; 0 and "" mean unknown.
type Entry struct {
	// Vendor is the maker's name.
	Vendor string `json:"vendor"`
	// Family is the product line without the size, such as "Optane 905P".
	Family string `json:"family"`
	// MarketingName is the name on the box, such as "Intel Optane SSD 905P
	// 960 GB".
	MarketingName string `json:"marketing_name"`
	// Pattern is a regular expression, anchored at both ends, for the Model
	// Number of Identify Controller without its padding.
	Pattern string `json:"pattern"`
	// Example is a model number that Pattern matches.
	Example string `json:"example"`
	// CapacityBytes is the size that drives of this line report.
	CapacityBytes int64 `json:"capacity_bytes,omitempty"`
	// Media is the kind of memory: "3D XPoint", "MLC NAND", "TLC NAND" or
	// "QLC NAND".
	Media string `json:"media"`
	// PCIeGeneration is the fastest generation of PCI Express that the drive
	// speaks: 3 for 8 GT/s.
	PCIeGeneration int `json:"pcie_generation,omitempty"`
	// PCIeLanes is the width of its link.
	PCIeLanes int `json:"pcie_lanes,omitempty"`
	// RatedBytesWritten is the rated endurance: bytes written by the host.
	RatedBytesWritten int64 `json:"rated_bytes_written,omitempty"`
	// RatedIndicative says that RatedBytesWritten could not be checked. No
	// drive is judged by it.
	RatedIndicative bool `json:"rated_indicative,omitempty"`
	// Source is the source of RatedBytesWritten.
	Source string `json:"source,omitempty"`
	// RatedDriveWritesPerDay is the rated endurance in whole drives a day over
	// the warranty.
	RatedDriveWritesPerDay float64 `json:"rated_drive_writes_per_day,omitempty"`
	// WarrantyYears is the length of the maker's warranty.
	WarrantyYears float64 `json:"warranty_years,omitempty"`
	// RatedReadLatencyUS is the rated latency of a 4 KiB random read at queue
	// depth 1, in microseconds, as the drive has it without the host's part.
	RatedReadLatencyUS float64 `json:"rated_read_latency_us,omitempty"`
	// RatedWriteLatencyUS is the same for a 4 KiB random write.
	RatedWriteLatencyUS float64 `json:"rated_write_latency_us,omitempty"`
	// RatedSeqReadMBs is the rated sequential read speed in 10^6 bytes a second.
	RatedSeqReadMBs float64 `json:"rated_seq_read_mb_per_s,omitempty"`
	// RatedSeqWriteMBs is the rated sequential write speed in 10^6 bytes a second.
	RatedSeqWriteMBs float64 `json:"rated_seq_write_mb_per_s,omitempty"`
	// RatedReadIOPS is the rated number of 4 KiB random reads a second, at the
	// queue depth that the maker chose.
	RatedReadIOPS float64 `json:"rated_read_iops,omitempty"`
	// RatedWriteIOPS is the same for 4 KiB random writes.
	RatedWriteIOPS float64 `json:"rated_write_iops,omitempty"`
	// LatestFirmwareSeen is the newest firmware revision seen on a drive of
	// this line. There may be a newer one.
	LatestFirmwareSeen string `json:"latest_firmware_seen,omitempty"`
	// ReadOnlyAtPercent is the Percentage Used at which drives of this line
	// were seen to stop accepting writes.
	ReadOnlyAtPercent int `json:"read_only_at_percent,omitempty"`
	// DrivesSeen is the number of drives of this line in the public reports
	// that the four figures below were counted in.
	DrivesSeen int `json:"drives_seen,omitempty"`
	// PCIVendorsSeen counts the drives by PCI Vendor ID, four hexadecimal digits.
	PCIVendorsSeen map[string]int `json:"pci_vendors_seen,omitempty"`
	// OUIsSeen counts the drives by IEEE OUI Identifier, six hexadecimal digits.
	OUIsSeen map[string]int `json:"ouis_seen,omitempty"`
	// SpareThresholdsSeen counts the drives by Available Spare Threshold, percent.
	SpareThresholdsSeen map[string]int `json:"spare_thresholds_seen,omitempty"`
	// Indicative lists the JSON names of the other figures that could not be
	// checked.
	Indicative []string `json:"indicative,omitempty"`
	// Sources gives the source of each figure by its JSON name.
	Sources map[string]string `json:"sources,omitempty"`
	// Note is for readers of the database.
	Note string `json:"note,omitempty"`
}

// Checked reports whether the figure with this JSON name was checked against
// its source. A drive may be judged by such a figure only.
func (e *Entry) Checked(figure string) bool {
	if figure == "rated_bytes_written" {
		return !e.RatedIndicative
	}
	return !slices.Contains(e.Indicative, figure)
}
