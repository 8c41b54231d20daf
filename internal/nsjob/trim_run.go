package nsjob

import (
	"context"

	"qd1.example/qd1/nvme"
)

// Submitter sends the commands of an operation, after the checks that belong
// before each: a permit of the guard. arm may be nil.
type Submitter interface {
	Submit(ctx context.Context, cmd *nvme.Command, arm func() error) (nvme.Completion, error)
}

// Run sends the commands, one after the other. It returns how many the drive has
// done, also with an error, which is a *nvme.CommandError if the drive refused
// one. A context that ends stops it between two commands. after, if not nil, is
// called after each command.
func (t *Trim) Run(ctx context.Context, s Submitter, after func(done int)) (int, error) {
	for i := range t.Commands {
		cmd := t.Command(i)
		answer, err := s.Submit(ctx, cmd, nil)
		if err == nil && !answer.Status.OK() {
			err = refusedBy(cmd, answer.Status)
		}
		if err != nil {
			return i, err
		}
		if after != nil {
			after(i + 1)
		}
	}
	return t.Commands, nil
}

func refusedBy(cmd *nvme.Command, status nvme.Status) error {
	return &nvme.CommandError{
		Command: nvme.OpcodeName(cmd.Queue, cmd.Opcode), Queue: cmd.Queue, Opcode: cmd.Opcode, NSID: cmd.NSID, Status: status,
	}
}
