package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/internal/render"
)

func eraseBatchCommand() command {
	return command{
		name: "batch", args: "FILE", access: destroys, maxArgs: 1,
		short: "erase many drives at once, with a certificate for each",
		help: `FILE is JSON: {"drives": [{"serial": "…", "model": "…", "bytes": N, "destroy":
["gpt", "ext"]}, …]}, and for each drive, if you like, pci, technique,
property_number, source, categorization, backup. Model and bytes are what
--expect-model and --expect-bytes are for one drive. A drive that is refused or
fails stops no other.`,
		flags: slices.Concat(outputFlags("json"), proofFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "only look at the drives: nothing is opened for writing"},
			&cli.BoolFlag{Name: "yes", DisableDefaultText: true, Usage: "agree to what is in the file; needed"},
			&cli.Int64Flag{Name: "expect-bytes", DefaultText: "not checked", Usage: "the `BYTES` of all drives of the file together"},
			&cli.IntFlag{Name: "parallel", Value: 8, Usage: "erase at most `N` drives at a time"},
			&cli.StringFlag{Name: "certificates", Usage: "write the certificates into the folder `DIR`, by serial number"},
			&cli.StringFlag{Name: "key", Usage: "sign with the Ed25519 key of `FILE` (PEM)"},
			&cli.StringFlag{Name: "operator", Usage: "`NAME` of who does it, for the certificates"},
			&cli.StringFlag{Name: "place", Usage: "`PLACE` where it is done, for the certificates"},
		}),
		run: runEraseBatch,
	}
}

// manifest is the file of a batch.
type manifest struct {
	Drives []manifestDrive `json:"drives"`
}

// manifestDrive is a drive of it.
type manifestDrive struct {
	Serial         string   `json:"serial"`
	PCI            string   `json:"pci"`
	Model          string   `json:"model"`
	Bytes          int64    `json:"bytes"`
	Destroy        []string `json:"destroy"`
	Technique      string   `json:"technique"`
	PropertyNumber string   `json:"property_number"`
	Source         string   `json:"source"`
	Categorization string   `json:"categorization"`
	Backup         string   `json:"backup"`
}

// readManifest reads and checks a file: a mistake in one drive is a mistake
// of the whole, because the list is what the user agrees to.
func readManifest(file string) (*manifest, error) {
	f, err := openRegular(file)
	if err != nil {
		return nil, failf("it is a JSON file; qd1 erase batch --help shows one", "cannot read the list of drives: %w", err)
	}
	defer f.Close()
	const mostBytes = 16 << 20
	b, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil, err
	}
	var m manifest
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, usagef("%s: %w", file, err)
	}
	if d.More() || len(m.Drives) == 0 {
		return nil, usagef("%s: one object with at least one drive is needed", file)
	}
	seen := map[string]bool{}
	for i, d := range m.Drives {
		if _, err := d.agreement(); err != nil {
			return nil, usagef("%s: drive %d: %w", file, i+1, err)
		}
		if id := d.Serial + "\x00" + d.PCI; seen[id] {
			return nil, usagef("%s: drive %d: serial %s stands twice", file, i+1, d.Serial)
		} else {
			seen[id] = true
		}
	}
	return &m, nil
}

// agreement is what the file agrees to for a drive.
func (d *manifestDrive) agreement() (*guard.Agreement, error) {
	if d.Serial == "" || d.Model == "" || d.Bytes <= 0 {
		return nil, errors.New("serial, model and bytes are needed")
	}
	a := &guard.Agreement{Serial: d.Serial, PCI: d.PCI, Yes: true, Model: d.Model, Bytes: d.Bytes}
	for _, word := range d.Destroy {
		kind, err := signature.ParseKind(word)
		if err != nil {
			return nil, fmt.Errorf("destroy: %w", err)
		}
		a.Destroy = append(a.Destroy, kind)
	}
	if t := erase.Technique(d.Technique); t != erase.Best && !(slices.Contains(erase.Techniques(), t) && t.Erases()) {
		return nil, fmt.Errorf("technique %q: one of %s is needed", d.Technique, techniqueNames())
	}
	return a, nil
}

func runEraseBatch(in *invocation) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	if in.NArg() != 1 {
		return usagef("%s needs the file that lists the drives", in.name)
	}
	if n := in.Int("parallel"); n < 1 || n > 256 {
		return usagef("--parallel %d: a number from 1 to 256 is needed", n)
	}
	m, err := readManifest(in.arg(0))
	if err != nil {
		return err
	}
	if !in.Bool("yes") && !in.Bool("dry-run") {
		return refusef("add --yes, or --dry-run to look at the drives only", "%d drives would be erased, and --yes is missing. Nothing was sent", len(m.Drives))
	}
	if sum := m.bytes(); in.IsSet("expect-bytes") && sum != in.Int64("expect-bytes") {
		return refusef("look at the file again", "the drives of the file have %d bytes together. Nothing was sent", sum)
	}
	if err := in.checkCertificates(); err != nil {
		return err
	}
	b := in.eraseAll(in.Context.Context, m)
	if err := in.show(format, b, func(w io.Writer, s render.Style) error { return render.EraseBatch(w, b, s) }); err != nil {
		return err
	}
	return batchOutcome(b)
}

