package sim

import (
	"encoding/binary"

	"qd1.example/qd1/nvme"
)

// What a fault can do to the telemetry logs.
const (
	// DoLongHeader lets the header of a telemetry log say Fault.Count blocks more
	// than there are, for every data area that has some.
	DoLongHeader Do = "long-header"
	// DoNewTelemetry makes new data of the telemetry log before the command, as
	// another host or the controller itself does.
	DoNewTelemetry Do = "new-telemetry"
)

// readsTelemetry reports whether a command reads a telemetry log.
func readsTelemetry(cmd *nvme.Command) bool {
	lid := nvme.LID(cmd.CDW10)
	return isAdmin(cmd, nvme.AdminGetLogPage) && (lid == nvme.LIDTelemetryHost || lid == nvme.LIDTelemetryController)
}

// lengthen changes the header in what was read, if it is there.
func (r *Fault) lengthen(cmd *nvme.Command) {
	if cmd.CDW12 != 0 || cmd.CDW13 != 0 || len(cmd.Data) < telemetryBlock {
		return
	}
	le := binary.LittleEndian
	var last [4]int
	for i := range last[:3] {
		last[i] = int(le.Uint16(cmd.Data[8+2*i:]))
	}
	last[3] = int(le.Uint32(cmd.Data[16:]))
	for i := range last {
		if last[i] != 0 {
			last[i] += r.Count
		}
	}
	putAreas(cmd.Data, last)
}
