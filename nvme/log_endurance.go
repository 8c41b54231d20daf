package nvme

// EnduranceGroupLog is the Endurance Group Information log page (LID 09h), 512
// bytes. The Log Specific Identifier selects the group.
//
// Source: NVM Express Base Specification, Revision 2.0, Endurance Group
// Information Log Page.
type EnduranceGroupLog struct {
	// 0:0 Critical Warning: bit 0 spare below threshold, bit 2 reliability
	// degraded, bit 3 read only.
	CriticalWarning CriticalWarning `json:"critical_warning"`
	// 1:1 Endurance Group Features (EGFEAT), bit 0 EGRMEDIA.
	Features uint8 `json:"features"`
	_        byte
	// 3:3 Available Spare, percent.
	AvailableSpare uint8 `json:"available_spare_percent"`
	// 4:4 Available Spare Threshold, percent.
	AvailableSpareThreshold uint8 `json:"available_spare_threshold_percent"`
	// 5:5 Percentage Used, percent. May exceed 100.
	PercentageUsed uint8 `json:"percentage_used_percent"`
	// 7:6 Domain Identifier. 0 means that there are no domains.
	DomainID uint16 `json:"domain_id"`
	_        [24]byte
	// 47:32 Endurance Estimate, billions of bytes. 0 means not reported.
	EnduranceEstimate Uint128 `json:"endurance_estimate_gb"`
	// 63:48 Data Units Read, billions of bytes, rounded up. 0 means not
	// reported, here and below.
	DataUnitsRead Uint128 `json:"data_units_read_gb"`
	// 79:64 Data Units Written, billions of bytes, rounded up.
	DataUnitsWritten Uint128 `json:"data_units_written_gb"`
	// 95:80 Media Units Written, billions of bytes, rounded up.
	MediaUnitsWritten Uint128 `json:"media_units_written_gb"`
	// 111:96 Host Read Commands.
	HostReadCommands Uint128 `json:"host_read_commands"`
	// 127:112 Host Write Commands.
	HostWriteCommands Uint128 `json:"host_write_commands"`
	// 143:128 Media and Data Integrity Errors.
	MediaErrors Uint128 `json:"media_errors"`
	// 159:144 Number of Error Information Log Entries.
	ErrorLogEntries Uint128 `json:"error_log_entries"`
	// 175:160 Total Endurance Group Capacity (TEGCAP), bytes.
	TotalCapacity Uint128 `json:"total_capacity_bytes"`
	// 191:176 Unallocated Endurance Group Capacity (UEGCAP), bytes.
	UnallocatedCapacity Uint128 `json:"unallocated_capacity_bytes"`
	_                   [320]byte
}

// UnmarshalBinary decodes b, which must hold at least 512 bytes.
func (l *EnduranceGroupLog) UnmarshalBinary(b []byte) error {
	return decode("Endurance Group Information log", l, b)
}