// checkCertificates finds out before the work whether its certificates can be
// made.
func (in *invocation) checkCertificates() error {
	if dir := in.String("certificates"); dir != "" {
		if err := checkCertificate(filepath.Join(dir, "certificate.json")); err != nil {
			return err
		}
	}
	if key := in.String("key"); key != "" {
		if _, err := readKey(key); err != nil {
			return failf(hintKey, "--key: %w", err)
		}
	}
	if in.Bool("dry-run") {
		return nil
	}
	return canCertify(certificateChoice{Key: in.String("key")})
}

func (m *manifest) bytes() int64 {
	var sum int64
	for _, d := range m.Drives {
		sum += d.Bytes
	}
	return sum
}

// batchOutcome is the exit status of a batch: the worst of its drives.
func batchOutcome(b *erase.Batch) error {
	for _, status := range []int{exitUnproven, exitFailed, exitWorking, exitRefused, exitUndecided, exitInterrupted} {
		if slices.ContainsFunc(b.Drives, func(r erase.BatchRow) bool { return r.ExitStatus == status }) {
			return silently(status)
		}
	}
	return nil
}

// eraseAll erases the drives, several at a time.
func (in *invocation) eraseAll(ctx context.Context, m *manifest) *erase.Batch {
	b := &erase.Batch{Schema: erase.BatchSchema, Tool: eraseTool(), Drives: make([]erase.BatchRow, len(m.Drives))}
	p := in.env.startProgress()
	defer p.end()
	shown := &batchProgress{show: p.step, texts: make([]string, len(m.Drives))}
	turns := make(chan struct{}, in.Int("parallel"))
	var wg sync.WaitGroup
	for i := range m.Drives {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			b.Drives[i] = in.eraseOne(ctx, &m.Drives[i], func(text string) { shown.set(i, text) })
			shown.set(i, "")
		})
	}
	wg.Wait()
	return b
}

// eraseOne erases a drive of the list.
func (in *invocation) eraseOne(ctx context.Context, d *manifestDrive, show func(string)) erase.BatchRow {
	row := erase.BatchRow{Serial: d.Serial, Model: d.Model, Result: erase.Refused, Verdict: proof.Skipped}
	res, err := in.eraseListed(ctx, d, show)
	if r := res.record; r != nil {
		row.Serial, row.Model, row.Result, row.Verdict, row.Job, row.Certificate = r.Identity.Serial, r.Identity.Model, r.Class(), r.Verdict, r.Job, res.certificate
		err = eraseOutcome(r, err)
	}
	if err == nil {
		return row
	}
	x := exitOf(ctx, err)
	row.Text, row.ExitStatus = strings.TrimPrefix(oneLine(x.Error()), "refused: "), x.status
	if res.record == nil && x.status != exitRefused {
		row.Result = erase.Failed
	}
	if x.status == exitWorking {
		row.Result = erase.Interrupted
	}
	return row
}

// eraseListed is runGuarded for a drive of the list.
func (in *invocation) eraseListed(ctx context.Context, d *manifestDrive, show func(string)) (jobResult, error) {
	if err := ctx.Err(); err != nil {
		return jobResult{}, &exitError{status: exitInterrupted, err: errors.New("interrupted; nothing was sent to the drive")}
	}
	a, err := d.agreement()
	if err != nil {
		return jobResult{}, err
	}
	g, err := openGuarded(d.Serial, d.PCI)
	if err != nil {
		return jobResult{}, err
	}
	defer g.Close()
	request := erase.Request{Technique: erase.Technique(d.Technique)}
	p, err := prepare(ctx, g, request)
	if err != nil {
		return jobResult{}, err
	}
	if g.inProcess {
		a.Serial = p.looked.Identity.Serial
	}
	if open := unmet(p.looked, a); len(open) > 0 {
		return jobResult{}, refusal(&guard.Refusal{Checks: open})
	}
	if in.Bool("dry-run") {
		return jobResult{record: p.plan(a)}, nil
	}
	job := jobRequest{
		Selector: a.Serial, PCI: a.PCI, Request: request, Agreement: *a, Fingerprint: p.looked.Fingerprint(),
		Proof: in.proof(), Stops: p.stops(), Certificate: in.listedCertificate(d, p.looked.Identity.Serial),
	}
	return in.env.follow(ctx, job, p.worker(in.env), show)
}

// listedCertificate is where the certificate of a drive goes, and what stands
// in it.
func (in *invocation) listedCertificate(d *manifestDrive, serial string) certificateChoice {
	c := certificateChoice{Fields: certificateFields{
		Place: in.String("place"), PropertyNumber: d.PropertyNumber, Source: d.Source, Categorization: d.Categorization, Backup: d.Backup,
	}}
	c.Fields.Operator.Name = in.String("operator")
	for name, path := range map[string]*string{in.String("certificates"): &c.File, in.String("key"): &c.Key} {
		if name == "" {
			continue
		}
		if path == &c.File {
			name = filepath.Join(name, fileSafe(serial)+".json")
		}
		if whole, err := filepath.Abs(name); err == nil {
			name = whole
		}
		*path = name
	}
	return c
}

// batchProgress shows what the drives that are worked on do.
type batchProgress struct {
	mu    sync.Mutex
	show  func(string)
	texts []string
	ended int
}

// set notes what a drive does; "" is its end.
func (b *batchProgress) set(i int, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts[i] = text
	if text == "" {
		b.ended++
	}
	now := slices.DeleteFunc(slices.Clone(b.texts), func(s string) bool { return s == "" })
	b.show(fmt.Sprintf("%d of %d drives ended; %s", b.ended, len(b.texts), strings.Join(now, "; ")))
}
