package nvme

// SMARTLog is the SMART / Health Information log page (LID 02h), 512 bytes.
// All counters are over the life of the controller, and start at 0 or never
// count on drives that do not keep them.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page.
type SMARTLog struct {
	// 0:0 Critical Warning.
	CriticalWarning CriticalWarning `json:"critical_warning"`
	// 2:1 Composite Temperature (CTEMP), kelvins. 0 means not reported.
	CompositeTemperature Kelvin `json:"composite_temperature_kelvin"`
	// 3:3 Available Spare (AVSP), percent.
	AvailableSpare uint8 `json:"available_spare_percent"`
	// 4:4 Available Spare Threshold (AVSPT), percent. Above 100 is reserved.
	AvailableSpareThreshold uint8 `json:"available_spare_threshold_percent"`
	// 5:5 Percentage Used (PUSED), percent of the endurance that the maker
	// expects. May exceed 100; 255 means 255 or more.
	PercentageUsed uint8 `json:"percentage_used_percent"`
	// 6:6 Endurance Group Critical Warning Summary (EGCWS).
	EnduranceGroupCriticalWarning uint8 `json:"endurance_group_critical_warning"`
	_                             [25]byte
	// 47:32 Data Units Read (DUR), units of 1000 512-byte blocks, rounded up.
	DataUnitsRead Uint128 `json:"data_units_read"`
	// 63:48 Data Units Written (DUW), units of 1000 512-byte blocks, rounded up.
	DataUnitsWritten Uint128 `json:"data_units_written"`
	// 79:64 Host Read Commands (HRC).
	HostReadCommands Uint128 `json:"host_read_commands"`
	// 95:80 Host Write Commands (HWC).
	HostWriteCommands Uint128 `json:"host_write_commands"`
	// 111:96 Controller Busy Time (CBT), minutes.
	ControllerBusyTime Uint128 `json:"controller_busy_minutes"`
	// 127:112 Power Cycles (PWRC).
	PowerCycles Uint128 `json:"power_cycles"`
	// 143:128 Power On Hours (POH). May leave out time in low power states.
	PowerOnHours Uint128 `json:"power_on_hours"`
	// 159:144 Unsafe Shutdowns (UPL).
	UnsafeShutdowns Uint128 `json:"unsafe_shutdowns"`
	// 175:160 Media and Data Integrity Errors (MDIE).
	MediaErrors Uint128 `json:"media_errors"`
	// 191:176 Number of Error Information Log Entries (NEILE).
	ErrorLogEntries Uint128 `json:"error_log_entries"`
	// 195:192 Warning Composite Temperature Time (WCTT), minutes.
	WarningTemperatureTime uint32 `json:"warning_temperature_minutes"`
	// 199:196 Critical Composite Temperature Time (CCTT), minutes.
	CriticalTemperatureTime uint32 `json:"critical_temperature_minutes"`
	// 215:200 Temperature Sensors 1 to 8 (TSEN1 to TSEN8), kelvins. 0 means
	// that the sensor is not implemented.
	TemperatureSensors [8]Kelvin `json:"temperature_sensors_kelvin"`
	// 219:216 Thermal Management Temperature 1 Transition Count (TMT1TC).
	TMT1Transitions uint32 `json:"tmt1_transitions"`
	// 223:220 Thermal Management Temperature 2 Transition Count (TMT2TC).
	TMT2Transitions uint32 `json:"tmt2_transitions"`
	// 227:224 Total Time For Thermal Management Temperature 1 (TTTMT1), seconds.
	TMT1Time uint32 `json:"tmt1_seconds"`
	// 231:228 Total Time For Thermal Management Temperature 2 (TTTMT2), seconds.
	TMT2Time uint32 `json:"tmt2_seconds"`
	_        [280]byte
}

// DataUnit is the size of one data unit of the SMART log in bytes, whatever
// the size of a logical block.
const DataUnit = 512000

const smartLogBytes = 512

// UnmarshalBinary decodes b, which must hold at least 512 bytes.
func (l *SMARTLog) UnmarshalBinary(b []byte) error {
	return decode("SMART / Health Information log", l, b)
}

// CriticalWarning is the first byte of the SMART log.
type CriticalWarning uint8

// The bits of Critical Warning.
const (
	WarningAvailableSpare CriticalWarning = 1 << iota
	WarningTemperature
	WarningReliability
	WarningReadOnly
	WarningVolatileBackup
	WarningPMR

	warningReserved CriticalWarning = 0xC0
)

// Reserved returns the bits that have no meaning in revision 2.0.
func (w CriticalWarning) Reserved() CriticalWarning { return w & warningReserved }
