package signature

// Signature is one thing that was found on a device.
type Signature struct {
	Kind Kind `json:"kind"`
	// Partition is the number of the partition that it lies in, 0 for the
	// device itself.
	Partition int `json:"partition"`
	// Offset is where its magic number stands, bytes from the start of the
	// device.
	Offset int64 `json:"offset_bytes"`
	// Label, UUID and Version are what it says of itself, "" for nothing.
	// Label of a partition table is "".
	Label   string `json:"label,omitempty"`
	UUID    string `json:"uuid,omitempty"`
	Version string `json:"version,omitempty"`
	// Name is the array, volume group or pool that the device is a member of,
	// "" for none. Host is the computer that used it last, "" if not said.
	Name string `json:"name,omitempty"`
	Host string `json:"host,omitempty"`
	// Damaged says that its magic number and its fields fit and its checksum
	// does not, or that only a copy of it is left. It can still be somebody's
	// data; Text says what is wrong.
	Damaged bool `json:"damaged,omitempty"`
	// Text is a sentence for people, such as
	// "ext4 \"backup\" in partition 2" or "member of the ZFS pool tank".
	Text string `json:"text"`
}
