package capture

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// commandName names a command and what it asks for.
func commandName(cmd *nvme.Command) string {
	name := nvme.OpcodeName(cmd.Queue, cmd.Opcode)
	if cmd.Queue != nvme.AdminQueue {
		return name
	}
	switch cmd.Opcode {
	case nvme.AdminIdentify:
		name = fmt.Sprintf("%s (%v)", name, nvme.CNS(cmd.CDW10))
	case nvme.AdminGetLogPage:
		name = fmt.Sprintf("%s (%v)", name, nvme.LID(cmd.CDW10))
	case nvme.AdminGetFeatures:
		name = fmt.Sprintf("%s (%02Xh)", name, uint8(cmd.CDW10))
	}
	if cmd.NSID != 0 && cmd.NSID != nvme.BroadcastNSID {
		name = fmt.Sprintf("%s of namespace %d", name, cmd.NSID)
	}
	return name
}
