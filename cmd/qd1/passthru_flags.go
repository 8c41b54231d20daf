package main

import (
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/nvme"
)

// passthruFlags are nvme-cli's, with the output and the consent of ours. The letter
// o is that of the opcode here, and d that of a dry run.
func passthruFlags() []cli.Flag {
	dword := func(name, letter string) cli.Flag {
		return &cli.StringFlag{Name: name, Aliases: []string{letter}, Usage: "command `DWORD`"}
	}
	flags := []cli.Flag{
		&cli.StringFlag{Name: "opcode", Aliases: []string{"o", "O"}, Usage: "`OPCODE` of the command"},
		&cli.StringFlag{Name: "flags", Aliases: []string{"f"}, Usage: "`FLAGS` of the command; the kernel takes 0 only"},
		&cli.StringFlag{Name: "rsvd", Aliases: []string{"R"}, Usage: "`RESERVED` bits; the kernel takes 0 only"},
		&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of the command; for I/O commands that read, without it, the namespace that DRIVE names, or the first"},
		dword("cdw2", "2"), dword("cdw3", "3"), dword("cdw10", "4"), dword("cdw11", "5"),
		dword("cdw12", "6"), dword("cdw13", "7"), dword("cdw14", "8"), dword("cdw15", "9"),
		&cli.StringFlag{Name: "data-len", Aliases: []string{"l"}, Usage: "`BYTES` of data; without it those of the file"},
		&cli.StringFlag{Name: "metadata-len", Aliases: []string{"m"}, Usage: "`BYTES` of metadata"},
		&cli.StringFlag{Name: "input-file", Aliases: []string{"i"}, Usage: "`FILE` with the data for the drive, or for the data from it"},
		&cli.StringFlag{Name: "metadata", Aliases: []string{"M"}, Usage: "`FILE` for the metadata from the drive"},
		&cli.BoolFlag{Name: "read", Aliases: []string{"r"}, DisableDefaultText: true, Usage: "the data come from the drive: an error if the opcode says otherwise"},
		&cli.BoolFlag{Name: "write", Aliases: []string{"w"}, DisableDefaultText: true, Usage: "the data go to the drive: an error if the opcode says otherwise"},
		&cli.StringFlag{Name: "timeout", Aliases: []string{"t"}, Value: "60s", Usage: "longest `TIME` that the command may take, such as 10s; a bare number is milliseconds, as nvme-cli has it"},
		&cli.BoolFlag{Name: "show-command", Aliases: []string{"s"}, DisableDefaultText: true, Usage: "show the command before it is sent"},
		&cli.BoolFlag{Name: "raw-binary", Aliases: []string{"b"}, DisableDefaultText: true, Usage: "only the data, as the drive sent them"},
		&cli.BoolFlag{Name: "latency", Aliases: []string{"T"}, DisableDefaultText: true, Usage: "show how long the command took; it is shown without it, too"},
		&cli.StringFlag{Name: "format", Aliases: []string{"output-format"}, Value: "text", Usage: "`FORMAT` of the result: text, json, binary"},
		&cli.StringFlag{Name: "output", Usage: "write the result to `FILE`, in place of what is there, instead of standard output"},
		&cli.StringFlag{Name: "color", Value: "auto", Usage: "colour `WHEN`: auto, always, never"},
		&cli.BoolFlag{Name: "dry-run", Aliases: []string{"d"}, DisableDefaultText: true, Usage: "show what would be checked and sent, and end: nothing is sent"},
		acceptFlag(),
	}
	for _, f := range consentFlags() {
		if f.Names()[0] != "dry-run" {
			flags = append(flags, f)
		}
	}
	return flags
}

// newPassthru reads the command from the flags. Nothing is opened yet but the file
// of the data.
func (in *invocation) newPassthru(queue nvme.Queue) (*passing, error) {
	p := &passing{in: in, cmd: &nvme.Command{Queue: queue}, dry: in.Bool("dry-run"), shown: in.Bool("show-command")}
	var err error
	if p.format, err = in.binaryFormat(); err != nil {
		return nil, err
	}
	if p.timeout, err = in.milliseconds("timeout"); err != nil {
		return nil, err
	}
	if err := in.readFields(p.cmd); err != nil {
		return nil, err
	}
	if err := in.readTransfer(p); err != nil {
		return nil, err
	}
	p.effect = nvme.EffectOf(p.cmd, nil)
	return p, nil
}

