package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/certificate"
	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/state"
	"qd1.example/qd1/smart/drivedb"
)

// certificateChoice is what the user says about the certificate of an erase.
type certificateChoice struct {
	// File is where it goes, "" for the state directory. Key is the file of the
	// signing key, "" for the one of the state directory.
	File, Key string
	Fields    certificateFields
}

// certificateFields are what a tool cannot know.
type certificateFields struct {
	Operator       certificate.Person `json:"operator"`
	Validator      certificate.Person `json:"validator"`
	Place          string             `json:"place"`
	PropertyNumber string             `json:"property_number"`
	Source         string             `json:"source"`
	Categorization string             `json:"categorization"`
	Backup         string             `json:"backup"`
}

func certificateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "certificate", Usage: "write the certificate to `FILE` in place of the state directory"},
		&cli.StringFlag{Name: "key", Usage: "sign with the Ed25519 key of `FILE` (PEM); without it with a key of this computer, made on first use"},
		&cli.StringFlag{Name: "operator", Usage: "`NAME` of who does it, for the certificate"},
		&cli.StringFlag{Name: "place", Usage: "`PLACE` where it is done, for the certificate"},
		&cli.StringFlag{Name: "property-number", Usage: "`NUMBER` of the drive in your inventory, for the certificate"},
		&cli.StringFlag{Name: "certificate-fields", Usage: "a JSON `FILE` with operator, validator {name, position, contact}, place, property_number, source, categorization, backup"},
	}
}

// certificateChoice reads the flags; what stands in them wins over the file.
// Names become whole paths, because the job may run elsewhere.
func (in *invocation) certificateChoice() (certificateChoice, error) {
	var c certificateChoice
	if file := in.String("certificate-fields"); file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return c, failf("it is a JSON file; qd1 erase run --help names its fields", "--certificate-fields: %w", err)
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(&c.Fields); err != nil {
			return c, usagef("--certificate-fields %s: %w", file, err)
		}
	}
	for flag, field := range map[string]*string{
		"operator": &c.Fields.Operator.Name, "place": &c.Fields.Place, "property-number": &c.Fields.PropertyNumber,
		"certificate": &c.File, "key": &c.Key,
	} {
		if in.IsSet(flag) {
			*field = in.String(flag)
		}
	}
	if err := checkCertificate(c.File); err != nil {
		return c, err
	}
	for _, name := range []*string{&c.File, &c.Key} {
		if *name == "" {
			continue
		}
		path, err := filepath.Abs(*name)
		if err != nil {
			return c, err
		}
		*name = path
	}
	if c.Key != "" {
		if _, err := readKey(c.Key); err != nil {
			return c, failf(hintKey, "--key: %w", err)
		}
	}
	return c, nil
}

// checkCertificate finds out before the work whether a certificate can be
// written under a name. It replaces a file, and nothing that is not one.
func checkCertificate(name string) error {
	if err := checkOutput(name, nil); err != nil || name == "" {
		return err
	}
	if name == "-" {
		return usagef("--certificate -: a certificate is a file; name one")
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return refusef("name a file", "%s is not a file. Nothing was sent", name)
	}
	return nil
}

// canCertify makes ready what a certificate needs, before anything is sent: a
// place of its own and a key.
func canCertify(choice certificateChoice) error {
	dir, err := stateDir()
	if err != nil {
		return failf("set XDG_STATE_HOME", "there is no place for journal and certificates: %w", err)
	}
	if err := state.Make(dir); err != nil {
		return failf("set XDG_STATE_HOME to a folder that only you can write to", "journal and certificates: %w. Nothing was sent", err)
	}
	if _, err := signingKey(choice.Key, dir); err != nil {
		return failf("the key of this computer is certificate-key.pem in "+dir+"; --key takes another one", "the key for certificates: %w. Nothing was sent", err)
	}
	return nil
}

const hintKey = "openssl genpkey -algorithm ed25519 makes one"

// stateDir is the directory of keys, journals and certificates.
func stateDir() (string, error) {
	home, _ := os.UserHomeDir()
	return state.Dir(os.Getenv, os.Getuid(), home)
}

// certified reports whether a job came to an end that a certificate is for.
func certified(r *erase.Record) bool {
	ends := []erase.Class{erase.Done, erase.Failed, erase.NotErased, erase.Unproven}
	return slices.Contains(ends, r.Class()) && r.Technique.Erases() && len(r.Outcomes) > 0
}

// certifyLate certifies a job that has ended before, unless that was done. The
// drive need not be there any more.
func certifyLate(s *journal.Store, r *erase.Record, choice certificateChoice) (string, error) {
	if !certified(r) {
		return "", nil
	}
	dir, err := stateDir()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(certificateFile(dir, r.Job)); choice.File == "" && err == nil {
		return "", nil
	}
	transport := ""
	if r.Identity.PCI != "" {
		transport = "pcie"
	}
	return certify(r, transport, journalOf(s, r.Job), choice, time.Now())
}

// certificateFile is where the certificate of a job goes by itself.
func certificateFile(dir, job string) string {
	return filepath.Join(dir, "certificates", fileSafe(job)+".json")
}

// certify signs the certificate of an erase and writes it. It returns the name
// of the file, "" if there is nothing to certify.
func certify(r *erase.Record, transport string, journal []byte, choice certificateChoice, now time.Time) (string, error) {
	c, err := certificate.New(r, subject(r, transport, journal, choice.Fields), now)
	if err != nil {
		return "", err
	}
	dir, err := stateDir()
	if err != nil {
		return "", err
	}
	key, err := signingKey(choice.Key, dir)
	if err != nil {
		return "", fmt.Errorf("the key for certificates: %w", err)
	}
	b, err := certificate.Sign(c, key)
	if err != nil {
		return "", err
	}
	file := choice.File
	if file == "" {
		file = certificateFile(dir, r.Job)
		if err := state.Make(filepath.Dir(file)); err != nil {
			return "", err
		}
	}
	return file, state.WriteFile(file, b, 0o644)
}

