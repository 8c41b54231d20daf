package vendor

import (
	"math/bits"

	"qd1.example/qd1/nvme"
)

// Amplification is what the medium was written for what the host wrote, over
// the life of the drive.
type Amplification struct {
	// Factor is media bytes by host bytes: 1 is none, below 1 is compression.
	Factor float64 `json:"factor"`
	// MediaBytes is what was written to the medium, bytes.
	MediaBytes nvme.Uint128 `json:"media_written_bytes"`
	// HostBytes is what the host wrote, bytes.
	HostBytes nvme.Uint128 `json:"host_written_bytes"`
	// LID is the page that the media side comes from.
	LID nvme.LID `json:"lid"`
}

// writer is a page that counts what was written, bytes. A host of 0 is not in
// the page.
type writer interface {
	written() (media, host nvme.Uint128)
}

// WriteAmplification returns media by host, in the same unit; false unless both
// are known, that is, not 0.
func WriteAmplification(media, host nvme.Uint128) (float64, bool) {
	if media.IsZero() || host.IsZero() {
		return 0, false
	}
	return media.Float64() / host.Float64(), true
}

// leastWritten is below which a factor says more about rounding and about what
// the drive writes for itself than about the host: 1 GiB, 32 units of the
// counters of Intel drives.
const leastWritten = 1 << 30

// AmplificationOf returns the write amplification of a drive from the first page
// that counts what was written to the medium; nil if there is none or too little
// was written. The host side is of the page itself if it counts it, else
// dataUnitsWritten of the SMART log.
func AmplificationOf(readings []Reading, dataUnitsWritten nvme.Uint128) *Amplification {
	for _, r := range readings {
		w, ok := r.Value.(writer)
		if !ok {
			continue
		}
		media, host := w.written()
		if host.IsZero() {
			host = bytesOf(dataUnitsWritten)
		}
		if !enough(media) || !enough(host) {
			continue
		}
		factor, _ := WriteAmplification(media, host)
		return &Amplification{Factor: factor, MediaBytes: media, HostBytes: host, LID: r.LID}
	}
	return nil
}

func enough(n nvme.Uint128) bool { return n.Hi != 0 || n.Lo >= leastWritten }

// bytesOf converts Data Units to bytes; a count that cannot be is 0.
func bytesOf(units nvme.Uint128) nvme.Uint128 {
	if units.Hi != 0 {
		return nvme.Uint128{}
	}
	hi, lo := bits.Mul64(units.Lo, nvme.DataUnit)
	return nvme.Uint128{Lo: lo, Hi: hi}
}
