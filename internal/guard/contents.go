package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"qd1.example/qd1/internal/inuse/signature"
)

type ioReaderAt = io.ReaderAt

// contents looks for what lies on the namespaces of the radius, and asks for
// consent by kind.
func (in *inspection) contents(ctx context.Context) error {
	if in.op.KeepsData {
		return nil
	}
	var looked []string
	for i := range in.c.Radius {
		m := &in.c.Radius[i]
		if m.Block == "" || m.Bytes <= 0 {
			continue
		}
		if err := in.scanMember(ctx, m); err != nil {
			return err
		}
		looked = append(looked, m.Block)
	}
	checks := signatureChecks(in.c.Radius)
	if len(checks) == 0 && len(looked) > 0 {
		checks = []Check{pass(checkSignatures, "no file system, partition table or member of anything is known on %s", and(looked))}
	}
	in.add(checks...)
	return nil
}

// scanMember looks at one namespace. A medium with faults is no reason not to
// erase it: that is said, and what was found still counts. One that must not
// be read is a reason.
func (in *inspection) scanMember(ctx context.Context, m *Member) error {
	r, err := in.open(m.Block)
	if err != nil {
		hint := "look whether the device still exists"
		if errors.Is(err, fs.ErrPermission) {
			hint = "run it as root"
		}
		in.add(refuse(checkSignatures, hint, "what lies on %s cannot be looked at: %v", m.Block, err))
		return nil
	}
	found, err := in.scan(ctx, r, m.Bytes, m.LBABytes)
	m.Signatures = append(m.Signatures, found...)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), r.Close())
	}
	if err != nil {
		in.add(warn(checkSignatures, "not all of %s could be read, so that something may lie there that is not named here: %v", m.Block, err))
	}
	if err := r.Close(); err != nil {
		return fmt.Errorf("close %s: %w", m.Block, err)
	}
	return nil
}

// signatureChecks returns one check for each kind of signature.
func signatureChecks(radius []Member) []Check {
	texts := map[signature.Kind][]string{}
	var kinds []signature.Kind
	for i := range radius {
		for j := range radius[i].Signatures {
			s := &radius[i].Signatures[j]
			if !slices.Contains(kinds, s.Kind) {
				kinds = append(kinds, s.Kind)
			}
			texts[s.Kind] = append(texts[s.Kind], signatureText(radius[i].Block, s))
		}
	}
	var checks []Check
	for _, k := range kinds {
		checks = append(checks, Check{
			Check: checkSignatures, Result: Consent, Kinds: []signature.Kind{k},
			Text: strings.Join(texts[k], "; "),
			Hint: fmt.Sprintf("to destroy it, agree with --destroy-signature=%s", k),
		})
	}
	return checks
}

// signatureText says what lies where, with the names that tell whose it is.
func signatureText(block string, s *signature.Signature) string {
	text := s.Text
	if text == "" {
		text = string(s.Kind)
	}
	text = block + " has " + text
	var more []string
	for _, p := range []struct{ what, value string }{
		{"label", s.Label}, {"name", s.Name}, {"host", s.Host}, {"UUID", s.UUID},
	} {
		if p.value != "" && !strings.Contains(text, p.value) {
			more = append(more, p.what+" "+p.value)
		}
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}
