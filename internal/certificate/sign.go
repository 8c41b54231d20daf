package certificate

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// document is a certificate with its signature, as it stands in a file. The
// result comes first, so that the first line of the file says it.
type document struct {
	Result      string          `json:"result"`
	Certificate json.RawMessage `json:"certificate"`
	Signature   Signature       `json:"signature"`
}

// Signature says who signed.
type Signature struct {
	Algorithm string `json:"algorithm"`
	// PublicKey is in base64, KeyID the start of its SHA-256 in hexadecimal.
	PublicKey string `json:"public_key"`
	KeyID     string `json:"key_id"`
	// Value is over the bytes of result and certificate, in base64.
	Value string `json:"value"`
}

const algorithm = "Ed25519"

// ErrTampered is a file that is not what was signed.
var ErrTampered = errors.New("the certificate is not as it was signed")

// Sign returns the file of a certificate.
func Sign(c *Certificate, key ed25519.PrivateKey) ([]byte, error) {
	body, err := json.MarshalIndent(c, " ", " ")
	if err != nil {
		return nil, err
	}
	public := key.Public().(ed25519.PublicKey)
	d := document{
		Result: firstLine(c), Certificate: body,
		Signature: Signature{Algorithm: algorithm, PublicKey: base64.StdEncoding.EncodeToString(public), KeyID: KeyID(public)},
	}
	d.Signature.Value = base64.StdEncoding.EncodeToString(ed25519.Sign(key, d.message()))
	return d.encode()
}

// firstLine is the result with its statement.
func firstLine(c *Certificate) string { return string(c.Result) + ": " + c.Statement }

// message is what is signed. The separator cannot stand in JSON.
func (d *document) message() []byte {
	return bytes.Join([][]byte{[]byte(Schema), []byte(d.Signature.Algorithm), []byte(d.Signature.KeyID), []byte(d.Result), d.Certificate}, []byte{0})
}

// encode writes the document in the one way that it can be written.
func (d *document) encode() ([]byte, error) {
	result, err := json.Marshal(d.Result)
	if err != nil {
		return nil, err
	}
	signature, err := json.MarshalIndent(d.Signature, " ", " ")
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"result\": %s,\n \"certificate\": %s,\n \"signature\": %s\n}\n", result, d.Certificate, signature), nil
}

// Verify reads the file of a certificate and checks that no byte of it differs
// from what was signed. trusted, if not nil, is the public key that must have
// signed. Errors match [ErrTampered] where the file is at fault.
func Verify(file []byte, trusted ed25519.PublicKey) (*Certificate, *Signature, error) {
	d, err := parse(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrTampered, err)
	}
	c, err := d.check()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrTampered, err)
	}
	if trusted != nil && KeyID(trusted) != d.Signature.KeyID {
		return c, &d.Signature, fmt.Errorf("signed by the key %s, not by the trusted key %s", d.Signature.KeyID, KeyID(trusted))
	}
	return c, &d.Signature, nil
}

// parse reads the document and holds that it is written in the one way.
func parse(file []byte) (*document, error) {
	var d document
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("not a certificate: %w", err)
	}
	again, err := d.encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, file) {
		return nil, errors.New("the file is written in another way")
	}
	return &d, nil
}

// check holds that the signature fits and that the first line says what the
// certificate says.
func (d *document) check() (*Certificate, error) {
	public, err := base64.StdEncoding.Strict().DecodeString(d.Signature.PublicKey)
	if err != nil || len(public) != ed25519.PublicKeySize || d.Signature.Algorithm != algorithm || KeyID(public) != d.Signature.KeyID {
		return nil, errors.New("the key is not one")
	}
	value, err := base64.StdEncoding.Strict().DecodeString(d.Signature.Value)
	if err != nil || !ed25519.Verify(public, d.message(), value) {
		return nil, errors.New("the signature does not fit")
	}
	var c Certificate
	if err := json.Unmarshal(d.Certificate, &c); err != nil {
		return nil, fmt.Errorf("not a certificate: %w", err)
	}
	if c.Schema != Schema || c.Record == nil || firstLine(&c) != d.Result {
		return nil, errors.New("the parts do not fit together")
	}
	return &c, nil
}

// KeyID is a short name of a key: the start of its SHA-256.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// NewKey makes a key.
func NewKey() (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return key, err
}

const privateBlock = "PRIVATE KEY"

// EncodeKey writes a private key as PKCS #8 in PEM, as other tools read it.
func EncodeKey(key ed25519.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: der}), nil
}

// ParseKey reads what EncodeKey wrote, or another Ed25519 key in that form.
func ParseKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != privateBlock {
		return nil, errors.New("not a private key in PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	ed, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("a key of type %T, not an Ed25519 key", key)
	}
	return ed, nil
}

// ParsePublicKey reads a public key in PEM or in base64 as it stands in a
// certificate.
func ParsePublicKey(text []byte) (ed25519.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
		if err != nil || len(b) != ed25519.PublicKeySize {
			return nil, errors.New("not a public key in PEM or base64")
		}
		return b, nil
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	ed, ok := key.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("a key of type %T, not an Ed25519 key", key)
	}
	return ed, nil
}
