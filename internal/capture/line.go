package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"qd1.example/qd1/nvme"
)

// exchange is a line with a command and its answer. The order of the fields is
// the order of the keys in the file.
type exchange struct {
	Queue   string      `json:"queue"`
	Opcode  uint8       `json:"opcode"`
	NSID    nvme.NSID   `json:"nsid"`
	CDW10   uint32      `json:"cdw10,omitempty"`
	CDW11   uint32      `json:"cdw11,omitempty"`
	CDW12   uint32      `json:"cdw12,omitempty"`
	CDW13   uint32      `json:"cdw13,omitempty"`
	CDW14   uint32      `json:"cdw14,omitempty"`
	CDW15   uint32      `json:"cdw15,omitempty"`
	Status  nvme.Status `json:"status"`
	Result  uint64      `json:"result"`
	Data    []byte      `json:"data,omitempty"`
	Error   string      `json:"error,omitempty"`
	DelayMS uint32      `json:"delay_ms,omitempty"`
	Silent  bool        `json:"silent,omitempty"`
}

// sysfsLine is a line with what sysfs said. Exactly one of the pointers is set
// when it is written.
type sysfsLine struct {
	Path string  `json:"sysfs"`
	Text *string `json:"text,omitempty"`
	Link *string `json:"link,omitempty"`
}

// newExchange describes a command without its answer.
func newExchange(cmd *nvme.Command) exchange {
	return exchange{
		Queue: cmd.Queue.String(), Opcode: cmd.Opcode, NSID: cmd.NSID,
		CDW10: cmd.CDW10, CDW11: cmd.CDW11, CDW12: cmd.CDW12,
		CDW13: cmd.CDW13, CDW14: cmd.CDW14, CDW15: cmd.CDW15,
	}
}

// key is what a command and a recorded exchange must have in common.
type key struct {
	queue                                    nvme.Queue
	opcode                                   uint8
	nsid                                     nvme.NSID
	cdw10, cdw11, cdw12, cdw13, cdw14, cdw15 uint32
}

// The bits of Get Log Page that say how much is read (NUMDL, NUMDU) and
// whether the event stays (RAE), not what is read.
//
// Source: NVM Express Base Specification, Revision 2.0, Get Log Page command.
const (
	logIgnoredCDW10 = 0xFFFF_8000
	logIgnoredCDW11 = 0x0000_FFFF
)

// newKey makes the key of the command that e describes.
func newKey(e *exchange) (key, error) {
	k := key{
		opcode: e.Opcode, nsid: e.NSID, cdw10: e.CDW10, cdw11: e.CDW11,
		cdw12: e.CDW12, cdw13: e.CDW13, cdw14: e.CDW14, cdw15: e.CDW15,
	}
	switch e.Queue {
	case nvme.AdminQueue.String():
	case nvme.IOQueue.String():
		k.queue = nvme.IOQueue
	default:
		return key{}, fmt.Errorf(`queue is %q, not "admin" or "io"`, e.Queue)
	}
	if k.queue == nvme.AdminQueue && k.opcode == nvme.AdminGetLogPage {
		k.cdw10 &^= logIgnoredCDW10
		k.cdw11 &^= logIgnoredCDW11
	}
	return k, nil
}

// answer is what replay gives back for a command.
type answer struct {
	completion nvme.Completion
	data       []byte
	err        error
	delay      time.Duration
	silent     bool
}

func newAnswer(e *exchange) answer {
	a := answer{
		completion: nvme.Completion{Result: e.Result, Status: e.Status},
		data:       e.Data,
		delay:      time.Duration(e.DelayMS) * time.Millisecond,
		silent:     e.Silent,
	}
	if e.Error != "" {
		a.err = &RecordedError{Text: e.Error}
	}
	return a
}

// marshal writes v as one line. Characters of HTML stay as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}