// fileSafe keeps a name in its folder.
func fileSafe(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

func subject(r *erase.Record, transport string, journal []byte, f certificateFields) certificate.Subject {
	s := certificate.Subject{
		Media: certificate.Media{
			Transport: transport, PropertyNumber: f.PropertyNumber, Source: f.Source, Categorization: f.Categorization, Backup: f.Backup,
		},
		People: certificate.People{Operator: f.Operator, Validator: f.Validator, Place: f.Place},
		Tool:   certificateTool(), Host: certificateHost(), Journal: journal,
	}
	if m := drivedb.Lookup(r.Identity.Model); m != nil {
		s.Media.Manufacturer, s.Media.MarketingName, s.Media.Type = m.Vendor, m.MarketingName, m.Media
	}
	return s
}

func certificateTool() certificate.Tool {
	t := certificate.Tool{Name: tool().Name, Version: tool().Version}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				t.Revision = s.Value
			}
		}
	}
	if f, err := os.Open("/proc/self/exe"); err == nil {
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err == nil {
			t.BinarySHA256 = hex.EncodeToString(h.Sum(nil))
		}
	}
	return t
}

func certificateHost() certificate.Host {
	h := certificate.Host{Kernel: hostFacts().Kernel, Arch: runtime.GOARCH}
	h.Name, _ = os.Hostname()
	if id := readText("/etc/machine-id"); id != nil {
		h.MachineID = *id
	}
	return h
}

// signingKey reads the key of a file, or that of this computer, which is made
// on first use.
func signingKey(file, dir string) (ed25519.PrivateKey, error) {
	if file != "" {
		return readKey(file)
	}
	file = filepath.Join(dir, "certificate-key.pem")
	key, err := readKey(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := state.Make(dir); err != nil {
		return nil, err
	}
	if key, err = certificate.NewKey(); err != nil {
		return nil, err
	}
	b, err := certificate.EncodeKey(key)
	if err != nil {
		return nil, err
	}
	return key, state.WriteFile(file, b, 0o600)
}

func readKey(file string) (ed25519.PrivateKey, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := certificate.ParseKey(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}

func certificateCommand() command {
	return command{
		name: "cert", short: "certificates of erases: check and show them", access: none,
		subs: func() []command { return []command{certificateVerifyCommand(), certificateShowCommand()} },
	}
}

func trustFlag() cli.Flag {
	return &cli.StringFlag{Name: "public-key", Usage: "the `KEY` that must have signed: a file (PEM), or base64 as the certificate shows it"}
}

func certificateVerifyCommand() command {
	return command{
		name: "verify", args: "FILE", access: none, maxArgs: 1,
		short: "check that no byte of a certificate has changed since it was signed",
		help: `Needs neither the drive nor a network. Exit status 0 if it is as it was signed,
whatever it says; 6 if it is not. Without --public-key anybody may have signed it:
compare the key that is shown with that of whom you trust.`,
		flags: append(outputFlags("json"), trustFlag()),
		run:   func(in *invocation) error { return in.showCertificate(true) },
	}
}

func certificateShowCommand() command {
	return command{
		name: "show", args: "FILE", access: none, maxArgs: 1,
		short: "show a certificate as text or as a page to print",
		flags: append(outputFlags("json", "html"), trustFlag()),
		run:   func(in *invocation) error { return in.showCertificate(false) },
	}
}

// showCertificate shows a certificate that is as it was signed. To verify is to
// say that first; a page to print is for showing alone.
func (in *invocation) showCertificate(verify bool) error {
	formats := []string{"json", "html"}
	if verify {
		formats = formats[:1]
	}
	format, err := in.format(formats...)
	if err != nil {
		return err
	}
	if in.NArg() != 1 {
		return usagef("%s needs the file of a certificate", in.name)
	}
	trusted, err := publicKey(in.String("public-key"))
	if err != nil {
		return usagef("--public-key: %w", err)
	}
	f, err := openRegular(in.arg(0))
	if err != nil {
		return failf("name the JSON file that qd1 erase run has written", "cannot read the certificate: %w", err)
	}
	defer f.Close()
	const mostBytes = 64 << 20
	b, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return err
	}
	c, signature, err := certificate.Verify(b, trusted)
	if err != nil {
		return &exitError{status: exitUnproven, err: fmt.Errorf("%s: %w", in.arg(0), err), hint: "do not rely on it; ask for the file as it was written"}
	}
	signed := render.SignedCertificate{Certificate: c, Signature: signature}
	if format == "html" {
		var page bytes.Buffer
		if err := render.CertificateHTML(&page, signed); err != nil {
			return err
		}
		return in.deliver(page.Bytes())
	}
	return in.show(format, c, func(w io.Writer, s render.Style) error {
		if verify {
			if _, err := fmt.Fprintf(w, "SIGNATURE VALID  by key %s; the certificate says %s\n", signature.KeyID, c.Result); err != nil {
				return err
			}
		}
		return render.Certificate(w, signed, s)
	})
}

// publicKey reads a key from a file or from the text itself; "" is none.
func publicKey(text string) (ed25519.PublicKey, error) {
	if text == "" {
		return nil, nil
	}
	b, err := os.ReadFile(text)
	if err != nil {
		b = []byte(text)
	}
	return certificate.ParsePublicKey(b)
}

// readText is a short file without its end of line, nil if it cannot be read.
func readText(path string) *string {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	s := strings.TrimSpace(string(b))
	return &s
}