// milliseconds reads a time whose bare numbers are milliseconds.
func (in *invocation) milliseconds(flag string) (time.Duration, error) {
	text := in.String(flag)
	d, err := time.ParseDuration(text)
	if n, bare := strconv.ParseUint(text, 0, 32); bare == nil {
		d, err = time.Duration(n)*time.Millisecond, nil
	}
	if err != nil || d < time.Millisecond || d > 24*time.Hour {
		return 0, usagef("--%s %s: a time from 1ms to 24h is needed, such as 10s, or milliseconds", flag, text)
	}
	return d, nil
}

// readFields reads opcode, namespace and dwords.
func (in *invocation) readFields(c *nvme.Command) error {
	if !in.IsSet("opcode") {
		return usagef("%s needs --opcode", in.name)
	}
	opcode, err := in.unsigned("opcode", 8)
	if err != nil {
		return err
	}
	c.Opcode = uint8(opcode)
	for _, flag := range []string{"flags", "rsvd"} {
		if n, err := in.unsigned(flag, 16); err != nil {
			return err
		} else if n != 0 {
			return usagef("--%s %#x: the kernel takes 0 only; fused commands and other kinds of data pointers are its own affair", flag, n)
		}
	}
	nsid, err := in.unsigned("namespace-id", 32)
	if err != nil {
		return err
	}
	c.NSID = nvme.NSID(nsid)
	for _, d := range []struct {
		flag string
		to   *uint32
	}{
		{"cdw2", &c.CDW2}, {"cdw3", &c.CDW3}, {"cdw10", &c.CDW10}, {"cdw11", &c.CDW11},
		{"cdw12", &c.CDW12}, {"cdw13", &c.CDW13}, {"cdw14", &c.CDW14}, {"cdw15", &c.CDW15},
	} {
		n, err := in.unsigned(d.flag, 32)
		if err != nil {
			return err
		}
		*d.to = uint32(n)
	}
	return nil
}

// mostPassthruBytes is the longest transfer: more than any drive takes at once.
const mostPassthruBytes = 64 << 20

// readTransfer makes the buffers, and holds the direction and the lengths against
// the opcode and the file.
func (in *invocation) readTransfer(p *passing) error {
	c := p.cmd
	way := c.Transfer()
	toDrive, fromDrive := way&nvme.HostToController != 0, way&nvme.ControllerToHost != 0
	switch {
	case in.Bool("read") && !fromDrive:
		return usagef("--read: bits 1:0 of opcode %02Xh are %02b, and no data come from the drive", c.Opcode, way)
	case in.Bool("write") && !toDrive:
		return usagef("--write: bits 1:0 of opcode %02Xh are %02b, and no data go to the drive", c.Opcode, way)
	}
	n, err := in.length("data-len")
	if err != nil {
		return err
	}
	m, err := in.length("metadata-len")
	if err != nil {
		return err
	}
	file := in.String("input-file")
	switch {
	case way == nvme.NoTransfer && (n > 0 || m > 0 || file != ""):
		return usagef("opcode %02Xh has no data (bits 1:0 are 00): leave --data-len, --metadata-len and --input-file out", c.Opcode)
	case in.String("metadata") != "" && (m == 0 || !fromDrive):
		return usagef("--metadata: it is for metadata from the drive, and needs --metadata-len")
	case toDrive:
		if c.Data, err = in.outgoing(file, n); err != nil {
			return err
		}
	case n == 0 && file != "":
		return usagef("--input-file %s: how much comes from the drive is not known without --data-len", file)
	default:
		c.Data, p.to = buffer(n), file
	}
	c.Metadata = buffer(m)
	return nil
}

// length reads a length in bytes.
func (in *invocation) length(flag string) (int, error) {
	n, err := in.unsigned(flag, 32)
	if err == nil && n > mostPassthruBytes {
		err = usagef("--%s %d: at most %d bytes are possible", flag, n, mostPassthruBytes)
	}
	return int(n), err
}

// buffer is room for n bytes, nil for none.
func buffer(n int) []byte {
	if n == 0 {
		return nil
	}
	return make([]byte, n)
}

// outgoing reads the data for the drive, whose length must be the one asked for.
func (in *invocation) outgoing(file string, want int) ([]byte, error) {
	switch {
	case file == "" && want == 0:
		return nil, nil
	case file == "":
		return nil, usagef("--data-len %d: the data for the drive are needed: --input-file FILE, or - for standard input", want)
	}
	b, err := in.readData(file, mostPassthruBytes)
	if err != nil {
		return nil, err
	}
	if want != 0 && len(b) != want {
		return nil, usagef("--data-len %d: %s has %d bytes", want, file, len(b))
	}
	return b, nil
}
