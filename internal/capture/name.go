package capture

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// commandName names a command for an error.
func commandName(cmd *nvme.Command) string {
	return fmt.Sprintf("%s command %02Xh", cmd.Queue, cmd.Opcode)
}
