package main

import (
	"encoding/binary"
	"io"
	"strconv"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

func featureCommand() command {
	return command{
		name: "feature", short: "settings of the drive: read, list, set", access: none,
		subs: func() []command { return []command{featureGetCommand(), featureListCommand(), featureSetCommand()} },
	}
}

const aboutFeatures = `NAME is a word that "qd1 feature list" shows, such as auto-pst, or a number, such
as 0x0c. What the drive does not list is not asked for, because a drive counts
the question as an error: --force asks all the same.`

func featureGetCommand() command {
	return command{
		name: "get", args: "[NAME|0xNN] [DRIVE]", access: reads, maxArgs: 2,
		short: "one feature with its fields, or all that the drive has",
		help:  aboutFeatures,
		flags: append(featureFlags(true),
			&cli.StringFlag{Name: "feature-id", Aliases: []string{"f"}, Usage: "the feature, as `NAME` or number, in place of the first argument"},
			&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of a feature that each namespace has its own of; without it the namespace that DRIVE names, or the first"},
			&cli.StringFlag{Name: "data-len", Aliases: []string{"l"}, Usage: "`BYTES` of data to read, where they are not those of the specification"},
			&cli.StringFlag{Name: "cdw11", Aliases: []string{"c"}, Usage: "`DWORD` 11 of the command, with which some features select"},
			&cli.StringFlag{Name: "uuid-index", Aliases: []string{"u", "U"}, Usage: "`INDEX` of the UUID that says what a vendor specific feature means"}),
		run: (*invocation).getFeature,
	}
}

func featureListCommand() command {
	return command{
		name: "list", args: "[DRIVE]", access: reads, maxArgs: 1,
		short: "all features that the drive has, one line each",
		flags: featureFlags(false),
		run:   func(in *invocation) error { return in.listFeatures(in.arg(0)) },
	}
}

// featureFlags are the flags of commands that read features; one of them has the
// bytes of a single feature.
func featureFlags(one bool) []cli.Flag {
	formats := []string{"json"}
	if one {
		formats = append(formats, "binary")
	}
	flags := append(append(outputFlags(formats...), driveFlags()...),
		&cli.StringFlag{Name: "sel", Aliases: []string{"s"}, Value: "current", Usage: "which `VALUE`: current, default, saved, supported (what can be done with the feature), or 0 to 3"},
		&cli.BoolFlag{Name: "human-readable", Aliases: []string{"H"}, DisableDefaultText: true, Usage: "every field and every bit in a line of its own"})
	if one {
		flags = append(flags,
			&cli.BoolFlag{Name: "raw-binary", DisableDefaultText: true, Aliases: []string{"b"}, Usage: "the bytes as the drive sent them (--format binary): the data, or the 4 bytes of the value where there are none"},
			&cli.BoolFlag{Name: "force", DisableDefaultText: true, Usage: "ask for what the drive does not list, too"})
	}
	return flags
}

// selection reads the flag that says which value is meant.
func (in *invocation) selection() (nvme.FeatureSelect, error) {
	text := in.String("sel")
	for s := nvme.FeatureCurrent; s <= nvme.FeatureCapabilities; s++ {
		if text == report.SelectWord(s) || text == strconv.Itoa(int(s)) {
			return s, nil
		}
	}
	return 0, usagef("--sel %s: current, default, saved or supported is needed", text)
}

// parseFeature reads the word or the number of a feature.
func parseFeature(word string) (nvme.FID, bool) {
	if f := spec.FeatureByName(word); f != nil {
		return nvme.FID(f.FID), true
	}
	n, err := strconv.ParseUint(word, 0, 8)
	return nvme.FID(n), err == nil
}

// featureAndDrive takes the arguments apart: the feature may be a flag, and where
// there is but one word it may be either. found is false for no feature.
func (in *invocation) featureAndDrive() (fid nvme.FID, drive string, found bool, err error) {
	word, rest := in.String("feature-id"), in.Args().Slice()
	if word == "" && len(rest) > 0 {
		if _, ok := parseFeature(rest[0]); ok || len(rest) > 1 {
			word, rest = rest[0], rest[1:]
		}
	}
	switch {
	case len(rest) > 1:
		return 0, "", false, usagef("too many arguments: %q", rest[1])
	case len(rest) == 1:
		drive = rest[0]
	}
	if word == "" {
		return 0, drive, false, nil
	}
	if fid, found = parseFeature(word); !found {
		return 0, "", false, usagef("%q is no feature%s", word, featureSuggestion(word))
	}
	return fid, drive, true, nil
}

// featureSuggestion names the feature that was probably meant.
func featureSuggestion(word string) string {
	var table []command
	for _, f := range spec.Features() {
		table = append(table, command{name: f.Name})
	}
	return suggestion(word, table)
}

// featureQuery reads the flags of a single feature.
func (in *invocation) featureQuery(fid nvme.FID) (report.FeatureQuery, error) {
	q := report.FeatureQuery{FID: fid, Force: in.Bool("force")}
	var err error
	if q.Select, err = in.selection(); err != nil {
		return q, err
	}
	if q.NSID, err = in.nsid(); err != nil {
		return q, err
	}
	cdw11, err := in.unsigned("cdw11", 32)
	if err != nil {
		return q, err
	}
	if in.IsSet("cdw11") {
		selects := uint32(cdw11)
		q.CDW11 = &selects
	}
	n, err := in.unsigned("data-len", 24)
	if err != nil {
		return q, err
	}
	if in.IsSet("data-len") {
		length := int(n)
		q.Bytes = &length
	}
	index, err := in.unsigned("uuid-index", 7)
	q.UUIDIndex = uint8(index)
	return q, err
}

// getFeature is the command for one feature, or for all with all their fields.
func (in *invocation) getFeature() error {
	fid, drive, found, err := in.featureAndDrive()
	if err != nil {
		return err
	}
	if !found {
		for _, flag := range []string{"namespace-id", "data-len", "cdw11", "uuid-index", "raw-binary", "force"} {
			if in.IsSet(flag) {
				return usagef("--%s needs a feature, such as qd1 feature get volatile-wc", flag)
			}
		}
		return in.listFeatures(drive)
	}
	q, err := in.featureQuery(fid)
	if err != nil {
		return err
	}
	format, err := in.binaryFormat()
	if err != nil {
		return err
	}
	s, done, err := in.beginWith(drive)
	if err != nil {
		return err
	}
	defer done()
	f, err := s.ReadFeature(in.Context.Context, q)
	if err != nil {
		return err
	}
	if format == "binary" {
		return in.deliver(featureBytes(f))
	}
	return in.show(format, featureObject(s, "qd1.feature/1", "feature", f), func(w io.Writer, style render.Style) error {
		return render.Feature(w, partOf(s), f, in.Bool("human-readable"), style)
	})
}

// binaryFormat is the format of a command that can give bytes.
func (in *invocation) binaryFormat() (string, error) {
	format, err := in.format("json", "binary")
	if err != nil {
		return "", err
	}
	if in.Bool("raw-binary") {
		format = "binary"
	}
	if _, ok := terminal(in.env.stdout); ok && format == "binary" && in.String("output") == "" {
		return "", usagef("binary output would upset the terminal: use --output FILE or a pipe")
	}
	return format, nil
}

// featureBytes are the data of a feature, or its value where it has none.
func featureBytes(f *report.Feature) []byte {
	switch {
	case len(f.Raw) > 0:
		return f.Raw
	case f.Value != nil:
		return binary.LittleEndian.AppendUint32(nil, *f.Value)
	}
	return binary.LittleEndian.AppendUint32(nil, capabilityBits(f.Capabilities))
}

func capabilityBits(c *report.FeatureCapabilities) uint32 {
	var bits nvme.FeatureCapability
	for _, x := range []struct {
		is  bool
		bit nvme.FeatureCapability
	}{{c.Saveable, nvme.FeatureSaveable}, {c.NamespaceSpecific, nvme.FeatureNamespaceSpecific}, {c.Changeable, nvme.FeatureChangeable}} {
		if x.is {
			bits |= x.bit
		}
	}
	return uint32(bits)
}

// listFeatures is the command for all features.
func (in *invocation) listFeatures(drive string) error {
	which, err := in.selection()
	if err != nil {
		return err
	}
	format, err := in.format("json")
	if err != nil {
		return err
	}
	s, done, err := in.beginWith(drive)
	if err != nil {
		return err
	}
	defer done()
	list, err := s.ReadFeatures(in.Context.Context, which)
	if err != nil {
		return err
	}
	full := in.Bool("human-readable") || in.name == "qd1 feature get"
	return in.show(format, featureObject(s, "qd1.features/1", "list", list), func(w io.Writer, style render.Style) error {
		return render.Features(w, partOf(s), list, full, style)
	})
}

func partOf(s *report.Session) render.Part {
	return render.Part{Simulated: s.Drive.Simulated, Drive: &s.Identity}
}

func featureObject(s *report.Session, schema, key string, value any) map[string]any {
	return map[string]any{"schema": schema, "simulated": s.Drive.Simulated, "drive": s.Identity, key: value}
}

// beginWith is begin for a drive that is not the first argument.
func (in *invocation) beginWith(drive string) (*report.Session, func(), error) {
	timeout, err := in.timeout()
	if err != nil {
		return nil, nil, err
	}
	d, err := openDrive(drive)
	if err != nil {
		return nil, nil, err
	}
	s, err := report.Begin(in.Context.Context, d, timeout)
	if err != nil {
		d.Close()
		return nil, nil, err
	}
	return s, func() { d.Close() }, nil
}
