package report

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"qd1.example/qd1/nvme"
)

// probe is the Passthru of one collection. It bounds each command, counts, and
// asks nothing more of a drive that has fallen silent or is gone: a report on
// such a drive must not take one time-out for each of its sections.
type probe struct {
	dev     nvme.Passthru
	timeout time.Duration

	commands, refused int
	lost              error
}

// errLost is the problem of everything that comes after the drive was lost.
func (p *probe) errLost() error {
	return &Problem{Kind: KindSkipped, Text: fmt.Sprintf("not tried: %v", p.lost)}
}

// Submit implements nvme.Passthru.
func (p *probe) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if p.lost != nil {
		return nvme.Completion{}, p.errLost()
	}
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	p.commands++
	cpl, err := p.dev.Submit(limited, cmd)
	switch {
	case err == nil && !cpl.Status.OK():
		p.refused++
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, context.DeadlineExceeded):
		p.lost = fmt.Errorf("the drive did not answer %s within %v", nvme.OpcodeName(cmd.Queue, cmd.Opcode), p.timeout)
		err = &Problem{Kind: KindTimeout, Text: p.lost.Error(), Hint: hintTimeout}
	case errors.Is(err, syscall.ENODEV), errors.Is(err, syscall.ENXIO):
		p.lost = errors.New("the drive is gone")
	}
	return cpl, err
}
