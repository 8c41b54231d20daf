package firmware

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// MaxImageBytes is the size of the largest file that is taken for firmware. The
// images of drives have some MB.
const MaxImageBytes = 256 << 20

// Image is a firmware image. What is in it only its maker knows.
type Image struct {
	// Name is the file as the user wrote it.
	Name string `json:"name"`
	// Bytes is its size, SHA256 the digest of the file in hexadecimal.
	Bytes  int    `json:"size_bytes"`
	SHA256 string `json:"sha256"`

	data []byte
}

// ImageError is a file that cannot be firmware.
type ImageError struct {
	// Text says what is wrong, Hint the next step.
	Text, Hint string
}

// Error returns the text.
func (e *ImageError) Error() string { return e.Text }

// errNotRegular is a file of another kind.
var errNotRegular = errors.New("not a regular file")

// ReadImage reads an image from a regular file.
func ReadImage(name string) (*Image, error) {
	// Without O_NONBLOCK the opening of a pipe would wait for its other end.
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read the image", Path: name, Err: errNotRegular}
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxImageBytes+1))
	if err != nil {
		return nil, err
	}
	return NewImage(name, b)
}

// NewImage makes an image of bytes, which are not copied. The error is an
// [*ImageError].
func NewImage(name string, b []byte) (*Image, error) {
	if err := cmp.Or(checkKind(b), checkSize(len(b)), checkFill(b)); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return &Image{Name: name, Bytes: len(b), SHA256: hex.EncodeToString(sum[:]), data: b}, nil
}

// checkSize refuses what no drive takes: the length of a part is counted in
// dwords.
//
// Source: NVM Express Base Specification, Revision 2.1, Firmware Image Download
// command, Number of Dwords.
func checkSize(n int) error {
	switch {
	case n <= 0:
		return &ImageError{"the image is empty", "download it again from the maker of the drive"}
	case n > MaxImageBytes:
		return &ImageError{fmt.Sprintf("the image has more than %d bytes: no firmware of a drive has that", MaxImageBytes), "take the image itself, not the package that it came in"}
	case n%4 != 0:
		return &ImageError{
			fmt.Sprintf("the image has %d bytes, which is not a multiple of 4: drives take whole dwords only", n),
			"it is cut off, or it is a package and not the image: compare its sha256 with that of its maker, and unpack it",
		}
	}
	return nil
}

// padded returns the bytes with FFh behind them up to a multiple.
func (i *Image) padded(multiple int) []byte {
	rest := len(i.data) % multiple
	if rest == 0 {
		return i.data
	}
	return append(i.data[:len(i.data):len(i.data)], bytes.Repeat([]byte{0xFF}, multiple-rest)...)
}
