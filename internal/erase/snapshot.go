package erase

import "qd1.example/qd1/nvme"

// Snapshot is a drive and its health at one moment.
type Snapshot struct {
	Model    string `json:"model"`
	Serial   string `json:"serial"`
	Firmware string `json:"firmware"`
	// Namespaces are the active namespaces.
	Namespaces []NamespaceState `json:"namespaces"`
	// SMART and NewestError are nil if the log could not be read; NewestError
	// is 0 for an empty error log.
	SMART       *nvme.SMARTLog `json:"smart"`
	NewestError *uint64        `json:"newest_error_count"`
}

// NamespaceState is a namespace at one moment.
type NamespaceState struct {
	NSID     nvme.NSID `json:"nsid"`
	Bytes    int64     `json:"size_bytes"`
	LBAF     int       `json:"lbaf"`
	LBABytes int       `json:"lba_bytes"`
	EUI64    string    `json:"eui64,omitempty"`
	NGUID    string    `json:"nguid,omitempty"`
}

// Delta is what changed between two snapshots.
type Delta struct {
	// Changes are sentences about identity, sizes and formats that differ.
	Changes []string `json:"changes"`
	// The counters are of the SMART log, after minus before; null if one of
	// them is not known.
	PowerCycles     *int64 `json:"power_cycles"`
	UnsafeShutdowns *int64 `json:"unsafe_shutdowns"`
	MediaErrors     *int64 `json:"media_errors"`
	ErrorLogEntries *int64 `json:"error_log_entries"`
	// Errors are the new entries of the error log in words.
	Errors []string `json:"errors"`
}
