package main

import (
	"context"
	"path/filepath"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/internal/sysfs"
)

// quickSamples find a residue of 100 ppm with a confidence of 99 %.
const quickSamples = 46050

// proofChoice is what the flags say about the verification.
type proofChoice struct {
	Quick, Full, NoCanaries bool
}

func (in *invocation) proof() proofChoice {
	return proofChoice{Quick: in.Bool("quick"), Full: in.Bool("full"), NoCanaries: in.Bool("no-canaries")}
}

func (c proofChoice) options() proof.Options {
	o := proof.Options{FullRead: c.Full}
	if c.Quick {
		o.Samples = quickSamples
	}
	if c.NoCanaries {
		o.Canaries = -1
	}
	return o
}

// prover verifies with the engines of bench, many reads at a time where there
// is a block device.
type prover struct {
	options proof.Options
	// host is the drive as this computer shows it now.
	host *sysfs.Controller
	// inProcess says that there are no devices.
	inProcess bool
}

// Before samples the media and plants canaries.
func (p *prover) Before(ctx context.Context, media []erase.Medium, progress func(done, total int64)) ([]byte, error) {
	list, closeAll := p.media(media)
	defer closeAll()
	o := p.options
	o.Progress = progress
	kept, err := proof.Prepare(ctx, list, o)
	if err != nil {
		return nil, err
	}
	defer kept.Destroy()
	return kept.MarshalBinary()
}

// After compares with what Before kept.
func (p *prover) After(ctx context.Context, media []erase.Medium, kept []byte, command proof.Tier, progress func(done, total int64)) (*erase.Verification, error) {
	list, closeAll := p.media(media)
	defer closeAll()
	o := p.options
	o.Progress = progress
	var before *proof.Kept
	if kept != nil {
		before = &proof.Kept{}
		if err := before.UnmarshalBinary(kept); err != nil {
			return nil, err
		}
		defer before.Destroy()
	}
	return proof.Verify(ctx, list, before, command, o)
}

// media gives each medium an engine. The claimed descriptor reads one block at
// a time where no other way can be opened.
func (p *prover) media(media []erase.Medium) (list []proof.Medium, closeAll func()) {
	var engines []bench.Engine
	for _, m := range media {
		e := p.engine(&m)
		engines = append(engines, e)
		medium := proof.Medium{Name: m.Name, Engine: e, Bytes: m.Bytes, BlockBytes: m.LBABytes, Writer: m.WriterAt}
		if s, ok := m.WriterAt.(interface{ Sync() error }); ok {
			medium.Flush = s.Sync
		}
		list = append(list, medium)
	}
	return list, func() {
		for _, e := range engines {
			e.Close() // It was only read from.
		}
	}
}

func (p *prover) engine(m *erase.Medium) bench.Engine {
	if !p.inProcess {
		for _, n := range p.host.Namespaces {
			if n.NSID != uint32(m.NSID) || n.Block == "" {
				continue
			}
			t := bench.Target{Kind: bench.BlockTarget, Path: filepath.Join("/dev", n.Block), Bytes: m.Bytes, BlockBytes: m.LBABytes}
			if e, err := bench.OpenUring(t); err == nil {
				return e
			}
		}
	}
	return bench.NewReaderAt("claim", m.ReaderAt)
}
