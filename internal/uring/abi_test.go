package uring

import (
	"testing"
	"unsafe"
)

// TestOffsets compares the fields with the offsets in the kernel's header.
func TestOffsets(t *testing.T) {
	var (
		s submission
		l commandSubmission
		c completion
		p parameters
		w waitArg
		r resources
		u resourceUpdate
	)
	for name, tt := range map[string]struct{ got, want uintptr }{
		"sqe.flags":                 {unsafe.Offsetof(s.flags), 1},
		"sqe.ioprio":                {unsafe.Offsetof(s.priority), 2},
		"sqe.fd":                    {unsafe.Offsetof(s.fd), 4},
		"sqe.off":                   {unsafe.Offsetof(s.offset), 8},
		"sqe.addr":                  {unsafe.Offsetof(s.address), 16},
		"sqe.len":                   {unsafe.Offsetof(s.length), 24},
		"sqe.rw_flags":              {unsafe.Offsetof(s.rwFlags), 28},
		"sqe.user_data":             {unsafe.Offsetof(s.userData), 32},
		"sqe.buf_index":             {unsafe.Offsetof(s.buffer), 40},
		"large sqe.cmd_op":          {unsafe.Offsetof(l.operation), 8},
		"large sqe.uring_cmd_flags": {unsafe.Offsetof(l.commandFlags), 28},
		"large sqe.user_data":       {unsafe.Offsetof(l.userData), 32},
		"large sqe.buf_index":       {unsafe.Offsetof(l.buffer), 40},
		"large sqe.cmd":             {unsafe.Offsetof(l.command), 48},
		"nvme_uring_cmd.timeout_ms": {unsafe.Offsetof(l.timeout) - unsafe.Offsetof(l.command), 64},
		"cqe.res":                   {unsafe.Offsetof(c.result), 8},
		"cqe.flags":                 {unsafe.Offsetof(c.flags), 12},
		"params.cq_entries":         {unsafe.Offsetof(p.completions), 4},
		"params.flags":              {unsafe.Offsetof(p.flags), 8},
		"params.sq_thread_idle":     {unsafe.Offsetof(p.threadIdle), 16},
		"params.features":           {unsafe.Offsetof(p.features), 20},
		"params.sq_off":             {unsafe.Offsetof(p.sq), 40},
		"params.sq_off.array":       {unsafe.Offsetof(p.sq) + unsafe.Offsetof(p.sq.array), 64},
		"params.cq_off":             {unsafe.Offsetof(p.cq), 80},
		"params.cq_off.cqes":        {unsafe.Offsetof(p.cq) + unsafe.Offsetof(p.cq.completions), 100},
		"getevents_arg.sigmask_sz":  {unsafe.Offsetof(w.signalBytes), 8},
		"getevents_arg.ts":          {unsafe.Offsetof(w.timeout), 16},
		"rsrc_register.flags":       {unsafe.Offsetof(r.flags), 4},
		"rsrc_register.data":        {unsafe.Offsetof(r.data), 16},
		"rsrc_update2.data":         {unsafe.Offsetof(u.data), 8},
		"rsrc_update2.tags":         {unsafe.Offsetof(u.tags), 16},
		"rsrc_update2.nr":           {unsafe.Offsetof(u.count), 24},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is at %d, want %d", name, tt.got, tt.want)
		}
	}
}
